// RUN: tile-opt %s --tile-lower-copies --split-input-file --mlir-print-local-scope | FileCheck %s

// Tests that the width is what alignment of base, pitch and index allow.
// CHECK-LABEL: @widths
// CHECK: tile.async_copy %arg0[%c0_i64, %c0_i64] {{.*}}engine = cp_async, bytes = 16
// CHECK: tile.async_copy %arg0[%c0_i64, %c2_i64] {{.*}}engine = cp_async, bytes = 4
// CHECK: tile.copy %arg0[%c0_i64, %c0_i64] {{.*}}engine = vector, bytes = 16
// CHECK: tile.copy %arg1[%c0_i64, %c0_i64] {{.*}}engine = scalar, bytes = 2
tile.kernel @widths(%A: !tile.global<?x?xbf16> {tile.name = "A", tile.dtype = "bf16", tile.access = "in", tile.dims = ["M", "K"], tile.aligned = 16 : i64},
                    %B: !tile.global<?x?xbf16> {tile.name = "B", tile.dtype = "bf16", tile.access = "in", tile.dims = ["M", "K"]})
    attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "K", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c0_i64 = arith.constant 0 : i64
  %c2_i64 = arith.constant 2 : i64
  %as = tile.alloc_shared "As" : !tile.shared<16x32xbf16>
  tile.async_copy %A[%c0_i64, %c0_i64] to %as : !tile.global<?x?xbf16>, !tile.shared<16x32xbf16>
  tile.async_copy %A[%c0_i64, %c2_i64] to %as : !tile.global<?x?xbf16>, !tile.shared<16x32xbf16>
  tile.copy %A[%c0_i64, %c0_i64] to %as : !tile.global<?x?xbf16>, !tile.shared<16x32xbf16>
  tile.copy %B[%c0_i64, %c0_i64] to %as : !tile.global<?x?xbf16>, !tile.shared<16x32xbf16>
  tile.return
}

// -----

// Tests that elements of 8 bytes are copied whole where nothing is known.
// CHECK-LABEL: @wide_elements
// CHECK: tile.async_copy {{.*}}engine = cp_async, bytes = 8
tile.kernel @wide_elements(%A: !tile.global<?x?xi64> {tile.name = "A", tile.dtype = "int64", tile.access = "in", tile.dims = ["M", "K"]})
    attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "K", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c0_i64 = arith.constant 0 : i64
  %as = tile.alloc_shared "As" : !tile.shared<1x1xi64>
  tile.async_copy %A[%c0_i64, %c0_i64] to %as : !tile.global<?x?xi64>, !tile.shared<1x1xi64>
  tile.return
}
