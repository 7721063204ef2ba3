// RUN: tile-opt %s --tile-plan-pipeline --split-input-file --mlir-print-local-scope | FileCheck %s

// Tests that the aligned variant starts its copies two iterations ahead, waits
// for the oldest group, and is guarded.
// CHECK-LABEL: tile.kernel @three_stages__aligned
// CHECK-SAME: tile.aligned = 16
// CHECK-SAME: guards = [{expr = ["==", ["%", ["stride_bytes", "A", 0], 16], 0], text = "the pitch of 'A' is a multiple of 16 bytes"}, {expr = ["==", ["%", ["address", "A"], 16], 0]
// CHECK: %[[TILE:.+]] = tile.alloc_shared "As" {tile.stages = 3 : i64} : <3x64x32xbf16>
// CHECK: tile.stage %[[TILE]][%[[C0:.+]]] offset 0
// CHECK: tile.async_copy
// CHECK: tile.commit_group
// CHECK: tile.stage %[[TILE]][%[[C0]]] offset 1
// CHECK: tile.async_copy
// CHECK: tile.commit_group
// CHECK: scf.for %[[K:.+]] = %[[C0]]
// CHECK: tile.wait_group 1
// CHECK: %[[AHEAD:.+]] = arith.addi %[[K]], %{{.+}}
// CHECK: arith.cmpi slt, %[[AHEAD]]
// CHECK: tile.stage %[[TILE]][%[[K]]] offset 2
// CHECK: tile.async_copy
// CHECK: tile.commit_group
// CHECK: %[[NOW:.+]] = tile.stage %[[TILE]][%[[K]]] offset 0
// CHECK: tile.load %[[NOW]]
// CHECK: tile.wait_group 0
// In the general variant the next tile is loaded in front of the work and
// stored behind it, to the other of two buffers.
// CHECK-LABEL: tile.kernel @three_stages__general
// CHECK-SAME: guards = []
// CHECK: %[[TILE:.+]] = tile.alloc_shared "As" {tile.stages = 2 : i64} : <2x64x32xbf16>
// CHECK: %[[FIRST:.+]] = tile.load %arg0
// CHECK: %[[SLOT:.+]] = tile.stage %[[TILE]][%{{.+}}] offset 0
// CHECK: tile.store %[[FIRST]], %[[SLOT]]
// CHECK: scf.for %[[K:.+]] =
// CHECK: %[[NEXT:.+]] = tile.load %arg0
// CHECK: %[[NOW:.+]] = tile.stage %[[TILE]][%[[K]]] offset 0
// CHECK: tile.load %[[NOW]]
// CHECK: %[[OTHER:.+]] = tile.stage %[[TILE]][%[[K]]] offset 1
// CHECK: tile.store %[[NEXT]], %[[OTHER]]
// CHECK-NOT: tile.async_copy
tile.kernel @three_stages(%A: !tile.global<?x?xbf16> {tile.name = "A", tile.dtype = "bf16", tile.access = "in", tile.dims = ["M", "K"]})
    attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "K", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c0 = arith.constant 0 : i64
  %c32 = arith.constant 32 : i64
  %n = tile.symbol "K" : i64
  %as = tile.alloc_shared "As" : !tile.shared<64x32xbf16>
  tile.pipelined %k = %c0 to %n step 1 stages(3) {
    %k0 = arith.muli %k, %c32 : i64
    tile.copy %A[%c0, %k0] to %as : !tile.global<?x?xbf16>, !tile.shared<64x32xbf16>
    %x = tile.load %as : !tile.shared<64x32xbf16> -> tensor<64x32xbf16>
  }
  tile.return
}

// -----

// Tests that one buffer means no overlap: the copy is waited for at once.
// CHECK-LABEL: tile.kernel @one_stage__aligned
// CHECK: scf.for
// CHECK-NOT: tile.wait_group
// CHECK: tile.async_copy
// CHECK: tile.commit_group
// CHECK: tile.wait_group 0
// CHECK: tile.load
tile.kernel @one_stage(%A: !tile.global<?x?xbf16> {tile.name = "A", tile.dtype = "bf16", tile.access = "in", tile.dims = ["M", "K"]})
    attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "K", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c0 = arith.constant 0 : i64
  %c32 = arith.constant 32 : i64
  %n = tile.symbol "K" : i64
  %as = tile.alloc_shared "As" : !tile.shared<64x32xbf16>
  tile.pipelined %k = %c0 to %n step 1 stages(1) {
    %k0 = arith.muli %k, %c32 : i64
    tile.copy %A[%c0, %k0] to %as : !tile.global<?x?xbf16>, !tile.shared<64x32xbf16>
    %x = tile.load %as : !tile.shared<64x32xbf16> -> tensor<64x32xbf16>
  }
  tile.return
}

// -----

// Tests that a tile read before it is refilled stays serial (F19).
// CHECK-LABEL: tile.kernel @read_then_refill__aligned
// CHECK-NOT: tile.async_copy
// CHECK: tile.copy
tile.kernel @read_then_refill(%A: !tile.global<?x?xbf16> {tile.name = "A", tile.dtype = "bf16", tile.access = "in", tile.dims = ["M", "K"]})
    attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "K", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c0 = arith.constant 0 : i64
  %c32 = arith.constant 32 : i64
  %n = tile.symbol "K" : i64
  %as = tile.alloc_shared "As" : !tile.shared<64x32xbf16>
  tile.pipelined %k = %c0 to %n step 1 stages(3) {
    %x = tile.load %as : !tile.shared<64x32xbf16> -> tensor<64x32xbf16>
    %k0 = arith.muli %k, %c32 : i64
    tile.copy %A[%c0, %k0] to %as : !tile.global<?x?xbf16>, !tile.shared<64x32xbf16>
  }
  tile.return
}

// -----

// Tests that a fixed pitch of 1,022 bytes is known not to be aligned (F12).
// CHECK-NOT: @odd_pitch__aligned
// CHECK-LABEL: tile.kernel @odd_pitch__general
tile.kernel @odd_pitch(%A: !tile.global<?x?xbf16> {tile.name = "A", tile.dtype = "bf16", tile.access = "in", tile.dims = ["M", "K"]})
    attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "K", param = 0 : i64, dim = 1 : i64, value = 511 : i64}], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c0 = arith.constant 0 : i64
  %as = tile.alloc_shared "As" : !tile.shared<64x32xbf16>
  tile.copy %A[%c0, %c0] to %as : !tile.global<?x?xbf16>, !tile.shared<64x32xbf16>
  tile.return
}

// -----

// Tests that the level between is left out where wide elements move in pieces of
// 8 bytes at most: it would make the code of the lowest.
// CHECK-LABEL: tile.kernel @pairs__aligned(
// CHECK-NOT: @pairs__aligned16x8
// CHECK-LABEL: tile.kernel @pairs__aligned8(
// CHECK-SAME: tile.aligned = 8 : i64
// CHECK-SAME: tile.aligned = 8 : i64
// CHECK-LABEL: tile.kernel @pairs__general(
#pairs = #tile.layout<"64x32 registers=[[0,1],[16,0],[32,0]] lanes=[[0,2],[0,4],[0,8],[0,16],[1,0]] warps=[[2,0],[4,0],[8,0]]">
tile.kernel @pairs(%A: !tile.global<?x?xi8> {tile.name = "A", tile.dtype = "int8", tile.access = "in", tile.dims = ["M", "K"]},
                   %C: !tile.global<?x?xi32> {tile.name = "C", tile.dtype = "int32", tile.access = "out", tile.dims = ["M", "K"]})
    attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "K", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 256 : i64} {
  %c0 = arith.constant 0 : i64
  %as = tile.alloc_shared "As" : !tile.shared<64x32xi8>
  tile.copy %A[%c0, %c0] to %as : !tile.global<?x?xi8>, !tile.shared<64x32xi8>
  %zero = arith.constant dense<0> : tensor<64x32xi32, #pairs>
  tile.store %zero, %C[%c0, %c0] : tensor<64x32xi32, #pairs>, !tile.global<?x?xi32>
  tile.return
}

// -----

// Tests the levels of a kernel with wide and narrow elements: rows of 8 bytes of
// the narrow tensor do not narrow the copies of the wide one.
// CHECK-LABEL: tile.kernel @mixed__aligned(
// CHECK-SAME: tile.aligned = 16 : i64
// CHECK-SAME: tile.aligned = 16 : i64
// CHECK-SAME: variant = "aligned"
// CHECK-LABEL: tile.kernel @mixed__aligned16x8(
// CHECK-SAME: tile.aligned = 16 : i64
// CHECK-SAME: tile.aligned = 8 : i64
// CHECK-SAME: variant = "aligned16x8"
// CHECK-LABEL: tile.kernel @mixed__aligned8(
// CHECK-SAME: tile.aligned = 8 : i64
// CHECK-SAME: tile.aligned = 8 : i64
// CHECK-SAME: variant = "aligned8"
// CHECK-LABEL: tile.kernel @mixed__general(
// CHECK-NOT: tile.aligned
// CHECK-SAME: guards = []
tile.kernel @mixed(
    %A: !tile.global<?x?xbf16> {tile.name = "A", tile.dtype = "bf16", tile.access = "in", tile.dims = ["M", "K"]},
    %B: !tile.global<?x?xi8> {tile.name = "B", tile.dtype = "int8", tile.access = "in", tile.dims = ["M", "K"]})
    attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "K", param = 0 : i64, dim = 1 : i64}],
                checks = [], grid = [], axes = [], threads = 128 : i64} {
  %zero = arith.constant 0 : i64
  %as = tile.alloc_shared "As" : !tile.shared<32x64xbf16>
  %bs = tile.alloc_shared "Bs" : !tile.shared<32x64xi8>
  tile.copy %A[%zero, %zero] to %as : !tile.global<?x?xbf16>, !tile.shared<32x64xbf16>
  tile.copy %B[%zero, %zero] to %bs : !tile.global<?x?xi8>, !tile.shared<32x64xi8>
  tile.return
}

// -----

// Tests that fixed pitches take the alignment that they allow, and need no
// variants of their own.
// CHECK-LABEL: tile.kernel @fixed__aligned(
// CHECK-SAME: tile.aligned = 16 : i64
// CHECK-SAME: tile.aligned = 8 : i64
// CHECK-LABEL: tile.kernel @fixed__general(
// CHECK-NOT: tile.kernel
tile.kernel @fixed(
    %A: !tile.global<32x1032xbf16> {tile.name = "A", tile.dtype = "bf16", tile.access = "in", tile.dims = [32, 1032]},
    %B: !tile.global<32x1032xi8> {tile.name = "B", tile.dtype = "int8", tile.access = "in", tile.dims = [32, 1032]})
    attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %zero = arith.constant 0 : i64
  %as = tile.alloc_shared "As" : !tile.shared<32x64xbf16>
  %bs = tile.alloc_shared "Bs" : !tile.shared<32x64xi8>
  tile.copy %A[%zero, %zero] to %as : !tile.global<32x1032xbf16>, !tile.shared<32x64xbf16>
  tile.copy %B[%zero, %zero] to %bs : !tile.global<32x1032xi8>, !tile.shared<32x64xi8>
  tile.return
}

// -----

// Tests that a copy with a pad value, which cp.async does not give, runs ahead
// through registers, and so does a tile of which parts are read.
// CHECK-LABEL: tile.kernel @padded__aligned
// CHECK: %[[PAD:.+]] = arith.constant -1.0{{.*}} : f32
// CHECK: tile.load %{{.+}}[%{{.+}}, %{{.+}}] pad %[[PAD]]
// CHECK-NOT: tile.async_copy
// CHECK: scf.for
// CHECK: tile.slice
// CHECK: tile.store %{{.+}}, %{{.+}} {tile.transit}
tile.kernel @padded(%A: !tile.global<?x?xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "in", tile.dims = ["M", "K"]})
    attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "K", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c0 = arith.constant 0 : i64
  %c32 = arith.constant 32 : i64
  %n = tile.symbol "K" : i64
  %as = tile.alloc_shared "As" : !tile.shared<64x32xf32>
  tile.pipelined %k = %c0 to %n step 1 stages(3) {
    %k0 = arith.muli %k, %c32 : i64
    %pad = arith.constant -1.0 : f32
    tile.copy %A[%c0, %k0] to %as pad %pad : f32 : !tile.global<?x?xf32>, !tile.shared<64x32xf32>
    %part = tile.slice %as[%c0, %c0] : !tile.shared<64x32xf32> -> !tile.shared<64x16xf32>
    %x = tile.load %part : !tile.shared<64x16xf32> -> tensor<64x16xf32>
  }
  tile.return
}

// -----

// Tests that nothing is assumed of a tensor of which one element a row is
// copied, and that such copies run ahead through registers, with what they
// fill in outside the tensor.
// CHECK-LABEL: tile.kernel @scales__aligned(
// CHECK-SAME: %[[A:[^:]+]]: !tile.global<?x?xf8E4M3FN> {tile.access = "in", tile.aligned = 16 : i64
// CHECK-SAME: %[[S:[^:]+]]: !tile.global<?x?xf8E8M0FNU> {tile.access = "in", tile.dims
// CHECK: tile.async_copy %[[A]]
// CHECK: %[[FIRST:.+]] = tile.load %[[S]][%{{.+}}, %{{.+}}] pad %{{.+}} : f8E8M0FNU
// CHECK: tile.store %[[FIRST]]
// CHECK: scf.for
// CHECK: tile.async_copy %[[A]]
// CHECK: %[[NEXT:.+]] = tile.load %[[S]][%{{.+}}, %{{.+}}] pad %{{.+}} : f8E8M0FNU
// CHECK: tile.load %{{.+}} : !tile.shared<64x1xf8E8M0FNU>
// CHECK: tile.store %[[NEXT]]
tile.kernel @scales(
    %A: !tile.global<?x?xf8E4M3FN> {tile.name = "A", tile.dtype = "fp8_e4m3", tile.access = "in", tile.dims = ["M", "K"]},
    %S: !tile.global<?x?xf8E8M0FNU> {tile.name = "S", tile.dtype = "e8m0", tile.access = "in", tile.dims = ["M", "G"]})
    attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "K", param = 0 : i64, dim = 1 : i64}, {name = "G", param = 1 : i64, dim = 1 : i64}],
                checks = [], grid = [], axes = [], threads = 128 : i64} {
  %zero = arith.constant 0 : i64
  %bk = arith.constant 32 : i64
  %n = arith.constant 5 : i64
  %one = arith.constant 1.0 : f8E8M0FNU
  %as = tile.alloc_shared "As" : !tile.shared<64x32xf8E4M3FN>
  %ss = tile.alloc_shared "Ss" : !tile.shared<64x1xf8E8M0FNU>
  tile.pipelined %k = %zero to %n step 1 stages(3) {
    %place = arith.muli %k, %bk : i64
    tile.copy %A[%zero, %place] to %as : !tile.global<?x?xf8E4M3FN>, !tile.shared<64x32xf8E4M3FN>
    tile.copy %S[%zero, %k] to %ss pad %one : f8E8M0FNU : !tile.global<?x?xf8E8M0FNU>, !tile.shared<64x1xf8E8M0FNU>
    %a = tile.load %as : !tile.shared<64x32xf8E4M3FN> -> tensor<64x32xf8E4M3FN, #tile.layout<"64x32 registers=[[0,1],[0,2],[32,0],[16,0]] lanes=[[0,4],[0,8],[0,16],[1,0],[2,0]] warps=[[4,0],[8,0]]">>
    %s = tile.load %ss : !tile.shared<64x1xf8E8M0FNU> -> tensor<64x1xf8E8M0FNU, #tile.layout<"64x1 registers=[] lanes=[[1,0],[2,0],[4,0],[8,0],[16,0]] warps=[[32,0],[0,0]]">>
  }
  tile.return
}
