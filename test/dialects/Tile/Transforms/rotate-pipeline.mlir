// RUN: tile-opt %s --tile-rotate-pipeline --split-input-file --mlir-print-local-scope | FileCheck %s

#a = #tile.layout<"16x16 registers=[[0,1],[8,0],[0,8]] lanes=[[0,2],[0,4],[1,0],[2,0],[4,0]] warps=[]">
#b = #tile.layout<"16x8 registers=[[1,0],[8,0]] lanes=[[2,0],[4,0],[0,1],[0,2],[0,4]] warps=[]">
#c = #tile.layout<"16x8 registers=[[0,1],[8,0]] lanes=[[0,2],[0,4],[1,0],[2,0],[4,0]] warps=[]">
#mma = #tile.mma<m16n8k16, type = bf16, warps = [1, 1]>

// Tests that the wait and the first step's reads go to the end of the iteration
// before, under its last product, and that copies start behind the first one.
// CHECK-LABEL: @two_steps
// CHECK: tile.wait_group 1
// CHECK-NEXT: tile.barrier
// CHECK: %[[HEAD:.+]]:2 = scf.if
// CHECK: tile.stage %[[A:.+]][%[[LO:.+]]] offset 0
// CHECK: } else {
// CHECK: scf.for %[[I:.+]] = %[[LO]] {{.*}} iter_args(%[[ACC:.+]] = %{{.+}}, %[[A0:.+]] = %[[HEAD]]#0, %[[B0:.+]] = %[[HEAD]]#1)
// CHECK-NOT: tile.wait_group
// CHECK: %[[R0:.+]] = tile.mma %[[A0]], %[[B0]], %[[ACC]]
// CHECK-NEXT: tile.async_copy
// CHECK-NEXT: tile.commit_group
// CHECK: tile.wait_group 1
// CHECK-NEXT: tile.barrier
// CHECK: %[[NEXT:.+]]:2 = scf.if
// CHECK: tile.stage %[[A]][%[[I]]] offset 1
// CHECK: %[[R1:.+]] = tile.mma %{{.+}}, %{{.+}}, %[[R0]]
// CHECK: scf.yield %[[R1]], %[[NEXT]]#0, %[[NEXT]]#1
tile.kernel @two_steps(%A: !tile.global<?x?xbf16> {tile.name = "A", tile.dtype = "bf16", tile.access = "in", tile.dims = ["M", "K"], tile.aligned = 16 : i64})
    attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "K", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c16 = arith.constant 16 : i64
  %n = tile.symbol "K" : i64
  %as = tile.alloc_shared : !tile.shared<3x16x32xbf16>
  %bs = tile.alloc_shared : !tile.shared<3x32x8xbf16>
  %zero = arith.constant dense<0.0> : tensor<16x8xf32, #c>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %zero) -> (tensor<16x8xf32, #c>) : i64 {
    tile.wait_group 1
    %w = tile.stage %as[%i] offset 2 : !tile.shared<3x16x32xbf16> -> !tile.shared<16x32xbf16>
    tile.async_copy %A[%c0, %i] to %w : !tile.global<?x?xbf16>, !tile.shared<16x32xbf16>
    tile.commit_group
    %sa = tile.stage %as[%i] offset 0 : !tile.shared<3x16x32xbf16> -> !tile.shared<16x32xbf16>
    %sb = tile.stage %bs[%i] offset 0 : !tile.shared<3x32x8xbf16> -> !tile.shared<32x8xbf16>
    %a0 = tile.load %sa[%c0, %c0] : !tile.shared<16x32xbf16> -> tensor<16x16xbf16, #a>
    %b0 = tile.load %sb[%c0, %c0] : !tile.shared<32x8xbf16> -> tensor<16x8xbf16, #b>
    %a1 = tile.load %sa[%c0, %c16] : !tile.shared<16x32xbf16> -> tensor<16x16xbf16, #a>
    %b1 = tile.load %sb[%c16, %c0] : !tile.shared<32x8xbf16> -> tensor<16x8xbf16, #b>
    %y = tile.mma %a0, %b0, %x using #mma : tensor<16x16xbf16, #a>, tensor<16x8xbf16, #b>, tensor<16x8xf32, #c>
    %z = tile.mma %a1, %b1, %y using #mma : tensor<16x16xbf16, #a>, tensor<16x8xbf16, #b>, tensor<16x8xf32, #c>
    scf.yield %z : tensor<16x8xf32, #c>
  }
  tile.return
}

// -----

#a = #tile.layout<"16x16 registers=[[0,1],[8,0],[0,8]] lanes=[[0,2],[0,4],[1,0],[2,0],[4,0]] warps=[]">
#b = #tile.layout<"16x8 registers=[[1,0],[8,0]] lanes=[[2,0],[4,0],[0,1],[0,2],[0,4]] warps=[]">
#c = #tile.layout<"16x8 registers=[[0,1],[8,0]] lanes=[[0,2],[0,4],[1,0],[2,0],[4,0]] warps=[]">
#mma = #tile.mma<m16n8k16, type = bf16, warps = [1, 1]>

// Tests that a loop with one buffer stays: its wait is behind its copies.
// CHECK-LABEL: @one_buffer
// CHECK: scf.for
// CHECK: tile.async_copy
// CHECK: tile.wait_group 0
// CHECK-NOT: scf.if
tile.kernel @one_buffer(%A: !tile.global<?x?xbf16> {tile.name = "A", tile.dtype = "bf16", tile.access = "in", tile.dims = ["M", "K"], tile.aligned = 16 : i64})
    attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "K", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c16 = arith.constant 16 : i64
  %n = tile.symbol "K" : i64
  %as = tile.alloc_shared : !tile.shared<1x16x32xbf16>
  %bs = tile.alloc_shared : !tile.shared<1x32x8xbf16>
  %zero = arith.constant dense<0.0> : tensor<16x8xf32, #c>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %zero) -> (tensor<16x8xf32, #c>) : i64 {
    %sa = tile.stage %as[%i] offset 0 : !tile.shared<1x16x32xbf16> -> !tile.shared<16x32xbf16>
    tile.async_copy %A[%c0, %i] to %sa : !tile.global<?x?xbf16>, !tile.shared<16x32xbf16>
    tile.commit_group
    tile.wait_group 0
    %sb = tile.stage %bs[%i] offset 0 : !tile.shared<1x32x8xbf16> -> !tile.shared<32x8xbf16>
    %a0 = tile.load %sa[%c0, %c0] : !tile.shared<16x32xbf16> -> tensor<16x16xbf16, #a>
    %b0 = tile.load %sb[%c0, %c0] : !tile.shared<32x8xbf16> -> tensor<16x8xbf16, #b>
    %a1 = tile.load %sa[%c0, %c16] : !tile.shared<16x32xbf16> -> tensor<16x16xbf16, #a>
    %b1 = tile.load %sb[%c16, %c0] : !tile.shared<32x8xbf16> -> tensor<16x8xbf16, #b>
    %y = tile.mma %a0, %b0, %x using #mma : tensor<16x16xbf16, #a>, tensor<16x8xbf16, #b>, tensor<16x8xf32, #c>
    %z = tile.mma %a1, %b1, %y using #mma : tensor<16x16xbf16, #a>, tensor<16x8xbf16, #b>, tensor<16x8xf32, #c>
    scf.yield %z : tensor<16x8xf32, #c>
  }
  tile.return
}

// -----

#a = #tile.layout<"16x16 registers=[[0,1],[8,0],[0,8]] lanes=[[0,2],[0,4],[1,0],[2,0],[4,0]] warps=[]">
#b = #tile.layout<"16x8 registers=[[1,0],[8,0]] lanes=[[2,0],[4,0],[0,1],[0,2],[0,4]] warps=[]">
#c = #tile.layout<"16x8 registers=[[0,1],[8,0]] lanes=[[0,2],[0,4],[1,0],[2,0],[4,0]] warps=[]">
#t = #tile.layout<"32x8 registers=[[0,1],[8,0],[16,0]] lanes=[[0,2],[0,4],[1,0],[2,0],[4,0]] warps=[]">
#mma = #tile.mma<m16n8k16, type = bf16, warps = [1, 1]>

// Tests that a tile which comes through registers is stored in front of the
// reads of the next iteration, which may be of that tile.
// CHECK-LABEL: @through_registers
// CHECK: scf.for
// CHECK: tile.mma
// CHECK: tile.stage %{{.+}} offset 1
// CHECK-NEXT: tile.store
// CHECK-NEXT: tile.wait_group 0
// CHECK-NEXT: tile.barrier
// CHECK: scf.if
// CHECK: tile.mma
// CHECK-NOT: tile.store
// CHECK: scf.yield
tile.kernel @through_registers(%A: !tile.global<?x?xbf16> {tile.name = "A", tile.dtype = "bf16", tile.access = "in", tile.dims = ["M", "K"], tile.aligned = 16 : i64},
                               %B: !tile.global<?x?xbf16> {tile.name = "B", tile.dtype = "bf16", tile.access = "in", tile.dims = ["K", "N"]})
    attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "K", param = 0 : i64, dim = 1 : i64}, {name = "N", param = 1 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c16 = arith.constant 16 : i64
  %n = tile.symbol "K" : i64
  %as = tile.alloc_shared : !tile.shared<2x16x32xbf16>
  %bs = tile.alloc_shared : !tile.shared<2x32x8xbf16>
  %zero = arith.constant dense<0.0> : tensor<16x8xf32, #c>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %zero) -> (tensor<16x8xf32, #c>) : i64 {
    tile.wait_group 0
    %w = tile.stage %as[%i] offset 1 : !tile.shared<2x16x32xbf16> -> !tile.shared<16x32xbf16>
    tile.async_copy %A[%c0, %i] to %w : !tile.global<?x?xbf16>, !tile.shared<16x32xbf16>
    tile.commit_group
    %next = tile.load %B[%i, %c0] : !tile.global<?x?xbf16> -> tensor<32x8xbf16, #t>
    %a = tile.stage %as[%i] offset 0 : !tile.shared<2x16x32xbf16> -> !tile.shared<16x32xbf16>
    %b = tile.stage %bs[%i] offset 0 : !tile.shared<2x32x8xbf16> -> !tile.shared<32x8xbf16>
    %a0 = tile.load %a[%c0, %c0] : !tile.shared<16x32xbf16> -> tensor<16x16xbf16, #a>
    %b0 = tile.load %b[%c0, %c0] : !tile.shared<32x8xbf16> -> tensor<16x8xbf16, #b>
    %r0 = tile.mma %a0, %b0, %x using #mma : tensor<16x16xbf16, #a>, tensor<16x8xbf16, #b>, tensor<16x8xf32, #c>
    %a1 = tile.load %a[%c0, %c16] : !tile.shared<16x32xbf16> -> tensor<16x16xbf16, #a>
    %b1 = tile.load %b[%c16, %c0] : !tile.shared<32x8xbf16> -> tensor<16x8xbf16, #b>
    %r1 = tile.mma %a1, %b1, %r0 using #mma : tensor<16x16xbf16, #a>, tensor<16x8xbf16, #b>, tensor<16x8xf32, #c>
    %other = tile.stage %bs[%i] offset 1 : !tile.shared<2x32x8xbf16> -> !tile.shared<32x8xbf16>
    tile.store %next, %other {tile.transit} : tensor<32x8xbf16, #t>, !tile.shared<32x8xbf16>
    scf.yield %r1 : tensor<16x8xf32, #c>
  }
  tile.return
}
