// RUN: tile-opt %s --tile-assign-tensor-maps --split-input-file --verify-diagnostics | FileCheck %s

// Tests that copies of equal boxes of one tensor share a map, that a dimension
// that the tile has not counts 1, and that a map that is there stays.
// CHECK-LABEL: tile.kernel @shared
// CHECK-SAME: tensor_maps = [{box = [1, 16, 64], param = 0 : i64, swizzle = 128 : i64}, {box = [1, 1, 64], param = 0 : i64, swizzle = 128 : i64}, {box = [1, 16, 64], param = 1 : i64, swizzle = 128 : i64}]
// CHECK: tile.tma_copy {{.*}} {map = 1 : i64}
// CHECK: tile.tma_copy {{.*}} {map = 0 : i64}
// CHECK: tile.tma_copy {{.*}} {map = 2 : i64}
// CHECK: tile.tma_copy {{.*}} {map = 0 : i64}
#swizzle = #tile.shared_layout<swizzle = [3, 4, 3]>
tile.kernel @shared(%A: !tile.global<?x?x?xbf16> {tile.name = "A", tile.dtype = "bf16", tile.access = "in", tile.dims = ["B", "M", "N"]}, %C: !tile.global<?x?x?xbf16> {tile.name = "C", tile.dtype = "bf16", tile.access = "out", tile.dims = ["B", "M", "N"]})
   attributes {symbols = [{name = "B", param = 0 : i64, dim = 0 : i64}, {name = "M", param = 0 : i64, dim = 1 : i64}, {name = "N", param = 0 : i64, dim = 2 : i64}], checks = [], grid = [], axes = [], threads = 128 : i64,
               tensor_maps = [{param = 0 : i64, box = [1, 16, 64], swizzle = 128 : i64}]} {
  %s = tile.alloc_shared "s" : !tile.shared<16x64xbf16, #swizzle>
  %row = tile.alloc_shared "row" : !tile.shared<64xbf16, #swizzle>
  %b = tile.barrier_alloc "b" count 1 : !tile.barrier<1>
  %c0 = arith.constant 0 : i64
  %c8 = arith.constant 8 : i64
  tile.tma_copy %A[%c0, %c0, %c0] to %row barrier %b : !tile.global<?x?x?xbf16>, !tile.shared<64xbf16, #swizzle>, !tile.barrier<1>
  tile.tma_copy %A[%c0, %c0, %c8] to %s barrier %b {map = 0 : i64} : !tile.global<?x?x?xbf16>, !tile.shared<16x64xbf16, #swizzle>, !tile.barrier<1>
  tile.tma_copy %s to %C[%c0, %c0, %c8] : !tile.shared<16x64xbf16, #swizzle>, !tile.global<?x?x?xbf16>
  tile.tma_copy %A[%c8, %c8, %c8] to %s barrier %b : !tile.global<?x?x?xbf16>, !tile.shared<16x64xbf16, #swizzle>, !tile.barrier<1>
  tile.return
}

// -----

tile.kernel @narrowed(%A: !tile.global<?xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "in", tile.dims = ["N"]}, %n: i64 {tile.name = "n", tile.dtype = "int64"})
   attributes {symbols = [{name = "N", param = 0 : i64, dim = 0 : i64}], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %s = tile.alloc_shared "s" : !tile.shared<64xf32>
  %b = tile.barrier_alloc "b" count 1 : !tile.barrier<1>
  %c0 = arith.constant 0 : i64
  %v = tile.view %A[%c0] sizes [%n] : !tile.global<?xf32> -> !tile.global<?xf32>
  // expected-error @+1 {{this 'tma_copy' cannot be done: the tensor is narrowed to a part with bounds of its own, and TMA knows the bounds of whole tensors only}}
  tile.tma_copy %v[%c0] to %s barrier %b : !tile.global<?xf32>, !tile.shared<64xf32>, !tile.barrier<1>
  tile.return
}
