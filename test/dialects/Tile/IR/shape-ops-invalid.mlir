// RUN: tile-opt %s --allow-unregistered-dialect --split-input-file --verify-diagnostics

// broadcast-c1: a broadcast does not convert.
%a = "test.values"() : () -> (f16)
// expected-error @below {{broadcast-c1: element type is that of the scalar}}
%r = tile.broadcast %a : f16 -> tensor<16x8xf32>

// -----

// relabel-c1: a thread has as many registers of both.
%a = "test.values"() : () -> tensor<1x64xi8, #tile.layout<"1x64 registers=[[0,1]] lanes=[[0,2],[0,4],[0,8],[0,16],[0,32]] warps=[]">>
// expected-error @below {{relabel-c1: takes and gives as many registers of as many warps}}
%r = tile.relabel %a : tensor<1x64xi8, #tile.layout<"1x64 registers=[[0,1]] lanes=[[0,2],[0,4],[0,8],[0,16],[0,32]] warps=[]">> -> tensor<1x32xi8, #tile.layout<"1x32 registers=[] lanes=[[0,1],[0,2],[0,4],[0,8],[0,16]] warps=[]">>

// -----

// reindex-c1: the map fits both shapes.
%a = "test.values"() : () -> (tensor<8xf32>)
// expected-error @below {{reindex-c1: map goes from the dimensions of the result to those of the source}}
%r = tile.reindex %a by affine_map<(d0) -> (d0)> : tensor<8xf32> -> tensor<16x8xf32>

// -----

// reindex-c2: the only constant is 0.
%a = "test.values"() : () -> (tensor<8xf32>)
// expected-error @below {{reindex-c2: a constant index is 0}}
%r = tile.reindex %a by affine_map<(d0) -> (1)> : tensor<8xf32> -> tensor<16xf32>

// -----

// reindex-c2: indices are not computed, but for groups.
%a = "test.values"() : () -> (tensor<8xf32>)
// expected-error @below {{reindex-c2: each index is a dimension, one over a power of two, or 0}}
%r = tile.reindex %a by affine_map<(d0) -> (d0 + 1)> : tensor<8xf32> -> tensor<8xf32>

// -----

// reindex-c2: layouts compose with groups of powers of two only.
%a = "test.values"() : () -> (tensor<8xf32>)
// expected-error @below {{reindex-c2: each index is a dimension, one over a power of two, or 0}}
%r = tile.reindex %a by affine_map<(d0) -> (d0 floordiv 3)> : tensor<8xf32> -> tensor<24xf32>

// -----

// reindex-c3: there is an entry for the last group, whole or not, and no other.
%a = "test.values"() : () -> (tensor<8xf32>)
// expected-error @below {{reindex-c3: extents differ: 8 and 9}}
%r = tile.reindex %a by affine_map<(d0) -> (d0 floordiv 2)> : tensor<8xf32> -> tensor<17xf32>

// -----

// reindex-c3: a diagonal is not one.
%a = "test.values"() : () -> (tensor<8x8xf32>)
// expected-error @below {{reindex-c3: a dimension is used once}}
%r = tile.reindex %a by affine_map<(d0) -> (d0, d0)> : tensor<8x8xf32> -> tensor<8xf32>

// -----

// reindex-c3: extents agree.
%a = "test.values"() : () -> (tensor<8xf32>)
// expected-error @below {{reindex-c3: extents differ: 8 and 16}}
%r = tile.reindex %a by affine_map<(d0, d1) -> (d1)> : tensor<8xf32> -> tensor<8x16xf32>

// -----

// cast-c1: a cast keeps the shape.
%a = "test.values"() : () -> (tensor<16x8xf32>)
// expected-error @below {{cast-c1: shapes differ: 'tensor<16x8xf32>' and 'tensor<8x16xf16>'}}
%r = tile.cast %a : tensor<16x8xf32> -> tensor<8x16xf16>

// -----

// cast-c1: a scalar is no fragment.
%a = "test.values"() : () -> (f32)
// expected-error @below {{cast-c1: shapes differ: 'f32' and 'tensor<8xf16>'}}
%r = tile.cast %a : f32 -> tensor<8xf16>

// -----

// cast-c2: there are three options.
%a = "test.values"() : () -> (f32)
// expected-error @below {{cast-c2: mode is 'sat', 'nosat' or 'up', found 'down'}}
%r = tile.cast %a {mode = "down"} : f32 -> i8

// -----

// convert-layout-c1: nothing but the layout changes.
%a = "test.values"() : () -> (tensor<16x8xf32>)
// expected-error @below {{convert-layout-c1: only the layout changes}}
%r = tile.convert_layout %a : tensor<16x8xf32> -> tensor<16x8xf16>

// -----

// reduce-c1: the dimension exists.
%a = "test.values"() : () -> (tensor<16x8xf32>)
// expected-error @below {{reduce-c1: there is no dimension 2}}
%r = tile.reduce sum %a dim 2 : tensor<16x8xf32> -> tensor<16xf32>

// -----

// reduce-c1: the result lacks it.
%a = "test.values"() : () -> (tensor<16x8xf32>)
// expected-error @below {{reduce-c1: the result lacks dimension 'dim', and is a scalar where none is left}}
%r = tile.reduce sum %a dim 0 : tensor<16x8xf32> -> tensor<16xf32>

// -----

// reduce-c2: short sums widen.
%a = "test.values"() : () -> (tensor<16x8xbf16>)
// expected-error @below {{reduce-c2: 'sum' of 'bf16' does not give 'bf16'}}
%r = tile.reduce sum %a : tensor<16x8xbf16> -> bf16

// -----

// reduce-c2: a maximum keeps its type.
%a = "test.values"() : () -> (tensor<16x8xbf16>)
// expected-error @below {{reduce-c2: 'max' of 'bf16' does not give 'f32'}}
%r = tile.reduce max %a : tensor<16x8xbf16> -> f32

// -----

// scan-c1: scans add.
%a = "test.values"() : () -> (tensor<16x8xf32>)
// expected-error @below {{scan-c1: only 'sum' is known}}
%r = tile.scan max %a dim 0 : tensor<16x8xf32> -> tensor<16x8xf32>

// -----

// scan-c1: the shape stays.
%a = "test.values"() : () -> (tensor<16x8xf32>)
// expected-error @below {{scan-c1: keeps the shape, along one of its dimensions}}
%r = tile.scan sum %a dim 0 : tensor<16x8xf32> -> tensor<8x16xf32>

// -----

// reshape-c1: elements stay.
%a = "test.values"() : () -> (tensor<16x8xf32>)
// expected-error @below {{reshape-c1: keeps type and number of elements}}
%r = tile.reshape %a : tensor<16x8xf32> -> tensor<64xf32>

// -----

// reinterpret-c1: rows keep their bits.
%a = "test.values"() : () -> (tensor<16x8xi8>)
// expected-error @below {{reinterpret-c1: each row keeps its bits}}
%r = tile.reinterpret %a : tensor<16x8xi8> -> tensor<16x8xi4>

// -----

// iota-c1: numbers are i32 in a row.
// expected-error @below {{iota-c1: gives i32 of rank 1}}
%r = tile.iota : tensor<8xi64>

// -----

// part-c3: a part lies inside.
%a = "test.values"() : () -> (tensor<16x8xf32>)
// expected-error @below {{part-c3: 4 to 12 lies outside an extent of 8}}
%r = tile.part %a [0, 4] : tensor<16x8xf32> -> tensor<16x8xf32>

// -----

// part-c3: a part keeps its rank.
%a = "test.values"() : () -> (tensor<16x8xf32>)
// expected-error @below {{part-c3: keeps rank and element type, and has an offset for each dimension}}
%r = tile.part %a [0, 4] : tensor<16x8xf32> -> tensor<4xf32>

// -----

// annotate-layout-c1: the layout is one of this shape.
%a = "test.values"() : () -> (tensor<8x16xf32>)
// expected-error @below {{annotate-layout-c1: the layout is that of another shape than 'tensor<8x16xf32>'}}
%r = tile.annotate_layout %a, <"16x8 registers=[[0,1],[8,0]] lanes=[[0,2],[0,4],[1,0],[2,0],[4,0]] warps=[]"> : tensor<8x16xf32>

// -----

// join-c1: the parts make up the result.
%a, %b = "test.values"() : () -> (tensor<8x16xf32>, tensor<8x8xf32>)
// expected-error @below {{join-c1: the parts do not make up 'tensor<8x32xf32>'}}
%r = tile.join %a, %b dim 1 : tensor<8x16xf32>, tensor<8x8xf32> -> tensor<8x32xf32>
