// RUN: tile-opt %s --allow-unregistered-dialect --split-input-file --verify-diagnostics

// memory-c1: a load has an index for each dimension of a tensor.
%a, %b = "test.values"() : () -> (!tile.global<?x?xf32>, i64)
// expected-error @below {{memory-c1: needs one index for each dimension of '!tile.global<?x?xf32>', found 1}}
%r = tile.load %a[%b] : !tile.global<?x?xf32> -> tensor<8xf32>

// -----

// memory-c1: so has a store.
%a, %b = "test.values"() : () -> (!tile.global<?x?xf32>, tensor<8xf32>)
// expected-error @below {{memory-c1: needs one index for each dimension of '!tile.global<?x?xf32>', found 0}}
tile.store %b, %a : tensor<8xf32>, !tile.global<?x?xf32>

// -----

// memory-c1: so has a copy.
%a, %b, %c = "test.values"() : () -> (!tile.global<?xf32>, !tile.shared<8xf32>, i64)
// expected-error @below {{memory-c1: needs one index for each dimension of '!tile.global<?xf32>', found 2}}
tile.copy %a[%c, %c] to %b : !tile.global<?xf32>, !tile.shared<8xf32>

// -----

// memory-c2: a load of a whole tile has its shape.
%a = "test.values"() : () -> (!tile.shared<16x8xf32>)
// expected-error @below {{memory-c2: shape differs from that of '!tile.shared<16x8xf32>'}}
%r = tile.load %a : !tile.shared<16x8xf32> -> tensor<8x16xf32>

// -----

// memory-c2: a store of a whole tile too.
%a, %b = "test.values"() : () -> (!tile.shared<16x8xf32>, tensor<8xf32>)
// expected-error @below {{memory-c2: shape differs from that of '!tile.shared<16x8xf32>'}}
tile.store %b, %a : tensor<8xf32>, !tile.shared<16x8xf32>

// -----

// memory-c2: a copy between tiles too.
%a, %b = "test.values"() : () -> (!tile.shared<16x8xf32>, !tile.shared<8x16xf32>)
// expected-error @below {{memory-c2: shape differs from that of '!tile.shared<16x8xf32>'}}
tile.copy %a to %b : !tile.shared<16x8xf32>, !tile.shared<8x16xf32>

// -----

// memory-c2: a tile has no more dimensions than the tensor.
%a, %b = "test.values"() : () -> (!tile.global<?xf32>, i64)
// expected-error @below {{memory-c2: rank is above that of '!tile.global<?xf32>'}}
%r = tile.load %a[%b] : !tile.global<?xf32> -> tensor<16x8xf32>

// -----

// memory-c3: a load does not convert.
%a, %b = "test.values"() : () -> (!tile.global<?xf32>, i64)
// expected-error @below {{memory-c3: element types differ: 'f32' and 'f16'}}
%r = tile.load %a[%b] : !tile.global<?xf32> -> tensor<8xf16>

// -----

// memory-c3: nor does a store.
%a, %b, %c = "test.values"() : () -> (!tile.global<?xf32>, i64, tensor<8xf16>)
// expected-error @below {{memory-c3: element types differ: 'f32' and 'f16'}}
tile.store %c, %a[%b] : tensor<8xf16>, !tile.global<?xf32>

// -----

// memory-c3: nor does a copy.
%a, %b = "test.values"() : () -> (!tile.shared<8xf32>, !tile.shared<8xf16>)
// expected-error @below {{memory-c3: element types differ: 'f32' and 'f16'}}
tile.copy %a to %b : !tile.shared<8xf32>, !tile.shared<8xf16>

// -----

// memory-c3: nor does an element.
%a, %b = "test.values"() : () -> (!tile.shared<8xf32>, i64)
// expected-error @below {{memory-c3: element types differ: 'f32' and 'f16'}}
%r = tile.load_element %a[%b] : !tile.shared<8xf32> -> f16

// -----

// memory-c3: nor does a stored element.
%a, %b, %c = "test.values"() : () -> (!tile.shared<8xf32>, i64, f16)
// expected-error @below {{memory-c3: element types differ: 'f32' and 'f16'}}
tile.store_element %c, %a[%b] : f16, !tile.shared<8xf32>

// -----

// stage-c1: a buffer is the tile without its first dimension.
%a, %b = "test.values"() : () -> (!tile.shared<3x16x8xf32>, i64)
// expected-error @below {{stage-c1: result is the source without its first dimension}}
%r = tile.stage %a[%b] offset 0 : !tile.shared<3x16x8xf32> -> !tile.shared<8x16xf32>

// -----

// stage-c1: its packed dimension is the same one.
%a, %b = "test.values"() : () -> (!tile.shared<3x16x8xi4, pack = 1>, i64)
// expected-error @below {{stage-c1: result is the source without its first dimension}}
%r = tile.stage %a[%b] offset 0 : !tile.shared<3x16x8xi4, pack = 1> -> !tile.shared<16x8xi4, pack = 1>

// -----

// stage-c1: its layout is the same.
%a, %b = "test.values"() : () -> (!tile.shared<3x16x64xf16, #tile.shared_layout<swizzle = [3, 4, 3]>>, i64)
// expected-error @below {{stage-c1: result is the source without its first dimension}}
%r = tile.stage %a[%b] offset 0 : !tile.shared<3x16x64xf16, #tile.shared_layout<swizzle = [3, 4, 3]>> -> !tile.shared<16x64xf16>

// -----

// stage-c2: buffers are counted forwards.
%a, %b = "test.values"() : () -> (!tile.shared<3x16x8xf32>, i64)
// expected-error @below {{stage-c2: offset is not negative}}
%r = tile.stage %a[%b] offset -1 : !tile.shared<3x16x8xf32> -> !tile.shared<16x8xf32>

// -----

// bytes-c1: elements of a byte or more have no other form.
%a = "test.values"() : () -> (!tile.shared<16x8xf32>)
// expected-error @below {{bytes-c1: gives the storage of a 4-bit tensor or tile}}
%r = tile.bytes %a : !tile.shared<16x8xf32> -> !tile.shared<16x8xi8>

// -----

// bytes-c1: the packed dimension is halved.
%a = "test.values"() : () -> (!tile.shared<16x8xi4, pack = 1>)
// expected-error @below {{bytes-c1: gives the storage of a 4-bit tensor or tile}}
%r = tile.bytes %a : !tile.shared<16x8xi4, pack = 1> -> !tile.shared<8x8xi8>

// -----

// The text of an order is one.
%a = "test.values"() : () -> (!tile.shared<2x16xi8>)
// expected-error @below {{not an order: the digits along dimension 1 do not count to 8}}
%r = tile.unpacked %a by <"4x8 bits=8 order=[[0,1,4],[1,1,4]]"> : <2x16xi8> -> <4x8xi8>

// -----

// unpacked-c1: the rows have as many elements as the order.
%a = "test.values"() : () -> (!tile.shared<2x8xi8>)
// expected-error @below {{unpacked-c1: names 4x8 bits=8 order=[[0,1,4],[1,1,8]] in rows of as many elements}}
%r = tile.unpacked %a by <"4x8 bits=8 order=[[0,1,4],[1,1,8]]"> : <2x8xi8> -> <4x8xi8>

// -----

// unpacked-c2: a load would take rows of memory for rows of the tile.
%a, %i = "test.values"() : () -> (!tile.shared<2x16xi8>, i64)
// expected-error @below {{unpacked-c2: is for products and their operands}}
%r = tile.unpacked %a by <"4x8 bits=8 order=[[0,1,4],[1,1,8]]"> : <2x16xi8> -> <4x8xi8>
%x = tile.load %r[%i, %i] : !tile.shared<4x8xi8> -> tensor<4x8xi8>

// -----

// copy-c1: a copy between tensors has no shape.
%a, %b = "test.values"() : () -> (!tile.global<?xf32>, i64)
// expected-error @below {{copy-c1: one side is a shared tile}}
tile.copy %a[%b] to %a[%b] : !tile.global<?xf32>, !tile.global<?xf32>

// -----

// element-c1: an element has an index for each dimension.
%a, %b = "test.values"() : () -> (tensor<16x8xf32>, i64)
// expected-error @below {{element-c1: needs one index for each dimension}}
%r = tile.element %a[%b] : tensor<16x8xf32>

// -----

// element-c1: an element of memory too.
%a, %b = "test.values"() : () -> (!tile.shared<16x8xf32>, i64)
// expected-error @below {{element-c1: needs one index for each dimension}}
%r = tile.load_element %a[%b] : !tile.shared<16x8xf32> -> f32

// -----

// element-c1: a stored element too.
%a, %b, %c = "test.values"() : () -> (!tile.shared<16x8xf32>, i64, f32)
// expected-error @below {{element-c1: needs one index for each dimension}}
tile.store_element %c, %a[%b, %b, %b] : f32, !tile.shared<16x8xf32>

// -----

// element-c1: a stored pair too.
%a, %b, %c, %p = "test.values"() : () -> (!tile.shared<16x8xi4, pack = 1>, i64, i4, i1)
// expected-error @below {{element-c1: needs one index for each dimension}}
tile.store_pair %c if %p, %c if %p, %a[%b] : i4, !tile.shared<16x8xi4, pack = 1>

// -----

// store-pair-c1: bytes of one element have no pair.
%a, %b, %c, %p = "test.values"() : () -> (!tile.shared<16x8xi8>, i64, i8, i1)
// expected-error @below {{store-pair-c1: elements of the memory share bytes}}
tile.store_pair %c if %p, %c if %p, %a[%b, %b] : i8, !tile.shared<16x8xi8>

// -----

// part-c1: the kept dimensions are in order.
%a, %i = "test.values"() : () -> (!tile.shared<16x8xf32>, i64)
// expected-error @below {{part-c1: 'kept' lists, in order, one dimension of the source for each of the result}}
%0 = tile.slice %a[%i, %i] {kept = array<i64: 1, 0>} : !tile.shared<16x8xf32> -> !tile.shared<8x16xf32>

// -----

// part-c1: a part has no more dimensions than its tile.
%a, %i = "test.values"() : () -> (!tile.shared<8xf32>, i64)
// expected-error @below {{part-c1: 'kept' lists, in order, one dimension of the source for each of the result}}
%0 = tile.slice %a[%i] : !tile.shared<8xf32> -> !tile.shared<2x4xf32>

// -----

// part-c2: the packed dimension stays.
%a, %i = "test.values"() : () -> (!tile.shared<16x8xi4, pack = 0>, i64)
// expected-error @below {{part-c2: element type and packed dimension stay}}
%0 = tile.slice %a[%i, %i] : !tile.shared<16x8xi4, pack = 0> -> !tile.shared<8xi4, pack = 0>

// -----

// slice-c1: a part is not longer than its tile.
%a, %i = "test.values"() : () -> (!tile.shared<16x8xf32>, i64)
// expected-error @below {{slice-c1: extent 32 is above that of dimension 0, 16}}
%0 = tile.slice %a[%i, %i] : !tile.shared<16x8xf32> -> !tile.shared<32x8xf32>

// -----

// memory-c1: a part has an offset for each dimension.
%a, %i = "test.values"() : () -> (!tile.shared<16x8xf32>, i64)
// expected-error @below {{memory-c1: needs one index for each dimension of '!tile.shared<16x8xf32>', found 1}}
%0 = tile.slice %a[%i] : !tile.shared<16x8xf32> -> !tile.shared<8xf32>

// -----

// view-c1: a view has a size for each of its dimensions.
%a, %i = "test.values"() : () -> (!tile.global<?x?xf32>, i64)
// expected-error @below {{view-c1: has one size for each dimension of the result}}
%0 = tile.view %a[%i, %i] sizes [%i] : !tile.global<?x?xf32> -> !tile.global<?x?xf32>

// -----

// atomic-c1: bytes are not changed atomically.
%a, %t, %i = "test.values"() : () -> (!tile.global<?x?xi8>, tensor<16x8xi8>, i64)
// expected-error @below {{atomic-c1: no atomic 'add' of 'i8'}}
tile.atomic add %t, %a[%i, %i] : tensor<16x8xi8>, !tile.global<?x?xi8>

// -----

// atomic-c1: halves only add.
%a, %x, %i = "test.values"() : () -> (!tile.global<?xf16>, f16, i64)
// expected-error @below {{atomic-c1: no atomic 'max' of 'f16'}}
%0 = tile.atomic_element max %x, %a[%i] : f16, !tile.global<?xf16>

// -----

// element-c1: an atomic on an element names one.
%a, %x, %i = "test.values"() : () -> (!tile.global<?x?xf32>, f32, i64)
// expected-error @below {{element-c1: needs one index for each dimension}}
%0 = tile.atomic_element add %x, %a[%i] : f32, !tile.global<?x?xf32>

// -----

// copy-c2: a shared tile is written whole.
%a, %b, %i = "test.values"() : () -> (!tile.global<?x?xf32>, !tile.shared<16x8xf32>, i64)
// expected-error @below {{copy-c2: a shared destination has no indices}}
tile.copy %a[%i, %i] to %b[%i, %i] : !tile.global<?x?xf32>, !tile.shared<16x8xf32>

// -----

// store-through-c1: a matrix is stored.
%v, %a, %s, %i = "test.values"() : () -> (tensor<64xbf16>, !tile.global<?x?xbf16>, !tile.shared<2x64x64xbf16>, i64)
// expected-error @below {{store-through-c1: stores a matrix of the tensor's elements}}
tile.store_through %v, %a[%i, %i] by %s {map = 0 : i64} : tensor<64xbf16>, !tile.global<?x?xbf16>, !tile.shared<2x64x64xbf16>

// -----

// store-through-c2: each warpgroup has two buffers.
%v, %a, %s, %i = "test.values"() : () -> (tensor<64x64xbf16>, !tile.global<?x?xbf16>, !tile.shared<1x64x64xbf16>, i64)
// expected-error @below {{store-through-c2: has two buffers for each warpgroup}}
tile.store_through %v, %a[%i, %i] by %s {map = 0 : i64} : tensor<64x64xbf16>, !tile.global<?x?xbf16>, !tile.shared<1x64x64xbf16>
