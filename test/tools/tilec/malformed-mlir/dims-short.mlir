// RUN: sh %S/../Inputs/status tilec %s --emit=ptx -o %t | FileCheck %s --implicit-check-not=error:
// Tests that a tensor has an extent for each dimension.
// CHECK: 1
// CHECK-NEXT: {{.*}}dims-short.mlir:5:1: error: 'tile.kernel' op kernel-c3: 'tile.dims' of argument 0 has one expression for each dimension
tile.kernel @k(%A: !tile.global<?x?xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "in", tile.dims = ["M"]})
    attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "N", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [["ceildiv", "M", 64 : i64]], axes = ["by"], threads = 128 : i64} {

  tile.return
}
