// RUN: tile-opt %s --tile-lower-persistent --canonicalize --cse --split-input-file | FileCheck %s

// Tests that blocks take tuples in turn, that one index is the number itself, and
// that other loops stay. (Which tuple a number is: tile-order.mlir.)
// CHECK-LABEL: tile.kernel @one_index
// CHECK: %[[FIRST:.+]] = tile.block_number : i64
// CHECK: %[[STEP:.+]] = tile.block_count : i64
// CHECK: scf.for %[[T:.+]] = %[[FIRST]] to %{{.+}} step %[[STEP]] : i64 {
// CHECK-NEXT: scf.for
// CHECK-NEXT: tile.store_element %{{.+}}, %{{.+}}[%[[T]]]
tile.kernel @one_index(%C: !tile.global<?xf32> {tile.name = "C", tile.dtype = "f32", tile.access = "out", tile.dims = ["M"]},
                       %n: i64 {tile.name = "n", tile.dtype = "int64"})
    attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %one = arith.constant 1.0 : f32
  tile.persistent (%i) in (%n) {
    scf.for %k = %c0 to %n step %c1 : i64 {
      tile.store_element %one, %C[%i] : f32, !tile.global<?xf32>
    }
  }
  tile.return
}

// -----

// Tests that the decision 'raster' goes before the hint, that one row a group
// divides less, and that further indices count planes.
// CHECK-LABEL: tile.kernel @planes
// CHECK: %[[X:.+]] = arith.maxsi
// CHECK: %[[Y:.+]] = arith.maxsi
// CHECK: %[[Z:.+]] = arith.maxsi
// CHECK: %[[PLANE:.+]] = arith.muli %[[X]], %[[Y]] : i64
// CHECK: scf.for %[[T:.+]] = %{{.+}} to
// CHECK: %[[IN:.+]] = arith.remui %[[T]], %[[PLANE]] : i64
// CHECK: %[[REST:.+]] = arith.divui %[[T]], %[[PLANE]] : i64
// CHECK: %[[I:.+]] = arith.remui %[[IN]], %[[X]] : i64
// CHECK: %[[J:.+]] = arith.divui %[[IN]], %[[X]] : i64
// CHECK: %[[K:.+]] = arith.remui %[[REST]], %[[Z]] : i64
// CHECK: %[[L:.+]] = arith.divui %[[REST]], %[[Z]] : i64
// CHECK: tile.store_element %{{.+}}, %{{.+}}[%[[I]], %[[J]], %[[K]], %[[L]]]
tile.kernel @planes(%C: !tile.global<?x?x?x?xf32> {tile.name = "C", tile.dtype = "f32", tile.access = "out", tile.dims = ["M", "N", "K", "L"]},
                    %n: i64 {tile.name = "n", tile.dtype = "int64"}, %m: i64 {tile.name = "m", tile.dtype = "int64"}, %o: i64 {tile.name = "o", tile.dtype = "int64"})
    attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "N", param = 0 : i64, dim = 1 : i64}, {name = "K", param = 0 : i64, dim = 2 : i64}, {name = "L", param = 0 : i64, dim = 3 : i64}],
                checks = [], grid = [], axes = [], threads = 32 : i64, decisions = {raster = 0 : i64}} {
  %one = arith.constant 1.0 : f32
  tile.persistent (%i, %j, %k, %l) in (%n, %m, %o, %n) group(4) {
    tile.store_element %one, %C[%i, %j, %k, %l] : f32, !tile.global<?x?x?x?xf32>
  }
  tile.return
}

// -----

// Tests that a grid of the device's size has room for as many blocks as were
// decided, and that another one stays.
// CHECK-LABEL: tile.kernel @fills
// CHECK-SAME: blocks = ["min", ["*", "sm_count", 3], "n"]
tile.kernel @fills(%n: i64 {tile.name = "n", tile.dtype = "int64"})
    attributes {symbols = [], checks = [], grid = [["min", "sm_count", "n"]], axes = ["block"], threads = 32 : i64, decisions = {min_blocks = 3 : i64}} {
  tile.persistent (%i) in (%n) {
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @own_grid
// CHECK-NOT: , blocks =
// CHECK: tile.return
tile.kernel @own_grid(%n: i64 {tile.name = "n", tile.dtype = "int64"})
    attributes {symbols = [], checks = [], grid = [4 : i64], axes = ["b"], threads = 32 : i64, decisions = {min_blocks = 3 : i64}} {
  tile.persistent (%i) in (%n) {
  }
  tile.return
}
