// RUN: tile-opt %s --tile-expand-moves --split-input-file --verify-diagnostics

// Tests an asynchronous copy into a part whose elements are no neighbours.
tile.kernel @column(%A: !tile.global<?xf16> {tile.name = "A", tile.dtype = "f16", tile.access = "in", tile.dims = ["M"]}) attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c0 = arith.constant 0 : i64
  %s = tile.alloc_shared "S" : !tile.shared<16x8xf16>
  %t = tile.slice %s[%c0, %c0] {kept = array<i64: 0>} : !tile.shared<16x8xf16> -> !tile.shared<16xf16>
  // expected-error @below {{an async copy moves neighbours, but the elements of its destination are not: the part leaves out the last dimension of the tile}}
  tile.async_copy %A[%c0] to %t : !tile.global<?xf16>, !tile.shared<16xf16>
  tile.return
}

// -----

// Tests rows that are not made of pieces.
tile.kernel @odd_rows(%A: !tile.global<?x?xf16> {tile.name = "A", tile.dtype = "f16", tile.access = "in", tile.dims = ["M", "K"]}) attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "K", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c0 = arith.constant 0 : i64
  %s = tile.alloc_shared "S" : !tile.shared<4x8x15xf16>
  %t = tile.slice %s[%c0, %c0, %c0] {kept = array<i64: 0, 2>} : !tile.shared<4x8x15xf16> -> !tile.shared<4x15xf16>
  // expected-error @below {{an async copy moves 4, 8 or 16 bytes, which rows of 15 elements of 16 bits are not made of}}
  tile.async_copy %A[%c0, %c0] to %t : !tile.global<?x?xf16>, !tile.shared<4x15xf16>
  tile.return
}

// -----

// Tests a part whose bytes hold elements of two rows.
tile.kernel @packed_rows(%A: !tile.global<?x?xi4, pack = 0> {tile.name = "A", tile.dtype = "int4", tile.access = "in", tile.dims = ["M", "K"]}) attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "K", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c3 = arith.constant 3 : i64
  %s = tile.alloc_shared "S" : !tile.shared<2x11xi4, pack = 0>
  %t = tile.slice %s[%c1, %c3] : !tile.shared<2x11xi4, pack = 0> -> !tile.shared<1x8xi4, pack = 0>
  // expected-error @below {{an async copy to this part of a shared tile, whose elements are packed along dimension 0, is not supported yet}}
  tile.async_copy %A[%c0, %c0] to %t : !tile.global<?x?xi4, pack = 0>, !tile.shared<1x8xi4, pack = 0>
  tile.return
}
