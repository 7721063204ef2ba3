// RUN: tile-opt %s --tile-canonicalize-kernel --split-input-file | FileCheck %s

// Tests that arithmetic on the loop's own element and a scalar becomes
// arithmetic on the fragment.
// CHECK-LABEL: @scale
// CHECK-SAME: %[[C:arg0]]{{.*}}%[[S:arg1]]: f32
// CHECK: %[[ACC:.+]] = tile.load
// CHECK-NOT: tile.parallel
// CHECK: %[[B:.+]] = tile.broadcast %[[S]] : f32 -> tensor<16x8xf32>
// CHECK-NEXT: %[[Y:.+]] = arith.mulf %[[ACC]], %[[B]] : tensor<16x8xf32>
// CHECK-NEXT: tile.store %[[Y]], %[[C]]
tile.kernel @scale(
    %C: !tile.global<?x?xf32> {tile.name = "C", tile.dtype = "f32", tile.access = "inout", tile.dims = ["M", "N"]},
    %s: f32 {tile.name = "s", tile.dtype = "f32"})
    attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %c0 = arith.constant 0 : i64
  %acc = tile.load %C[%c0, %c0] : !tile.global<?x?xf32> -> tensor<16x8xf32>
  %r = tile.parallel (%i, %j) in (16, 8) init(%acc : tensor<16x8xf32>) {
    %x = tile.element %acc[%i, %j] : tensor<16x8xf32>
    %y = arith.mulf %x, %s : f32
    tile.yield %y : f32
  }
  tile.store %r, %C[%c0, %c0] : tensor<16x8xf32>, !tile.global<?x?xf32>
  tile.return
}

// -----

// Tests that reads along one index become rows and columns, with their pads, and
// that casts and constants take the fragment's shape.
// CHECK-DAG: #[[$MAPROW:.+]] = affine_map<(d0, d1) -> (d1)>
// CHECK-DAG: #[[$MAPCOL:.+]] = affine_map<(d0, d1) -> (d0, 0)>
// CHECK-LABEL: @rows_and_columns
// CHECK-SAME: %[[B:arg0]]: {{.*}}%[[S:arg1]]: {{.*}}%[[I:arg2]]: i64 {{.*}}%[[J:arg3]]: i64 {{.*}}%[[P:arg4]]: f16
// CHECK: %[[HALF:.+]] = arith.constant dense<5.000000e-01> : tensor<16x8xf32>
// CHECK-DAG: %[[ROW:.+]] = tile.load %[[B]][%[[J]]] : !tile.global<?xf32> -> tensor<8xf32>
// CHECK-DAG: %[[ROWS:.+]] = tile.reindex %[[ROW]] by #[[$MAPROW]] : tensor<8xf32> -> tensor<16x8xf32>
// CHECK-DAG: %[[COL:.+]] = tile.load %[[S]][%[[I]], %[[J]]] pad %[[P]] : f16 : !tile.global<?x?xf16> -> tensor<16x1xf16>
// CHECK-DAG: %[[COLS:.+]] = tile.reindex %[[COL]] by #[[$MAPCOL]] : tensor<16x1xf16> -> tensor<16x8xf16>
// CHECK: %[[WIDE:.+]] = tile.cast %[[COLS]] : tensor<16x8xf16> -> tensor<16x8xf32>
// CHECK: %[[SUM:.+]] = arith.addf %[[ROWS]], %[[WIDE]] : tensor<16x8xf32>
// CHECK: arith.mulf %[[SUM]], %[[HALF]] : tensor<16x8xf32>
tile.kernel @rows_and_columns(
    %B: !tile.global<?xf32> {tile.name = "B", tile.dtype = "f32", tile.access = "in", tile.dims = ["N"]},
    %S: !tile.global<?x?xf16> {tile.name = "S", tile.dtype = "f16", tile.access = "in", tile.dims = ["M", "G"]},
    %i0: i64 {tile.name = "i0", tile.dtype = "int64"}, %j0: i64 {tile.name = "j0", tile.dtype = "int64"},
    %pad: f16 {tile.name = "pad", tile.dtype = "f16"},
    %C: !tile.global<?x?xf32> {tile.name = "C", tile.dtype = "f32", tile.access = "out", tile.dims = ["M", "N"]})
    attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %c0 = arith.constant 0 : i64
  %init = arith.constant dense<0.0> : tensor<16x8xf32>
  %r = tile.parallel (%i, %j) in (16, 8) init(%init : tensor<16x8xf32>) {
    %half = arith.constant 0.5 : f32
    %col = arith.addi %j0, %j : i64
    %b = tile.load_element %B[%col] : !tile.global<?xf32> -> f32
    %row = arith.addi %i, %i0 : i64
    %s = tile.load_element %S[%row, %j0] pad %pad : f16 : !tile.global<?x?xf16> -> f16
    %w = tile.cast %s : f16 -> f32
    %x = arith.addf %b, %w : f32
    %y = arith.mulf %x, %half : f32
    tile.yield %y : f32
  }
  tile.store %r, %C[%c0, %c0] : tensor<16x8xf32>, !tile.global<?x?xf32>
  tile.return
}

// -----

// Tests that a transposed read becomes a load of the other shape and a reindex.
// CHECK: #[[$MAP:.+]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-LABEL: @transposed_read
// CHECK: %[[L:.+]] = tile.load %{{.+}} : !tile.global<?x?xf32> -> tensor<8x16xf32>
// CHECK-NEXT: %[[T:.+]] = tile.reindex %[[L]] by #[[$MAP]] : tensor<8x16xf32> -> tensor<16x8xf32>
// CHECK-NEXT: tile.store %[[T]]
tile.kernel @transposed_read(
    %A: !tile.global<?x?xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "in", tile.dims = ["N", "M"]},
    %C: !tile.global<?x?xf32> {tile.name = "C", tile.dtype = "f32", tile.access = "out", tile.dims = ["M", "N"]})
    attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %c0 = arith.constant 0 : i64
  %init = arith.constant dense<0.0> : tensor<16x8xf32>
  %r = tile.parallel (%i, %j) in (16, 8) init(%init : tensor<16x8xf32>) {
    %x = tile.load_element %A[%j, %i] : !tile.global<?x?xf32> -> f32
    tile.yield %x : f32
  }
  tile.store %r, %C[%c0, %c0] : tensor<16x8xf32>, !tile.global<?x?xf32>
  tile.return
}

// -----

// Tests that elements written to a tensor become one store, transposed where
// the indices are, with the corner that the indices start from.
// CHECK: #[[$MAP:.+]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-LABEL: @element_stores
// CHECK-SAME: %[[C:arg0]]: {{.*}}%[[D:arg1]]: {{.*}}%[[I0:arg2]]: i64
// CHECK: %[[X:.+]] = tile.load %[[C]]
// CHECK-NEXT: tile.store %[[X]], %[[C]][%[[I0]], %c0_i64]
// CHECK-NEXT: %[[T:.+]] = tile.reindex %[[X]] by #[[$MAP]] : tensor<16x8xf32> -> tensor<8x16xf32>
// CHECK-NEXT: tile.store %[[T]], %[[D]][%[[I0]], %c0_i64, %c0_i64] : tensor<8x16xf32>
// CHECK-NEXT: tile.return
tile.kernel @element_stores(
    %C: !tile.global<?x?xf32> {tile.name = "C", tile.dtype = "f32", tile.access = "inout", tile.dims = ["M", "N"]},
    %D: !tile.global<?x?x?xf32> {tile.name = "D", tile.dtype = "f32", tile.access = "out", tile.dims = ["B", "N", "M"]},
    %i0: i64 {tile.name = "i0", tile.dtype = "int64"})
    attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %c0 = arith.constant 0 : i64
  %x = tile.load %C[%c0, %c0] : !tile.global<?x?xf32> -> tensor<16x8xf32>
  tile.parallel (%i, %j) in (16, 8) {
    %e = tile.element %x[%i, %j] : tensor<16x8xf32>
    %row = arith.addi %i0, %i : i64
    tile.store_element %e, %C[%row, %j] : f32, !tile.global<?x?xf32>
    tile.store_element %e, %D[%i0, %j, %i] : f32, !tile.global<?x?x?xf32>
  }
  tile.return
}

// -----

// Tests that a simple condition becomes a select of fragments.
// CHECK-LABEL: @condition
// CHECK-NOT: tile.parallel
// CHECK: %[[NEG:.+]] = arith.cmpf olt, %[[X:.+]], %{{.+}} : tensor<16xf32>
// CHECK: arith.select %[[NEG]], %{{.+}}, %[[X]] : tensor<16xi1>, tensor<16xf32>
tile.kernel @condition(%C: !tile.global<?xf32> {tile.name = "C", tile.dtype = "f32", tile.access = "inout", tile.dims = ["N"]})
    attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %c0 = arith.constant 0 : i64
  %x = tile.load %C[%c0] : !tile.global<?xf32> -> tensor<16xf32>
  %zero = arith.constant 0.0 : f32
  %r = tile.parallel (%i) in (16) init(%x : tensor<16xf32>) {
    %e = tile.element %x[%i] : tensor<16xf32>
    %negative = arith.cmpf olt, %e, %zero : f32
    %y = scf.if %negative -> f32 {
      scf.yield %zero : f32
    } else {
      scf.yield %e : f32
    }
    tile.yield %y : f32
  }
  tile.store %r, %C[%c0] : tensor<16xf32>, !tile.global<?xf32>
  tile.return
}

// -----

// Tests that a result written through a permutation is reindexed, and that one
// that is written in part keeps the loop, without anything left over.
// CHECK: #[[$MAP:.+]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-LABEL: @result_maps
// CHECK: %[[X:.+]] = tile.load
// CHECK-NEXT: %[[T:.+]] = tile.reindex %[[X]] by #[[$MAP]] : tensor<16x8xf32> -> tensor<8x16xf32>
// CHECK-NEXT: %[[P:.+]] = tile.parallel (%{{.+}}) in (8) init(%[[T]] : tensor<8x16xf32>) maps
// CHECK-NEXT: tile.element %[[X]]
// CHECK-NEXT: tile.yield
// CHECK-NEXT: }
// CHECK-NEXT: tile.store %[[P]]
tile.kernel @result_maps(
    %A: !tile.global<?x?xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "in", tile.dims = ["M", "N"]},
    %C: !tile.global<?x?xf32> {tile.name = "C", tile.dtype = "f32", tile.access = "out", tile.dims = ["N", "M"]})
    attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %c0 = arith.constant 0 : i64
  %x = tile.load %A[%c0, %c0] : !tile.global<?x?xf32> -> tensor<16x8xf32>
  %init = arith.constant dense<0.0> : tensor<8x16xf32>
  %t = tile.parallel (%i, %j) in (16, 8) init(%init : tensor<8x16xf32>) maps [affine_map<(d0, d1) -> (d1, d0)>] {
    %e = tile.element %x[%i, %j] : tensor<16x8xf32>
    tile.yield %e : f32
  }
  %p = tile.parallel (%j) in (8) init(%t : tensor<8x16xf32>) maps [affine_map<(d0) -> (d0, 0)>] {
    %e = tile.element %x[%c0, %j] : tensor<16x8xf32>
    tile.yield %e : f32
  }
  tile.store %p, %C[%c0, %c0] : tensor<8x16xf32>, !tile.global<?x?xf32>
  tile.return
}

// -----

// Tests that a loop index used as a number keeps the loop.
// CHECK-LABEL: @index_as_value
// CHECK: tile.parallel
// CHECK-NEXT: tile.element
// CHECK-NEXT: arith.cmpi
// CHECK-NOT: tile.broadcast
// CHECK: tile.return
tile.kernel @index_as_value(
    %C: !tile.global<?xf32> {tile.name = "C", tile.dtype = "f32", tile.access = "inout", tile.dims = ["N"]},
    %n: i64 {tile.name = "n", tile.dtype = "int64"}, %s: f32 {tile.name = "s", tile.dtype = "f32"})
    attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %c0 = arith.constant 0 : i64
  %x = tile.load %C[%c0] : !tile.global<?xf32> -> tensor<16xf32>
  %r = tile.parallel (%i) in (16) init(%x : tensor<16xf32>) {
    %e = tile.element %x[%i] : tensor<16xf32>
    %inside = arith.cmpi slt, %i, %n : i64
    %y = arith.addf %e, %s : f32
    %z = arith.select %inside, %y, %s : f32
    tile.yield %z : f32
  }
  tile.store %r, %C[%c0] : tensor<16xf32>, !tile.global<?xf32>
  tile.return
}

// -----

// Tests that the loops stay whose indices are scaled, gathered or diagonal.
// CHECK-LABEL: @other_indices
// CHECK-COUNT-3: tile.parallel
// CHECK-NOT: tile.parallel
tile.kernel @other_indices(
    %A: !tile.global<?x?xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "in", tile.dims = ["N", "N"]},
    %I: !tile.global<?xi64> {tile.name = "I", tile.dtype = "int64", tile.access = "in", tile.dims = ["N"]},
    %C: !tile.global<?xf32> {tile.name = "C", tile.dtype = "f32", tile.access = "out", tile.dims = ["N"]})
    attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %c0 = arith.constant 0 : i64
  %c2 = arith.constant 2 : i64
  %zero = arith.constant dense<0.0> : tensor<16xf32>
  %scaled = tile.parallel (%i) in (16) init(%zero : tensor<16xf32>) {
    %twice = arith.muli %i, %c2 : i64
    %x = tile.load_element %A[%twice, %c0] : !tile.global<?x?xf32> -> f32
    tile.yield %x : f32
  }
  %gathered = tile.parallel (%i) in (16) init(%scaled : tensor<16xf32>) {
    %k = tile.load_element %I[%i] : !tile.global<?xi64> -> i64
    %x = tile.load_element %A[%k, %c0] : !tile.global<?x?xf32> -> f32
    %y = tile.element %scaled[%i] : tensor<16xf32>
    %z = arith.addf %x, %y : f32
    tile.yield %z : f32
  }
  %diagonal = tile.parallel (%i) in (16) init(%gathered : tensor<16xf32>) {
    %x = tile.load_element %A[%i, %i] : !tile.global<?x?xf32> -> f32
    %y = tile.element %gathered[%i] : tensor<16xf32>
    %z = arith.addf %x, %y : f32
    tile.yield %z : f32
  }
  tile.store %diagonal, %C[%c0] : tensor<16xf32>, !tile.global<?xf32>
  tile.return
}

// -----

// Tests that an element that several iterations write keeps the loop.
// CHECK-LABEL: @one_element_twice
// CHECK: tile.parallel
// CHECK: tile.store_element
tile.kernel @one_element_twice(%C: !tile.global<?xf32> {tile.name = "C", tile.dtype = "f32", tile.access = "out", tile.dims = ["N"]},
                               %s: f32 {tile.name = "s", tile.dtype = "f32"})
    attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  tile.parallel (%i, %j) in (16, 8) {
    tile.store_element %s, %C[%i] : f32, !tile.global<?xf32>
  }
  tile.return
}

// -----

// Tests that what all iterations have in common is computed once, and that
// differences of loop indices are understood.
// CHECK-LABEL: @uniform_parts
// CHECK-SAME: %[[N:arg1]]: i64
// CHECK: %[[BASE:.+]] = arith.muli %[[N]], %{{.+}} : i64
// CHECK: %[[CORNER:.+]] = arith.subi %{{.+}}, %[[N]]
// CHECK: tile.load %{{.+}}[%[[BASE]], %[[CORNER]]] : !tile.global<?x?xf32> -> tensor<16xf32>
// CHECK-NOT: tile.parallel
tile.kernel @uniform_parts(
    %A: !tile.global<?x?xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "in", tile.dims = ["N", "N"]},
    %n: i64 {tile.name = "n", tile.dtype = "int64"},
    %C: !tile.global<?xf32> {tile.name = "C", tile.dtype = "f32", tile.access = "out", tile.dims = ["N"]})
    attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %c0 = arith.constant 0 : i64
  %c16 = arith.constant 16 : i64
  %zero = arith.constant dense<0.0> : tensor<16xf32>
  %r = tile.parallel (%i) in (16) init(%zero : tensor<16xf32>) {
    %row = arith.muli %n, %c16 : i64
    %column = arith.subi %i, %n : i64
    %x = tile.load_element %A[%row, %column] : !tile.global<?x?xf32> -> f32
    tile.yield %x : f32
  }
  tile.store %r, %C[%c0] : tensor<16xf32>, !tile.global<?xf32>
  tile.return
}

// -----

// Tests that a fragment read beyond the loop's shape keeps the loop.
// CHECK-LABEL: @part_of_a_fragment
// CHECK: tile.parallel
tile.kernel @part_of_a_fragment(%C: !tile.global<?xf32> {tile.name = "C", tile.dtype = "f32", tile.access = "inout", tile.dims = ["N"]})
    attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %c0 = arith.constant 0 : i64
  %x = tile.load %C[%c0] : !tile.global<?xf32> -> tensor<32xf32>
  %zero = arith.constant dense<0.0> : tensor<16xf32>
  %r = tile.parallel (%i) in (16) init(%zero : tensor<16xf32>) {
    %e = tile.element %x[%i] : tensor<32xf32>
    tile.yield %e : f32
  }
  tile.store %r, %C[%c0] : tensor<16xf32>, !tile.global<?xf32>
  tile.return
}

// -----

// Tests that the pass also folds, merges and removes what is not used.
// CHECK-LABEL: @simplified
// CHECK-DAG: %[[ONE:.+]] = arith.constant dense<1.000000e+00> : tensor<16xf32>
// CHECK-DAG: arith.constant 0 : i64
// CHECK-NOT: tile.alloc_shared
// CHECK-NOT: tile.load
// CHECK: tile.store %[[ONE]]
// CHECK-NEXT: tile.return
tile.kernel @simplified(%C: !tile.global<?xf32> {tile.name = "C", tile.dtype = "f32", tile.access = "inout", tile.dims = ["N"]})
    attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %t = tile.alloc_shared : !tile.shared<16xf32>
  %zero = arith.constant 0 : i64
  %c0 = arith.muli %zero, %zero : i64
  %one = arith.constant 1.0 : f32
  %x = tile.broadcast %one : f32 -> tensor<16xf32>
  %unused = tile.load %C[%c0] : !tile.global<?xf32> -> tensor<16xf32>
  tile.store %x, %C[%c0] : tensor<16xf32>, !tile.global<?xf32>
  tile.return
}
