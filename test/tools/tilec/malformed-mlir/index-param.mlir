// RUN: sh %S/../Inputs/status tilec %s --emit=ptx -o %t | FileCheck %s --implicit-check-not=error:
// Tests that a parameter has a type of the language.
// CHECK: 1
// CHECK-NEXT: {{.*}}index-param.mlir:5:1: error: 'tile.kernel' op kernel-c3: argument 0 is of 'index', which 'tile.dtype' = 'int64' does not spell
tile.kernel @k(%x: index {tile.name = "A", tile.dtype = "int64"})
    attributes {symbols = [], checks = [], grid = [1 : i64], axes = ["by"], threads = 128 : i64} {

  tile.return
}
