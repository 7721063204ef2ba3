// RUN: sh %S/../Inputs/status tilec %s --emit=ptx -o %t | FileCheck %s --implicit-check-not=error:
// Tests that a parameter has a type of the language.
// CHECK: 1
// CHECK-NEXT: {{.*}}no-dtype.mlir:5:1: error: 'tile.kernel' op kernel-c3: argument 0 needs 'tile.name' and 'tile.dtype'
tile.kernel @k(%A: !tile.global<?x?xf32> {tile.name = "A", tile.access = "in", tile.dims = ["M", "N"]})
    attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "N", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [["ceildiv", "M", 64 : i64]], axes = ["by"], threads = 128 : i64} {

  tile.return
}
