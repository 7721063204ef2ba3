// RUN: tile-opt %s --tile-select-mma --tile-infer-layouts --tile-plan-pipeline --tile-specialize-warps --split-input-file | FileCheck %s

// Tests that sums leave by way of two buffers of 64 rows and one panel.
// CHECK-LABEL: tile.kernel @sums__tma
// CHECK-SAME: tensor_maps = [{{.*}}{box = [64, 32], param = 2 : i64, swizzle = 128 : i64}]
// CHECK: tile.alloc_shared "staging" : <2x64x32xf32, #tile.shared_layout<swizzle = [3, 4, 3]>>
// CHECK: tile.store_through %{{.+}}, %arg2[%{{.+}}, %{{.+}}] by %{{.+}} {map = 2 : i64}
// CHECK-LABEL: tile.kernel @sums__aligned8
// CHECK-NOT: tile.store_through
tile.kernel @sums(%A: !tile.global<?x?xbf16> {tile.access = "in", tile.dims = ["M", "K"], tile.dtype = "bf16", tile.name = "A"}, %B: !tile.global<?x?xbf16> {tile.access = "in", tile.dims = ["N", "K"], tile.dtype = "bf16", tile.name = "B"}, %C: !tile.global<?x?xf32> {tile.access = "out", tile.dims = ["M", "N"], tile.dtype = "f32", tile.name = "C"})
    attributes {axes = ["bx", "by"], checks = [], grid = [["ceildiv", "N", 64], ["ceildiv", "M", 64]], symbols = [{dim = 0 : i64, name = "M", param = 0 : i64}, {dim = 1 : i64, name = "K", param = 0 : i64}, {dim = 0 : i64, name = "N", param = 1 : i64}], threads = 128 : i64} {
  %as = tile.alloc_shared "As" : !tile.shared<64x64xbf16>
  %bs = tile.alloc_shared "Bs" : !tile.shared<64x64xbf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i64
  %c64 = arith.constant 64 : i64
  %k = tile.symbol "K" : i64
  %n = arith.ceildivsi %k, %c64 : i64
  %bx = tile.block_id 0 : i64
  %by = tile.block_id 1 : i64
  %row = arith.muli %by, %c64 : i64
  %column = arith.muli %bx, %c64 : i64
  %r = tile.pipelined %i = %c0 to %n step 1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) stages(3) {
    %depth = arith.muli %i, %c64 : i64
    tile.copy %A[%row, %depth] to %as : !tile.global<?x?xbf16>, !tile.shared<64x64xbf16>
    tile.copy %B[%column, %depth] to %bs : !tile.global<?x?xbf16>, !tile.shared<64x64xbf16>
    %s = tile.gemm %as, %bs, %acc {transpose_b} : !tile.shared<64x64xbf16>, !tile.shared<64x64xbf16>, tensor<64x64xf32>
    tile.yield %s : tensor<64x64xf32>
  }
  tile.store %r, %C[%row, %column] : tensor<64x64xf32>, !tile.global<?x?xf32>
  tile.return
}

// -----

// Tests that a panel of 16-bit elements has 64 columns.
// CHECK-LABEL: tile.kernel @halves__tma
// CHECK-SAME: {box = [64, 64], param = 2 : i64, swizzle = 128 : i64}]
// CHECK: tile.alloc_shared "staging" : <2x64x64xbf16, #tile.shared_layout<swizzle = [3, 4, 3]>>
// CHECK: tile.store_through %{{.+}}, %arg2
tile.kernel @halves(%A: !tile.global<?x?xbf16> {tile.access = "in", tile.dims = ["M", "K"], tile.dtype = "bf16", tile.name = "A"}, %B: !tile.global<?x?xbf16> {tile.access = "in", tile.dims = ["N", "K"], tile.dtype = "bf16", tile.name = "B"}, %C: !tile.global<?x?xbf16> {tile.access = "out", tile.dims = ["M", "N"], tile.dtype = "bf16", tile.name = "C"})
    attributes {axes = ["bx", "by"], checks = [], grid = [["ceildiv", "N", 64], ["ceildiv", "M", 64]], symbols = [{dim = 0 : i64, name = "M", param = 0 : i64}, {dim = 1 : i64, name = "K", param = 0 : i64}, {dim = 0 : i64, name = "N", param = 1 : i64}], threads = 128 : i64} {
  %as = tile.alloc_shared "As" : !tile.shared<64x64xbf16>
  %bs = tile.alloc_shared "Bs" : !tile.shared<64x64xbf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i64
  %c64 = arith.constant 64 : i64
  %k = tile.symbol "K" : i64
  %n = arith.ceildivsi %k, %c64 : i64
  %bx = tile.block_id 0 : i64
  %by = tile.block_id 1 : i64
  %row = arith.muli %by, %c64 : i64
  %column = arith.muli %bx, %c64 : i64
  %r = tile.pipelined %i = %c0 to %n step 1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) stages(3) {
    %depth = arith.muli %i, %c64 : i64
    tile.copy %A[%row, %depth] to %as : !tile.global<?x?xbf16>, !tile.shared<64x64xbf16>
    tile.copy %B[%column, %depth] to %bs : !tile.global<?x?xbf16>, !tile.shared<64x64xbf16>
    %s = tile.gemm %as, %bs, %acc {transpose_b} : !tile.shared<64x64xbf16>, !tile.shared<64x64xbf16>, tensor<64x64xf32>
    tile.yield %s : tensor<64x64xf32>
  }
  %h = tile.cast %r : tensor<64x64xf32> -> tensor<64x64xbf16>
  tile.store %h, %C[%row, %column] : tensor<64x64xbf16>, !tile.global<?x?xbf16>
  tile.return
}

// -----

// Tests that bytes, and what is read again behind the store, are stored by threads.
// CHECK-LABEL: tile.kernel @bytes__tma
// CHECK-NOT: tile.store_through
// CHECK: tile.store %{{.+}}, %arg2
tile.kernel @bytes(%A: !tile.global<?x?xbf16> {tile.access = "in", tile.dims = ["M", "K"], tile.dtype = "bf16", tile.name = "A"}, %B: !tile.global<?x?xbf16> {tile.access = "in", tile.dims = ["N", "K"], tile.dtype = "bf16", tile.name = "B"}, %C: !tile.global<?x?xf8E4M3FN> {tile.access = "out", tile.dims = ["M", "N"], tile.dtype = "fp8_e4m3", tile.name = "C"})
    attributes {axes = ["bx", "by"], checks = [], grid = [["ceildiv", "N", 64], ["ceildiv", "M", 64]], symbols = [{dim = 0 : i64, name = "M", param = 0 : i64}, {dim = 1 : i64, name = "K", param = 0 : i64}, {dim = 0 : i64, name = "N", param = 1 : i64}], threads = 128 : i64} {
  %as = tile.alloc_shared "As" : !tile.shared<64x64xbf16>
  %bs = tile.alloc_shared "Bs" : !tile.shared<64x64xbf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i64
  %c64 = arith.constant 64 : i64
  %k = tile.symbol "K" : i64
  %n = arith.ceildivsi %k, %c64 : i64
  %bx = tile.block_id 0 : i64
  %by = tile.block_id 1 : i64
  %row = arith.muli %by, %c64 : i64
  %column = arith.muli %bx, %c64 : i64
  %r = tile.pipelined %i = %c0 to %n step 1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) stages(3) {
    %depth = arith.muli %i, %c64 : i64
    tile.copy %A[%row, %depth] to %as : !tile.global<?x?xbf16>, !tile.shared<64x64xbf16>
    tile.copy %B[%column, %depth] to %bs : !tile.global<?x?xbf16>, !tile.shared<64x64xbf16>
    %s = tile.gemm %as, %bs, %acc {transpose_b} : !tile.shared<64x64xbf16>, !tile.shared<64x64xbf16>, tensor<64x64xf32>
    tile.yield %s : tensor<64x64xf32>
  }
  %h = tile.cast %r : tensor<64x64xf32> -> tensor<64x64xf8E4M3FN>
  tile.store %h, %C[%row, %column] : tensor<64x64xf8E4M3FN>, !tile.global<?x?xf8E4M3FN>
  tile.return
}

// -----

// CHECK-LABEL: tile.kernel @again__tma
// CHECK-NOT: tile.store_through %{{.+}}, %arg2
// CHECK: tile.store %{{.+}}, %arg2
tile.kernel @again(%A: !tile.global<?x?xbf16> {tile.access = "in", tile.dims = ["M", "K"], tile.dtype = "bf16", tile.name = "A"}, %B: !tile.global<?x?xbf16> {tile.access = "in", tile.dims = ["N", "K"], tile.dtype = "bf16", tile.name = "B"}, %C: !tile.global<?x?xf32> {tile.access = "inout", tile.dims = ["M", "N"], tile.dtype = "f32", tile.name = "C"})
    attributes {axes = ["bx", "by"], checks = [], grid = [["ceildiv", "N", 64], ["ceildiv", "M", 64]], symbols = [{dim = 0 : i64, name = "M", param = 0 : i64}, {dim = 1 : i64, name = "K", param = 0 : i64}, {dim = 0 : i64, name = "N", param = 1 : i64}], threads = 128 : i64} {
  %as = tile.alloc_shared "As" : !tile.shared<64x64xbf16>
  %bs = tile.alloc_shared "Bs" : !tile.shared<64x64xbf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i64
  %c64 = arith.constant 64 : i64
  %k = tile.symbol "K" : i64
  %n = arith.ceildivsi %k, %c64 : i64
  %bx = tile.block_id 0 : i64
  %by = tile.block_id 1 : i64
  %row = arith.muli %by, %c64 : i64
  %column = arith.muli %bx, %c64 : i64
  %r = tile.pipelined %i = %c0 to %n step 1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) stages(3) {
    %depth = arith.muli %i, %c64 : i64
    tile.copy %A[%row, %depth] to %as : !tile.global<?x?xbf16>, !tile.shared<64x64xbf16>
    tile.copy %B[%column, %depth] to %bs : !tile.global<?x?xbf16>, !tile.shared<64x64xbf16>
    %s = tile.gemm %as, %bs, %acc {transpose_b} : !tile.shared<64x64xbf16>, !tile.shared<64x64xbf16>, tensor<64x64xf32>
    tile.yield %s : tensor<64x64xf32>
  }
  tile.store %r, %C[%row, %column] : tensor<64x64xf32>, !tile.global<?x?xf32>
  %x = tile.load %C[%column, %row] : !tile.global<?x?xf32> -> tensor<64x64xf32>
  %y = arith.addf %x, %x : tensor<64x64xf32>
  tile.store %y, %C[%row, %row] : tensor<64x64xf32>, !tile.global<?x?xf32>
  tile.return
}
