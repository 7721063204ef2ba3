// RUN: tile-opt %s --tile-infer-layouts --tile-lower-gemm --split-input-file --mlir-print-local-scope | FileCheck %s

// Tests that each step of K loads both operands and multiplies them.
// CHECK-LABEL: @two_steps
// CHECK: %[[A0:.+]] = tile.load {{.*}} -> tensor<16x16xbf16
// CHECK: %[[B0:.+]] = tile.load {{.*}} -> tensor<16x8xbf16
// CHECK: %[[R0:.+]] = tile.mma %[[A0]], %[[B0]]
// CHECK: %[[K:.+]] = arith.constant 16 : i64
// CHECK: %[[A1:.+]] = tile.load %{{.+}}[%{{.+}}, %[[K]]]
// CHECK: %[[B1:.+]] = tile.load %{{.+}}[%c16_i64{{.*}}, %{{.+}}]
// CHECK: tile.mma %[[A1]], %[[B1]], %[[R0]]
tile.kernel @two_steps() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %a = tile.alloc_shared : !tile.shared<16x32xbf16>
  %b = tile.alloc_shared : !tile.shared<32x8xbf16>
  %zero = arith.constant dense<0.0> : tensor<16x8xf32>
  %r = tile.gemm %a, %b, %zero {mma = #tile.mma<m16n8k16, type = bf16, warps = [1, 1]>} : !tile.shared<16x32xbf16>, !tile.shared<32x8xbf16>, tensor<16x8xf32>
  tile.return
}

// -----

// Tests that only the steps of its range are multiplied, from where it begins,
// and that a sum of 8-bit floats that begins at 0 joins nothing.
// CHECK-LABEL: @range
// CHECK: %[[K:.+]] = arith.constant 64 : i64
// CHECK: %[[A:.+]] = tile.load %{{.+}}[%{{.+}}, %[[K]]]
// CHECK: tile.mma %[[A]],
// CHECK-NOT: tile.mma
// CHECK-NOT: arith.addf
tile.kernel @range() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %a = tile.alloc_shared : !tile.shared<16x128xf8E4M3FN>
  %b = tile.alloc_shared : !tile.shared<8x128xf8E4M3FN>
  %zero = arith.constant dense<0.0> : tensor<16x8xf32>
  %r = tile.gemm %a, %b, %zero {k_range = array<i64: 64, 96>, transpose_b, mma = #tile.mma<m16n8k32, type = f8E4M3FN, warps = [1, 1]>} : !tile.shared<16x128xf8E4M3FN>, !tile.shared<8x128xf8E4M3FN>, tensor<16x8xf32>
  tile.return
}

// -----

// Tests that an operand stored transposed is read as stored and turned, and that
// the four lanes of a quad share the words of a row packed along K.
// CHECK-LABEL: @packed_rows
// CHECK: %[[Q:.+]] = tile.load {{.*}} -> tensor<8x16xi4, #tile.layout<"8x16 registers=[{{\[}}0,1],[0,2],[0,4],[0,8]] lanes=[{{\[}}0,0],[0,0],[1,0],[2,0],[4,0]] warps=[]">>
// CHECK: %[[T:.+]] = tile.reindex %[[Q]]
// CHECK: %[[B:.+]] = tile.cast %[[T]] : tensor<16x8xi4{{.*}} -> tensor<16x8xbf16
// CHECK: tile.mma %{{.+}}, %[[B]]
tile.kernel @packed_rows() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %a = tile.alloc_shared : !tile.shared<16x32xbf16>
  %b = tile.alloc_shared : !tile.shared<8x32xi4, pack = 1>
  %zero = arith.constant dense<0.0> : tensor<16x8xf32>
  %r = tile.gemm %a, %b, %zero {transpose_b, mma = #tile.mma<m16n8k16, type = bf16, warps = [1, 1]>} : !tile.shared<16x32xbf16>, !tile.shared<8x32xi4, pack = 1>, tensor<16x8xf32>
  tile.return
}

// -----

// Tests that an order of K which puts a lane's elements side by side takes two
// steps at once and reads a word for each lane.
// CHECK-LABEL: @side_by_side
// CHECK: tile.load {{.*}} -> tensor<16x32xbf16
// CHECK: tile.load {{.*}} -> tensor<8x32xi4, #tile.layout<"8x32 registers=[{{\[}}0,1],[0,2],[0,4]] lanes=[{{\[}}0,8],[0,16],[1,0],[2,0],[4,0]] warps=[]">>
// CHECK-COUNT-1: tile.mma
// CHECK-NOT: tile.mma
tile.kernel @side_by_side() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %a = tile.alloc_shared : !tile.shared<16x32xbf16>
  %b = tile.alloc_shared : !tile.shared<8x32xi4, pack = 1>
  %zero = arith.constant dense<0.0> : tensor<16x8xf32>
  %r = tile.gemm %a, %b, %zero {transpose_b, mma = #tile.mma<m16n8k16, type = bf16, warps = [1, 1], k = [0, 3, 4, 1, 2]>} : !tile.shared<16x32xbf16>, !tile.shared<8x32xi4, pack = 1>, tensor<16x8xf32>
  tile.return
}

// -----

// Tests that sums of 8-bit floats join the accumulator every 128 elements of K.
// CHECK-LABEL: @promotion
// CHECK: %[[ACC:.+]] = arith.constant dense<1.000000e+00>
// CHECK: %[[ZERO:.+]] = arith.constant dense<0.000000e+00>
// CHECK: %[[P0:.+]] = tile.mma %{{.+}}, %{{.+}}, %[[ZERO]]
// CHECK: %[[P1:.+]] = tile.mma %{{.+}}, %{{.+}}, %[[P0]]
// CHECK: %[[P2:.+]] = tile.mma %{{.+}}, %{{.+}}, %[[P1]]
// CHECK: %[[P3:.+]] = tile.mma %{{.+}}, %{{.+}}, %[[P2]]
// CHECK: %[[SUM:.+]] = arith.addf %[[ACC]], %[[P3]]
// CHECK: %[[REST:.+]] = tile.mma %{{.+}}, %{{.+}}, %{{.+}}
// CHECK: arith.addf %[[SUM]], %[[REST]]
tile.kernel @promotion() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %a = tile.alloc_shared : !tile.shared<16x160xf8E4M3FN>
  %b = tile.alloc_shared : !tile.shared<8x160xf8E4M3FN>
  %one = arith.constant dense<1.0> : tensor<16x8xf32>
  %r = tile.gemm %a, %b, %one {transpose_b, mma = #tile.mma<m16n8k32, type = f8E4M3FN, warps = [1, 1]>} : !tile.shared<16x160xf8E4M3FN>, !tile.shared<8x160xf8E4M3FN>, tensor<16x8xf32>
  tile.return
}

// -----

// Tests that they do not under fast_accum.
// CHECK-LABEL: @fast_accum
// CHECK: %[[ACC:.+]] = arith.constant dense<1.000000e+00>
// CHECK: tile.mma %{{.+}}, %{{.+}}, %[[ACC]]
// CHECK-NOT: arith.addf
tile.kernel @fast_accum() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %a = tile.alloc_shared : !tile.shared<16x160xf8E4M3FN>
  %b = tile.alloc_shared : !tile.shared<8x160xf8E4M3FN>
  %one = arith.constant dense<1.0> : tensor<16x8xf32>
  %r = tile.gemm %a, %b, %one {fast_accum, transpose_b, mma = #tile.mma<m16n8k32, type = f8E4M3FN, warps = [1, 1]>} : !tile.shared<16x160xf8E4M3FN>, !tile.shared<8x160xf8E4M3FN>, tensor<16x8xf32>
  tile.return
}

// -----

// Tests that an operand which warpgroups convert is in registers as a whole, in
// the layout of the left operand of the transposes, in neighbours of N.
// CHECK-LABEL: @from_registers
// CHECK: %[[Q:.+]] = tile.load {{.*}} -> tensor<64x32xi4
// CHECK: %[[T:.+]] = tile.reindex %[[Q]] by {{.*}} -> tensor<32x64xi4
// CHECK: %[[W:.+]] = tile.cast %[[T]] : {{.*}} -> tensor<32x64xbf16, #tile.layout<"32x64 registers=[{{\[}}1,0],[0,1],[8,0],[16,0]] lanes=[{{\[}}2,0],[4,0],[0,2],[0,4],[0,8]] warps=[{{\[}}0,16],[0,32]]">>
// CHECK: %[[S:.+]] = tile.wgmma %{{.+}}, %[[W]], %{{.+}} k 0 depth 32 using <m64n16k16, type = bf16, warps = [1, 4], swap> {transpose_b}
// CHECK: tile.mma_wait %[[S]] pending 0 : {{.*}} -> tensor<16x64xf32, #tile.layout<"16x64 registers=[{{\[}}1,0],[0,1],[8,0]] lanes=[{{\[}}2,0],[4,0],[0,2],[0,4],[0,8]] warps=[{{\[}}0,16],[0,32]]">>
tile.kernel @from_registers() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %a = tile.alloc_shared : !tile.shared<16x32xbf16>
  %b = tile.alloc_shared : !tile.shared<64x32xi4, pack = 1>
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  %r = tile.gemm %a, %b, %zero {transpose_b, mma = #tile.mma<m64n16k16, type = bf16, warps = [1, 4], swap>} : !tile.shared<16x32xbf16>, !tile.shared<64x32xi4, pack = 1>, tensor<16x64xf32>
  tile.return
}
