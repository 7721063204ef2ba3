// RUN: tile-opt %s --convert-tile-to-nvvm | FileCheck %s

// Tests that a block of 4 x 4 bytes, read as four words and wanted transposed,
// is put together by two permutes for each word: one of neighbours, which two
// words share, and one of halves.
// CHECK-LABEL: @transposed_block
// CHECK: %[[NEIGHBOURS:.+]] = arith.constant 20800 : i32
// CHECK: %[[LEFT:.+]] = llvm.call_intrinsic "llvm.nvvm.prmt"(%[[A:.+]], %[[B:.+]], %[[NEIGHBOURS]])
// CHECK: %[[RIGHT:.+]] = llvm.call_intrinsic "llvm.nvvm.prmt"(%[[C:.+]], %[[D:.+]], %{{.+}})
// CHECK: %[[LOW:.+]] = arith.constant 21520 : i32
// CHECK: %[[FIRST:.+]] = llvm.call_intrinsic "llvm.nvvm.prmt"(%[[LEFT]], %[[RIGHT]], %[[LOW]])
// CHECK: arith.constant 20800 : i32
// CHECK: llvm.call_intrinsic "llvm.nvvm.prmt"(%[[A]], %[[B]], %{{.+}})
// CHECK: arith.constant 30258 : i32
// CHECK: %[[SECOND:.+]] = llvm.call_intrinsic "llvm.nvvm.prmt"
// CHECK: llvm.store %[[FIRST]], %{{.+}} {alignment = 4 : i64} : i32
// CHECK: llvm.store %[[SECOND]], %{{.+}} {alignment = 4 : i64} : i32
tile.kernel @transposed_block() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64, shared_bytes = 1024 : i64} {
  %s = tile.alloc_shared "S" {offset = 0 : i64} : !tile.shared<4x128xi8>
  %t = tile.alloc_shared "T" {offset = 512 : i64} : !tile.shared<128x4xi8>
  %x = tile.load %s : !tile.shared<4x128xi8> -> tensor<4x128xi8, #tile.layout<"4x128 registers=[[1,0],[2,0],[0,1],[0,2]] lanes=[[0,4],[0,8],[0,16],[0,32],[0,64]] warps=[]">>
  %y = tile.reindex %x by affine_map<(d0, d1) -> (d1, d0)> : tensor<4x128xi8, #tile.layout<"4x128 registers=[[1,0],[2,0],[0,1],[0,2]] lanes=[[0,4],[0,8],[0,16],[0,32],[0,64]] warps=[]">> -> tensor<128x4xi8, #tile.layout<"128x4 registers=[[0,1],[0,2],[1,0],[2,0]] lanes=[[4,0],[8,0],[16,0],[32,0],[64,0]] warps=[]">>
  tile.store %y, %t : tensor<128x4xi8, #tile.layout<"128x4 registers=[[0,1],[0,2],[1,0],[2,0]] lanes=[[4,0],[8,0],[16,0],[32,0],[64,0]] warps=[]">>, !tile.shared<128x4xi8>
  tile.return
}
