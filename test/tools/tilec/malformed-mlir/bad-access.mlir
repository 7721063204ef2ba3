// RUN: sh %S/../Inputs/status tilec %s --emit=ptx -o %t | FileCheck %s --implicit-check-not=error:
// Tests that access is one of three words.
// CHECK: 1
// CHECK-NEXT: {{.*}}bad-access.mlir:5:1: error: 'tile.kernel' op kernel-c3: 'tile.access' of argument 0 is 'in', 'out' or 'inout'
tile.kernel @k(%A: !tile.global<?x?xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "maybe", tile.dims = ["M", "N"]})
    attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "N", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [["ceildiv", "M", 64 : i64]], axes = ["by"], threads = 128 : i64} {

  tile.return
}
