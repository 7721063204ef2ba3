// RUN: tile-opt %s --tile-separate-nibbles --split-input-file --verify-diagnostics

// Tests a write that an inner loop repeats.
tile.kernel @inner_loop(%n: i4 {tile.name = "n", tile.dtype = "int4"}) attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c8 = arith.constant 8 : i64
  %s = tile.alloc_shared "S" : !tile.shared<8x8xi4, pack = 1>
  tile.parallel (%i) in (8) {
    scf.for %j = %c0 to %c8 step %c1 : i64 {
      // expected-error @below {{writing 4-bit elements in a loop inside 'parallel' is not supported yet}}
      tile.store_element %n, %s[%i, %j] : i4, !tile.shared<8x8xi4, pack = 1>
    }
  }
  tile.return
}

// -----

// Tests a write that the iteration reads.
tile.kernel @read_back(%n: i4 {tile.name = "n", tile.dtype = "int4"}) attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %s = tile.alloc_shared "S" : !tile.shared<8xi4, pack = 0>
  %t = tile.alloc_shared "T" : !tile.shared<8xi4, pack = 0>
  tile.parallel (%i) in (8) {
    // expected-error @below {{reading 4-bit elements behind a write in one iteration of 'parallel' is not supported yet}}
    tile.store_element %n, %s[%i] : i4, !tile.shared<8xi4, pack = 0>
    %x = tile.load_element %s[%i] : !tile.shared<8xi4, pack = 0> -> i4
    tile.store_element %x, %t[%i] : i4, !tile.shared<8xi4, pack = 0>
  }
  tile.return
}
