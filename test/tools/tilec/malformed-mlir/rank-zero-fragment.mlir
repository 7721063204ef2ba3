// RUN: sh %S/../Inputs/status tilec %s --emit=ptx -o %t | FileCheck %s --implicit-check-not=error:
// Tests that a fragment has dimensions.
// CHECK: 1
// CHECK-NEXT: {{.*}}rank-zero-fragment.mlir:9:3: error: 'tile.store' op operand #0 must be fragment of rank 1 to 5 with positive extents and elements of the language, but got 'tensor<f32>'
tile.kernel @k(%A: !tile.global<?x?xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "in", tile.dims = ["M", "N"]}, %C: !tile.global<?x?xf32> {tile.name = "C", tile.dtype = "f32", tile.access = "out", tile.dims = ["M", "N"]})
    attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "N", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [["ceildiv", "M", 64 : i64]], axes = ["by"], threads = 128 : i64} {
  %x = arith.constant dense<0.0> : tensor<f32>
  %s = tile.alloc_shared : !tile.shared<8xf32>
  tile.store %x, %s : tensor<f32>, !tile.shared<8xf32>
  tile.return
}
