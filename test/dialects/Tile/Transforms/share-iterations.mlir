// RUN: tile-opt %s --tile-share-iterations='target=sm_90a' --split-input-file | FileCheck %s

// Tests that two blocks run half of the iterations each, one more in the first
// if they are odd, send each other rows of sums, and finish half of them; what
// that reads is read first.
// CHECK-LABEL: tile.kernel @in_parts
// CHECK-SAME: blocks = ["*", 2, ["ceildiv", "N", 64]]
// CHECK-SAME: cluster = 2 : i64
// CHECK-SAME: tile.shares = 2 : i64
// CHECK: %[[SHARE:.+]] = tile.block_rank : i64
// CHECK: %[[EACH:.+]] = arith.divui %[[STEPS:.+]], %{{.+}} : i64
// CHECK: %[[EXTRA:.+]] = arith.remui %[[STEPS]], %{{.+}} : i64
// CHECK: %[[WHOLE:.+]] = arith.muli %[[SHARE]], %[[EACH]] : i64
// CHECK: %[[MORE:.+]] = arith.minui %[[SHARE]], %[[EXTRA]] : i64
// CHECK: %[[BEGIN:.+]] = arith.addi %[[WHOLE]], %[[MORE]] : i64
// CHECK: %[[INBOX:.+]] = tile.alloc_shared "sums" {tile.handed_over} : <1x16x64xf32>
// CHECK: %[[SENT:.+]] = tile.barrier_alloc "sent" count 1 : <1>
// CHECK: %[[BYTES:.+]] = arith.constant 4096 : i64
// CHECK: tile.expect %[[SENT]], %[[BYTES]]
// CHECK: %[[BIAS:.+]] = tile.load %arg3[%{{.+}}] : !tile.global<?xf32> -> tensor<64xf32>
// CHECK: %[[R:.+]] = tile.pipelined %{{.+}} = %[[FROM:.+]] to %[[TO:.+]] step 1 iter_args(%{{.+}} = %{{.+}}) -> (tensor<32x64xf32>) stages(3) {
// CHECK: tile.barrier
// CHECK-NEXT: tile.send %[[R]] to %[[INBOX]], %[[SENT]]
// CHECK: %[[OWN:.+]] = tile.alloc_shared "sums" : <32x64xf32>
// CHECK: tile.store %[[R]], %[[OWN]]
// CHECK: tile.wait %[[SENT]], %{{.+}}
// CHECK: %[[S0:.+]] = tile.slice %[[OWN]][%{{.+}}, %{{.+}}] : <32x64xf32> -> <16x64xf32>
// CHECK: %[[X0:.+]] = tile.load %[[S0]]
// CHECK: %[[S1:.+]] = tile.stage %[[INBOX]][%{{.+}}] offset 0 {in_range} : <1x16x64xf32> -> <16x64xf32>
// CHECK: %[[X1:.+]] = tile.load %[[S1]]
// CHECK: %[[SUM:.+]] = arith.addf %[[X0]], %[[X1]] : tensor<16x64xf32>
// CHECK: %[[SPREAD:.+]] = tile.reindex %[[BIAS]] by #{{.+}} : tensor<64xf32> -> tensor<16x64xf32>
// CHECK: %[[END:.+]] = arith.addf %[[SUM]], %[[SPREAD]] : tensor<16x64xf32>
// CHECK-NOT: tile.cluster_arrive
// CHECK: tile.store %[[END]], %arg2[%{{.+}}, %{{.+}}] : tensor<16x64xf32>, !tile.global<?x?xf32>
// CHECK-NOT: tile.cluster_arrive
// CHECK-NOT: tile.store
// CHECK: tile.return
tile.kernel @in_parts(
    %A: !tile.global<?x?xf16> {tile.name = "A", tile.dtype = "f16", tile.access = "in", tile.dims = ["M", "K"]},
    %B: !tile.global<?x?xf16> {tile.name = "B", tile.dtype = "f16", tile.access = "in", tile.dims = ["N", "K"]},
    %C: !tile.global<?x?xf32> {tile.name = "C", tile.dtype = "f32", tile.access = "out", tile.dims = ["M", "N"]},
    %bias: !tile.global<?xf32> {tile.name = "bias", tile.dtype = "f32", tile.access = "in", tile.dims = ["N"]})
    attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "K", param = 0 : i64, dim = 1 : i64}, {name = "N", param = 1 : i64, dim = 0 : i64}],
                checks = [], grid = [["ceildiv", "N", 64 : i64]], axes = ["bx"], threads = 256 : i64} {
  %as = tile.alloc_shared "As" : !tile.shared<32x32xf16>
  %bs = tile.alloc_shared "Bs" : !tile.shared<64x32xf16>
  %c0 = arith.constant 0 : i64
  %c32 = arith.constant 32 : i64
  %k = tile.symbol "K" : i64
  %n = arith.ceildivsi %k, %c32 : i64
  %bx = tile.block_id 0 : i64
  %zero = arith.constant dense<0.0> : tensor<32x64xf32>
  %r = tile.pipelined %i = %c0 to %n step 1 iter_args(%acc = %zero) -> (tensor<32x64xf32>) stages(3) {
    %at = arith.muli %i, %c32 : i64
    tile.copy %A[%c0, %at] to %as : !tile.global<?x?xf16>, !tile.shared<32x32xf16>
    tile.copy %B[%bx, %at] to %bs : !tile.global<?x?xf16>, !tile.shared<64x32xf16>
    %s = tile.gemm %as, %bs, %acc {transpose_b} : !tile.shared<32x32xf16>, !tile.shared<64x32xf16>, tensor<32x64xf32>
    tile.yield %s : tensor<32x64xf32>
  } {tile.split = 2 : i64}
  %b = tile.load %bias[%bx] : !tile.global<?xf32> -> tensor<64xf32>
  %t = tile.reindex %b by affine_map<(d0, d1) -> (d1)> : tensor<64xf32> -> tensor<32x64xf32>
  %u = arith.addf %r, %t : tensor<32x64xf32>
  tile.store %u, %C[%c0, %bx] : tensor<32x64xf32>, !tile.global<?x?xf32>
  tile.return
}

// -----

// Tests that three blocks show their sums, and finish a third of the columns,
// where rows have no thirds.
// CHECK-LABEL: tile.kernel @in_columns
// CHECK-SAME: tile.shares = 3 : i64
// CHECK: %[[R:.+]] = tile.pipelined %{{.+}} = %[[FROM:.+]] to %[[TO:.+]] step 1 iter_args(%{{.+}} = %{{.+}}) -> (tensor<32x96xf32>) stages(3) {
// CHECK: %[[SUMS:.+]] = tile.alloc_shared "sums" : <32x96xf32>
// CHECK: tile.store %[[R]], %[[SUMS]]
// CHECK-NEXT: tile.cluster_arrive
// CHECK-NEXT: tile.cluster_wait
// CHECK: %[[P0:.+]] = tile.peer %[[SUMS]] {rank = 0 : i64}
// CHECK: %[[S0:.+]] = tile.slice %[[P0]][%{{.+}}, %[[COLUMN:.+]]] : <32x96xf32> -> <32x32xf32>
// CHECK: %[[X0:.+]] = tile.load %[[S0]]
// CHECK: %[[P1:.+]] = tile.peer %[[SUMS]] {rank = 1 : i64}
// CHECK: %[[S1:.+]] = tile.slice %[[P1]][%{{.+}}, %[[COLUMN]]]
// CHECK: %[[X1:.+]] = tile.load %[[S1]]
// CHECK: tile.peer %[[SUMS]] {rank = 2 : i64}
// CHECK: %[[SOME:.+]] = arith.addf %[[X0]], %[[X1]] : tensor<32x32xf32>
// CHECK: %[[SUM:.+]] = arith.addf %[[SOME]], %{{.+}} : tensor<32x32xf32>
// CHECK: %[[BIAS:.+]] = tile.load %arg3[%{{.+}}] : !tile.global<?xf32> -> tensor<32xf32>
// CHECK: %[[SPREAD:.+]] = tile.reindex %[[BIAS]] by #{{.+}} : tensor<32xf32> -> tensor<32x32xf32>
// CHECK: %[[END:.+]] = arith.addf %[[SUM]], %[[SPREAD]] : tensor<32x32xf32>
// CHECK: tile.cluster_arrive
// CHECK-NEXT: tile.cluster_wait
// CHECK: tile.store %[[END]], %arg2[%{{.+}}, %{{.+}}] : tensor<32x32xf32>, !tile.global<?x?xf32>
// CHECK-NEXT: tile.cluster_arrive {after_reads}
// CHECK-NEXT: tile.cluster_wait for %[[SUMS]]
// CHECK-NOT: tile.store
// CHECK: tile.return
tile.kernel @in_columns(
    %A: !tile.global<?x?xf16> {tile.name = "A", tile.dtype = "f16", tile.access = "in", tile.dims = ["M", "K"]},
    %B: !tile.global<?x?xf16> {tile.name = "B", tile.dtype = "f16", tile.access = "in", tile.dims = ["N", "K"]},
    %C: !tile.global<?x?xf32> {tile.name = "C", tile.dtype = "f32", tile.access = "out", tile.dims = ["M", "N"]},
    %bias: !tile.global<?xf32> {tile.name = "bias", tile.dtype = "f32", tile.access = "in", tile.dims = ["N"]})
    attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "K", param = 0 : i64, dim = 1 : i64}, {name = "N", param = 1 : i64, dim = 0 : i64}],
                checks = [], grid = [["ceildiv", "N", 96 : i64]], axes = ["bx"], threads = 128 : i64} {
  %as = tile.alloc_shared "As" : !tile.shared<32x32xf16>
  %bs = tile.alloc_shared "Bs" : !tile.shared<96x32xf16>
  %c0 = arith.constant 0 : i64
  %c32 = arith.constant 32 : i64
  %k = tile.symbol "K" : i64
  %n = arith.ceildivsi %k, %c32 : i64
  %bx = tile.block_id 0 : i64
  %zero = arith.constant dense<0.0> : tensor<32x96xf32>
  %r = tile.pipelined %i = %c0 to %n step 1 iter_args(%acc = %zero) -> (tensor<32x96xf32>) stages(3) {
    %at = arith.muli %i, %c32 : i64
    tile.copy %A[%c0, %at] to %as : !tile.global<?x?xf16>, !tile.shared<32x32xf16>
    tile.copy %B[%bx, %at] to %bs : !tile.global<?x?xf16>, !tile.shared<96x32xf16>
    %s = tile.gemm %as, %bs, %acc {transpose_b} : !tile.shared<32x32xf16>, !tile.shared<96x32xf16>, tensor<32x96xf32>
    tile.yield %s : tensor<32x96xf32>
  } {tile.split = 3 : i64}
  %b = tile.load %bias[%bx] : !tile.global<?xf32> -> tensor<96xf32>
  %t = tile.reindex %b by affine_map<(d0, d1) -> (d1)> : tensor<96xf32> -> tensor<32x96xf32>
  %u = arith.addf %r, %t : tensor<32x96xf32>
  tile.store %u, %C[%c0, %bx] : tensor<32x96xf32>, !tile.global<?x?xf32>
  tile.return
}

// -----

// Tests that the first block goes on alone where what follows needs all of the
// result, that others begin with what changes no sum, and that what nobody
// splits stays as it is.
// CHECK-LABEL: tile.kernel @in_first
// CHECK: %[[SHARE:.+]] = tile.block_rank : i64
// CHECK: %[[FIRST:.+]] = arith.cmpi eq, %[[SHARE]], %{{.+}} : i64
// CHECK: %[[INIT:.+]] = scf.if %[[FIRST]] -> (tensor<32x64xi32>) {
// CHECK:   scf.yield %{{.+}} : tensor<32x64xi32>
// CHECK: } else {
// CHECK:   %[[ZERO:.+]] = arith.constant dense<0> : tensor<32x64xi32>
// CHECK:   scf.yield %[[ZERO]]
// CHECK: %[[R:.+]] = tile.pipelined {{.*}} iter_args(%{{.+}} = %[[INIT]])
// CHECK: tile.store %[[R]], %[[SUMS:.+]] :
// CHECK-NEXT: tile.cluster_arrive
// CHECK-NEXT: tile.cluster_wait
// CHECK-NEXT: %[[ALL:.+]] = scf.if %[[FIRST]]
// CHECK:   %[[PEER:.+]] = tile.peer %[[SUMS]] {rank = 1 : i64}
// CHECK:   %[[X:.+]] = tile.load %[[PEER]]
// CHECK:   %[[SUM:.+]] = arith.addi %[[R]], %[[X]]
// CHECK:   scf.yield %[[SUM]]
// CHECK: tile.cluster_arrive {after_reads}
// CHECK-NEXT: tile.cluster_wait for %[[SUMS]]
// CHECK-NEXT: scf.if %[[FIRST]] {
// CHECK:   %[[TOP:.+]] = tile.reduce max %[[ALL]]
// CHECK:   tile.store %[[TOP]], %arg1
// CHECK: }
// CHECK-NEXT: tile.return
// CHECK-LABEL: tile.kernel @alone
// CHECK-NOT: tile.block_rank
// CHECK: tile.pipelined %{{.+}} = %{{.+}} to %{{.+}} step 64 iter_args(%{{.+}} = %{{.+}}) -> (tensor<64xi32>) {
tile.kernel @in_first(
    %A: !tile.global<?x?xi32> {tile.name = "A", tile.dtype = "int32", tile.access = "in", tile.dims = ["M", "K"]},
    %C: !tile.global<?xi32> {tile.name = "C", tile.dtype = "int32", tile.access = "out", tile.dims = ["M"]})
    attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "K", param = 0 : i64, dim = 1 : i64}],
                checks = [], grid = [], axes = [], threads = 128 : i64} {
  %c0 = arith.constant 0 : i64
  %k = tile.symbol "K" : i64
  %seven = arith.constant dense<7> : tensor<32x64xi32>
  %r = tile.pipelined %i = %c0 to %k step 64 iter_args(%sum = %seven) -> (tensor<32x64xi32>) {
    %x = tile.load %A[%c0, %i] : !tile.global<?x?xi32> -> tensor<32x64xi32>
    %s = arith.addi %sum, %x : tensor<32x64xi32>
    tile.yield %s : tensor<32x64xi32>
  } {tile.split = 2 : i64}
  %top = tile.reduce max %r dim 1 : tensor<32x64xi32> -> tensor<32xi32>
  tile.store %top, %C[%c0] : tensor<32xi32>, !tile.global<?xi32>
  tile.return
}
tile.kernel @alone(%A: !tile.global<?xi32> {tile.name = "A", tile.dtype = "int32", tile.access = "inout", tile.dims = ["M"]})
    attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %c0 = arith.constant 0 : i64
  %m = tile.symbol "M" : i64
  %zero = arith.constant dense<0> : tensor<64xi32>
  %r = tile.pipelined %i = %c0 to %m step 64 iter_args(%sum = %zero) -> (tensor<64xi32>) {
    %x = tile.load %A[%i] : !tile.global<?xi32> -> tensor<64xi32>
    %s = arith.addi %sum, %x : tensor<64xi32>
    tile.yield %s : tensor<64xi32>
  } {tile.split = 1 : i64}
  tile.store %r, %A[%c0] : tensor<64xi32>, !tile.global<?xi32>
  tile.return
}
