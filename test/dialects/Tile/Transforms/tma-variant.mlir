// RUN: tile-opt %s --tile-select-mma --tile-apply-prepack --tile-infer-layouts --tile-plan-pipeline --split-input-file | FileCheck %s

// Tests the guards of the variant: bases, pitches and extents of what TMA reads,
// and of what it may write.
// CHECK-LABEL: tile.kernel @product__tma
// CHECK-SAME: %{{.+}}: !tile.global<?x?xbf16> {{{.*}}tile.aligned = 16 : i64
// CHECK-SAME: the pitch of 'A' is a multiple of 16 bytes
// CHECK-SAME: 'A' starts at a multiple of 16 bytes
// CHECK-SAME: the pitch of 'B' is a multiple of 16 bytes
// CHECK-SAME: 'C' starts at a multiple of 16 bytes
// CHECK-SAME: expr = [">=", "M", 1], text = "no extent of 'A' is 0"
// CHECK-SAME: expr = ["<=", "K", 2147483647], text = "extents of 'A' are below 2,147,483,648"
// CHECK-SAME: text = "extents of 'C' are below 2,147,483,648"
// CHECK-SAME: origin = "product"
// CHECK-LABEL: tile.kernel @product__aligned8
// CHECK-LABEL: tile.kernel @product__general
tile.kernel @product(%A: !tile.global<?x?xbf16> {tile.access = "in", tile.dims = ["M", "K"], tile.dtype = "bf16", tile.name = "A"}, %B: !tile.global<?x?xbf16> {tile.access = "in", tile.dims = ["N", "K"], tile.dtype = "bf16", tile.name = "B"}, %C: !tile.global<?x?xf32> {tile.access = "out", tile.dims = ["M", "N"], tile.dtype = "f32", tile.name = "C"})
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

// Tests that a pad value, which TMA cannot give, leaves the copies to threads.
// CHECK-NOT: @padded__tma
// CHECK-LABEL: tile.kernel @padded__{{aligned8|general}}(
// CHECK-SAME: a copy has a pad value
tile.kernel @padded(%A: !tile.global<?x?xbf16> {tile.access = "in", tile.dims = ["M", "K"], tile.dtype = "bf16", tile.name = "A"}, %B: !tile.global<?x?xbf16> {tile.access = "in", tile.dims = ["N", "K"], tile.dtype = "bf16", tile.name = "B"}, %C: !tile.global<?x?xf32> {tile.access = "out", tile.dims = ["M", "N"], tile.dtype = "f32", tile.name = "C"})
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
  %two = arith.constant 2.0 : bf16
  %r = tile.pipelined %i = %c0 to %n step 1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) stages(3) {
    %depth = arith.muli %i, %c64 : i64
    tile.copy %A[%row, %depth] to %as pad %two : bf16 : !tile.global<?x?xbf16>, !tile.shared<64x64xbf16>
    tile.copy %B[%column, %depth] to %bs : !tile.global<?x?xbf16>, !tile.shared<64x64xbf16>
    %s = tile.gemm %as, %bs, %acc {transpose_b} : !tile.shared<64x64xbf16>, !tile.shared<64x64xbf16>, tensor<64x64xf32>
    tile.yield %s : tensor<64x64xf32>
  }
  tile.store %r, %C[%row, %column] : tensor<64x64xf32>, !tile.global<?x?xf32>
  tile.return
}

// -----

// Tests that a tensor that the loop writes is not read ahead of it.
// CHECK-NOT: @stored__tma
// CHECK-LABEL: tile.kernel @stored__{{aligned8|general}}(
// CHECK-SAME: a tensor is written in a loop
tile.kernel @stored(%A: !tile.global<?x?xbf16> {tile.access = "in", tile.dims = ["M", "K"], tile.dtype = "bf16", tile.name = "A"}, %B: !tile.global<?x?xbf16> {tile.access = "in", tile.dims = ["N", "K"], tile.dtype = "bf16", tile.name = "B"}, %C: !tile.global<?x?xf32> {tile.access = "out", tile.dims = ["M", "N"], tile.dtype = "f32", tile.name = "C"})
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
    tile.store %s, %C[%row, %column] : tensor<64x64xf32>, !tile.global<?x?xf32>
    tile.yield %s : tensor<64x64xf32>
  }
  tile.store %r, %C[%row, %column] : tensor<64x64xf32>, !tile.global<?x?xf32>
  tile.return
}

// -----

// Tests that what is written in front of a loop is not read ahead of that.
// CHECK-NOT: @before__tma
// CHECK-LABEL: tile.kernel @before__{{aligned8|general}}(
// CHECK-SAME: a tensor is written in front of a loop
tile.kernel @before(%A: !tile.global<?x?xbf16> {tile.access = "in", tile.dims = ["M", "K"], tile.dtype = "bf16", tile.name = "A"}, %B: !tile.global<?x?xbf16> {tile.access = "in", tile.dims = ["N", "K"], tile.dtype = "bf16", tile.name = "B"}, %C: !tile.global<?x?xf32> {tile.access = "out", tile.dims = ["M", "N"], tile.dtype = "f32", tile.name = "C"})
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
  tile.store %zero, %C[%row, %column] : tensor<64x64xf32>, !tile.global<?x?xf32>
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

// Tests that another use of a copied tile keeps it where threads are.
// CHECK-NOT: @read__tma
// CHECK-LABEL: tile.kernel @read__{{aligned8|general}}(
// CHECK-SAME: a copied tile has other uses than products of its loop
tile.kernel @read(%A: !tile.global<?x?xbf16> {tile.access = "in", tile.dims = ["M", "K"], tile.dtype = "bf16", tile.name = "A"}, %B: !tile.global<?x?xbf16> {tile.access = "in", tile.dims = ["N", "K"], tile.dtype = "bf16", tile.name = "B"}, %C: !tile.global<?x?xf32> {tile.access = "out", tile.dims = ["M", "N"], tile.dtype = "f32", tile.name = "C"})
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
    %x = tile.load %as : !tile.shared<64x64xbf16> -> tensor<64x64xbf16>
    tile.store %x, %bs : tensor<64x64xbf16>, !tile.shared<64x64xbf16>
    tile.yield %s : tensor<64x64xf32>
  }
  tile.store %r, %C[%row, %column] : tensor<64x64xf32>, !tile.global<?x?xf32>
  tile.return
}

// -----

// Tests that a pitch that is known to be no multiple of 16 bytes needs no guard
// to fail.
// CHECK-NOT: @odd__tma
// CHECK-LABEL: tile.kernel @odd__{{aligned8|general}}(
// CHECK-SAME: the pitch of 'A' is no multiple of 16 bytes
tile.kernel @odd(%A: !tile.global<?x?xbf16> {tile.access = "in", tile.dims = ["M", 511 : i64], tile.dtype = "bf16", tile.name = "A"}, %B: !tile.global<?x?xbf16> {tile.access = "in", tile.dims = ["N", "K"], tile.dtype = "bf16", tile.name = "B"}, %C: !tile.global<?x?xf32> {tile.access = "out", tile.dims = ["M", "N"], tile.dtype = "f32", tile.name = "C"})
    attributes {axes = ["bx", "by"], checks = [], grid = [["ceildiv", "N", 64], ["ceildiv", "M", 64]], symbols = [{dim = 0 : i64, name = "M", param = 0 : i64}, {dim = 1 : i64, name = "K", param = 1 : i64}, {dim = 0 : i64, name = "N", param = 1 : i64}], threads = 128 : i64} {
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

// Tests that memory of a packed tensor, which the launch checks, needs guards of
// its extents only.
// CHECK-LABEL: tile.kernel @packed__tma
// CHECK-SAME: %{{.+}}: !tile.global<?x?x256xi4, pack = 2>
// CHECK-SAME: checks = [{expr = ["==", ["%", ["address", "B"], 16], 0]
// CHECK-SAME: guards = [
// CHECK-NOT: stride_bytes", "B"
// CHECK-SAME: expr = [">=", ["ceildiv", "N", 64], 1], text = "no extent of 'B' is 0"
// CHECK-SAME: origin = "packed"
tile.kernel @packed(%A: !tile.global<?x?xbf16> {tile.access = "in", tile.dims = ["M", "K"], tile.dtype = "bf16", tile.name = "A"}, %B: !tile.global<?x?xi4, pack = 1> {tile.access = "in", tile.dims = ["N", "K"], tile.dtype = "int4", tile.name = "B", tile.prepack}, %C: !tile.global<?x?xf32> {tile.access = "out", tile.dims = ["M", "N"], tile.dtype = "f32", tile.name = "C"})
    attributes {axes = ["bx", "by"], checks = [], grid = [["ceildiv", "N", 64], ["ceildiv", "M", 64]], symbols = [{dim = 0 : i64, name = "M", param = 0 : i64}, {dim = 1 : i64, name = "K", param = 0 : i64}, {dim = 0 : i64, name = "N", param = 1 : i64}], threads = 128 : i64} {
  %as = tile.alloc_shared "As" : !tile.shared<64x64xbf16>
  %bs = tile.alloc_shared "Bs" : !tile.shared<64x64xi4, pack = 1>
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
    tile.copy %B[%column, %depth] to %bs : !tile.global<?x?xi4, pack = 1>, !tile.shared<64x64xi4, pack = 1>
    %s = tile.gemm %as, %bs, %acc {transpose_b} : !tile.shared<64x64xbf16>, !tile.shared<64x64xi4, pack = 1>, tensor<64x64xf32>
    tile.yield %s : tensor<64x64xf32>
  }
  tile.store %r, %C[%row, %column] : tensor<64x64xf32>, !tile.global<?x?xf32>
  tile.return
}
