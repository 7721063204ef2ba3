// RUN: tile-opt %s --tile-select-mma --tile-infer-layouts --tile-plan-pipeline --tile-specialize-warps | FileCheck %s
// RUN: tile-opt %s --tile-select-mma --tile-infer-layouts --tile-plan-pipeline --tile-specialize-warps --tile-lower-gemm --tile-schedule-mma | FileCheck %s --check-prefix=AHEAD
// RUN: tile-opt %s --tile-pipeline | FileCheck %s --check-prefix=ORDER

// Tests that of two operands that are both converted the threads write one anew,
// into a ring of its own: each warp tells that it has written its part, and all
// wait for that in front of the product.
// CHECK-LABEL: tile.kernel @both__tma
// CHECK: %[[RING:[a-z0-9]+]] = tile.alloc_shared "Bs converted" {tile.handed_over, tile.stages = 3 : i64} : <3x128x128xi8
// CHECK: %[[READY:[a-z0-9]+]] = tile.barrier_alloc "ready" count 8 : <3>
// CHECK: }, [1, 2] {
// CHECK: scf.for {{.*}} iter_args(%[[RS0:[a-z0-9]+]] = %{{.+}}, %[[RP0:[a-z0-9]+]] = %{{.+}}, %[[CS0:[a-z0-9]+]] = %{{.+}}, %[[CP0:[a-z0-9]+]] = %{{.+}}) -> (i64, i64, i64, i64)
// CHECK: scf.for {{.*}} %[[CS:[a-z0-9]+]] = %[[CS0]], %[[CP:[a-z0-9]+]] = %[[CP0]])
// CHECK: %[[BUFFER:[a-z0-9]+]] = tile.stage %[[RING]][%[[CS]]]
// CHECK: %[[NIBBLES:[a-z0-9]+]] = tile.load
// CHECK: %[[BYTES:[a-z0-9]+]] = tile.cast %[[NIBBLES]]
// CHECK: %[[ORDERED:[a-z0-9]+]] = tile.relabel %[[BYTES]]
// CHECK: tile.store %[[ORDERED]], %[[BUFFER]]
// CHECK-NEXT: tile.arrive %[[READY]][%[[CS]]] {per_warp}
// CHECK-NEXT: tile.wait %[[READY]][%[[CS]]], %[[CP]]
// CHECK-NEXT: tile.gemm %{{[a-z0-9]+}}, %[[BUFFER]]

// Tests that a buffer is written for the next iteration while one multiplies,
// and told of once the product before is done; behind the last iteration nothing
// is written, for the next tile begins with this buffer. The numbers that it is
// made of are handed back at once, but for those of the last iteration, behind
// which they are read again.
// AHEAD-LABEL: tile.kernel @both__tma
// AHEAD: %[[EMPTY:[a-z0-9]+]] = tile.barrier_alloc "empty"
// AHEAD: %[[READY:[a-z0-9]+]] = tile.barrier_alloc "ready"
// AHEAD: }, [1, 2] {
// AHEAD: scf.if
// AHEAD: tile.store
// AHEAD-NEXT: %[[EARLIER:[a-z0-9]+]] = arith.cmpi slt
// AHEAD-NEXT: tile.arrive %[[EMPTY]][{{.*}}] if %[[EARLIER]] {per_warp}
// AHEAD-NEXT: tile.arrive %[[READY]][{{.*}}] {per_warp}
// AHEAD: scf.for
// AHEAD: tile.wait %[[READY]]
// AHEAD: %[[S0:[a-z0-9]+]] = tile.wgmma
// AHEAD: tile.store
// AHEAD: tile.arrive %[[EMPTY]][{{.*}}] if %{{.+}} {per_warp}
// AHEAD-NEXT: tile.mma_wait %[[S0]] pending 1
// AHEAD-NEXT: tile.arrive %[[READY]][{{.*}}] {per_warp}
// AHEAD: tile.cast
// AHEAD: %[[LAST:[a-z0-9]+]] = arith.cmpi eq
// AHEAD: tile.wait %[[READY]]
// AHEAD: %[[S1:[a-z0-9]+]] = tile.wgmma
// AHEAD: %[[ANY:[a-z0-9]+]] = arith.xori %[[LAST]]
// AHEAD: scf.if %[[ANY]] {
// AHEAD: tile.store
// AHEAD: }
// AHEAD: tile.arrive %[[EMPTY]]
// AHEAD: tile.mma_wait %[[S1]] pending 1
// AHEAD: tile.arrive %[[READY]][{{.*}}] if %[[ANY]] {per_warp}
// AHEAD: scf.yield
// AHEAD: %[[EVEN:[a-z0-9]+]] = arith.cmpi eq
// AHEAD-NEXT: tile.arrive %[[EMPTY]][{{.*}}] if %[[EVEN]] {per_warp}
// AHEAD: scf.if
// AHEAD: tile.wait %[[READY]]
// AHEAD: tile.wgmma

// Tests that no barrier orders what those of the ring order, but a fence shows
// the product what was written, and that without TMA there are both.
// ORDER-LABEL: tile.kernel @both__tma
// ORDER: }, [1, 2] {
// ORDER-NOT: tile.barrier{{$}}
// ORDER: tile.fence
// ORDER-NEXT: tile.arrive
// ORDER-NOT: tile.barrier{{$}}
// ORDER: tile.kernel @both__aligned8
// ORDER: tile.store {{.*}}xi8
// ORDER: tile.fence
// ORDER-NEXT: tile.barrier
// ORDER: tile.wgmma
tile.kernel @both(%A: !tile.global<?x?xi4, pack = 1> {tile.access = "in", tile.dims = ["M", "K"], tile.dtype = "int4", tile.name = "A"}, %B: !tile.global<?x?xi4, pack = 1> {tile.access = "in", tile.dims = ["N", "K"], tile.dtype = "int4", tile.name = "B"}, %C: !tile.global<?x?xi32> {tile.access = "out", tile.dims = ["M", "N"], tile.dtype = "int32", tile.name = "C"})
    attributes {axes = ["bx", "by"], checks = [], grid = [["ceildiv", "N", 128], ["ceildiv", "M", 128]], symbols = [{dim = 0 : i64, name = "M", param = 0 : i64}, {dim = 1 : i64, name = "K", param = 0 : i64}, {dim = 0 : i64, name = "N", param = 1 : i64}], threads = 256 : i64} {
  %as = tile.alloc_shared "As" : !tile.shared<128x128xi4, pack = 1>
  %bs = tile.alloc_shared "Bs" : !tile.shared<128x128xi4, pack = 1>
  %zero = arith.constant dense<0> : tensor<128x128xi32>
  %c0 = arith.constant 0 : i64
  %c128 = arith.constant 128 : i64
  %k = tile.symbol "K" : i64
  %n = arith.ceildivsi %k, %c128 : i64
  %bx = tile.block_id 0 : i64
  %by = tile.block_id 1 : i64
  %row = arith.muli %by, %c128 : i64
  %column = arith.muli %bx, %c128 : i64
  %r = tile.pipelined %i = %c0 to %n step 1 iter_args(%acc = %zero) -> (tensor<128x128xi32>) stages(3) {
    %depth = arith.muli %i, %c128 : i64
    tile.copy %A[%row, %depth] to %as : !tile.global<?x?xi4, pack = 1>, !tile.shared<128x128xi4, pack = 1>
    tile.copy %B[%column, %depth] to %bs : !tile.global<?x?xi4, pack = 1>, !tile.shared<128x128xi4, pack = 1>
    %p = tile.gemm %as, %bs, %acc {transpose_b} : !tile.shared<128x128xi4, pack = 1>, !tile.shared<128x128xi4, pack = 1>, tensor<128x128xi32>
    tile.yield %p : tensor<128x128xi32>
  }
  tile.store %r, %C[%row, %column] : tensor<128x128xi32>, !tile.global<?x?xi32>
  tile.return
}
