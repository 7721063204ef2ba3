// RUN: tile-opt %s --tile-infer-layouts --split-input-file --verify-diagnostics | FileCheck %s

// Tests that an annotation binds, and that the stages of a ring have the
// swizzle of the whole.
// CHECK-LABEL: tile.kernel @ring
// CHECK: tile.alloc_shared "S" {{.*}} : <3x64x32xf16, #tile.shared_layout<swizzle = [2, 4, 3]>>
// CHECK: tile.slice {{.*}} -> <64x32xf16, #tile.shared_layout<swizzle = [2, 4, 3]>>
tile.kernel @ring(%n: i64 {tile.name = "n", tile.dtype = "int64"}) attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c0 = arith.constant 0 : i64
  %s = tile.alloc_shared "S" {annotation = #tile.shared_layout<swizzle = [2, 4, 3]>} : !tile.shared<3x64x32xf16>
  %p = tile.slice %s[%n, %c0, %c0] : !tile.shared<3x64x32xf16> -> !tile.shared<64x32xf16>
  tile.return
}

// -----

// Tests that a narrower part has the rows of the whole: the rest is padding.
// CHECK-LABEL: tile.kernel @columns
// CHECK: tile.slice {{.*}} -> <64x32xf16, #tile.shared_layout<swizzle = [0, 4, 3], padding = 64>>
tile.kernel @columns() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c0 = arith.constant 0 : i64
  %c32 = arith.constant 32 : i64
  %s = tile.alloc_shared "S" : !tile.shared<64x64xf16>
  %p = tile.slice %s[%c0, %c32] : !tile.shared<64x64xf16> -> !tile.shared<64x32xf16>
  tile.return
}

// -----

tile.kernel @torn(%n: i64 {tile.name = "n", tile.dtype = "int64"}) attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c0 = arith.constant 0 : i64
  %s = tile.alloc_shared "S" : !tile.shared<64x64xf16>
  // expected-error @+1 {{a part of a shared tile that is not known to start at a multiple of 16 bytes is not supported yet}}
  %p = tile.slice %s[%c0, %n] : !tile.shared<64x64xf16> -> !tile.shared<64x32xf16>
  tile.return
}

// -----

tile.kernel @inner(%n: i64 {tile.name = "n", tile.dtype = "int64"}) attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c0 = arith.constant 0 : i64
  %s = tile.alloc_shared "S" : !tile.shared<64x64xf16>
  // expected-error @+1 {{a part of a shared tile that leaves out an inner dimension is not supported yet}}
  %p = tile.slice %s[%c0, %n] {kept = array<i64: 0>} : !tile.shared<64x64xf16> -> !tile.shared<64xf16>
  tile.return
}

// -----

tile.kernel @annotation() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  // expected-error @+1 {{'S' cannot have the layout of its annotation: }}
  %s = tile.alloc_shared "S" {annotation = #tile.shared_layout<swizzle = [3, 4, 3]>} : !tile.shared<64x32xf16>
  tile.return
}
