// RUN: tile-opt %s --convert-tile-to-nvvm=target=sm_90a --canonicalize --cse | FileCheck %s

// Tests how many words of tables are kept in registers, by the values that loops
// carry; how tables are read stands in packed-cast.mlir.

#four = #tile.layout<"256 registers=[[1],[2],[4]] lanes=[[8],[16],[32],[64],[128]] warps=[]">
#sums = #tile.layout<"2048 registers=[[1],[2],[4],[8],[16],[32]] lanes=[[64],[128],[256],[512],[1024]] warps=[]">
#many = #tile.layout<"4096 registers=[[1],[2],[4],[8],[16],[32],[64]] lanes=[[128],[256],[512],[1024],[2048]] warps=[]">

// One of each table.
// CHECK-LABEL: llvm.func @some
// CHECK: %[[Y:.+]] = nvvm.read.ptx.sreg.ctaid.y : i32
// CHECK-NEXT: %[[ZERO:.+]] = arith.andi %{{.+}}, %[[Y]] : i32
// CHECK: arith.ori %[[ZERO]]
// CHECK: arith.ori %[[ZERO]]
// CHECK-NOT: arith.ori %[[ZERO]]
// CHECK: llvm.return
tile.kernel @some(%Y: !tile.global<?xf8E4M3FN> {tile.name = "Y", tile.dtype = "fp8_e4m3", tile.access = "out", tile.dims = [256]}) attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64, shared_bytes = 128 : i64} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c9 = arith.constant 9 : i64
  %s = tile.alloc_shared "S" {offset = 0 : i64} : !tile.shared<256xi4, pack = 0>
  %zero = arith.constant dense<0.0> : tensor<2048xf32, #sums>
  %sums = scf.for %i = %c0 to %c9 step %c1 iter_args(%acc = %zero) -> (tensor<2048xf32, #sums>) : i64 {
    %x = tile.load %s : !tile.shared<256xi4, pack = 0> -> tensor<256xi4, #four>
    %y = tile.cast %x : tensor<256xi4, #four> -> tensor<256xf8E4M3FN, #four>
    tile.store %y, %Y[%c0] : tensor<256xf8E4M3FN, #four>, !tile.global<?xf8E4M3FN>
    %more = arith.addf %acc, %acc : tensor<2048xf32, #sums>
    scf.yield %more : tensor<2048xf32, #sums>
  }
  tile.return
}

// Beside 96 values or more one of a single table.
// CHECK-LABEL: llvm.func @many
// CHECK: %[[Y:.+]] = nvvm.read.ptx.sreg.ctaid.y : i32
// CHECK-NEXT: %[[ZERO:.+]] = arith.andi %{{.+}}, %[[Y]] : i32
// CHECK: arith.ori %[[ZERO]]
// CHECK-NOT: arith.ori %[[ZERO]]
// CHECK: llvm.return
tile.kernel @many(%Y: !tile.global<?xf8E4M3FN> {tile.name = "Y", tile.dtype = "fp8_e4m3", tile.access = "out", tile.dims = [256]}) attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64, shared_bytes = 128 : i64} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c9 = arith.constant 9 : i64
  %s = tile.alloc_shared "S" {offset = 0 : i64} : !tile.shared<256xi4, pack = 0>
  %zero = arith.constant dense<0.0> : tensor<4096xf32, #many>
  %sums = scf.for %i = %c0 to %c9 step %c1 iter_args(%acc = %zero) -> (tensor<4096xf32, #many>) : i64 {
    %x = tile.load %s : !tile.shared<256xi4, pack = 0> -> tensor<256xi4, #four>
    %y = tile.cast %x : tensor<256xi4, #four> -> tensor<256xf8E4M3FN, #four>
    tile.store %y, %Y[%c0] : tensor<256xf8E4M3FN, #four>, !tile.global<?xf8E4M3FN>
    %more = arith.addf %acc, %acc : tensor<4096xf32, #many>
    scf.yield %more : tensor<4096xf32, #many>
  }
  tile.return
}
