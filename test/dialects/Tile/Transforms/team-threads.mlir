// RUN: tile-opt %s --convert-tile-to-nvvm --canonicalize --cse --split-input-file | FileCheck %s

// Tests that a team which only counts, copies and synchronises is one thread,
// loops and all: nothing in it elects another one.
// CHECK-LABEL: llvm.func @alone
// CHECK: %[[LEADER:.+]] = arith.andi %{{.+}}, %{{.+}} : i1
// CHECK-NEXT: setmaxnreg.dec.sync.aligned.u32 40;
// CHECK-NEXT: scf.if %[[LEADER]] {
// CHECK-NEXT: scf.for
// CHECK-NOT: elect.sync
// CHECK-NOT: scf.if
// CHECK: "mbarrier.arrive.shared::cta.b64 _, [$0];", "r,~{memory}"
// CHECK: } else {
tile.kernel @alone(%n: i64 {tile.name = "n", tile.dtype = "int64"}) attributes {symbols = [], checks = [], grid = [], axes = [], threads = 384 : i64, shared_bytes = 512 : i64} {
  %b = tile.barrier_alloc "b" count 1 {offset = 256 : i64} : !tile.barrier<1>
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  tile.warpgroup [0] {
    tile.set_max_registers 40
    scf.for %k = %c0 to %n step %c1 : i64 {
      tile.wait %b, %c0 : !tile.barrier<1>
      tile.arrive %b : !tile.barrier<1>
    }
  }, [1, 2] {
    tile.set_max_registers 232
    tile.barrier
  }
  tile.return
}

// -----

// Tests that a team which holds a fragment stays together, and that each team
// gets a copy of a constant fragment that both use.
#rows = #tile.layout<"128x8 registers=[[0,1],[0,2],[0,4]] lanes=[[1,0],[2,0],[4,0],[8,0],[16,0]] warps=[[32,0],[64,0]]">
// CHECK-LABEL: llvm.func @together
// CHECK: llvm.nvvm.barrier.cta.sync
// CHECK: scf.if %{{.+}} {
// CHECK-NOT: scf.if
// CHECK: llvm.store
// CHECK: "@$1 mbarrier.arrive.shared::cta.b64 _, [$0];"
// CHECK: } else {
// CHECK: llvm.store
tile.kernel @together() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 256 : i64, shared_bytes = 8704 : i64} {
  %s = tile.alloc_shared "s" {offset = 0 : i64} : !tile.shared<128x8xf32>
  %t = tile.alloc_shared "t" {offset = 4096 : i64} : !tile.shared<128x8xf32>
  %b = tile.barrier_alloc "b" count 1 {offset = 8192 : i64} : !tile.barrier<1>
  %ones = arith.constant dense<1.0> : tensor<128x8xf32, #rows>
  tile.warpgroup [0] {
    tile.store %ones, %s : tensor<128x8xf32, #rows>, !tile.shared<128x8xf32>
    tile.arrive %b : !tile.barrier<1>
  }, [1] {
    tile.store %ones, %t : tensor<128x8xf32, #rows>, !tile.shared<128x8xf32>
  }
  tile.return
}

// -----

// Tests that the registers of a multiprocessor are shared out among all threads
// of its blocks: 96 are fewer than the 168 of one block of 384 threads, and more
// than the 80 of two.
// CHECK-LABEL: llvm.func @one_block
// CHECK: setmaxnreg.dec.sync.aligned.u32 96;
// CHECK-LABEL: llvm.func @two_blocks
// CHECK: setmaxnreg.inc.sync.aligned.u32 96;
tile.kernel @one_block() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 384 : i64, shared_bytes = 512 : i64} {
  tile.warpgroup [0, 1, 2] {
    tile.set_max_registers 96
    tile.barrier
  }
  tile.return
}
tile.kernel @two_blocks() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 384 : i64, shared_bytes = 512 : i64, decisions = {min_blocks = 2 : i64}} {
  tile.warpgroup [0, 1, 2] {
    tile.set_max_registers 96
    tile.barrier
  }
  tile.return
}
