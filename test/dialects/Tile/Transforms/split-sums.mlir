// RUN: tile-opt %s --tile-split-sums --split-input-file --allow-unregistered-dialect | FileCheck %s

#sums = #tile.layout<"64x128 registers=[[0,1],[8,0],[0,8],[0,16],[0,32],[0,64]] lanes=[[0,2],[0,4],[1,0],[2,0],[4,0]] warps=[[16,0],[32,0]]">

// Tests that columns go their way in parts of an instruction, two in flight,
// and that what the sums join is split with them; what else the arithmetic
// takes comes first.
// CHECK-LABEL: @promoted
// CHECK: %[[SCALE:.*]] = arith.mulf
// CHECK: %[[P0:.*]] = tile.wgmma {{.*}} k 0 depth 128 using <m64n64k32
// CHECK-SAME: -> <tensor<64x64xf32, #tile.layout<"64x64 registers=
// CHECK: %[[P1:.*]] = tile.wgmma {{.*}} k 0 depth 128 column 64 using <m64n64k32
// CHECK: %[[S0:.*]] = tile.mma_wait %[[P0]] pending 1
// CHECK: tile.part %[[SCALE]] [0, 0]
// CHECK: %[[T0:.*]] = tile.part %{{.*}} [0, 0]
// CHECK: %[[R0:.*]] = math.fma %[[S0]], %{{.*}}, %[[T0]]
// CHECK: %[[S1:.*]] = tile.mma_wait %[[P1]] pending 0
// CHECK: %[[R1:.*]] = math.fma %[[S1]]
// CHECK: %[[R:.*]] = tile.join %[[R0]], %[[R1]] dim 1
// CHECK: scf.yield %[[R]]
tile.kernel @promoted() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %a = tile.alloc_shared : !tile.shared<64x128xf8E4M3FN>
  %b = tile.alloc_shared : !tile.shared<128x128xf8E4M3FN>
  %none = arith.constant dense<0.0> : tensor<64x128xf32, #sums>
  %half = arith.constant dense<0.5> : tensor<64x128xf32, #sums>
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c9 = arith.constant 9 : i64
  %r = scf.for %i = %c0 to %c9 step %c1 iter_args(%total = %none) -> (tensor<64x128xf32, #sums>) : i64 {
    %p = tile.wgmma %a, %b, %none k 0 depth 128 using <m64n64k32, type = f8E4M3FN, warps = [4, 1]> {overwrite, transpose_b} : !tile.shared<64x128xf8E4M3FN>, !tile.shared<128x128xf8E4M3FN>, tensor<64x128xf32, #sums> -> <tensor<64x128xf32, #sums>>
    %s = tile.mma_wait %p pending 0 : <tensor<64x128xf32, #sums>> -> tensor<64x128xf32, #sums>
    %scale = arith.mulf %total, %half : tensor<64x128xf32, #sums>
    %next = math.fma %s, %scale, %total : tensor<64x128xf32, #sums>
    scf.yield %next : tensor<64x128xf32, #sums>
  }
  tile.return
}

// -----

#sums = #tile.layout<"64x128 registers=[[0,1],[8,0],[0,8],[0,16],[0,32],[0,64]] lanes=[[0,2],[0,4],[1,0],[2,0],[4,0]] warps=[[16,0],[32,0]]">

// Tests that an instruction of all columns leaves nothing to split, and that
// sums which something takes as a whole stay whole.
// CHECK-LABEL: @whole
// CHECK-NOT: column
// CHECK-NOT: tile.join
tile.kernel @whole() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %a = tile.alloc_shared : !tile.shared<64x128xf8E4M3FN>
  %b = tile.alloc_shared : !tile.shared<128x128xf8E4M3FN>
  %none = arith.constant dense<0.0> : tensor<64x128xf32, #sums>
  %p = tile.wgmma %a, %b, %none k 0 depth 128 using <m64n128k32, type = f8E4M3FN, warps = [4, 1]> {overwrite, transpose_b} : !tile.shared<64x128xf8E4M3FN>, !tile.shared<128x128xf8E4M3FN>, tensor<64x128xf32, #sums> -> <tensor<64x128xf32, #sums>>
  %s = tile.mma_wait %p pending 0 : <tensor<64x128xf32, #sums>> -> tensor<64x128xf32, #sums>
  %r = arith.addf %s, %none : tensor<64x128xf32, #sums>
  %q = tile.wgmma %a, %b, %none k 0 depth 128 using <m64n64k32, type = f8E4M3FN, warps = [4, 1]> {overwrite, transpose_b} : !tile.shared<64x128xf8E4M3FN>, !tile.shared<128x128xf8E4M3FN>, tensor<64x128xf32, #sums> -> <tensor<64x128xf32, #sums>>
  %t = tile.mma_wait %q pending 0 : <tensor<64x128xf32, #sums>> -> tensor<64x128xf32, #sums>
  %u = arith.addf %t, %r : tensor<64x128xf32, #sums>
  %v = "test.use"(%t, %u) : (tensor<64x128xf32, #sums>, tensor<64x128xf32, #sums>) -> i1
  tile.return
}
