// RUN: tile-opt %s --tile-expand-dequant --verify-diagnostics

tile.kernel @beside_bytes() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %as = tile.alloc_shared "As" : !tile.shared<64x64xi8>
  %bs = tile.alloc_shared "Bs" : !tile.shared<64x64xi4, pack = 1>
  %ss = tile.alloc_shared "Ss" : !tile.shared<64xf32>
  %acc = arith.constant dense<0.0> : tensor<64x64xf32>
  // expected-error @+1 {{'dequant' beside an 8-bit operand of 'gemm' is not supported yet}}
  %w = tile.dequant %bs scale %ss {dim = 1 : i64} : !tile.shared<64x64xi4, pack = 1>, !tile.shared<64xf32> -> tensor<64x64xf32>
  %r = tile.gemm %as, %w, %acc {transpose_b} : !tile.shared<64x64xi8>, tensor<64x64xf32>, tensor<64x64xf32>
  tile.return
}
