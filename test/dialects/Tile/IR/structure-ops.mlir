// RUN: tile-opt %s --allow-unregistered-dialect | tile-opt --allow-unregistered-dialect | FileCheck %s
// RUN: tile-opt %s --allow-unregistered-dialect --mlir-print-op-generic | tile-opt --allow-unregistered-dialect | FileCheck %s

// Tests that a kernel keeps what is said of its arguments, sizes, facts, grid,
// tensor maps and variant.
// CHECK-LABEL: tile.kernel @described
// CHECK-SAME: %{{.+}}: !tile.global<?x?xi4, pack = 0>
// CHECK-SAME: tile.access = "in", tile.dims = ["K", ["ceildiv", "N", 2]], tile.dtype = "uint4", tile.name = "B", tile.noalias, tile.strided
// CHECK-SAME: %{{.+}}: f32 {tile.dtype = "f32", tile.name = "s"}
// CHECK-SAME: axes = ["bx", "by"], blocks = ["min", ["ceildiv", "N", 128], "sm_count"]
// CHECK-SAME: checks = [{expr = ["==", ["%", "K", 32], 0], text = "K % 32 == 0"}]
// CHECK-SAME: config = {BM = 128 : i64, CAUSAL = false}
// CHECK-SAME{LITERAL}: grid = [["ceildiv", "N", 128], 4]
// CHECK-SAME: guards = [{expr = ["==", ["%", ["address", "B"], 16], 0], text = "B is aligned"}]
// CHECK-SAME: origin = "described", shared_bytes = 1024 : i64
// CHECK-SAME: symbols = [{dim = 0 : i64, name = "K", param = 0 : i64}, {dim = 1 : i64, name = "N", param = 0 : i64, value = 64 : i64}]
// CHECK-SAME: target = "sm_90a"
// CHECK-SAME: tensor_maps = [{box = [16, 128], param = 0 : i64, swizzle = 128 : i64}, {box = [1, 256], l2_promotion = 0 : i64, param = 0 : i64, swizzle = 0 : i64}]
// CHECK-SAME: threads = 256 : i64, variant = "aligned"
// CHECK: tile.return
tile.kernel @described(
    %B: !tile.global<?x?xi4, pack = 0> {tile.name = "B", tile.dtype = "uint4", tile.access = "in", tile.dims = ["K", ["ceildiv", "N", 2]], tile.strided, tile.noalias},
    %s: f32 {tile.name = "s", tile.dtype = "f32"})
    attributes {
      symbols = [{name = "K", param = 0 : i64, dim = 0 : i64}, {name = "N", param = 0 : i64, dim = 1 : i64, value = 64 : i64}],
      checks = [{expr = ["==", ["%", "K", 32], 0], text = "K % 32 == 0"}],
      grid = [["ceildiv", "N", 128], 4], axes = ["bx", "by"], threads = 256 : i64,
      config = {BM = 128 : i64, CAUSAL = false}, variant = "aligned", origin = "described",
      guards = [{expr = ["==", ["%", ["address", "B"], 16], 0], text = "B is aligned"}],
      tensor_maps = [{param = 0 : i64, box = [16, 128], swizzle = 128 : i64}, {param = 0 : i64, box = [1, 256], swizzle = 0 : i64, l2_promotion = 0 : i64}],
      blocks = ["min", ["ceildiv", "N", 128], "sm_count"],
      target = "sm_90a", shared_bytes = 1024 : i64} {
  tile.return
}

// Tests the sizes and places that a block asks for.
// CHECK-LABEL: tile.kernel @indices
// CHECK: tile.symbol "M" : i64
// CHECK-NEXT: tile.block_id 1 : i64
tile.kernel @indices(%A: !tile.global<?xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "in", tile.dims = ["M"]})
    attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}], checks = [], grid = [1, "M"], axes = ["bx", "by"], threads = 32 : i64} {
  %m = tile.symbol "M" : i64
  %b = tile.block_id 1 : i64
  tile.return
}

// Tests pipelined loops: carried values, stages, attributes, or none of them.
// CHECK-LABEL: tile.kernel @pipelined_loops
// CHECK: %[[V:.+]]:3 = "test.values"
// CHECK: tile.pipelined %{{.+}} = %[[V]]#0 to %[[V]]#1 step 1 {
// CHECK-NEXT: "test.op"() : () -> ()
// CHECK-NEXT: }
// CHECK: %{{.+}} = tile.pipelined %{{.+}} = %[[V]]#0 to %[[V]]#1 step 4 iter_args(%[[X:.+]] = %[[V]]#2) -> (tensor<16x8xf32>) stages(3) fixed {
// CHECK-NEXT: tile.yield %[[X]] : tensor<16x8xf32>
// CHECK-NEXT: } {note = "kept"}
tile.kernel @pipelined_loops() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %lo, %hi, %init = "test.values"() : () -> (i64, i64, tensor<16x8xf32>)
  tile.pipelined %k = %lo to %hi step 1 {
    "test.op"() : () -> ()
  }
  %r = tile.pipelined %k = %lo to %hi step 4 iter_args(%x = %init) -> (tensor<16x8xf32>) stages(3) fixed {
    tile.yield %x : tensor<16x8xf32>
  } {note = "kept"}
  tile.return
}

// Tests element loops: without results, with them, and with index maps.
// CHECK-LABEL: tile.kernel @element_loops
// CHECK: %[[V:.+]]:2 = "test.values"
// CHECK: tile.parallel (%{{.+}}) in (16) {
// CHECK-NEXT: "test.op"() : () -> ()
// CHECK-NEXT: }
// CHECK: %[[R:.+]]:2 = tile.parallel (%[[I:.+]], %[[J:.+]]) in (16, 8) init(%[[V]]#0, %[[V]]#1 : tensor<16x8xf32>, tensor<8x16xf32>) maps [#{{.+}}, #{{.+}}] {
// CHECK-NEXT: %[[E:.+]] = tile.element %[[V]]#0[%[[I]], %[[J]]] : tensor<16x8xf32>
// CHECK-NEXT: tile.yield %[[E]], %[[E]] : f32, f32
tile.kernel @element_loops() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %f, %g = "test.values"() : () -> (tensor<16x8xf32>, tensor<8x16xf32>)
  tile.parallel (%i) in (16) {
    "test.op"() : () -> ()
  }
  %r:2 = tile.parallel (%i, %j) in (16, 8) init(%f, %g : tensor<16x8xf32>, tensor<8x16xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1, d0)>] {
    %e = tile.element %f[%i, %j] : tensor<16x8xf32>
    tile.yield %e, %e : f32, f32
  }
  tile.return
}

// Tests the place of a block in the launch.
// CHECK-LABEL: tile.kernel @numbers
// CHECK: tile.block_id 0 : i64
// CHECK-NEXT: tile.block_number : i64
// CHECK-NEXT: tile.block_count : i64
tile.kernel @numbers() attributes {symbols = [], checks = [], grid = ["sm_count"], axes = ["b"], threads = 128 : i64} {
  %b = tile.block_id 0 : i64
  %i = tile.block_number : i64
  %n = tile.block_count : i64
  tile.return
}

// Tests the persistent loop, teams, and what a program shows and promises.
// CHECK-LABEL: tile.kernel @teams
// CHECK: %[[V:.+]]:3 = "test.values"
// CHECK: tile.persistent (%{{.+}}, %{{.+}}) in (%[[V]]#0, %[[V]]#0) group(8) {
// CHECK-NEXT: }
// CHECK-NEXT: tile.persistent (%{{.+}}) in (%[[V]]#0) {
// CHECK-NEXT: }
// CHECK-NEXT: tile.warpgroup [0] {
// CHECK-NEXT: tile.set_max_registers 40
// CHECK-NEXT: }, [1, 2] {
// CHECK-NEXT: tile.set_max_registers 232
// CHECK-NEXT: tile.warpgroup_number : i64
// CHECK-NEXT: }
// CHECK-NEXT: tile.assert %[[V]]#1, "text"
// CHECK-NEXT: tile.print "label" %[[V]]#0, %[[V]]#2 : i64, tensor<8xi8> {unsigned_values = array<i1: false, true>}
// CHECK-NEXT: tile.print "bare"
tile.kernel @teams() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 384 : i64, decisions = {raster = 8 : i64}} {
  %n, %p, %x = "test.values"() : () -> (i64, i1, tensor<8xi8>)
  tile.persistent (%i, %j) in (%n, %n) group(8) {
  }
  tile.persistent (%i) in (%n) {
  }
  tile.warpgroup [0] {
    tile.set_max_registers 40
  }, [1, 2] {
    tile.set_max_registers 232
    %g = tile.warpgroup_number : i64
  }
  tile.assert %p, "text"
  tile.print "label" %n, %x : i64, tensor<8xi8> {unsigned_values = array<i1: false, true>}
  tile.print "bare"
  tile.return
}
