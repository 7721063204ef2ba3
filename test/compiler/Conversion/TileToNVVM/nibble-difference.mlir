// RUN: tile-opt %s --convert-tile-to-nvvm=target=sm_90a --canonicalize --cse | FileCheck %s

// Tests differences of converted 4-bit integers: the power of two under which
// both lie is subtracted from neither.

#four = #tile.layout<"256 registers=[[1],[2],[4]] lanes=[[8],[16],[32],[64],[128]] warps=[]">
#apart = #tile.layout<"256 registers=[[4],[1],[2]] lanes=[[8],[16],[32],[64],[128]] warps=[]">

// CHECK-LABEL: llvm.func @of_two
// CHECK-COUNT-8: lop3.b32 $0, $1, $2, $3, 0x6a;
// CHECK-COUNT-4: llvm.intr.fma({{.*}}vector<2xbf16>
// CHECK-NOT: llvm.intr.fma
// CHECK: llvm.return
tile.kernel @of_two(%Y: !tile.global<?xbf16> {tile.name = "Y", tile.dtype = "bf16", tile.access = "out", tile.dims = [256]}) attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64, shared_bytes = 512 : i64} {
  %c0 = arith.constant 0 : i64
  %s = tile.alloc_shared "S" {offset = 0 : i64} : !tile.shared<256xi4, pack = 0>
  %t = tile.alloc_shared "T" {offset = 128 : i64} : !tile.shared<256xi4, pack = 0>
  %q = tile.load %s : !tile.shared<256xi4, pack = 0> -> tensor<256xi4, #four>
  %z = tile.load %t : !tile.shared<256xi4, pack = 0> -> tensor<256xi4, #four>
  %x = tile.cast %q {source_unsigned} : tensor<256xi4, #four> -> tensor<256xbf16, #apart>
  %w = tile.cast %z {source_unsigned} : tensor<256xi4, #four> -> tensor<256xbf16, #apart>
  %y = arith.subf %x, %w : tensor<256xbf16, #apart>
  tile.store %y, %Y[%c0] : tensor<256xbf16, #apart>, !tile.global<?xbf16>
  tile.return
}

// A constant joins the power: 128 + 8 + 3 is 0x430B in bf16, negative 0xC30B.
// CHECK-LABEL: llvm.func @of_constant
// CHECK: arith.constant -1022639349 : i32
// CHECK-COUNT-4: llvm.intr.fma({{.*}}vector<2xbf16>
// CHECK-NOT: llvm.intr.fma
// CHECK: llvm.return
tile.kernel @of_constant(%Y: !tile.global<?xbf16> {tile.name = "Y", tile.dtype = "bf16", tile.access = "out", tile.dims = [256]}) attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64, shared_bytes = 512 : i64} {
  %c0 = arith.constant 0 : i64
  %s = tile.alloc_shared "S" {offset = 0 : i64} : !tile.shared<256xi4, pack = 0>
  %q = tile.load %s : !tile.shared<256xi4, pack = 0> -> tensor<256xi4, #four>
  %x = tile.cast %q : tensor<256xi4, #four> -> tensor<256xbf16, #apart>
  %w = arith.constant dense<3.0> : tensor<256xbf16, #apart>
  %y = arith.subf %x, %w : tensor<256xbf16, #apart>
  tile.store %y, %Y[%c0] : tensor<256xbf16, #apart>, !tile.global<?xbf16>
  tile.return
}

// Numbers of which one is signed lie under different powers: one by one.
// CHECK-LABEL: llvm.func @of_both_kinds
// CHECK-COUNT-12: llvm.intr.fma({{.*}}vector<2xbf16>
// CHECK: llvm.return
tile.kernel @of_both_kinds(%Y: !tile.global<?xbf16> {tile.name = "Y", tile.dtype = "bf16", tile.access = "out", tile.dims = [256]}) attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64, shared_bytes = 512 : i64} {
  %c0 = arith.constant 0 : i64
  %s = tile.alloc_shared "S" {offset = 0 : i64} : !tile.shared<256xi4, pack = 0>
  %t = tile.alloc_shared "T" {offset = 128 : i64} : !tile.shared<256xi4, pack = 0>
  %q = tile.load %s : !tile.shared<256xi4, pack = 0> -> tensor<256xi4, #four>
  %z = tile.load %t : !tile.shared<256xi4, pack = 0> -> tensor<256xi4, #four>
  %x = tile.cast %q {source_unsigned} : tensor<256xi4, #four> -> tensor<256xbf16, #apart>
  %w = tile.cast %z : tensor<256xi4, #four> -> tensor<256xbf16, #apart>
  %y = arith.subf %x, %w : tensor<256xbf16, #apart>
  tile.store %y, %Y[%c0] : tensor<256xbf16, #apart>, !tile.global<?xbf16>
  tile.return
}
