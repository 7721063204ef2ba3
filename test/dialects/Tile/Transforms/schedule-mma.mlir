// RUN: tile-opt %s --tile-schedule-mma --split-input-file | FileCheck %s

#a = #tile.layout<"16x16 registers=[[0,1],[8,0],[0,8]] lanes=[[0,2],[0,4],[1,0],[2,0],[4,0]] warps=[]">
#b = #tile.layout<"16x8 registers=[[1,0],[8,0]] lanes=[[2,0],[4,0],[0,1],[0,2],[0,4]] warps=[]">
#c = #tile.layout<"16x8 registers=[[0,1],[8,0]] lanes=[[0,2],[0,4],[1,0],[2,0],[4,0]] warps=[]">
#mma = #tile.mma<m16n8k16, type = bf16, warps = [1, 1]>

// Tests that each step's loads and conversions move in front of the product of
// the step before it, and no further.
// CHECK-LABEL: @three_steps
// CHECK: %[[A0:.+]] = tile.load %{{.+}}[%c0_i64, %c0_i64]
// CHECK-NEXT: tile.load %{{.+}}[%c0_i64, %c0_i64]
// CHECK-NEXT: %[[B0:.+]] = tile.cast
// CHECK-NEXT: %[[K1:.+]] = arith.constant 16 : i64
// CHECK-NEXT: %[[A1:.+]] = tile.load %{{.+}}[%c0_i64, %[[K1]]]
// CHECK-NEXT: %[[Q1:.+]] = tile.load %{{.+}}[%[[K1]], %c0_i64]
// CHECK-NEXT: %[[B1:.+]] = tile.cast %[[Q1]]
// CHECK-NEXT: %[[R0:.+]] = tile.mma %[[A0]], %[[B0]]
// CHECK-NEXT: %[[K2:.+]] = arith.constant 32 : i64
// CHECK-NEXT: %[[A2:.+]] = tile.load %{{.+}}[%c0_i64, %[[K2]]]
// CHECK-NEXT: %[[Q2:.+]] = tile.load %{{.+}}[%[[K2]], %c0_i64]
// CHECK-NEXT: %[[B2:.+]] = tile.cast %[[Q2]]
// CHECK-NEXT: %[[R1:.+]] = tile.mma %[[A1]], %[[B1]], %[[R0]]
// CHECK-NEXT: tile.mma %[[A2]], %[[B2]], %[[R1]]
tile.kernel @three_steps() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c0 = arith.constant 0 : i64
  %as = tile.alloc_shared : !tile.shared<16x48xbf16>
  %bs = tile.alloc_shared : !tile.shared<48x8xi4, pack = 0>
  %zero = arith.constant dense<0.0> : tensor<16x8xf32, #c>
  %a0 = tile.load %as[%c0, %c0] : !tile.shared<16x48xbf16> -> tensor<16x16xbf16, #a>
  %q0 = tile.load %bs[%c0, %c0] : !tile.shared<48x8xi4, pack = 0> -> tensor<16x8xi4, #b>
  %b0 = tile.cast %q0 : tensor<16x8xi4, #b> -> tensor<16x8xbf16, #b>
  %r0 = tile.mma %a0, %b0, %zero using #mma : tensor<16x16xbf16, #a>, tensor<16x8xbf16, #b>, tensor<16x8xf32, #c>
  %c16 = arith.constant 16 : i64
  %a1 = tile.load %as[%c0, %c16] : !tile.shared<16x48xbf16> -> tensor<16x16xbf16, #a>
  %q1 = tile.load %bs[%c16, %c0] : !tile.shared<48x8xi4, pack = 0> -> tensor<16x8xi4, #b>
  %b1 = tile.cast %q1 : tensor<16x8xi4, #b> -> tensor<16x8xbf16, #b>
  %r1 = tile.mma %a1, %b1, %r0 using #mma : tensor<16x16xbf16, #a>, tensor<16x8xbf16, #b>, tensor<16x8xf32, #c>
  %c32 = arith.constant 32 : i64
  %a2 = tile.load %as[%c0, %c32] : !tile.shared<16x48xbf16> -> tensor<16x16xbf16, #a>
  %q2 = tile.load %bs[%c32, %c0] : !tile.shared<48x8xi4, pack = 0> -> tensor<16x8xi4, #b>
  %b2 = tile.cast %q2 : tensor<16x8xi4, #b> -> tensor<16x8xbf16, #b>
  %r2 = tile.mma %a2, %b2, %r1 using #mma : tensor<16x16xbf16, #a>, tensor<16x8xbf16, #b>, tensor<16x8xf32, #c>
  tile.return
}

// -----

#a = #tile.layout<"16x16 registers=[[0,1],[8,0],[0,8]] lanes=[[0,2],[0,4],[1,0],[2,0],[4,0]] warps=[]">
#b = #tile.layout<"16x8 registers=[[1,0],[8,0]] lanes=[[2,0],[4,0],[0,1],[0,2],[0,4]] warps=[]">
#c = #tile.layout<"16x8 registers=[[0,1],[8,0]] lanes=[[0,2],[0,4],[1,0],[2,0],[4,0]] warps=[]">
#mma = #tile.mma<m16n8k16, type = bf16, warps = [1, 1]>

// Tests that a load stays behind a wait and behind a write to shared memory.
// CHECK-LABEL: @loads_held_back
// CHECK: tile.mma
// CHECK-NEXT: tile.wait_group 0
// CHECK-NEXT: tile.load
// CHECK-NEXT: tile.mma
// CHECK-NEXT: tile.store
// CHECK-NEXT: tile.load
// CHECK-NEXT: tile.mma
tile.kernel @loads_held_back() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %as = tile.alloc_shared : !tile.shared<16x16xbf16>
  %a = arith.constant dense<1.0> : tensor<16x16xbf16, #a>
  %b = arith.constant dense<1.0> : tensor<16x8xbf16, #b>
  %zero = arith.constant dense<0.0> : tensor<16x8xf32, #c>
  %r0 = tile.mma %a, %b, %zero using #mma : tensor<16x16xbf16, #a>, tensor<16x8xbf16, #b>, tensor<16x8xf32, #c>
  tile.wait_group 0
  %a1 = tile.load %as : !tile.shared<16x16xbf16> -> tensor<16x16xbf16, #a>
  %r1 = tile.mma %a1, %b, %r0 using #mma : tensor<16x16xbf16, #a>, tensor<16x8xbf16, #b>, tensor<16x8xf32, #c>
  tile.store %a, %as : tensor<16x16xbf16, #a>, !tile.shared<16x16xbf16>
  %a2 = tile.load %as : !tile.shared<16x16xbf16> -> tensor<16x16xbf16, #a>
  %r2 = tile.mma %a2, %b, %r1 using #mma : tensor<16x16xbf16, #a>, tensor<16x8xbf16, #b>, tensor<16x8xf32, #c>
  tile.return
}

// -----

#a = #tile.layout<"16x16 registers=[[0,1],[8,0],[0,8]] lanes=[[0,2],[0,4],[1,0],[2,0],[4,0]] warps=[]">
#b = #tile.layout<"16x8 registers=[[1,0],[8,0]] lanes=[[2,0],[4,0],[0,1],[0,2],[0,4]] warps=[]">
#c = #tile.layout<"16x8 registers=[[0,1],[8,0]] lanes=[[0,2],[0,4],[1,0],[2,0],[4,0]] warps=[]">
#mma = #tile.mma<m16n8k16, type = bf16, warps = [1, 1]>

// Tests that an operand made from the first product stays behind it, while the
// load of the other operand moves.
// CHECK-LABEL: @operand_from_product
// CHECK: tile.load
// CHECK-NEXT: %[[S:.+]] = tile.mma
// CHECK-NEXT: tile.cast %[[S]]
// CHECK-NEXT: tile.mma
tile.kernel @operand_from_product() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %as = tile.alloc_shared : !tile.shared<16x16xbf16>
  %a = arith.constant dense<1.0> : tensor<16x16xbf16, #a>
  %b = arith.constant dense<1.0> : tensor<16x8xbf16, #b>
  %zero = arith.constant dense<0.0> : tensor<16x8xf32, #c>
  %s = tile.mma %a, %b, %zero using #mma : tensor<16x16xbf16, #a>, tensor<16x8xbf16, #b>, tensor<16x8xf32, #c>
  %p = tile.cast %s : tensor<16x8xf32, #c> -> tensor<16x8xbf16, #b>
  %a1 = tile.load %as : !tile.shared<16x16xbf16> -> tensor<16x16xbf16, #a>
  %r = tile.mma %a1, %p, %zero using #mma : tensor<16x16xbf16, #a>, tensor<16x8xbf16, #b>, tensor<16x8xf32, #c>
  tile.return
}

// -----

// Tests that what is loaded from a tensor for the next iteration starts as soon
// as the product runs, with what makes its address in front of the product, and
// that it stays where it is if the loop writes tensors.
#sums = #tile.layout<"64x64 registers=[[0,1],[8,0],[0,8],[0,16],[0,32]] lanes=[[0,2],[0,4],[1,0],[2,0],[4,0]] warps=[[16,0],[32,0]]">
#rows = #tile.shared_layout<swizzle = [3, 4, 3]>
// CHECK-LABEL: @load_for_later
// CHECK: scf.for
// CHECK: arith.muli
// CHECK: tile.wgmma
// CHECK-NEXT: tile.load
// CHECK-NEXT: tile.mma_wait
// CHECK: scf.yield
tile.kernel @load_for_later(%S: !tile.global<?x?xf32> {tile.access = "in", tile.dims = ["M", "N"], tile.dtype = "f32", tile.name = "S"})
    attributes {symbols = [{dim = 0 : i64, name = "M", param = 0 : i64}, {dim = 1 : i64, name = "N", param = 0 : i64}], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %a = tile.alloc_shared : !tile.shared<64x64xbf16, #rows>
  %b = tile.alloc_shared : !tile.shared<64x64xbf16, #rows>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #sums>
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c64 = arith.constant 64 : i64
  %n = tile.symbol "N" : i64
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%total = %zero, %scale = %zero) -> (tensor<64x64xf32, #sums>, tensor<64x64xf32, #sums>) : i64 {
    %s = tile.wgmma %a, %b, %zero k 0 depth 64 using <m64n64k16, type = bf16, warps = [4, 1]> {overwrite} : !tile.shared<64x64xbf16, #rows>, !tile.shared<64x64xbf16, #rows>, tensor<64x64xf32, #sums> -> !tile.in_flight<tensor<64x64xf32, #sums>>
    %w = tile.mma_wait %s pending 0 : !tile.in_flight<tensor<64x64xf32, #sums>> -> tensor<64x64xf32, #sums>
    %p = arith.mulf %w, %scale : tensor<64x64xf32, #sums>
    %t = arith.addf %total, %p : tensor<64x64xf32, #sums>
    %at = arith.muli %i, %c64 : i64
    %l = tile.load %S[%c0, %at] : !tile.global<?x?xf32> -> tensor<64x64xf32, #sums>
    scf.yield %t, %l : tensor<64x64xf32, #sums>, tensor<64x64xf32, #sums>
  }
  tile.return
}

// CHECK-LABEL: @load_behind_store
// CHECK: tile.mma_wait
// CHECK: tile.store
// CHECK: tile.load
tile.kernel @load_behind_store(%S: !tile.global<?x?xf32> {tile.access = "inout", tile.dims = ["M", "N"], tile.dtype = "f32", tile.name = "S"})
    attributes {symbols = [{dim = 0 : i64, name = "M", param = 0 : i64}, {dim = 1 : i64, name = "N", param = 0 : i64}], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %a = tile.alloc_shared : !tile.shared<64x64xbf16, #rows>
  %b = tile.alloc_shared : !tile.shared<64x64xbf16, #rows>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #sums>
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %n = tile.symbol "N" : i64
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%scale = %zero) -> (tensor<64x64xf32, #sums>) : i64 {
    %s = tile.wgmma %a, %b, %zero k 0 depth 64 using <m64n64k16, type = bf16, warps = [4, 1]> {overwrite} : !tile.shared<64x64xbf16, #rows>, !tile.shared<64x64xbf16, #rows>, tensor<64x64xf32, #sums> -> !tile.in_flight<tensor<64x64xf32, #sums>>
    %w = tile.mma_wait %s pending 0 : !tile.in_flight<tensor<64x64xf32, #sums>> -> tensor<64x64xf32, #sums>
    tile.store %w, %S[%c0, %i] : tensor<64x64xf32, #sums>, !tile.global<?x?xf32>
    %l = tile.load %S[%c0, %i] : !tile.global<?x?xf32> -> tensor<64x64xf32, #sums>
    scf.yield %l : tensor<64x64xf32, #sums>
  }
  tile.return
}
