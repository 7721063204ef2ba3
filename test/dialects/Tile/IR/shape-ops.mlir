// RUN: tile-opt %s --allow-unregistered-dialect | tile-opt --allow-unregistered-dialect | FileCheck %s

// CHECK-DAG: #[[$ROW:.+]] = affine_map<(d0, d1) -> (d1)>
// CHECK-DAG: #[[$COLUMN:.+]] = affine_map<(d0, d1) -> (d0, 0)>
// CHECK-DAG: #[[$GROUPS:.+]] = affine_map<(d0, d1) -> (d1 floordiv 4, d0)>

// Tests the ops that give a fragment another shape.
// CHECK-LABEL: tile.kernel @shapes
// CHECK: %[[V:.+]]:4 = "test.values"
// CHECK: tile.broadcast %[[V]]#0 : i1 -> tensor<16x8xi1>
// CHECK: tile.reindex %[[V]]#1 by #[[$ROW]] : tensor<8xf32> -> tensor<16x8xf32>
// CHECK: tile.reindex %[[V]]#2 by #[[$COLUMN]] : tensor<16x1xf32> -> tensor<16x8xf32>
// CHECK: tile.reindex %[[V]]#3 by #[[$GROUPS]] : tensor<3x16xf32> -> tensor<16x10xf32>
tile.kernel @shapes() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %x, %r, %c, %g = "test.values"() : () -> (i1, tensor<8xf32>, tensor<16x1xf32>, tensor<3x16xf32>)
  %0 = tile.broadcast %x : i1 -> tensor<16x8xi1>
  %1 = tile.reindex %r by affine_map<(d0, d1) -> (d1)> : tensor<8xf32> -> tensor<16x8xf32>
  %2 = tile.reindex %c by affine_map<(d0, d1) -> (d0, 0)> : tensor<16x1xf32> -> tensor<16x8xf32>
  %3 = tile.reindex %g by affine_map<(d0, d1) -> (d1 floordiv 4, d0)> : tensor<3x16xf32> -> tensor<16x10xf32>
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

// Tests reductions, scans and changes of shape.
// CHECK-LABEL: tile.kernel @reductions
// CHECK: %[[V:.+]]:3 = "test.values"
// CHECK: tile.reduce max %[[V]]#0 dim 1 : tensor<16x8xf32> -> tensor<16xf32>
// CHECK-NEXT: tile.reduce sum %[[V]]#1 {unsigned_source} : tensor<16x8xi8> -> i32
// CHECK-NEXT: tile.reduce absmax %[[V]]#2 dim 0 : tensor<8xbf16> -> bf16
// CHECK-NEXT: tile.scan sum %[[V]]#0 dim 0 {reverse} : tensor<16x8xf32> -> tensor<16x8xf32>
// CHECK-NEXT: tile.reshape %[[V]]#0 : tensor<16x8xf32> -> tensor<4x32xf32>
// CHECK-NEXT: tile.reinterpret %[[V]]#1 : tensor<16x8xi8> -> tensor<16x16xi4>
// CHECK-NEXT: tile.iota : tensor<8xi32>
// CHECK-NEXT: tile.part %[[V]]#0 [8, 0] : tensor<16x8xf32> -> tensor<8x4xf32>
// CHECK-NEXT: tile.annotate_layout %[[V]]#0, <"16x8 registers={{.+}} warps=[]"> : tensor<16x8xf32>
tile.kernel @reductions() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %x, %b, %h = "test.values"() : () -> (tensor<16x8xf32>, tensor<16x8xi8>, tensor<8xbf16>)
  %0 = tile.reduce max %x dim 1 : tensor<16x8xf32> -> tensor<16xf32>
  %1 = tile.reduce sum %b {unsigned_source} : tensor<16x8xi8> -> i32
  %2 = tile.reduce absmax %h dim 0 : tensor<8xbf16> -> bf16
  %3 = tile.scan sum %x dim 0 {reverse} : tensor<16x8xf32> -> tensor<16x8xf32>
  %4 = tile.reshape %x : tensor<16x8xf32> -> tensor<4x32xf32>
  %5 = tile.reinterpret %b : tensor<16x8xi8> -> tensor<16x16xi4>
  %6 = tile.iota : tensor<8xi32>
  %7 = tile.part %x [8, 0] : tensor<16x8xf32> -> tensor<8x4xf32>
  %8 = tile.annotate_layout %x, <"16x8 registers=[[0,1],[8,0]] lanes=[[0,2],[0,4],[1,0],[2,0],[4,0]] warps=[]"> : tensor<16x8xf32>
  tile.return
}

// Tests the same registers as another fragment.
// CHECK-LABEL: tile.kernel @relabelled
// CHECK: tile.relabel %{{.+}} : tensor<1x64xi8, #{{.+}}> -> tensor<32x2xi8, #{{.+}}>
tile.kernel @relabelled() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %x = "test.values"() : () -> tensor<1x64xi8, #tile.layout<"1x64 registers=[[0,1]] lanes=[[0,2],[0,4],[0,8],[0,16],[0,32]] warps=[]">>
  %r = tile.relabel %x : tensor<1x64xi8, #tile.layout<"1x64 registers=[[0,1]] lanes=[[0,2],[0,4],[0,8],[0,16],[0,32]] warps=[]">> -> tensor<32x2xi8, #tile.layout<"32x2 registers=[[0,1]] lanes=[[1,0],[2,0],[4,0],[8,0],[16,0]] warps=[]">>
  tile.return
}
