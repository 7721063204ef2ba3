// RUN: tile-opt %s --allow-unregistered-dialect | tile-opt --allow-unregistered-dialect | FileCheck %s

// Tests products of tiles and fragments of different types, transposed or not,
// with every option.
// CHECK-LABEL: tile.kernel @products
// CHECK: %[[V:.+]]:3 = "test.values"
// CHECK: tile.gemm %[[V]]#0, %[[V]]#1, %[[V]]#2 : !tile.shared<16x32xbf16>, !tile.shared<32x8xi4, pack = 0>, tensor<16x8xf32>
// CHECK: %[[W:.+]]:2 = "test.values"
// CHECK: tile.gemm %[[W]]#0, %[[W]]#1, %[[V]]#2 {fast_accum, mma = #tile.mma<m16n8k32, type = i8, warps = [2, 4]>, tf32, transpose_a, transpose_b, unsigned_a, unsigned_b} : tensor<32x16xi8>, !tile.shared<8x32xi4, pack = 1>, tensor<16x8xf32>
tile.kernel @products() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %a, %b, %acc = "test.values"() : () -> (!tile.shared<16x32xbf16>, !tile.shared<32x8xi4, pack = 0>, tensor<16x8xf32>)
  %r = tile.gemm %a, %b, %acc : !tile.shared<16x32xbf16>, !tile.shared<32x8xi4, pack = 0>, tensor<16x8xf32>
  %c, %d = "test.values"() : () -> (tensor<32x16xi8>, !tile.shared<8x32xi4, pack = 1>)
  %s = tile.gemm %c, %d, %acc {transpose_a, transpose_b, unsigned_a, unsigned_b, fast_accum, tf32, mma = #tile.mma<m16n8k32, type = i8, warps = [2, 4]>} : tensor<32x16xi8>, !tile.shared<8x32xi4, pack = 1>, tensor<16x8xf32>
  tile.return
}

#a = #tile.layout<"16x16 registers=[[0,1],[8,0],[0,8]] lanes=[[0,2],[0,4],[1,0],[2,0],[4,0]] warps=[]">
#b = #tile.layout<"16x8 registers=[[1,0],[8,0]] lanes=[[2,0],[4,0],[0,1],[0,2],[0,4]] warps=[]">
#c = #tile.layout<"16x8 registers=[[0,1],[8,0]] lanes=[[0,2],[0,4],[1,0],[2,0],[4,0]] warps=[]">

// Tests the instruction on fragments with layouts.
// CHECK-LABEL: tile.kernel @instruction
// CHECK: tile.mma %{{.+}}, %{{.+}}, %{{.+}} using <m16n8k16, type = bf16, warps = [1, 1]> :
// CHECK-SAME: tensor<16x16xbf16, #tile.layout<"16x16 registers={{\[\[}}0,1],[8,0],[0,8]] lanes={{\[\[}}0,2],[0,4],[1,0],[2,0],[4,0]] warps=[]">>
tile.kernel @instruction() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %a, %b, %acc = "test.values"() : () -> (tensor<16x16xbf16, #a>, tensor<16x8xbf16, #b>, tensor<16x8xf32, #c>)
  %r = tile.mma %a, %b, %acc using <m16n8k16, type = bf16, warps = [1, 1]> : tensor<16x16xbf16, #a>, tensor<16x8xbf16, #b>, tensor<16x8xf32, #c>
  tile.return
}
