// RUN: tile-opt %s --split-input-file --verify-diagnostics

// peer-c1: blocks are counted from 0.
%s = tile.alloc_shared "S" : !tile.shared<16x8xf32>
// expected-error @below {{peer-c1: rank is not negative, found -1}}
%p = tile.peer %s {rank = -1 : i64} : !tile.shared<16x8xf32>

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
