// RUN: tile-opt %s --tile-raise-elements --split-input-file | FileCheck %s

// Tests that bytes of nibbles are loaded as a tile, and results stored as one.
// CHECK-LABEL: tile.kernel @nibbles
// CHECK: %[[S:.+]] = tile.alloc_shared
// CHECK: %[[N:.+]] = arith.muli %arg1
// CHECK: %[[T:.+]] = tile.load %[[S]] : !tile.shared<16x32xi8> -> tensor<16x32xi8>
// CHECK: %[[R:.+]] = tile.parallel (%[[I:.+]], %[[J:.+]]) in (16, 64) init(%{{.+}} : tensor<16x64xi8>)
// CHECK: %[[H:.+]] = arith.divsi %[[J]]
// CHECK: tile.element %[[T]][%[[I]], %[[H]]]
// CHECK-NOT: tile.store_element
// CHECK: tile.yield
// CHECK: tile.store %[[R]], %arg0[%arg1, %[[N]]]
tile.kernel @nibbles(%C: !tile.global<?x?xi8> {tile.name = "C", tile.dtype = "int8", tile.access = "inout", tile.dims = ["M", "K"]}, %n: i64 {tile.name = "n", tile.dtype = "int64"}) attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "K", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c2 = arith.constant 2 : i64
  %s = tile.alloc_shared "S" : !tile.shared<16x32xi8>
  tile.parallel (%i, %j) in (16, 64) {
    %h = arith.divsi %j, %c2 : i64
    %x = tile.load_element %s[%i, %h] : !tile.shared<16x32xi8> -> i8
    %r = arith.addi %n, %i : i64
    %two = arith.muli %n, %c2 : i64
    %c = arith.addi %two, %j : i64
    tile.store_element %x, %C[%r, %c] : i8, !tile.global<?x?xi8>
  }
  tile.return
}

// -----

// Tests that one buffer of a ring is loaded, a part of the others' rows, and
// that a transposed write is stored as it lies.
// CHECK-LABEL: tile.kernel @ring
// CHECK: tile.load %{{.+}}[%arg1, %c0{{.*}}, %c8{{.*}}] : !tile.shared<3x16x32xi8> -> tensor<16x16xi8>
// CHECK: %[[T:.+]] = tile.reindex %{{.+}} : tensor<16x32xi8> -> tensor<32x16xi8>
// CHECK: tile.store %[[T]], %arg0[
tile.kernel @ring(%C: !tile.global<?x?xi8> {tile.name = "C", tile.dtype = "int8", tile.access = "inout", tile.dims = ["M", "K"]}, %n: i64 {tile.name = "n", tile.dtype = "int64"}) attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "K", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c2 = arith.constant 2 : i64
  %c8 = arith.constant 8 : i64
  %s = tile.alloc_shared "S" : !tile.shared<3x16x32xi8>
  tile.parallel (%i, %j) in (16, 32) {
    %h = arith.divsi %j, %c2 : i64
    %k = arith.addi %h, %c8 : i64
    %x = tile.load_element %s[%n, %i, %k] : !tile.shared<3x16x32xi8> -> i8
    tile.store_element %x, %C[%j, %i] : i8, !tile.global<?x?xi8>
  }
  tile.return
}

// -----

// Tests what stays: reads that leave elements out or come behind a write, what is
// done under a condition, and writes that are read afterwards.
// CHECK-LABEL: tile.kernel @stays
// CHECK-NOT: tile.load %
// CHECK-NOT: tile.store %
tile.kernel @stays(%C: !tile.global<?x?xi8> {tile.name = "C", tile.dtype = "int8", tile.access = "inout", tile.dims = ["M", "K"]}, %n: i64 {tile.name = "n", tile.dtype = "int64"}) attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "K", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c2 = arith.constant 2 : i64
  %s = tile.alloc_shared "S" : !tile.shared<16x32xi8>
  %t = tile.alloc_shared "T" : !tile.shared<16x16xi8>
  tile.parallel (%i, %j) in (16, 16) {
    %k = arith.muli %j, %c2 : i64
    %x = tile.load_element %s[%i, %k] : !tile.shared<16x32xi8> -> i8
    tile.store_element %x, %t[%i, %j] : i8, !tile.shared<16x16xi8>
    %y = tile.load_element %t[%i, %j] : !tile.shared<16x16xi8> -> i8
    %p = arith.cmpi slt, %i, %j : i64
    scf.if %p {
      %z = tile.load_element %t[%i, %j] : !tile.shared<16x16xi8> -> i8
      tile.store_element %z, %C[%i, %j] : i8, !tile.global<?x?xi8>
    }
  }
  tile.return
}
