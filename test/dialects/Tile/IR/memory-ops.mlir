// RUN: tile-opt %s --allow-unregistered-dialect | tile-opt --allow-unregistered-dialect | FileCheck %s

// Tests allocations: with a name, a place and a layout, or none of them.
// CHECK-LABEL: tile.kernel @allocations
// CHECK: tile.alloc_shared : <16x8xf32>
// CHECK: tile.alloc_shared "Bs" {offset = 1024 : i64} : <64x128xi4, pack = 0, #tile.shared_layout<swizzle = [3, 4, 3]>>
// CHECK: tile.alloc_shared "Cs" : <16x24xf16, #tile.shared_layout<swizzle = [0, 4, 3], padding = 16>>
tile.kernel @allocations() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %a = tile.alloc_shared : !tile.shared<16x8xf32>
  %b = tile.alloc_shared "Bs" {offset = 1024 : i64} : !tile.shared<64x128xi4, pack = 0, #tile.shared_layout<swizzle = [3, 4, 3]>>
  %c = tile.alloc_shared "Cs" : !tile.shared<16x24xf16, #tile.shared_layout<padding = 16>>
  tile.return
}

// Tests the views: one buffer of several, and the bytes of packed elements.
// CHECK-LABEL: tile.kernel @views
// CHECK: tile.stage %{{.+}}[%{{.+}}] offset 2 : <3x64x128xi4, pack = 1> -> <64x128xi4, pack = 0>
// CHECK: tile.bytes %{{.+}} : !tile.shared<64x128xi4, pack = 0> -> !tile.shared<32x128xi8>
// CHECK: tile.bytes %{{.+}} : !tile.global<?x5xi4, pack = 1> -> !tile.global<?x3xi8>
tile.kernel @views() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %t, %g, %i = "test.values"() : () -> (!tile.shared<3x64x128xi4, pack = 1>, !tile.global<?x5xi4, pack = 1>, i64)
  %s = tile.stage %t[%i] offset 2 : !tile.shared<3x64x128xi4, pack = 1> -> !tile.shared<64x128xi4, pack = 0>
  %b = tile.bytes %s : !tile.shared<64x128xi4, pack = 0> -> !tile.shared<32x128xi8>
  %c = tile.bytes %g : !tile.global<?x5xi4, pack = 1> -> !tile.global<?x3xi8>
  tile.return
}

// Tests a tile that is stored in an order of its own.
// CHECK-LABEL: tile.kernel @unpacked
// CHECK: tile.unpacked %{{.+}} by <"4x8 bits=4 order={{\[\[}}0,1,2],[1,1,8],[0,2,2{{\]\]}}"> : <1x32xi4, pack = 1> -> <4x8xi4, pack = 0>
tile.kernel @unpacked() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %t = tile.alloc_shared : !tile.shared<1x32xi4, pack = 1>
  %u = tile.unpacked %t by <"4x8 bits=4 order=[[0,1,2],[1,1,8],[0,2,2]]"> : <1x32xi4, pack = 1> -> <4x8xi4, pack = 0>
  tile.return
}

// Tests copies each way: anchors, pad, a tile of lower rank, a plan.
// CHECK-LABEL: tile.kernel @copies
// CHECK: %[[V:.+]]:4 = "test.values"
// CHECK: tile.copy %[[V]]#0[%[[V]]#2, %[[V]]#2, %[[V]]#2] to %[[V]]#1 : !tile.global<?x?x?xf32>, !tile.shared<16x8xf32>
// CHECK: tile.copy %[[V]]#0[%[[V]]#2, %[[V]]#2, %[[V]]#2] to %[[V]]#1 pad %[[V]]#3 : f32 {plan = #tile.copy_plan<engine = vector, bytes = 16>} : !tile.global<?x?x?xf32>, !tile.shared<16x8xf32>
// CHECK: tile.copy %[[V]]#1 to %[[V]]#0[%[[V]]#2, %[[V]]#2, %[[V]]#2] : !tile.shared<16x8xf32>, !tile.global<?x?x?xf32>
// CHECK: tile.copy %[[V]]#1 to %[[V]]#1 : !tile.shared<16x8xf32>, !tile.shared<16x8xf32>
tile.kernel @copies() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %g, %s, %i, %p = "test.values"() : () -> (!tile.global<?x?x?xf32>, !tile.shared<16x8xf32>, i64, f32)
  tile.copy %g[%i, %i, %i] to %s : !tile.global<?x?x?xf32>, !tile.shared<16x8xf32>
  tile.copy %g[%i, %i, %i] to %s pad %p : f32 {plan = #tile.copy_plan<engine = vector, bytes = 16>} : !tile.global<?x?x?xf32>, !tile.shared<16x8xf32>
  tile.copy %s to %g[%i, %i, %i] : !tile.shared<16x8xf32>, !tile.global<?x?x?xf32>
  tile.copy %s to %s : !tile.shared<16x8xf32>, !tile.shared<16x8xf32>
  tile.return
}

// Tests loads and stores of fragments, whole tiles and parts.
// CHECK-LABEL: tile.kernel @fragments
// CHECK: %[[V:.+]]:4 = "test.values"
// CHECK: %[[A:.+]] = tile.load %[[V]]#0[%[[V]]#2, %[[V]]#2] pad %[[V]]#3 : f32 : !tile.global<?x?xf32> -> tensor<8xf32>
// CHECK: %[[B:.+]] = tile.load %[[V]]#1 : !tile.shared<16x8xf32> -> tensor<16x8xf32>
// CHECK: tile.load %[[V]]#1[%[[V]]#2, %[[V]]#2] : !tile.shared<16x8xf32> -> tensor<4x4xf32>
// CHECK: tile.store %[[A]], %[[V]]#0[%[[V]]#2, %[[V]]#2] : tensor<8xf32>, !tile.global<?x?xf32>
// CHECK: tile.store %[[B]], %[[V]]#1 : tensor<16x8xf32>, !tile.shared<16x8xf32>
tile.kernel @fragments() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %g, %s, %i, %p = "test.values"() : () -> (!tile.global<?x?xf32>, !tile.shared<16x8xf32>, i64, f32)
  %a = tile.load %g[%i, %i] pad %p : f32 : !tile.global<?x?xf32> -> tensor<8xf32>
  %b = tile.load %s : !tile.shared<16x8xf32> -> tensor<16x8xf32>
  %c = tile.load %s[%i, %i] : !tile.shared<16x8xf32> -> tensor<4x4xf32>
  tile.store %a, %g[%i, %i] : tensor<8xf32>, !tile.global<?x?xf32>
  tile.store %b, %s : tensor<16x8xf32>, !tile.shared<16x8xf32>
  tile.return
}

// Tests single elements of fragments and memory.
// CHECK-LABEL: tile.kernel @elements
// CHECK: %[[V:.+]]:6 = "test.values"
// CHECK: %[[E:.+]] = tile.element %[[V]]#0[%[[V]]#3, %[[V]]#3] : tensor<16x8xi4>
// CHECK: tile.load_element %[[V]]#1[%[[V]]#3] pad %[[V]]#4 : f16 : !tile.global<?xf16> -> f16
// CHECK: tile.load_element %[[V]]#2[%[[V]]#3, %[[V]]#3] : !tile.shared<16x8xi4, pack = 1> -> i4
// CHECK: tile.store_element %[[E]], %[[V]]#2[%[[V]]#3, %[[V]]#3] : i4, !tile.shared<16x8xi4, pack = 1>
// CHECK: tile.store_pair %[[E]] if %[[V]]#5, %[[E]] if %[[V]]#5, %[[V]]#2[%[[V]]#3, %[[V]]#3] : i4, !tile.shared<16x8xi4, pack = 1>
tile.kernel @elements() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %f, %g, %s, %i, %p, %c = "test.values"() : () -> (tensor<16x8xi4>, !tile.global<?xf16>, !tile.shared<16x8xi4, pack = 1>, i64, f16, i1)
  %e = tile.element %f[%i, %i] : tensor<16x8xi4>
  %x = tile.load_element %g[%i] pad %p : f16 : !tile.global<?xf16> -> f16
  %y = tile.load_element %s[%i, %i] : !tile.shared<16x8xi4, pack = 1> -> i4
  tile.store_element %e, %s[%i, %i] : i4, !tile.shared<16x8xi4, pack = 1>
  tile.store_pair %e if %c, %e if %c, %s[%i, %i] : i4, !tile.shared<16x8xi4, pack = 1>
  tile.return
}

// Tests parts of tiles and tensors, by default and by listed dimensions.
// CHECK-LABEL: tile.kernel @parts
// CHECK: %[[V:.+]]:3 = "test.values"
// CHECK: tile.slice %[[V]]#0[%[[V]]#2, %[[V]]#2, %[[V]]#2] : <3x16x8xf32> -> <16x8xf32>
// CHECK-NEXT: tile.slice %[[V]]#0[%[[V]]#2, %[[V]]#2, %[[V]]#2] {kept = array<i64: 0, 2>} : <3x16x8xf32> -> <3x4xf32>
// CHECK-NEXT: tile.view %[[V]]#1[%[[V]]#2, %[[V]]#2] sizes[%[[V]]#2] : <?x?xi4, pack = 1> -> <?xi4, pack = 0>
// CHECK-NEXT: tile.view %[[V]]#1[%[[V]]#2, %[[V]]#2] sizes[%[[V]]#2, %[[V]]#2] : <?x?xi4, pack = 1> -> <?x?xi4, pack = 1>
tile.kernel @parts() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %s, %g, %i = "test.values"() : () -> (!tile.shared<3x16x8xf32>, !tile.global<?x?xi4, pack = 1>, i64)
  %0 = tile.slice %s[%i, %i, %i] : !tile.shared<3x16x8xf32> -> !tile.shared<16x8xf32>
  %1 = tile.slice %s[%i, %i, %i] {kept = array<i64: 0, 2>} : !tile.shared<3x16x8xf32> -> !tile.shared<3x4xf32>
  %2 = tile.view %g[%i, %i] sizes [%i] : !tile.global<?x?xi4, pack = 1> -> !tile.global<?xi4, pack = 0>
  %3 = tile.view %g[%i, %i] sizes [%i, %i] : !tile.global<?x?xi4, pack = 1> -> !tile.global<?x?xi4, pack = 1>
  tile.return
}

// Tests atomics on tiles and elements, and a layout that the program asks for.
// CHECK-LABEL: tile.kernel @atomics
// CHECK: %[[V:.+]]:5 = "test.values"
// CHECK: tile.atomic add %[[V]]#0, %[[V]]#1[%[[V]]#4, %[[V]]#4] : tensor<16x8xf32>, !tile.global<?x?xf32>
// CHECK-NEXT: tile.atomic max %[[V]]#0, %[[V]]#2 {acq_rel} : tensor<16x8xf32>, !tile.shared<16x8xf32>
// CHECK-NEXT: tile.atomic_element min %[[V]]#3, %[[V]]#1[%[[V]]#4, %[[V]]#4] : f32, !tile.global<?x?xf32>
// CHECK-NEXT: tile.alloc_shared "As" {annotation = #tile.shared_layout<swizzle = [3, 4, 3]>} : <64x64xbf16>
tile.kernel @atomics() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %t, %g, %s, %x, %i = "test.values"() : () -> (tensor<16x8xf32>, !tile.global<?x?xf32>, !tile.shared<16x8xf32>, f32, i64)
  tile.atomic add %t, %g[%i, %i] : tensor<16x8xf32>, !tile.global<?x?xf32>
  tile.atomic max %t, %s {acq_rel} : tensor<16x8xf32>, !tile.shared<16x8xf32>
  %0 = tile.atomic_element min %x, %g[%i, %i] : f32, !tile.global<?x?xf32>
  %1 = tile.alloc_shared "As" {annotation = #tile.shared_layout<swizzle = [3, 4, 3]>} : !tile.shared<64x64xbf16>
  tile.return
}
