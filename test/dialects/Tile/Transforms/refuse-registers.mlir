// RUN: tile-opt %s --tile-refuse-unsupported=target=sm_90a --split-input-file --verify-diagnostics -o /dev/null

// Tests that a warpgroup changes the number of its registers once.
tile.kernel @twice() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 256 : i64} {
  tile.warpgroup [0] {
    tile.set_max_registers 40
  }, [1] {
    tile.set_max_registers 232
  }
  tile.warpgroup [0] {
    tile.set_max_registers 40
  }, [1] {
    // expected-error @+1 {{'set_max_registers' that changes the 232 registers of warpgroup 1 to 152 is not supported yet}}
    tile.set_max_registers 152
  }
  tile.return
}

// -----

// Tests that teams share out what a block has; of two blocks each has half.
tile.kernel @two_blocks() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 256 : i64, decisions = {min_blocks = 2 : i64}} {
  tile.warpgroup [0] {
    tile.set_max_registers 40
  }, [1] {
    // expected-error @+1 {{warpgroups take 264 registers a thread in all, and the block has 256}}
    tile.set_max_registers 224
  }
  tile.return
}
