// RUN: tile-opt %s --tile-lower-gemm --split-input-file --verify-diagnostics

// Tests that the pass says which passes come before it.
tile.kernel @unselected() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %a = tile.alloc_shared "As" : !tile.shared<16x16xbf16>
  %b = tile.alloc_shared "Bs" : !tile.shared<16x8xbf16>
  %zero = arith.constant dense<0.0> : tensor<16x8xf32>
  // expected-error @below {{internal error in tile-lower-gemm: 'tile.gemm' has no instruction; run tile-select-mma first}}
  %r = tile.gemm %a, %b, %zero : !tile.shared<16x16xbf16>, !tile.shared<16x8xbf16>, tensor<16x8xf32>
  tile.return
}

// -----

tile.kernel @without_layout() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %a = tile.alloc_shared "As" : !tile.shared<16x16xbf16>
  %b = tile.alloc_shared "Bs" : !tile.shared<16x8xbf16>
  %zero = arith.constant dense<0.0> : tensor<16x8xf32>
  // expected-error @below {{internal error in tile-lower-gemm: 'tile.gemm' has no layout; run tile-infer-layouts first}}
  %r = tile.gemm %a, %b, %zero {mma = #tile.mma<m16n8k16, type = bf16, warps = [1, 1]>} : !tile.shared<16x16xbf16>, !tile.shared<16x8xbf16>, tensor<16x8xf32>
  tile.return
}

// -----

// Tests that a range of K begins where a step does.
tile.kernel @within_a_step() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %a = tile.alloc_shared "As" : !tile.shared<16x64xbf16>
  %b = tile.alloc_shared "Bs" : !tile.shared<64x8xbf16>
  %zero = arith.constant dense<0.0> : tensor<16x8xf32, #tile.layout<"16x8 registers=[[0,1],[8,0]] lanes=[[0,2],[0,4],[1,0],[2,0],[4,0]] warps=[]">>
  // expected-error @below {{the range of K begins at 8, within a step of 16}}
  %r = tile.gemm %a, %b, %zero {k_range = array<i64: 8, 24>, mma = #tile.mma<m16n8k16, type = bf16, warps = [1, 1]>} : !tile.shared<16x64xbf16>, !tile.shared<64x8xbf16>, tensor<16x8xf32, #tile.layout<"16x8 registers=[[0,1],[8,0]] lanes=[[0,2],[0,4],[1,0],[2,0],[4,0]] warps=[]">>
  tile.return
}
