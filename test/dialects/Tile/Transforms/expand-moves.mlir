// RUN: tile-opt %s --tile-expand-moves --split-input-file | FileCheck %s

// Tests that a copy out of a shared tile becomes a load and a store, and that a
// copy of a whole tile from global memory stays.
// CHECK-LABEL: tile.kernel @copies
// CHECK: tile.copy %{{.+}}[%{{.+}}, %{{.+}}] to
// CHECK: %[[V:.+]] = tile.load %{{.+}} : !tile.shared<8x8xf32> -> tensor<8x8xf32>
// CHECK: tile.store %[[V]], %{{.+}}[
tile.kernel @copies(%A: !tile.global<?x?xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "inout", tile.dims = ["M", "N"]}) attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "N", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c0 = arith.constant 0 : i64
  %s = tile.alloc_shared "S" : !tile.shared<8x8xf32>
  tile.copy %A[%c0, %c0] to %s : !tile.global<?x?xf32>, !tile.shared<8x8xf32>
  tile.copy %s to %A[%c0, %c0] : !tile.shared<8x8xf32>, !tile.global<?x?xf32>
  tile.return
}

// -----

// Tests that parts at run-time places become slices where they are aligned, and
// element loops where not; constant aligned places stay.
// CHECK-LABEL: tile.kernel @parts
// CHECK: tile.load %[[S:.+]][%{{.+}}, %{{.+}}] : !tile.shared<32x64xf16> -> tensor<16x16xf16>
// CHECK: tile.slice %[[S]][%[[N:.+]], %{{.+}}] : <32x64xf16> -> <16x64xf16>
// CHECK: tile.parallel
// CHECK: tile.load_element %[[S]]
// CHECK: tile.parallel
// CHECK: tile.store_element %{{.+}}, %[[S]]
tile.kernel @parts(%n: i64 {tile.name = "n", tile.dtype = "int64"}) attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c0 = arith.constant 0 : i64
  %c16 = arith.constant 16 : i64
  %s = tile.alloc_shared "S" : !tile.shared<32x64xf16>
  %a = tile.load %s[%c16, %c16] : !tile.shared<32x64xf16> -> tensor<16x16xf16>
  %b = tile.load %s[%n, %c0] : !tile.shared<32x64xf16> -> tensor<16x64xf16>
  %c = tile.load %s[%c0, %n] : !tile.shared<32x64xf16> -> tensor<16x8xf16>
  tile.store %c, %s[%n, %n] : tensor<16x8xf16>, !tile.shared<32x64xf16>
  tile.return
}

// -----

// Tests that a column at a constant place is read as it is, aligned or not, and
// that elements are written one by one there.
// CHECK-LABEL: tile.kernel @column
// CHECK: tile.load %[[S:.+]][%{{.+}}, %{{.+}}] : !tile.shared<32x4xf32> -> tensor<32x1xf32>
// CHECK: tile.store_element %{{.+}}, %[[S]]
tile.kernel @column() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  %s = tile.alloc_shared "S" : !tile.shared<32x4xf32>
  %a = tile.load %s[%c0, %c1] : !tile.shared<32x4xf32> -> tensor<32x1xf32>
  tile.store %a, %s[%c0, %c2] : tensor<32x1xf32>, !tile.shared<32x4xf32>
  tile.return
}

// -----

// Tests that each byte of a packed tensor is written by one iteration where the
// tile may begin inside one.
// CHECK-LABEL: tile.kernel @nibbles
// CHECK: %[[S:.+]] = tile.alloc_shared "nibbles" : <8x16xi8>
// CHECK: tile.parallel (%{{.+}}, %{{.+}}) in (8, 9)
// CHECK: tile.store_pair %{{.+}} if %{{.+}}, %{{.+}} if %{{.+}}, %{{.+}}[
tile.kernel @nibbles(%A: !tile.global<?x?xi4, pack = 1> {tile.name = "A", tile.dtype = "int4", tile.access = "out", tile.dims = ["M", "N"]}, %n: i64 {tile.name = "n", tile.dtype = "int64"}) attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "N", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c0 = arith.constant 0 : i64
  %x = arith.constant dense<3> : tensor<8x16xi4>
  tile.store %x, %A[%c0, %n] : tensor<8x16xi4>, !tile.global<?x?xi4, pack = 1>
  tile.return
}

// -----

// Tests that an odd extent makes a last byte of one element, in shared memory
// too, and that bits of fp4 move as they are.
// CHECK-LABEL: tile.kernel @odd_extent
// CHECK: tile.parallel (%{{.+}}, %{{.+}}) in (4, 16)
// CHECK: arith.bitcast %{{.+}} : i4 to f4E2M1FN
// CHECK: tile.store_pair
tile.kernel @odd_extent() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %s = tile.alloc_shared "S" : !tile.shared<7x16xf4E2M1FN, pack = 0>
  %x = arith.constant dense<1.0> : tensor<7x16xf4E2M1FN>
  tile.store %x, %s : tensor<7x16xf4E2M1FN>, !tile.shared<7x16xf4E2M1FN, pack = 0>
  tile.return
}

// -----

// Tests that a store of whole bytes stays, wherever it goes.
// CHECK-LABEL: tile.kernel @whole_bytes
// CHECK-NOT: tile.parallel
// CHECK: tile.store %{{.+}}, %{{.+}}[
tile.kernel @whole_bytes(%A: !tile.global<?x?xi4, pack = 0> {tile.name = "A", tile.dtype = "int4", tile.access = "out", tile.dims = ["M", "N"]}, %n: i64 {tile.name = "n", tile.dtype = "int64"}) attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "N", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c2 = arith.constant 2 : i64
  %x = arith.constant dense<3> : tensor<8x15xi4>
  tile.store %x, %A[%c2, %n] : tensor<8x15xi4>, !tile.global<?x?xi4, pack = 0>
  tile.return
}

// -----

// Tests that a part that is a tile of its own stays.
// CHECK-LABEL: tile.kernel @tile_of_its_own
// CHECK: %[[P:.+]] = tile.slice
// CHECK: tile.load %[[P]] : !tile.shared<16x64xf16> -> tensor<16x64xf16>
tile.kernel @tile_of_its_own(%n: i64 {tile.name = "n", tile.dtype = "int64"}) attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c0 = arith.constant 0 : i64
  %s = tile.alloc_shared "S" : !tile.shared<32x64xf16>
  %p = tile.slice %s[%n, %c0] : !tile.shared<32x64xf16> -> !tile.shared<16x64xf16>
  %a = tile.load %p : !tile.shared<16x64xf16> -> tensor<16x64xf16>
  tile.return
}

// -----

// Tests that uses of any other part are uses of the tile around it: a part that
// lacks an inner dimension, and a part of that.
// CHECK-LABEL: tile.kernel @inner_dimension
// CHECK: %[[S:.+]] = tile.alloc_shared
// CHECK-NOT: tile.slice
// CHECK: tile.load_element %[[S]][%{{.+}}, %arg0, %{{.+}}] : !tile.shared<4x8x16xf16> -> f16
// CHECK: tile.store_element %{{.+}}, %[[S]][%{{.+}}, %arg0, %{{.+}}]
// CHECK: tile.store_element %{{.+}}, %[[S]][%arg0, %arg0, %{{.+}}]
tile.kernel @inner_dimension(%n: i64 {tile.name = "n", tile.dtype = "int64"}) attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c0 = arith.constant 0 : i64
  %c3 = arith.constant 3 : i64
  %s = tile.alloc_shared "S" : !tile.shared<4x8x16xf16>
  %p = tile.slice %s[%c0, %n, %c0] {kept = array<i64: 0, 2>} : !tile.shared<4x8x16xf16> -> !tile.shared<4x16xf16>
  %a = tile.load %p : !tile.shared<4x16xf16> -> tensor<4x16xf16>
  tile.store %a, %p : tensor<4x16xf16>, !tile.shared<4x16xf16>
  %q = tile.slice %p[%n, %c3] : !tile.shared<4x16xf16> -> !tile.shared<4xf16>
  %b = arith.constant dense<1.0> : tensor<4xf16>
  tile.store %b, %q : tensor<4xf16>, !tile.shared<4xf16>
  tile.return
}

// -----

// Tests that a product reads a copy of such a part.
// CHECK-LABEL: tile.kernel @operand
// CHECK: %[[P:.+]] = tile.alloc_shared "part" : <16x16xf16>
// CHECK: tile.store %{{.+}}, %[[P]]
// CHECK: tile.gemm %[[P]],
tile.kernel @operand(%n: i64 {tile.name = "n", tile.dtype = "int64"}) attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c0 = arith.constant 0 : i64
  %acc = arith.constant dense<0.0> : tensor<16x8xf32>
  %s = tile.alloc_shared "S" : !tile.shared<16x32xf16>
  %b = tile.alloc_shared "B" : !tile.shared<16x8xf16>
  %p = tile.slice %s[%c0, %n] : !tile.shared<16x32xf16> -> !tile.shared<16x16xf16>
  %r = tile.gemm %p, %b, %acc : !tile.shared<16x16xf16>, !tile.shared<16x8xf16>, tensor<16x8xf32>
  tile.return
}

// -----

// Tests that an asynchronous copy into such a part is one of pieces of 4 bytes,
// under its condition.
// CHECK-LABEL: tile.kernel @async
// CHECK: scf.if %arg1
// CHECK: tile.parallel (%{{.+}}, %{{.+}}) in (4, 8)
// CHECK: tile.async_copy_elements %arg0[%{{.+}}, %{{.+}}] to %{{.+}}[%{{.+}}, %c3{{.*}}, %{{.+}}] count 2
tile.kernel @async(%A: !tile.global<?x?xf16> {tile.name = "A", tile.dtype = "f16", tile.access = "in", tile.dims = ["M", "K"]}, %p: i1 {tile.name = "p", tile.dtype = "bool"}) attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "K", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c0 = arith.constant 0 : i64
  %c3 = arith.constant 3 : i64
  %s = tile.alloc_shared "S" : !tile.shared<4x8x16xf16>
  %t = tile.slice %s[%c0, %c3, %c0] {kept = array<i64: 0, 2>} : !tile.shared<4x8x16xf16> -> !tile.shared<4x16xf16>
  tile.async_copy %A[%c0, %c0] to %t if %p : !tile.global<?x?xf16>, !tile.shared<4x16xf16>
  tile.return
}

// -----

// Tests that a ring takes the packed dimension of what its buffers are copied
// from.
// CHECK-LABEL: tile.kernel @packed_ring
// CHECK: tile.alloc_shared "S" : <2x32x32xi4, pack = 1>
// CHECK: tile.slice {{.*}} -> <32x32xi4, pack = 0>
tile.kernel @packed_ring(%A: !tile.global<?x?xi4, pack = 0> {tile.name = "A", tile.dtype = "int4", tile.access = "in", tile.dims = ["M", "K"]}, %n: i64 {tile.name = "n", tile.dtype = "int64"}) attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "K", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c0 = arith.constant 0 : i64
  %s = tile.alloc_shared "S" : !tile.shared<2x32x32xi4, pack = 2>
  %t = tile.slice %s[%n, %c0, %c0] : !tile.shared<2x32x32xi4, pack = 2> -> !tile.shared<32x32xi4, pack = 1>
  tile.copy %A[%c0, %c0] to %t : !tile.global<?x?xi4, pack = 0>, !tile.shared<32x32xi4, pack = 1>
  tile.return
}
