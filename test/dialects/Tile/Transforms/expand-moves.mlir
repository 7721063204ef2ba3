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

// Tests that elements of 4-bit floats are written the same way, by their bits.
// CHECK-LABEL: tile.kernel @fp4
// CHECK: arith.bitcast %{{.+}} : tensor<8x16xf4E2M1FN> to tensor<8x16xi4>
// CHECK: tile.parallel (%{{.+}}, %{{.+}}) in (8, 9)
// CHECK-COUNT-2: tile.store_element {{.*}}tile.owns_byte
tile.kernel @fp4(%A: !tile.global<?x?xf4E2M1FN, pack = 1> {tile.name = "A", tile.dtype = "fp4_e2m1", tile.access = "out", tile.dims = ["M", "N"]}, %x: f32 {tile.name = "x", tile.dtype = "f32"}) attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "N", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c0 = arith.constant 0 : i64
  %f = tile.cast %x : f32 -> f4E2M1FN
  %v = tile.broadcast %f : f4E2M1FN -> tensor<8x16xf4E2M1FN>
  tile.store %v, %A[%c0, %c0] : tensor<8x16xf4E2M1FN>, !tile.global<?x?xf4E2M1FN, pack = 1>
  tile.return
}
