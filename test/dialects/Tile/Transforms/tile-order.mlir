// RUN: tile-opt %s --tile-lower-persistent --canonicalize --cse --split-input-file | FileCheck %s


// Tests that tuples run column by column through groups of rows, of which the
// last may be lower.
// CHECK-LABEL: tile.kernel @grouped
// CHECK-SAME: (%[[C:[^ :]+]]: {{.*}}, %[[X:[^ :]+]]: i64 {{.*}}, %[[Y:[^ :]+]]: i64
// CHECK-DAG: %[[ZERO:.+]] = arith.constant 0 : i64
// CHECK-DAG: %[[GROUP:.+]] = arith.constant 4 : i64
// CHECK-DAG: %[[COLUMNS:.+]] = arith.maxsi %[[X]], %[[ZERO]] : i64
// CHECK-DAG: %[[ROWS:.+]] = arith.maxsi %[[Y]], %[[ZERO]] : i64
// CHECK: %[[TUPLES:.+]] = arith.muli %[[COLUMNS]], %[[ROWS]] : i64
// CHECK: %[[FIRST:.+]] = tile.block_number : i64
// CHECK: %[[STEP:.+]] = tile.block_count : i64
// CHECK: scf.for %[[T:.+]] = %[[FIRST]] to %[[TUPLES]] step %[[STEP]] : i64 {
// CHECK: %[[HEIGHT:.+]] = arith.minui %[[ROWS]], %[[GROUP]] : i64
// CHECK: %[[PLACES:.+]] = arith.muli %[[COLUMNS]], %[[HEIGHT]] : i64
// CHECK: %[[NUMBER:.+]] = arith.divui %[[T]], %[[PLACES]] : i64
// CHECK: %[[ABOVE:.+]] = arith.muli %[[NUMBER]], %[[HEIGHT]] : i64
// CHECK: %[[IN:.+]] = arith.remui %[[T]], %[[PLACES]] : i64
// CHECK: %[[LEFT:.+]] = arith.subi %[[ROWS]], %[[ABOVE]] : i64
// CHECK: %[[THIS:.+]] = arith.minui %[[LEFT]], %[[HEIGHT]] : i64
// CHECK-DAG: %[[I:.+]] = arith.divui %[[IN]], %[[THIS]] : i64
// CHECK-DAG: %[[R:.+]] = arith.remui %[[IN]], %[[THIS]] : i64
// CHECK: %[[J:.+]] = arith.addi %[[ABOVE]], %[[R]] : i64
// CHECK: tile.store_element %{{.+}}, %[[C]][%[[J]], %[[I]]]
// CHECK-NOT: tile.persistent
tile.kernel @grouped(%C: !tile.global<?x?xf32> {tile.name = "C", tile.dtype = "f32", tile.access = "out", tile.dims = ["M", "N"]},
                     %x: i64 {tile.name = "x", tile.dtype = "int64"}, %y: i64 {tile.name = "y", tile.dtype = "int64"})
    attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "N", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %one = arith.constant 1.0 : f32
  tile.persistent (%i, %j) in (%x, %y) group(4) {
    tile.store_element %one, %C[%j, %i] : f32, !tile.global<?x?xf32>
  }
  tile.return
}

// -----

// Tests that further indices count planes, within which the groups are.
// CHECK-LABEL: tile.kernel @groups_in_planes
// CHECK-DAG: %[[GROUP:.+]] = arith.constant 8 : i64
// CHECK: %[[X:.+]] = arith.maxsi
// CHECK: %[[Y:.+]] = arith.maxsi
// CHECK: scf.for %[[T:.+]] = %{{.+}} to
// CHECK: %[[IN:.+]] = arith.remui %[[T]], %[[PLANE:.+]] : i64
// CHECK: %[[REST:.+]] = arith.divui %[[T]], %[[PLANE]] : i64
// CHECK: arith.minui %[[Y]], %[[GROUP]] : i64
// CHECK: arith.divui %[[IN]], %{{.+}} : i64
// CHECK: arith.remui %[[IN]], %{{.+}} : i64
// CHECK: tile.store_element %{{.+}}, %{{.+}}[%{{.+}}, %{{.+}}, %[[REST]]]
tile.kernel @groups_in_planes(%C: !tile.global<?x?x?xf32> {tile.name = "C", tile.dtype = "f32", tile.access = "out", tile.dims = ["M", "N", "K"]},
                              %n: i64 {tile.name = "n", tile.dtype = "int64"}, %m: i64 {tile.name = "m", tile.dtype = "int64"}, %o: i64 {tile.name = "o", tile.dtype = "int64"})
    attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "N", param = 0 : i64, dim = 1 : i64}, {name = "K", param = 0 : i64, dim = 2 : i64}],
                checks = [], grid = [], axes = [], threads = 32 : i64} {
  %one = arith.constant 1.0 : f32
  tile.persistent (%i, %j, %k) in (%n, %m, %o) group(8) {
    tile.store_element %one, %C[%i, %j, %k] : f32, !tile.global<?x?x?xf32>
  }
  tile.return
}
