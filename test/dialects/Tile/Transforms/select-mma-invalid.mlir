// RUN: tile-opt %s --tile-select-mma --split-input-file --verify-diagnostics

tile.kernel @types() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %a = tile.alloc_shared : !tile.shared<16x32xf32>
  %b = tile.alloc_shared : !tile.shared<32x8xf32>
  %zero = arith.constant dense<0.0> : tensor<16x8xf32>
  // expected-error @below {{'gemm' of f32 and f32 has no matrix instruction; run tile-expand-gemm first}}
  %r = tile.gemm %a, %b, %zero : !tile.shared<16x32xf32>, !tile.shared<32x8xf32>, tensor<16x8xf32>
  tile.return
}

// -----

tile.kernel @step_of_k() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %a = tile.alloc_shared : !tile.shared<16x24xbf16>
  %b = tile.alloc_shared : !tile.shared<24x8xbf16>
  %zero = arith.constant dense<0.0> : tensor<16x8xf32>
  // expected-error @below {{no instruction fits this 'gemm': tile K 24 is not a multiple of the MMA K step 16; run tile-expand-gemm first}}
  %r = tile.gemm %a, %b, %zero : !tile.shared<16x24xbf16>, !tile.shared<24x8xbf16>, tensor<16x8xf32>
  tile.return
}
