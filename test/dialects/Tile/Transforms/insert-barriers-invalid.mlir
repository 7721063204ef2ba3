// RUN: tile-opt %s --tile-insert-barriers --split-input-file --verify-diagnostics

// Tests that branches between blocks are refused rather than not ordered.
// expected-error @below {{internal error in tile-insert-barriers: the kernel has unstructured control flow}}
tile.kernel @branch() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  cf.br ^end
^end:
  tile.return
}

// -----

// Tests that so are regions that the pass does not know how to walk.
tile.kernel @unknown_region() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  // expected-error @below {{internal error in tile-insert-barriers: unknown control flow 'scf.execute_region'}}
  scf.execute_region {
    scf.yield
  }
  tile.return
}
