// RUN: sh %S/../Inputs/status tilec %s --emit=ptx -o %t | FileCheck %s --implicit-check-not=error:
// Tests that a loop yields what it carries.
// CHECK: 1
// CHECK-NEXT: {{.*}}yield-count.mlir:10:8: error: 'tile.pipelined' op pipelined-c2: yields and results have the types of the inits
tile.kernel @k(%A: !tile.global<?x?xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "in", tile.dims = ["M", "N"]}, %C: !tile.global<?x?xf32> {tile.name = "C", tile.dtype = "f32", tile.access = "out", tile.dims = ["M", "N"]})
    attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "N", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [["ceildiv", "M", 64 : i64]], axes = ["by"], threads = 128 : i64} {
  %c = arith.constant 4 : i64
  %z = arith.constant 0 : i64
  %x = arith.constant dense<0.0> : tensor<16x8xf32>
  %r = tile.pipelined %k = %z to %c step 1 iter_args(%y = %x) -> (tensor<16x8xf32>) {
    tile.yield
  }
  tile.return
}
