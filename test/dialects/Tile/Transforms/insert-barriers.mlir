// RUN: tile-opt %s --tile-insert-barriers --split-input-file | FileCheck %s

// Tests that a scratch tile gets one barrier between the store and the load.
// CHECK-LABEL: @store_then_load
// CHECK: tile.store
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.load
// CHECK-NOT: tile.barrier
tile.kernel @store_then_load() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %t = tile.alloc_shared : !tile.shared<16x8xf32>
  %x = arith.constant dense<1.0> : tensor<16x8xf32>
  tile.store %x, %t : tensor<16x8xf32>, !tile.shared<16x8xf32>
  %y = tile.load %t : !tile.shared<16x8xf32> -> tensor<16x8xf32>
  tile.return
}

// -----

// Tests that two loads need no barrier, nor do two tiles in different memory.
// CHECK-LABEL: @no_conflict
// CHECK-NOT: tile.barrier
// CHECK: tile.return
tile.kernel @no_conflict() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %t = tile.alloc_shared {offset = 0 : i64} : !tile.shared<16x8xf32>
  %u = tile.alloc_shared {offset = 512 : i64} : !tile.shared<16x8xf32>
  %x = tile.load %t : !tile.shared<16x8xf32> -> tensor<16x8xf32>
  %y = tile.load %t : !tile.shared<16x8xf32> -> tensor<16x8xf32>
  tile.store %x, %u : tensor<16x8xf32>, !tile.shared<16x8xf32>
  tile.return
}

// -----

// Tests that a tile placed over another one is not written while that is read.
// CHECK-LABEL: @overlaid_tiles
// CHECK: tile.load
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.store
tile.kernel @overlaid_tiles() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %t = tile.alloc_shared {offset = 0 : i64} : !tile.shared<16x8xf32>
  %u = tile.alloc_shared {offset = 384 : i64} : !tile.shared<16x8xf32>
  %x = tile.load %t : !tile.shared<16x8xf32> -> tensor<16x8xf32>
  tile.store %x, %u : tensor<16x8xf32>, !tile.shared<16x8xf32>
  tile.return
}

// -----

// Tests that a write after a write needs a barrier, and that a barrier already
// there is enough.
// CHECK-LABEL: @write_after_write
// CHECK: tile.store
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.store
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.load
tile.kernel @write_after_write() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %t = tile.alloc_shared : !tile.shared<16x8xf32>
  %x = arith.constant dense<1.0> : tensor<16x8xf32>
  tile.store %x, %t : tensor<16x8xf32>, !tile.shared<16x8xf32>
  tile.store %x, %t : tensor<16x8xf32>, !tile.shared<16x8xf32>
  tile.barrier
  %y = tile.load %t : !tile.shared<16x8xf32> -> tensor<16x8xf32>
  tile.return
}

// -----

// Tests that a loop which writes and then reads a tile orders both, also across
// its back edge.
// CHECK-LABEL: @serial_loop
// CHECK-NOT: tile.barrier
// CHECK: scf.for
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.copy
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.load
// CHECK-NEXT: }
// CHECK-NEXT: tile.return
tile.kernel @serial_loop(%A: !tile.global<?x?xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "in", tile.dims = ["M", "K"]})
    attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %n = arith.constant 10 : i64
  %t = tile.alloc_shared : !tile.shared<16x8xf32>
  scf.for %i = %c0 to %n step %c1 : i64 {
    tile.copy %A[%i, %c0] to %t : !tile.global<?x?xf32>, !tile.shared<16x8xf32>
    %x = tile.load %t : !tile.shared<16x8xf32> -> tensor<16x8xf32>
  }
  tile.return
}

// -----

// Tests that what stands before a loop is ordered before it, not at every
// iteration.
// CHECK-LABEL: @invariant_tile
// CHECK: tile.copy
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: scf.for
// CHECK-NEXT: tile.load
// CHECK-NEXT: }
tile.kernel @invariant_tile(%A: !tile.global<?x?xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "in", tile.dims = ["M", "K"]})
    attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %n = arith.constant 10 : i64
  %t = tile.alloc_shared : !tile.shared<16x8xf32>
  tile.copy %A[%c0, %c0] to %t : !tile.global<?x?xf32>, !tile.shared<16x8xf32>
  scf.for %i = %c0 to %n step %c1 : i64 {
    %x = tile.load %t : !tile.shared<16x8xf32> -> tensor<16x8xf32>
  }
  tile.return
}

// -----

// Tests that a loop which may run no iteration orders nothing by itself.
// CHECK-LABEL: @empty_loop
// CHECK: tile.store
// CHECK-NEXT: scf.for
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: }
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.load
tile.kernel @empty_loop(%n: i64 {tile.name = "n", tile.dtype = "int64"})
    attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %t = tile.alloc_shared : !tile.shared<16x8xf32>
  %x = arith.constant dense<1.0> : tensor<16x8xf32>
  tile.store %x, %t : tensor<16x8xf32>, !tile.shared<16x8xf32>
  scf.for %i = %c0 to %n step %c1 : i64 {
    tile.barrier
  }
  %y = tile.load %t : !tile.shared<16x8xf32> -> tensor<16x8xf32>
  tile.return
}

// -----

// Tests that the pipelined loop gets exactly one barrier for each iteration:
// behind the wait, in front of the copy that refills the buffer read last.
// CHECK-LABEL: @pipelined_loop
// CHECK-NOT: tile.barrier
// CHECK: scf.for
// CHECK-NEXT: tile.wait_group 1
// CHECK-NOT: tile.async_copy
// CHECK: tile.barrier
// CHECK-NEXT: tile.async_copy
// CHECK-NOT: tile.barrier
// CHECK: tile.return
tile.kernel @pipelined_loop(
    %A: !tile.global<?x?xbf16> {tile.name = "A", tile.dtype = "bf16", tile.access = "in", tile.dims = ["M", "K"]},
    %B: !tile.global<?x?xbf16> {tile.name = "B", tile.dtype = "bf16", tile.access = "in", tile.dims = ["K", "N"]},
    %n: i64 {tile.name = "n", tile.dtype = "int64"})
    attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  %c16 = arith.constant 16 : i64
  %as = tile.alloc_shared "As" {offset = 0 : i64} : !tile.shared<3x16x16xbf16>
  %bs = tile.alloc_shared "Bs" {offset = 2048 : i64} : !tile.shared<3x16x16xbf16>
  %a0 = tile.stage %as[%c0] offset 0 : !tile.shared<3x16x16xbf16> -> !tile.shared<16x16xbf16>
  %b0 = tile.stage %bs[%c0] offset 0 : !tile.shared<3x16x16xbf16> -> !tile.shared<16x16xbf16>
  tile.async_copy %A[%c0, %c0] to %a0 : !tile.global<?x?xbf16>, !tile.shared<16x16xbf16>
  tile.async_copy %B[%c0, %c0] to %b0 : !tile.global<?x?xbf16>, !tile.shared<16x16xbf16>
  tile.commit_group
  %a1 = tile.stage %as[%c0] offset 1 : !tile.shared<3x16x16xbf16> -> !tile.shared<16x16xbf16>
  %b1 = tile.stage %bs[%c0] offset 1 : !tile.shared<3x16x16xbf16> -> !tile.shared<16x16xbf16>
  tile.async_copy %A[%c0, %c16] to %a1 : !tile.global<?x?xbf16>, !tile.shared<16x16xbf16>
  tile.async_copy %B[%c16, %c0] to %b1 : !tile.global<?x?xbf16>, !tile.shared<16x16xbf16>
  tile.commit_group
  scf.for %i = %c0 to %n step %c1 : i64 {
    tile.wait_group 1
    %next = arith.addi %i, %c2 : i64
    %exists = arith.cmpi slt, %next, %n : i64
    %k = arith.muli %next, %c16 : i64
    %an = tile.stage %as[%i] offset 2 : !tile.shared<3x16x16xbf16> -> !tile.shared<16x16xbf16>
    tile.async_copy %A[%c0, %k] to %an if %exists : !tile.global<?x?xbf16>, !tile.shared<16x16xbf16>
    %bn = tile.stage %bs[%i] offset 2 : !tile.shared<3x16x16xbf16> -> !tile.shared<16x16xbf16>
    tile.async_copy %B[%k, %c0] to %bn if %exists : !tile.global<?x?xbf16>, !tile.shared<16x16xbf16>
    tile.commit_group
    %a = tile.stage %as[%i] offset 0 : !tile.shared<3x16x16xbf16> -> !tile.shared<16x16xbf16>
    %b = tile.stage %bs[%i] offset 0 : !tile.shared<3x16x16xbf16> -> !tile.shared<16x16xbf16>
    %x = tile.load %a : !tile.shared<16x16xbf16> -> tensor<16x16xbf16>
    %y = tile.load %b : !tile.shared<16x16xbf16> -> tensor<16x16xbf16>
  }
  tile.return
}

// -----

// Tests the same with two buffers, where each wait is for the latest group.
// CHECK-LABEL: @two_stages
// CHECK-NOT: tile.barrier
// CHECK: scf.for
// CHECK: tile.wait_group 0
// CHECK: tile.barrier
// CHECK-NEXT: tile.async_copy
// CHECK-NOT: tile.barrier
// CHECK: tile.return
tile.kernel @two_stages(
    %A: !tile.global<?x?xbf16> {tile.name = "A", tile.dtype = "bf16", tile.access = "in", tile.dims = ["M", "K"]},
    %n: i64 {tile.name = "n", tile.dtype = "int64"})
    attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %as = tile.alloc_shared "As" : !tile.shared<2x16x16xbf16>
  %a0 = tile.stage %as[%c0] offset 0 : !tile.shared<2x16x16xbf16> -> !tile.shared<16x16xbf16>
  tile.async_copy %A[%c0, %c0] to %a0 : !tile.global<?x?xbf16>, !tile.shared<16x16xbf16>
  tile.commit_group
  scf.for %i = %c0 to %n step %c1 : i64 {
    tile.wait_group 0
    %an = tile.stage %as[%i] offset 1 : !tile.shared<2x16x16xbf16> -> !tile.shared<16x16xbf16>
    tile.async_copy %A[%c0, %i] to %an : !tile.global<?x?xbf16>, !tile.shared<16x16xbf16>
    tile.commit_group
    %a = tile.stage %as[%i] offset 0 : !tile.shared<2x16x16xbf16> -> !tile.shared<16x16xbf16>
    %x = tile.load %a : !tile.shared<16x16xbf16> -> tensor<16x16xbf16>
  }
  tile.return
}

// -----

// Tests that a loop which starts its copy before the wait needs a barrier for
// the refill and another one for what was waited for.
// CHECK-LABEL: @copy_before_wait
// CHECK: scf.for
// CHECK: tile.barrier
// CHECK-NEXT: tile.async_copy
// CHECK-NEXT: tile.commit_group
// CHECK-NEXT: tile.wait_group 1
// CHECK: tile.barrier
// CHECK-NEXT: tile.load
// CHECK-NOT: tile.barrier
// CHECK: tile.return
tile.kernel @copy_before_wait(
    %A: !tile.global<?x?xbf16> {tile.name = "A", tile.dtype = "bf16", tile.access = "in", tile.dims = ["M", "K"]},
    %n: i64 {tile.name = "n", tile.dtype = "int64"})
    attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %as = tile.alloc_shared "As" : !tile.shared<2x16x16xbf16>
  %a0 = tile.stage %as[%c0] offset 0 : !tile.shared<2x16x16xbf16> -> !tile.shared<16x16xbf16>
  tile.async_copy %A[%c0, %c0] to %a0 : !tile.global<?x?xbf16>, !tile.shared<16x16xbf16>
  tile.commit_group
  scf.for %i = %c0 to %n step %c1 : i64 {
    %an = tile.stage %as[%i] offset 1 : !tile.shared<2x16x16xbf16> -> !tile.shared<16x16xbf16>
    tile.async_copy %A[%c0, %i] to %an : !tile.global<?x?xbf16>, !tile.shared<16x16xbf16>
    tile.commit_group
    tile.wait_group 1
    %a = tile.stage %as[%i] offset 0 : !tile.shared<2x16x16xbf16> -> !tile.shared<16x16xbf16>
    %x = tile.load %a : !tile.shared<16x16xbf16> -> tensor<16x16xbf16>
  }
  tile.return
}

// -----

// Tests that buffers whose iterations are not related are not told apart.
// CHECK-LABEL: @unrelated_iterations
// CHECK: tile.store
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.load
tile.kernel @unrelated_iterations(%i: i64 {tile.name = "i", tile.dtype = "int64"},
                                  %j: i64 {tile.name = "j", tile.dtype = "int64"})
    attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %t = tile.alloc_shared : !tile.shared<2x16x8xf32>
  %x = arith.constant dense<1.0> : tensor<16x8xf32>
  %s = tile.stage %t[%i] offset 0 : !tile.shared<2x16x8xf32> -> !tile.shared<16x8xf32>
  %u = tile.stage %t[%j] offset 1 : !tile.shared<2x16x8xf32> -> !tile.shared<16x8xf32>
  tile.store %x, %s : tensor<16x8xf32>, !tile.shared<16x8xf32>
  %y = tile.load %u : !tile.shared<16x8xf32> -> tensor<16x8xf32>
  tile.return
}

// -----

// Tests that the bytes of a packed tile are the tile.
// CHECK-LABEL: @bytes_of_a_tile
// CHECK: tile.copy
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.load
tile.kernel @bytes_of_a_tile(%A: !tile.global<?x?xi8> {tile.name = "A", tile.dtype = "uint8", tile.access = "in", tile.dims = ["M", "K"]})
    attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %c0 = arith.constant 0 : i64
  %t = tile.alloc_shared : !tile.shared<16x32xi4, pack = 1>
  %b = tile.bytes %t : !tile.shared<16x32xi4, pack = 1> -> !tile.shared<16x16xi8>
  tile.copy %A[%c0, %c0] to %b : !tile.global<?x?xi8>, !tile.shared<16x16xi8>
  %y = tile.load %t : !tile.shared<16x32xi4, pack = 1> -> tensor<16x32xi4>
  tile.return
}

// -----

// Tests that a conflict in one branch is settled in that branch, and that the
// other one is still remembered after it.
// CHECK-LABEL: @branches
// CHECK: scf.if
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.load
// CHECK-NEXT: }
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.load
tile.kernel @branches(%n: i1 {tile.name = "n", tile.dtype = "bool"})
    attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %t = tile.alloc_shared : !tile.shared<16x8xf32>
  %x = arith.constant dense<1.0> : tensor<16x8xf32>
  tile.store %x, %t : tensor<16x8xf32>, !tile.shared<16x8xf32>
  scf.if %n {
    %y = tile.load %t : !tile.shared<16x8xf32> -> tensor<16x8xf32>
  }
  %z = tile.load %t : !tile.shared<16x8xf32> -> tensor<16x8xf32>
  tile.return
}

// -----

// Tests that a while loop is ordered across its back edge, condition included.
// CHECK-LABEL: @while_loop
// CHECK: scf.while
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.load_element
// CHECK: } do {
// CHECK: tile.barrier
// CHECK-NEXT: tile.store_element
tile.kernel @while_loop(%zero: i32 {tile.name = "zero", tile.dtype = "int32"})
    attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %c0 = arith.constant 0 : i64
  %t = tile.alloc_shared : !tile.shared<16xi32>
  scf.while : () -> () {
    %x = tile.load_element %t[%c0] : !tile.shared<16xi32> -> i32
    %more = arith.cmpi ne, %x, %zero : i32
    scf.condition(%more)
  } do {
    tile.store_element %zero, %t[%c0] : i32, !tile.shared<16xi32>
    scf.yield
  }
  tile.return
}

// -----

// Tests that a barrier stands in front of a loop over elements, never in it.
// CHECK-LABEL: @element_loop
// CHECK: tile.store
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.parallel
// CHECK-NOT: tile.barrier
// CHECK: tile.return
tile.kernel @element_loop() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %t = tile.alloc_shared : !tile.shared<16x8xf32>
  %x = arith.constant dense<1.0> : tensor<16x8xf32>
  tile.store %x, %t : tensor<16x8xf32>, !tile.shared<16x8xf32>
  %r = tile.parallel (%i, %j) in (16, 8) init(%x : tensor<16x8xf32>) {
    %y = tile.load_element %t[%i, %j] : !tile.shared<16x8xf32> -> f32
    tile.store_element %y, %t[%i, %j] : f32, !tile.shared<16x8xf32>
    tile.yield %y : f32
  }
  tile.return
}

// -----

// Tests that a block sees its own stores to a tensor, and those through another
// parameter that may be the same memory.
// CHECK-LABEL: @global_memory
// CHECK: tile.store
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.load %{{.*}} : !tile.global<?xf32> -> tensor<128xf32>
// CHECK-NEXT: tile.store
// CHECK-NOT: tile.barrier
// CHECK: tile.return
tile.kernel @global_memory(
    %X: !tile.global<?xf32> {tile.name = "X", tile.dtype = "f32", tile.access = "in", tile.dims = ["N"]},
    %Y: !tile.global<?xf32> {tile.name = "Y", tile.dtype = "f32", tile.access = "out", tile.dims = ["N"]},
    %Z: !tile.global<?xf32> {tile.name = "Z", tile.dtype = "f32", tile.access = "out", tile.dims = ["N"], tile.noalias})
    attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %c0 = arith.constant 0 : i64
  %x = arith.constant dense<1.0> : tensor<128xf32>
  tile.store %x, %Y[%c0] : tensor<128xf32>, !tile.global<?xf32>
  %y = tile.load %X[%c0] : !tile.global<?xf32> -> tensor<128xf32>
  tile.store %y, %Z[%c0] : tensor<128xf32>, !tile.global<?xf32>
  tile.return
}

// -----

// Tests that iterations which update disjoint parts of a tensor, each element in
// one thread, need no barrier; the layouts say which thread.
#l = #tile.layout<"128 registers=[] lanes=[[1],[2],[4],[8],[16]] warps=[[32],[64]]">
// CHECK-LABEL: @update_in_place
// CHECK-NOT: tile.barrier
// CHECK: tile.return
tile.kernel @update_in_place(
    %X: !tile.global<?xf32> {tile.name = "X", tile.dtype = "f32", tile.access = "inout", tile.dims = ["N"]},
    %n: i64 {tile.name = "n", tile.dtype = "int64"})
    attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %c0 = arith.constant 0 : i64
  %c128 = arith.constant 128 : i64
  scf.for %i = %c0 to %n step %c128 : i64 {
    %x = tile.load %X[%i] : !tile.global<?xf32> -> tensor<128xf32, #l>
    %y = arith.addf %x, %x : tensor<128xf32, #l>
    tile.store %y, %X[%i] : tensor<128xf32, #l>, !tile.global<?xf32>
  }
  tile.return
}

// -----

// Tests that parts which overlap from one iteration to the next are ordered.
#l = #tile.layout<"128 registers=[] lanes=[[1],[2],[4],[8],[16]] warps=[[32],[64]]">
// CHECK-LABEL: @running_sum
// CHECK: scf.for
// CHECK-NEXT: arith.subi
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.load
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.store
tile.kernel @running_sum(
    %X: !tile.global<?xf32> {tile.name = "X", tile.dtype = "f32", tile.access = "inout", tile.dims = ["N"]},
    %n: i64 {tile.name = "n", tile.dtype = "int64"})
    attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c128 = arith.constant 128 : i64
  scf.for %i = %c0 to %n step %c128 : i64 {
    %before = arith.subi %i, %c1 : i64
    %x = tile.load %X[%before] : !tile.global<?xf32> -> tensor<128xf32, #l>
    tile.store %x, %X[%i] : tensor<128xf32, #l>, !tile.global<?xf32>
  }
  tile.return
}

// -----

// Tests that a tile placed where another one was waits for copies that may
// still arrive there.
// CHECK-LABEL: @copy_still_running
// CHECK: tile.commit_group
// CHECK-NEXT: tile.wait_group 0
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.store
tile.kernel @copy_still_running(%A: !tile.global<?x?xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "in", tile.dims = ["M", "K"]})
    attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %c0 = arith.constant 0 : i64
  %t = tile.alloc_shared {offset = 0 : i64} : !tile.shared<16x8xf32>
  %u = tile.alloc_shared {offset = 0 : i64} : !tile.shared<16x8xf32>
  %x = arith.constant dense<1.0> : tensor<16x8xf32>
  tile.async_copy %A[%c0, %c0] to %t : !tile.global<?x?xf32>, !tile.shared<16x8xf32>
  tile.commit_group
  tile.store %x, %u : tensor<16x8xf32>, !tile.shared<16x8xf32>
  tile.return
}

// -----

// Tests that a read of a copy that was not waited for is left to the program.
// CHECK-LABEL: @not_waited_for
// CHECK: tile.async_copy
// CHECK-NEXT: tile.commit_group
// CHECK-NEXT: tile.load
tile.kernel @not_waited_for(%A: !tile.global<?x?xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "in", tile.dims = ["M", "K"]})
    attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %c0 = arith.constant 0 : i64
  %t = tile.alloc_shared : !tile.shared<16x8xf32>
  tile.async_copy %A[%c0, %c0] to %t : !tile.global<?x?xf32>, !tile.shared<16x8xf32>
  tile.commit_group
  %y = tile.load %t : !tile.shared<16x8xf32> -> tensor<16x8xf32>
  tile.return
}

// -----

// Tests that an arrival waits for what its team did, that one of a warpgroup
// does not, and that a team of its own has barriers of its own: one in front of
// all teams, one behind.
// CHECK-LABEL: @teams
// CHECK: tile.store
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.warpgroup [0] {
// CHECK-NEXT: tile.wait
// CHECK-NEXT: tile.expect
// CHECK-NEXT: tile.tma_copy
// CHECK-NEXT: }, [1] {
// CHECK-NEXT: tile.wait
// CHECK-NEXT: tile.load
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.arrive
// CHECK-NEXT: tile.load
// CHECK-NEXT: tile.arrive {{.*}}per_warpgroup} : <1>
// CHECK-NEXT: }
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.load
tile.kernel @teams(%A: !tile.global<?x?xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "in", tile.dims = ["M", "N"]}) attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "N", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 256 : i64} {
  %t = tile.alloc_shared : !tile.shared<16x8xf32>
  %u = tile.alloc_shared : !tile.shared<16x8xf32>
  %b = tile.barrier_alloc count 1 : !tile.barrier<1>
  %c = tile.barrier_alloc count 1 : !tile.barrier<1>
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %bytes = arith.constant 512 : i64
  %x = arith.constant dense<1.0> : tensor<16x8xf32>
  tile.store %x, %u : tensor<16x8xf32>, !tile.shared<16x8xf32>
  tile.warpgroup [0] {
    tile.wait %c, %c1 : !tile.barrier<1>
    tile.expect %b, %bytes : !tile.barrier<1>
    tile.tma_copy %A[%c0, %c0] to %t barrier %b : !tile.global<?x?xf32>, !tile.shared<16x8xf32>, !tile.barrier<1>
  }, [1] {
    tile.wait %b, %c0 : !tile.barrier<1>
    %y = tile.load %t : !tile.shared<16x8xf32> -> tensor<16x8xf32>
    tile.arrive %c : !tile.barrier<1>
    %z = tile.load %t : !tile.shared<16x8xf32> -> tensor<16x8xf32>
    tile.arrive %c {per_warpgroup} : !tile.barrier<1>
  }
  %y = tile.load %t : !tile.shared<16x8xf32> -> tensor<16x8xf32>
  tile.return
}

// -----

// Tests a block that loads by TMA by itself: a copy starts when the tile has
// been read by all, and no thread may still be waiting for a phase that the
// next copy ends again.
// CHECK-LABEL: @one_buffer
// CHECK: scf.for
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.expect
// CHECK-NEXT: tile.tma_copy
// CHECK-NEXT: tile.wait
// CHECK-NEXT: tile.load
// CHECK-NEXT: }
tile.kernel @one_buffer(%A: !tile.global<?x?xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "in", tile.dims = ["M", "N"]}) attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "N", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 256 : i64} {
  %t = tile.alloc_shared : !tile.shared<16x8xf32>
  %b = tile.barrier_alloc count 1 : !tile.barrier<1>
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c4 = arith.constant 4 : i64
  %bytes = arith.constant 512 : i64
  scf.for %i = %c0 to %c4 step %c1 : i64 {
    tile.expect %b, %bytes : !tile.barrier<1>
    tile.tma_copy %A[%i, %c0] to %t barrier %b : !tile.global<?x?xf32>, !tile.shared<16x8xf32>, !tile.barrier<1>
    tile.wait %b, %i : !tile.barrier<1>
    %y = tile.load %t : !tile.shared<16x8xf32> -> tensor<16x8xf32>
  }
  tile.return
}

// -----

// Tests that a team whose threads all arrive with copies of their own needs no
// barrier in front of what one of them does at the same barrier: its phase waits
// for all. At another one they are together first, as in front of a read's end.
// CHECK-LABEL: @arrivals_of_all
// CHECK: scf.for
// CHECK-NEXT: tile.wait
// CHECK-NEXT: tile.expect
// CHECK-NEXT: tile.tma_copy
// CHECK-NEXT: tile.async_copy
// CHECK-NEXT: tile.arrive {{.*}}after_copies} : <1>
// CHECK-NEXT: }
// CHECK-NEXT: tile.wait
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.expect
// CHECK-NEXT: tile.tma_copy
// CHECK-NEXT: tile.async_copy
// CHECK-NEXT: tile.arrive {{.*}}after_copies} : <1>
// CHECK: tile.load
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.expect
tile.kernel @arrivals_of_all(%A: !tile.global<?x?xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "in", tile.dims = ["M", "N"]}) attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "N", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %t = tile.alloc_shared : !tile.shared<16x8xf32>
  %u = tile.alloc_shared : !tile.shared<16x8xf32>
  %v = tile.alloc_shared : !tile.shared<16x8xf32>
  %full = tile.barrier_alloc count 129 : !tile.barrier<1>
  %other = tile.barrier_alloc count 129 : !tile.barrier<1>
  %empty = tile.barrier_alloc count 1 : !tile.barrier<1>
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c4 = arith.constant 4 : i64
  %bytes = arith.constant 512 : i64
  scf.for %i = %c0 to %c4 step %c1 : i64 {
    tile.wait %empty, %i : !tile.barrier<1>
    tile.expect %full, %bytes : !tile.barrier<1>
    tile.tma_copy %A[%i, %c0] to %t barrier %full : !tile.global<?x?xf32>, !tile.shared<16x8xf32>, !tile.barrier<1>
    tile.async_copy %A[%i, %c0] to %u : !tile.global<?x?xf32>, !tile.shared<16x8xf32>
    tile.arrive %full {after_copies} : !tile.barrier<1>
  }
  tile.wait %empty, %c1 : !tile.barrier<1>
  tile.expect %other, %bytes : !tile.barrier<1>
  tile.tma_copy %A[%c0, %c0] to %t barrier %full : !tile.global<?x?xf32>, !tile.shared<16x8xf32>, !tile.barrier<1>
  tile.async_copy %A[%c0, %c0] to %u : !tile.global<?x?xf32>, !tile.shared<16x8xf32>
  tile.arrive %full {after_copies} : !tile.barrier<1>
  %x = tile.load %v : !tile.shared<16x8xf32> -> tensor<16x8xf32>
  tile.expect %full, %bytes : !tile.barrier<1>
  tile.arrive %full {after_copies} : !tile.barrier<1>
  tile.return
}

// -----

// Tests that a store by TMA starts when the tile has been written, and that the
// tile is written again when the thread that started it has waited.
// CHECK-LABEL: @tma_store
// CHECK: tile.store
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.tma_copy
// CHECK-NEXT: tile.commit_group
// CHECK-NEXT: tile.wait_group 0 {read_only}
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.store
tile.kernel @tma_store(%C: !tile.global<?x?xf32> {tile.name = "C", tile.dtype = "f32", tile.access = "out", tile.dims = ["M", "N"]}) attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "N", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 256 : i64} {
  %t = tile.alloc_shared : !tile.shared<16x8xf32>
  %c0 = arith.constant 0 : i64
  %x = arith.constant dense<1.0> : tensor<16x8xf32>
  tile.store %x, %t : tensor<16x8xf32>, !tile.shared<16x8xf32>
  tile.tma_copy %t to %C[%c0, %c0] : !tile.shared<16x8xf32>, !tile.global<?x?xf32>
  tile.commit_group
  tile.wait_group 0 {read_only}
  tile.store %x, %t : tensor<16x8xf32>, !tile.shared<16x8xf32>
  tile.return
}

// -----

// Tests that groups of copies do not stay open where teams begin or end.
// CHECK-LABEL: @groups_of_teams
// CHECK: tile.async_copy
// CHECK-NEXT: tile.commit_group
// CHECK-NEXT: tile.wait_group 0
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.warpgroup [0] {
// CHECK-NEXT: tile.async_copy
// CHECK-NEXT: tile.commit_group
// CHECK-NEXT: tile.wait_group 0
// CHECK-NEXT: }
tile.kernel @groups_of_teams(%A: !tile.global<?x?xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "in", tile.dims = ["M", "N"]}) attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "N", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %t = tile.alloc_shared : !tile.shared<16x8xf32>
  %u = tile.alloc_shared : !tile.shared<16x8xf32>
  %c0 = arith.constant 0 : i64
  tile.async_copy %A[%c0, %c0] to %t : !tile.global<?x?xf32>, !tile.shared<16x8xf32>
  tile.warpgroup [0] {
    tile.async_copy %A[%c0, %c0] to %u : !tile.global<?x?xf32>, !tile.shared<16x8xf32>
  }
  tile.return
}

// -----

// Tests that what a block has written stands in front of a barrier before it is
// counted, that no other one is behind, and that tensors are other memory.
// CHECK-LABEL: @counted
// CHECK-NOT: tile.barrier
// CHECK: tile.store
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.last_share
// CHECK-NOT: tile.barrier
tile.kernel @counted(%A: !tile.global<?x?xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "in", tile.dims = ["M", "K"]})
    attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "K", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 128 : i64, tile.shares = 2 : i64} {
  %c0 = arith.constant 0 : i64
  %w = tile.workspace {offset = 65536 : i64, place_bytes = 1024 : i64} : !tile.global<2x16x8xf32>
  %x = tile.load %A[%c0, %c0] : !tile.global<?x?xf32> -> tensor<16x8xf32>
  tile.store %x, %w[%c0, %c0, %c0] : tensor<16x8xf32>, !tile.global<2x16x8xf32>
  %l = tile.last_share : i1
  %y = tile.load %w[%c0, %c0, %c0] : !tile.global<2x16x8xf32> -> tensor<16x8xf32>
  tile.return
}
