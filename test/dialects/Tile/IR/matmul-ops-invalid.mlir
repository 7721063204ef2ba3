// RUN: tile-opt %s --allow-unregistered-dialect --split-input-file --verify-diagnostics

// gemm-c1: operands are matrices.
%a, %b, %c = "test.values"() : () -> (!tile.shared<2x16x32xf16>, !tile.shared<32x8xf16>, tensor<16x8xf32>)
// expected-error @below {{gemm-c1: operands and accumulator have rank 2}}
%r = tile.gemm %a, %b, %c : !tile.shared<2x16x32xf16>, !tile.shared<32x8xf16>, tensor<16x8xf32>

// -----

// gemm-c2: inner extents agree.
%a, %b, %c = "test.values"() : () -> (!tile.shared<16x32xf16>, !tile.shared<16x8xf16>, tensor<16x8xf32>)
// expected-error @below {{gemm-c2: inner extents differ: 32 and 16}}
%r = tile.gemm %a, %b, %c : !tile.shared<16x32xf16>, !tile.shared<16x8xf16>, tensor<16x8xf32>

// -----

// gemm-c2: transposes exchange them.
%a, %b, %c = "test.values"() : () -> (!tile.shared<16x32xf16>, !tile.shared<32x8xf16>, tensor<16x8xf32>)
// expected-error @below {{gemm-c2: inner extents differ: 32 and 8}}
%r = tile.gemm %a, %b, %c {transpose_b} : !tile.shared<16x32xf16>, !tile.shared<32x8xf16>, tensor<16x8xf32>

// -----

// gemm-c3: the accumulator has the outer extents.
%a, %b, %c = "test.values"() : () -> (!tile.shared<16x32xf16>, !tile.shared<32x8xf16>, tensor<8x16xf32>)
// expected-error @below {{gemm-c3: accumulator is 8x16, operands give 16x8}}
%r = tile.gemm %a, %b, %c : !tile.shared<16x32xf16>, !tile.shared<32x8xf16>, tensor<8x16xf32>

// -----

// mma-c1: shapes agree.
#c = #tile.layout<"16x8 registers=[[0,1],[8,0]] lanes=[[0,2],[0,4],[1,0],[2,0],[4,0]] warps=[]">
#a = #tile.layout<"16x16 registers=[[0,1],[8,0],[0,8]] lanes=[[0,2],[0,4],[1,0],[2,0],[4,0]] warps=[]">
#b = #tile.layout<"16x8 registers=[[1,0],[8,0]] lanes=[[2,0],[4,0],[0,1],[0,2],[0,4]] warps=[]">
%a, %b, %c = "test.values"() : () -> (tensor<16x16xbf16, #a>, tensor<16x8xbf16, #b>, tensor<16x8xf32, #c>)
// expected-error @below {{mma-c1: shapes are [M, K], [K, N] and [M, N]}}
%r = tile.mma %b, %a, %c using <m16n8k16, type = bf16, warps = [1, 1]> : tensor<16x8xbf16, #b>, tensor<16x16xbf16, #a>, tensor<16x8xf32, #c>

// -----

// mma-c2: K is made of whole steps.
#c = #tile.layout<"16x8 registers=[[0,1],[8,0]] lanes=[[0,2],[0,4],[1,0],[2,0],[4,0]] warps=[]">
#a = #tile.layout<"16x16 registers=[[0,1],[8,0],[0,8]] lanes=[[0,2],[0,4],[1,0],[2,0],[4,0]] warps=[]">
#b = #tile.layout<"16x8 registers=[[1,0],[8,0]] lanes=[[2,0],[4,0],[0,1],[0,2],[0,4]] warps=[]">
%a, %b, %c = "test.values"() : () -> (tensor<16x16xbf16, #a>, tensor<16x8xbf16, #b>, tensor<16x8xf32, #c>)
// expected-error @below {{mma-c2: K = 16 is not a multiple of 32}}
%r = tile.mma %a, %b, %c using <m16n8k32, type = i8, warps = [1, 1]> : tensor<16x16xbf16, #a>, tensor<16x8xbf16, #b>, tensor<16x8xf32, #c>

// -----

// mma-c3: fragments have layouts.
#c = #tile.layout<"16x8 registers=[[0,1],[8,0]] lanes=[[0,2],[0,4],[1,0],[2,0],[4,0]] warps=[]">
#a = #tile.layout<"16x16 registers=[[0,1],[8,0],[0,8]] lanes=[[0,2],[0,4],[1,0],[2,0],[4,0]] warps=[]">
#b = #tile.layout<"16x8 registers=[[1,0],[8,0]] lanes=[[2,0],[4,0],[0,1],[0,2],[0,4]] warps=[]">
%a, %b, %c = "test.values"() : () -> (tensor<16x16xbf16, #a>, tensor<16x8xbf16>, tensor<16x8xf32, #c>)
// expected-error @below {{mma-c3: fragments carry layouts, found 'tensor<16x8xbf16>'}}
%r = tile.mma %a, %b, %c using <m16n8k16, type = bf16, warps = [1, 1]> : tensor<16x16xbf16, #a>, tensor<16x8xbf16>, tensor<16x8xf32, #c>
