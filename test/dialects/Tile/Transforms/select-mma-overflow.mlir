// RUN: tile-opt %s --tile-select-mma --split-input-file --verify-diagnostics

// Tests that sums of integers which may be too large are told of (F10).
tile.kernel @deep() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %a = tile.alloc_shared : !tile.shared<16x32xi8>
  %b = tile.alloc_shared : !tile.shared<32x8xi8>
  %zero = arith.constant dense<0> : tensor<16x8xi32>
  %c0 = arith.constant 0 : i64
  %steps = arith.constant 4096 : i64
  %r = tile.pipelined %k = %c0 to %steps step 1 iter_args(%acc = %zero) -> (tensor<16x8xi32>) {
    // expected-warning @below {{sums of 131072 products of int8 and int8 may exceed int32, and wrap}}
    %s = tile.gemm %a, %b, %acc : !tile.shared<16x32xi8>, !tile.shared<32x8xi8>, tensor<16x8xi32>
    tile.yield %s : tensor<16x8xi32>
  }
  tile.return
}

// -----

// Tests that the largest sum that fits is not.
tile.kernel @fits() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %a = tile.alloc_shared : !tile.shared<16x32xi8>
  %b = tile.alloc_shared : !tile.shared<32x8xi8>
  %zero = arith.constant dense<0> : tensor<16x8xi32>
  %c0 = arith.constant 0 : i64
  %steps = arith.constant 4095 : i64
  %r = tile.pipelined %k = %c0 to %steps step 1 iter_args(%acc = %zero) -> (tensor<16x8xi32>) {
    %s = tile.gemm %a, %b, %acc : !tile.shared<16x32xi8>, !tile.shared<32x8xi8>, tensor<16x8xi32>
    tile.yield %s : tensor<16x8xi32>
  }
  tile.return
}
