// RUN: tile-opt %s --split-input-file --verify-diagnostics

// peer-c1: blocks are counted from 0.
%s = tile.alloc_shared "S" : !tile.shared<16x8xf32>
// expected-error @below {{peer-c1: rank is not negative, found -1}}
%p = tile.peer %s {rank = -1 : i64} : !tile.shared<16x8xf32>

// -----

// send-c1: what arrives fills the inbox.
%x = arith.constant dense<0.0> : tensor<16x8xf32>
%s = tile.alloc_shared "S" : !tile.shared<1x8x4xf32>
%b = tile.barrier_alloc "b" count 1 : !tile.barrier<1>
// expected-error @below {{send-c1: the inbox has the parts of all other blocks, of elements of 32 bits}}
tile.send %x to %s, %b : tensor<16x8xf32>, !tile.shared<1x8x4xf32>, !tile.barrier<1>

// -----

%x = arith.constant dense<0.0> : tensor<15x8xf32>
%s = tile.alloc_shared "S" : !tile.shared<1x7x8xf32>
%b = tile.barrier_alloc "b" count 1 : !tile.barrier<1>
// expected-error @below {{send-c1: the inbox has the parts}}
tile.send %x to %s, %b : tensor<15x8xf32>, !tile.shared<1x7x8xf32>, !tile.barrier<1>

// -----

%x = arith.constant dense<0.0> : tensor<16x8xf16>
%s = tile.alloc_shared "S" : !tile.shared<1x8x8xf16>
%b = tile.barrier_alloc "b" count 1 : !tile.barrier<1>
// expected-error @below {{send-c1: the inbox has the parts}}
tile.send %x to %s, %b : tensor<16x8xf16>, !tile.shared<1x8x8xf16>, !tile.barrier<1>

// -----

// workspace-c1: what lies where is known.
// expected-error @below {{workspace-c1: offsets are multiples of 16 that are not negative, found 8}}
%w = tile.workspace {offset = 65536 : i64, place_bytes = 8 : i64} : !tile.global<2x16xf32>

// -----

// expected-error @below {{workspace-c1: offsets are multiples of 16 that are not negative, found -16}}
%w = tile.workspace {offset = -16 : i64, place_bytes = 0 : i64} : !tile.global<2x16xf32>

// -----

// expected-error @below {{workspace-c1: extents are known}}
%w = tile.workspace {offset = 0 : i64, place_bytes = 0 : i64} : !tile.global<?x16xf32>
