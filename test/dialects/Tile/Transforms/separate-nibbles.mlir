// RUN: tile-opt %s --tile-separate-nibbles --split-input-file | FileCheck %s

// Tests that elements written at any place are collected, with their indices and
// conditions, and written half by half.
// CHECK-LABEL: tile.kernel @scattered
// CHECK: %[[R:.+]]:4 = tile.parallel
// CHECK: %[[B:.+]]:4 = scf.if
// CHECK-NOT: tile.store_element
// CHECK: tile.yield %[[B]]#0, %[[B]]#1, %[[B]]#2, %[[B]]#3 : i8, i64, i64, i1
// CHECK: tile.parallel
// CHECK: %[[INDEX:.+]] = tile.element %[[R]]#2
// CHECK: %[[WRITTEN:.+]] = tile.element %[[R]]#3
// CHECK: %[[HALF:.+]] = arith.andi %[[INDEX]], %{{.+}} : i64
// CHECK: %[[IS:.+]] = arith.cmpi eq, %[[HALF]], %c0
// CHECK: %[[DO:.+]] = arith.andi %[[IS]], %[[WRITTEN]] : i1
// CHECK: scf.if %[[DO]]
// CHECK: tile.store_element %{{.+}} {tile.owns_byte}
// CHECK: tile.parallel
// CHECK: arith.cmpi eq, %{{.+}}, %c1
// CHECK: tile.store_element %{{.+}} {tile.owns_byte}
tile.kernel @scattered(%n: i4 {tile.name = "n", tile.dtype = "int4"}) attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c2 = arith.constant 2 : i64
  %s = tile.alloc_shared "S" : !tile.shared<8x16xi4, pack = 1>
  tile.parallel (%i, %j) in (8, 8) {
    %k = arith.muli %j, %c2 : i64
    %p = arith.cmpi slt, %i, %j : i64
    scf.if %p {
      tile.store_element %n, %s[%i, %k] : i4, !tile.shared<8x16xi4, pack = 1>
    }
  }
  tile.return
}

// -----

// Tests that bytes and wider elements, and elements outside of loops, stay.
// CHECK-LABEL: tile.kernel @bytes
// CHECK: tile.store_element %{{.+}}, %{{.+}} : i8
// CHECK-NOT: tile.parallel
// CHECK: tile.store_element %{{.+}}, %{{.+}} : i4
tile.kernel @bytes(%n: i4 {tile.name = "n", tile.dtype = "int4"}, %m: i8 {tile.name = "m", tile.dtype = "int8"}) attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c0 = arith.constant 0 : i64
  %s = tile.alloc_shared "S" : !tile.shared<8xi4, pack = 0>
  %t = tile.alloc_shared "T" : !tile.shared<8xi8>
  tile.parallel (%i) in (8) {
    tile.store_element %m, %t[%i] : i8, !tile.shared<8xi8>
  }
  tile.store_element %n, %s[%c0] : i4, !tile.shared<8xi4, pack = 0>
  tile.return
}
