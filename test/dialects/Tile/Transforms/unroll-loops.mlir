// RUN: tile-opt %s --tile-unroll-loops | FileCheck %s

// Tests that two iterations become one where a loop says so, that each hands on
// to the one after the next, and that a loop takes what is left over.
// CHECK-LABEL: @handed_on
// CHECK: %[[R:.*]]:2 = scf.for %{{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}) -> (f32, f32)
// CHECK: arith.addf %[[A]], %[[A]]
// CHECK: %[[X:.*]] = tile.load_element
// CHECK: arith.addf %[[B]], %[[B]]
// CHECK: %[[Y:.*]] = tile.load_element
// CHECK: scf.yield %[[X]], %[[Y]] : f32, f32
// CHECK: scf.for %{{.*}} iter_args(%{{.*}} = %[[R]]#0, %[[NEXT:.*]] = %[[R]]#1)
// CHECK: %[[Z:.*]] = tile.load_element
// CHECK: scf.yield %[[NEXT]], %[[Z]]
// CHECK-NOT: tile.unroll
tile.kernel @handed_on(%x: !tile.global<?xf32> {tile.name = "X", tile.dims = ["N"], tile.dtype = "f32", tile.access = "in"}, %y: !tile.global<?xf32> {tile.name = "Y", tile.dims = ["N"], tile.dtype = "f32", tile.access = "out"}) attributes {symbols = [{name = "N", param = 0 : i64, dim = 0 : i64}], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %n = tile.symbol "N" : i64
  %zero = arith.constant 0.0 : f32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero, %b = %zero) -> (f32, f32) : i64 {
    %twice = arith.addf %a, %a : f32
    tile.store_element %twice, %y[%i] : f32, !tile.global<?xf32>
    %next = tile.load_element %x[%i] : !tile.global<?xf32> -> f32
    scf.yield %b, %next : f32, f32
  } {tile.unroll = 2 : i64}
  tile.return
}
