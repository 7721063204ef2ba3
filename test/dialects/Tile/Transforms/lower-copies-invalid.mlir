// RUN: tile-opt %s --tile-lower-copies --split-input-file --verify-diagnostics

tile.kernel @unaligned(%B: !tile.global<?x?xbf16> {tile.name = "B", tile.dtype = "bf16", tile.access = "in", tile.dims = ["M", "K"]})
    attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "K", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c0 = arith.constant 0 : i64
  %as = tile.alloc_shared "As" : !tile.shared<16x32xbf16>
  // expected-error @below {{an async copy moves 4, 8 or 16 bytes, but only 2 are known to be aligned}}
  tile.async_copy %B[%c0, %c0] to %as : !tile.global<?x?xbf16>, !tile.shared<16x32xbf16>
  tile.return
}
