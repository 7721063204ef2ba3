// RUN: tile-opt %s --convert-tile-to-nvvm --canonicalize --cse --split-input-file | FileCheck %s

#acc = #tile.layout<"64x64 registers=[[0,1],[8,0],[0,8],[0,16],[0,32]] lanes=[[0,2],[0,4],[1,0],[2,0],[4,0]] warps=[[16,0],[32,0]]">

// Tests the two parts of a warpgroup's accumulators: for each a thread waits
// until TMA has read the buffer, all write it, show it and meet, and the thread
// starts the copy. The first part may find the other buffer busy: the store
// before had two parts as well.
// CHECK-LABEL: llvm.func @parts
// CHECK: prefetch.tensormap
// CHECK: %[[WARP:.+]] = arith.andi %{{.+}}, %c3_i32
// CHECK-NEXT: llvm.nvvm.elect.sync
// CHECK-NEXT: %[[ELECTED:.+]] = llvm.extractvalue
// CHECK-NEXT: %[[FIRST:.+]] = arith.cmpi eq, %[[WARP]], %c0
// CHECK-NEXT: %[[LEADER:.+]] = arith.andi %[[FIRST]], %[[ELECTED]]
// CHECK: scf.if %[[LEADER]] {
// CHECK-NEXT: "cp.async.bulk.wait_group.read 1;"
// CHECK-NEXT: {{^ *}}}
// CHECK: "bar.sync $0, $1;", "r,n,~{memory}" %[[BARRIER:.+]], %c128
// CHECK-COUNT-8: llvm.store
// CHECK-NEXT: "fence.proxy.async.shared::cta;"
// CHECK-NEXT: "bar.sync $0, $1;", "r,n,~{memory}" %[[BARRIER]], %c128
// CHECK-NEXT: scf.if %[[LEADER]] {
// CHECK: "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [$0, {$1, $2}], [$3];"
// CHECK-NEXT: "cp.async.bulk.commit_group;"
// CHECK: scf.if %[[LEADER]] {
// CHECK-NEXT: "cp.async.bulk.wait_group.read 1;"
// CHECK-COUNT-8: llvm.store
// CHECK-NEXT: "fence.proxy.async.shared::cta;"
// CHECK: %[[NEXT:.+]] = arith.addi %{{.+}}, %c32
// CHECK: "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [$0, {$1, $2}], [$3];", "l,r,r,r,~{memory}" %{{[^,]+}}, %[[NEXT]]
tile.kernel @parts(%C: !tile.global<?x?xf32> {tile.access = "out", tile.dims = ["M", "N"], tile.dtype = "f32", tile.name = "C"}, %i: i64 {tile.name = "i", tile.dtype = "int64"}) attributes {symbols = [{dim = 0 : i64, name = "M", param = 0 : i64}, {dim = 1 : i64, name = "N", param = 0 : i64}], checks = [], grid = [], axes = [], threads = 128 : i64, shared_bytes = 16384 : i64,
    tensor_maps = [{param = 0 : i64, box = [64, 32], swizzle = 128 : i64}]} {
  %s = tile.alloc_shared "staging" {offset = 0 : i64} : !tile.shared<2x64x32xf32, #tile.shared_layout<swizzle = [3, 4, 3]>>
  %x = arith.constant dense<1.0> : tensor<64x64xf32, #acc>
  tile.store_through %x, %C[%i, %i] by %s {map = 0 : i64} : tensor<64x64xf32, #acc>, !tile.global<?x?xf32>, !tile.shared<2x64x32xf32, #tile.shared_layout<swizzle = [3, 4, 3]>>
  tile.return
}

// -----

#acc = #tile.layout<"128x32 registers=[[0,1],[8,0],[0,8],[0,16]] lanes=[[0,2],[0,4],[1,0],[2,0],[4,0]] warps=[[16,0],[32,0],[64,0]]">

// Tests that each of two warpgroups has barriers, buffers and rows of its own,
// and that a single part waits for both of its buffers' turns.
// CHECK-LABEL: llvm.func @groups
// CHECK: %[[GROUP:.+]] = llvm.call_intrinsic "llvm.nvvm.shfl.sync.idx.i32"
// CHECK: %[[ROW:.+]] = arith.muli %{{.+}}, %c64
// CHECK: "cp.async.bulk.wait_group.read 0;"
// CHECK: %[[BARRIER:.+]] = arith.addi %[[GROUP]], %c8
// CHECK: "bar.sync $0, $1;", "r,n,~{memory}" %[[BARRIER]], %c128
// CHECK: arith.addi %{{.+}}, %[[ROW]]
// CHECK: cp.async.bulk.tensor.2d.global
tile.kernel @groups(%C: !tile.global<?x?xf32> {tile.access = "out", tile.dims = ["M", "N"], tile.dtype = "f32", tile.name = "C"}, %i: i64 {tile.name = "i", tile.dtype = "int64"}) attributes {symbols = [{dim = 0 : i64, name = "M", param = 0 : i64}, {dim = 1 : i64, name = "N", param = 0 : i64}], checks = [], grid = [], axes = [], threads = 256 : i64, shared_bytes = 32768 : i64,
    tensor_maps = [{param = 0 : i64, box = [64, 32], swizzle = 128 : i64}]} {
  %s = tile.alloc_shared "staging" {offset = 0 : i64} : !tile.shared<4x64x32xf32, #tile.shared_layout<swizzle = [3, 4, 3]>>
  %x = arith.constant dense<1.0> : tensor<128x32xf32, #acc>
  tile.store_through %x, %C[%i, %i] by %s {map = 0 : i64} : tensor<128x32xf32, #acc>, !tile.global<?x?xf32>, !tile.shared<4x64x32xf32, #tile.shared_layout<swizzle = [3, 4, 3]>>
  tile.return
}

// -----

#acc = #tile.layout<"64x64 registers=[[0,1],[8,0],[0,8],[0,16],[0,32]] lanes=[[0,2],[0,4],[1,0],[2,0],[4,0]] warps=[[16,0],[32,0]]">

// Tests that a scale on sums is multiplied where they are stored, part by part,
// and that what takes more than one value for each sum stays where it is.
// CHECK-LABEL: llvm.func @scaled
// CHECK-NOT: arith.mulf
// CHECK: "bar.sync $0, $1;"
// CHECK-COUNT-16: arith.mulf
// CHECK: "fence.proxy.async.shared::cta;"
// CHECK-COUNT-16: arith.mulf
// CHECK: "fence.proxy.async.shared::cta;"
// CHECK: "cp.async.bulk.commit_group;"
// CHECK-COUNT-32: arith.addf
// CHECK: "bar.sync $0, $1;"
tile.kernel @scaled(%C: !tile.global<?x?xf32> {tile.access = "out", tile.dims = ["M", "N"], tile.dtype = "f32", tile.name = "C"}, %i: i64 {tile.name = "i", tile.dtype = "int64"}, %f: f32 {tile.name = "f", tile.dtype = "f32"}) attributes {symbols = [{dim = 0 : i64, name = "M", param = 0 : i64}, {dim = 1 : i64, name = "N", param = 0 : i64}], checks = [], grid = [], axes = [], threads = 128 : i64, shared_bytes = 16384 : i64,
    tensor_maps = [{param = 0 : i64, box = [64, 32], swizzle = 128 : i64}]} {
  %s = tile.alloc_shared "staging" {offset = 0 : i64} : !tile.shared<2x64x32xf32, #tile.shared_layout<swizzle = [3, 4, 3]>>
  %x = tile.load %C[%i, %i] : !tile.global<?x?xf32> -> tensor<64x64xf32, #acc>
  %y = tile.load %C[%i, %i] : !tile.global<?x?xf32> -> tensor<64x64xf32, #acc>
  %b = tile.broadcast %f : f32 -> tensor<64x64xf32, #acc>
  %r = arith.mulf %x, %b : tensor<64x64xf32, #acc>
  tile.store_through %r, %C[%i, %i] by %s {map = 0 : i64} : tensor<64x64xf32, #acc>, !tile.global<?x?xf32>, !tile.shared<2x64x32xf32, #tile.shared_layout<swizzle = [3, 4, 3]>>
  %t = arith.addf %x, %y : tensor<64x64xf32, #acc>
  tile.store_through %t, %C[%i, %i] by %s {map = 0 : i64} : tensor<64x64xf32, #acc>, !tile.global<?x?xf32>, !tile.shared<2x64x32xf32, #tile.shared_layout<swizzle = [3, 4, 3]>>
  tile.return
}

// -----

#acc = #tile.layout<"64x32 registers=[[0,1],[8,0],[0,8],[0,16]] lanes=[[0,2],[0,4],[1,0],[2,0],[4,0]] warps=[[16,0],[32,0]]">

// Tests that teams of one warpgroup meet at barriers of their own.
// CHECK-LABEL: llvm.func @teams
// CHECK: "bar.sync $0, $1;", "r,n,~{memory}" %c2{{.*}}, %c128
// CHECK: "bar.sync $0, $1;", "r,n,~{memory}" %c3{{.*}}, %c128
tile.kernel @teams(%C: !tile.global<?x?xf32> {tile.access = "out", tile.dims = ["M", "N"], tile.dtype = "f32", tile.name = "C"}, %i: i64 {tile.name = "i", tile.dtype = "int64"}) attributes {symbols = [{dim = 0 : i64, name = "M", param = 0 : i64}, {dim = 1 : i64, name = "N", param = 0 : i64}], checks = [], grid = [], axes = [], threads = 384 : i64, shared_bytes = 32768 : i64,
    tensor_maps = [{param = 0 : i64, box = [64, 32], swizzle = 128 : i64}]} {
  %s = tile.alloc_shared "staging" {offset = 0 : i64} : !tile.shared<2x64x32xf32, #tile.shared_layout<swizzle = [3, 4, 3]>>
  %t = tile.alloc_shared "staging" {offset = 16384 : i64} : !tile.shared<2x64x32xf32, #tile.shared_layout<swizzle = [3, 4, 3]>>
  tile.warpgroup [0] {
  }, [1] {
    %x = arith.constant dense<1.0> : tensor<64x32xf32, #acc>
    tile.store_through %x, %C[%i, %i] by %s {map = 0 : i64} : tensor<64x32xf32, #acc>, !tile.global<?x?xf32>, !tile.shared<2x64x32xf32, #tile.shared_layout<swizzle = [3, 4, 3]>>
  }, [2] {
    %x = arith.constant dense<2.0> : tensor<64x32xf32, #acc>
    tile.store_through %x, %C[%i, %i] by %t {map = 0 : i64} : tensor<64x32xf32, #acc>, !tile.global<?x?xf32>, !tile.shared<2x64x32xf32, #tile.shared_layout<swizzle = [3, 4, 3]>>
  }
  tile.return
}
