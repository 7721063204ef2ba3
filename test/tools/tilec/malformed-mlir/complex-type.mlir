// RUN: sh %S/../Inputs/status tilec %s --emit=ptx -o %t | FileCheck %s --implicit-check-not=error:
// Tests that element types are those of the language.
// CHECK: 1
// CHECK-NEXT: {{.*}}complex-type.mlir:7:34: error: element type is a number of the language, found 'complex<f32>'
tile.kernel @k(%A: !tile.global<?x?xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "in", tile.dims = ["M", "N"]}, %C: !tile.global<?x?xf32> {tile.name = "C", tile.dtype = "f32", tile.access = "out", tile.dims = ["M", "N"]})
    attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "N", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [["ceildiv", "M", 64 : i64]], axes = ["by"], threads = 128 : i64} {
  %s = tile.alloc_shared : !tile.shared<8x8xcomplex<f32>>
  tile.return
}
