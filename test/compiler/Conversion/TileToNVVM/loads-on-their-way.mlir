// RUN: tile-opt %s --convert-tile-to-nvvm | FileCheck %s

#two = #tile.layout<"64 registers=[[1]] lanes=[[2],[4],[8],[16],[32]] warps=[]">

// Tests that what is loaded for a later iteration in pieces of a register is
// not joined, which would wait for it, before it is used.
// CHECK-LABEL: llvm.func @in_pieces
// CHECK: scf.for {{.*}} -> (f16, f16)
// CHECK: llvm.store
// CHECK: scf.yield %{{.+}}, %{{.+}} : f16, f16
tile.kernel @in_pieces(%X: !tile.global<?xf16> {tile.name = "X", tile.dtype = "f16", tile.access = "in", tile.dims = [4096]}, %Y: !tile.global<?xf16> {tile.name = "Y", tile.dtype = "f16", tile.access = "out", tile.dims = [64], tile.aligned = 16 : i64}) attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c9 = arith.constant 9 : i64
  %first = tile.load %X[%c0] : !tile.global<?xf16> -> tensor<64xf16, #two>
  %last = scf.for %i = %c1 to %c9 step %c1 iter_args(%x = %first) -> (tensor<64xf16, #two>) : i64 {
    tile.store %x, %Y[%c0] : tensor<64xf16, #two>, !tile.global<?xf16>
    %next = tile.load %X[%i] : !tile.global<?xf16> -> tensor<64xf16, #two>
    scf.yield %next : tensor<64xf16, #two>
  }
  tile.return
}

// Nibbles stay in the byte in which they came.
// CHECK-LABEL: llvm.func @in_bytes
// CHECK: scf.for {{.*}} -> (i8)
// CHECK: scf.yield %{{.+}} : i8
tile.kernel @in_bytes(%X: !tile.global<?xi4, pack = 0> {tile.name = "X", tile.dtype = "uint4", tile.access = "in", tile.dims = [4096], tile.pack = 0 : i64, tile.aligned = 1 : i64}, %Y: !tile.global<?xf16> {tile.name = "Y", tile.dtype = "f16", tile.access = "out", tile.dims = [64], tile.aligned = 16 : i64}) attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  %c9 = arith.constant 9 : i64
  %first = tile.load %X[%c0] : !tile.global<?xi4, pack = 0> -> tensor<64xi4, #two>
  %last = scf.for %i = %c1 to %c9 step %c1 iter_args(%x = %first) -> (tensor<64xi4, #two>) : i64 {
    %f = tile.cast %x {source_unsigned} : tensor<64xi4, #two> -> tensor<64xf16, #two>
    %j = arith.muli %i, %c2 : i64
    tile.store %f, %Y[%c0] : tensor<64xf16, #two>, !tile.global<?xf16>
    %next = tile.load %X[%j] : !tile.global<?xi4, pack = 0> -> tensor<64xi4, #two>
    scf.yield %next : tensor<64xi4, #two>
  }
  tile.return
}
