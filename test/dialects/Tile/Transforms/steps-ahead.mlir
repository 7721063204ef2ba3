// RUN: tile-opt %s --tile-select-mma --tile-apply-prepack --tile-infer-layouts --tile-plan-pipeline --tile-specialize-warps --tile-lower-gemm --tile-schedule-mma --split-input-file | FileCheck %s

// Tests that the operand of the next step of K is made while one multiplies, in
// an iteration of two steps: loads in front of the wait that frees its
// registers, conversions behind it; the buffer of the iteration before is handed
// back behind the first of these waits. The last iteration makes nothing for
// another.
// CHECK-LABEL: tile.kernel @steps__tma
// CHECK: }, [1, 2] {
// CHECK: scf.if
// CHECK: tile.wait
// CHECK: tile.load
// CHECK: %[[FIRST:[a-z0-9]+]] = tile.cast {{.*}} -> tensor<64x128xbf16
// CHECK: %[[CARRY:[a-z0-9]+]] = tile.mma_carry
// CHECK: %[[LOOP:[a-z0-9]+]]:{{[0-9]+}} = scf.for {{.*}} iter_args(%[[SUMS:[a-z0-9]+]] = %[[CARRY]], %[[W0:[a-z0-9]+]] = %[[FIRST]], {{.*}}%[[BEFORE:[a-z0-9]+]] = %{{[a-z0-9_]+}}) ->
// CHECK: %[[LATER:[a-z0-9]+]] = arith.cmpi ne
// CHECK: %[[S0:[a-z0-9]+]] = tile.wgmma %{{.+}}, %[[W0]], %[[SUMS]] if %[[LATER]] k 0 depth 64
// CHECK: %[[Q1:[a-z0-9]+]] = tile.load
// CHECK-NEXT: %[[T0:[a-z0-9]+]] = tile.mma_wait %[[S0]] pending 1
// CHECK-NEXT: tile.arrive %{{.+}}[%[[BEFORE]]] if %[[LATER]] {per_warp}
// CHECK: %[[W1:[a-z0-9]+]] = tile.cast
// CHECK-NEXT: %[[S1:[a-z0-9]+]] = tile.wgmma %{{.+}}, %[[W1]], %[[T0]] k 64 depth 64
// CHECK: tile.wait
// CHECK: tile.load
// CHECK-NEXT: %[[T1:[a-z0-9]+]] = tile.mma_wait %[[S1]] pending 1
// CHECK: %[[NEXT:[a-z0-9]+]] = tile.cast
// CHECK-NEXT: scf.yield %[[T1]], %[[NEXT]]
// CHECK: %[[U0:[a-z0-9]+]] = tile.wgmma %{{.+}}, %[[LOOP]]#1, %[[LOOP]]#0 if %{{.+}} k 0 depth 64
// CHECK: tile.mma_wait %[[U0]] pending 1
// CHECK-NEXT: tile.arrive %{{.+}}[%[[LOOP]]#{{[0-9]+}}] if %{{.+}} {per_warp}
// CHECK: %[[U1:[a-z0-9]+]] = tile.wgmma {{.*}} k 64 depth 64
// CHECK-NEXT: tile.mma_wait %[[U1]] pending 0
// CHECK-NEXT: tile.arrive %{{.+}} {per_warp}
// CHECK: scf.yield

// Tests that with two buffers a product is done before the next begins.
// CHECK-LABEL: tile.kernel @two_buffers__tma
// CHECK: }, [1, 2] {
// CHECK: tile.wgmma
// CHECK-NEXT: tile.mma_wait %{{.+}} pending 0
// CHECK: tile.wgmma
// CHECK-NEXT: tile.mma_wait %{{.+}} pending 0
// CHECK-NEXT: tile.arrive
tile.kernel @steps(%A: !tile.global<?x?xbf16> {tile.access = "in", tile.dims = ["M", "K"], tile.dtype = "bf16", tile.name = "A"}, %B: !tile.global<?x?xi4, pack = 1> {tile.access = "in", tile.dims = ["N", "K"], tile.dtype = "int4", tile.name = "B", tile.pack = 1 : i64, tile.prepack}, %C: !tile.global<?x?xbf16> {tile.access = "out", tile.dims = ["M", "N"], tile.dtype = "bf16", tile.name = "C"})
    attributes {axes = ["bx", "by"], checks = [], decisions = {depth = 64 : i64}, grid = [["ceildiv", "N", 128], ["ceildiv", "M", 32]], symbols = [{dim = 0 : i64, name = "M", param = 0 : i64}, {dim = 1 : i64, name = "K", param = 0 : i64}, {dim = 0 : i64, name = "N", param = 1 : i64}], threads = 256 : i64} {
  %as = tile.alloc_shared "As" : !tile.shared<32x128xbf16>
  %bs = tile.alloc_shared "Bs" : !tile.shared<128x128xi4, pack = 1>
  %zero = arith.constant dense<0.0> : tensor<32x128xf32>
  %c0 = arith.constant 0 : i64
  %c32 = arith.constant 32 : i64
  %c128 = arith.constant 128 : i64
  %k = tile.symbol "K" : i64
  %n = arith.ceildivsi %k, %c128 : i64
  %bx = tile.block_id 0 : i64
  %by = tile.block_id 1 : i64
  %row = arith.muli %by, %c32 : i64
  %column = arith.muli %bx, %c128 : i64
  %r = tile.pipelined %i = %c0 to %n step 1 iter_args(%acc = %zero) -> (tensor<32x128xf32>) stages(3) {
    %depth = arith.muli %i, %c128 : i64
    tile.copy %A[%row, %depth] to %as : !tile.global<?x?xbf16>, !tile.shared<32x128xbf16>
    tile.copy %B[%column, %depth] to %bs : !tile.global<?x?xi4, pack = 1>, !tile.shared<128x128xi4, pack = 1>
    %p = tile.gemm %as, %bs, %acc {transpose_b} : !tile.shared<32x128xbf16>, !tile.shared<128x128xi4, pack = 1>, tensor<32x128xf32>
    tile.yield %p : tensor<32x128xf32>
  }
  %c = tile.cast %r : tensor<32x128xf32> -> tensor<32x128xbf16>
  tile.store %c, %C[%row, %column] : tensor<32x128xbf16>, !tile.global<?x?xbf16>
  tile.return
}

// -----

tile.kernel @two_buffers(%A: !tile.global<?x?xbf16> {tile.access = "in", tile.dims = ["M", "K"], tile.dtype = "bf16", tile.name = "A"}, %B: !tile.global<?x?xi4, pack = 1> {tile.access = "in", tile.dims = ["N", "K"], tile.dtype = "int4", tile.name = "B", tile.pack = 1 : i64, tile.prepack}, %C: !tile.global<?x?xbf16> {tile.access = "out", tile.dims = ["M", "N"], tile.dtype = "bf16", tile.name = "C"})
    attributes {axes = ["bx", "by"], checks = [], decisions = {depth = 64 : i64}, grid = [["ceildiv", "N", 128], ["ceildiv", "M", 32]], symbols = [{dim = 0 : i64, name = "M", param = 0 : i64}, {dim = 1 : i64, name = "K", param = 0 : i64}, {dim = 0 : i64, name = "N", param = 1 : i64}], threads = 256 : i64} {
  %as = tile.alloc_shared "As" : !tile.shared<32x128xbf16>
  %bs = tile.alloc_shared "Bs" : !tile.shared<128x128xi4, pack = 1>
  %zero = arith.constant dense<0.0> : tensor<32x128xf32>
  %c0 = arith.constant 0 : i64
  %c32 = arith.constant 32 : i64
  %c128 = arith.constant 128 : i64
  %k = tile.symbol "K" : i64
  %n = arith.ceildivsi %k, %c128 : i64
  %bx = tile.block_id 0 : i64
  %by = tile.block_id 1 : i64
  %row = arith.muli %by, %c32 : i64
  %column = arith.muli %bx, %c128 : i64
  %r = tile.pipelined %i = %c0 to %n step 1 iter_args(%acc = %zero) -> (tensor<32x128xf32>) stages(2) {
    %depth = arith.muli %i, %c128 : i64
    tile.copy %A[%row, %depth] to %as : !tile.global<?x?xbf16>, !tile.shared<32x128xbf16>
    tile.copy %B[%column, %depth] to %bs : !tile.global<?x?xi4, pack = 1>, !tile.shared<128x128xi4, pack = 1>
    %p = tile.gemm %as, %bs, %acc {transpose_b} : !tile.shared<32x128xbf16>, !tile.shared<128x128xi4, pack = 1>, tensor<32x128xf32>
    tile.yield %p : tensor<32x128xf32>
  }
  %c = tile.cast %r : tensor<32x128xf32> -> tensor<32x128xbf16>
  tile.store %c, %C[%row, %column] : tensor<32x128xbf16>, !tile.global<?x?xbf16>
  tile.return
}
