// RUN: tile-opt %s --tile-select-mma --split-input-file | FileCheck %s

// Tests that equal 16-bit floats multiply as they are, the warps in a grid that
// reads least.
// CHECK-LABEL: @bf16
// CHECK: tile.gemm {{.*}}mma = #tile.mma<m16n8k16, type = bf16, warps = [2, 2]>
tile.kernel @bf16() attributes {decisions = {instruction = "mma"}, symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %a = tile.alloc_shared : !tile.shared<64x32xbf16>
  %b = tile.alloc_shared : !tile.shared<32x64xbf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %r = tile.gemm %a, %b, %zero : !tile.shared<64x32xbf16>, !tile.shared<32x64xbf16>, tensor<64x64xf32>
  tile.return
}

// -----

// Tests that packed integers enter the instruction as the type beside them.
// CHECK-LABEL: @f16_int4
// CHECK: tile.gemm {{.*}}type = f16
tile.kernel @f16_int4() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %a = tile.alloc_shared : !tile.shared<64x32xf16>
  %b = tile.alloc_shared : !tile.shared<32x64xi4, pack = 0>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %r = tile.gemm %a, %b, %zero : !tile.shared<64x32xf16>, !tile.shared<32x64xi4, pack = 0>, tensor<64x64xf32>
  tile.return
}

// -----

// Tests that warps which the tile cannot use are left out of the grid.
// CHECK-LABEL: @small_tile
// CHECK: tile.gemm {{.*}}warps = [1, 1]
tile.kernel @small_tile() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %a = tile.alloc_shared : !tile.shared<16x16xbf16>
  %b = tile.alloc_shared : !tile.shared<16x8xbf16>
  %zero = arith.constant dense<0.0> : tensor<16x8xf32>
  %r = tile.gemm %a, %b, %zero : !tile.shared<16x16xbf16>, !tile.shared<16x8xbf16>, tensor<16x8xf32>
  tile.return
}

// -----

// Tests that a fragment operand goes through shared memory.
// CHECK-LABEL: @fragment_operand
// CHECK: %[[FRAGMENT:.+]] = arith.constant dense<1.0
// CHECK: %[[TILE:.+]] = tile.alloc_shared "operand" : <16x16xbf16>
// CHECK: tile.store %[[FRAGMENT]], %[[TILE]]
// CHECK: tile.gemm %[[TILE]]
tile.kernel @fragment_operand() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %a = arith.constant dense<1.0> : tensor<16x16xbf16>
  %b = tile.alloc_shared : !tile.shared<16x8xbf16>
  %zero = arith.constant dense<0.0> : tensor<16x8xf32>
  %r = tile.gemm %a, %b, %zero : tensor<16x16xbf16>, !tile.shared<16x8xbf16>, tensor<16x8xf32>
  tile.return
}

// -----

// Tests that columns which memory packs along K are put side by side, and that
// the choice is kept with its costs and those of the runner-up.
// CHECK-LABEL: @adjacent_columns
// CHECK: tile.gemm {{[^m]+}}mma = #tile.mma<m16n8k16, type = bf16, warps = [2, 4], columns = [2, 3, 4, 0, 1]>
// CHECK-SAME: tile.candidates = [{clocks = {{[0-9]+}} : i64, conflicts = 0 : i64, conversions = 832 : i64, loads = 192 : i64, mma = #tile.mma<m16n8k16, type = bf16, warps = [2, 4], columns = [2, 3, 4, 0, 1]>, products = 512 : i64, registers = 112 : i64, stores = 64 : i64, wavefronts = 576 : i64}, {{[{]clocks.+}}]
tile.kernel @adjacent_columns() attributes {decisions = {instruction = "mma"}, symbols = [], checks = [], grid = [], axes = [], threads = 256 : i64} {
  %a = tile.alloc_shared : !tile.shared<128x64xbf16>
  %b = tile.alloc_shared : !tile.shared<64x128xi4, pack = 0>
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %r = tile.gemm %a, %b, %zero : !tile.shared<128x64xbf16>, !tile.shared<64x128xi4, pack = 0>, tensor<128x128xf32>
  tile.return
}

// -----

// Tests that products of one accumulator agree on its layout: the second would
// take another order of columns by itself, the first cannot.
// CHECK-LABEL: @one_accumulator
// CHECK: tile.gemm {{.*}}mma = #tile.mma<m16n8k16, type = bf16, warps = [[GRID:.+]]>, tile.candidates
// CHECK: tile.gemm {{.*}}mma = #tile.mma<m16n8k16, type = bf16, warps = [[GRID]]>, tile.candidates
tile.kernel @one_accumulator() attributes {decisions = {instruction = "mma"}, symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %a = tile.alloc_shared : !tile.shared<64x64xbf16>
  %b = tile.alloc_shared : !tile.shared<64x64xbf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %r = tile.gemm %a, %b, %zero : !tile.shared<64x64xbf16>, !tile.shared<64x64xbf16>, tensor<64x64xf32>
  %s = tile.gemm %a, %b, %r {transpose_b} : !tile.shared<64x64xbf16>, !tile.shared<64x64xbf16>, tensor<64x64xf32>
  tile.return
}

// -----

// Tests that by itself the second product of the case before takes an order of
// the columns that makes stores wide.
// CHECK-LABEL: @own_accumulator
// CHECK: tile.gemm {{.*}}mma = #tile.mma<m16n8k16, type = bf16, warps = [2, 2], columns = [2, 3, 4, 0, 1]>, tile.candidates
tile.kernel @own_accumulator() attributes {decisions = {instruction = "mma"}, symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %a = tile.alloc_shared : !tile.shared<64x64xbf16>
  %b = tile.alloc_shared : !tile.shared<64x64xbf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %s = tile.gemm %a, %b, %zero {transpose_b} : !tile.shared<64x64xbf16>, !tile.shared<64x64xbf16>, tensor<64x64xf32>
  tile.return
}

// -----

// Tests that the columns keep their order where one that suits the stores would
// meet conflicts in the swizzle that TMA gives the tile, or a ring of tiles.
// CHECK-LABEL: @copied
// CHECK: tile.gemm {{[^m]+}}mma = #tile.mma<m16n8k16, type = bf16, warps = [2, 4], columns = [2, 3, 4, 0, 1]>
// CHECK-LABEL: @moved_by_tma
// CHECK: tile.gemm {{[^m]+}}mma = #tile.mma<m16n8k16, type = bf16, warps = [2, 4]>
tile.kernel @copied() attributes {decisions = {instruction = "mma"}, symbols = [], checks = [], grid = [], axes = [], threads = 256 : i64} {
  %a = tile.alloc_shared : !tile.shared<128x64xbf16>
  %b = tile.alloc_shared : !tile.shared<128x64xbf16>
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %r = tile.gemm %a, %b, %zero {transpose_b} : !tile.shared<128x64xbf16>, !tile.shared<128x64xbf16>, tensor<128x128xf32>
  tile.return
}
tile.kernel @moved_by_tma(%B: !tile.global<?x?xbf16> {tile.name = "B", tile.dtype = "bf16", tile.access = "in", tile.dims = ["N", "K"]}) attributes {symbols = [{name = "N", param = 0 : i64, dim = 0 : i64}, {name = "K", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 256 : i64} {
  %a = tile.alloc_shared : !tile.shared<128x64xbf16>
  %ring = tile.alloc_shared : !tile.shared<2x128x64xbf16>
  %barrier = tile.barrier_alloc count 1 : !tile.barrier<1>
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %b = tile.slice %ring[%c1, %c0, %c0] : !tile.shared<2x128x64xbf16> -> !tile.shared<128x64xbf16>
  tile.tma_copy %B[%c0, %c0] to %b barrier %barrier : !tile.global<?x?xbf16>, !tile.shared<128x64xbf16>, !tile.barrier<1>
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %r = tile.gemm %a, %b, %zero {transpose_b} : !tile.shared<128x64xbf16>, !tile.shared<128x64xbf16>, tensor<128x128xf32>
  tile.return
}
