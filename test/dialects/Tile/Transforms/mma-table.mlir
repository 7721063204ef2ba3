// RUN: tile-opt %s --tile-select-mma=target=sm_80 --split-input-file | FileCheck %s --check-prefixes=CHECK,SM80
// RUN: tile-opt %s --tile-select-mma=target=sm_86 --split-input-file | FileCheck %s --check-prefixes=CHECK,SM80
// RUN: tile-opt %s --tile-select-mma=target=sm_89 --split-input-file | FileCheck %s --check-prefixes=CHECK,SM89
// RUN: tile-opt %s --tile-select-mma=target=sm_90a --split-input-file | FileCheck %s --check-prefixes=CHECK,SM90

// Tests that pairs of 4-bit integers have an instruction up to sm_89.
// CHECK-LABEL: @int4_int4
// SM80: tile.gemm {{.*}}mma = #tile.mma<m16n8k64, type = i4, warps
// SM89: tile.gemm {{.*}}mma = #tile.mma<m16n8k64, type = i4, warps
// SM90: tile.gemm {{.*}}mma = #tile.mma<m16n8k32, type = i8, warps
tile.kernel @int4_int4() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %a = tile.alloc_shared : !tile.shared<16x64xi4, pack = 1>
  %b = tile.alloc_shared : !tile.shared<64x8xi4, pack = 0>
  %zero = arith.constant dense<0> : tensor<16x8xi32>
  %r = tile.gemm %a, %b, %zero : !tile.shared<16x64xi4, pack = 1>, !tile.shared<64x8xi4, pack = 0>, tensor<16x8xi32>
  tile.return
}

// -----

// Tests that it has a shorter form.
// CHECK-LABEL: @int4_short
// SM80: tile.gemm {{.*}}mma = #tile.mma<m16n8k32, type = i4, warps
// SM89: tile.gemm {{.*}}mma = #tile.mma<m16n8k32, type = i4, warps
// SM90: tile.gemm {{.*}}mma = #tile.mma<m16n8k32, type = i8, warps
tile.kernel @int4_short() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %a = tile.alloc_shared : !tile.shared<16x32xi4, pack = 1>
  %b = tile.alloc_shared : !tile.shared<32x8xi4, pack = 0>
  %zero = arith.constant dense<0> : tensor<16x8xi32>
  %r = tile.gemm %a, %b, %zero {unsigned_a} : !tile.shared<16x32xi4, pack = 1>, !tile.shared<32x8xi4, pack = 0>, tensor<16x8xi32>
  tile.return
}

// -----

// Tests that integers of two widths meet in 8 bits.
// CHECK-LABEL: @int8_uint4
// CHECK: tile.gemm {{.*}}mma = #tile.mma<m16n8k32, type = i8, warps
tile.kernel @int8_uint4() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %a = tile.alloc_shared : !tile.shared<16x32xi8>
  %b = tile.alloc_shared : !tile.shared<32x8xi4, pack = 0>
  %zero = arith.constant dense<0> : tensor<16x8xi32>
  %r = tile.gemm %a, %b, %zero {unsigned_b} : !tile.shared<16x32xi8>, !tile.shared<32x8xi4, pack = 0>, tensor<16x8xi32>
  tile.return
}

// -----

// Tests the short form of the 8-bit instruction.
// CHECK-LABEL: @int8_short
// CHECK: tile.gemm {{.*}}mma = #tile.mma<m16n8k16, type = i8, warps
tile.kernel @int8_short() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %a = tile.alloc_shared : !tile.shared<16x16xi8>
  %b = tile.alloc_shared : !tile.shared<16x8xi8>
  %zero = arith.constant dense<0> : tensor<16x8xi32>
  %r = tile.gemm %a, %b, %zero : !tile.shared<16x16xi8>, !tile.shared<16x8xi8>, tensor<16x8xi32>
  tile.return
}

// -----

// Tests that both 8-bit floats keep their format where there is an instruction
// for them, and meet in f16 elsewhere.
// CHECK-LABEL: @fp8_pair
// SM80: tile.gemm {{.*}}mma = #tile.mma<m16n8k16, type = f16, warps
// SM89: tile.gemm {{.*}}mma = #tile.mma<m16n8k32, type = f8E4M3FN, type_b = f8E5M2, warps
// SM90: tile.gemm {{.*}}mma = #tile.mma<m16n8k16, type = f16, warps
tile.kernel @fp8_pair() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %a = tile.alloc_shared : !tile.shared<16x32xf8E4M3FN>
  %b = tile.alloc_shared : !tile.shared<32x8xf8E5M2>
  %zero = arith.constant dense<0.0> : tensor<16x8xf32>
  %r = tile.gemm %a, %b, %zero : !tile.shared<16x32xf8E4M3FN>, !tile.shared<32x8xf8E5M2>, tensor<16x8xf32>
  tile.return
}

// -----

// Tests that a step of K too short for 8 bits takes 16.
// CHECK-LABEL: @fp8_short
// CHECK: tile.gemm {{.*}}mma = #tile.mma<m16n8k16, type = f16, warps
tile.kernel @fp8_short() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %a = tile.alloc_shared : !tile.shared<16x16xf8E4M3FN>
  %b = tile.alloc_shared : !tile.shared<16x8xf8E4M3FN>
  %zero = arith.constant dense<0.0> : tensor<16x8xf32>
  %r = tile.gemm %a, %b, %zero : !tile.shared<16x16xf8E4M3FN>, !tile.shared<16x8xf8E4M3FN>, tensor<16x8xf32>
  tile.return
}

// -----

// Tests that 4-bit operands beside them become e4m3, which holds them all.
// CHECK-LABEL: @fp8_int4
// SM80: tile.gemm {{.*}}mma = #tile.mma<m16n8k16, type = f16, warps
// SM89: tile.gemm {{.*}}mma = #tile.mma<m16n8k32, type = f8E5M2, type_b = f8E4M3FN, warps
// SM90: tile.gemm {{.*}}mma = #tile.mma<m16n8k16, type = f16, warps
tile.kernel @fp8_int4() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %a = tile.alloc_shared : !tile.shared<16x32xf8E5M2>
  %b = tile.alloc_shared : !tile.shared<32x8xi4, pack = 0>
  %zero = arith.constant dense<0.0> : tensor<16x8xf32>
  %r = tile.gemm %a, %b, %zero : !tile.shared<16x32xf8E5M2>, !tile.shared<32x8xi4, pack = 0>, tensor<16x8xf32>
  tile.return
}

// -----

// CHECK-LABEL: @fp4_pair
// SM80: tile.gemm {{.*}}mma = #tile.mma<m16n8k16, type = f16, warps
// SM89: tile.gemm {{.*}}mma = #tile.mma<m16n8k32, type = f8E4M3FN, warps
// SM90: tile.gemm {{.*}}mma = #tile.mma<m16n8k16, type = f16, warps
tile.kernel @fp4_pair() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %a = tile.alloc_shared : !tile.shared<16x32xf4E2M1FN, pack = 1>
  %b = tile.alloc_shared : !tile.shared<32x8xf4E2M1FN, pack = 0>
  %zero = arith.constant dense<0.0> : tensor<16x8xf32>
  %r = tile.gemm %a, %b, %zero : !tile.shared<16x32xf4E2M1FN, pack = 1>, !tile.shared<32x8xf4E2M1FN, pack = 0>, tensor<16x8xf32>
  tile.return
}

// -----

// Tests that 8-bit operands become the 16-bit float beside them.
// CHECK-LABEL: @bf16_fp8
// CHECK: tile.gemm {{.*}}mma = #tile.mma<m16n8k16, type = bf16, warps
tile.kernel @bf16_fp8() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %a = tile.alloc_shared : !tile.shared<16x16xbf16>
  %b = tile.alloc_shared : !tile.shared<16x8xf8E5M2>
  %zero = arith.constant dense<0.0> : tensor<16x8xf32>
  %r = tile.gemm %a, %b, %zero : !tile.shared<16x16xbf16>, !tile.shared<16x8xf8E5M2>, tensor<16x8xf32>
  tile.return
}

// -----

// Tests that f32 operands are multiplied as tf32 where that is asked for.
// CHECK-LABEL: @tf32
// CHECK: tile.gemm {{.*}}mma = #tile.mma<m16n8k8, type = tf32, warps
tile.kernel @tf32() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %a = tile.alloc_shared : !tile.shared<16x8xf32>
  %b = tile.alloc_shared : !tile.shared<8x8xf32>
  %zero = arith.constant dense<0.0> : tensor<16x8xf32>
  %r = tile.gemm %a, %b, %zero {tf32} : !tile.shared<16x8xf32>, !tile.shared<8x8xf32>, tensor<16x8xf32>
  tile.return
}

// -----

// CHECK-LABEL: @tf32_short
// CHECK: tile.gemm {{.*}}mma = #tile.mma<m16n8k4, type = tf32, warps
tile.kernel @tf32_short() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %a = tile.alloc_shared : !tile.shared<16x4xtf32>
  %b = tile.alloc_shared : !tile.shared<4x8xtf32>
  %zero = arith.constant dense<0.0> : tensor<16x8xf32>
  %r = tile.gemm %a, %b, %zero : !tile.shared<16x4xtf32>, !tile.shared<4x8xtf32>, tensor<16x8xf32>
  tile.return
}
