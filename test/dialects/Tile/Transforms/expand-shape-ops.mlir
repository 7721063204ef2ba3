// RUN: tile-opt %s --tile-expand-shape-ops --split-input-file | FileCheck %s

// Tests that one iteration reduces one row.
// CHECK-LABEL: tile.kernel @rows
// CHECK: tile.parallel (%[[I:.+]]) in (8) init
// CHECK: tile.element %{{.+}}[%[[I]], %{{.+}}]
// CHECK: scf.for
// CHECK: arith.maxnumf
tile.kernel @rows(%x: f32 {tile.name = "x", tile.dtype = "f32"}) attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %t = tile.broadcast %x : f32 -> tensor<8x16xf32>
  %m = tile.reduce max %t dim 1 : tensor<8x16xf32> -> tensor<8xf32>
  tile.return
}

// -----

// Tests that a full sum is made in its own type, by every thread in the end.
// CHECK-LABEL: tile.kernel @all
// CHECK: tile.parallel (%{{.+}}) in (8)
// CHECK: tile.cast %{{.+}} : bf16 -> f32
// CHECK: arith.addf
// CHECK: tile.alloc_shared "reduction" : <8xf32>
// CHECK: scf.for
// CHECK: tile.load_element
tile.kernel @all(%x: bf16 {tile.name = "x", tile.dtype = "bf16"}) attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %t = tile.broadcast %x : bf16 -> tensor<8x16xbf16>
  %m = tile.reduce sum %t : tensor<8x16xbf16> -> f32
  tile.return
}

// -----

// Tests that an atomic outside element loops is done by one thread, which hands
// the old value on; where nobody asks for it, it is not handed on.
// CHECK-LABEL: tile.kernel @slot
// CHECK: tile.parallel (%{{.+}}) in (1)
// CHECK: tile.atomic_element add
// CHECK: tile.store_element
// CHECK: tile.load_element
// CHECK: tile.parallel (%{{.+}}) in (1)
// CHECK: tile.atomic_element max
// CHECK-NOT: tile.store_element
// CHECK: tile.return
tile.kernel @slot(%A: !tile.global<?xi32> {tile.name = "A", tile.dtype = "int32", tile.access = "inout", tile.dims = ["N"]}) attributes {symbols = [{name = "N", param = 0 : i64, dim = 0 : i64}], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c0 = arith.constant 0 : i64
  %one = arith.constant 1 : i32
  %old = tile.atomic_element add %one, %A[%c0] : i32, !tile.global<?xi32>
  %unused = tile.atomic_element max %old, %A[%c0] : i32, !tile.global<?xi32>
  tile.return
}
