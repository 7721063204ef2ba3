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
// CHECK: "fence.proxy.async.shared::cta;", "~{memory}"
tile.kernel @phases(%i: i64 {tile.name = "i", tile.dtype = "int64"}) attributes {symbols = [], checks = [], grid = [], axes = [], threads = 256 : i64, shared_bytes = 512 : i64} {
  %b = tile.barrier_alloc "b" count 4 {offset = 256 : i64} : !tile.barrier<2>
  %bytes = arith.constant 1024 : i64
  %c1 = arith.constant 1 : i64
  tile.expect %b[%i], %bytes : !tile.barrier<2>
  tile.wait %b[%i], %c1 : !tile.barrier<2>
  tile.arrive %b[%i] : !tile.barrier<2>
  tile.arrive %b[%i] {per_warpgroup} : !tile.barrier<2>
  tile.fence
  tile.return
}

// -----

// Tests that a tensor map is a parameter behind the others, that coordinates
// come innermost first and in 32 bits, and that a dimension that the tile has
// not is one more coordinate.
// CHECK-LABEL: llvm.func @load
// CHECK-SAME: %[[I:[a-z0-9]+]]: i64, %[[MAP:[a-z0-9]+]]: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}
// CHECK: llvm.ptrtoint %[[MAP]] : !llvm.ptr to i64
// CHECK: prefetch.tensormap [$0];", "l,~{memory}"
// CHECK: scf.if
// CHECK: %[[MIN:.+]] = arith.minsi %[[I]], %c2147483647
// CHECK: %[[MAX:.+]] = arith.maxsi %[[MIN]], %c-2147483647
// CHECK: %[[X:.+]] = arith.trunci %[[MAX]]
// CHECK: "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [$0], [$1, {$2, $3, $4}], [$5];", "r,l,r,r,r,r,~{memory}" %{{[^,]+}}, %{{[^,]+}}, %c8_i32, %[[X]], %c3_i32
tile.kernel @load(%A: !tile.global<?x?x?xbf16> {tile.name = "A", tile.dtype = "bf16", tile.access = "in", tile.dims = ["B", "M", "N"]}, %i: i64 {tile.name = "i", tile.dtype = "int64"})
   attributes {symbols = [{name = "B", param = 0 : i64, dim = 0 : i64}, {name = "M", param = 0 : i64, dim = 1 : i64}, {name = "N", param = 0 : i64, dim = 2 : i64}], checks = [], grid = [], axes = [], threads = 128 : i64, shared_bytes = 2056 : i64,
               tensor_maps = [{param = 0 : i64, box = [1, 16, 64], swizzle = 128 : i64}]} {
  %s = tile.alloc_shared "s" {offset = 0 : i64} : !tile.shared<16x64xbf16, #tile.shared_layout<swizzle = [3, 4, 3]>>
  %b = tile.barrier_alloc "b" count 1 {offset = 2048 : i64} : !tile.barrier<1>
  %c3 = arith.constant 3 : i64
  %c8 = arith.constant 8 : i64
  tile.tma_copy %A[%c3, %i, %c8] to %s barrier %b {map = 0 : i64} : !tile.global<?x?x?xbf16>, !tile.shared<16x64xbf16, #tile.shared_layout<swizzle = [3, 4, 3]>>, !tile.barrier<1>
  tile.return
}

// -----

// Tests a store, whose groups are those of TMA, and that a block does not end
// before its shared memory is read.
// CHECK-LABEL: llvm.func @store
// CHECK-NOT: mbarrier
// CHECK: "cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [$0, {$1}], [$2];", "l,r,r,~{memory}"
// CHECK: "cp.async.bulk.commit_group;", "~{memory}"
// CHECK-NOT: llvm.nvvm.cp.async
// CHECK: "cp.async.bulk.wait_group.read 1;", "~{memory}"
// CHECK: "cp.async.bulk.wait_group 2;", "~{memory}"
// CHECK: "cp.async.bulk.commit_group;", "~{memory}"
// CHECK: "cp.async.bulk.wait_group 0;", "~{memory}"
// CHECK: llvm.return
tile.kernel @store(%A: !tile.global<?xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "out", tile.dims = ["N"]})
   attributes {symbols = [{name = "N", param = 0 : i64, dim = 0 : i64}], checks = [], grid = [], axes = [], threads = 128 : i64, shared_bytes = 1024 : i64,
               tensor_maps = [{param = 0 : i64, box = [256], swizzle = 0 : i64}]} {
  %s = tile.alloc_shared "s" {offset = 0 : i64} : !tile.shared<256xf32>
  %c0 = arith.constant 0 : i64
  tile.tma_copy %s to %A[%c0] {map = 0 : i64} : !tile.shared<256xf32>, !tile.global<?xf32>
  tile.commit_group
  tile.wait_group 1 {read_only}
  tile.wait_group 2
  tile.return
}

// -----

// Tests teams: what one thread can do is done by one, and the others have a
// barrier and a count of threads of their own.
// CHECK-LABEL: llvm.func @teams
// CHECK-SAME: nvvm.minctasm = 1 : i32
// CHECK-SAME: nvvm.reqntid = array<i32: 384, 1, 1>
// CHECK: %[[WARPGROUP:.+]] = arith.shrui %[[TID:.+]], %c7
// CHECK: %[[UNIFORM:.+]] = llvm.call_intrinsic "llvm.nvvm.shfl.sync.idx.i32"(%{{.+}}, %[[WARPGROUP]]
// CHECK: %[[IS0:.+]] = arith.cmpi eq, %[[UNIFORM]], %c0
// CHECK: scf.if %[[IS0]] {
// CHECK: setmaxnreg.dec.sync.aligned.u32 40;
// CHECK: scf.if
// CHECK-NEXT: "mbarrier.arrive.shared::cta.b64 _, [$0];", "r,~{memory}"
// CHECK: } else {
// CHECK: arith.subi %[[TID]], %c128
// CHECK: setmaxnreg.inc.sync.aligned.u32 232;
// CHECK: llvm.nvvm.barrier.cta.sync.aligned.count"(%c2_i32, %c256_i32)
// CHECK: "@$1 mbarrier.arrive.shared::cta.b64 _, [$0];"
// CHECK: }
// CHECK: llvm.nvvm.barrier.cta.sync.aligned.all"(%c0_i32)
tile.kernel @teams() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 384 : i64, shared_bytes = 512 : i64} {
  %b = tile.barrier_alloc "b" count 1 {offset = 256 : i64} : !tile.barrier<1>
  tile.warpgroup [0] {
    tile.set_max_registers 40
    tile.arrive %b : !tile.barrier<1>
  }, [1, 2] {
    tile.set_max_registers 232
    tile.barrier
    tile.arrive %b : !tile.barrier<1>
  }
  tile.barrier
  tile.return
}

// -----

// Tests that threads of a team whose groups are no neighbours are counted from
// 0 too.
// CHECK-LABEL: llvm.func @apart
// CHECK: %[[GROUP:.+]] = llvm.call_intrinsic "llvm.nvvm.shfl.sync.idx.i32"
// CHECK: %[[IS2:.+]] = arith.cmpi eq, %[[GROUP]], %c2
// CHECK: arith.ori
// CHECK: %[[START:.+]] = arith.select %[[IS2]], %c128_i32, %c0_i32
// CHECK: %[[REST:.+]] = arith.andi %{{.+}}, %c127_i32
// CHECK: arith.addi %[[START]], %[[REST]]
tile.kernel @apart() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 384 : i64, shared_bytes = 512 : i64} {
  %b = tile.barrier_alloc "b" count 1 {offset = 256 : i64} : !tile.barrier<1>
  tile.warpgroup [0, 2] {
    tile.barrier
    tile.arrive %b : !tile.barrier<1>
  }, [1] {
    tile.barrier
  }
  tile.return
}
