// RUN: tile-opt %s --convert-tile-to-nvvm --canonicalize --cse --split-input-file | FileCheck %s

// Tests the beginning of barriers: one thread makes all of them, TMA is told,
// and the block waits for it.
// CHECK-LABEL: llvm.func @barriers
// CHECK: %[[FIRST:.+]] = arith.cmpi eq, %{{.+}}, %c0
// CHECK: scf.if %[[FIRST]] {
// CHECK-COUNT-2: mbarrier.init.shared::cta.b64 [$0], $1;
// CHECK: scf.for
// CHECK-NEXT: arith.addi
// CHECK-NEXT: mbarrier.init.shared::cta.b64 [$0], $1;
// CHECK: fence.mbarrier_init.release.cluster;
// CHECK-NEXT: {{^ *}}}
// CHECK-NEXT: barrier.cta.sync.aligned.all
tile.kernel @barriers() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 64 : i64, shared_bytes = 512 : i64} {
  %few = tile.barrier_alloc "few" count 1 {offset = 256 : i64} : !tile.barrier<2>
  %many = tile.barrier_alloc "many" count 3 {offset = 272 : i64} : !tile.barrier<20>
  tile.return
}

// -----

// Tests that one thread of the block arrives and expects, by predicate and by
// branch, and every thread waits.
// CHECK-LABEL: llvm.func @phases
// CHECK: shfl.sync.idx.i32
// CHECK: llvm.nvvm.elect.sync
// CHECK: %[[LEADER:.+]] = arith.andi
// CHECK: barrier.cta.sync.aligned.all
// CHECK: %[[BASE:.+]] = llvm.ptrtoint
// CHECK: %[[INDEX:.+]] = arith.trunci %{{.+}} : i64 to i32
// CHECK: %[[OFFSET:.+]] = arith.muli %[[INDEX]], %c8
// CHECK: %[[PLACE:.+]] = arith.addi %[[BASE]], %[[OFFSET]]
// CHECK: scf.if %[[LEADER]]
// CHECK: mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1;", "r,r,~{memory}" %[[PLACE]]
// CHECK: has_side_effects asm_dialect = att "{\0A.reg .pred p;\0Await_${:uid}: mbarrier.try_wait.parity.shared::cta.b64 p, [$0], $1;\0A@!p bra wait_${:uid};\0A}", "r,r,~{memory}" %[[PLACE]]
// CHECK: "@$1 mbarrier.arrive.shared::cta.b64 _, [$0];", "r,b,~{memory}" %[[PLACE]], %[[LEADER]]
// CHECK: %[[LANE:.+]] = arith.andi %{{.+}}, %c127
// CHECK: %[[IS:.+]] = arith.cmpi eq, %[[LANE]]
// CHECK: "@$1 mbarrier.arrive.shared::cta.b64 _, [$0];", "r,b,~{memory}" %[[PLACE]], %[[IS]]
// CHECK: "bar.warp.sync -1;"
// CHECK: %[[LANE:.+]] = arith.andi %{{.+}}, %c31
// CHECK: %[[IS:.+]] = arith.cmpi eq, %[[LANE]]
// CHECK: "@$1 mbarrier.arrive.shared::cta.b64 _, [$0];", "r,b,~{memory}" %[[PLACE]], %[[IS]]
// CHECK: "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [$0];", "r,~{memory}" %[[PLACE]]
// CHECK: "fence.proxy.async.shared::cta;", "~{memory}"
tile.kernel @phases(%i: i64 {tile.name = "i", tile.dtype = "int64"}) attributes {symbols = [], checks = [], grid = [], axes = [], threads = 256 : i64, shared_bytes = 512 : i64} {
  %b = tile.barrier_alloc "b" count 4 {offset = 256 : i64} : !tile.barrier<2>
  %bytes = arith.constant 1024 : i64
  %c1 = arith.constant 1 : i64
  tile.expect %b[%i], %bytes : !tile.barrier<2>
  tile.wait %b[%i], %c1 : !tile.barrier<2>
  tile.arrive %b[%i] : !tile.barrier<2>
  tile.arrive %b[%i] {per_warpgroup} : !tile.barrier<2>
  tile.arrive %b[%i] {per_warp} : !tile.barrier<2>
  tile.arrive %b[%i] {after_copies} : !tile.barrier<2>
  tile.fence
  tile.return
}

// -----

// Tests that a barrier behind which a thread arrives for all others, or starts a
// copy by TMA, waits for loads in front of it, and that others do not.
// CHECK-LABEL: llvm.func @handed_over
// CHECK: fence.acq_rel.cta;
// CHECK-NEXT: barrier.cta.sync.aligned.all
// CHECK: mbarrier.arrive.shared::cta.b64
tile.kernel @handed_over() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64, shared_bytes = 256 : i64} {
  %b = tile.barrier_alloc "b" count 1 {offset = 0 : i64} : !tile.barrier<1>
  tile.barrier
  tile.arrive %b : !tile.barrier<1>
  tile.return
}

// -----

// CHECK-LABEL: llvm.func @not_handed_over
// CHECK-NOT: fence.acq_rel.cta;
// CHECK: llvm.return
tile.kernel @not_handed_over() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64, shared_bytes = 256 : i64} {
  %b = tile.barrier_alloc "b" count 4 {offset = 0 : i64} : !tile.barrier<1>
  tile.barrier
  tile.arrive %b {per_warp} : !tile.barrier<1>
  tile.return
}
