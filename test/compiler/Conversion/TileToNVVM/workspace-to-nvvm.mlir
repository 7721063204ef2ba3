// RUN: tile-opt %s --convert-tile-to-nvvm='target=sm_80' | FileCheck %s

// Tests that the workspace is the last parameter, with an array for each place,
// and that one thread counts for its block, seen by the whole device, and sets
// the counter back.
// CHECK-LABEL: llvm.func @meet
// CHECK-SAME: %[[C:.+]]: !llvm.ptr<1>, %[[N:.+]]: i64, %[[W:.+]]: !llvm.ptr<1> {llvm.align = 16 : i64
// CHECK: nvvm.read.ptx.sreg.ctaid.x
// CHECK: llvm.getelementptr %[[W]]
// CHECK: llvm.store
// CHECK: "atom.acq_rel.gpu.global.add.u32 $0, [$1], $2;"
// CHECK: llvm.store %{{.+}}, %{{.+}} {alignment = 4 : i64} : i32, !llvm.ptr<1>
// CHECK: llvm.call_intrinsic "llvm.nvvm.barrier.cta.red.or.aligned.all"
#row = #tile.layout<"128 registers=[] lanes=[[1],[2],[4],[8],[16]] warps=[[32],[64]]">
tile.kernel @meet(%C: !tile.global<?xf32> {tile.name = "C", tile.dtype = "f32", tile.access = "out", tile.dims = ["N"]})
    attributes {symbols = [{name = "N", param = 0 : i64, dim = 0 : i64}], checks = [], grid = [["ceildiv", "N", 128 : i64]], axes = ["bx"], threads = 128 : i64,
                blocks = ["*", 3 : i64, ["ceildiv", "N", 128 : i64]], tile.shares = 3 : i64, tile.workspace = ["+", 65536 : i64, ["*", 1536 : i64, ["ceildiv", "N", 128 : i64]]]} {
  %c0 = arith.constant 0 : i64
  %r = tile.block_rank : i64
  %w = tile.workspace {offset = 65536 : i64, place_bytes = 1536 : i64} : !tile.global<3x128xf32>
  %x = arith.constant dense<1.0> : tensor<128xf32, #row>
  tile.store %x, %w[%r, %c0] : tensor<128xf32, #row>, !tile.global<3x128xf32>
  %last = tile.last_share : i1
  scf.if %last {
    tile.store %x, %C[%c0] : tensor<128xf32, #row>, !tile.global<?xf32>
  }
  tile.return
}
