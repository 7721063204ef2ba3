// RUN: tile-opt %s --tile-select-mma --tile-infer-layouts --tile-lower-gemm --split-input-file | FileCheck %s

// Tests that weights of 4-bit floats and powers of two are multiplied a
// sixteenth as large, and their sums join the accumulator times 16.
// CHECK-LABEL: @floats
// CHECK: %[[WEIGHTS:.+]] = arith.mulf
// CHECK: %[[PART:.+]] = arith.constant dense<6.250000e-02>
// CHECK: %[[SMALL:.+]] = arith.mulf %[[WEIGHTS]], %[[PART]]
// CHECK: %[[SUMS:.+]] = tile.mma {{.*}}%[[SMALL]]
// CHECK: %[[SIXTEEN:.+]] = arith.constant dense<1.600000e+01>
// CHECK: math.fma %[[SUMS]], %[[SIXTEEN]]
tile.kernel @floats() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %a = tile.alloc_shared : !tile.shared<16x128xbf16>
  %b = tile.alloc_shared : !tile.shared<64x128xf4E2M1FN, pack = 1>
  %s = tile.alloc_shared : !tile.shared<64x4xf8E8M0FNU>
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  %w = tile.operand %b, %s maps [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j floordiv 32)>] : !tile.shared<64x128xf4E2M1FN, pack = 1>, !tile.shared<64x4xf8E8M0FNU> -> tensor<64x128xbf16> {
  ^bb0(%q: f4E2M1FN, %scale: f8E8M0FNU):
    %x = tile.cast %q : f4E2M1FN -> bf16
    %e = tile.cast %scale : f8E8M0FNU -> bf16
    %y = arith.mulf %x, %e : bf16
    tile.yield %y : bf16
  }
  %r = tile.gemm %a, %w, %zero {transpose_b} : !tile.shared<16x128xbf16>, tensor<64x128xbf16>, tensor<16x64xf32>
  tile.return
}

// -----

// Tests that warpgroups, which make more of what they convert, take the weights as they are.
// CHECK-LABEL: @warpgroups
// CHECK-NOT: 6.250000e-02
// CHECK: tile.wgmma
// CHECK-NOT: 1.600000e+01
// CHECK: tile.return
tile.kernel @warpgroups() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %a = tile.alloc_shared : !tile.shared<64x128xbf16>
  %b = tile.alloc_shared : !tile.shared<64x128xf4E2M1FN, pack = 1>
  %s = tile.alloc_shared : !tile.shared<64x4xf8E8M0FNU>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %w = tile.operand %b, %s maps [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j floordiv 32)>] : !tile.shared<64x128xf4E2M1FN, pack = 1>, !tile.shared<64x4xf8E8M0FNU> -> tensor<64x128xbf16> {
  ^bb0(%q: f4E2M1FN, %scale: f8E8M0FNU):
    %x = tile.cast %q : f4E2M1FN -> bf16
    %e = tile.cast %scale : f8E8M0FNU -> bf16
    %y = arith.mulf %x, %e : bf16
    tile.yield %y : bf16
  }
  %r = tile.gemm %a, %w, %zero {transpose_b} : !tile.shared<64x128xbf16>, tensor<64x128xbf16>, tensor<64x64xf32>
  tile.return
}
