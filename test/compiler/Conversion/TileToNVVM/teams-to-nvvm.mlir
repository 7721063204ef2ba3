// RUN: tile-opt %s --convert-tile-to-nvvm --canonicalize --cse --split-input-file | FileCheck %s

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

// -----

// Tests that warpgroups are counted within their team: by the thread's number
// in it.
// CHECK-LABEL: llvm.func @counted
// CHECK: %[[IN_TEAM:.+]] = arith.subi %{{.+}}, %c128_i32
// CHECK: %[[NUMBER:.+]] = arith.shrui %[[IN_TEAM]], %c7_i32
// CHECK: llvm.call_intrinsic "llvm.nvvm.shfl.sync.idx.i32"(%{{.+}}, %[[NUMBER]],
tile.kernel @counted() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 384 : i64, shared_bytes = 512 : i64} {
  %b = tile.barrier_alloc "b" count 1 {offset = 256 : i64} : !tile.barrier<2>
  tile.warpgroup [0] {
    tile.barrier
  }, [1, 2] {
    %g = tile.warpgroup_number : i64
    tile.arrive %b[%g] {per_warpgroup} : !tile.barrier<2>
  }
  tile.return
}
