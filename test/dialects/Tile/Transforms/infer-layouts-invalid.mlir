// RUN: tile-opt %s --tile-infer-layouts --split-input-file --verify-diagnostics

// Tests that the pass says which pass comes before it.
tile.kernel @unselected() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %a = tile.alloc_shared "As" : !tile.shared<16x16xbf16>
  %b = tile.alloc_shared "Bs" : !tile.shared<16x8xbf16>
  %zero = arith.constant dense<0.0> : tensor<16x8xf32>
  // expected-error @below {{internal error in tile-infer-layouts: 'tile.gemm' has no instruction; run tile-select-mma first}}
  %r = tile.gemm %a, %b, %zero : !tile.shared<16x16xbf16>, !tile.shared<16x8xbf16>, tensor<16x8xf32>
  tile.return
}

// -----

// Tests that operands in registers are refused.
tile.kernel @fragment() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %a = arith.constant dense<1.0> : tensor<16x16xbf16>
  %b = tile.alloc_shared "Bs" : !tile.shared<16x8xbf16>
  %zero = arith.constant dense<0.0> : tensor<16x8xf32>
  // expected-error @below {{internal error in tile-infer-layouts: 'tile.gemm' has an operand that is no shared tile}}
  %r = tile.gemm %a, %b, %zero {mma = #tile.mma<m16n8k16, type = bf16, warps = [1, 1]>} : tensor<16x16xbf16>, !tile.shared<16x8xbf16>, tensor<16x8xf32>
  tile.return
}

// -----

// Tests that a tile which threads cannot share out is refused.
tile.kernel @odd_tile(%A: !tile.global<?x?xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "in", tile.dims = [33, 41]}) attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %zero = arith.constant 0 : i64
  // expected-error @below {{a fragment of 33x41 puts 1353 elements in each thread; the limit is 512}}
  // expected-note @below {{help: use extents that are multiples of a larger power of two, a smaller tile or more threads}}
  %x = tile.load %A[%zero, %zero] : !tile.global<?x?xf32> -> tensor<33x41xf32>
  tile.return
}
