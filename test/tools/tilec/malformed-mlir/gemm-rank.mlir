// RUN: sh %S/../Inputs/status tilec %s --emit=ptx -o %t | FileCheck %s --implicit-check-not=error:
// Tests that operands of a product are matrices.
// CHECK: 1
// CHECK-NEXT: {{.*}}gemm-rank.mlir:10:8: error: 'tile.gemm' op gemm-c1: operands and accumulator have rank 2
tile.kernel @k(%A: !tile.global<?x?xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "in", tile.dims = ["M", "N"]}, %C: !tile.global<?x?xf32> {tile.name = "C", tile.dtype = "f32", tile.access = "out", tile.dims = ["M", "N"]})
    attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "N", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [["ceildiv", "M", 64 : i64]], axes = ["by"], threads = 128 : i64} {
  %a = tile.alloc_shared : !tile.shared<64xbf16>
  %b = tile.alloc_shared : !tile.shared<16x64xbf16>
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %r = tile.gemm %a, %b, %z : !tile.shared<64xbf16>, !tile.shared<16x64xbf16>, tensor<64x64xf32>
  tile.return
}
