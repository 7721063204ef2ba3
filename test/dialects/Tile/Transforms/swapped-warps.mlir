// RUN: tile-opt %s --tile-select-mma --split-input-file --verify-diagnostics | FileCheck %s
// RUN: tile-opt %s --tile-select-mma --tile-infer-layouts --tile-lower-gemm --split-input-file --verify-diagnostics | FileCheck %s --check-prefix=LOWER

// Tests that converted weights are the left operand of mma.sync where 16 rows
// are multiplied with them, and that of wgmma where 32 are; and that a scale for
// all of K is left to the sums.
// CHECK-LABEL: @few
// CHECK-SAME: name = "scales", reason = "for 16 columns a thread takes 32 instructions for weights and 16 for sums", value = "sums"
// CHECK-SAME: name = "instruction", reason = "few rows: with the conversion 102 clocks; wgmma takes 136", value = "mma"
// CHECK: tile.gemm {{.*}}mma = #tile.mma<m16n8k16, type = bf16, warps = [1, 4], swap>{{.*}}tile.scaled_sums
// The numbers are made times 2^-13, which the product with the scale undoes.
// LOWER-LABEL: @few
// LOWER: %[[NUMBERS:.+]] = tile.cast {{.*}} {tile.exponent = -13 : i64}
// LOWER: %[[SUMS:.+]] = tile.mma {{.*}}%[[NUMBERS]]
// LOWER: %[[SCALED:.+]] = arith.mulf %[[SUMS]]
// LOWER: math.fma %[[SCALED]]
tile.kernel @few() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %a = tile.alloc_shared : !tile.shared<16x128xbf16>
  %b = tile.alloc_shared : !tile.shared<64x128xi4, pack = 1>
  %s = tile.alloc_shared : !tile.shared<64x1xbf16>
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  %w = tile.operand %b, %s maps [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j floordiv 128)>] : !tile.shared<64x128xi4, pack = 1>, !tile.shared<64x1xbf16> -> tensor<64x128xbf16> {
  ^bb0(%q: i4, %scale: bf16):
    %x = tile.cast %q : i4 -> bf16
    %y = arith.mulf %x, %scale : bf16
    tile.yield %y : bf16
  }
  %r = tile.gemm %a, %w, %zero {transpose_b} : !tile.shared<16x128xbf16>, tensor<64x128xbf16>, tensor<16x64xf32>
  tile.return
}

// -----

// CHECK-LABEL: @more
// CHECK-SAME: name = "instruction", {{.*}}value = "wgmma"
// CHECK: tile.gemm {{.*}}mma = #tile.mma<m64n32k16, type = bf16, warps = [1, 4], swap>
tile.kernel @more() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %a = tile.alloc_shared : !tile.shared<32x128xbf16>
  %b = tile.alloc_shared : !tile.shared<64x128xi4, pack = 1>
  %zero = arith.constant dense<0.0> : tensor<32x64xf32>
  %r = tile.gemm %a, %b, %zero {transpose_b} : !tile.shared<32x128xbf16>, !tile.shared<64x128xi4, pack = 1>, tensor<32x64xf32>
  tile.return
}

// -----

// Tests that decisions on both choices are honoured: 32 rows by warps, scales
// with the weights.
// CHECK-LABEL: @decided
// CHECK: tile.gemm {{.*}}mma = #tile.mma<m16n8k16, type = bf16, warps = [1, 4], swap>
// CHECK-NOT: tile.scaled_sums
// CHECK: tile.return
// LOWER-LABEL: @decided
// LOWER-NOT: tile.exponent
// LOWER: tile.mma
tile.kernel @decided() attributes {decisions = {instruction = "mma", scales = "weights", swap = true}, symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %a = tile.alloc_shared : !tile.shared<32x128xbf16>
  %b = tile.alloc_shared : !tile.shared<64x128xi4, pack = 1>
  %s = tile.alloc_shared : !tile.shared<64x1xbf16>
  %zero = arith.constant dense<0.0> : tensor<32x64xf32>
  %w = tile.operand %b, %s maps [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j floordiv 128)>] : !tile.shared<64x128xi4, pack = 1>, !tile.shared<64x1xbf16> -> tensor<64x128xbf16> {
  ^bb0(%q: i4, %scale: bf16):
    %x = tile.cast %q : i4 -> bf16
    %y = arith.mulf %x, %scale : bf16
    tile.yield %y : bf16
  }
  %r = tile.gemm %a, %w, %zero {transpose_b} : !tile.shared<32x128xbf16>, tensor<64x128xbf16>, tensor<32x64xf32>
  tile.return
}

// -----

// Tests that scales that change within the product's K stay with the weights.
// CHECK-LABEL: @two_groups
// CHECK-NOT: "scales"
// CHECK: tile.gemm {{.*}}mma = #tile.mma<m16n8k16, type = bf16, warps = [1, 4], swap>
// CHECK-NOT: tile.scaled_sums
// CHECK: tile.return
tile.kernel @two_groups() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %a = tile.alloc_shared : !tile.shared<16x128xbf16>
  %b = tile.alloc_shared : !tile.shared<64x128xi4, pack = 1>
  %s = tile.alloc_shared : !tile.shared<64x2xbf16>
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  %w = tile.operand %b, %s maps [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j floordiv 64)>] : !tile.shared<64x128xi4, pack = 1>, !tile.shared<64x2xbf16> -> tensor<64x128xbf16> {
  ^bb0(%q: i4, %scale: bf16):
    %x = tile.cast %q : i4 -> bf16
    %y = arith.mulf %x, %scale : bf16
    tile.yield %y : bf16
  }
  %r = tile.gemm %a, %w, %zero {transpose_b} : !tile.shared<16x128xbf16>, tensor<64x128xbf16>, tensor<16x64xf32>
  tile.return
}

// -----

// Tests that bytes are multiplied in steps of 32.
// CHECK-LABEL: @bytes
// CHECK: tile.gemm {{.*}}mma = #tile.mma<m16n8k32, type = i8, warps = [1, 4], swap>
// LOWER-LABEL: @bytes
// LOWER: %[[BYTES:.+]] = tile.cast {{.*}} -> tensor<128x64xi8
// LOWER: tile.mma {{.*}}%[[BYTES]]
tile.kernel @bytes() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %a = tile.alloc_shared : !tile.shared<16x128xi8>
  %b = tile.alloc_shared : !tile.shared<64x128xi4, pack = 1>
  %zero = arith.constant dense<0> : tensor<16x64xi32>
  %r = tile.gemm %a, %b, %zero {transpose_b} : !tile.shared<16x128xi8>, !tile.shared<64x128xi4, pack = 1>, tensor<16x64xi32>
  tile.return
}

// -----

// Tests that 8-bit floats stay with warpgroups.
tile.kernel @byte_floats() attributes {decisions = {instruction = "mma", swap = true}, symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %a = tile.alloc_shared : !tile.shared<16x128xf8E4M3FN>
  %b = tile.alloc_shared : !tile.shared<64x128xi4, pack = 1>
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  // expected-error @+1 {{decision 'swap' = true does not fit 'instruction' = mma: mma.sync multiplies 16 bits and 8-bit integers only}}
  %r = tile.gemm %a, %b, %zero {transpose_b} : !tile.shared<16x128xf8E4M3FN>, !tile.shared<64x128xi4, pack = 1>, tensor<16x64xf32>
  tile.return
}

// -----

tile.kernel @both() attributes {decisions = {instruction = "mma", swap = true}, symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %a = tile.alloc_shared : !tile.shared<16x128xi4, pack = 1>
  %b = tile.alloc_shared : !tile.shared<64x128xi4, pack = 1>
  %zero = arith.constant dense<0> : tensor<16x64xi32>
  // expected-error @+1 {{decision 'swap' = true does not fit 'instruction' = mma: A is converted to bytes, too}}
  %r = tile.gemm %a, %b, %zero {transpose_b} : !tile.shared<16x128xi4, pack = 1>, !tile.shared<64x128xi4, pack = 1>, tensor<16x64xi32>
  tile.return
}
