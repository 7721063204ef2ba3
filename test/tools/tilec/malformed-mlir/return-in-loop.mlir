// RUN: sh %S/../Inputs/status tilec %s --emit=ptx -o %t | FileCheck %s --implicit-check-not=error:
// Tests that a return ends the kernel.
// CHECK: 1
// CHECK-NEXT: {{.*}}return-in-loop.mlir:10:5: error: 'tile.return' op expects parent op 'tile.kernel'
tile.kernel @k(%A: !tile.global<?x?xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "in", tile.dims = ["M", "N"]}, %C: !tile.global<?x?xf32> {tile.name = "C", tile.dtype = "f32", tile.access = "out", tile.dims = ["M", "N"]})
    attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "N", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [["ceildiv", "M", 64 : i64]], axes = ["by"], threads = 128 : i64} {
  %c = arith.constant 4 : i64
  %z = arith.constant 0 : i64
  tile.pipelined %k = %z to %c step 1 {
    tile.return
  }
  tile.return
}
