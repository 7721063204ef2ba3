// RUN: tile-opt %s --tile-share-iterations='target=sm_80' --split-input-file --verify-diagnostics | FileCheck %s

// Tests that where there are no clusters the sums meet in global memory, and the
// last block adds them in order and goes on.
// CHECK-LABEL: tile.kernel @in_last
// CHECK-SAME: blocks = ["*", 3, ["ceildiv", "M", 32]]
// CHECK-SAME: checks = [{expr = ["<=", ["*", 1, ["ceildiv", "M", 32]], 16384], text = "a grid of at most 16384 places whose blocks meet in a workspace"}]
// CHECK-NOT: cluster = 
// CHECK-SAME: tile.shares = 3 : i64
// CHECK-SAME: tile.workspace = ["+", 65536, ["*", ["*", 1, ["ceildiv", "M", 32]], 24576]]
// CHECK: %[[RANK:.+]] = tile.block_rank : i64
// CHECK: %[[R:.+]] = tile.pipelined
// CHECK: %[[W:.+]] = tile.workspace {offset = 65536 : i64, place_bytes = 24576 : i64} : <3x32x64xi32>
// CHECK: tile.store %[[R]], %[[W]][%[[RANK]], %{{.+}}, %{{.+}}]
// CHECK: %[[LAST:.+]] = tile.last_share : i1
// CHECK-NEXT: scf.if %[[LAST]] {
// CHECK: %[[X0:.+]] = tile.load %[[W]]
// CHECK: %[[X1:.+]] = tile.load %[[W]]
// CHECK: %[[X2:.+]] = tile.load %[[W]]
// CHECK: %[[S1:.+]] = arith.addi %[[X0]], %[[X1]]
// CHECK: %[[S2:.+]] = arith.addi %[[S1]], %[[X2]]
// CHECK:   tile.store %[[S2]], %arg1
// CHECK: }
// CHECK-NEXT: tile.return
tile.kernel @in_last(
    %A: !tile.global<?x?xi32> {tile.name = "A", tile.dtype = "int32", tile.access = "in", tile.dims = ["M", "K"]},
    %C: !tile.global<?x?xi32> {tile.name = "C", tile.dtype = "int32", tile.access = "out", tile.dims = ["M", 64]})
    attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "K", param = 0 : i64, dim = 1 : i64}],
                checks = [], grid = [["ceildiv", "M", 32 : i64]], axes = ["by"], threads = 128 : i64} {
  %c0 = arith.constant 0 : i64
  %k = tile.symbol "K" : i64
  %zero = arith.constant dense<0> : tensor<32x64xi32>
  %r = tile.pipelined %i = %c0 to %k step 64 iter_args(%sum = %zero) -> (tensor<32x64xi32>) {
    %x = tile.load %A[%c0, %i] : !tile.global<?x?xi32> -> tensor<32x64xi32>
    %s = arith.addi %sum, %x : tensor<32x64xi32>
    tile.yield %s : tensor<32x64xi32>
  } {tile.split = 3 : i64}
  tile.store %r, %C[%c0, %c0] : tensor<32x64xi32>, !tile.global<?x?xi32>
  tile.return
}

// -----

// Tests that many sums are added some at a time, first those that are left over.
// CHECK-LABEL: tile.kernel @many
// CHECK: %[[W:.+]] = tile.workspace {{.*}} : <11x32x64xf32>
// CHECK: scf.if
// CHECK-COUNT-2: tile.load %[[W]]
// CHECK: %[[FIRST:.+]] = arith.addf
// CHECK: %[[ALL:.+]] = scf.for %[[RANK:.+]] = %{{.+}} to %{{.+}} step %{{.+}} iter_args(%[[SUM:.+]] = %[[FIRST]]) -> (tensor<32x64xf32>)
// CHECK-COUNT-3: tile.load %[[W]]
// CHECK: %[[A:.+]] = arith.addf %[[SUM]], %{{.+}}
// CHECK: %[[B:.+]] = arith.addf %[[A]], %{{.+}}
// CHECK: %[[C:.+]] = arith.addf %[[B]], %{{.+}}
// CHECK: scf.yield %[[C]]
// CHECK: tile.store %[[ALL]], %arg1
tile.kernel @many(
    %A: !tile.global<?x?xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "in", tile.dims = ["M", "K"]},
    %C: !tile.global<?x?xf32> {tile.name = "C", tile.dtype = "f32", tile.access = "out", tile.dims = ["M", 64]})
    attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "K", param = 0 : i64, dim = 1 : i64}],
                checks = [], grid = [], axes = [], threads = 128 : i64} {
  %c0 = arith.constant 0 : i64
  %k = tile.symbol "K" : i64
  %zero = arith.constant dense<0.0> : tensor<32x64xf32>
  %r = tile.pipelined %i = %c0 to %k step 64 iter_args(%sum = %zero) -> (tensor<32x64xf32>) {
    %x = tile.load %A[%c0, %i] : !tile.global<?x?xf32> -> tensor<32x64xf32>
    %s = arith.addf %sum, %x : tensor<32x64xf32>
    tile.yield %s : tensor<32x64xf32>
  } {tile.split = 11 : i64}
  tile.store %r, %C[%c0, %c0] : tensor<32x64xf32>, !tile.global<?x?xf32>
  tile.return
}

// -----

// Tests that a branch in which blocks part is refused where others follow.
tile.kernel @inside_if(
    %A: !tile.global<?xi32> {tile.name = "A", tile.dtype = "int32", tile.access = "inout", tile.dims = ["M"]},
    %n: i64 {tile.name = "n", tile.dtype = "int64"})
    attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %c0 = arith.constant 0 : i64
  %m = tile.symbol "M" : i64
  %is = arith.cmpi eq, %n, %c0 : i64
  %zero = arith.constant dense<0> : tensor<64xi32>
  scf.if %is {
    // expected-error @below {{'split' = 2 cannot be honoured: a loop inside an 'if' that other statements follow is not supported yet where blocks are no cluster}}
    %r = tile.pipelined %i = %c0 to %m step 64 iter_args(%sum = %zero) -> (tensor<64xi32>) {
      %x = tile.load %A[%i] : !tile.global<?xi32> -> tensor<64xi32>
      %s = arith.addi %sum, %x : tensor<64xi32>
      tile.yield %s : tensor<64xi32>
    } {tile.split = 2 : i64}
    tile.store %r, %A[%c0] : tensor<64xi32>, !tile.global<?xi32>
  }
  tile.store %zero, %A[%c0] : tensor<64xi32>, !tile.global<?xi32>
  tile.return
}
