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

// Tests copies of elements and boxes, barriers and the fence.
// CHECK-LABEL: tile.kernel @expert
// CHECK: %[[V:.+]]:4 = "test.values"
// CHECK: tile.async_copy %[[V]]#0[%[[V]]#2, %[[V]]#2] to %[[V]]#1 if %[[V]]#3 pred %[[V]]#3 : <?x?xf16>, <16x8xf16>
// CHECK-NEXT: tile.async_copy_elements %[[V]]#0[%[[V]]#2, %[[V]]#2] to %[[V]]#1[%[[V]]#2, %[[V]]#2] count 8 pred %[[V]]#3 : <?x?xf16>, <16x8xf16>
// CHECK-NEXT: %[[B:.+]] = tile.barrier_alloc "ready" count 1 : <3>
// CHECK-NEXT: %[[O:.+]] = tile.barrier_alloc count 2 : <1>
// CHECK-NEXT: tile.arrive %[[B]][%[[V]]#2] : <3>
// CHECK-NEXT: tile.expect %[[O]], %[[V]]#2 : <1>
// CHECK-NEXT: tile.wait %[[B]][%[[V]]#2], %[[V]]#2 : <3>
// CHECK-NEXT: tile.tma_copy %[[V]]#0[%[[V]]#2, %[[V]]#2] to %[[V]]#1 barrier %[[B]][%[[V]]#2] : !tile.global<?x?xf16>, !tile.shared<16x8xf16>, !tile.barrier<3>
// CHECK-NEXT: tile.tma_copy %[[V]]#1 to %[[V]]#0[%[[V]]#2, %[[V]]#2] : !tile.shared<16x8xf16>, !tile.global<?x?xf16>
// CHECK-NEXT: tile.fence
tile.kernel @expert() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %g, %s, %i, %p = "test.values"() : () -> (!tile.global<?x?xf16>, !tile.shared<16x8xf16>, i64, i1)
  tile.async_copy %g[%i, %i] to %s if %p pred %p : !tile.global<?x?xf16>, !tile.shared<16x8xf16>
  tile.async_copy_elements %g[%i, %i] to %s[%i, %i] count 8 pred %p : !tile.global<?x?xf16>, !tile.shared<16x8xf16>
  %b = tile.barrier_alloc "ready" count 1 : !tile.barrier<3>
  %o = tile.barrier_alloc count 2 : !tile.barrier<1>
  tile.arrive %b[%i] : !tile.barrier<3>
  tile.expect %o, %i : !tile.barrier<1>
  tile.wait %b[%i], %i : !tile.barrier<3>
  tile.tma_copy %g[%i, %i] to %s barrier %b[%i] : !tile.global<?x?xf16>, !tile.shared<16x8xf16>, !tile.barrier<3>
  tile.tma_copy %s to %g[%i, %i] : !tile.shared<16x8xf16>, !tile.global<?x?xf16>
  tile.fence
  tile.return
}
