// RUN: tile-opt %s --allow-unregistered-dialect | tile-opt --allow-unregistered-dialect | FileCheck %s

// Tests products of tiles and fragments of different types, transposed or not,
// with every option.
// CHECK-LABEL: tile.kernel @products
// CHECK: %[[V:.+]]:3 = "test.values"
// CHECK: tile.gemm %[[V]]#0, %[[V]]#1, %[[V]]#2 : !tile.shared<16x32xbf16>, !tile.shared<32x8xi4, pack = 0>, tensor<16x8xf32>
// CHECK: %[[W:.+]]:3 = "test.values"
// CHECK: tile.gemm %[[W]]#0, %[[W]]#1, %[[W]]#2 {fast_accum, mma = #tile.mma<m16n8k32, type = i8, warps = [1, 1]>, tf32, transpose_a, transpose_b, unsigned_a, unsigned_b} : tensor<32x16xi8>, !tile.shared<8x32xi4, pack = 1>, tensor<16x8xi32>
tile.kernel @products() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %a, %b, %acc = "test.values"() : () -> (!tile.shared<16x32xbf16>, !tile.shared<32x8xi4, pack = 0>, tensor<16x8xf32>)
  %r = tile.gemm %a, %b, %acc : !tile.shared<16x32xbf16>, !tile.shared<32x8xi4, pack = 0>, tensor<16x8xf32>
  %c, %d, %sum = "test.values"() : () -> (tensor<32x16xi8>, !tile.shared<8x32xi4, pack = 1>, tensor<16x8xi32>)
  %s = tile.gemm %c, %d, %sum {transpose_a, transpose_b, unsigned_a, unsigned_b, fast_accum, tf32, mma = #tile.mma<m16n8k32, type = i8, warps = [1, 1]>} : tensor<32x16xi8>, !tile.shared<8x32xi4, pack = 1>, tensor<16x8xi32>
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

// Tests dequantisation with every kind of scale and zero, and a scaled product.
// CHECK-LABEL: tile.kernel @quantised
// CHECK: tile.dequant %{{.+}} scale %{{.+}} zero %{{.+}} {dim = 1 : i64, group = 32 : i64, unsigned_source, unsigned_zero} : !tile.shared<128x64xi4, pack = 1>, !tile.shared<128x2xbf16> zero !tile.shared<128x2xi4, pack = 1> -> tensor<128x64xbf16>
// CHECK-NEXT: tile.dequant %{{.+}} scale %{{.+}} {dim = 1 : i64} : !tile.shared<128x64xi4, pack = 1>, f32 -> tensor<128x64xf32>
// CHECK-NEXT: tile.dequant %{{.+}} zero %{{.+}} {dim = 1 : i64} : !tile.shared<128x64xi4, pack = 1> zero tensor<128xi32> -> tensor<128x64xi32>
// CHECK-NEXT: tile.gemm %{{.+}}, %{{.+}}, %{{.+}} {transpose_b} : !tile.shared<16x64xi8>, tensor<128x64xi32>, tensor<16x128xi32>
// CHECK-NEXT: tile.gemm_scaled %{{.+}}, %{{.+}}, %{{.+}} scales %{{.+}}, %{{.+}} {granularity_k = 32 : i64, granularity_m = 1 : i64, granularity_n = 1 : i64} : !tile.shared<16x64xf8E4M3FN>, !tile.shared<64x16xf8E4M3FN>, tensor<16x16xf32>, !tile.shared<16x2xf8E8M0FNU>, tensor<16x2xf32>
tile.kernel @quantised() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %q, %s, %z, %x, %v = "test.values"() : () -> (!tile.shared<128x64xi4, pack = 1>, !tile.shared<128x2xbf16>, !tile.shared<128x2xi4, pack = 1>, f32, tensor<128xi32>)
  %a, %acc, %p, %r, %t, %sp, %sr = "test.values"() : () -> (!tile.shared<16x64xi8>, tensor<16x128xi32>, !tile.shared<16x64xf8E4M3FN>, !tile.shared<64x16xf8E4M3FN>, tensor<16x16xf32>, !tile.shared<16x2xf8E8M0FNU>, tensor<16x2xf32>)
  %0 = tile.dequant %q scale %s zero %z {dim = 1 : i64, group = 32 : i64, unsigned_source, unsigned_zero} : !tile.shared<128x64xi4, pack = 1>, !tile.shared<128x2xbf16> zero !tile.shared<128x2xi4, pack = 1> -> tensor<128x64xbf16>
  %1 = tile.dequant %q scale %x {dim = 1 : i64} : !tile.shared<128x64xi4, pack = 1>, f32 -> tensor<128x64xf32>
  %2 = tile.dequant %q zero %v {dim = 1 : i64} : !tile.shared<128x64xi4, pack = 1> zero tensor<128xi32> -> tensor<128x64xi32>
  %3 = tile.gemm %a, %2, %acc {transpose_b} : !tile.shared<16x64xi8>, tensor<128x64xi32>, tensor<16x128xi32>
  %4 = tile.gemm_scaled %p, %r, %t scales %sp, %sr {granularity_k = 32 : i64, granularity_m = 1 : i64, granularity_n = 1 : i64} : !tile.shared<16x64xf8E4M3FN>, !tile.shared<64x16xf8E4M3FN>, tensor<16x16xf32>, !tile.shared<16x2xf8E8M0FNU>, tensor<16x2xf32>
  tile.return
}
