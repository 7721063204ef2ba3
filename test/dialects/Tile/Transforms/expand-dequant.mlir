// RUN: tile-opt %s --tile-expand-dequant --split-input-file | FileCheck %s

// Tests that where only the product rounds in the type of the result, all is
// done there, and that the entries are converted before they are spread.
// CHECK: #[[$GROUPS:.+]] = affine_map<(d0, d1) -> (d0, d1 floordiv 32)>
// CHECK-LABEL: tile.kernel @in_the_type_of_the_result
// CHECK: %[[Q:.+]] = tile.load %[[BS:.+]] : !tile.shared<64x64xi4, pack = 1> -> tensor<64x64xi4>
// CHECK: %[[X:.+]] = tile.cast %[[Q]] {source_unsigned} : tensor<64x64xi4> -> tensor<64x64xbf16>
// CHECK: %[[ZS:.+]] = tile.load
// CHECK: %[[ZC:.+]] = tile.cast %[[ZS]] {source_unsigned} : tensor<64x2xi4> -> tensor<64x2xbf16>
// CHECK: %[[Z:.+]] = tile.reindex %[[ZC]] by #[[$GROUPS]] : tensor<64x2xbf16> -> tensor<64x64xbf16>
// CHECK: %[[D:.+]] = arith.subf %[[X]], %[[Z]]
// CHECK: %[[SS:.+]] = tile.load
// CHECK: %[[S:.+]] = tile.reindex %[[SS]] by #[[$GROUPS]]
// CHECK: %[[W:.+]] = arith.mulf %[[D]], %[[S]] : tensor<64x64xbf16>
// CHECK: tile.gemm %{{.+}}, %[[W]],
tile.kernel @in_the_type_of_the_result() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %as = tile.alloc_shared "As" : !tile.shared<64x64xbf16>
  %bs = tile.alloc_shared "Bs" : !tile.shared<64x64xi4, pack = 1>
  %ss = tile.alloc_shared "Ss" : !tile.shared<64x2xbf16>
  %zs = tile.alloc_shared "Zs" : !tile.shared<64x2xi4, pack = 1>
  %acc = arith.constant dense<0.0> : tensor<64x64xf32>
  %w = tile.dequant %bs scale %ss zero %zs {dim = 1 : i64, group = 32 : i64, unsigned_source, unsigned_zero} : !tile.shared<64x64xi4, pack = 1>, !tile.shared<64x2xbf16> zero !tile.shared<64x2xi4, pack = 1> -> tensor<64x64xbf16>
  %r = tile.gemm %as, %w, %acc {transpose_b} : !tile.shared<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
  tile.return
}

// -----

// Tests that a scale which the result's type does not hold is multiplied in
// f32, and the value rounded once: 2^127 is no f16.
// CHECK-LABEL: tile.kernel @wider_scale
// CHECK: tile.cast %{{.+}} : tensor<64x64xf4E2M1FN> -> tensor<64x64xf32>
// CHECK: tile.cast %{{.+}} : tensor<2x64xf8E8M0FNU> -> tensor<2x64xf32>
// CHECK: %[[W:.+]] = arith.mulf %{{.+}} : tensor<64x64xf32>
// CHECK: tile.cast %[[W]] : tensor<64x64xf32> -> tensor<64x64xf16>
// CHECK-LABEL: tile.kernel @same_scale_in_bf16
// CHECK: tile.cast %{{.+}} : tensor<64x64xf4E2M1FN> -> tensor<64x64xbf16>
// CHECK: tile.cast %{{.+}} : tensor<2x64xf8E8M0FNU> -> tensor<2x64xbf16>
// CHECK: arith.mulf %{{.+}} : tensor<64x64xbf16>
tile.kernel @wider_scale() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %bs = tile.alloc_shared "Bs" : !tile.shared<64x64xf4E2M1FN, pack = 0>
  %ss = tile.alloc_shared "Ss" : !tile.shared<2x64xf8E8M0FNU>
  %w = tile.dequant %bs scale %ss {dim = 0 : i64, group = 32 : i64} : !tile.shared<64x64xf4E2M1FN, pack = 0>, !tile.shared<2x64xf8E8M0FNU> -> tensor<64x64xf16>
  %s = tile.alloc_shared "W" : !tile.shared<64x64xf16>
  tile.store %w, %s : tensor<64x64xf16>, !tile.shared<64x64xf16>
  tile.return
}
tile.kernel @same_scale_in_bf16() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %bs = tile.alloc_shared "Bs" : !tile.shared<64x64xf4E2M1FN, pack = 0>
  %ss = tile.alloc_shared "Ss" : !tile.shared<2x64xf8E8M0FNU>
  %w = tile.dequant %bs scale %ss {dim = 0 : i64, group = 32 : i64} : !tile.shared<64x64xf4E2M1FN, pack = 0>, !tile.shared<2x64xf8E8M0FNU> -> tensor<64x64xbf16>
  %s = tile.alloc_shared "W" : !tile.shared<64x64xbf16>
  tile.store %w, %s : tensor<64x64xbf16>, !tile.shared<64x64xbf16>
  tile.return
}

// -----

// Tests that differences which have more bits than the result are left to f32:
// -128 - 255 is no bf16.  A zero-point known to be 8 is no such case.
// CHECK-LABEL: tile.kernel @wide_difference
// CHECK: arith.subf %{{.+}} : tensor<16x64xf32>
// CHECK: tile.cast %{{.+}} : tensor<16x64xf32> -> tensor<16x64xbf16>
// CHECK-LABEL: tile.kernel @constant_zero
// CHECK: tile.broadcast %{{.+}} : bf16 -> tensor<16x64xbf16>
// CHECK: arith.subf %{{.+}} : tensor<16x64xbf16>
tile.kernel @wide_difference() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %bs = tile.alloc_shared "Bs" : !tile.shared<16x64xi8>
  %zs = tile.alloc_shared "Zs" : !tile.shared<16xi8>
  %w = tile.dequant %bs zero %zs {dim = 1 : i64, unsigned_zero} : !tile.shared<16x64xi8> zero !tile.shared<16xi8> -> tensor<16x64xbf16>
  %s = tile.alloc_shared "W" : !tile.shared<16x64xbf16>
  tile.store %w, %s : tensor<16x64xbf16>, !tile.shared<16x64xbf16>
  tile.return
}
tile.kernel @constant_zero() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %bs = tile.alloc_shared "Bs" : !tile.shared<16x64xi8>
  %z = arith.constant 8 : i32
  %w = tile.dequant %bs zero %z {dim = 1 : i64} : !tile.shared<16x64xi8> zero i32 -> tensor<16x64xbf16>
  %s = tile.alloc_shared "W" : !tile.shared<16x64xbf16>
  tile.store %w, %s : tensor<16x64xbf16>, !tile.shared<16x64xbf16>
  tile.return
}

// -----

// Tests that zero-points of 32 bits are subtracted as integers, those of 64
// bits in f64.
// CHECK-LABEL: tile.kernel @int32_zero
// CHECK: %[[D:.+]] = arith.subi %{{.+}} : tensor<16x64xi64>
// CHECK: tile.cast %[[D]] : tensor<16x64xi64> -> tensor<16x64xf32>
// CHECK-LABEL: tile.kernel @double_zero
// CHECK: arith.subf %{{.+}} : tensor<16x64xf64>
// CHECK: arith.mulf %{{.+}} : tensor<16x64xf64>
tile.kernel @int32_zero() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %bs = tile.alloc_shared "Bs" : !tile.shared<16x64xi8>
  %zs = tile.alloc_shared "Zs" : !tile.shared<16x1xi32>
  %w = tile.dequant %bs zero %zs {dim = 1 : i64, group = 64 : i64} : !tile.shared<16x64xi8> zero !tile.shared<16x1xi32> -> tensor<16x64xf32>
  %s = tile.alloc_shared "W" : !tile.shared<16x64xf32>
  tile.store %w, %s : tensor<16x64xf32>, !tile.shared<16x64xf32>
  tile.return
}
tile.kernel @double_zero(%x: f32 {tile.name = "x", tile.dtype = "f32"}, %z: f64 {tile.name = "z", tile.dtype = "f64"}) attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %bs = tile.alloc_shared "Bs" : !tile.shared<16x64xi8>
  %w = tile.dequant %bs scale %x zero %z {dim = 1 : i64} : !tile.shared<16x64xi8>, f32 zero f64 -> tensor<16x64xf32>
  %s = tile.alloc_shared "W" : !tile.shared<16x64xf32>
  tile.store %w, %s : tensor<16x64xf32>, !tile.shared<16x64xf32>
  tile.return
}

// -----

// Tests that groups of other sizes than powers of two are looked up, and that
// there is nothing to look up where one group covers the tile.
// CHECK-LABEL: tile.kernel @groups_of_24
// CHECK: tile.parallel (%[[I:.+]], %[[J:.+]]) in (16, 48)
// CHECK: %[[G:.+]] = arith.divui %[[J]], %{{.+}} : i64
// CHECK: tile.load_element %{{.+}}[%[[I]], %[[G]]] : !tile.shared<16x2xf32>
// CHECK-LABEL: tile.kernel @one_group
// CHECK-NOT: tile.parallel
// CHECK: tile.reindex
tile.kernel @groups_of_24() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %bs = tile.alloc_shared "Bs" : !tile.shared<16x48xi8>
  %ss = tile.alloc_shared "Ss" : !tile.shared<16x2xf32>
  %w = tile.dequant %bs scale %ss {dim = 1 : i64, group = 24 : i64} : !tile.shared<16x48xi8>, !tile.shared<16x2xf32> -> tensor<16x48xf32>
  %s = tile.alloc_shared "W" : !tile.shared<16x48xf32>
  tile.store %w, %s : tensor<16x48xf32>, !tile.shared<16x48xf32>
  tile.return
}
tile.kernel @one_group() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %bs = tile.alloc_shared "Bs" : !tile.shared<16x48xi8>
  %ss = tile.alloc_shared "Ss" : !tile.shared<1x1xf32>
  %w = tile.dequant %bs scale %ss {dim = 1 : i64, group = 96 : i64} : !tile.shared<16x48xi8>, !tile.shared<1x1xf32> -> tensor<16x48xf32>
  %s = tile.alloc_shared "W" : !tile.shared<16x48xf32>
  tile.store %w, %s : tensor<16x48xf32>, !tile.shared<16x48xf32>
  tile.return
}

// -----

// Tests that beside bytes each group is a product of numbers as they are
// stored, and that its sum is multiplied by the scales of its columns.
// CHECK-DAG: #[[$COLUMN:.+]] = affine_map<(d0, d1) -> (d1, 0)>
// CHECK-LABEL: tile.kernel @beside_bytes
// CHECK: %[[SUM:.+]] = tile.gemm %[[A:.+]], %[[B:.+]], %{{.+}} {k_range = array<i64: 0, 32>, transpose_b, unsigned_b} : !tile.shared<64x64xi8>, !tile.shared<64x64xi4, pack = 1>, tensor<64x64xi32>
// CHECK: %[[F:.+]] = tile.cast %[[SUM]] : tensor<64x64xi32> -> tensor<64x64xf32>
// CHECK: %[[S:.+]] = tile.reindex %{{.+}} by #[[$COLUMN]] : tensor<64x1xf32> -> tensor<64x64xf32>
// CHECK: math.fma %[[F]], %[[S]]
// CHECK: tile.gemm %[[A]], %[[B]], %{{.+}} {k_range = array<i64: 32, 64>
// CHECK-NOT: tile.dequant
tile.kernel @beside_bytes() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %as = tile.alloc_shared "As" : !tile.shared<64x64xi8>
  %bs = tile.alloc_shared "Bs" : !tile.shared<64x64xi4, pack = 1>
  %ss = tile.alloc_shared "Ss" : !tile.shared<64x2xf16>
  %acc = arith.constant dense<1.0> : tensor<64x64xf32>
  %w = tile.dequant %bs scale %ss {dim = 1 : i64, group = 32 : i64, unsigned_source} : !tile.shared<64x64xi4, pack = 1>, !tile.shared<64x2xf16> -> tensor<64x64xf32>
  %r = tile.gemm %as, %w, %acc {transpose_b} : !tile.shared<64x64xi8>, tensor<64x64xf32>, tensor<64x64xf32>
  tile.return
}

// -----

// Tests that differences which have a type of 8 bits are the operand: int8
// beside integers, e4m3 beside 8-bit floats.  Without a scale there are no
// groups.
// CHECK-LABEL: tile.kernel @difference
// CHECK: %[[D:.+]] = arith.subi %{{.+}} : tensor<64x64xi8>
// CHECK: tile.gemm %{{.+}}, %[[D]], %{{.+}} {transpose_b} : !tile.shared<64x64xi8>, tensor<64x64xi8>, tensor<64x64xi32>
// CHECK-LABEL: tile.kernel @difference_of_floats
// CHECK: %[[D:.+]] = arith.subi %{{.+}} : tensor<64x64xi8>
// CHECK: %[[F:.+]] = tile.cast %[[D]] : tensor<64x64xi8> -> tensor<64x64xf8E4M3FN>
// CHECK: tile.gemm %{{.+}}, %[[F]], %{{.+}} {transpose_b} : !tile.shared<64x64xf8E5M2>, tensor<64x64xf8E4M3FN>, tensor<64x64xf32>
tile.kernel @difference() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %as = tile.alloc_shared "As" : !tile.shared<64x64xi8>
  %bs = tile.alloc_shared "Bs" : !tile.shared<64x64xi4, pack = 1>
  %zs = tile.alloc_shared "Zs" : !tile.shared<64x2xi4, pack = 1>
  %acc = arith.constant dense<1> : tensor<64x64xi32>
  %w = tile.dequant %bs zero %zs {dim = 1 : i64, group = 32 : i64, unsigned_source, unsigned_zero} : !tile.shared<64x64xi4, pack = 1> zero !tile.shared<64x2xi4, pack = 1> -> tensor<64x64xi32>
  %r = tile.gemm %as, %w, %acc {transpose_b} : !tile.shared<64x64xi8>, tensor<64x64xi32>, tensor<64x64xi32>
  tile.return
}
tile.kernel @difference_of_floats() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %as = tile.alloc_shared "As" : !tile.shared<64x64xf8E5M2>
  %bs = tile.alloc_shared "Bs" : !tile.shared<64x64xi4, pack = 1>
  %z = arith.constant 8 : i32
  %s = arith.constant 0.5 : f32
  %acc = arith.constant dense<1.0> : tensor<64x64xf32>
  %w = tile.dequant %bs scale %s zero %z {dim = 1 : i64, unsigned_source} : !tile.shared<64x64xi4, pack = 1>, f32 zero i32 -> tensor<64x64xf32>
  %r = tile.gemm %as, %w, %acc {transpose_b} : !tile.shared<64x64xf8E5M2>, tensor<64x64xf32>, tensor<64x64xf32>
  tile.return
}

// -----

// Tests that other zero-points are taken from the sum, times the sum of the
// other operand, which is a product with ones; in 64 bits, which hold it.
// CHECK-LABEL: tile.kernel @zero_in_the_sum
// CHECK: %[[ONE:.+]] = arith.constant dense<1> : tensor<64x64xi8>
// CHECK: tile.store %[[ONE]], %[[ONES:.+]] :
// CHECK: %[[P:.+]] = tile.gemm %[[A:.+]], %{{.+}}, %[[NONE:.+]] {
// CHECK: %[[Z:.+]] = tile.reindex %{{.+}} : tensor<64xi64> -> tensor<64x64xi64>
// CHECK: %[[T:.+]] = tile.gemm %[[A]], %[[ONES]], %[[NONE]] {
// CHECK: %[[PL:.+]] = tile.cast %[[P]] : tensor<64x64xi32> -> tensor<64x64xi64>
// CHECK: %[[TL:.+]] = tile.cast %[[T]] : tensor<64x64xi32> -> tensor<64x64xi64>
// CHECK: %[[TZ:.+]] = arith.muli %[[TL]], %[[Z]]
// CHECK: %[[D:.+]] = arith.subi %[[PL]], %[[TZ]]
// CHECK: tile.cast %[[D]] : tensor<64x64xi64> -> tensor<64x64xf32>
tile.kernel @zero_in_the_sum(%s: f32 {tile.name = "s", tile.dtype = "f32"}) attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %as = tile.alloc_shared "As" : !tile.shared<64x64xi8>
  %bs = tile.alloc_shared "Bs" : !tile.shared<64x64xi8>
  %zs = tile.alloc_shared "Zs" : !tile.shared<64xi32>
  %acc = arith.constant dense<1.0> : tensor<64x64xf32>
  %w = tile.dequant %bs scale %s zero %zs {dim = 1 : i64} : !tile.shared<64x64xi8>, f32 zero !tile.shared<64xi32> -> tensor<64x64xf32>
  %r = tile.gemm %as, %w, %acc {transpose_b} : !tile.shared<64x64xi8>, tensor<64x64xf32>, tensor<64x64xf32>
  tile.return
}

// -----

// Tests that a tile which is written before the product is read where the
// dequantisation stands.
// CHECK-LABEL: tile.kernel @written_later
// CHECK: %[[Q:.+]] = tile.load %[[BS:.+]] : !tile.shared<64x64xi8> -> tensor<64x64xi8>
// CHECK: tile.store %{{.+}}, %[[BS]]
// CHECK: tile.gemm %{{.+}}, %[[Q]],
tile.kernel @written_later(%s: f32 {tile.name = "s", tile.dtype = "f32"}) attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %as = tile.alloc_shared "As" : !tile.shared<64x64xi8>
  %bs = tile.alloc_shared "Bs" : !tile.shared<64x64xi8>
  %acc = arith.constant dense<1.0> : tensor<64x64xf32>
  %w = tile.dequant %bs scale %s {dim = 1 : i64} : !tile.shared<64x64xi8>, f32 -> tensor<64x64xf32>
  %zero = arith.constant dense<0> : tensor<64x64xi8>
  tile.store %zero, %bs : tensor<64x64xi8>, !tile.shared<64x64xi8>
  %r = tile.gemm %as, %w, %acc {transpose_b} : !tile.shared<64x64xi8>, tensor<64x64xf32>, tensor<64x64xf32>
  tile.return
}
