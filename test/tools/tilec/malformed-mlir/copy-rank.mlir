// RUN: sh %S/../Inputs/status tilec %s --emit=ptx -o %t | FileCheck %s --implicit-check-not=error:
// Tests that a copy has an index for each dimension.
// CHECK: 1
// CHECK-NEXT: {{.*}}copy-rank.mlir:9:3: error: 'tile.copy' op memory-c1: needs one index for each dimension of '!tile.global<?x?xf32>', found 1
tile.kernel @k(%A: !tile.global<?x?xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "in", tile.dims = ["M", "N"]}, %C: !tile.global<?x?xf32> {tile.name = "C", tile.dtype = "f32", tile.access = "out", tile.dims = ["M", "N"]})
    attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "N", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [["ceildiv", "M", 64 : i64]], axes = ["by"], threads = 128 : i64} {
  %s = tile.alloc_shared : !tile.shared<16x8xf32>
  %i = arith.constant 0 : i64
  tile.copy %A[%i] to %s : !tile.global<?x?xf32>, !tile.shared<16x8xf32>
  tile.return
}
