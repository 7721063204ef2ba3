// RUN: sh %S/../Inputs/status tilec %s --emit=ptx -o %t | FileCheck %s --implicit-check-not=error:
// Tests that a grid has at most five axes.
// CHECK: 1
// CHECK-NEXT: {{.*}}six-axes.mlir:5:1: error: 'tile.kernel' op kernel-c6: a grid has at most 5 axes, found 6
tile.kernel @k(%A: !tile.global<?x?xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "in", tile.dims = ["M", "N"]}, %C: !tile.global<?x?xf32> {tile.name = "C", tile.dtype = "f32", tile.access = "out", tile.dims = ["M", "N"]})
    attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "N", param = 0 : i64, dim = 1 : i64}], checks = [], grid = ["M","M","M","M","M","M"], axes = ["a0","a1","a2","a3","a4","a5"], threads = 128 : i64} {

  tile.return
}
