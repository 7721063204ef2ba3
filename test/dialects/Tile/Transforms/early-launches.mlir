// RUN: tile-opt %s --tile-select-mma --tile-apply-prepack --tile-infer-layouts --tile-plan-pipeline --tile-specialize-warps --split-input-file | FileCheck %s

// Tests that a kernel whose weights may come early lets the next one start where
// the buffers of the block's last tile are filled for the last time, or in the
// first iteration if there are fewer than buffers.
// CHECK-LABEL: tile.kernel @weights__tma
// CHECK: tile.warpgroup [0] {
// CHECK: tile.tma_copy %arg1
// CHECK: tile.await_launches
// CHECK: scf.for %[[TILE:.+]] = %{{.+}} to %[[TILES:.+]] step %[[BLOCKS:.+]] iter_args
// CHECK: scf.for %[[K:.+]] = %[[LOWER:.+]] to %[[UPPER:.+]] step
// CHECK: %[[ROUND:.+]] = arith.subi %[[UPPER]], %c4_i64{{.*}} : i64
// CHECK: %[[PLACE:.+]] = arith.maxsi %[[LOWER]], %[[ROUND]] : i64
// CHECK: %[[IS_PLACE:.+]] = arith.cmpi eq, %[[K]], %[[PLACE]] : i64
// CHECK: %[[NEXT:.+]] = arith.addi %[[TILE]], %[[BLOCKS]]
// CHECK: %[[IS_LAST:.+]] = arith.cmpi sge, %[[NEXT]], %[[TILES]]
// CHECK: %[[HERE:.+]] = arith.andi %[[IS_PLACE]], %[[IS_LAST]] : i1
// CHECK: scf.if %[[HERE]] {
// CHECK-NEXT: tile.allow_launches
// CHECK: tile.wait
// CHECK: tile.tma_copy %arg0
// CHECK: tile.allow_launches
// CHECK: }, [1] {
// CHECK: tile.await_launches
tile.kernel @weights(%A: !tile.global<?x?xbf16> {tile.access = "in", tile.dims = ["M", "K"], tile.dtype = "bf16", tile.name = "A"}, %B: !tile.global<?x?xi4, pack = 1> {tile.access = "in", tile.dims = ["N", "K"], tile.dtype = "int4", tile.name = "B", tile.prepack}, %C: !tile.global<?x?xf32> {tile.access = "out", tile.dims = ["M", "N"], tile.dtype = "f32", tile.name = "C"})
    attributes {axes = ["bx"], checks = [], decisions = {overlap = "weights"}, grid = [["ceildiv", "N", 64]], symbols = [{dim = 0 : i64, name = "M", param = 0 : i64}, {dim = 1 : i64, name = "K", param = 0 : i64}, {dim = 0 : i64, name = "N", param = 1 : i64}], threads = 128 : i64} {
  %as = tile.alloc_shared "As" : !tile.shared<16x128xbf16>
  %bs = tile.alloc_shared "Bs" : !tile.shared<64x128xi4, pack = 1>
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  %c0 = arith.constant 0 : i64
  %c64 = arith.constant 64 : i64
  %c128 = arith.constant 128 : i64
  %k = tile.symbol "K" : i64
  %n = arith.ceildivsi %k, %c128 : i64
  %bx = tile.block_id 0 : i64
  %column = arith.muli %bx, %c64 : i64
  %r = tile.pipelined %i = %c0 to %n step 1 iter_args(%acc = %zero) -> (tensor<16x64xf32>) stages(4) {
    %depth = arith.muli %i, %c128 : i64
    tile.copy %A[%c0, %depth] to %as : !tile.global<?x?xbf16>, !tile.shared<16x128xbf16>
    tile.copy %B[%column, %depth] to %bs : !tile.global<?x?xi4, pack = 1>, !tile.shared<64x128xi4, pack = 1>
    %p = tile.gemm %as, %bs, %acc {transpose_b} : !tile.shared<16x128xbf16>, !tile.shared<64x128xi4, pack = 1>, tensor<16x64xf32>
    tile.yield %p : tensor<16x64xf32>
  }
  tile.store %r, %C[%c0, %column] : tensor<16x64xf32>, !tile.global<?x?xf32>
  tile.return
}
