// RUN: sh %S/../Inputs/status tilec %s --emit=ptx -o %t | FileCheck %s --implicit-check-not=error:
// Tests that a copy keeps the type.
// CHECK: 1
// CHECK-NEXT: {{.*}}copy-type.mlir:9:3: error: 'tile.copy' op memory-c3: element types differ: 'f32' and 'i8'
tile.kernel @k(%A: !tile.global<?x?xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "in", tile.dims = ["M", "N"]}, %C: !tile.global<?x?xf32> {tile.name = "C", tile.dtype = "f32", tile.access = "out", tile.dims = ["M", "N"]})
    attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "N", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [["ceildiv", "M", 64 : i64]], axes = ["by"], threads = 128 : i64} {
  %s = tile.alloc_shared : !tile.shared<16x8xi8>
  %i = arith.constant 0 : i64
  tile.copy %A[%i, %i] to %s : !tile.global<?x?xf32>, !tile.shared<16x8xi8>
  tile.return
}
