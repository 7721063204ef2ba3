// RUN: sh %S/../Inputs/status tilec %s --emit=ptx -o %t | FileCheck %s --implicit-check-not=error:
// Tests that a parameter is a tensor or scalar.
// CHECK: 1
// CHECK-NEXT: {{.*}}foreign-type.mlir:5:1: error: 'tile.kernel' op kernel-c3: argument 0 is of 'memref<4xf32>', which 'tile.dtype' = 'f32' does not spell
tile.kernel @k(%x: memref<4xf32> {tile.name = "A", tile.dtype = "f32"})
    attributes {symbols = [], checks = [], grid = [1 : i64], axes = ["by"], threads = 128 : i64} {

  tile.return
}
