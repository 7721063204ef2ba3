// RUN: tile-opt %s --tile-expand-gemm-scaled --split-input-file | FileCheck %s

// Tests that each group of K is a product by itself, which joins the
// accumulator times the product of its scales.
// CHECK-DAG: #[[$ROWS:.+]] = affine_map<(d0, d1) -> (d0, 0)>
// CHECK-DAG: #[[$BLOCKS:.+]] = affine_map<(d0, d1) -> (d1 floordiv 32, 0)>
// CHECK-LABEL: tile.kernel @two_groups
// CHECK: %[[ACC:.+]] = arith.constant dense<1.000000e+00> : tensor<64x64xf32>
// CHECK: %[[P:.+]] = tile.gemm %[[A:.+]], %[[B:.+]], %{{.+}} {k_range = array<i64: 0, 128>, transpose_b}
// CHECK: tile.load %[[SA:.+]][%{{.+}}, %{{.+}}] : !tile.shared<64x2xf32> -> tensor<64x1xf32>
// CHECK: %[[X:.+]] = tile.reindex %{{.+}} by #[[$ROWS]] : tensor<64x1xf32> -> tensor<64x64xf32>
// CHECK: tile.load %[[SB:.+]][%{{.+}}, %{{.+}}] : !tile.shared<2x2xf32> -> tensor<2x1xf32>
// CHECK: %[[Y:.+]] = tile.reindex %{{.+}} by #[[$BLOCKS]] : tensor<2x1xf32> -> tensor<64x64xf32>
// CHECK: %[[XY:.+]] = arith.mulf %[[X]], %[[Y]]
// CHECK: %[[R:.+]] = math.fma %[[P]], %[[XY]], %[[ACC]]
// CHECK: %[[Q:.+]] = tile.gemm %[[A]], %[[B]], %{{.+}} {k_range = array<i64: 128, 256>, transpose_b}
// CHECK: math.fma %[[Q]], %{{.+}}, %[[R]]
// CHECK-NOT: tile.gemm_scaled
tile.kernel @two_groups() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %a = tile.alloc_shared "A" : !tile.shared<64x256xf8E4M3FN>
  %b = tile.alloc_shared "B" : !tile.shared<64x256xf8E4M3FN>
  %sa = tile.alloc_shared "SA" : !tile.shared<64x2xf32>
  %sb = tile.alloc_shared "SB" : !tile.shared<2x2xf32>
  %acc = arith.constant dense<1.0> : tensor<64x64xf32>
  %r = tile.gemm_scaled %a, %b, %acc scales %sa, %sb {granularity_k = 128 : i64, granularity_m = 1 : i64, granularity_n = 32 : i64, transpose_b} : !tile.shared<64x256xf8E4M3FN>, !tile.shared<64x256xf8E4M3FN>, tensor<64x64xf32>, !tile.shared<64x2xf32>, !tile.shared<2x2xf32>
  tile.return
}

// -----

// Tests that of two powers of two the smaller one comes first: the product by
// the larger one alone may be out of range.  Sums of e5m2 are lifted before.
// CHECK-LABEL: tile.kernel @powers
// CHECK: %[[P:.+]] = tile.gemm
// CHECK: %[[MIN:.+]] = arith.minui %[[X:.+]], %[[Y:.+]] : tensor<64x64xi32>
// CHECK: %[[LOW:.+]] = arith.bitcast %[[MIN]]
// CHECK: %[[Q:.+]] = arith.mulf %[[P]], %[[LOW]]
// CHECK: %[[MAX:.+]] = arith.maxui %[[X]], %[[Y]] : tensor<64x64xi32>
// CHECK: %[[HIGH:.+]] = arith.bitcast %[[MAX]]
// CHECK: arith.mulf %[[Q]], %[[HIGH]]
// CHECK-LABEL: tile.kernel @small_numbers
// CHECK: %[[P:.+]] = tile.gemm
// CHECK: %[[UP:.+]] = arith.constant dense<6.553600e+04>
// CHECK: %[[LIFTED:.+]] = arith.mulf %[[P]], %[[UP]]
// CHECK: arith.minui
// CHECK: %[[LOW:.+]] = arith.bitcast
// CHECK: %[[Q:.+]] = arith.mulf %[[LIFTED]], %[[LOW]]
// CHECK: arith.maxui
// CHECK: %[[HIGH:.+]] = arith.bitcast
// CHECK: %[[DOWN:.+]] = arith.constant dense<1.52587891E-5>
// CHECK: %[[LOWERED:.+]] = arith.mulf %[[HIGH]], %[[DOWN]]
// CHECK: arith.mulf %[[Q]], %[[LOWERED]]
tile.kernel @powers() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %a = tile.alloc_shared "A" : !tile.shared<64x32xf8E4M3FN>
  %s = tile.alloc_shared "S" : !tile.shared<64xf8E8M0FNU>
  %acc = arith.constant dense<1.0> : tensor<64x64xf32>
  %r = tile.gemm_scaled %a, %a, %acc scales %s, %s {granularity_k = 32 : i64, granularity_m = 1 : i64, granularity_n = 1 : i64, transpose_b} : !tile.shared<64x32xf8E4M3FN>, !tile.shared<64x32xf8E4M3FN>, tensor<64x64xf32>, !tile.shared<64xf8E8M0FNU>, !tile.shared<64xf8E8M0FNU>
  tile.return
}
tile.kernel @small_numbers() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %a = tile.alloc_shared "A" : !tile.shared<64x32xf8E5M2>
  %s = tile.alloc_shared "S" : !tile.shared<64xf8E8M0FNU>
  %acc = arith.constant dense<1.0> : tensor<64x64xf32>
  %r = tile.gemm_scaled %a, %a, %acc scales %s, %s {granularity_k = 32 : i64, granularity_m = 1 : i64, granularity_n = 1 : i64, transpose_b} : !tile.shared<64x32xf8E5M2>, !tile.shared<64x32xf8E5M2>, tensor<64x64xf32>, !tile.shared<64xf8E8M0FNU>, !tile.shared<64xf8E8M0FNU>
  tile.return
}

// -----

// Tests that a scale of fewer rows than a power of two each is looked up, and
// that fragments come from wherever they are.
// CHECK-LABEL: tile.kernel @others
// CHECK: tile.store %{{.+}}, %[[A:.+]] : tensor<64x64xf8E4M3FN>
// CHECK: tile.gemm %[[A]], %{{.+}}, %{{.+}} {k_range
// CHECK: tile.part %{{.+}} [0, 0] : tensor<3x2xf32> -> tensor<3x1xf32>
// CHECK: tile.parallel
// CHECK: arith.divui %{{.+}}, %{{.+}} : i64
tile.kernel @others(%x: f8E4M3FN {tile.name = "x", tile.dtype = "fp8_e4m3"}, %y: f32 {tile.name = "y", tile.dtype = "f32"}) attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %a = tile.broadcast %x : f8E4M3FN -> tensor<64x64xf8E4M3FN>
  %sa = tile.broadcast %y : f32 -> tensor<3x2xf32>
  %sb = tile.alloc_shared "SB" : !tile.shared<64x2xf32>
  %acc = arith.constant dense<1.0> : tensor<64x64xf32>
  %r = tile.gemm_scaled %a, %a, %acc scales %sa, %sb {granularity_k = 32 : i64, granularity_m = 24 : i64, granularity_n = 1 : i64, transpose_b} : tensor<64x64xf8E4M3FN>, tensor<64x64xf8E4M3FN>, tensor<64x64xf32>, tensor<3x2xf32>, !tile.shared<64x2xf32>
  tile.return
}
