// RUN: tile-opt %s --allow-unregistered-dialect --split-input-file --verify-diagnostics

// memory-c1: an asynchronous copy has an index for each dimension.
%a, %b, %c = "test.values"() : () -> (!tile.global<?x?xf32>, !tile.shared<16x8xf32>, i64)
// expected-error @below {{memory-c1: needs one index for each dimension of '!tile.global<?x?xf32>', found 1}}
tile.async_copy %a[%c] to %b : !tile.global<?x?xf32>, !tile.shared<16x8xf32>

// -----

// memory-c2: the tile has no more dimensions than the tensor.
%a, %b, %c = "test.values"() : () -> (!tile.global<?xf32>, !tile.shared<16x8xf32>, i64)
// expected-error @below {{memory-c2: rank is above that of '!tile.global<?xf32>'}}
tile.async_copy %a[%c] to %b : !tile.global<?xf32>, !tile.shared<16x8xf32>

// -----

// memory-c3: an asynchronous copy does not convert.
%a, %b, %c = "test.values"() : () -> (!tile.global<?xf32>, !tile.shared<8xf16>, i64)
// expected-error @below {{memory-c3: element types differ: 'f32' and 'f16'}}
tile.async_copy %a[%c] to %b : !tile.global<?xf32>, !tile.shared<8xf16>
