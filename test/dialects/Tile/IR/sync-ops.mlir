// RUN: tile-opt %s --allow-unregistered-dialect | tile-opt --allow-unregistered-dialect | FileCheck %s

// Tests asynchronous copies, with and without condition and plan, and the ops
// that order them.
// CHECK-LABEL: tile.kernel @asynchronous
// CHECK: %[[V:.+]]:4 = "test.values"
// CHECK: tile.async_copy %[[V]]#0[%[[V]]#2, %[[V]]#2] to %[[V]]#1 : <?x?xbf16>, <16x8xbf16>
// CHECK-NEXT: tile.async_copy %[[V]]#0[%[[V]]#2, %[[V]]#2] to %[[V]]#1 if %[[V]]#3 {plan = #tile.copy_plan<engine = cp_async, bytes = 16>} : <?x?xbf16>, <16x8xbf16>
// CHECK-NEXT: tile.commit_group
// CHECK-NEXT: tile.wait_group 2
// CHECK-NEXT: tile.barrier
tile.kernel @asynchronous() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %g, %s, %i, %p = "test.values"() : () -> (!tile.global<?x?xbf16>, !tile.shared<16x8xbf16>, i64, i1)
  tile.async_copy %g[%i, %i] to %s : !tile.global<?x?xbf16>, !tile.shared<16x8xbf16>
  tile.async_copy %g[%i, %i] to %s if %p {plan = #tile.copy_plan<engine = cp_async, bytes = 16>} : !tile.global<?x?xbf16>, !tile.shared<16x8xbf16>
  tile.commit_group
  tile.wait_group 2
  tile.barrier
  tile.return
}
