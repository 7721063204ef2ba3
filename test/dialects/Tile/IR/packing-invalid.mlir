// RUN: tile-opt %s --split-input-file --verify-diagnostics

// kernel-c12: what the source says of a packed tensor is all there.
// expected-error @below {{kernel-c12: 'tile.packing' of argument 0 is {along, dims, order, pack}, found {dims = ["N", "K"], pack = -1 : i64}}}
tile.kernel @k(%A: !tile.global<?x?x128xi8> {tile.name = "A", tile.dtype = "int8", tile.access = "in", tile.dims = ["N", "K", 128], tile.packing = {dims = ["N", "K"], pack = -1 : i64}})
    attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  tile.return
}

// -----

// kernel-c12: a tensor has the dimensions of its tiles at least.
// expected-error @below {{kernel-c12: 'tile.packing' of argument 0 is {along, dims, order, pack}}}
tile.kernel @k(%A: !tile.global<?x?x128xi8> {tile.name = "A", tile.dtype = "int8", tile.access = "in", tile.dims = ["N", "K", 128],
                                             tile.packing = {along = 1, order = #tile.packed_order<"4x8 bits=8 order=[[0,1,4],[1,1,8]]">, dims = ["N"], pack = -1 : i64}})
    attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  tile.return
}

// -----

// kernel-c1: the extents of the source are expressions.
// expected-error @below {{kernel-c1: an expression is an integer, a string or [operator, operand...], found 1.000000e+00 : f64}}
tile.kernel @k(%A: !tile.global<?x?x128xi8> {tile.name = "A", tile.dtype = "int8", tile.access = "in", tile.dims = ["N", "K", 128],
                                             tile.packing = {along = 1, order = #tile.packed_order<"4x8 bits=8 order=[[0,1,4],[1,1,8]]">, dims = ["N", 1.0], pack = -1 : i64}})
    attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  tile.return
}

// -----

// kernel-c12: tiles are neighbours along a dimension that they have.
// expected-error @below {{kernel-c12: 'tile.packing' of argument 0 is {along, dims, order, pack}}}
tile.kernel @k(%A: !tile.global<?x?x128xi8> {tile.name = "A", tile.dtype = "int8", tile.access = "in", tile.dims = ["N", "K", 128],
                                             tile.packing = {along = 2, order = #tile.packed_order<"4x8 bits=8 order=[[0,1,4],[1,1,8]]">, dims = ["N", "K"], pack = -1 : i64}})
    attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  tile.return
}
