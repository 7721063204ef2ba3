// RUN: tile-opt %s --split-input-file --verify-diagnostics

// kernel-c11: a tensor map is what the manifest needs of it.
// expected-error @below {{kernel-c11: a tensor map is {param, box, swizzle}, found {box = [128], param = 0 : i64}}}
tile.kernel @k(%A: !tile.global<?xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "in", tile.dims = ["M"]}, %s: f32 {tile.name = "s", tile.dtype = "f32"})
    attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64, tensor_maps = [{param = 0 : i64, box = [128]}]} {
  tile.return
}

// -----

// kernel-c11: it describes a tensor.
// expected-error @below {{kernel-c11: 'param' of a tensor map is a tensor argument, found 1}}
tile.kernel @k(%A: !tile.global<?xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "in", tile.dims = ["M"]}, %s: f32 {tile.name = "s", tile.dtype = "f32"})
    attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64, tensor_maps = [{param = 1 : i64, box = [4], swizzle = 0 : i64}]} {
  tile.return
}

// -----

// kernel-c11: its box is of the rank of the tensor.
// expected-error @below {{kernel-c11: 'box' has one extent for each dimension of the tensor, found [64]}}
tile.kernel @k(%A: !tile.global<?x?xbf16> {tile.name = "A", tile.dtype = "bf16", tile.access = "in", tile.dims = ["M", "N"]}, %s: f32 {tile.name = "s", tile.dtype = "f32"})
    attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64, tensor_maps = [{param = 0 : i64, box = [64], swizzle = 128 : i64}]} {
  tile.return
}

// -----

// kernel-c11: TMA moves up to 256 elements along a dimension.
// expected-error @below {{kernel-c11: an extent of 'box' is from 1 to 256, found 257}}
tile.kernel @k(%A: !tile.global<?x?xbf16> {tile.name = "A", tile.dtype = "bf16", tile.access = "in", tile.dims = ["M", "N"]}, %s: f32 {tile.name = "s", tile.dtype = "f32"})
    attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64, tensor_maps = [{param = 0 : i64, box = [257, 64], swizzle = 128 : i64}]} {
  tile.return
}

// -----

// kernel-c11: and no less than one.
// expected-error @below {{kernel-c11: an extent of 'box' is from 1 to 256, found 0}}
tile.kernel @k(%A: !tile.global<?x?xbf16> {tile.name = "A", tile.dtype = "bf16", tile.access = "in", tile.dims = ["M", "N"]}, %s: f32 {tile.name = "s", tile.dtype = "f32"})
    attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64, tensor_maps = [{param = 0 : i64, box = [64, 0], swizzle = 128 : i64}]} {
  tile.return
}

// -----

// kernel-c11: it moves rows in units of 16 bytes.
// expected-error @below {{kernel-c11: a row of 'box' is a multiple of 16 bytes, found 24}}
tile.kernel @k(%A: !tile.global<?x?xbf16> {tile.name = "A", tile.dtype = "bf16", tile.access = "in", tile.dims = ["M", "N"]}, %s: f32 {tile.name = "s", tile.dtype = "f32"})
    attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64, tensor_maps = [{param = 0 : i64, box = [64, 12], swizzle = 0 : i64}]} {
  tile.return
}

// -----

// kernel-c11: a swizzle is wide enough for a row.
// expected-error @below {{kernel-c11: a row of 'box' is 128 bytes, more than the swizzle of 64}}
tile.kernel @k(%A: !tile.global<?x?xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "in", tile.dims = ["M", "N"]}, %s: f32 {tile.name = "s", tile.dtype = "f32"})
    attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64, tensor_maps = [{param = 0 : i64, box = [64, 32], swizzle = 64 : i64}]} {
  tile.return
}

// -----

// kernel-c11: the hardware has three swizzles.
// expected-error @below {{kernel-c11: 'swizzle' is 0, 32, 64 or 128, found 256}}
tile.kernel @k(%A: !tile.global<?x?xbf16> {tile.name = "A", tile.dtype = "bf16", tile.access = "in", tile.dims = ["M", "N"]}, %s: f32 {tile.name = "s", tile.dtype = "f32"})
    attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64, tensor_maps = [{param = 0 : i64, box = [64, 64], swizzle = 256 : i64}]} {
  tile.return
}

// -----

// kernel-c11: L2 fetches a sector or more.
// expected-error @below {{kernel-c11: 'l2_promotion' is 0, 64, 128 or 256, found 32}}
tile.kernel @k(%A: !tile.global<?x?xbf16> {tile.name = "A", tile.dtype = "bf16", tile.access = "in", tile.dims = ["M", "N"]}, %s: f32 {tile.name = "s", tile.dtype = "f32"})
    attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64, tensor_maps = [{param = 0 : i64, box = [64, 64], swizzle = 128 : i64, l2_promotion = 32 : i64}]} {
  tile.return
}
