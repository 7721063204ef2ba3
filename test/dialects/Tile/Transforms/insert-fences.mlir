// RUN: tile-opt %s --tile-insert-fences --split-input-file | FileCheck %s

// Tests that what threads wrote is shown to TMA in front of the barrier behind
// which one of them starts the store.
// CHECK-LABEL: @store
// CHECK: tile.store
// CHECK-NEXT: tile.fence
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.tma_copy
// CHECK-NOT: tile.fence
tile.kernel @store(%C: !tile.global<?x?xf32> {tile.name = "C", tile.dtype = "f32", tile.access = "out", tile.dims = ["M", "N"]}) attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "N", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %t = tile.alloc_shared : !tile.shared<16x8xf32>
  %c0 = arith.constant 0 : i64
  %x = arith.constant dense<1.0> : tensor<16x8xf32>
  tile.store %x, %t : tensor<16x8xf32>, !tile.shared<16x8xf32>
  tile.barrier
  tile.tma_copy %t to %C[%c0, %c0] : !tile.shared<16x8xf32>, !tile.global<?x?xf32>
  tile.commit_group
  tile.wait_group 0
  tile.barrier
  tile.return
}

// -----

// Tests that a tile that only threads use needs none, nor does one that is only
// read.
// CHECK-LABEL: @other_tiles
// CHECK-NOT: tile.fence
// CHECK: tile.return
tile.kernel @other_tiles(%A: !tile.global<?x?xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "in", tile.dims = ["M", "N"]}) attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "N", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %t = tile.alloc_shared : !tile.shared<16x8xf32>
  %s = tile.alloc_shared : !tile.shared<16x8xf32>
  %b = tile.barrier_alloc count 1 : !tile.barrier<1>
  %c0 = arith.constant 0 : i64
  tile.tma_copy %A[%c0, %c0] to %s barrier %b : !tile.global<?x?xf32>, !tile.shared<16x8xf32>, !tile.barrier<1>
  tile.wait %b, %c0 : !tile.barrier<1>
  %x = tile.load %s : !tile.shared<16x8xf32> -> tensor<16x8xf32>
  tile.store %x, %t : tensor<16x8xf32>, !tile.shared<16x8xf32>
  tile.barrier
  %y = tile.load %t : !tile.shared<16x8xf32> -> tensor<16x8xf32>
  tile.return
}

// -----

// Tests that a write at the end of an iteration meets the barrier of the next
// one, that a fence that is there is enough, and that an arrival without a
// barrier shows what was written too.
// CHECK-LABEL: @round_the_loop
// CHECK: scf.for
// CHECK-NEXT: tile.fence
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.tma_copy
// CHECK-NEXT: tile.store
// CHECK-NEXT: }
// CHECK-NEXT: tile.fence
// CHECK-NEXT: tile.arrive
// CHECK-NEXT: tile.store
// CHECK-NEXT: tile.fence
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.return
tile.kernel @round_the_loop(%C: !tile.global<?x?xf32> {tile.name = "C", tile.dtype = "f32", tile.access = "out", tile.dims = ["M", "N"]}) attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "N", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %t = tile.alloc_shared : !tile.shared<16x8xf32>
  %b = tile.barrier_alloc count 1 : !tile.barrier<1>
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c4 = arith.constant 4 : i64
  %x = arith.constant dense<1.0> : tensor<16x8xf32>
  scf.for %i = %c0 to %c4 step %c1 : i64 {
    tile.barrier
    tile.tma_copy %t to %C[%c0, %c0] : !tile.shared<16x8xf32>, !tile.global<?x?xf32>
    tile.store %x, %t : tensor<16x8xf32>, !tile.shared<16x8xf32>
  }
  tile.arrive %b {per_warpgroup} : !tile.barrier<1>
  tile.store %x, %t : tensor<16x8xf32>, !tile.shared<16x8xf32>
  tile.fence
  tile.barrier
  tile.return
}

// -----

// Tests that an asynchronous copy of threads has written where it was waited
// for.
// CHECK-LABEL: @async_copy
// CHECK: tile.async_copy
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.wait_group
// CHECK-NEXT: tile.fence
// CHECK-NEXT: tile.barrier
tile.kernel @async_copy(%C: !tile.global<?x?xf32> {tile.name = "C", tile.dtype = "f32", tile.access = "inout", tile.dims = ["M", "N"]}) attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "N", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %t = tile.alloc_shared : !tile.shared<16x8xf32>
  %c0 = arith.constant 0 : i64
  tile.async_copy %C[%c0, %c0] to %t : !tile.global<?x?xf32>, !tile.shared<16x8xf32>
  tile.barrier
  tile.wait_group 0
  tile.barrier
  tile.tma_copy %t to %C[%c0, %c0] : !tile.shared<16x8xf32>, !tile.global<?x?xf32>
  tile.return
}

// -----

// Tests that what was written to a tensor is shown to TMA too, if it may be
// what that reads; an arrival of a warpgroup does not.
// CHECK-LABEL: @tensors
// CHECK: tile.store
// CHECK-NEXT: tile.arrive
// CHECK-NEXT: tile.fence {tensors}
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.tma_copy
// CHECK-NEXT: tile.store
// CHECK-NEXT: tile.barrier
tile.kernel @tensors(%A: !tile.global<?x?xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "in", tile.dims = ["M", "N"]}, %C: !tile.global<?x?xf32> {tile.name = "C", tile.dtype = "f32", tile.access = "out", tile.dims = ["M", "N"]}, %D: !tile.global<?x?xf32> {tile.name = "D", tile.dtype = "f32", tile.access = "out", tile.dims = ["M", "N"], tile.noalias})
   attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "N", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %s = tile.alloc_shared : !tile.shared<16x8xf32>
  %b = tile.barrier_alloc count 1 : !tile.barrier<1>
  %c0 = arith.constant 0 : i64
  %x = arith.constant dense<1.0> : tensor<16x8xf32>
  tile.store %x, %C[%c0, %c0] : tensor<16x8xf32>, !tile.global<?x?xf32>
  tile.arrive %b {per_warpgroup} : !tile.barrier<1>
  tile.barrier
  tile.tma_copy %A[%c0, %c0] to %s barrier %b : !tile.global<?x?xf32>, !tile.shared<16x8xf32>, !tile.barrier<1>
  tile.store %x, %D[%c0, %c0] : tensor<16x8xf32>, !tile.global<?x?xf32>
  tile.barrier
  tile.return
}

// -----

// Tests that one fence in front of the last barrier serves the writes in front of
// all, unless something asynchronous happens between them.
// CHECK-LABEL: @two_barriers
// CHECK: tile.store
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.store
// CHECK-NEXT: tile.fence
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.tma_copy
// CHECK: tile.store
// CHECK-NEXT: tile.fence
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.tma_copy
// CHECK-NEXT: tile.store
// CHECK-NEXT: tile.fence
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.tma_copy
tile.kernel @two_barriers(%C: !tile.global<?x?xf32> {tile.name = "C", tile.dtype = "f32", tile.access = "out", tile.dims = ["M", "N"]}) attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "N", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %t = tile.alloc_shared : !tile.shared<16x8xf32>
  %u = tile.alloc_shared : !tile.shared<16x8xf32>
  %c0 = arith.constant 0 : i64
  %x = arith.constant dense<1.0> : tensor<16x8xf32>
  tile.store %x, %t : tensor<16x8xf32>, !tile.shared<16x8xf32>
  tile.barrier
  tile.store %x, %u : tensor<16x8xf32>, !tile.shared<16x8xf32>
  tile.barrier
  tile.tma_copy %t to %C[%c0, %c0] : !tile.shared<16x8xf32>, !tile.global<?x?xf32>
  tile.commit_group
  tile.wait_group 0
  tile.store %x, %t : tensor<16x8xf32>, !tile.shared<16x8xf32>
  tile.barrier
  tile.tma_copy %t to %C[%c0, %c0] : !tile.shared<16x8xf32>, !tile.global<?x?xf32>
  tile.store %x, %u : tensor<16x8xf32>, !tile.shared<16x8xf32>
  tile.barrier
  tile.tma_copy %u to %C[%c0, %c0] : !tile.shared<16x8xf32>, !tile.global<?x?xf32>
  tile.return
}
