// RUN: tile-opt %s --tile-refuse-unsupported=target=sm_89 --split-input-file --verify-diagnostics -o /dev/null

// Tests that what GPUs before sm_90a lack is told once, with their name.
tile.kernel @warpgroup() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  // expected-error @+1 {{'warpgroup' needs sm_90a, and the target is sm_89}}
  tile.warpgroup [0] {
    tile.set_max_registers 40
  }
  tile.return
}

// -----

tile.kernel @alloc_barrier() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  // expected-error @+1 {{'alloc_barrier' needs sm_90a, and the target is sm_89}}
  %b = tile.barrier_alloc "b" count 1 : !tile.barrier<2>
  %c0 = arith.constant 0 : i64
  tile.arrive %b[%c0] : !tile.barrier<2>
  tile.return
}

// -----

tile.kernel @tma_copy(%A: !tile.global<?x?xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "out", tile.dims = ["M", "N"]}) attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "N", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c0 = arith.constant 0 : i64
  %s = tile.alloc_shared "S" : !tile.shared<8x8xf32>
  // expected-error @+1 {{'tma_copy' needs sm_90a, and the target is sm_89}}
  tile.tma_copy %s to %A[%c0, %c0] : !tile.shared<8x8xf32>, !tile.global<?x?xf32>
  tile.return
}

// -----

tile.kernel @assert(%c: i1 {tile.name = "c", tile.dtype = "bool"}) attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  // expected-error @+1 {{'assert' is not supported yet}}
  tile.assert %c, "text"
  tile.return
}

// -----

tile.kernel @print(%c: i1 {tile.name = "c", tile.dtype = "bool"}) attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  tile.parallel (%i) in (8) {
    // expected-error @+1 {{'print' is not supported yet}}
    tile.print "c" %c : i1
  }
  tile.return
}

// -----

tile.kernel @annotate_layout(%f: f32 {tile.name = "f", tile.dtype = "f32"}) attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %x = tile.broadcast %f : f32 -> tensor<16x8xf32>
  // expected-error @+1 {{'annotate(layout = ...)' is not supported yet}}
  %y = tile.annotate_layout %x, <"16x8 registers=[[0,1],[8,0]] lanes=[[0,2],[0,4],[1,0],[2,0],[4,0]] warps=[]"> : tensor<16x8xf32>
  tile.return
}

// -----

// Tests that decisions exist, and have values that fit.
// expected-error @+1 {{there is no decision 'speed'}}
tile.kernel @unknown() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64, decisions = {speed = 2 : i64}} {
  tile.return
}

// -----

// expected-error @+1 {{decision 'raster' takes a whole number from 0 to 65535, found 'wide'}}
tile.kernel @unfit() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64, decisions = {raster = "wide"}} {
  tile.return
}

// -----

// Tests that kernels start beside those before them only where a GPU can.
// expected-error @+1 {{decision 'overlap' = weights needs sm_90a, and the target is sm_89}}
tile.kernel @overlaps() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64, decisions = {overlap = "weights"}} {
  tile.return
}

// -----

// Tests that not to is no wish of GPUs that can.
tile.kernel @follows() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64, decisions = {overlap = "none"}} {
  tile.return
}

// -----

// Tests that fragments are refused whose code would take minutes to compile.
tile.kernel @huge_fragment() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  // expected-error @+2 {{8192 elements a thread; the limit is 2048}}
  // expected-note @+1 {{help: use a smaller tile or more threads}}
  %x = arith.constant dense<0.0> : tensor<1024x1024xf32>
  tile.return
}

// -----

// Tests that what is lowered passes.
tile.kernel @followed() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64, decisions = {min_blocks = 2 : i64, raster = 4 : i64}} {
  tile.commit_group
  tile.wait_group 0
  tile.return
}
