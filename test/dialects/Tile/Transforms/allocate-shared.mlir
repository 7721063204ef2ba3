// RUN: tile-opt %s --tile-allocate-shared --split-input-file | FileCheck %s

// Tests that tiles that live at the same time are placed one after the other,
// the largest first, and that the kernel knows the sum.
// CHECK-LABEL: @side_by_side
// CHECK-SAME: shared_bytes = 2560 : i64
// CHECK: tile.alloc_shared "small" {offset = 2048 : i64}
// CHECK: tile.alloc_shared "large" {offset = 0 : i64}
tile.kernel @side_by_side() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %s = tile.alloc_shared "small" : !tile.shared<16x8xf32>
  %l = tile.alloc_shared "large" : !tile.shared<64x8xf32>
  %x = tile.load %s : !tile.shared<16x8xf32> -> tensor<16x8xf32>
  %y = tile.load %l : !tile.shared<64x8xf32> -> tensor<64x8xf32>
  %z = tile.load %s : !tile.shared<16x8xf32> -> tensor<16x8xf32>
  tile.return
}

// -----

// Tests that what other blocks send to has memory of its own: they may send
// while this block is elsewhere.
// CHECK-LABEL: @inbox
// CHECK-SAME: shared_bytes = 784 : i64
// CHECK: tile.alloc_shared "other" {offset = 0 : i64}
// CHECK: tile.alloc_shared "inbox" {offset = 512 : i64}
tile.kernel @inbox() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64, tile.shares = 2 : i64, cluster = 2 : i64} {
  %o = tile.alloc_shared "other" : !tile.shared<16x8xf32>
  %i = tile.alloc_shared "inbox" : !tile.shared<1x8x8xf32>
  %b = tile.barrier_alloc "b" count 1 : !tile.barrier<1>
  %x = tile.load %o : !tile.shared<16x8xf32> -> tensor<16x8xf32>
  tile.send %x to %i, %b : tensor<16x8xf32>, !tile.shared<1x8x8xf32>, !tile.barrier<1>
  tile.return
}

// -----

// Tests that tiles whose lives do not meet share memory, wherever they are
// allocated.
// CHECK-LABEL: @overlay
// CHECK-SAME: shared_bytes = 2048 : i64
// CHECK: tile.alloc_shared "first" {offset = 0 : i64}
// CHECK: tile.alloc_shared "second" {offset = 0 : i64}
tile.kernel @overlay() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %f = tile.alloc_shared "first" : !tile.shared<16x8xf32>
  %s = tile.alloc_shared "second" : !tile.shared<64x8xf32>
  %x = tile.load %f : !tile.shared<16x8xf32> -> tensor<16x8xf32>
  %y = tile.load %s : !tile.shared<64x8xf32> -> tensor<64x8xf32>
  tile.return
}

// -----

// Tests that a tile from outside a loop lives through the whole loop, and one
// from inside only from its first to its last use there.
// CHECK-LABEL: @loops_extend_lives
// CHECK-SAME: shared_bytes = 1024 : i64
// CHECK: tile.alloc_shared "outside" {offset = 0 : i64}
// CHECK: tile.alloc_shared "in1" {offset = 512 : i64}
// CHECK: tile.alloc_shared "in2" {offset = 512 : i64}
tile.kernel @loops_extend_lives(%n: i64 {tile.name = "n", tile.dtype = "int64"})
    attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %o = tile.alloc_shared "outside" : !tile.shared<16x8xf32>
  scf.for %i = %c0 to %n step %c1 : i64 {
    %x = tile.load %o : !tile.shared<16x8xf32> -> tensor<16x8xf32>
    %a = tile.alloc_shared "in1" : !tile.shared<16x8xf32>
    %b = tile.alloc_shared "in2" : !tile.shared<16x8xf32>
    tile.store %x, %a : tensor<16x8xf32>, !tile.shared<16x8xf32>
    %y = tile.load %a : !tile.shared<16x8xf32> -> tensor<16x8xf32>
    tile.store %y, %b : tensor<16x8xf32>, !tile.shared<16x8xf32>
    %z = tile.load %b : !tile.shared<16x8xf32> -> tensor<16x8xf32>
  }
  tile.return
}

// -----

// Tests that the use of a view is a use of the tile.
// CHECK-LABEL: @views
// CHECK-SAME: shared_bytes = 1536 : i64
tile.kernel @views(%i: i64 {tile.name = "i", tile.dtype = "int64"})
    attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %t = tile.alloc_shared "staged" {tile.stages = 2 : i64} : !tile.shared<2x16x8xf32>
  %u = tile.alloc_shared "other" : !tile.shared<16x8xf32>
  %s = tile.stage %t[%i] offset 0 : !tile.shared<2x16x8xf32> -> !tile.shared<16x8xf32>
  %x = tile.load %u : !tile.shared<16x8xf32> -> tensor<16x8xf32>
  %y = tile.load %s : !tile.shared<16x8xf32> -> tensor<16x8xf32>
  tile.return
}

// -----

// Tests that a swizzled tile starts on a multiple of the swizzle's period, and
// any other on a multiple of 128 bytes.
// CHECK-LABEL: @alignment
// CHECK-SAME: shared_bytes = 5120 : i64
// CHECK: tile.alloc_shared "swizzled" {offset = 3072 : i64}
// CHECK: tile.alloc_shared "plain" {offset = 0 : i64}
// CHECK: tile.alloc_shared "tiny" {offset = 2304 : i64}
tile.kernel @alignment() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %s = tile.alloc_shared "swizzled" : !tile.shared<16x64xbf16, #tile.shared_layout<swizzle = [3, 4, 3]>>
  %p = tile.alloc_shared "plain" : !tile.shared<17x66xbf16>
  %t = tile.alloc_shared "tiny" : !tile.shared<6xf32>
  %x = tile.load %s : !tile.shared<16x64xbf16, #tile.shared_layout<swizzle = [3, 4, 3]>> -> tensor<16x64xbf16>
  %y = tile.load %p : !tile.shared<17x66xbf16> -> tensor<17x66xbf16>
  %z = tile.load %t : !tile.shared<6xf32> -> tensor<6xf32>
  %w = tile.load %s : !tile.shared<16x64xbf16, #tile.shared_layout<swizzle = [3, 4, 3]>> -> tensor<16x64xbf16>
  %v = tile.load %p : !tile.shared<17x66xbf16> -> tensor<17x66xbf16>
  tile.return
}

// -----

// Tests that a small tile goes into a gap between larger ones.
// CHECK-LABEL: @gap
// CHECK-SAME: shared_bytes = 5120 : i64
// CHECK: tile.alloc_shared "early" {offset = 0 : i64}
// CHECK: tile.alloc_shared "both" {offset = 3072 : i64}
// CHECK: tile.alloc_shared "late" {offset = 0 : i64}
// CHECK: tile.alloc_shared "small" {offset = 1024 : i64}
tile.kernel @gap() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %e = tile.alloc_shared "early" : !tile.shared<3072xi8>
  %b = tile.alloc_shared "both" : !tile.shared<2048xi8>
  %l = tile.alloc_shared "late" : !tile.shared<1024xi8>
  %s = tile.alloc_shared "small" : !tile.shared<512xi8>
  %0 = tile.load %e : !tile.shared<3072xi8> -> tensor<3072xi8>
  %1 = tile.load %b : !tile.shared<2048xi8> -> tensor<2048xi8>
  %2 = tile.load %e : !tile.shared<3072xi8> -> tensor<3072xi8>
  %3 = tile.load %l : !tile.shared<1024xi8> -> tensor<1024xi8>
  %4 = tile.load %s : !tile.shared<512xi8> -> tensor<512xi8>
  %5 = tile.load %l : !tile.shared<1024xi8> -> tensor<1024xi8>
  %6 = tile.load %b : !tile.shared<2048xi8> -> tensor<2048xi8>
  tile.return
}

// -----

// Tests that a kernel without shared tiles needs none, and that exactly the
// limit fits.
// CHECK-LABEL: @nothing
// CHECK-SAME: shared_bytes = 0 : i64
tile.kernel @nothing() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  tile.return
}

// CHECK-LABEL: @all_of_it
// CHECK-SAME: shared_bytes = 232448 : i64
tile.kernel @all_of_it() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %t = tile.alloc_shared : !tile.shared<454x512xi8>
  %x = tile.load %t : !tile.shared<454x512xi8> -> tensor<454x512xi8>
  tile.return
}

// -----

// Tests that barriers lie behind the tiles at multiples of 8 bytes, that a tile
// that TMA moves shares its memory with none, on a multiple of what its swizzle
// repeats after, and that tiles of teams that run at the same time do not share
// any either.
// CHECK-LABEL: @teams
// CHECK-SAME: shared_bytes = 5152 : i64
// CHECK: tile.barrier_alloc "few" count 1 {offset = 5120 : i64}
// CHECK: tile.alloc_shared "before" {offset = 2048 : i64}
// CHECK: tile.alloc_shared "moved" {offset = 0 : i64}
// CHECK: tile.alloc_shared "first" {offset = 4096 : i64}
// CHECK: tile.alloc_shared "second" {offset = 2048 : i64}
// CHECK: tile.barrier_alloc "more" count 1 {offset = 5128 : i64}
#swizzle = #tile.shared_layout<swizzle = [3, 4, 3]>
tile.kernel @teams(%A: !tile.global<?x?xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "in", tile.dims = ["M", "N"]}) attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "N", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 256 : i64} {
  %few = tile.barrier_alloc "few" count 1 : !tile.barrier<1>
  %before = tile.alloc_shared "before" : !tile.shared<16x8xf32>
  %x = tile.load %before : !tile.shared<16x8xf32> -> tensor<16x8xf32>
  %moved = tile.alloc_shared "moved" : !tile.shared<16x32xf32, #swizzle>
  %c0 = arith.constant 0 : i64
  tile.warpgroup [0] {
    tile.tma_copy %A[%c0, %c0] to %moved barrier %few : !tile.global<?x?xf32>, !tile.shared<16x32xf32, #swizzle>, !tile.barrier<1>
    %first = tile.alloc_shared "first" : !tile.shared<32x8xf32>
    %y = tile.load %first : !tile.shared<32x8xf32> -> tensor<32x8xf32>
  }, [1] {
    %second = tile.alloc_shared "second" : !tile.shared<64x8xf32>
    %y = tile.load %second : !tile.shared<64x8xf32> -> tensor<64x8xf32>
  }
  %more = tile.barrier_alloc "more" count 1 : !tile.barrier<3>
  tile.return
}

// -----

// Tests that a ring that one team fills for another lives until that has read
// it for the last time, where a tile of the reader may lie; and that another
// ring, which may be filled early, keeps its memory.
// CHECK-LABEL: @rings
// CHECK: tile.alloc_shared "read" {offset = 0 : i64
// CHECK: tile.alloc_shared "later" {offset = 4096 : i64
// CHECK: tile.alloc_shared "sums" {offset = 0 : i64
tile.kernel @rings(%A: !tile.global<?x?xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "in", tile.dims = ["M", "N"]}) attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "N", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 256 : i64} {
  %full = tile.barrier_alloc "full" count 1 : !tile.barrier<2>
  %read = tile.alloc_shared "read" {tile.stages = 2 : i64} : !tile.shared<2x16x32xf32>
  %later = tile.alloc_shared "later" {tile.stages = 2 : i64} : !tile.shared<2x16x32xf32>
  %sums = tile.alloc_shared "sums" : !tile.shared<16x32xf32>
  %c0 = arith.constant 0 : i64
  tile.warpgroup [0] {
    %first = tile.stage %read[%c0] offset 0 : !tile.shared<2x16x32xf32> -> !tile.shared<16x32xf32>
    tile.tma_copy %A[%c0, %c0] to %first barrier %full[%c0] : !tile.global<?x?xf32>, !tile.shared<16x32xf32>, !tile.barrier<2>
    %second = tile.stage %later[%c0] offset 0 : !tile.shared<2x16x32xf32> -> !tile.shared<16x32xf32>
    tile.tma_copy %A[%c0, %c0] to %second barrier %full[%c0] : !tile.global<?x?xf32>, !tile.shared<16x32xf32>, !tile.barrier<2>
  }, [1] {
    %first = tile.stage %read[%c0] offset 0 : !tile.shared<2x16x32xf32> -> !tile.shared<16x32xf32>
    %x = tile.load %first : !tile.shared<16x32xf32> -> tensor<16x32xf32>
    tile.store %x, %sums : tensor<16x32xf32>, !tile.shared<16x32xf32>
    %y = tile.load %sums : !tile.shared<16x32xf32> -> tensor<16x32xf32>
    %second = tile.stage %later[%c0] offset 0 : !tile.shared<2x16x32xf32> -> !tile.shared<16x32xf32>
    %z = tile.load %second : !tile.shared<16x32xf32> -> tensor<16x32xf32>
  }
  tile.return
}

// -----

// Tests that it keeps its memory where the reader comes to it again, or another
// team reads it, too.
// CHECK-LABEL: @again
// CHECK: tile.alloc_shared "ring" {offset = 0 : i64
// CHECK: tile.alloc_shared "sums" {offset = 4096 : i64
tile.kernel @again(%A: !tile.global<?x?xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "in", tile.dims = ["M", "N"]}) attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "N", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 256 : i64} {
  %full = tile.barrier_alloc "full" count 1 : !tile.barrier<2>
  %ring = tile.alloc_shared "ring" {tile.stages = 2 : i64} : !tile.shared<2x16x32xf32>
  %sums = tile.alloc_shared "sums" : !tile.shared<16x32xf32>
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  tile.warpgroup [0] {
    %s = tile.stage %ring[%c0] offset 0 : !tile.shared<2x16x32xf32> -> !tile.shared<16x32xf32>
    tile.tma_copy %A[%c0, %c0] to %s barrier %full[%c0] : !tile.global<?x?xf32>, !tile.shared<16x32xf32>, !tile.barrier<2>
  }, [1] {
    scf.for %i = %c0 to %c2 step %c1 : i64 {
      %s = tile.stage %ring[%i] offset 0 : !tile.shared<2x16x32xf32> -> !tile.shared<16x32xf32>
      %x = tile.load %s : !tile.shared<16x32xf32> -> tensor<16x32xf32>
      tile.store %x, %sums : tensor<16x32xf32>, !tile.shared<16x32xf32>
    }
  }
  tile.return
}

// CHECK-LABEL: @three
// CHECK: tile.alloc_shared "ring" {offset = 0 : i64
// CHECK: tile.alloc_shared "sums" {offset = 4096 : i64
tile.kernel @three(%A: !tile.global<?x?xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "in", tile.dims = ["M", "N"]}) attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "N", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 384 : i64} {
  %full = tile.barrier_alloc "full" count 1 : !tile.barrier<2>
  %ring = tile.alloc_shared "ring" {tile.stages = 2 : i64} : !tile.shared<2x16x32xf32>
  %sums = tile.alloc_shared "sums" : !tile.shared<16x32xf32>
  %c0 = arith.constant 0 : i64
  tile.warpgroup [0] {
    %s = tile.stage %ring[%c0] offset 0 : !tile.shared<2x16x32xf32> -> !tile.shared<16x32xf32>
    tile.tma_copy %A[%c0, %c0] to %s barrier %full[%c0] : !tile.global<?x?xf32>, !tile.shared<16x32xf32>, !tile.barrier<2>
  }, [1] {
    %s = tile.stage %ring[%c0] offset 0 : !tile.shared<2x16x32xf32> -> !tile.shared<16x32xf32>
    %x = tile.load %s : !tile.shared<16x32xf32> -> tensor<16x32xf32>
    tile.store %x, %sums : tensor<16x32xf32>, !tile.shared<16x32xf32>
  }, [2] {
    %s = tile.stage %ring[%c0] offset 0 : !tile.shared<2x16x32xf32> -> !tile.shared<16x32xf32>
    %x = tile.load %s : !tile.shared<16x32xf32> -> tensor<16x32xf32>
  }
  tile.return
}
