// RUN: sh %S/../Inputs/status tilec %s --emit=ptx -o %t | FileCheck %s --implicit-check-not=error:
// Tests that a yield stands in a loop.
// CHECK: 1
// CHECK-NEXT: {{.*}}yield-outside.mlir:7:3: error: 'tile.yield' op expects parent op to be one of 'tile.pipelined, tile.parallel, tile.persistent, tile.warpgroup, tile.operand'
tile.kernel @k(%A: !tile.global<?x?xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "in", tile.dims = ["M", "N"]}, %C: !tile.global<?x?xf32> {tile.name = "C", tile.dtype = "f32", tile.access = "out", tile.dims = ["M", "N"]})
    attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "N", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [["ceildiv", "M", 64 : i64]], axes = ["by"], threads = 128 : i64} {
  tile.yield
  tile.return
}
