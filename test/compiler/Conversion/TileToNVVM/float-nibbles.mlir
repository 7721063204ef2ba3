// RUN: tile-opt %s --convert-tile-to-nvvm=target=sm_90a --canonicalize --cse | FileCheck %s

// Tests 4-bit floats times e8m0 scales: one multiplication moves sign and
// magnitude of a pair, one makes it the number, one scales it, without a branch;
// a scale that elements share is converted once.

#four = #tile.layout<"256 registers=[[1],[2],[4]] lanes=[[8],[16],[32],[64],[128]] warps=[]">
#apart = #tile.layout<"256 registers=[[4],[1],[2]] lanes=[[8],[16],[32],[64],[128]] warps=[]">
#one = #tile.layout<"32 registers=[] lanes=[[1],[2],[4],[8],[16]] warps=[]">

// CHECK-LABEL: llvm.func @scaled
// CHECK-NOT: prmt
// CHECK-NOT: scf.if
// CHECK: %[[BITS:.+]] = arith.muli %{{.+}}, %c8388609_i32 : i32
// CHECK: %[[NUMBER:.+]] = arith.maxui %[[BITS]], %c4194304_i32 : i32
// CHECK: %[[F32:.+]] = llvm.bitcast %[[NUMBER]] : i32 to f32
// CHECK: llvm.fptrunc %[[F32]] : f32 to bf16
// CHECK-NOT: llvm.fptrunc
// CHECK-COUNT-8: llvm.intr.fma({{.*}}vector<2xbf16>
// CHECK-NOT: llvm.intr.fma
// CHECK: llvm.return
tile.kernel @scaled(%Y: !tile.global<?xbf16> {tile.name = "Y", tile.dtype = "bf16", tile.access = "out", tile.dims = [256]}) attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64, shared_bytes = 512 : i64} {
  %c0 = arith.constant 0 : i64
  %s = tile.alloc_shared "S" {offset = 0 : i64} : !tile.shared<256xf4E2M1FN, pack = 0>
  %t = tile.alloc_shared "T" {offset = 128 : i64} : !tile.shared<32xf8E8M0FNU>
  %q = tile.load %s : !tile.shared<256xf4E2M1FN, pack = 0> -> tensor<256xf4E2M1FN, #four>
  %e = tile.load %t : !tile.shared<32xf8E8M0FNU> -> tensor<32xf8E8M0FNU, #one>
  %r = tile.reindex %e by affine_map<(i) -> (i floordiv 8)> : tensor<32xf8E8M0FNU, #one> -> tensor<256xf8E8M0FNU, #apart>
  %x = tile.cast %q : tensor<256xf4E2M1FN, #four> -> tensor<256xbf16, #apart>
  %w = tile.cast %r : tensor<256xf8E8M0FNU, #apart> -> tensor<256xbf16, #apart>
  %y = arith.mulf %x, %w : tensor<256xbf16, #apart>
  tile.store %y, %Y[%c0] : tensor<256xbf16, #apart>, !tile.global<?xbf16>
  tile.return
}

// Tests a sixteenth of them: bytes of a table and one fma a pair, exact for each
// scale; two scales are converted at a time.
// CHECK-LABEL: llvm.func @sixteenth
// CHECK: %[[CODES:.+]] = llvm.call_intrinsic "llvm.nvvm.prmt"
// CHECK: llvm.intr.umax({{.*}}vector<2xi16>
// CHECK-NOT: llvm.fptrunc
// CHECK-COUNT-4: llvm.intr.fma({{.*}}vector<2xbf16>
// CHECK-NOT: llvm.intr.fma
// CHECK: llvm.return
tile.kernel @sixteenth(%Y: !tile.global<?xbf16> {tile.name = "Y", tile.dtype = "bf16", tile.access = "out", tile.dims = [256]}) attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64, shared_bytes = 512 : i64} {
  %c0 = arith.constant 0 : i64
  %s = tile.alloc_shared "S" {offset = 0 : i64} : !tile.shared<256xf4E2M1FN, pack = 0>
  %t = tile.alloc_shared "T" {offset = 128 : i64} : !tile.shared<32xf8E8M0FNU>
  %q = tile.load %s : !tile.shared<256xf4E2M1FN, pack = 0> -> tensor<256xf4E2M1FN, #four>
  %e = tile.load %t : !tile.shared<32xf8E8M0FNU> -> tensor<32xf8E8M0FNU, #one>
  %r = tile.reindex %e by affine_map<(i) -> (i floordiv 8)> : tensor<32xf8E8M0FNU, #one> -> tensor<256xf8E8M0FNU, #four>
  %x = tile.cast %q : tensor<256xf4E2M1FN, #four> -> tensor<256xbf16, #four>
  %w = tile.cast %r : tensor<256xf8E8M0FNU, #four> -> tensor<256xbf16, #four>
  %y = arith.mulf %x, %w : tensor<256xbf16, #four>
  %part = arith.constant dense<6.25e-02> : tensor<256xbf16, #four>
  %z = arith.mulf %y, %part : tensor<256xbf16, #four>
  tile.store %z, %Y[%c0] : tensor<256xbf16, #four>, !tile.global<?xbf16>
  tile.return
}
