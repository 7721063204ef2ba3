// RUN: tile-opt %s --tile-select-mma --split-input-file | FileCheck %s

// Tests that equal 16-bit floats multiply as they are, the warps in a grid that
// reads least.
// CHECK-LABEL: @bf16
// CHECK: tile.gemm {{.*}}mma = #tile.mma<m16n8k16, type = bf16, warps = [2, 2]>
tile.kernel @bf16() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
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
