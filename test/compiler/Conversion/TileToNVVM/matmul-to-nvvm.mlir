// RUN: tile-opt %s --tile-infer-layouts --tile-lower-gemm --tile-allocate-shared --convert-tile-to-nvvm --split-input-file | FileCheck %s

// Tests that signs are part of the name where they differ.
// CHECK-LABEL: @signed_unsigned
// CHECK: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k32.row.col.s8.u8"{{.*}} -> !llvm.struct<(i32, i32, i32, i32)>
tile.kernel @signed_unsigned() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %a = tile.alloc_shared : !tile.shared<16x32xi8>
  %b = tile.alloc_shared : !tile.shared<8x32xi8>
  %c = tile.alloc_shared : !tile.shared<16x8xi32>
  %zero = arith.constant dense<0> : tensor<16x8xi32>
  %r = tile.gemm %a, %b, %zero {unsigned_b, transpose_b, mma = #tile.mma<m16n8k32, type = i8, warps = [1, 1]>} : !tile.shared<16x32xi8>, !tile.shared<8x32xi8>, tensor<16x8xi32>
  tile.store %r, %c : tensor<16x8xi32>, !tile.shared<16x8xi32>
  tile.return
}

// -----

// Tests that they stand once where they agree.
// CHECK-LABEL: @both_unsigned
// CHECK: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k64.row.col.u4"
tile.kernel @both_unsigned() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %a = tile.alloc_shared : !tile.shared<16x64xi4, pack = 1>
  %b = tile.alloc_shared : !tile.shared<8x64xi4, pack = 1>
  %c = tile.alloc_shared : !tile.shared<16x8xi32>
  %zero = arith.constant dense<0> : tensor<16x8xi32>
  %r = tile.gemm %a, %b, %zero {unsigned_a, unsigned_b, transpose_b, mma = #tile.mma<m16n8k64, type = i4, warps = [1, 1]>} : !tile.shared<16x64xi4, pack = 1>, !tile.shared<8x64xi4, pack = 1>, tensor<16x8xi32>
  tile.store %r, %c : tensor<16x8xi32>, !tile.shared<16x8xi32>
  tile.return
}

// -----

// Tests two formats of 8-bit floats.
// CHECK-LABEL: @fp8
// CHECK: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k32.row.col.f32.e4m3.e5m2.f32"{{.*}} : (i32, i32, i32, i32, i32, i32, f32, f32, f32, f32)
tile.kernel @fp8() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %a = tile.alloc_shared : !tile.shared<16x32xf8E4M3FN>
  %b = tile.alloc_shared : !tile.shared<8x32xf8E5M2>
  %c = tile.alloc_shared : !tile.shared<16x8xf32>
  %zero = arith.constant dense<0.0> : tensor<16x8xf32>
  %r = tile.gemm %a, %b, %zero {fast_accum, transpose_b, mma = #tile.mma<m16n8k32, type = f8E4M3FN, type_b = f8E5M2, warps = [1, 1]>} : !tile.shared<16x32xf8E4M3FN>, !tile.shared<8x32xf8E5M2>, tensor<16x8xf32>
  tile.store %r, %c : tensor<16x8xf32>, !tile.shared<16x8xf32>
  tile.return
}

// -----

// Tests that a 32-bit operand is a register of its own.
// CHECK-LABEL: @tf32
// CHECK: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k8.row.col.tf32"{{.*}} : (i32, i32, i32, i32, i32, i32, f32, f32, f32, f32)
tile.kernel @tf32() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %a = tile.alloc_shared : !tile.shared<16x8xtf32>
  %b = tile.alloc_shared : !tile.shared<8x8xtf32>
  %c = tile.alloc_shared : !tile.shared<16x8xf32>
  %zero = arith.constant dense<0.0> : tensor<16x8xf32>
  %r = tile.gemm %a, %b, %zero {transpose_b, mma = #tile.mma<m16n8k8, type = tf32, warps = [1, 1]>} : !tile.shared<16x8xtf32>, !tile.shared<8x8xtf32>, tensor<16x8xf32>
  tile.store %r, %c : tensor<16x8xf32>, !tile.shared<16x8xf32>
  tile.return
}

// -----

// Tests that sums of 16 bits come in pairs.
// CHECK-LABEL: @f16_sums
// CHECK: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k16.row.col.f16.f16"{{.*}} : (vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>) -> !llvm.struct<(vector<2xf16>, vector<2xf16>)>
tile.kernel @f16_sums() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %a = tile.alloc_shared : !tile.shared<16x16xf16>
  %b = tile.alloc_shared : !tile.shared<8x16xf16>
  %c = tile.alloc_shared : !tile.shared<16x8xf16>
  %zero = arith.constant dense<0.0> : tensor<16x8xf16>
  %r = tile.gemm %a, %b, %zero {transpose_b, mma = #tile.mma<m16n8k16, type = f16, warps = [1, 1]>} : !tile.shared<16x16xf16>, !tile.shared<8x16xf16>, tensor<16x8xf16>
  tile.store %r, %c : tensor<16x8xf16>, !tile.shared<16x8xf16>
  tile.return
}
