// RUN: tile-opt %s --tile-select-mma --tile-infer-layouts --split-input-file | FileCheck %s

// Tests that the accumulator has its instruction's layout in every value that
// carries it, and that the tiles get swizzles that avoid bank conflicts.
// CHECK-LABEL: @carried
// CHECK: tile.alloc_shared "As" : <16x64xbf16, #tile.shared_layout<swizzle = [3, 4, 3]>>
// CHECK: arith.constant dense<0.000000e+00> : tensor<16x8xf32, #[[ACC:.+]]>
// CHECK: scf.for {{.*}} -> (tensor<16x8xf32, #[[ACC]]>)
// CHECK: tile.gemm {{.*}} tensor<16x8xf32, #[[ACC]]>
// CHECK: arith.mulf {{.*}} : tensor<16x8xf32, #[[ACC]]>
tile.kernel @carried() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %lo = arith.constant 0 : i64
  %hi = arith.constant 3 : i64
  %step = arith.constant 1 : i64
  %a = tile.alloc_shared "As" : !tile.shared<16x64xbf16>
  %b = tile.alloc_shared "Bs" : !tile.shared<64x8xbf16>
  %zero = arith.constant dense<0.0> : tensor<16x8xf32>
  %r = scf.for %i = %lo to %hi step %step iter_args(%x = %zero) -> (tensor<16x8xf32>) : i64 {
    %y = tile.gemm %a, %b, %x : !tile.shared<16x64xbf16>, !tile.shared<64x8xbf16>, tensor<16x8xf32>
    scf.yield %y : tensor<16x8xf32>
  }
  %s = arith.mulf %r, %r : tensor<16x8xf32>
  tile.return
}

// -----

// Tests that a column vector lies beside the fragment it is added to.
// CHECK-LABEL: @column
// CHECK: tile.load {{.*}} -> tensor<8xf32, #tile.layout<"8 registers=[{{\[}}1{{\]}}] lanes=[{{\[}}2],[4],[0],[0],[0]] warps=[]">>
tile.kernel @column(%bias: !tile.global<?xf32> {tile.name = "bias", tile.dtype = "f32", tile.access = "in", tile.dims = ["N"]})
    attributes {symbols = [{name = "N", param = 0 : i64, dim = 0 : i64}], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c0 = arith.constant 0 : i64
  %a = tile.alloc_shared "As" : !tile.shared<16x16xbf16>
  %b = tile.alloc_shared "Bs" : !tile.shared<16x8xbf16>
  %zero = arith.constant dense<0.0> : tensor<16x8xf32>
  %r = tile.gemm %a, %b, %zero : !tile.shared<16x16xbf16>, !tile.shared<16x8xbf16>, tensor<16x8xf32>
  %v = tile.load %bias[%c0] : !tile.global<?xf32> -> tensor<8xf32>
  %m = tile.reindex %v by affine_map<(d0, d1) -> (d1)> : tensor<8xf32> -> tensor<16x8xf32>
  %s = arith.addf %r, %m : tensor<16x8xf32>
  tile.return
}

// -----

// Tests that scales of groups along a row lie in the threads that hold elements
// of the group.
// CHECK-LABEL: tile.kernel @groups
// CHECK: tile.load %{{.+}} : !tile.shared<16x2xf32> -> tensor<16x2xf32, #tile.layout<"16x2 registers={{\[\[}}8,0],[0,1]] lanes={{\[\[}}0,0],[0,0],[1,0],[2,0],[4,0]] warps=[]">>
// CHECK-NOT: tile.convert_layout
tile.kernel @groups() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %a = tile.alloc_shared "As" : !tile.shared<16x16xbf16>
  %b = tile.alloc_shared "Bs" : !tile.shared<16x32xbf16>
  %s = tile.alloc_shared "Ss" : !tile.shared<16x2xf32>
  %t = tile.alloc_shared "Ts" : !tile.shared<16x32xf32>
  %zero = arith.constant dense<0.0> : tensor<16x32xf32>
  %r = tile.gemm %a, %b, %zero {mma = #tile.mma<m16n8k16, type = bf16, warps = [1, 1]>} : !tile.shared<16x16xbf16>, !tile.shared<16x32xbf16>, tensor<16x32xf32>
  %v = tile.load %s : !tile.shared<16x2xf32> -> tensor<16x2xf32>
  %m = tile.reindex %v by affine_map<(d0, d1) -> (d0, d1 floordiv 16)> : tensor<16x2xf32> -> tensor<16x32xf32>
  %o = arith.mulf %r, %m : tensor<16x32xf32>
  tile.store %o, %t : tensor<16x32xf32>, !tile.shared<16x32xf32>
  tile.return
}

// -----

// Tests that a 4-bit tile is packed as the tensor it is copied from, and that a
// thread's columns are adjacent then.
// CHECK-LABEL: @adopted_packing
// CHECK: tile.alloc_shared "Bs" : <16x32xi4, pack = 0
// CHECK: tile.gemm {{.*}} tensor<16x32xf32, #tile.layout<"16x32 registers=[{{\[}}0,4],[8,0],[0,1],[0,2]] lanes=[{{\[}}0,8],[0,16],[1,0],[2,0],[4,0]] warps=[]">>
tile.kernel @adopted_packing(%B: !tile.global<?x?xi4, pack = 0> {tile.name = "B", tile.dtype = "int4", tile.access = "in", tile.dims = ["K", "N"]})
    attributes {symbols = [{name = "K", param = 0 : i64, dim = 0 : i64}, {name = "N", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c0 = arith.constant 0 : i64
  %a = tile.alloc_shared "As" : !tile.shared<16x16xbf16>
  %b = tile.alloc_shared "Bs" : !tile.shared<16x32xi4, pack = 1>
  tile.copy %B[%c0, %c0] to %b : !tile.global<?x?xi4, pack = 0>, !tile.shared<16x32xi4, pack = 1>
  %zero = arith.constant dense<0.0> : tensor<16x32xf32>
  %r = tile.gemm %a, %b, %zero : !tile.shared<16x16xbf16>, !tile.shared<16x32xi4, pack = 1>, tensor<16x32xf32>
  tile.return
}

// -----

// Tests that a fragment which no instruction constrains is coalesced.
// CHECK-LABEL: @coalesced
// CHECK: tile.load {{.*}} -> tensor<128xf32, #tile.layout<"128 registers=[{{\[}}1],[2]] lanes=[{{\[}}4],[8],[16],[32],[64]] warps=[]">>
tile.kernel @coalesced(%X: !tile.global<?xf32> {tile.name = "X", tile.dtype = "f32", tile.access = "in", tile.dims = ["N"]})
    attributes {symbols = [{name = "N", param = 0 : i64, dim = 0 : i64}], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c0 = arith.constant 0 : i64
  %v = tile.load %X[%c0] : !tile.global<?xf32> -> tensor<128xf32>
  tile.return
}

// -----

// Tests that the two elements of a byte get one thread before they are stored:
// through a byte for each where no thread holds whole bytes.
// CHECK-LABEL: tile.kernel @bytes_have_owners
// CHECK: %[[N:.+]] = tile.cast %{{.+}} : tensor<8x15xi8, {{.+}}> -> tensor<8x15xi4
// CHECK: %[[V:.+]] = tile.cast %[[N]] {{.*}}: tensor<8x15xi4, {{.+}}> -> tensor<8x15xi8
// CHECK: %[[S:.+]] = tile.alloc_shared "conversion" : <8x15xi8>
// CHECK: tile.store %[[V]], %[[S]]
// CHECK: %[[L:.+]] = tile.load %[[S]]
// CHECK: %[[C:.+]] = tile.cast %[[L]] {{.*}}: tensor<8x15xi8, {{.+}}> -> tensor<8x15xi4
// CHECK: tile.store %[[C]], %arg0[
// CHECK: tile.store %{{.+}}, %arg1[
tile.kernel @bytes_have_owners(%A: !tile.global<?x?xi4, pack = 0> {tile.name = "A", tile.dtype = "int4", tile.access = "out", tile.dims = ["M", "N"]}, %B: !tile.global<?x?xi8> {tile.name = "B", tile.dtype = "int8", tile.access = "inout", tile.dims = ["M", "N"]}) attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "N", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c0 = arith.constant 0 : i64
  %b = tile.load %B[%c0, %c0] : !tile.global<?x?xi8> -> tensor<8x15xi8>
  %n = tile.cast %b : tensor<8x15xi8> -> tensor<8x15xi4>
  tile.store %n, %A[%c0, %c0] : tensor<8x15xi4>, !tile.global<?x?xi4, pack = 0>
  %w = tile.cast %n : tensor<8x15xi4> -> tensor<8x15xi8>
  tile.store %w, %B[%c0, %c0] : tensor<8x15xi8>, !tile.global<?x?xi8>
  tile.return
}

// -----

// Tests that a tile that TMA moves has the swizzle that its rows allow and no
// padding: the widest whose span divides them, in panels if they are longer.
// Not where a part of a panel would be read.
// CHECK-LABEL: @moved_by_tma
// CHECK: tile.alloc_shared "long" : <16x128xbf16, #tile.shared_layout<swizzle = [3, 4, 3], panel = 128>>
// CHECK: tile.alloc_shared "fits" : <16x16xf32, #tile.shared_layout<swizzle = [2, 4, 3]>>
// CHECK: tile.alloc_shared "odd" : <16x12xf32>
// CHECK: tile.alloc_shared "ring" : <2x16x24xf32, #tile.shared_layout<swizzle = [1, 4, 3], panel = 32>>
// CHECK: tile.alloc_shared "parts" : <16x64xf32>
tile.kernel @moved_by_tma(%A: !tile.global<?x?xbf16> {tile.name = "A", tile.dtype = "bf16", tile.access = "in", tile.dims = ["M", "N"]}, %B: !tile.global<?x?xf32> {tile.name = "B", tile.dtype = "f32", tile.access = "in", tile.dims = ["M", "N"]}) attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "N", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %long = tile.alloc_shared "long" : !tile.shared<16x128xbf16>
  %fits = tile.alloc_shared "fits" : !tile.shared<16x16xf32>
  %odd = tile.alloc_shared "odd" : !tile.shared<16x12xf32>
  %ring = tile.alloc_shared "ring" : !tile.shared<2x16x24xf32>
  %parts = tile.alloc_shared "parts" : !tile.shared<16x64xf32>
  %b = tile.barrier_alloc count 1 : !tile.barrier<1>
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c8 = arith.constant 8 : i64
  %stage = tile.slice %ring[%c1, %c0, %c0] : !tile.shared<2x16x24xf32> -> !tile.shared<16x24xf32>
  %half = tile.slice %parts[%c8, %c0] : !tile.shared<16x64xf32> -> !tile.shared<8x64xf32>
  tile.tma_copy %A[%c0, %c0] to %long barrier %b : !tile.global<?x?xbf16>, !tile.shared<16x128xbf16>, !tile.barrier<1>
  tile.tma_copy %B[%c0, %c0] to %fits barrier %b : !tile.global<?x?xf32>, !tile.shared<16x16xf32>, !tile.barrier<1>
  tile.tma_copy %B[%c0, %c0] to %odd barrier %b : !tile.global<?x?xf32>, !tile.shared<16x12xf32>, !tile.barrier<1>
  tile.tma_copy %B[%c0, %c0] to %stage barrier %b : !tile.global<?x?xf32>, !tile.shared<16x24xf32>, !tile.barrier<1>
  tile.tma_copy %B[%c0, %c0] to %half barrier %b : !tile.global<?x?xf32>, !tile.shared<8x64xf32>, !tile.barrier<1>
  tile.return
}

// -----

// Tests that factors of 128 rows each are looked up where three warpgroups have
// 64 rows each: no layout gives each its own.
// CHECK-LABEL: @halves_of_groups
// CHECK: %[[PRODUCT:.+]] = tile.gemm
// CHECK: %[[S:.+]] = tile.load %arg0
// CHECK: %[[TILE:.+]] = tile.alloc_shared
// CHECK: tile.store %[[S]], %[[TILE]]
// CHECK: %[[FACTORS:.+]] = tile.parallel (%[[I:.+]], %{{.+}}) in (192, 128)
// CHECK: %[[GROUP:.+]] = arith.divui %[[I]], %c128
// CHECK: tile.load_element %[[TILE]][%[[GROUP]], %c0
// CHECK: arith.mulf %[[PRODUCT]], %[[FACTORS]] : tensor<192x128xf32, #tile.layout<"192x128 spread=[0,3]
tile.kernel @halves_of_groups(%S: !tile.global<?x?xf32> {tile.access = "in", tile.dims = ["M", "G"], tile.dtype = "f32", tile.name = "S"}, %C: !tile.global<?x?xf32> {tile.access = "out", tile.dims = ["P", "N"], tile.dtype = "f32", tile.name = "C"})
    attributes {symbols = [{dim = 0 : i64, name = "M", param = 0 : i64}, {dim = 1 : i64, name = "G", param = 0 : i64}, {dim = 0 : i64, name = "P", param = 1 : i64}, {dim = 1 : i64, name = "N", param = 1 : i64}], checks = [], grid = [], axes = [], threads = 384 : i64} {
  %a = tile.alloc_shared : !tile.shared<192x64xbf16>
  %b = tile.alloc_shared : !tile.shared<64x128xbf16>
  %zero = arith.constant dense<0.0> : tensor<192x128xf32>
  %c0 = arith.constant 0 : i64
  %p = tile.gemm %a, %b, %zero {mma = #tile.mma<m64n128k16, type = bf16, warps = [12, 1]>} : !tile.shared<192x64xbf16>, !tile.shared<64x128xbf16>, tensor<192x128xf32>
  %s = tile.load %S[%c0, %c0] : !tile.global<?x?xf32> -> tensor<2x1xf32>
  %f = tile.reindex %s by affine_map<(d0, d1) -> (d0 floordiv 128, 0)> : tensor<2x1xf32> -> tensor<192x128xf32>
  %r = arith.mulf %p, %f : tensor<192x128xf32>
  tile.store %r, %C[%c0, %c0] : tensor<192x128xf32>, !tile.global<?x?xf32>
  tile.return
}

// -----

// Tests that a tile through which fragments go from layout to layout, or to
// other blocks, has the swizzle with which that makes fewest conflicts.
// CHECK-LABEL: tile.kernel @shown
// CHECK: tile.alloc_shared "sums" : <32x64xf32, #tile.shared_layout<swizzle = [2, 5, 4]>>
// CHECK: tile.slice {{.*}} -> <16x64xf32, #tile.shared_layout<swizzle = [2, 5, 4]>>
tile.kernel @shown(%C: !tile.global<32x64xf32> {tile.name = "C", tile.dtype = "f32", tile.access = "out", tile.dims = ["M", "N"]}) attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64, cluster = 2 : i64} {
  %a = tile.alloc_shared "As" : !tile.shared<32x64xbf16>
  %b = tile.alloc_shared "Bs" : !tile.shared<64x64xi4, pack = 1>
  %c0 = arith.constant 0 : i64
  %zero = arith.constant dense<0.0> : tensor<32x64xf32>
  %r = tile.gemm %a, %b, %zero {transpose_b, mma = #tile.mma<m64n32k16, type = bf16, warps = [1, 4], swap>} : !tile.shared<32x64xbf16>, !tile.shared<64x64xi4, pack = 1>, tensor<32x64xf32>
  %sums = tile.alloc_shared "sums" : !tile.shared<32x64xf32>
  tile.store %r, %sums : tensor<32x64xf32>, !tile.shared<32x64xf32>
  tile.cluster_arrive
  tile.cluster_wait
  %peer = tile.peer %sums {rank = 1 : i64} : !tile.shared<32x64xf32>
  %part = tile.slice %peer[%c0, %c0] : !tile.shared<32x64xf32> -> !tile.shared<16x64xf32>
  %x = tile.load %part : !tile.shared<16x64xf32> -> tensor<16x64xf32>
  tile.store %x, %C[%c0, %c0] : tensor<16x64xf32>, !tile.global<32x64xf32>
  tile.return
}
