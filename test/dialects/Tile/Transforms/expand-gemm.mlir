// RUN: tile-opt %s --tile-expand-gemm --mlir-print-local-scope --split-input-file --verify-diagnostics | FileCheck %s

// Tests that f32 is multiplied as it is, in a loop over chunks of K and behind
// it for the rest.
// CHECK-LABEL: @f32
// CHECK-SAME: tile.choices = [{{.*}}value = "FMA in f32"
// CHECK: %[[SUM:.+]] = scf.for %[[I:.+]] = %{{.+}} to %{{.+}} step %{{.+}} iter_args(%[[ACC:.+]] = %{{[^)]+}})
// CHECK: %[[K:.+]] = arith.muli %[[I]], %{{.+}}
// CHECK-DAG: %[[A:.+]] = tile.slice %{{.+}}[%{{.+}}, %[[K]]] : <8x9xf32> -> <8x4xf32>
// CHECK-DAG: %[[B:.+]] = tile.slice %{{.+}}[%[[K]], %{{.+}}] : <9x6xf32> -> <4x6xf32>
// CHECK: %[[COLUMN:.+]] = tile.load %[[A]]{{.*}} -> tensor<8x1xf32>
// CHECK: %[[LEFT:.+]] = tile.reindex %[[COLUMN]] by affine_map<(d0, d1) -> (d0, 0)>
// CHECK: %[[ROW:.+]] = tile.load %[[B]]{{.*}} -> tensor<1x6xf32>
// CHECK: %[[RIGHT:.+]] = tile.reindex %[[ROW]] by affine_map<(d0, d1) -> (0, d1)>
// CHECK: math.fma %[[LEFT]], %[[RIGHT]], %[[ACC]]
// CHECK-COUNT-3: math.fma
// CHECK-NOT: math.fma
// CHECK: scf.yield
// CHECK: %[[LAST:.+]] = arith.constant 8 : i64
// CHECK: tile.load %{{.+}}[%{{.+}}, %[[LAST]]] : !tile.shared<8x9xf32> -> tensor<8x1xf32>
// CHECK: math.fma %{{.+}}, %{{.+}}, %[[SUM]]
// CHECK-NOT: math.fma
tile.kernel @f32() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %a = tile.alloc_shared : !tile.shared<8x9xf32>
  %b = tile.alloc_shared : !tile.shared<9x6xf32>
  %zero = arith.constant dense<0.0> : tensor<8x6xf32>
  %r = tile.gemm %a, %b, %zero : !tile.shared<8x9xf32>, !tile.shared<9x6xf32>, tensor<8x6xf32>
  tile.return
}

// -----

// Tests that a range of K that begins in the middle of a chunk has no loop.
// CHECK-LABEL: @range
// CHECK-NOT: scf.for
// CHECK: %[[K:.+]] = arith.constant 6 : i64
// CHECK: tile.load %{{.+}}[%{{.+}}, %[[K]]] : !tile.shared<8x24xf32> -> tensor<8x1xf32>
// CHECK-COUNT-12: math.fma
// CHECK-NOT: math.fma
tile.kernel @range() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %a = tile.alloc_shared : !tile.shared<8x24xf32>
  %b = tile.alloc_shared : !tile.shared<24x6xf32>
  %zero = arith.constant dense<0.0> : tensor<8x6xf32>
  %r = tile.gemm %a, %b, %zero {k_range = array<i64: 6, 18>} : !tile.shared<8x24xf32>, !tile.shared<24x6xf32>, tensor<8x6xf32>
  tile.return
}

// -----

// Tests that narrower operands are converted to the accumulator's type, which
// is told, that packed ones become bytes first, and which way stored tiles lie.
// CHECK-LABEL: @packed_transposed
// CHECK: %[[Q:.+]] = tile.load %{{.+}} : !tile.shared<4x6xi4, pack = 1> -> tensor<4x6xi4>
// CHECK: %[[BYTES:.+]] = tile.cast %[[Q]] {source_unsigned} : tensor<4x6xi4> -> tensor<4x6xi8>
// CHECK: %[[TILE:.+]] = tile.alloc_shared "operand" : <4x6xi8>
// CHECK: tile.store %[[BYTES]], %[[TILE]]
// CHECK: %[[LINE:.+]] = tile.load %{{.+}} : !tile.shared<4x5xi8> -> tensor<1x5xi8>
// CHECK: %[[WIDE:.+]] = tile.cast %[[LINE]] : tensor<1x5xi8> -> tensor<1x5xi32>
// CHECK: tile.reindex %[[WIDE]] by affine_map<(d0, d1) -> (0, d0)>
// CHECK: tile.load %[[TILE]]
// CHECK: tile.reindex %{{.+}} by affine_map<(d0, d1) -> (0, d1)>
// CHECK: arith.muli
// CHECK: arith.addi
tile.kernel @packed_transposed() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %a = tile.alloc_shared : !tile.shared<4x5xi8>
  %b = tile.alloc_shared : !tile.shared<4x6xi4, pack = 1>
  %zero = arith.constant dense<0> : tensor<5x6xi32>
  // expected-remark @below {{this product runs without matrix instructions, slowly: tile M 5 is not a multiple of the MMA M step 16}}
  %r = tile.gemm %a, %b, %zero {transpose_a, unsigned_b} : !tile.shared<4x5xi8>, !tile.shared<4x6xi4, pack = 1>, tensor<5x6xi32>
  tile.return
}

// -----

// Tests that operands lose what tf32 does not hold.
// CHECK-LABEL: @tf32
// CHECK: tile.cast %{{.+}} : tensor<16x1xf32> -> tensor<16x1xtf32>
// CHECK: tile.cast %{{.+}} : tensor<16x1xtf32> -> tensor<16x1xf32>
tile.kernel @tf32() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %a = tile.alloc_shared : !tile.shared<16x2xf32>
  %b = tile.alloc_shared : !tile.shared<2x8xf32>
  %zero = arith.constant dense<0.0> : tensor<16x8xf32>
  // expected-remark @below {{tile K 2 is not a multiple of the MMA K step 4}}
  %r = tile.gemm %a, %b, %zero {tf32} : !tile.shared<16x2xf32>, !tile.shared<2x8xf32>, tensor<16x8xf32>
  tile.return
}

// -----

// Tests that a product with an instruction stays.
// CHECK-LABEL: @bf16
// CHECK: tile.gemm
tile.kernel @bf16() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %a = tile.alloc_shared : !tile.shared<16x16xbf16>
  %b = tile.alloc_shared : !tile.shared<16x8xbf16>
  %zero = arith.constant dense<0.0> : tensor<16x8xf32>
  %r = tile.gemm %a, %b, %zero : !tile.shared<16x16xbf16>, !tile.shared<16x8xbf16>, tensor<16x8xf32>
  tile.return
}
