// RUN: tile-opt %s --tile-stage-elements --split-input-file | FileCheck %s

// Tests that a fragment read at indices that no layout follows is read from
// shared memory, and that one read at the loop's stays.
// CHECK-LABEL: tile.kernel @reads
// CHECK: %[[TILE:.+]] = tile.alloc_shared "elements" : <8x16xf32>
// CHECK: tile.store %[[X:.+]], %[[TILE]]
// CHECK: tile.parallel (%[[I:.+]], %[[J:.+]]) in (8, 8)
// CHECK: %[[K:.+]] = arith.divsi %[[J]]
// CHECK: tile.load_element %[[TILE]][%[[I]], %[[K]]]
// CHECK: tile.element %{{.+}}[%[[I]], %[[J]]]
tile.kernel @reads(%A: !tile.global<?x?xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "in", tile.dims = ["M", "K"]}) attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "K", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c0 = arith.constant 0 : i64
  %c3 = arith.constant 3 : i64
  %x = tile.load %A[%c0, %c0] : !tile.global<?x?xf32> -> tensor<8x16xf32>
  %y = arith.constant dense<1.0> : tensor<8x8xf32>
  %r = tile.parallel (%i, %j) in (8, 8) init(%y : tensor<8x8xf32>) {
    %k = arith.divsi %j, %c3 : i64
    %a = tile.element %x[%i, %k] : tensor<8x16xf32>
    %b = tile.element %y[%i, %j] : tensor<8x8xf32>
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
  tile.return
}

// -----

// Tests that a loop that writes every third element fills a shared tile in,
// which holds nibbles as bytes, since threads write them apart.
// CHECK-LABEL: tile.kernel @writes
// CHECK: %[[WIDE:.+]] = tile.cast %{{.+}} : tensor<8x16xi4> -> tensor<8x16xi8>
// CHECK: tile.store %[[WIDE]], %[[TILE:.+]] : tensor<8x16xi8>
// CHECK: tile.parallel (%[[I:.+]], %[[J:.+]]) in (8, 5) {
// CHECK: %[[DOUBLE:.+]] = arith.muli %[[J]]
// CHECK: %[[PLACE:.+]] = arith.addi %[[DOUBLE]]
// CHECK: tile.store_element %{{.+}}, %[[TILE]][%[[I]], %[[PLACE]]] : i8
// CHECK: tile.load %[[TILE]]
tile.kernel @writes(%n: i4 {tile.name = "n", tile.dtype = "int4"}) attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %y = arith.constant dense<1> : tensor<8x16xi4>
  %r = tile.parallel (%i, %j) in (8, 5) init(%y : tensor<8x16xi4>) maps [affine_map<(d0, d1) -> (d0, d1 * 3 + 1)>] {
    tile.yield %n : i4
  }
  tile.return
}

// -----

// Tests that indices that are linear over bits stay: pairs of nibbles, however
// they are written, and both halves of what is read in steps of two.
// CHECK-LABEL: tile.kernel @linear
// CHECK-NOT: tile.alloc_shared
// CHECK: tile.return
tile.kernel @linear(%A: !tile.global<?x?xi8> {tile.name = "A", tile.dtype = "int8", tile.access = "in", tile.dims = ["M", "K"]}) attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "K", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  %x = tile.load %A[%c0, %c0] : !tile.global<?x?xi8> -> tensor<8x8xi8>
  %y = arith.constant dense<1> : tensor<8x16xi8>
  %r = tile.parallel (%i, %j) in (8, 16) init(%y : tensor<8x16xi8>) {
    %k = arith.shrsi %j, %c1 : i64
    %a = tile.element %x[%i, %k] : tensor<8x8xi8>
    tile.yield %a : i8
  }
  %s = tile.parallel (%i, %j) in (8, 8) init(%y : tensor<8x16xi8>) maps [affine_map<(d0, d1) -> (d0, d1 * 2 + 1)>] {
    %k = arith.muli %j, %c2 : i64
    %l = arith.addi %k, %c1 : i64
    %a = tile.element %r[%i, %k] : tensor<8x16xi8>
    %b = tile.element %r[%i, %l] : tensor<8x16xi8>
    %sum = arith.addi %a, %b : i8
    tile.yield %sum : i8
  }
  tile.return
}

// -----

// Tests that a reversal does not: an element and its mirror image have other
// threads.
// CHECK-LABEL: tile.kernel @reversed
// CHECK: tile.alloc_shared "elements"
tile.kernel @reversed(%A: !tile.global<?xi8> {tile.name = "A", tile.dtype = "int8", tile.access = "in", tile.dims = ["M"]}) attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c0 = arith.constant 0 : i64
  %c15 = arith.constant 15 : i64
  %x = tile.load %A[%c0] : !tile.global<?xi8> -> tensor<16xi8>
  %r = tile.parallel (%i) in (16) init(%x : tensor<16xi8>) {
    %k = arith.subi %c15, %i : i64
    %a = tile.element %x[%k] : tensor<16xi8>
    tile.yield %a : i8
  }
  tile.return
}
