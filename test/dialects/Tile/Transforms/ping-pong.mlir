// RUN: tile-opt %s --tile-select-mma | FileCheck %s --check-prefix=PLAN
// RUN: tile-opt %s --tile-select-mma --tile-infer-layouts --tile-plan-pipeline --tile-specialize-warps | FileCheck %s
// RUN: tile-opt %s --tile-select-mma --tile-infer-layouts --tile-plan-pipeline --tile-specialize-warps --tile-lower-gemm --canonicalize --cse --tile-schedule-mma | FileCheck %s --check-prefix=FLIGHT

// Tests that the plan is made with the instruction, in a copy for the variant
// that TMA feeds: the threads are those of one warpgroup, which has the tile for
// itself. Those of the others share it.
// PLAN-LABEL: tile.kernel @turns__pingpong
// PLAN-SAME: origin = "turns"
// PLAN-SAME: schedule = #tile.schedule<pingpong, teams = 2, groups = 1>
// PLAN-SAME: threads = 128
// PLAN: warps = [4, 1]
// PLAN-LABEL: tile.kernel @turns(
// PLAN-SAME: threads = 256
// PLAN: warps = [8, 1]

// Tests two teams with a ring in common and turns to take it, stores of their
// own, and every other tile.
// CHECK-LABEL: tile.kernel @turns__tma
// CHECK-SAME: schedule = #tile.schedule<pingpong, teams = 2, groups = 1>
// CHECK-SAME: threads = 384
// CHECK: %[[FULL:.+]] = tile.barrier_alloc "full" count 1 {tile.ring} : <3>
// CHECK: %[[EMPTY:.+]] = tile.barrier_alloc "empty" count 1 : <3>
// CHECK: %[[TURN:.+]] = tile.barrier_alloc "turn" count 1 : <2>
// CHECK: %[[STAGING0:.+]] = tile.alloc_shared "staging" : <2x64x64xbf16
// CHECK: %[[STAGING1:.+]] = tile.alloc_shared "staging" : <2x64x64xbf16
// CHECK: tile.warpgroup [0] {
// CHECK: tile.set_max_registers 56
// CHECK: tile.tma_copy
// CHECK: }, [1] {
// CHECK: tile.set_max_registers 224
// CHECK: %[[FIRST:.+]] = tile.block_number
// CHECK: %[[STEP:.+]] = tile.block_count
// CHECK: %[[BEGIN:.+]] = arith.addi %[[FIRST]], %{{.+}}
// CHECK: %[[TWO:.+]] = arith.muli %[[STEP]], %c2
// CHECK: scf.for %[[TILE:.+]] = %[[BEGIN]] to %{{.+}} step %[[TWO]] iter_args(%{{.+}} = %c0{{[^,]*}}, %{{.+}} = %c0{{[^,]*}}, %[[PARITY:[^ ]+]] = %c1{{[^,]*}}) ->
// CHECK: tile.wait %[[TURN]][%c0{{.*}}], %[[PARITY]]
// CHECK: %[[NEXT:.+]] = arith.xori %[[PARITY]], %c1
// CHECK: %[[LOOP:.+]]:3 = scf.for
// CHECK: tile.wait %[[FULL]]
// CHECK: tile.arrive %[[EMPTY]]
// CHECK: tile.arrive %[[TURN]][%c1{{.*}}] {per_warpgroup}
// CHECK: tile.store_through {{.*}} by %[[STAGING0]]
// The next tile is the other team's: its buffers are passed over.
// CHECK: %[[OTHER:.+]] = arith.addi %[[TILE]]
// CHECK: %[[EXISTS:.+]] = arith.cmpi slt, %[[OTHER]]
// CHECK: %[[PAST:.+]]:3 = scf.if %[[EXISTS]]
// CHECK: %[[PLACE:.+]] = arith.addi %[[LOOP]]#1
// CHECK: %[[ROUNDS:.+]] = arith.divui %[[PLACE]], %c3
// CHECK: %[[SLOT:.+]] = arith.remui %[[PLACE]], %c3
// CHECK: %[[ODD:.+]] = arith.andi %[[ROUNDS]], %c1
// CHECK: %[[PHASE:.+]] = arith.xori %[[LOOP]]#2, %[[ODD]]
// CHECK: scf.yield %[[SLOT]], %[[PHASE]], %[[NEXT]]
// CHECK: scf.yield %[[LOOP]]#1, %[[LOOP]]#2, %[[NEXT]]
// CHECK: scf.yield %[[PAST]]#0, %[[PAST]]#1, %[[PAST]]#2
// CHECK: }, [2] {
// The first tile is not this team's.
// CHECK: %[[PAST:.+]]:3 = scf.if
// CHECK: scf.for {{.*}} iter_args(%{{.+}} = %[[PAST]]#0, %{{.+}} = %[[PAST]]#1, %[[PARITY:.+]] = %[[PAST]]#2)
// CHECK: tile.wait %[[TURN]][%c1{{.*}}], %[[PARITY]]
// CHECK: tile.arrive %[[TURN]][%c0{{.*}}] {per_warpgroup}
// CHECK: tile.store_through {{.*}} by %[[STAGING1]]

// Tests that the other variants have no teams, and that the copy is gone.
// CHECK-LABEL: tile.kernel @turns__aligned8
// CHECK-NOT: #tile.schedule
// CHECK-SAME: threads = 256
// CHECK-NOT: tile.kernel @turns__pingpong

// Tests that the turn is given on while the last product is in flight.
// FLIGHT-LABEL: tile.kernel @turns__tma
// FLIGHT: }, [1] {
// FLIGHT: tile.arrive %{{.+}} if %{{.+}} {per_warpgroup}
// FLIGHT: }
// FLIGHT-NEXT: tile.arrive %{{.+}} {per_warpgroup}
// FLIGHT-NEXT: tile.mma_wait %{{.+}} pending 0
tile.kernel @turns(%A: !tile.global<?x?xbf16> {tile.access = "in", tile.dims = ["M", "K"], tile.dtype = "bf16", tile.name = "A"}, %B: !tile.global<?x?xbf16> {tile.access = "in", tile.dims = ["N", "K"], tile.dtype = "bf16", tile.name = "B"}, %C: !tile.global<?x?xbf16> {tile.access = "out", tile.dims = ["M", "N"], tile.dtype = "bf16", tile.name = "C"})
    attributes {axes = ["bx", "by"], checks = [], decisions = {schedule = "pingpong"}, grid = [["ceildiv", "N", 128], ["ceildiv", "M", 128]], symbols = [{dim = 0 : i64, name = "M", param = 0 : i64}, {dim = 1 : i64, name = "K", param = 0 : i64}, {dim = 0 : i64, name = "N", param = 1 : i64}], threads = 256 : i64} {
  %as = tile.alloc_shared "As" : !tile.shared<128x64xbf16>
  %bs = tile.alloc_shared "Bs" : !tile.shared<128x64xbf16>
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
    tile.copy %B[%column, %depth] to %bs : !tile.global<?x?xbf16>, !tile.shared<128x64xbf16>
    %s = tile.gemm %as, %bs, %acc {transpose_b} : !tile.shared<128x64xbf16>, !tile.shared<128x64xbf16>, tensor<128x128xf32>
    tile.yield %s : tensor<128x128xf32>
  }
  %c = tile.cast %r : tensor<128x128xf32> -> tensor<128x128xbf16>
  tile.store %c, %C[%row, %column] : tensor<128x128xbf16>, !tile.global<?x?xbf16>
  tile.return
}
