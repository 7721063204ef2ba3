// RUN: tile-opt %s --allow-unregistered-dialect --split-input-file --verify-diagnostics

// A tensor has dimensions.
// expected-error @below {{needs at least one dimension}}
"test.use"() {type = !tile.global<f32>} : () -> ()

// -----

// Elements are numbers.
// expected-error @below {{element type is a number of the language, found 'index'}}
"test.use"() {type = !tile.global<?xindex>} : () -> ()

// -----

// 4-bit elements are packed along a dimension.
// expected-error @below {{4-bit elements need 'pack', a dimension below 2}}
"test.use"() {type = !tile.global<?x?xi4>} : () -> ()

// -----

// The packed dimension exists.
// expected-error @below {{4-bit elements need 'pack', a dimension below 2}}
"test.use"() {type = !tile.shared<16x8xf4E2M1FN, pack = 2>} : () -> ()

// -----

// Elements of a byte are not packed.
// expected-error @below {{'pack' is for 4-bit elements, found 'i8'}}
"test.use"() {type = !tile.shared<16x8xi8, pack = 0>} : () -> ()

// -----

// A tile is not empty.
// expected-error @below {{extents of a shared tile are positive, found 0}}
"test.use"() {type = !tile.shared<16x0xf32>} : () -> ()

// -----

// A tile has a fixed shape.
// expected-error @below {{expected static shape}}
"test.use"() {type = !tile.shared<?xf32>} : () -> ()

// -----

// A swizzle stays inside a row.
// expected-error @below {{no such storage}}
"test.use"() {type = !tile.shared<16x8xf32, #tile.shared_layout<swizzle = [3, 4, 3]>>} : () -> ()

// -----

// A layout is a map.
// expected-error @below {{not a layout}}
"test.use"() {layout = #tile.layout<"16x8 lanes=[]">} : () -> ()

// -----

// A shared layout has no other words.
// expected-error @below {{expected 'swizzle', 'padding' or 'panel', found 'order'}}
"test.use"() {layout = #tile.shared_layout<order = 3>} : () -> ()

// -----

// An instruction has a shape.
// expected-error @below {{expected an instruction shape such as m16n8k16, found 'm16n8'}}
"test.use"() {mma = #tile.mma<m16n8, type = bf16, warps = [1, 1]>} : () -> ()

// -----

// expected-error @below {{the number of barriers is positive, found 0}}
"test.use"() {type = !tile.barrier<0>} : () -> ()

// -----

// layout-c1: a fragment has the shape of its layout.
// expected-error @below {{layout-c1: the layout is one of 16x8, but the fragment is 32x8}}
"test.use"() {type = tensor<32x8xf32, #tile.layout<"16x8 registers=[[0,1],[8,0]] lanes=[[0,2],[0,4],[1,0],[2,0],[4,0]] warps=[]">>} : () -> ()

// -----

// Tests that sizes which no offset reaches are refused.
// expected-error @below {{no such storage: a shared tile has less than 2,147,483,648 bytes}}
"test.use"() {type = !tile.shared<65536x65536xf32>} : () -> ()

// -----

// Elements are those of the language.
// expected-error @below {{element type is a number of the language, found 'i3'}}
"test.use"() {type = !tile.global<?x?xi3>} : () -> ()

// -----

// A fragment has a fixed shape.
%x = "test.values"() : () -> (f32)
// expected-error @below {{must be fragment of rank 1 to 5 with positive extents and elements of the language, but got 'tensor<?x5xf32>'}}
%r = tile.broadcast %x : f32 -> tensor<?x5xf32>

// -----

// A fragment is not empty.
%x = "test.values"() : () -> (f32)
// expected-error @below {{must be fragment of rank 1 to 5 with positive extents and elements of the language, but got 'tensor<0x5xf32>'}}
%r = tile.broadcast %x : f32 -> tensor<0x5xf32>

// -----

// A fragment has dimensions.
%x = "test.values"() : () -> (f32)
// expected-error @below {{must be fragment of rank 1 to 5 with positive extents and elements of the language, but got 'tensor<f32>'}}
%r = tile.broadcast %x : f32 -> tensor<f32>

// -----

// A fragment has at most five.
%x = "test.values"() : () -> (f32)
// expected-error @below {{must be fragment of rank 1 to 5 with positive extents and elements of the language, but got 'tensor<1x1x1x1x1x8xf32>'}}
%r = tile.broadcast %x : f32 -> tensor<1x1x1x1x1x8xf32>

// -----

// Elements of a fragment are those of the language.
%x = "test.values"() : () -> (i7)
// expected-error @below {{must be fragment of rank 1 to 5 with positive extents and elements of the language, but got 'tensor<8xi7>'}}
%r = tile.broadcast %x : i7 -> tensor<8xi7>
