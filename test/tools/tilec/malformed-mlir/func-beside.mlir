// RUN: sh %S/../Inputs/status tilec %s --emit=ptx -o %t | FileCheck %s --implicit-check-not=error:
// Tests that only kernels stand in the module.
// CHECK: 1
// CHECK-NEXT: {{.*}}func-beside.mlir:5:1: error: Dialect `func' not found for custom op 'func.func' 
func.func @f() { return }
