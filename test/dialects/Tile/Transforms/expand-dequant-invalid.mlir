// RUN: tile-opt %s --tile-expand-dequant --verify-diagnostics

// Tests that a scale which changes within every sum is refused.
tile.kernel @scale_of_k() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %as = tile.alloc_shared "As" : !tile.shared<64x64xi8>
  %bs = tile.alloc_shared "Bs" : !tile.shared<64x64xi4, pack = 1>
  %ss = tile.alloc_shared "Ss" : !tile.shared<64xf32>
  %acc = arith.constant dense<0.0> : tensor<64x64xf32>
  %w = tile.dequant %bs scale %ss {dim = 0 : i64} : !tile.shared<64x64xi4, pack = 1>, !tile.shared<64xf32> -> tensor<64x64xf32>
  // expected-error @+1 {{a scale or zero-point for each element along K beside an 8-bit operand is not supported yet}}
  %r = tile.gemm %as, %w, %acc {transpose_b} : !tile.shared<64x64xi8>, tensor<64x64xf32>, tensor<64x64xf32>
  tile.return
}
