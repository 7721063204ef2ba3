// RUN: tile-opt %s --tile-select-mma --tile-infer-layouts --tile-plan-pipeline --tile-specialize-warps --tile-lower-gemm --tile-schedule-mma --split-input-file | FileCheck %s

// Tests that the operand of the next iteration is made while one multiplies, in
// two iterations written out: loads in front of the wait that frees its
// registers, conversions behind it, a part behind each step; the buffer of the
// iteration before is handed back meanwhile. Behind the last one its own buffer
// is read again. An odd iteration follows.
// CHECK-LABEL: tile.kernel @ahead__tma
// CHECK: }, [1, 2] {
// CHECK: scf.if
// CHECK: tile.wait
// CHECK: tile.load
// CHECK: %[[A0:[a-z0-9]+]] = tile.cast {{.*}} -> tensor<16x128xbf16
// CHECK: %[[A1:[a-z0-9]+]] = tile.cast {{.*}} -> tensor<16x128xbf16
// CHECK: %[[A2:[a-z0-9]+]] = tile.cast {{.*}} -> tensor<16x128xbf16
// CHECK: %[[A3:[a-z0-9]+]] = tile.cast {{.*}} -> tensor<16x128xbf16
// CHECK: %[[PAIRS:[a-z0-9]+]]:{{[0-9]+}} = scf.for {{.*}} iter_args(%[[SUMS:[a-z0-9]+]] = %{{.+}}, %[[W0:[a-z0-9]+]] = %[[A0]], %[[W1:[a-z0-9]+]] = %[[A1]], %[[W2:[a-z0-9]+]] = %[[A2]], %[[W3:[a-z0-9]+]] = %[[A3]], %[[BEFORE:[a-z0-9]+]] = %{{.+}},
// CHECK: %[[LATER:[a-z0-9]+]] = arith.cmpi ne
// CHECK: %[[S0:[a-z0-9]+]] = tile.wgmma %{{.+}}, %[[W0]], %[[SUMS]] if %[[LATER]] k 0 depth 16
// CHECK: tile.wait
// CHECK: %[[Q1:[a-z0-9]+]] = tile.load
// CHECK: %[[T0:[a-z0-9]+]] = tile.mma_wait %[[S0]] pending 1
// CHECK: tile.arrive %{{.+}}[%[[BEFORE]]] if %[[LATER]] {per_warp}
// CHECK: %[[R1:[a-z0-9]+]] = tile.reindex %[[Q1]]
// CHECK: %[[P0:[a-z0-9]+]] = tile.part %[[R1]] [0, 0]
// CHECK: %[[B0:[a-z0-9]+]] = tile.cast %[[P0]]
// CHECK: %[[S1:[a-z0-9]+]] = tile.wgmma %{{.+}}, %[[W1]], %[[T0]] k 16 depth 16
// CHECK: %[[P1:[a-z0-9]+]] = tile.part %[[R1]] [16, 0]
// CHECK: %[[B1:[a-z0-9]+]] = tile.cast %[[P1]]
// CHECK: %[[S2:[a-z0-9]+]] = tile.wgmma %{{.+}}, %[[W2]], %[[S1]] k 32 depth 16
// CHECK: %[[P2:[a-z0-9]+]] = tile.part %[[R1]] [32, 0]
// CHECK: %[[S3:[a-z0-9]+]] = tile.wgmma %{{.+}}, %[[W3]], %[[S2]] k 48 depth 16
// CHECK: %[[P3:[a-z0-9]+]] = tile.part %[[R1]] [48, 0]
// CHECK: %[[LAST:[a-z0-9]+]] = arith.cmpi eq
// CHECK: %[[U0:[a-z0-9]+]] = tile.wgmma %{{.+}}, %[[B0]], %[[S3]] k 0 depth 16
// CHECK: arith.select %[[LAST]]
// CHECK: tile.wait
// CHECK: tile.load
// CHECK: %[[T1:[a-z0-9]+]] = tile.mma_wait %[[U0]] pending 1
// CHECK: tile.arrive %{{.+}} {per_warp}
// CHECK: %[[C0:[a-z0-9]+]] = tile.cast
// CHECK: tile.wgmma %{{.+}}, %[[B1]], %[[T1]] k 16 depth 16
// CHECK: %[[U3:[a-z0-9]+]] = tile.wgmma {{.*}} k 48 depth 16
// CHECK: scf.yield %[[U3]], %[[C0]]
// CHECK: tile.mma_wait %[[PAIRS]]#0 pending 0
// CHECK: scf.if
// CHECK: tile.wgmma %{{.+}}, %[[PAIRS]]#1
// CHECK: tile.wgmma %{{.+}}, %[[PAIRS]]#4
// CHECK: tile.mma_wait %{{.+}} pending 0

// Tests that with two buffers a product is done before the next begins.
// CHECK-LABEL: tile.kernel @two_buffers__tma
// CHECK: }, [1, 2] {
// CHECK: tile.load
// CHECK: tile.wgmma
// CHECK-NEXT: tile.mma_wait %{{.+}} pending 0
// CHECK-NEXT: tile.arrive
tile.kernel @ahead(%A: !tile.global<?x?xbf16> {tile.access = "in", tile.dims = ["M", "K"], tile.dtype = "bf16", tile.name = "A"}, %B: !tile.global<?x?xi4, pack = 1> {tile.access = "in", tile.dims = ["N", "K"], tile.dtype = "int4", tile.name = "B"}, %C: !tile.global<?x?xbf16> {tile.access = "out", tile.dims = ["M", "N"], tile.dtype = "bf16", tile.name = "C"})
    attributes {axes = ["bx", "by"], checks = [], grid = [["ceildiv", "N", 128], ["ceildiv", "M", 128]], symbols = [{dim = 0 : i64, name = "M", param = 0 : i64}, {dim = 1 : i64, name = "K", param = 0 : i64}, {dim = 0 : i64, name = "N", param = 1 : i64}], threads = 256 : i64} {
  %as = tile.alloc_shared "As" : !tile.shared<128x64xbf16>
  %bs = tile.alloc_shared "Bs" : !tile.shared<128x64xi4, pack = 1>
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %c0 = arith.constant 0 : i64
  %c64 = arith.constant 64 : i64
  %c128 = arith.constant 128 : i64
  %k = tile.symbol "K" : i64
  %n = arith.ceildivsi %k, %c64 : i64
  %bx = tile.block_id 0 : i64
  %by = tile.block_id 1 : i64
  %row = arith.muli %by, %c128 : i64
  %column = arith.muli %bx, %c128 : i64
  %r = tile.pipelined %i = %c0 to %n step 1 iter_args(%acc = %zero) -> (tensor<128x128xf32>) stages(3) {
    %depth = arith.muli %i, %c64 : i64
    tile.copy %A[%row, %depth] to %as : !tile.global<?x?xbf16>, !tile.shared<128x64xbf16>
    tile.copy %B[%column, %depth] to %bs : !tile.global<?x?xi4, pack = 1>, !tile.shared<128x64xi4, pack = 1>
    %p = tile.gemm %as, %bs, %acc {transpose_b} : !tile.shared<128x64xbf16>, !tile.shared<128x64xi4, pack = 1>, tensor<128x128xf32>
    tile.yield %p : tensor<128x128xf32>
  }
  %c = tile.cast %r : tensor<128x128xf32> -> tensor<128x128xbf16>
  tile.store %c, %C[%row, %column] : tensor<128x128xbf16>, !tile.global<?x?xbf16>
  tile.return
}
tile.kernel @two_buffers(%A: !tile.global<?x?xbf16> {tile.access = "in", tile.dims = ["M", "K"], tile.dtype = "bf16", tile.name = "A"}, %B: !tile.global<?x?xi4, pack = 1> {tile.access = "in", tile.dims = ["N", "K"], tile.dtype = "int4", tile.name = "B"}, %C: !tile.global<?x?xbf16> {tile.access = "out", tile.dims = ["M", "N"], tile.dtype = "bf16", tile.name = "C"})
    attributes {axes = ["bx", "by"], checks = [], grid = [["ceildiv", "N", 128], ["ceildiv", "M", 128]], symbols = [{dim = 0 : i64, name = "M", param = 0 : i64}, {dim = 1 : i64, name = "K", param = 0 : i64}, {dim = 0 : i64, name = "N", param = 1 : i64}], threads = 256 : i64} {
  %as = tile.alloc_shared "As" : !tile.shared<128x64xbf16>
  %bs = tile.alloc_shared "Bs" : !tile.shared<128x64xi4, pack = 1>
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %c0 = arith.constant 0 : i64
  %c64 = arith.constant 64 : i64
  %c128 = arith.constant 128 : i64
  %k = tile.symbol "K" : i64
  %n = arith.ceildivsi %k, %c64 : i64
  %bx = tile.block_id 0 : i64
  %by = tile.block_id 1 : i64
  %row = arith.muli %by, %c128 : i64
  %column = arith.muli %bx, %c128 : i64
  %r = tile.pipelined %i = %c0 to %n step 1 iter_args(%acc = %zero) -> (tensor<128x128xf32>) stages(2) {
    %depth = arith.muli %i, %c64 : i64
    tile.copy %A[%row, %depth] to %as : !tile.global<?x?xbf16>, !tile.shared<128x64xbf16>
    tile.copy %B[%column, %depth] to %bs : !tile.global<?x?xi4, pack = 1>, !tile.shared<128x64xi4, pack = 1>
    %p = tile.gemm %as, %bs, %acc {transpose_b} : !tile.shared<128x64xbf16>, !tile.shared<128x64xi4, pack = 1>, tensor<128x128xf32>
    tile.yield %p : tensor<128x128xf32>
  }
  %c = tile.cast %r : tensor<128x128xf32> -> tensor<128x128xbf16>
  tile.store %c, %C[%row, %column] : tensor<128x128xbf16>, !tile.global<?x?xbf16>
  tile.return
}
