// RUN: tile-opt %s --tile-plan-pipeline --tile-lower-copies --tile-allocate-shared --tile-insert-barriers --convert-tile-to-nvvm --canonicalize --cse --split-input-file | FileCheck %s

// Tests that the general variant loads a batch of 16 elements before it stores
// any, and stores neighbours together.
// CHECK-LABEL: llvm.func @copy__general
// CHECK-COUNT-16: "@$1 ld.global.b16 $0, [$2];"
// CHECK-NOT: ld.global
// CHECK-COUNT-8: llvm.store %{{.+}}, %{{.+}} {alignment = 4 : i64} : i32, !llvm.ptr<3>
// CHECK-NOT: llvm.store
// CHECK: llvm.return
tile.kernel @copy(%A: !tile.global<?x?xbf16> {tile.name = "A", tile.dtype = "bf16", tile.access = "in", tile.dims = ["M", "K"]})
    attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "K", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %zero = arith.constant 0 : i64
  %as = tile.alloc_shared "As" : !tile.shared<32x64xbf16>
  tile.copy %A[%zero, %zero] to %as : !tile.global<?x?xbf16>, !tile.shared<32x64xbf16>
  tile.return
}

// -----

// Tests that packed elements move as bytes, and that the spare nibble of an odd
// end is cleared.
// CHECK-LABEL: llvm.func @packed__general
// CHECK: llvm.load %{{.+}} : !llvm.ptr<1> -> i8
// CHECK: arith.andi %{{.+}}, %c15_i8 : i8
// CHECK: llvm.store %{{.+}}, %{{.+}} {alignment = 4 : i64} : i32, !llvm.ptr<3>
tile.kernel @packed(%B: !tile.global<?x?xi4, pack = 0> {tile.name = "B", tile.dtype = "int4", tile.access = "in", tile.dims = ["K", "N"]})
    attributes {symbols = [{name = "K", param = 0 : i64, dim = 0 : i64}, {name = "N", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %zero = arith.constant 0 : i64
  %bs = tile.alloc_shared "Bs" : !tile.shared<8x32xi4, pack = 0>
  tile.copy %B[%zero, %zero] to %bs : !tile.global<?x?xi4, pack = 0>, !tile.shared<8x32xi4, pack = 0>
  tile.return
}
