// RUN: sh %S/../Inputs/status tilec %s --emit=ptx -o %t | FileCheck %s --implicit-check-not=error:
// Tests that a file that is no text is refused.
// CHECK: 1
// CHECK-NEXT: {{.*}}binary.mlir:5:1: error: unexpected character
 tile.kernel
