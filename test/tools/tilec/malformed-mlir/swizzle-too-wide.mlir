// RUN: sh %S/../Inputs/status tilec %s --emit=ptx -o %t | FileCheck %s --implicit-check-not=error:
// Tests that a swizzle stays within a row.
// CHECK: 1
// CHECK-NEXT: {{.*}}swizzle-too-wide.mlir:7:34: error: no such storage: a row of 32 bytes is not a multiple of the 2048 bytes that the swizzle permutes
tile.kernel @k(%A: !tile.global<?x?xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "in", tile.dims = ["M", "N"]}, %C: !tile.global<?x?xf32> {tile.name = "C", tile.dtype = "f32", tile.access = "out", tile.dims = ["M", "N"]})
    attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "N", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [["ceildiv", "M", 64 : i64]], axes = ["by"], threads = 128 : i64} {
  %s = tile.alloc_shared : !tile.shared<8x8xf32, #tile.shared_layout<swizzle = [7, 4, 7]>>
  tile.return
}
