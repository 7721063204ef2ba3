// RUN: tile-opt %s --convert-tile-to-nvvm --canonicalize --split-input-file | FileCheck %s

// Tests which casts round to odd on their way, so that they round once.  Their
// values are tested by test/e2e/casts.
// CHECK-LABEL: llvm.func @rounds_once
tile.kernel @rounds_once(%d: f64 {tile.name = "d", tile.dtype = "f64"}, %i: i32 {tile.name = "i", tile.dtype = "int32"}, %u: i64 {tile.name = "u", tile.dtype = "uint64"}, %s: i16 {tile.name = "s", tile.dtype = "int16"}, %Y: !tile.global<?xbf16> {tile.name = "Y", tile.dtype = "bf16", tile.access = "out", tile.dims = [8]}, %Z: !tile.global<?xf16> {tile.name = "Z", tile.dtype = "f16", tile.access = "out", tile.dims = [8]})
   attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64, shared_bytes = 0 : i64} {
  %c0 = arith.constant 0 : i64
  // CHECK: llvm.nvvm.d2f.rz
  // CHECK: llvm.fptrunc %{{.+}} : f32 to bf16
  %0 = tile.cast %d : f64 -> bf16
  tile.store_element %0, %Y[%c0] : bf16, !tile.global<?xbf16>
  // CHECK: llvm.nvvm.i2f.rz
  // CHECK: arith.fptosi %{{.+}} : f32 to i32
  // CHECK: llvm.fptrunc %{{.+}} : f32 to bf16
  %1 = tile.cast %i : i32 -> bf16
  tile.store_element %1, %Y[%c0] : bf16, !tile.global<?xbf16>
  // CHECK: llvm.nvvm.ull2f.rz
  // CHECK: arith.fptoui %{{.+}} : f32 to i64
  %2 = tile.cast %u {source_unsigned} : i64 -> bf16
  tile.store_element %2, %Y[%c0] : bf16, !tile.global<?xbf16>
  // CHECK-NOT: .rz
  // CHECK: arith.sitofp %{{.+}} : i16 to f32
  %3 = tile.cast %s : i16 -> bf16
  tile.store_element %3, %Y[%c0] : bf16, !tile.global<?xbf16>
  // CHECK: arith.sitofp %{{.+}} : i32 to f32
  %4 = tile.cast %i : i32 -> f16
  tile.store_element %4, %Z[%c0] : f16, !tile.global<?xf16>
  tile.return
}

// -----

// Tests that narrow floats are integers of their width in registers.
// CHECK-LABEL: llvm.func @narrow
// CHECK-SAME: (%{{.+}}: !llvm.ptr<1>, %[[X:.+]]: f32, %[[Y:.+]]: i8)
tile.kernel @narrow(%x: f32 {tile.name = "x", tile.dtype = "f32"}, %y: f8E5M2 {tile.name = "y", tile.dtype = "fp8_e5m2"}, %Z: !tile.global<?xf8E4M3FN> {tile.name = "Z", tile.dtype = "fp8_e4m3", tile.access = "out", tile.dims = [8]})
   attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64, shared_bytes = 0 : i64} {
  %c0 = arith.constant 0 : i64
  // CHECK: llvm.bitcast %[[X]] : f32 to i32
  // CHECK: arith.trunci %{{.+}} : i32 to i8
  // CHECK: llvm.store %{{.+}} : i8
  %0 = tile.cast %x : f32 -> f8E4M3FN
  tile.store_element %0, %Z[%c0] : f8E4M3FN, !tile.global<?xf8E4M3FN>
  // CHECK: arith.extui %[[Y]] : i8 to i32
  %1 = tile.cast %y : f8E5M2 -> f8E4M3FN
  tile.store_element %1, %Z[%c0] : f8E4M3FN, !tile.global<?xf8E4M3FN>
  tile.return
}
