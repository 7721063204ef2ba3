// RUN: tile-opt %s --canonicalize --allow-unregistered-dialect | FileCheck %s

// Tests that a constant is repeated while compiling, also through index maps.
// CHECK-LABEL: @constants
// CHECK-DAG: %[[TILE:.+]] = arith.constant dense<1.000000e+00> : tensor<16x8xf32>
// CHECK-DAG: %[[ROW:.+]] = arith.constant dense<2.000000e+00> : tensor<16x8xf32>
// CHECK: "test.use"(%[[TILE]], %[[ROW]])
tile.kernel @constants() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %one = arith.constant 1.0 : f32
  %twos = arith.constant dense<2.0> : tensor<8xf32>
  %0 = tile.broadcast %one : f32 -> tensor<16x8xf32>
  %1 = tile.reindex %twos by affine_map<(d0, d1) -> (d1)> : tensor<8xf32> -> tensor<16x8xf32>
  "test.use"(%0, %1) : (tensor<16x8xf32>, tensor<16x8xf32>) -> ()
  tile.return
}

// Tests that ops which change nothing go away.
// CHECK-LABEL: @identities
// CHECK-NEXT: %[[X:.+]] = "test.value"
// CHECK-NEXT: "test.use"(%[[X]], %[[X]], %[[X]])
tile.kernel @identities() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %x = "test.value"() : () -> tensor<16x8xi8>
  %0 = tile.reindex %x by affine_map<(d0, d1) -> (d0, d1)> : tensor<16x8xi8> -> tensor<16x8xi8>
  %1 = tile.cast %x : tensor<16x8xi8> -> tensor<16x8xi8>
  %2 = tile.convert_layout %x : tensor<16x8xi8> -> tensor<16x8xi8>
  "test.use"(%0, %1, %2) : (tensor<16x8xi8>, tensor<16x8xi8>, tensor<16x8xi8>) -> ()
  tile.return
}

// Tests that ops which do change something stay: a transpose of a square, a
// change of layout, and a clamp from signed to unsigned.
// CHECK-LABEL: @changes
// CHECK: tile.reindex
// CHECK: tile.cast
// CHECK: tile.convert_layout
tile.kernel @changes() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %x = "test.value"() : () -> tensor<8x8xi8>
  %y = "test.value"() : () -> tensor<32xf32, #tile.layout<"32 registers=[] lanes=[[1],[2],[4],[8],[16]] warps=[]">>
  %0 = tile.reindex %x by affine_map<(d0, d1) -> (d1, d0)> : tensor<8x8xi8> -> tensor<8x8xi8>
  %1 = tile.cast %x {mode = "sat", result_unsigned} : tensor<8x8xi8> -> tensor<8x8xi8>
  %2 = tile.convert_layout %y : tensor<32xf32, #tile.layout<"32 registers=[] lanes=[[1],[2],[4],[8],[16]] warps=[]">> -> tensor<32xf32, #tile.layout<"32 registers=[] lanes=[[16],[8],[4],[2],[1]] warps=[]">>
  "test.use"(%0, %1, %2) : (tensor<8x8xi8>, tensor<8x8xi8>, tensor<32xf32, #tile.layout<"32 registers=[] lanes=[[16],[8],[4],[2],[1]] warps=[]">>) -> ()
  tile.return
}

// Tests that changes of shape that change nothing vanish, and that a constant
// keeps its value in another shape.
// CHECK-LABEL: tile.kernel @no_change
// CHECK-SAME: {
// CHECK-DAG: %[[X:.+]] = "test.values"
// CHECK-DAG: %[[C:.+]] = arith.constant dense<1.000000e+00> : tensor<8x4xf32>
// CHECK-DAG: %[[D:.+]] = arith.constant dense<1.000000e+00> : tensor<128xf32>
// CHECK-NEXT: "test.use"(%[[X]], %[[X]], %[[X]], %[[D]], %[[C]])
tile.kernel @no_change() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %x = "test.values"() : () -> (tensor<16x8xf32>)
  %one = arith.constant dense<1.0> : tensor<16x8xf32>
  %0 = tile.reshape %x : tensor<16x8xf32> -> tensor<16x8xf32>
  %1 = tile.reinterpret %x : tensor<16x8xf32> -> tensor<16x8xf32>
  %2 = tile.part %x [0, 0] : tensor<16x8xf32> -> tensor<16x8xf32>
  %3 = tile.reshape %one : tensor<16x8xf32> -> tensor<128xf32>
  %4 = tile.part %one [8, 0] : tensor<16x8xf32> -> tensor<8x4xf32>
  "test.use"(%0, %1, %2, %3, %4) : (tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>, tensor<128xf32>, tensor<8x4xf32>) -> ()
  tile.return
}
