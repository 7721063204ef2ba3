// RUN: tile-opt %s --allow-unregistered-dialect --split-input-file --verify-diagnostics

// broadcast-c1: a broadcast does not convert.
%a = "test.values"() : () -> (f16)
// expected-error @below {{broadcast-c1: element type is that of the scalar}}
%r = tile.broadcast %a : f16 -> tensor<16x8xf32>

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

// reindex-c2: indices are not computed.
%a = "test.values"() : () -> (tensor<8xf32>)
// expected-error @below {{reindex-c2: each index is a dimension or 0}}
%r = tile.reindex %a by affine_map<(d0) -> (d0 floordiv 2)> : tensor<8xf32> -> tensor<16xf32>

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
