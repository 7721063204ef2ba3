// RUN: tile-opt %s --split-input-file --verify-diagnostics

// peer-c1: blocks are counted from 0.
%s = tile.alloc_shared "S" : !tile.shared<16x8xf32>
// expected-error @below {{peer-c1: rank is not negative, found -1}}
%p = tile.peer %s {rank = -1 : i64} : !tile.shared<16x8xf32>
