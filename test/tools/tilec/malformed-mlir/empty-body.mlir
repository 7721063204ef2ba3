// RUN: sh %S/../Inputs/status tilec %s --emit=ptx -o %t | FileCheck %s --implicit-check-not=error:
// Tests that a kernel has a body.
// CHECK: 1
// CHECK-NEXT: {{.*}}empty-body.mlir:5:1: error: 'tile.kernel' op kernel-c4: has a body
tile.kernel @k() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64}
