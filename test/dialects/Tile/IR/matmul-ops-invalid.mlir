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

// -----

// gemm-c4: half types do not mix.
%a, %b, %c = "test.values"() : () -> (tensor<16x8xf16>, tensor<8x16xbf16>, tensor<16x16xf32>)
// expected-error @below {{gemm-c4: no product of 'f16' and 'bf16' adds up in 'f32'}}
%r = tile.gemm %a, %b, %c : tensor<16x8xf16>, tensor<8x16xbf16>, tensor<16x16xf32>

// -----

// gemm-c4: integers add up in i32.
%a, %b, %c = "test.values"() : () -> (tensor<16x8xi8>, tensor<8x16xi4>, tensor<16x16xf32>)
// expected-error @below {{gemm-c4: no product of 'i8' and 'i4' adds up in 'f32'}}
%r = tile.gemm %a, %b, %c : tensor<16x8xi8>, tensor<8x16xi4>, tensor<16x16xf32>

// -----

// gemm-c4: a wide operand beside a narrow one comes from tile.dequant.
%a, %b, %c = "test.values"() : () -> (tensor<16x8xi8>, tensor<8x16xi32>, tensor<16x16xi32>)
// expected-error @below {{gemm-c4: no product of 'i8' and 'i32' adds up in 'i32'}}
%r = tile.gemm %a, %b, %c : tensor<16x8xi8>, tensor<8x16xi32>, tensor<16x16xi32>

// -----

// dequant-c1: the shape stays.
%q, %x = "test.values"() : () -> (tensor<16x8xi4>, f32)
// expected-error @below {{dequant-c1: keeps the shape of the source}}
%r = tile.dequant %q scale %x {dim = 1 : i64} : tensor<16x8xi4>, f32 -> tensor<8x16xf32>

// -----

// dequant-c2: groups lie along a dimension.
%q, %x = "test.values"() : () -> (tensor<16x8xi4>, f32)
// expected-error @below {{dequant-c2: there is no dimension 2}}
%r = tile.dequant %q scale %x {dim = 2 : i64} : tensor<16x8xi4>, f32 -> tensor<16x8xf32>

// -----

// dequant-c2: groups do not straddle the end.
%q, %s = "test.values"() : () -> (tensor<16x8xi4>, tensor<16x3xf32>)
// expected-error @below {{dequant-c2: a group of 3 does not fit an extent of 8}}
%r = tile.dequant %q scale %s {dim = 1 : i64, group = 3 : i64} : tensor<16x8xi4>, tensor<16x3xf32> -> tensor<16x8xf32>

// -----

// dequant-c3: one scale for each group.
%q, %s = "test.values"() : () -> (tensor<16x8xi4>, tensor<16x3xf32>)
// expected-error @below {{dequant-c3: scale does not fit the source: 'tensor<16x3xf32>'}}
%r = tile.dequant %q scale %s {dim = 1 : i64, group = 4 : i64} : tensor<16x8xi4>, tensor<16x3xf32> -> tensor<16x8xf32>

// -----

// dequant-c4: a scale is a float.
%q, %s = "test.values"() : () -> (tensor<16x8xi4>, i32)
// expected-error @below {{dequant-c4: scales are floats}}
%r = tile.dequant %q scale %s {dim = 1 : i64} : tensor<16x8xi4>, i32 -> tensor<16x8xf32>

// -----

// dequant-c4: scaled numbers are floats.
%q, %s = "test.values"() : () -> (tensor<16x8xi4>, f32)
// expected-error @below {{dequant-c4: gives a float, or i32 without a scale}}
%r = tile.dequant %q scale %s {dim = 1 : i64} : tensor<16x8xi4>, f32 -> tensor<16x8xi32>

// -----

// gemm-scaled-c1: groups fit the tile.
%a, %b, %c, %s = "test.values"() : () -> (tensor<16x64xf8E5M2>, tensor<64x16xf8E5M2>, tensor<16x16xf32>, tensor<16x2xf32>)
// expected-error @below {{gemm-scaled-c1: granularities are positive, and that of K divides the tile's K or is a multiple of it}}
%r = tile.gemm_scaled %a, %b, %c scales %s, %s {granularity_k = 48 : i64, granularity_m = 1 : i64, granularity_n = 1 : i64} : tensor<16x64xf8E5M2>, tensor<64x16xf8E5M2>, tensor<16x16xf32>, tensor<16x2xf32>, tensor<16x2xf32>

// -----

// scale-c1: one scale for each row and group.
%a, %b, %c, %s = "test.values"() : () -> (tensor<16x64xf8E5M2>, tensor<64x16xf8E5M2>, tensor<16x16xf32>, tensor<16x1xf32>)
// expected-error @below {{scale-c1: scales of a are 16x2, found 'tensor<16x1xf32>'}}
%r = tile.gemm_scaled %a, %b, %c scales %s, %s {granularity_k = 32 : i64, granularity_m = 1 : i64, granularity_n = 1 : i64} : tensor<16x64xf8E5M2>, tensor<64x16xf8E5M2>, tensor<16x16xf32>, tensor<16x1xf32>, tensor<16x1xf32>

// -----

// scale-c2: scales are f32 or powers of two.
%a, %b, %c, %s = "test.values"() : () -> (tensor<16x64xf8E5M2>, tensor<64x16xf8E5M2>, tensor<16x16xf32>, tensor<16x2xf16>)
// expected-error @below {{scale-c2: scales are f32 or f8E8M0FNU, found 'f16'}}
%r = tile.gemm_scaled %a, %b, %c scales %s, %s {granularity_k = 32 : i64, granularity_m = 1 : i64, granularity_n = 1 : i64} : tensor<16x64xf8E5M2>, tensor<64x16xf8E5M2>, tensor<16x16xf32>, tensor<16x2xf16>, tensor<16x2xf16>

// -----

// gemm-c5: the instruction covers the tile.
%a, %b, %c = "test.values"() : () -> (tensor<16x16xbf16>, tensor<16x8xbf16>, tensor<16x8xf32>)
// expected-error @below {{gemm-c5: tile extent M = 16 is not a multiple of 32 (16 in the instruction, 2 warps)}}
%r = tile.gemm %a, %b, %c {mma = #tile.mma<m16n8k16, type = bf16, warps = [2, 2]>} : tensor<16x16xbf16>, tensor<16x8xbf16>, tensor<16x8xf32>

// -----

// gemm-c6: only elements of K that there are.
%a, %b, %acc = "test.values"() : () -> (!tile.shared<16x32xf16>, !tile.shared<32x8xf16>, tensor<16x8xf32>)
// expected-error @below {{gemm-c6: 'k_range' lies within K = 32}}
%r = tile.gemm %a, %b, %acc {k_range = array<i64: 16, 48>} : !tile.shared<16x32xf16>, !tile.shared<32x8xf16>, tensor<16x8xf32>

// -----

// gemm-c5: there is such an instruction.
%a, %b, %c = "test.values"() : () -> (tensor<16x16xbf16>, tensor<16x8xbf16>, tensor<16x8xf32>)
// expected-error @below {{gemm-c5: no matrix instruction has the shape m8n8k4 with 16 bits}}
%r = tile.gemm %a, %b, %c {mma = #tile.mma<m8n8k4, type = bf16, warps = [1, 1]>} : tensor<16x16xbf16>, tensor<16x8xbf16>, tensor<16x8xf32>

// -----

// gemm-c5: the kernel has the warps.
tile.kernel @w() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %a, %b, %c = "test.values"() : () -> (tensor<32x16xbf16>, tensor<16x8xbf16>, tensor<32x8xf32>)
  // expected-error @below {{gemm-c5: 2 warps share the tile, and the kernel has 32 threads}}
  %r = tile.gemm %a, %b, %c {mma = #tile.mma<m16n8k16, type = bf16, warps = [2, 1]>} : tensor<32x16xbf16>, tensor<16x8xbf16>, tensor<32x8xf32>
  tile.return
}

// -----

// operand-c1: an index stays within its input.
%q, %s = "test.values"() : () -> (!tile.shared<16x64xi8>, !tile.shared<16x2xbf16>)
// expected-error @below {{operand-c1: map 1 does not give elements of its input}}
%r = tile.operand %q, %s maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1 floordiv 16)>] : !tile.shared<16x64xi8>, !tile.shared<16x2xbf16> -> tensor<16x64xi8> {
^bb0(%x: i8, %y: bf16):
  tile.yield %x : i8
}

// -----

// operand-c1: there is a map for each input.
%q, %s = "test.values"() : () -> (!tile.shared<16x64xi8>, !tile.shared<16x2xbf16>)
// expected-error @below {{operand-c1: has one map for each input}}
%r = tile.operand %q, %s maps [affine_map<(d0, d1) -> (d0, d1)>] : !tile.shared<16x64xi8>, !tile.shared<16x2xbf16> -> tensor<16x64xi8> {
^bb0(%x: i8, %y: bf16):
  tile.yield %x : i8
}

// -----

// operand-c2: the first input is the operand as it is stored.
%q = "test.values"() : () -> !tile.shared<16x2xi8>
// expected-error @below {{operand-c2: the first input is read at the element's own two indices}}
%r = tile.operand %q maps [affine_map<(d0, d1) -> (d0, d1 floordiv 32)>] : !tile.shared<16x2xi8> -> tensor<16x64xi8> {
^bb0(%x: i8):
  tile.yield %x : i8
}

// -----

// operand-c3: the body works on elements.
%q = "test.values"() : () -> !tile.shared<16x64xi8>
// expected-error @below {{operand-c3: the body takes an element of each input and yields one of the result}}
%r = tile.operand %q maps [affine_map<(d0, d1) -> (d0, d1)>] : !tile.shared<16x64xi8> -> tensor<16x64xbf16> {
^bb0(%x: i8):
  tile.yield %x : i8
}

// -----

// operand-c4: nothing else finds the numbers.
%q, %t = "test.values"() : () -> (!tile.shared<16x64xi8>, !tile.shared<16x64xi8>)
// expected-error @below {{operand-c4: only 'tile.gemm' takes the result, as an operand}}
%r = tile.operand %q maps [affine_map<(d0, d1) -> (d0, d1)>] : !tile.shared<16x64xi8> -> tensor<16x64xi8> {
^bb0(%x: i8):
  tile.yield %x : i8
}
tile.store %r, %t : tensor<16x64xi8>, !tile.shared<16x64xi8>

// -----

// operand-c5: the body computes.
%q = "test.values"() : () -> !tile.shared<16x64xi8>
%r = tile.operand %q maps [affine_map<(d0, d1) -> (d0, d1)>] : !tile.shared<16x64xi8> -> tensor<16x64xi8> {
^bb0(%x: i8):
  // expected-error @below {{operand-c5: the body has pure ops of one scalar result}}
  tile.barrier
  tile.yield %x : i8
}

// -----

// Both operands enter an instruction with one width.
%a, %b, %c = "test.values"() : () -> (tensor<16x16xbf16>, tensor<16x8xbf16>, tensor<16x8xf32>)
// expected-error @below {{an instruction takes operands of one width, found 'bf16' and 'f32'}}
%r = tile.gemm %a, %b, %c {mma = #tile.mma<m16n8k16, type = bf16, type_b = f32, warps = [1, 1]>} : tensor<16x16xbf16>, tensor<16x8xbf16>, tensor<16x8xf32>

// -----

// Of the warps along rows and columns one number is a power of two.
%a, %b, %c = "test.values"() : () -> (tensor<48x16xbf16>, tensor<16x24xbf16>, tensor<48x24xf32>)
// expected-error @below {{warps are up to 32 in all, a power of two along one dimension at least, found 3x3}}
%r = tile.gemm %a, %b, %c {mma = #tile.mma<m16n8k16, type = bf16, warps = [3, 3]>} : tensor<48x16xbf16>, tensor<16x24xbf16>, tensor<48x24xf32>

// -----

// operand-c1: groups are powers of two.
%q, %s = "test.values"() : () -> (!tile.shared<16x96xi8>, !tile.shared<16x32xbf16>)
// expected-error @below {{operand-c1: map 1 does not give elements of its input}}
%r = tile.operand %q, %s maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1 floordiv 3)>] : !tile.shared<16x96xi8>, !tile.shared<16x32xbf16> -> tensor<16x96xi8> {
^bb0(%x: i8, %y: bf16):
  tile.yield %x : i8
}

// -----

// wgmma-c1: warps do not multiply asynchronously.
#l = #tile.layout<"64x64 registers=[[0,1],[8,0],[0,8],[0,16],[0,32]] lanes=[[0,2],[0,4],[1,0],[2,0],[4,0]] warps=[[16,0],[32,0]]">
%a, %b, %c = "test.values"() : () -> (!tile.shared<64x64xbf16>, !tile.shared<64x64xbf16>, tensor<64x64xf32, #l>)
// expected-error @below {{wgmma-c1: the instruction is none of warpgroups}}
%r = tile.wgmma %a, %b, %c k 0 depth 64 using <m16n8k16, type = bf16, warps = [4, 1]> : !tile.shared<64x64xbf16>, !tile.shared<64x64xbf16>, tensor<64x64xf32, #l> -> !tile.in_flight<tensor<64x64xf32, #l>>

// -----

// wgmma-c2: K is made of whole steps.
#l = #tile.layout<"64x64 registers=[[0,1],[8,0],[0,8],[0,16],[0,32]] lanes=[[0,2],[0,4],[1,0],[2,0],[4,0]] warps=[[16,0],[32,0]]">
%a, %b, %c = "test.values"() : () -> (!tile.shared<64x64xbf16>, !tile.shared<64x64xbf16>, tensor<64x64xf32, #l>)
// expected-error @below {{wgmma-c2: K of 8 to 40 is not made of steps of 16 of 64}}
%r = tile.wgmma %a, %b, %c k 8 depth 32 using <m64n64k16, type = bf16, warps = [4, 1]> : !tile.shared<64x64xbf16>, !tile.shared<64x64xbf16>, tensor<64x64xf32, #l> -> !tile.in_flight<tensor<64x64xf32, #l>>

// -----

// wgmma-c3: sums have a layout.
%a, %b, %c = "test.values"() : () -> (!tile.shared<64x64xbf16>, !tile.shared<64x64xbf16>, tensor<64x64xf32>)
// expected-error @below {{wgmma-c3: result and accumulator are not one fragment with a layout}}
%r = tile.wgmma %a, %b, %c k 0 depth 64 using <m64n64k16, type = bf16, warps = [4, 1]> : !tile.shared<64x64xbf16>, !tile.shared<64x64xbf16>, tensor<64x64xf32> -> !tile.in_flight<tensor<64x64xf32>>

// -----

// wgmma-c5: only the left operand may be a fragment, with a layout.
%a, %b, %c = "test.values"() : () -> (!tile.shared<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32, #tile.layout<"64x64 registers=[[0,1],[8,0],[0,8],[0,16],[0,32]] lanes=[[0,2],[0,4],[1,0],[2,0],[4,0]] warps=[[16,0],[32,0]]">>)
// expected-error @below {{wgmma-c5: the left operand of the instruction alone may be a fragment, with a layout and 64 elements of K}}
%r = tile.wgmma %a, %b, %c k 0 depth 64 using <m64n64k16, type = bf16, warps = [4, 1]> : !tile.shared<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32, #tile.layout<"64x64 registers=[[0,1],[8,0],[0,8],[0,16],[0,32]] lanes=[[0,2],[0,4],[1,0],[2,0],[4,0]] warps=[[16,0],[32,0]]">> -> !tile.in_flight<tensor<64x64xf32, #tile.layout<"64x64 registers=[[0,1],[8,0],[0,8],[0,16],[0,32]] lanes=[[0,2],[0,4],[1,0],[2,0],[4,0]] warps=[[16,0],[32,0]]">>>

// -----

// in-flight-c1: sums in flight are no numbers.
#l = #tile.layout<"64x64 registers=[[0,1],[8,0],[0,8],[0,16],[0,32]] lanes=[[0,2],[0,4],[1,0],[2,0],[4,0]] warps=[[16,0],[32,0]]">
%a, %b, %c = "test.values"() : () -> (!tile.shared<64x64xbf16>, !tile.shared<64x64xbf16>, tensor<64x64xf32, #l>)
// expected-error @below {{in-flight-c1: 'test.use' uses sums that are in flight}}
%r = tile.wgmma %a, %b, %c k 0 depth 64 using <m64n64k16, type = bf16, warps = [4, 1]> : !tile.shared<64x64xbf16>, !tile.shared<64x64xbf16>, tensor<64x64xf32, #l> -> !tile.in_flight<tensor<64x64xf32, #l>>
"test.use"(%r) : (!tile.in_flight<tensor<64x64xf32, #l>>) -> ()

// -----

// mma-wait-c1: with products pending the sums are not done.
%s = "test.values"() : () -> !tile.in_flight<tensor<64x64xf32>>
// expected-error @below {{mma-wait-c1: with 0 pending the result is 'tensor<64x64xf32>'}}
%r = tile.mma_wait %s pending 0 : !tile.in_flight<tensor<64x64xf32>> -> !tile.in_flight<tensor<64x64xf32>>

// -----

// mma-wait-c2: a product is not done while it may be pending.
%s = "test.values"() : () -> !tile.in_flight<tensor<64x64xf32>>
// expected-error @below {{mma-wait-c2: the product does not begin in this block, so that it may be among the pending ones}}
%r = tile.mma_wait %s pending 1 : !tile.in_flight<tensor<64x64xf32>> -> tensor<64x64xf32>

// -----

// mma-wait-c2: at least as many products begin behind it.
#l = #tile.layout<"64x64 registers=[[0,1],[8,0],[0,8],[0,16],[0,32]] lanes=[[0,2],[0,4],[1,0],[2,0],[4,0]] warps=[[16,0],[32,0]]">
%a, %b, %c = "test.values"() : () -> (!tile.shared<64x64xbf16>, !tile.shared<64x64xbf16>, tensor<64x64xf32, #l>)
%p = tile.wgmma %a, %b, %c k 0 depth 64 using <m64n64k16, type = bf16, warps = [4, 1]> : !tile.shared<64x64xbf16>, !tile.shared<64x64xbf16>, tensor<64x64xf32, #l> -> !tile.in_flight<tensor<64x64xf32, #l>>
%q = tile.wgmma %a, %b, %c k 0 depth 64 using <m64n64k16, type = bf16, warps = [4, 1]> : !tile.shared<64x64xbf16>, !tile.shared<64x64xbf16>, tensor<64x64xf32, #l> -> !tile.in_flight<tensor<64x64xf32, #l>>
// expected-error @below {{mma-wait-c2: 2 pending groups include this one, behind which 1 begin}}
%r = tile.mma_wait %p pending 2 : !tile.in_flight<tensor<64x64xf32, #l>> -> tensor<64x64xf32, #l>

// -----

// wgmma-c4: columns of whole instructions.
#l = #tile.layout<"64x64 registers=[[0,1],[8,0],[0,8],[0,16],[0,32]] lanes=[[0,2],[0,4],[1,0],[2,0],[4,0]] warps=[[16,0],[32,0]]">
%a, %b, %c = "test.values"() : () -> (!tile.shared<64x64xbf16>, !tile.shared<64x128xbf16>, tensor<64x64xf32, #l>)
// expected-error @below {{wgmma-c4: columns 32 to 96 are not made of instructions of 64 columns, of 128}}
%r = tile.wgmma %a, %b, %c k 0 depth 64 column 32 using <m64n64k16, type = bf16, warps = [4, 1]> : !tile.shared<64x64xbf16>, !tile.shared<64x128xbf16>, tensor<64x64xf32, #l> -> !tile.in_flight<tensor<64x64xf32, #l>>
