// RUN: tile-opt %s --convert-tile-to-nvvm --split-input-file --verify-diagnostics

// Tests that tensors in an order that has no addresses yet are refused where
// they are declared.
tile.kernel @strided_all(
    // expected-error @below {{'strided(all)' is not supported yet}}
    %A: !tile.global<?xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "in", tile.dims = ["M"], tile.strided_all})
    attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}], checks = [], grid = [], axes = [], threads = 128 : i64} {
  tile.return
}

// -----

tile.kernel @prepack(
    // expected-error @below {{'prepack' is not supported yet}}
    %B: !tile.global<?x?xi4, pack = 1> {tile.name = "B", tile.dtype = "int4", tile.access = "in", tile.dims = ["N", "K"], tile.pack = 1 : i64, tile.prepack})
    attributes {symbols = [{name = "N", param = 0 : i64, dim = 0 : i64}, {name = "K", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 128 : i64} {
  tile.return
}
