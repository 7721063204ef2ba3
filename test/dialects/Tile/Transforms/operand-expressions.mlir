// RUN: tile-opt %s --tile-select-mma --split-input-file --mlir-print-local-scope | FileCheck %s
// RUN: tile-opt %s --tile-select-mma --tile-infer-layouts --tile-lower-gemm --split-input-file --mlir-print-local-scope | FileCheck %s --check-prefix=STEPS

// Tests that an expression over shared tiles becomes an operand that is computed
// as it is read: of the scales, a step reads those of its group.
// CHECK-LABEL: @scaled
// CHECK: %[[W:.+]] = tile.operand %[[Q:.+]], %[[S:.+]] maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (0, d1)>] : !tile.shared<32x16xi4, pack = 0>, !tile.shared<1x16xbf16> -> tensor<32x16xbf16> {
// CHECK-NEXT: ^bb0(%[[X:.+]]: i4, %[[Y:.+]]: bf16):
// CHECK-NEXT: %[[C:.+]] = tile.cast %[[X]] {source_unsigned} : i4 -> bf16
// CHECK-NEXT: %[[P:.+]] = arith.mulf %[[C]], %[[Y]] : bf16
// CHECK-NEXT: tile.yield %[[P]] : bf16
// CHECK: tile.gemm %{{.+}}, %[[W]], %{{.+}}
// CHECK-NOT: "operand"

// STEPS-LABEL: @scaled
// STEPS-NOT: tile.operand
// STEPS: %[[Q:.+]] = tile.load %{{.+}} -> tensor<[[STEP:32|16]]x16xi4
// STEPS: %[[S:.+]] = tile.load %{{.+}} -> tensor<1x16xbf16
// STEPS: %[[R:.+]] = tile.reindex %[[S]] by affine_map<(d0, d1) -> (0, d1)> {{.*}} -> tensor<[[STEP]]x16xbf16
// STEPS: %[[C:.+]] = tile.cast %[[Q]] {source_unsigned} : {{.*}} -> tensor<[[STEP]]x16xbf16
// STEPS: %[[B:.+]] = arith.mulf %[[C]], %[[R]]
// STEPS: tile.mma %{{.+}}, %[[B]]
tile.kernel @scaled() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %a = tile.alloc_shared : !tile.shared<16x32xbf16>
  %b = tile.alloc_shared : !tile.shared<32x16xi4, pack = 0>
  %s = tile.alloc_shared : !tile.shared<1x16xbf16>
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %q = tile.load %b : !tile.shared<32x16xi4, pack = 0> -> tensor<32x16xi4>
  %x = tile.cast %q {source_unsigned} : tensor<32x16xi4> -> tensor<32x16xbf16>
  %f = tile.load %s : !tile.shared<1x16xbf16> -> tensor<1x16xbf16>
  %g = tile.reindex %f by affine_map<(d0, d1) -> (0, d1)> : tensor<1x16xbf16> -> tensor<32x16xbf16>
  %w = arith.mulf %x, %g : tensor<32x16xbf16>
  %r = tile.gemm %a, %w, %zero : !tile.shared<16x32xbf16>, tensor<32x16xbf16>, tensor<16x16xf32>
  tile.return
}

// -----

// Tests constants, scalars, a conversion at the end and an operand stored
// transposed.
// CHECK-LABEL: @constants
// CHECK: tile.operand
// CHECK: arith.constant 2.0{{.*}} : f32
// CHECK: arith.mulf
// CHECK: arith.addf %{{.+}}, %[[SHIFT:.+]] : f32
// STEPS-LABEL: @constants
// STEPS: tile.load %{{.+}} -> tensor<16x16xf32
// STEPS: tile.reindex %{{.+}} by affine_map<(d0, d1) -> (d1, d0)>
// STEPS: arith.constant dense<2.000000e+00> : tensor<16x16xf32, #tile.layout
// STEPS: tile.broadcast %{{.+}} : f32 -> tensor<16x16xf32, #tile.layout
// STEPS: tile.cast %{{.+}} -> tensor<16x16xbf16, #tile.layout
tile.kernel @constants(%shift: f32 {tile.name = "shift", tile.dtype = "f32"}) attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %a = tile.alloc_shared : !tile.shared<16x16xf32>
  %b = tile.alloc_shared : !tile.shared<16x8xbf16>
  %zero = arith.constant dense<0.0> : tensor<16x8xf32>
  %two = arith.constant dense<2.0> : tensor<16x16xf32>
  %x = tile.load %a : !tile.shared<16x16xf32> -> tensor<16x16xf32>
  %y = arith.mulf %x, %two : tensor<16x16xf32>
  %t = tile.broadcast %shift : f32 -> tensor<16x16xf32>
  %z = arith.addf %y, %t : tensor<16x16xf32>
  %w = tile.cast %z : tensor<16x16xf32> -> tensor<16x16xbf16>
  %r = tile.gemm %w, %b, %zero {transpose_a} : tensor<16x16xbf16>, !tile.shared<16x8xbf16>, tensor<16x8xf32>
  tile.return
}

// -----

// Tests that a tile that is written after it was read stays where it is.
// CHECK-LABEL: @written_between
// CHECK: tile.alloc_shared "operand"
// CHECK-NOT: tile.operand
tile.kernel @written_between() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %a = tile.alloc_shared : !tile.shared<16x16xbf16>
  %b = tile.alloc_shared : !tile.shared<16x8xbf16>
  %zero = arith.constant dense<0.0> : tensor<16x8xf32>
  %x = tile.load %a : !tile.shared<16x16xbf16> -> tensor<16x16xbf16>
  %y = arith.addf %x, %x : tensor<16x16xbf16>
  tile.store %y, %a : tensor<16x16xbf16>, !tile.shared<16x16xbf16>
  %r = tile.gemm %y, %b, %zero : tensor<16x16xbf16>, !tile.shared<16x8xbf16>, tensor<16x8xf32>
  tile.return
}

// -----

// Tests that a tile which is only read into a fragment is the operand itself.
// CHECK-LABEL: @nothing_to_do
// CHECK: %[[A:.+]] = tile.alloc_shared : <16x16xbf16>
// CHECK: tile.gemm %[[A]],
tile.kernel @nothing_to_do() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %a = tile.alloc_shared : !tile.shared<16x16xbf16>
  %b = tile.alloc_shared : !tile.shared<16x8xbf16>
  %zero = arith.constant dense<0.0> : tensor<16x8xf32>
  %x = tile.load %a : !tile.shared<16x16xbf16> -> tensor<16x16xbf16>
  %r = tile.gemm %x, %b, %zero : tensor<16x16xbf16>, !tile.shared<16x8xbf16>, tensor<16x8xf32>
  tile.return
}

// -----

// Tests that groups of groups are groups.
// CHECK-LABEL: @double_groups
// CHECK: tile.operand %{{.+}}, %{{.+}} maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1 floordiv 16)>]
tile.kernel @double_groups() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %a = tile.alloc_shared : !tile.shared<16x32xbf16>
  %b = tile.alloc_shared : !tile.shared<8x32xbf16>
  %s = tile.alloc_shared : !tile.shared<8x2xbf16>
  %zero = arith.constant dense<0.0> : tensor<16x8xf32>
  %q = tile.load %b : !tile.shared<8x32xbf16> -> tensor<8x32xbf16>
  %f = tile.load %s : !tile.shared<8x2xbf16> -> tensor<8x2xbf16>
  %g = tile.reindex %f by affine_map<(d0, d1) -> (d0, d1 floordiv 2)> : tensor<8x2xbf16> -> tensor<8x4xbf16>
  %h = tile.reindex %g by affine_map<(d0, d1) -> (d0, d1 floordiv 8)> : tensor<8x4xbf16> -> tensor<8x32xbf16>
  %w = arith.mulf %q, %h : tensor<8x32xbf16>
  %r = tile.gemm %a, %w, %zero {transpose_b} : !tile.shared<16x32xbf16>, tensor<8x32xbf16>, tensor<16x8xf32>
  tile.return
}

// -----

// Tests that one operand is computed as it is read though the other goes through
// shared memory.
// CHECK-LABEL: @beside_a_staged_one
// CHECK: tile.operand
// CHECK: tile.alloc_shared "operand"
// CHECK: tile.store
// CHECK: tile.gemm
tile.kernel @beside_a_staged_one() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %b = tile.alloc_shared : !tile.shared<16x8xbf16>
  %zero = arith.constant dense<0.0> : tensor<16x8xf32>
  %one = arith.constant dense<1.0> : tensor<16x16xbf16>
  %x = tile.load %b : !tile.shared<16x8xbf16> -> tensor<16x8xbf16>
  %y = arith.addf %x, %x : tensor<16x8xbf16>
  %r = tile.gemm %one, %y, %zero : tensor<16x16xbf16>, tensor<16x8xbf16>, tensor<16x8xf32>
  tile.return
}
