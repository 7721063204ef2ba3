// RUN: tile-opt %s --tile-share-iterations='target=sm_90a' --tile-select-mma --tile-infer-layouts --tile-plan-pipeline --tile-specialize-warps --tile-lower-gemm --tile-schedule-mma --split-input-file | FileCheck %s

// Tests that 4-bit integers are 16 times as large in a product that adds up from
// 0: with both operands such, 1023 iterations of 128 fit (131071 products of at
// most 128 * 128), for which there is a loop over tiles, whose sums are shifted;
// one for more takes them as they are.
// CHECK-LABEL: tile.kernel @both__tma
// CHECK: }, [1, 2] {
// CHECK: %[[MOST:.+]] = arith.muli %{{.+}}, %c1023_i64 : i64
// CHECK: %[[FITS:.+]] = arith.cmpi sle, %{{.+}}, %[[MOST]] : i64
// CHECK: scf.if %[[FITS]]
// CHECK: scf.for
// CHECK: tile.cast {{.*}}tile.exponent = 4 : i64
// CHECK: tile.cast {{.*}}tile.exponent = 4 : i64
// CHECK: tile.wgmma
// CHECK: arith.shrsi %{{.+}}, %[[EIGHT:.+]] : tensor<128x128xi32
// CHECK: scf.yield
// CHECK: } else {
// CHECK-NOT: tile.exponent
// CHECK: tile.wgmma
// CHECK-NOT: arith.shrsi
// CHECK: tile.return
tile.kernel @both(%A: !tile.global<?x?xi4, pack = 1> {tile.access = "in", tile.dims = ["M", "K"], tile.dtype = "int4", tile.name = "A"}, %B: !tile.global<?x?xi4, pack = 1> {tile.access = "in", tile.dims = ["N", "K"], tile.dtype = "int4", tile.name = "B"}, %C: !tile.global<?x?xi32> {tile.access = "out", tile.dims = ["M", "N"], tile.dtype = "int32", tile.name = "C"})
    attributes {axes = ["bx", "by"], checks = [], grid = [["ceildiv", "N", 128], ["ceildiv", "M", 128]], symbols = [{dim = 0 : i64, name = "M", param = 0 : i64}, {dim = 1 : i64, name = "K", param = 0 : i64}, {dim = 0 : i64, name = "N", param = 1 : i64}], threads = 256 : i64} {
  %as = tile.alloc_shared "As" : !tile.shared<128x128xi4, pack = 1>
  %bs = tile.alloc_shared "Bs" : !tile.shared<128x128xi4, pack = 1>
  %zero = arith.constant dense<0> : tensor<128x128xi32>
  %c0 = arith.constant 0 : i64
  %c128 = arith.constant 128 : i64
  %k = tile.symbol "K" : i64
  %n = arith.ceildivsi %k, %c128 : i64
  %bx = tile.block_id 0 : i64
  %by = tile.block_id 1 : i64
  %row = arith.muli %by, %c128 : i64
  %column = arith.muli %bx, %c128 : i64
  %r = tile.pipelined %i = %c0 to %n step 1 iter_args(%acc = %zero) -> (tensor<128x128xi32>) stages(4) {
    %depth = arith.muli %i, %c128 : i64
    tile.copy %A[%row, %depth] to %as : !tile.global<?x?xi4, pack = 1>, !tile.shared<128x128xi4, pack = 1>
    tile.copy %B[%column, %depth] to %bs : !tile.global<?x?xi4, pack = 1>, !tile.shared<128x128xi4, pack = 1>
    %p = tile.gemm %as, %bs, %acc {transpose_b} : !tile.shared<128x128xi4, pack = 1>, !tile.shared<128x128xi4, pack = 1>, tensor<128x128xi32>
    tile.yield %p : tensor<128x128xi32>
  }
  tile.store %r, %C[%row, %column] : tensor<128x128xi32>, !tile.global<?x?xi32>
  tile.return
}

// -----

// Tests one such operand, beside bytes of at most 128, in a loop of a known
// number of iterations that fits: no other loop.
// CHECK-LABEL: tile.kernel @one__tma
// CHECK: }, [1, 2] {
// CHECK-NOT: arith.cmpi sle
// CHECK: tile.cast {{.*}}tile.exponent = 4 : i64
// CHECK: tile.wgmma
// CHECK: %[[FOUR:.+]] = arith.constant dense<4> : tensor<128x128xi32
// CHECK: arith.shrsi %{{.+}}, %[[FOUR]]
tile.kernel @one(%A: !tile.global<?x?xi8> {tile.access = "in", tile.dims = ["M", "K"], tile.dtype = "int8", tile.name = "A"}, %B: !tile.global<?x?xi4, pack = 1> {tile.access = "in", tile.dims = ["N", "K"], tile.dtype = "int4", tile.name = "B"}, %C: !tile.global<?x?xi32> {tile.access = "out", tile.dims = ["M", "N"], tile.dtype = "int32", tile.name = "C"})
    attributes {axes = ["bx", "by"], checks = [], grid = [["ceildiv", "N", 128], ["ceildiv", "M", 128]], symbols = [{dim = 0 : i64, name = "M", param = 0 : i64}, {dim = 1 : i64, name = "K", param = 0 : i64}, {dim = 0 : i64, name = "N", param = 1 : i64}], threads = 256 : i64} {
  %as = tile.alloc_shared "As" : !tile.shared<128x128xi8>
  %bs = tile.alloc_shared "Bs" : !tile.shared<128x128xi4, pack = 1>
  %zero = arith.constant dense<0> : tensor<128x128xi32>
  %c0 = arith.constant 0 : i64
  %c128 = arith.constant 128 : i64
  %k = tile.symbol "K" : i64
  %n = arith.constant 1023 : i64
  %bx = tile.block_id 0 : i64
  %by = tile.block_id 1 : i64
  %row = arith.muli %by, %c128 : i64
  %column = arith.muli %bx, %c128 : i64
  %r = tile.pipelined %i = %c0 to %n step 1 iter_args(%acc = %zero) -> (tensor<128x128xi32>) stages(4) {
    %depth = arith.muli %i, %c128 : i64
    tile.copy %A[%row, %depth] to %as : !tile.global<?x?xi8>, !tile.shared<128x128xi8>
    tile.copy %B[%column, %depth] to %bs : !tile.global<?x?xi4, pack = 1>, !tile.shared<128x128xi4, pack = 1>
    %p = tile.gemm %as, %bs, %acc {transpose_b} : !tile.shared<128x128xi8>, !tile.shared<128x128xi4, pack = 1>, tensor<128x128xi32>
    tile.yield %p : tensor<128x128xi32>
  }
  tile.store %r, %C[%row, %column] : tensor<128x128xi32>, !tile.global<?x?xi32>
  tile.return
}

// -----

// Tests a known number that does not fit.
// CHECK-LABEL: tile.kernel @too_many__tma
// CHECK-NOT: tile.exponent
// CHECK-NOT: arith.shrsi
// CHECK-LABEL: tile.kernel @too_many
tile.kernel @too_many(%A: !tile.global<?x?xi4, pack = 1> {tile.access = "in", tile.dims = ["M", "K"], tile.dtype = "int4", tile.name = "A"}, %B: !tile.global<?x?xi4, pack = 1> {tile.access = "in", tile.dims = ["N", "K"], tile.dtype = "int4", tile.name = "B"}, %C: !tile.global<?x?xi32> {tile.access = "out", tile.dims = ["M", "N"], tile.dtype = "int32", tile.name = "C"})
    attributes {axes = ["bx", "by"], checks = [], grid = [["ceildiv", "N", 128], ["ceildiv", "M", 128]], symbols = [{dim = 0 : i64, name = "M", param = 0 : i64}, {dim = 1 : i64, name = "K", param = 0 : i64}, {dim = 0 : i64, name = "N", param = 1 : i64}], threads = 256 : i64} {
  %as = tile.alloc_shared "As" : !tile.shared<128x128xi4, pack = 1>
  %bs = tile.alloc_shared "Bs" : !tile.shared<128x128xi4, pack = 1>
  %zero = arith.constant dense<0> : tensor<128x128xi32>
  %c0 = arith.constant 0 : i64
  %c128 = arith.constant 128 : i64
  %k = tile.symbol "K" : i64
  %n = arith.constant 1024 : i64
  %bx = tile.block_id 0 : i64
  %by = tile.block_id 1 : i64
  %row = arith.muli %by, %c128 : i64
  %column = arith.muli %bx, %c128 : i64
  %r = tile.pipelined %i = %c0 to %n step 1 iter_args(%acc = %zero) -> (tensor<128x128xi32>) stages(4) {
    %depth = arith.muli %i, %c128 : i64
    tile.copy %A[%row, %depth] to %as : !tile.global<?x?xi4, pack = 1>, !tile.shared<128x128xi4, pack = 1>
    tile.copy %B[%column, %depth] to %bs : !tile.global<?x?xi4, pack = 1>, !tile.shared<128x128xi4, pack = 1>
    %p = tile.gemm %as, %bs, %acc {transpose_b} : !tile.shared<128x128xi4, pack = 1>, !tile.shared<128x128xi4, pack = 1>, tensor<128x128xi32>
    tile.yield %p : tensor<128x128xi32>
  }
  tile.store %r, %C[%row, %column] : tensor<128x128xi32>, !tile.global<?x?xi32>
  tile.return
}

// -----

// Tests sums that begin at something else.
// CHECK-LABEL: tile.kernel @from_one__tma
// CHECK-NOT: tile.exponent
// CHECK-LABEL: tile.kernel @from_one__general
tile.kernel @from_one(%A: !tile.global<?x?xi4, pack = 1> {tile.access = "in", tile.dims = ["M", "K"], tile.dtype = "int4", tile.name = "A"}, %B: !tile.global<?x?xi4, pack = 1> {tile.access = "in", tile.dims = ["N", "K"], tile.dtype = "int4", tile.name = "B"}, %C: !tile.global<?x?xi32> {tile.access = "out", tile.dims = ["M", "N"], tile.dtype = "int32", tile.name = "C"})
    attributes {axes = ["bx", "by"], checks = [], grid = [["ceildiv", "N", 128], ["ceildiv", "M", 128]], symbols = [{dim = 0 : i64, name = "M", param = 0 : i64}, {dim = 1 : i64, name = "K", param = 0 : i64}, {dim = 0 : i64, name = "N", param = 1 : i64}], threads = 256 : i64} {
  %as = tile.alloc_shared "As" : !tile.shared<128x128xi4, pack = 1>
  %bs = tile.alloc_shared "Bs" : !tile.shared<128x128xi4, pack = 1>
  %zero = arith.constant dense<1> : tensor<128x128xi32>
  %c0 = arith.constant 0 : i64
  %c128 = arith.constant 128 : i64
  %k = tile.symbol "K" : i64
  %n = arith.ceildivsi %k, %c128 : i64
  %bx = tile.block_id 0 : i64
  %by = tile.block_id 1 : i64
  %row = arith.muli %by, %c128 : i64
  %column = arith.muli %bx, %c128 : i64
  %r = tile.pipelined %i = %c0 to %n step 1 iter_args(%acc = %zero) -> (tensor<128x128xi32>) stages(4) {
    %depth = arith.muli %i, %c128 : i64
    tile.copy %A[%row, %depth] to %as : !tile.global<?x?xi4, pack = 1>, !tile.shared<128x128xi4, pack = 1>
    tile.copy %B[%column, %depth] to %bs : !tile.global<?x?xi4, pack = 1>, !tile.shared<128x128xi4, pack = 1>
    %p = tile.gemm %as, %bs, %acc {transpose_b} : !tile.shared<128x128xi4, pack = 1>, !tile.shared<128x128xi4, pack = 1>, tensor<128x128xi32>
    tile.yield %p : tensor<128x128xi32>
  }
  tile.store %r, %C[%row, %column] : tensor<128x128xi32>, !tile.global<?x?xi32>
  tile.return
}

// -----

// Tests products by warps, two in each iteration of a block's share: without a
// loop over tiles the loop itself is there twice, since its sums are few.
// CHECK-LABEL: tile.kernel @by_warps__tma
// CHECK: }, [1, 2] {
// CHECK: %[[MOST:.+]] = arith.muli %{{.+}}, %c511_i64 : i64
// CHECK: %[[FITS:.+]] = arith.cmpi sle, %{{.+}}, %[[MOST]] : i64
// CHECK: scf.if %[[FITS]]
// CHECK: scf.for
// CHECK: tile.cast {{.*}}tile.exponent = 4 : i64
// CHECK: tile.cast {{.*}}tile.exponent = 4 : i64
// CHECK: tile.mma
// CHECK: tile.mma
// CHECK: %[[FOUR:.+]] = arith.constant dense<4> : tensor<16x128xi32
// CHECK: %[[SUMS:.+]] = arith.shrsi %{{.+}}, %[[FOUR]]
// CHECK: scf.yield %[[SUMS]]
// CHECK: } else {
// CHECK: scf.for
// CHECK-NOT: tile.exponent
// CHECK: tile.mma
// CHECK-NOT: arith.shrsi
// CHECK: tile.return
tile.kernel @by_warps(%A: !tile.global<?x?xi8> {tile.access = "in", tile.dims = ["M", "K"], tile.dtype = "int8", tile.name = "A"}, %B: !tile.global<?x?xi4, pack = 1> {tile.access = "in", tile.dims = ["N", "K"], tile.dtype = "int4", tile.name = "B"}, %C: !tile.global<?x?xi32> {tile.access = "out", tile.dims = ["M", "N"], tile.dtype = "int32", tile.name = "C"})
    attributes {axes = ["bx"], checks = [], grid = [["ceildiv", "N", 128]], symbols = [{dim = 0 : i64, name = "M", param = 0 : i64}, {dim = 1 : i64, name = "K", param = 0 : i64}, {dim = 0 : i64, name = "N", param = 1 : i64}], threads = 256 : i64} {
  %as = tile.alloc_shared "As" : !tile.shared<16x256xi8>
  %bs = tile.alloc_shared "Bs" : !tile.shared<128x256xi4, pack = 1>
  %zero = arith.constant dense<0> : tensor<16x128xi32>
  %c0 = arith.constant 0 : i64
  %c128 = arith.constant 128 : i64
  %c256 = arith.constant 256 : i64
  %k = tile.symbol "K" : i64
  %n = arith.ceildivsi %k, %c256 : i64
  %bx = tile.block_id 0 : i64
  %column = arith.muli %bx, %c128 : i64
  %r = tile.pipelined %i = %c0 to %n step 1 iter_args(%acc = %zero) -> (tensor<16x128xi32>) stages(4) {
    %depth = arith.muli %i, %c256 : i64
    tile.copy %A[%c0, %depth] to %as : !tile.global<?x?xi8>, !tile.shared<16x256xi8>
    tile.copy %B[%column, %depth] to %bs : !tile.global<?x?xi4, pack = 1>, !tile.shared<128x256xi4, pack = 1>
    %p = tile.gemm %as, %bs, %acc {transpose_b} : !tile.shared<16x256xi8>, !tile.shared<128x256xi4, pack = 1>, tensor<16x128xi32>
    tile.yield %p : tensor<16x128xi32>
  } {tile.split = 2 : i64}
  tile.store %r, %C[%c0, %column] : tensor<16x128xi32>, !tile.global<?x?xi32>
  tile.return
}
