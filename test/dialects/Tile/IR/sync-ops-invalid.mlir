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

// -----

// async-copy-elements-c1: the bytes of one instruction.
%a, %b, %i = "test.values"() : () -> (!tile.global<?x?xf16>, !tile.shared<16x8xf16>, i64)
// expected-error @below {{async-copy-elements-c1: moves 4, 8 or 16 bytes, but 16 elements of 'f16' are 256 bits}}
tile.async_copy_elements %a[%i, %i] to %b[%i, %i] count 16 : !tile.global<?x?xf16>, !tile.shared<16x8xf16>

// -----

// async-copy-elements-c2: consecutive elements share bytes.
%a, %b, %i = "test.values"() : () -> (!tile.global<?x?xi4, pack = 0>, !tile.shared<16x8xi4, pack = 0>, i64)
// expected-error @below {{async-copy-elements-c2: 4-bit elements are packed along the last dimension}}
tile.async_copy_elements %a[%i, %i] to %b[%i, %i] count 8 : !tile.global<?x?xi4, pack = 0>, !tile.shared<16x8xi4, pack = 0>

// -----

// barrier-c1: a phase ends by arrivals.
// expected-error @below {{barrier-c1: count is positive, found 0}}
%b = tile.barrier_alloc count 0 : !tile.barrier<1>

// -----

// barrier-c2: one of several is named.
%b = "test.values"() : () -> (!tile.barrier<2>)
// expected-error @below {{barrier-c2: needs an index, for 2 barriers}}
tile.arrive %b : !tile.barrier<2>

// -----

// tma-copy-c1: a box moves between a tensor and a tile.
%a, %i = "test.values"() : () -> (!tile.global<?x?xf16>, i64)
// expected-error @below {{tma-copy-c1: moves between a tensor and a shared tile}}
tile.tma_copy %a[%i, %i] to %a[%i, %i] : !tile.global<?x?xf16>, !tile.global<?x?xf16>

// -----

// tma-copy-c1: the tile is whole.
%a, %b, %i = "test.values"() : () -> (!tile.global<?x?xf16>, !tile.shared<16x8xf16>, i64)
// expected-error @below {{tma-copy-c1: the tensor has an index for each dimension, the shared tile none}}
tile.tma_copy %b[%i, %i] to %a[%i, %i] : !tile.shared<16x8xf16>, !tile.global<?x?xf16>

// -----

// tma-copy-c2: a load completes on a barrier.
%a, %b, %i = "test.values"() : () -> (!tile.global<?x?xf16>, !tile.shared<16x8xf16>, i64)
// expected-error @below {{tma-copy-c2: a load names a barrier, a store does not}}
tile.tma_copy %a[%i, %i] to %b : !tile.global<?x?xf16>, !tile.shared<16x8xf16>

// -----

// wait-group-c1: groups are counted.
// expected-error @below {{wait-group-c1: 'pending' is not negative, found -1}}
tile.wait_group -1

// -----

// tma-copy-c3: a tensor map is one of the kernel's.
tile.kernel @no_map(%A: !tile.global<?xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "out", tile.dims = ["N"]}) attributes {symbols = [{name = "N", param = 0 : i64, dim = 0 : i64}], checks = [], grid = [], axes = [], threads = 32 : i64, tensor_maps = [{param = 0 : i64, box = [64], swizzle = 0 : i64}]} {
  %s = tile.alloc_shared : !tile.shared<64xf32>
  %c0 = arith.constant 0 : i64
  // expected-error @+1 {{tma-copy-c3: names tensor map 1, and the kernel has 1}}
  tile.tma_copy %s to %A[%c0] {map = 1 : i64} : !tile.shared<64xf32>, !tile.global<?xf32>
  tile.return
}

// -----

// tma-copy-c4: other blocks are those of a cluster.
tile.kernel @alone(%A: !tile.global<?xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "in", tile.dims = ["N"]}) attributes {symbols = [{name = "N", param = 0 : i64, dim = 0 : i64}], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %s = tile.alloc_shared : !tile.shared<64xf32>
  %b = tile.barrier_alloc count 1 : !tile.barrier<1>
  %c0 = arith.constant 0 : i64
  // expected-error @+1 {{tma-copy-c4: 'multicast' is for loads, in a kernel with a 'cluster'}}
  tile.tma_copy %A[%c0] to %s barrier %b {multicast} : !tile.global<?xf32>, !tile.shared<64xf32>, !tile.barrier<1>
  tile.return
}

// -----

// barrier-c3: there is a thread for each block.
tile.kernel @few() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64, cluster = 2 : i64} {
  %b = tile.barrier_alloc count 2 {cluster} : !tile.barrier<1>
  // expected-error @+1 {{barrier-c3: on barriers of a cluster warpgroups or warps arrive}}
  tile.arrive %b : !tile.barrier<1>
  tile.return
}

// -----

// barrier-c4: there are other blocks.
tile.kernel @one() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  // expected-error @+1 {{barrier-c4: 'cluster' needs a kernel with a 'cluster'}}
  %b = tile.barrier_alloc count 2 {cluster} : !tile.barrier<1>
  tile.return
}

// -----

// barrier-c5: the instruction has no predicate.
%b, %p = "test.values"() : () -> (!tile.barrier<1>, i1)
// expected-error @below {{barrier-c5: an arrival after copies has no predicate}}
tile.arrive %b if %p {after_copies} : !tile.barrier<1>
