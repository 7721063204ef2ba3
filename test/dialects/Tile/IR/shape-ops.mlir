// RUN: tile-opt %s --allow-unregistered-dialect | tile-opt --allow-unregistered-dialect | FileCheck %s

// CHECK-DAG: #[[$ROW:.+]] = affine_map<(d0, d1) -> (d1)>
// CHECK-DAG: #[[$COLUMN:.+]] = affine_map<(d0, d1) -> (d0, 0)>

// Tests the ops that give a fragment another shape.
// CHECK-LABEL: tile.kernel @shapes
// CHECK: %[[V:.+]]:3 = "test.values"
// CHECK: tile.broadcast %[[V]]#0 : i1 -> tensor<16x8xi1>
// CHECK: tile.reindex %[[V]]#1 by #[[$ROW]] : tensor<8xf32> -> tensor<16x8xf32>
// CHECK: tile.reindex %[[V]]#2 by #[[$COLUMN]] : tensor<16x1xf32> -> tensor<16x8xf32>
tile.kernel @shapes() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %x, %r, %c = "test.values"() : () -> (i1, tensor<8xf32>, tensor<16x1xf32>)
  %0 = tile.broadcast %x : i1 -> tensor<16x8xi1>
  %1 = tile.reindex %r by affine_map<(d0, d1) -> (d1)> : tensor<8xf32> -> tensor<16x8xf32>
  %2 = tile.reindex %c by affine_map<(d0, d1) -> (d0, 0)> : tensor<16x1xf32> -> tensor<16x8xf32>
  tile.return
}

// Tests conversions of scalars and fragments, with each option.
// CHECK-LABEL: tile.kernel @casts
// CHECK: tile.cast %{{.+}} : f32 -> f8E4M3FN
// CHECK: tile.cast %{{.+}} {mode = "nosat"} : tensor<16x8xf32> -> tensor<16x8xf8E5M2>
// CHECK: tile.cast %{{.+}} {mode = "sat", result_unsigned, source_unsigned} : tensor<16x8xi8> -> tensor<16x8xi4>
// CHECK: tile.cast %{{.+}} {mode = "up"} : f32 -> f8E8M0FNU
tile.kernel @casts() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %x, %f, %i = "test.values"() : () -> (f32, tensor<16x8xf32>, tensor<16x8xi8>)
  %0 = tile.cast %x : f32 -> f8E4M3FN
  %1 = tile.cast %f {mode = "nosat"} : tensor<16x8xf32> -> tensor<16x8xf8E5M2>
  %2 = tile.cast %i {mode = "sat", source_unsigned, result_unsigned} : tensor<16x8xi8> -> tensor<16x8xi4>
  %3 = tile.cast %x {mode = "up"} : f32 -> f8E8M0FNU
  tile.return
}

// Tests the change of a layout, repeats included.
// CHECK-LABEL: tile.kernel @layouts
// CHECK: tile.convert_layout %{{.+}} : tensor<96xf32, #tile.layout<"96 repeats={{\[\[}}0,3]] registers=[] lanes={{\[\[}}1],[2],[4],[8],[16]] warps=[]">> -> tensor<96xf32, #tile.layout<"96 repeats={{\[\[}}0,3]] registers=[] lanes={{\[\[}}16],[8],[4],[2],[1]] warps=[]">>
tile.kernel @layouts() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %x = "test.value"() : () -> tensor<96xf32, #tile.layout<"96 repeats=[[0,3]] registers=[] lanes=[[1],[2],[4],[8],[16]] warps=[]">>
  %0 = tile.convert_layout %x : tensor<96xf32, #tile.layout<"96 repeats=[[0,3]] registers=[] lanes=[[1],[2],[4],[8],[16]] warps=[]">> -> tensor<96xf32, #tile.layout<"96 repeats=[[0,3]] registers=[] lanes=[[16],[8],[4],[2],[1]] warps=[]">>
  tile.return
}
