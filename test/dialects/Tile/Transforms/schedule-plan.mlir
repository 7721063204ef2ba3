// RUN: tile-opt %s --tile-select-mma --split-input-file --verify-diagnostics | FileCheck %s

// Tests the schedule of warpgroups that share a tile.
// CHECK-LABEL: tile.kernel @shared
// CHECK-SAME: schedule = #tile.schedule<cooperative, teams = 1, groups = 2>
tile.kernel @shared() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 256 : i64} {
  %a = tile.alloc_shared : !tile.shared<128x64xbf16>
  %b = tile.alloc_shared : !tile.shared<64x128xbf16>
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %r = tile.gemm %a, %b, %zero : !tile.shared<128x64xbf16>, !tile.shared<64x128xbf16>, tensor<128x128xf32>
  tile.return
}

// -----

// Tests that warps that multiply by mma.sync have none.
// CHECK-LABEL: tile.kernel @warps
// CHECK-NOT: schedule = #tile.schedule
// CHECK: tile.gemm
tile.kernel @warps() attributes {symbols = [], checks = [], decisions = {instruction = "mma"}, grid = [], axes = [], threads = 256 : i64} {
  %a = tile.alloc_shared : !tile.shared<128x64xbf16>
  %b = tile.alloc_shared : !tile.shared<64x128xbf16>
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %r = tile.gemm %a, %b, %zero : !tile.shared<128x64xbf16>, !tile.shared<64x128xbf16>, tensor<128x128xf32>
  tile.return
}

// -----

// Tests what keeps warpgroups from tiles of their own.
// expected-error @below {{decision 'schedule' = pingpong cannot be honoured: two warpgroups take turns, and the kernel has 512 threads}}
tile.kernel @many() attributes {symbols = [], checks = [], decisions = {schedule = "pingpong"}, grid = [], axes = [], threads = 512 : i64} {
  %a = tile.alloc_shared : !tile.shared<128x64xbf16>
  %b = tile.alloc_shared : !tile.shared<64x128xbf16>
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %r = tile.gemm %a, %b, %zero : !tile.shared<128x64xbf16>, !tile.shared<64x128xbf16>, tensor<128x128xf32>
  tile.return
}

// -----

// expected-error @below {{decision 'schedule' = pingpong cannot be honoured: the sums of a tile do not fit into the registers of one warpgroup}}
tile.kernel @large() attributes {symbols = [], checks = [], decisions = {schedule = "pingpong"}, grid = [], axes = [], threads = 256 : i64} {
  %a = tile.alloc_shared : !tile.shared<128x64xbf16>
  %b = tile.alloc_shared : !tile.shared<64x256xbf16>
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %r = tile.gemm %a, %b, %zero : !tile.shared<128x64xbf16>, !tile.shared<64x256xbf16>, tensor<128x256xf32>
  tile.return
}

// -----

// expected-error @below {{decision 'schedule' = pingpong cannot be honoured: a multiprocessor holds several blocks}}
tile.kernel @several() attributes {symbols = [], checks = [], decisions = {schedule = "pingpong", min_blocks = 2}, grid = [], axes = [], threads = 256 : i64} {
  %a = tile.alloc_shared : !tile.shared<64x64xbf16>
  %b = tile.alloc_shared : !tile.shared<64x64xbf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %r = tile.gemm %a, %b, %zero : !tile.shared<64x64xbf16>, !tile.shared<64x64xbf16>, tensor<64x64xf32>
  tile.return
}

// -----

// expected-error @below {{decision 'schedule' = pingpong cannot be honoured: an operand is converted in registers}}
tile.kernel @converted() attributes {symbols = [], checks = [], decisions = {schedule = "pingpong"}, grid = [], axes = [], threads = 256 : i64} {
  %a = tile.alloc_shared : !tile.shared<128x64xi8>
  %b = tile.alloc_shared : !tile.shared<64x128xbf16>
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %r = tile.gemm %a, %b, %zero : !tile.shared<128x64xi8>, !tile.shared<64x128xbf16>, tensor<128x128xf32>
  tile.return
}
