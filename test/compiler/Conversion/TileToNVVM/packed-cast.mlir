// RUN: tile-opt %s --convert-tile-to-nvvm=target=sm_80 --canonicalize --cse | FileCheck %s --check-prefixes=CHECK,SM80
// RUN: tile-opt %s --convert-tile-to-nvvm=target=sm_90a --canonicalize --cse | FileCheck %s --check-prefixes=CHECK,SM90

// Tests the recipes for packed registers by what they are made of; the counts
// for eight elements stand in PackedCast.cpp.  Values are tested by
// test/e2e/casts.

#four = #tile.layout<"256 registers=[[1],[2],[4]] lanes=[[8],[16],[32],[64],[128]] warps=[]">
#two = #tile.layout<"128 registers=[[1],[2]] lanes=[[4],[8],[16],[32],[64]] warps=[]">
// Elements 4 apart are neighbours in the registers.
#apart = #tile.layout<"256 registers=[[4],[1],[2]] lanes=[[8],[16],[32],[64],[128]] warps=[]">
// Groups of four lanes hold the same elements.
#shared = #tile.layout<"64 registers=[[1],[2],[4],[8],[16],[32]] lanes=[[0],[0],[0],[0],[0]] warps=[]">
#spread = #tile.layout<"64 registers=[[1],[8],[16],[32]] lanes=[[2],[4],[0],[0],[0]] warps=[]">

// Tests that nibbles 16 bits apart are paired by a shift.
// CHECK-LABEL: llvm.func @nibbles_to_halves
// CHECK: lop3.b32 $0, $1, $2, $3, 0x6a;
// CHECK-NOT: prmt
// CHECK-COUNT-3: lop3.b32 $0, $1, $2, $3, 0x6a;
// CHECK-NOT: lop3
// CHECK: llvm.return
tile.kernel @nibbles_to_halves(%Y: !tile.global<?xbf16> {tile.name = "Y", tile.dtype = "bf16", tile.access = "out", tile.dims = [256]}) attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64, shared_bytes = 128 : i64} {
  %c0 = arith.constant 0 : i64
  %s = tile.alloc_shared "S" {offset = 0 : i64} : !tile.shared<256xi4, pack = 0>
  %x = tile.load %s : !tile.shared<256xi4, pack = 0> -> tensor<256xi4, #four>
  %y = tile.cast %x : tensor<256xi4, #four> -> tensor<256xbf16, #apart>
  tile.store %y, %Y[%c0] : tensor<256xbf16, #apart>, !tile.global<?xbf16>
  tile.return
}

// Tests that lanes which share a source take their own bytes of it, by
// selectors that depend on the lane.
// CHECK-LABEL: llvm.func @shared_nibbles
// CHECK: %[[DIGITS:.+]] = arith.xori %{{.+}}, %{{.+}} : i32
// CHECK: prmt
tile.kernel @shared_nibbles(%Y: !tile.global<?xf16> {tile.name = "Y", tile.dtype = "f16", tile.access = "out", tile.dims = [64]}) attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64, shared_bytes = 128 : i64} {
  %c0 = arith.constant 0 : i64
  %s = tile.alloc_shared "S" {offset = 0 : i64} : !tile.shared<64xf4E2M1FN, pack = 0>
  %x = tile.load %s : !tile.shared<64xf4E2M1FN, pack = 0> -> tensor<64xf4E2M1FN, #shared>
  %y = tile.cast %x : tensor<64xf4E2M1FN, #shared> -> tensor<64xf16, #spread>
  tile.store %y, %Y[%c0] : tensor<64xf16, #spread>, !tile.global<?xf16>
  tile.return
}

// Tests that f16 takes the upper nibbles of bytes where they are: a word is
// shifted once.
// CHECK-LABEL: llvm.func @nibbles_to_f16
// CHECK: lop3.b32 $0, $1, $2, $3, 0x6a;
// CHECK-NOT: arith.shrui
// CHECK: lop3.b32 $0, $1, $2, $3, 0x6a;", "=r,r,n,n" %{{.+}}, %c15728880_i32, %c1686135936_i32
// CHECK: arith.shrui
// CHECK: lop3.b32 $0, $1, $2, $3, 0x6a;
// CHECK: lop3.b32 $0, $1, $2, $3, 0x6a;
// CHECK-NOT: lop3
// CHECK: llvm.return
tile.kernel @nibbles_to_f16(%Y: !tile.global<?xf16> {tile.name = "Y", tile.dtype = "f16", tile.access = "out", tile.dims = [256]}) attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64, shared_bytes = 128 : i64} {
  %c0 = arith.constant 0 : i64
  %s = tile.alloc_shared "S" {offset = 0 : i64} : !tile.shared<256xi4, pack = 0>
  %x = tile.load %s : !tile.shared<256xi4, pack = 0> -> tensor<256xi4, #four>
  %y = tile.cast %x : tensor<256xi4, #four> -> tensor<256xf16, #apart>
  tile.store %y, %Y[%c0] : tensor<256xf16, #apart>, !tile.global<?xf16>
  tile.return
}

// Tests that eight 4-bit floats become 8-bit floats by two permutes a word, and
// a multiplication that chooses between them; one word of a table is in a
// register that ptxas cannot see through.
// CHECK-LABEL: llvm.func @by_table
// CHECK: %[[ZERO:.+]] = nvvm.read.ptx.sreg.ctaid.y : i32
// CHECK: %[[IN_THREAD:.+]] = arith.andi %{{.+}}, %[[ZERO]] : i32
// CHECK: %[[KEPT:.+]] = arith.ori %[[IN_THREAD]], %c{{.+}} : i32
// CHECK: prmt"(%[[KEPT]], %c{{.+}}, %{{.+}})
// CHECK: prmt
// CHECK: mad.lo.s32 $0, $1, -2, $2;
// CHECK-COUNT-2: prmt
// CHECK: mad.lo.s32 $0, $1, -2, $2;
// CHECK-NOT: prmt
// CHECK: llvm.return
tile.kernel @by_table(%Y: !tile.global<?xf8E4M3FN> {tile.name = "Y", tile.dtype = "fp8_e4m3", tile.access = "out", tile.dims = [256]}) attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64, shared_bytes = 128 : i64} {
  %c0 = arith.constant 0 : i64
  %s = tile.alloc_shared "S" {offset = 0 : i64} : !tile.shared<256xf4E2M1FN, pack = 0>
  %x = tile.load %s : !tile.shared<256xf4E2M1FN, pack = 0> -> tensor<256xf4E2M1FN, #four>
  %y = tile.cast %x : tensor<256xf4E2M1FN, #four> -> tensor<256xf8E4M3FN, #four>
  tile.store %y, %Y[%c0] : tensor<256xf8E4M3FN, #four>, !tile.global<?xf8E4M3FN>
  tile.return
}

// Tests that a third permute chooses where the halves of a table differ by odd
// numbers, as those of int4 in e5m2 do: -7 is 0xC7, and 1 is 0x3C.
// CHECK-LABEL: llvm.func @by_choice
// CHECK-COUNT-6: prmt
// CHECK-NOT: prmt
// CHECK: llvm.return
tile.kernel @by_choice(%Y: !tile.global<?xf8E5M2> {tile.name = "Y", tile.dtype = "fp8_e5m2", tile.access = "out", tile.dims = [256]}) attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64, shared_bytes = 128 : i64} {
  %c0 = arith.constant 0 : i64
  %s = tile.alloc_shared "S" {offset = 0 : i64} : !tile.shared<256xi4, pack = 0>
  %x = tile.load %s : !tile.shared<256xi4, pack = 0> -> tensor<256xi4, #four>
  %y = tile.cast %x : tensor<256xi4, #four> -> tensor<256xf8E5M2, #four>
  tile.store %y, %Y[%c0] : tensor<256xf8E5M2, #four>, !tile.global<?xf8E5M2>
  tile.return
}

// Tests that the conversions of 8-bit floats are instructions where the target
// has them, from sm_89 on.
// CHECK-LABEL: llvm.func @byte_floats
// SM80-NOT: e4m3x2
// SM80-COUNT-6: llvm.intr.fma({{.*}}vector<2xf16>
// SM90-COUNT-2: llvm.nvvm.e4m3x2.to.f16x2.rn
// SM90-COUNT-2: llvm.nvvm.ff.to.e5m2x2.rn
// CHECK: llvm.return
tile.kernel @byte_floats(%Y: !tile.global<?xf16> {tile.name = "Y", tile.dtype = "f16", tile.access = "out", tile.dims = [128]}, %Z: !tile.global<?xf8E5M2> {tile.name = "Z", tile.dtype = "fp8_e5m2", tile.access = "out", tile.dims = [128]}) attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64, shared_bytes = 128 : i64} {
  %c0 = arith.constant 0 : i64
  %s = tile.alloc_shared "S" {offset = 0 : i64} : !tile.shared<128xf8E4M3FN>
  %x = tile.load %s : !tile.shared<128xf8E4M3FN> -> tensor<128xf8E4M3FN, #two>
  %y = tile.cast %x : tensor<128xf8E4M3FN, #two> -> tensor<128xf16, #two>
  tile.store %y, %Y[%c0] : tensor<128xf16, #two>, !tile.global<?xf16>
  %z = tile.cast %y : tensor<128xf16, #two> -> tensor<128xf8E5M2, #two>
  tile.store %z, %Z[%c0] : tensor<128xf8E5M2, #two>, !tile.global<?xf8E5M2>
  tile.return
}

// Tests that 4-bit floats 16 bits apart become 16-bit floats without a table.
// CHECK-LABEL: llvm.func @floats_apart
// CHECK-NOT: prmt
// CHECK-COUNT-4: llvm.intr.fma({{.*}}vector<2xbf16>
// CHECK-NOT: prmt
// CHECK: llvm.return
tile.kernel @floats_apart(%Y: !tile.global<?xbf16> {tile.name = "Y", tile.dtype = "bf16", tile.access = "out", tile.dims = [256]}) attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64, shared_bytes = 128 : i64} {
  %c0 = arith.constant 0 : i64
  %s = tile.alloc_shared "S" {offset = 0 : i64} : !tile.shared<256xf4E2M1FN, pack = 0>
  %x = tile.load %s : !tile.shared<256xf4E2M1FN, pack = 0> -> tensor<256xf4E2M1FN, #four>
  %y = tile.cast %x : tensor<256xf4E2M1FN, #four> -> tensor<256xbf16, #apart>
  tile.store %y, %Y[%c0] : tensor<256xbf16, #apart>, !tile.global<?xbf16>
  tile.return
}

// Tests that bytes of 16 times a 4-bit integer are nibbles above 0s, without an
// extension of signs, which bytes of the integers take.
// CHECK-LABEL: llvm.func @nibbles_to_bytes
// CHECK: %[[MASK:.+]] = arith.constant -252645136 : i32
// CHECK-COUNT-2: arith.andi %{{.+}}, %[[MASK]] : i32
// CHECK-NOT: arith.subi
// CHECK: llvm.return
// CHECK-LABEL: llvm.func @nibbles_extended
// CHECK-COUNT-2: arith.subi
// CHECK: llvm.return
tile.kernel @nibbles_to_bytes(%Y: !tile.global<?xi8> {tile.name = "Y", tile.dtype = "int8", tile.access = "out", tile.dims = [256]}) attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64, shared_bytes = 512 : i64} {
  %c0 = arith.constant 0 : i64
  %s = tile.alloc_shared "S" {offset = 0 : i64} : !tile.shared<256xi4, pack = 0>
  %x = tile.load %s : !tile.shared<256xi4, pack = 0> -> tensor<256xi4, #four>
  %y = tile.cast %x {tile.exponent = 4 : i64} : tensor<256xi4, #four> -> tensor<256xi8, #four>
  tile.store %y, %Y[%c0] : tensor<256xi8, #four>, !tile.global<?xi8>
  tile.return
}
tile.kernel @nibbles_extended(%Y: !tile.global<?xi8> {tile.name = "Y", tile.dtype = "int8", tile.access = "out", tile.dims = [256]}) attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64, shared_bytes = 512 : i64} {
  %c0 = arith.constant 0 : i64
  %s = tile.alloc_shared "S" {offset = 0 : i64} : !tile.shared<256xi4, pack = 0>
  %x = tile.load %s : !tile.shared<256xi4, pack = 0> -> tensor<256xi4, #four>
  %y = tile.cast %x : tensor<256xi4, #four> -> tensor<256xi8, #four>
  tile.store %y, %Y[%c0] : tensor<256xi8, #four>, !tile.global<?xi8>
  tile.return
}
