// RUN: tile-opt %s --tile-pipeline=target=sm_80 --convert-tile-to-nvvm --canonicalize --split-input-file --verify-diagnostics | FileCheck %s

// Tests which functions are one instruction and which start from one.  Their
// accuracy is tested by test/e2e/math-accuracy.
// CHECK-LABEL: llvm.func @functions__general
// CHECK-SAME: (%{{.+}}: !llvm.ptr<1>, %[[X:.+]]: f32
tile.kernel @functions(%X: f32 {tile.name = "x", tile.dtype = "f32"}, %Y: !tile.global<?xf32> {tile.name = "Y", tile.dtype = "f32", tile.access = "out", tile.dims = [8]})
   attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c0 = arith.constant 0 : i64
  // CHECK: llvm.nvvm.ex2.approx.ftz.f32"(%[[X]])
  %0 = math.exp2 %X : f32
  // CHECK: llvm.nvvm.rsqrt.approx.ftz.f"(%{{.+}}) : (f32) -> f32
  %1 = math.rsqrt %0 : f32
  // CHECK: tanh.approx.f32
  %2 = math.tanh %1 fastmath<afn> : f32
  // CHECK: llvm.nvvm.rcp.approx.ftz.f"(%{{.+}}) : (f32) -> f32
  %one = arith.constant 1.0 : f32
  %3 = arith.divf %one, %2 fastmath<arcp> : f32
  // CHECK: math.sqrt
  %4 = math.sqrt %3 : f32
  // CHECK: llvm.nvvm.ex2.approx.ftz.f32"(
  %5 = math.exp %4 : f32
  // CHECK: llvm.nvvm.lg2.approx.ftz.f"(
  %6 = math.log %5 : f32
  // CHECK-NOT: approx
  // CHECK: arith.divf
  %7 = arith.divf %6, %X : f32
  // CHECK: llvm.store
  %8 = tile.broadcast %7 : f32 -> tensor<8xf32>
  tile.store %8, %Y[%c0] : tensor<8xf32>, !tile.global<?xf32>
  tile.return
}

// -----

// Tests that functions of f64 use no instruction that approximates.
// CHECK-LABEL: llvm.func @double__general
// CHECK-NOT: approx
// CHECK: math.fma
// CHECK-NOT: approx
// CHECK: llvm.return
tile.kernel @double(%X: f64 {tile.name = "x", tile.dtype = "f64"}, %Y: !tile.global<?xf64> {tile.name = "Y", tile.dtype = "f64", tile.access = "out", tile.dims = [8]})
   attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c0 = arith.constant 0 : i64
  %0 = math.erf %X : f64
  %1 = math.log %0 : f64
  %2 = math.sin %1 : f64
  %3 = math.tanh %2 : f64
  %4 = tile.broadcast %3 : f64 -> tensor<8xf64>
  tile.store %4, %Y[%c0] : tensor<8xf64>, !tile.global<?xf64>
  tile.return
}

// -----

// Tests that minima and maxima are the operations that order zeros.
// CHECK-LABEL: llvm.func @extremes__general
// CHECK: "llvm.minimumnum"(%{{.+}}, %{{.+}}) : (f32, f32) -> f32
// CHECK: "llvm.maximumnum"
// CHECK-NOT: arith.m{{ax|in}}numf
// CHECK: llvm.return
tile.kernel @extremes(%X: f32 {tile.name = "x", tile.dtype = "f32"}, %W: f32 {tile.name = "w", tile.dtype = "f32"}, %Y: !tile.global<?xf32> {tile.name = "Y", tile.dtype = "f32", tile.access = "out", tile.dims = [8]})
   attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c0 = arith.constant 0 : i64
  %0 = arith.minnumf %X, %W : f32
  %1 = arith.maxnumf %0, %W : f32
  %2 = tile.broadcast %1 : f32 -> tensor<8xf32>
  tile.store %2, %Y[%c0] : tensor<8xf32>, !tile.global<?xf32>
  tile.return
}
