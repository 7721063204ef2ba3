// RUN: tile-opt %s --convert-tile-to-nvvm --split-input-file --verify-diagnostics

// Tests that a grid names what the kernel has.
// expected-error @below {{kernel-c9: 'Q' is no symbol or integer parameter of the kernel}}
tile.kernel @unknown_name() attributes {symbols = [], checks = [], grid = ["Q"], axes = ["x"], threads = 128 : i64, shared_bytes = 0 : i64} {
  tile.return
}

// -----

// Tests that a symbol is bound by a dimension that is it.
// expected-error @below {{kernel-c9: 'param' and 'dim' of symbol 'M' name no dimension that is 'M'}}
tile.kernel @unbound(%A: !tile.global<?xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "in", tile.dims = ["M"]}) attributes {symbols = [{name = "M", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 128 : i64, shared_bytes = 0 : i64} {
  tile.return
}

// -----

// Tests that facts of a launch stay out of extents.
// expected-error @below {{kernel-c9: 'address' is a fact of a launch, which an extent does not depend on}}
tile.kernel @fact_in_grid(%A: !tile.global<?xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "in", tile.dims = [4]}) attributes {symbols = [], checks = [], grid = [["address", "A"]], axes = ["x"], threads = 128 : i64, shared_bytes = 0 : i64} {
  tile.return
}

// -----

// Tests that facts are about tensors, and their dimensions.
// expected-error @below {{kernel-c9: 'address' takes tensor parameters, found "s"}}
tile.kernel @fact_of_scalar(%s: i32 {tile.name = "s", tile.dtype = "int32"}) attributes {symbols = [], checks = [{expr = ["address", "s"], text = "t"}], grid = [], axes = [], threads = 128 : i64, shared_bytes = 0 : i64} {
  tile.return
}

// -----

// expected-error @below {{kernel-c9: 'stride_bytes' takes a dimension of its tensor, found 1}}
tile.kernel @no_dimension(%A: !tile.global<?xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "in", tile.dims = [4]}) attributes {symbols = [], checks = [{expr = ["stride_bytes", "A", 1], text = "t"}], grid = [], axes = [], threads = 128 : i64, shared_bytes = 0 : i64} {
  tile.return
}

// -----

// Tests that a grid of the device's size, which no block can compute, is refused.
// expected-error @below {{'sm_count' in 'grid' is not supported yet}}
tile.kernel @device_size() attributes {symbols = [], checks = [], grid = ["sm_count"], axes = ["x"], threads = 128 : i64, shared_bytes = 0 : i64} {
  tile.return
}
