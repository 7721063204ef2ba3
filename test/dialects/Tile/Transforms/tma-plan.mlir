// RUN: tile-opt %s --tile-assign-tensor-maps --split-input-file --verify-diagnostics | FileCheck %s

// Tests that a dimension that a view drops is one more coordinate, and that
// 4-bit elements are counted in bytes.
// CHECK-LABEL: tile.kernel @packed
// CHECK-SAME: tensor_maps = [{box = [8, 1, 32], param = 0 : i64, swizzle = 0 : i64}]
tile.kernel @packed(%A: !tile.global<?x?x?xi4, pack = 2> {tile.name = "A", tile.dtype = "int4", tile.access = "in", tile.dims = ["B", "M", "N"]}, %i: i64 {tile.name = "i", tile.dtype = "int64"})
   attributes {symbols = [{name = "B", param = 0 : i64, dim = 0 : i64}, {name = "M", param = 0 : i64, dim = 1 : i64}, {name = "N", param = 0 : i64, dim = 2 : i64}], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %s = tile.alloc_shared "s" : !tile.shared<8x64xi4, pack = 1>
  %b = tile.barrier_alloc "b" count 1 : !tile.barrier<1>
  %c0 = arith.constant 0 : i64
  %c2 = arith.constant 2 : i64
  %B = tile.symbol "B" : i64
  %N = tile.symbol "N" : i64
  %v = tile.view %A[%c0, %i, %c0] sizes [%B, %N] {kept = array<i64: 0, 2>} : !tile.global<?x?x?xi4, pack = 2> -> !tile.global<?x?xi4, pack = 1>
  tile.tma_copy %v[%c0, %c2] to %s barrier %b : !tile.global<?x?xi4, pack = 1>, !tile.shared<8x64xi4, pack = 1>, !tile.barrier<1>
  tile.return
}

// -----

tile.kernel @too_long(%A: !tile.global<?xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "in", tile.dims = ["N"]})
   attributes {symbols = [{name = "N", param = 0 : i64, dim = 0 : i64}], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %s = tile.alloc_shared "s" : !tile.shared<320xf32>
  %b = tile.barrier_alloc "b" count 1 : !tile.barrier<1>
  %c0 = arith.constant 0 : i64
  // expected-error @+1 {{this 'tma_copy' cannot be done: TMA moves at most 256 elements along a dimension, and the box has 320}}
  tile.tma_copy %A[%c0] to %s barrier %b : !tile.global<?xf32>, !tile.shared<320xf32>, !tile.barrier<1>
  tile.return
}

// -----

tile.kernel @narrow_rows(%A: !tile.global<?x?xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "in", tile.dims = ["M", "N"]})
   attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "N", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %s = tile.alloc_shared "s" : !tile.shared<32x3xf32>
  %b = tile.barrier_alloc "b" count 1 : !tile.barrier<1>
  %c0 = arith.constant 0 : i64
  // expected-error @+1 {{this 'tma_copy' cannot be done: TMA moves rows of a multiple of 16 bytes, and those of the box are 12}}
  tile.tma_copy %A[%c0, %c0] to %s barrier %b : !tile.global<?x?xf32>, !tile.shared<32x3xf32>, !tile.barrier<1>
  tile.return
}

// -----

tile.kernel @padded(%A: !tile.global<?x?xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "in", tile.dims = ["M", "N"]})
   attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "N", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %s = tile.alloc_shared "s" : !tile.shared<32x32xf32, #tile.shared_layout<swizzle = [0, 4, 3], padding = 16>>
  %b = tile.barrier_alloc "b" count 1 : !tile.barrier<1>
  %c0 = arith.constant 0 : i64
  // expected-error @+1 {{this 'tma_copy' cannot be done: the rows of the tile are 144 bytes apart, and TMA moves rows without gaps}}
  tile.tma_copy %A[%c0, %c0] to %s barrier %b : !tile.global<?x?xf32>, !tile.shared<32x32xf32, #tile.shared_layout<swizzle = [0, 4, 3], padding = 16>>, !tile.barrier<1>
  tile.return
}

// -----

tile.kernel @wide_rows(%A: !tile.global<?x?xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "in", tile.dims = ["M", "N"]})
   attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "N", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %s = tile.alloc_shared "s" : !tile.shared<32x32xf32, #tile.shared_layout<swizzle = [1, 4, 3]>>
  %b = tile.barrier_alloc "b" count 1 : !tile.barrier<1>
  %c0 = arith.constant 0 : i64
  // expected-error @+1 {{this 'tma_copy' cannot be done: rows of the tile are 128 bytes and its swizzle spans 32}}
  tile.tma_copy %A[%c0, %c0] to %s barrier %b : !tile.global<?x?xf32>, !tile.shared<32x32xf32, #tile.shared_layout<swizzle = [1, 4, 3]>>, !tile.barrier<1>
  tile.return
}

// -----

tile.kernel @strange_swizzle(%A: !tile.global<?x?xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "in", tile.dims = ["M", "N"]})
   attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "N", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %s = tile.alloc_shared "s" : !tile.shared<32x32xf32, #tile.shared_layout<swizzle = [2, 4, 4]>>
  %b = tile.barrier_alloc "b" count 1 : !tile.barrier<1>
  %c0 = arith.constant 0 : i64
  // expected-error @+1 {{this 'tma_copy' cannot be done: the tile has a swizzle that TMA does not know}}
  tile.tma_copy %A[%c0, %c0] to %s barrier %b : !tile.global<?x?xf32>, !tile.shared<32x32xf32, #tile.shared_layout<swizzle = [2, 4, 4]>>, !tile.barrier<1>
  tile.return
}

// -----

tile.kernel @odd_start(%A: !tile.global<?xi4, pack = 0> {tile.name = "A", tile.dtype = "int4", tile.access = "in", tile.dims = ["N"]}, %i: i64 {tile.name = "i", tile.dtype = "int64"})
   attributes {symbols = [{name = "N", param = 0 : i64, dim = 0 : i64}], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %s = tile.alloc_shared "s" : !tile.shared<64xi4, pack = 0>
  %b = tile.barrier_alloc "b" count 1 : !tile.barrier<1>
  // expected-error @+1 {{this 'tma_copy' cannot be done: TMA moves whole bytes, and the copy is not known to start and end with one along the packed dimension}}
  tile.tma_copy %A[%i] to %s barrier %b : !tile.global<?xi4, pack = 0>, !tile.shared<64xi4, pack = 0>, !tile.barrier<1>
  tile.return
}

// -----

tile.kernel @unlike_packing(%A: !tile.global<?x?xi4, pack = 0> {tile.name = "A", tile.dtype = "int4", tile.access = "in", tile.dims = ["M", "N"]})
   attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "N", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %s = tile.alloc_shared "s" : !tile.shared<32x32xi4, pack = 1>
  %b = tile.barrier_alloc "b" count 1 : !tile.barrier<1>
  %c0 = arith.constant 0 : i64
  // expected-error @+1 {{this 'tma_copy' cannot be done: the tile and the tensor pack their elements along different dimensions}}
  tile.tma_copy %A[%c0, %c0] to %s barrier %b : !tile.global<?x?xi4, pack = 0>, !tile.shared<32x32xi4, pack = 1>, !tile.barrier<1>
  tile.return
}

// -----

tile.kernel @unknown_place(%A: !tile.global<?x?xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "in", tile.dims = ["M", "N"]}, %i: i64 {tile.name = "i", tile.dtype = "int64"})
   attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "N", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %s = tile.alloc_shared "s" : !tile.shared<32x16xf32>
  %b = tile.barrier_alloc "b" count 1 : !tile.barrier<1>
  %c0 = arith.constant 0 : i64
  %p = tile.slice %s[%i, %c0] : !tile.shared<32x16xf32> -> !tile.shared<8x16xf32>
  // expected-error @+1 {{this 'tma_copy' cannot be done: the part of the tile is not known to start at a multiple of 128 bytes}}
  tile.tma_copy %A[%c0, %c0] to %p barrier %b : !tile.global<?x?xf32>, !tile.shared<8x16xf32>, !tile.barrier<1>
  tile.return
}
