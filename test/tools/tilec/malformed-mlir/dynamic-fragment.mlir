// RUN: sh %S/../Inputs/status tilec %s --emit=ptx -o %t | FileCheck %s --implicit-check-not=error:
// Tests that the extents of a fragment are known.
// CHECK: 1
// CHECK-NEXT: {{.*}}dynamic-fragment.mlir:8:8: error: 'tile.load' op result #0 must be fragment of rank 1 to 5 with positive extents and elements of the language, but got 'tensor<?xf32>'
tile.kernel @k(%A: !tile.global<?x?xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "in", tile.dims = ["M", "N"]}, %C: !tile.global<?x?xf32> {tile.name = "C", tile.dtype = "f32", tile.access = "out", tile.dims = ["M", "N"]})
    attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "N", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [["ceildiv", "M", 64 : i64]], axes = ["by"], threads = 128 : i64} {
  %s = tile.alloc_shared : !tile.shared<8xf32>
  %x = tile.load %s : !tile.shared<8xf32> -> tensor<?xf32>
  tile.return
}
