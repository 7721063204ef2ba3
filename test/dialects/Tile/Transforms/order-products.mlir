// RUN: tile-opt %s --tile-select-mma --tile-infer-layouts --tile-plan-pipeline --tile-specialize-warps --tile-lower-gemm --canonicalize --cse --tile-split-sums --tile-schedule-mma --tile-order-products --split-input-file | FileCheck %s

// Tests that warpgroups which share a tile start the products of an iteration in
// turns: what is in flight together is one turn, so that two parts of the sums,
// one after the other, are two. With an even number of them the parity is the
// same in each iteration.
// CHECK-LABEL: tile.kernel @promoted__tma
// CHECK-SAME: name = "turns"
// CHECK-SAME: value = "true"
// CHECK: %[[FULL:.+]] = tile.barrier_alloc "full" count 1 {tile.ring} : <4>
// CHECK: %[[TURN:.+]] = tile.barrier_alloc "turn" count 1 : <2>
// CHECK: }, [1, 2] {
// CHECK: %[[GROUP:.+]] = tile.warpgroup_number : i64
// CHECK: %[[FOLLOWING:.+]] = arith.addi %[[GROUP]], %{{.+}} : i64
// CHECK: %[[LAST:.+]] = arith.cmpi eq, %[[FOLLOWING]], %{{.+}} : i64
// CHECK: %[[NEXT:.+]] = arith.select %[[LAST]], %{{.+}}, %[[FOLLOWING]] : i64
// CHECK: %[[IS:.+]] = arith.cmpi eq, %[[GROUP]], %{{.+}} : i64
// CHECK: %[[FIRST:.+]] = arith.extui %[[IS]] : i1 to i64
// CHECK: tile.wait %[[FULL]][%{{.+}}], %{{.+}}
// CHECK: %[[ZERO:.+]] = arith.constant 0 : i64
// CHECK: %[[EVEN:.+]] = arith.xori %[[ZERO]], %[[FIRST]] : i64
// CHECK-NEXT: tile.wait %[[TURN]][%[[GROUP]]], %[[EVEN]] : <2>
// CHECK-NEXT: %[[P0:.+]] = tile.wgmma
// CHECK-NEXT: tile.arrive %[[TURN]][%[[NEXT]]] {per_warpgroup} : <2>
// CHECK: tile.mma_wait %[[P0]] pending 0
// CHECK: arith.addf
// CHECK: %[[ONE:.+]] = arith.constant 1 : i64
// CHECK: %[[ODD:.+]] = arith.xori %[[ONE]], %[[FIRST]] : i64
// CHECK-NEXT: tile.wait %[[TURN]][%[[GROUP]]], %[[ODD]] : <2>
// CHECK-NEXT: %[[P1:.+]] = tile.wgmma
// CHECK-NEXT: tile.arrive %[[TURN]][%[[NEXT]]] {per_warpgroup} : <2>
// CHECK: tile.mma_wait %[[P1]] pending 0
// CHECK: arith.addf
tile.kernel @promoted(%A: !tile.global<?x?xf8E4M3FN> {tile.access = "in", tile.dims = ["M", "K"], tile.dtype = "fp8_e4m3", tile.name = "A"}, %B: !tile.global<?x?xf8E4M3FN> {tile.access = "in", tile.dims = ["N", "K"], tile.dtype = "fp8_e4m3", tile.name = "B"}, %C: !tile.global<?x?xf32> {tile.access = "out", tile.dims = ["M", "N"], tile.dtype = "f32", tile.name = "C"})
    attributes {axes = ["bx", "by"], checks = [], grid = [["ceildiv", "N", 256], ["ceildiv", "M", 128]], symbols = [{dim = 0 : i64, name = "M", param = 0 : i64}, {dim = 1 : i64, name = "K", param = 0 : i64}, {dim = 0 : i64, name = "N", param = 1 : i64}], threads = 256 : i64, decisions = {turns = true}} {
  %as = tile.alloc_shared "As" : !tile.shared<128x128xf8E4M3FN>
  %bs = tile.alloc_shared "Bs" : !tile.shared<256x128xf8E4M3FN>
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %c0 = arith.constant 0 : i64
  %c128 = arith.constant 128 : i64
  %c256 = arith.constant 256 : i64
  %k = tile.symbol "K" : i64
  %n = arith.ceildivsi %k, %c128 : i64
  %bx = tile.block_id 0 : i64
  %by = tile.block_id 1 : i64
  %row = arith.muli %by, %c128 : i64
  %column = arith.muli %bx, %c256 : i64
  %r = tile.pipelined %i = %c0 to %n step 1 iter_args(%acc = %zero) -> (tensor<128x256xf32>) stages(4) {
    %depth = arith.muli %i, %c128 : i64
    tile.copy %A[%row, %depth] to %as : !tile.global<?x?xf8E4M3FN>, !tile.shared<128x128xf8E4M3FN>
    tile.copy %B[%column, %depth] to %bs : !tile.global<?x?xf8E4M3FN>, !tile.shared<256x128xf8E4M3FN>
    %s = tile.gemm %as, %bs, %acc {transpose_b} : !tile.shared<128x128xf8E4M3FN>, !tile.shared<256x128xf8E4M3FN>, tensor<128x256xf32>
    tile.yield %s : tensor<128x256xf32>
  }
  tile.store %r, %C[%row, %column] : tensor<128x256xf32>, !tile.global<?x?xf32>
  tile.return
}

// -----

// Tests that an odd number of turns has a parity that the iteration decides,
// which its place in a ring of three buffers says: slot and phase.
// CHECK-LABEL: tile.kernel @odd__tma
// CHECK: }, [1, 2] {
// CHECK: scf.for {{.*}} iter_args(%{{[^,]+}} = %{{[^,]+}}, %[[SLOT:[^ ]+]] = %{{[^,]+}}, %[[PHASE:[^ ]+]] = %{{.+}}) -> (tensor<
// CHECK: tile.wait %{{.+}}[%[[SLOT]]], %[[PHASE]] : <3>
// CHECK: %[[PARITY:.+]] = arith.xori %[[SLOT]], %[[PHASE]] : i64
// CHECK: %[[COUNT:.+]] = arith.andi %[[PARITY]], %{{.+}} : i64
// CHECK: %[[OWN:.+]] = arith.xori %[[COUNT]], %{{.+}} : i64
// CHECK-NEXT: tile.wait %{{.+}}[%{{.+}}], %[[OWN]] : <2>
// Both parts are in flight together.
// CHECK-NEXT: tile.wgmma
// CHECK-NOT: tile.arrive
// CHECK: tile.wgmma
// CHECK-NEXT: tile.arrive %{{.+}}[%{{.+}}] {per_warpgroup} : <2>
// CHECK: tile.mma_wait %{{.+}} pending 1
// CHECK: tile.mma_wait %{{.+}} pending 0
tile.kernel @odd(%A: !tile.global<?x?xf8E4M3FN> {tile.access = "in", tile.dims = ["M", "K"], tile.dtype = "fp8_e4m3", tile.name = "A"}, %B: !tile.global<?x?xf8E4M3FN> {tile.access = "in", tile.dims = ["N", "K"], tile.dtype = "fp8_e4m3", tile.name = "B"}, %C: !tile.global<?x?xf32> {tile.access = "out", tile.dims = ["M", "N"], tile.dtype = "f32", tile.name = "C"})
    attributes {axes = ["bx", "by"], checks = [], grid = [["ceildiv", "N", 192], ["ceildiv", "M", 128]], symbols = [{dim = 0 : i64, name = "M", param = 0 : i64}, {dim = 1 : i64, name = "K", param = 0 : i64}, {dim = 0 : i64, name = "N", param = 1 : i64}], threads = 256 : i64, decisions = {turns = true}} {
  %as = tile.alloc_shared "As" : !tile.shared<128x128xf8E4M3FN>
  %bs = tile.alloc_shared "Bs" : !tile.shared<192x128xf8E4M3FN>
  %zero = arith.constant dense<0.0> : tensor<128x192xf32>
  %c0 = arith.constant 0 : i64
  %c128 = arith.constant 128 : i64
  %c192 = arith.constant 192 : i64
  %k = tile.symbol "K" : i64
  %n = arith.ceildivsi %k, %c128 : i64
  %bx = tile.block_id 0 : i64
  %by = tile.block_id 1 : i64
  %row = arith.muli %by, %c128 : i64
  %column = arith.muli %bx, %c192 : i64
  %r = tile.pipelined %i = %c0 to %n step 1 iter_args(%acc = %zero) -> (tensor<128x192xf32>) stages(3) {
    %depth = arith.muli %i, %c128 : i64
    tile.copy %A[%row, %depth] to %as : !tile.global<?x?xf8E4M3FN>, !tile.shared<128x128xf8E4M3FN>
    tile.copy %B[%column, %depth] to %bs : !tile.global<?x?xf8E4M3FN>, !tile.shared<192x128xf8E4M3FN>
    %s = tile.gemm %as, %bs, %acc {transpose_b} : !tile.shared<128x128xf8E4M3FN>, !tile.shared<192x128xf8E4M3FN>, tensor<128x192xf32>
    tile.yield %s : tensor<128x192xf32>
  }
  tile.store %r, %C[%row, %column] : tensor<128x192xf32>, !tile.global<?x?xf32>
  tile.return
}

// -----

// Tests that nobody takes turns where products stay in flight from one iteration
// to the next.
// CHECK-LABEL: tile.kernel @in_flight__tma
// CHECK-NOT: tile.barrier_alloc "turn"
// CHECK: tile.return
tile.kernel @in_flight(%A: !tile.global<?x?xf8E4M3FN> {tile.access = "in", tile.dims = ["M", "K"], tile.dtype = "fp8_e4m3", tile.name = "A"}, %B: !tile.global<?x?xf8E4M3FN> {tile.access = "in", tile.dims = ["N", "K"], tile.dtype = "fp8_e4m3", tile.name = "B"}, %C: !tile.global<?x?xf32> {tile.access = "out", tile.dims = ["M", "N"], tile.dtype = "f32", tile.name = "C"})
    attributes {axes = ["bx", "by"], checks = [], grid = [["ceildiv", "N", 128], ["ceildiv", "M", 128]], symbols = [{dim = 0 : i64, name = "M", param = 0 : i64}, {dim = 1 : i64, name = "K", param = 0 : i64}, {dim = 0 : i64, name = "N", param = 1 : i64}], threads = 256 : i64} {
  %as = tile.alloc_shared "As" : !tile.shared<128x128xf8E4M3FN>
  %bs = tile.alloc_shared "Bs" : !tile.shared<128x128xf8E4M3FN>
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %c0 = arith.constant 0 : i64
  %c128 = arith.constant 128 : i64
  %k = tile.symbol "K" : i64
  %n = arith.ceildivsi %k, %c128 : i64
  %bx = tile.block_id 0 : i64
  %by = tile.block_id 1 : i64
  %row = arith.muli %by, %c128 : i64
  %column = arith.muli %bx, %c128 : i64
  %r = tile.pipelined %i = %c0 to %n step 1 iter_args(%acc = %zero) -> (tensor<128x128xf32>) stages(4) {
    %depth = arith.muli %i, %c128 : i64
    tile.copy %A[%row, %depth] to %as : !tile.global<?x?xf8E4M3FN>, !tile.shared<128x128xf8E4M3FN>
    tile.copy %B[%column, %depth] to %bs : !tile.global<?x?xf8E4M3FN>, !tile.shared<128x128xf8E4M3FN>
    %s = tile.gemm %as, %bs, %acc {transpose_b, fast_accum} : !tile.shared<128x128xf8E4M3FN>, !tile.shared<128x128xf8E4M3FN>, tensor<128x128xf32>
    tile.yield %s : tensor<128x128xf32>
  }
  tile.store %r, %C[%row, %column] : tensor<128x128xf32>, !tile.global<?x?xf32>
  tile.return
}

// -----

// Tests that nobody does unless it is decided where both operands are in shared
// memory, and that the report is told why.
// CHECK-LABEL: tile.kernel @shared__tma
// CHECK-SAME: name = "turns", reason = "no operand is made in registers{{[^"]*}}", value = "false"
// CHECK-NOT: tile.barrier_alloc "turn"
// CHECK: tile.return
tile.kernel @shared(%A: !tile.global<?x?xf8E4M3FN> {tile.access = "in", tile.dims = ["M", "K"], tile.dtype = "fp8_e4m3", tile.name = "A"}, %B: !tile.global<?x?xf8E4M3FN> {tile.access = "in", tile.dims = ["N", "K"], tile.dtype = "fp8_e4m3", tile.name = "B"}, %C: !tile.global<?x?xf32> {tile.access = "out", tile.dims = ["M", "N"], tile.dtype = "f32", tile.name = "C"})
    attributes {axes = ["bx", "by"], checks = [], grid = [["ceildiv", "N", 128], ["ceildiv", "M", 128]], symbols = [{dim = 0 : i64, name = "M", param = 0 : i64}, {dim = 1 : i64, name = "K", param = 0 : i64}, {dim = 0 : i64, name = "N", param = 1 : i64}], threads = 256 : i64} {
  %as = tile.alloc_shared "As" : !tile.shared<128x128xf8E4M3FN>
  %bs = tile.alloc_shared "Bs" : !tile.shared<128x128xf8E4M3FN>
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %c0 = arith.constant 0 : i64
  %c128 = arith.constant 128 : i64
  %k = tile.symbol "K" : i64
  %n = arith.ceildivsi %k, %c128 : i64
  %bx = tile.block_id 0 : i64
  %by = tile.block_id 1 : i64
  %row = arith.muli %by, %c128 : i64
  %column = arith.muli %bx, %c128 : i64
  %r = tile.pipelined %i = %c0 to %n step 1 iter_args(%acc = %zero) -> (tensor<128x128xf32>) stages(4) {
    %depth = arith.muli %i, %c128 : i64
    tile.copy %A[%row, %depth] to %as : !tile.global<?x?xf8E4M3FN>, !tile.shared<128x128xf8E4M3FN>
    tile.copy %B[%column, %depth] to %bs : !tile.global<?x?xf8E4M3FN>, !tile.shared<128x128xf8E4M3FN>
    %s = tile.gemm %as, %bs, %acc {transpose_b} : !tile.shared<128x128xf8E4M3FN>, !tile.shared<128x128xf8E4M3FN>, tensor<128x128xf32>
    tile.yield %s : tensor<128x128xf32>
  }
  tile.store %r, %C[%row, %column] : tensor<128x128xf32>, !tile.global<?x?xf32>
  tile.return
}
