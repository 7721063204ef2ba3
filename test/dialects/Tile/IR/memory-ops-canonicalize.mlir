// RUN: tile-opt %s --canonicalize --allow-unregistered-dialect | FileCheck %s

// Tests what is removed when nobody uses it: allocations and loads, but neither
// stores nor what orders them.
// CHECK-LABEL: @unused
// CHECK-NEXT: %{{.+}} = "test.value"
// CHECK-NEXT: %{{.+}} = "test.value"
// CHECK-NEXT: tile.store
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.wait_group
// CHECK-NEXT: tile.return
tile.kernel @unused() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %t = "test.value"() : () -> !tile.shared<16x8xf32>
  %x = "test.value"() : () -> tensor<16x8xf32>
  %a = tile.alloc_shared : !tile.shared<16x8xf32>
  %y = tile.load %t : !tile.shared<16x8xf32> -> tensor<16x8xf32>
  tile.store %x, %t : tensor<16x8xf32>, !tile.shared<16x8xf32>
  tile.barrier
  tile.wait_group 0
  tile.return
}
