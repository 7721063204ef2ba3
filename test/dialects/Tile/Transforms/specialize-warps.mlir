// RUN: tile-opt %s --tile-select-mma --tile-infer-layouts --tile-plan-pipeline --tile-specialize-warps --split-input-file | FileCheck %s
// RUN: tile-opt %s --tile-select-mma --tile-infer-layouts --tile-plan-pipeline --tile-specialize-warps --tile-lower-gemm --tile-schedule-mma --split-input-file | FileCheck %s --check-prefix=FLIGHT

// Tests the two teams of the variant that TMA feeds, its guards, its launch and
// its ring; the other variants keep the threads of the program.
// CHECK-LABEL: tile.kernel @product__tma
// CHECK-SAME: blocks = ["min", ["*", ["ceildiv", "N", 128], ["ceildiv", "M", 128]], "sm_count"]
// CHECK-SAME: guards = {{.*}}the pitch of 'A' is a multiple of 16 bytes{{.*}}no extent of 'A' is 0
// CHECK-SAME: tensor_maps = [{box = [128, 64], param = 0 : i64, swizzle = 128 : i64}, {box = [64, 64], param = 1 : i64, swizzle = 128 : i64}, {box = [64, 64], param = 2 : i64, swizzle = 128 : i64}]
// CHECK-SAME: threads = 384
// CHECK: %[[AS:.+]] = tile.alloc_shared "As" {tile.stages = 3 : i64} : <3x128x64xbf16, #tile.shared_layout<swizzle = [3, 4, 3]>>
// CHECK: %[[BS:.+]] = tile.alloc_shared "Bs" {tile.stages = 3 : i64} : <3x64x128xbf16, #tile.shared_layout<swizzle = [3, 4, 3], panel = 128>>
// CHECK: %[[FULL:.+]] = tile.barrier_alloc "full" count 1 {tile.ring} : <3>
// CHECK: %[[EMPTY:.+]] = tile.barrier_alloc "empty" count 2 : <3>
// CHECK: tile.warpgroup [0] {
// CHECK: tile.set_max_registers 56
// CHECK: scf.for %{{.+}} = %{{.+}} to %{{.+}} step %{{.+}} iter_args(%[[S0:.+]] = %{{.+}}, %[[P0:.+]] = %{{.+}})
// CHECK: scf.for %{{.+}} iter_args(%[[S:.+]] = %[[S0]], %[[P:.+]] = %[[P0]])
// CHECK: %[[OTHER:.+]] = arith.xori %[[P]]
// CHECK: tile.wait %[[EMPTY]][%[[S]]], %[[OTHER]]
// CHECK: tile.expect %[[FULL]][%[[S]]], %c32768
// CHECK: tile.tma_copy %arg0{{.*}} barrier %[[FULL]][%[[S]]] {map = 0 : i64}
// CHECK: tile.tma_copy %arg1{{.*}} barrier %[[FULL]][%[[S]]] {map = 1 : i64}
// CHECK: }, [1, 2] {
// CHECK: tile.set_max_registers 224
// CHECK: scf.for
// CHECK: scf.for {{.*}} iter_args(%{{.+}} = %{{.+}}, %[[S:.+]] = %{{.+}}, %[[P:.+]] = %{{.+}})
// CHECK: tile.wait %[[FULL]][%[[S]]], %[[P]]
// CHECK: %[[A:.+]] = tile.stage %[[AS]][%[[S]]] offset 0 {in_range}
// CHECK: %[[B:.+]] = tile.stage %[[BS]][%[[S]]] offset 0 {in_range}
// CHECK-NOT: tile.copy
// CHECK: tile.gemm %[[A]], %[[B]]
// CHECK: tile.arrive %[[EMPTY]][%[[S]]] {per_warpgroup}
// CHECK: tile.store_through {{.*}}, %arg2[{{.*}}] by {{.*}} {map = 2 : i64}
// CHECK-LABEL: tile.kernel @product__aligned8
// CHECK-SAME: threads = 256
// CHECK-NOT: tile.warpgroup

// Tests that one product stays in flight, its buffer is handed back an iteration
// later, and the first product overwrites what was there.
// FLIGHT-LABEL: tile.kernel @product__tma
// FLIGHT: }, [1, 2] {
// FLIGHT: %[[INIT:.+]] = tile.mma_carry -> <tensor<128x128xf32
// FLIGHT: scf.for %[[K:.+]] = %[[LOWER:.+]] to {{.*}} iter_args(%[[SUMS:.+]] = %[[INIT]], %[[S:.+]] = %{{.+}}, %{{.+}} = %{{.+}}, %[[BEFORE:.+]] = %{{.+}})
// FLIGHT: %[[LATER:.+]] = arith.cmpi ne, %[[K]], %[[LOWER]]
// FLIGHT: %[[STARTED:.+]] = tile.wgmma %{{.+}}, %{{.+}}, %[[SUMS]] if %[[LATER]] k 0 depth 64
// FLIGHT: %[[GOING:.+]] = tile.mma_wait %[[STARTED]] pending 1
// FLIGHT: tile.arrive %{{.+}}[%[[BEFORE]]] if %[[LATER]] {per_warpgroup}
// FLIGHT: scf.yield %[[GOING]], %{{.+}}, %{{.+}}, %[[S]]
// FLIGHT: %[[DONE:.+]] = tile.mma_wait %{{.+}} pending 0
// FLIGHT: tile.arrive %{{.+}} if %{{.+}} {per_warpgroup}
// FLIGHT-LABEL: tile.kernel @product__aligned8
// FLIGHT: tile.wgmma
// FLIGHT-NEXT: tile.mma_wait %{{.+}} pending 0
tile.kernel @product(%A: !tile.global<?x?xbf16> {tile.access = "in", tile.dims = ["M", "K"], tile.dtype = "bf16", tile.name = "A"}, %B: !tile.global<?x?xbf16> {tile.access = "in", tile.dims = ["K", "N"], tile.dtype = "bf16", tile.name = "B"}, %C: !tile.global<?x?xbf16> {tile.access = "out", tile.dims = ["M", "N"], tile.dtype = "bf16", tile.name = "C"})
    attributes {axes = ["bx", "by"], checks = [], grid = [["ceildiv", "N", 128], ["ceildiv", "M", 128]], symbols = [{dim = 0 : i64, name = "M", param = 0 : i64}, {dim = 1 : i64, name = "K", param = 0 : i64}, {dim = 1 : i64, name = "N", param = 1 : i64}], threads = 256 : i64} {
  %as = tile.alloc_shared "As" : !tile.shared<128x64xbf16>
  %bs = tile.alloc_shared "Bs" : !tile.shared<64x128xbf16>
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %c0 = arith.constant 0 : i64
  %c64 = arith.constant 64 : i64
  %c128 = arith.constant 128 : i64
  %k = tile.symbol "K" : i64
  %n = arith.ceildivsi %k, %c64 : i64
  %bx = tile.block_id 0 : i64
  %by = tile.block_id 1 : i64
  %row = arith.muli %by, %c128 : i64
  %column = arith.muli %bx, %c128 : i64
  %r = tile.pipelined %i = %c0 to %n step 1 iter_args(%acc = %zero) -> (tensor<128x128xf32>) stages(3) {
    %depth = arith.muli %i, %c64 : i64
    tile.copy %A[%row, %depth] to %as : !tile.global<?x?xbf16>, !tile.shared<128x64xbf16>
    tile.copy %B[%depth, %column] to %bs : !tile.global<?x?xbf16>, !tile.shared<64x128xbf16>
    %s = tile.gemm %as, %bs, %acc : !tile.shared<128x64xbf16>, !tile.shared<64x128xbf16>, tensor<128x128xf32>
    tile.yield %s : tensor<128x128xf32>
  }
  %c = tile.cast %r : tensor<128x128xf32> -> tensor<128x128xbf16>
  tile.store %c, %C[%row, %column] : tensor<128x128xbf16>, !tile.global<?x?xbf16>
  tile.return
}

// -----

// Tests that a tile that TMA cannot move, and of which each thread needs a few
// elements, is read straight to registers two iterations ahead, and that buffers
// are handed back in front of what is done with the sums.
// CHECK-LABEL: tile.kernel @scaled__tma
// CHECK: }, [1, 2] {
// CHECK: %[[FIRST:.+]] = tile.load %arg2[%{{.+}}, %{{.+}}] : !tile.global<?x?xbf16> -> tensor<128x1xbf16
// CHECK: %[[SECOND:.+]] = tile.load %arg2[%{{.+}}, %{{.+}}] : !tile.global<?x?xbf16> -> tensor<128x1xbf16
// CHECK: scf.for %[[K:.+]] = {{.*}} iter_args({{.*}}, %[[SCALE:.+]] = %[[FIRST]], %[[FOLLOWING:.+]] = %[[SECOND]])
// CHECK: tile.gemm
// CHECK: tile.cast %[[SCALE]]
// CHECK: %[[AHEAD:.+]] = arith.addi %[[K]]
// CHECK: %[[NEXT:.+]] = tile.load %arg2[%{{.+}}, %[[AHEAD]]]
// CHECK: scf.yield {{.*}}, %[[FOLLOWING]], %[[NEXT]]
// CHECK: tile.unroll = 2
// FLIGHT-LABEL: tile.kernel @scaled__tma
// FLIGHT: }, [1, 2] {
// FLIGHT: tile.wgmma {{.*}}overwrite
// FLIGHT-NEXT: tile.load %arg2
// FLIGHT-NEXT: tile.mma_wait %{{.+}} pending 0
// FLIGHT-NEXT: tile.arrive
// FLIGHT: arith.mulf
tile.kernel @scaled(%A: !tile.global<?x?xf8E4M3FN> {tile.access = "in", tile.dims = ["M", "K"], tile.dtype = "fp8_e4m3", tile.name = "A"}, %B: !tile.global<?x?xf8E4M3FN> {tile.access = "in", tile.dims = ["N", "K"], tile.dtype = "fp8_e4m3", tile.name = "B"}, %S: !tile.global<?x?xbf16> {tile.access = "in", tile.dims = ["M", "G"], tile.dtype = "bf16", tile.name = "S"}, %C: !tile.global<?x?xf32> {tile.access = "out", tile.dims = ["M", "N"], tile.dtype = "f32", tile.name = "C"})
    attributes {axes = ["bx", "by"], checks = [], grid = [["ceildiv", "N", 128], ["ceildiv", "M", 128]], symbols = [{dim = 0 : i64, name = "M", param = 0 : i64}, {dim = 1 : i64, name = "K", param = 0 : i64}, {dim = 0 : i64, name = "N", param = 1 : i64}, {dim = 1 : i64, name = "G", param = 2 : i64}], threads = 256 : i64} {
  %as = tile.alloc_shared "As" : !tile.shared<128x128xf8E4M3FN>
  %bs = tile.alloc_shared "Bs" : !tile.shared<128x128xf8E4M3FN>
  %ss = tile.alloc_shared "Ss" : !tile.shared<128x1xbf16>
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %c0 = arith.constant 0 : i64
  %c128 = arith.constant 128 : i64
  %k = tile.symbol "K" : i64
  %n = arith.ceildivsi %k, %c128 : i64
  %bx = tile.block_id 0 : i64
  %by = tile.block_id 1 : i64
  %row = arith.muli %by, %c128 : i64
  %column = arith.muli %bx, %c128 : i64
  %r = tile.pipelined %i = %c0 to %n step 1 iter_args(%acc = %zero) -> (tensor<128x128xf32>) stages(3) {
    %depth = arith.muli %i, %c128 : i64
    tile.copy %A[%row, %depth] to %as : !tile.global<?x?xf8E4M3FN>, !tile.shared<128x128xf8E4M3FN>
    tile.copy %B[%column, %depth] to %bs : !tile.global<?x?xf8E4M3FN>, !tile.shared<128x128xf8E4M3FN>
    tile.copy %S[%row, %i] to %ss : !tile.global<?x?xbf16>, !tile.shared<128x1xbf16>
    %p = tile.gemm %as, %bs, %zero {transpose_b} : !tile.shared<128x128xf8E4M3FN>, !tile.shared<128x128xf8E4M3FN>, tensor<128x128xf32>
    %h = tile.load %ss : !tile.shared<128x1xbf16> -> tensor<128x1xbf16>
    %s = tile.cast %h : tensor<128x1xbf16> -> tensor<128x1xf32>
    %f = tile.reindex %s by affine_map<(d0, d1) -> (d0, 0)> : tensor<128x1xf32> -> tensor<128x128xf32>
    %x = arith.mulf %p, %f : tensor<128x128xf32>
    %t = arith.addf %acc, %x : tensor<128x128xf32>
    tile.yield %t : tensor<128x128xf32>
  }
  tile.store %r, %C[%row, %column] : tensor<128x128xf32>, !tile.global<?x?xf32>
  tile.return
}

// -----

// Tests that a small tile of 4-byte elements is copied by all threads of the
// producer, each of which arrives when its copies have, and is read from shared
// memory by the consumers, whose warps hand it back.
// CHECK-LABEL: tile.kernel @staged__tma
// CHECK: %[[SS:.+]] = tile.alloc_shared "Ss" {tile.handed_over, tile.stages = 3 : i64} : <3x128x1xf32>
// CHECK: %[[FULL:.+]] = tile.barrier_alloc "full" count 129 {tile.ring} : <3>
// CHECK: %[[EMPTY:.+]] = tile.barrier_alloc "empty" count 8 : <3>
// CHECK: tile.expect %[[FULL]][%{{.+}}], %c32768
// CHECK: tile.tma_copy %arg1
// CHECK: %[[SLOT:.+]] = tile.stage %[[SS]]
// CHECK: tile.async_copy %arg2[%{{.+}}, %{{.+}}] to %[[SLOT]]
// CHECK: tile.arrive %[[FULL]][%{{.+}}] {after_copies}
// CHECK: }, [1, 2] {
// CHECK-NOT: tile.load %arg2
// CHECK: tile.wait %[[FULL]]
// CHECK: %[[SLOT:.+]] = tile.stage %[[SS]]
// CHECK: tile.load %[[SLOT]]
// CHECK: tile.arrive %[[EMPTY]][%{{.+}}] {per_warp}
tile.kernel @staged(%A: !tile.global<?x?xf8E4M3FN> {tile.access = "in", tile.dims = ["M", "K"], tile.dtype = "fp8_e4m3", tile.name = "A"}, %B: !tile.global<?x?xf8E4M3FN> {tile.access = "in", tile.dims = ["N", "K"], tile.dtype = "fp8_e4m3", tile.name = "B"}, %S: !tile.global<?x?xf32> {tile.access = "in", tile.dims = ["M", "G"], tile.dtype = "f32", tile.name = "S"}, %C: !tile.global<?x?xf32> {tile.access = "out", tile.dims = ["M", "N"], tile.dtype = "f32", tile.name = "C"})
    attributes {axes = ["bx", "by"], checks = [], grid = [["ceildiv", "N", 128], ["ceildiv", "M", 128]], symbols = [{dim = 0 : i64, name = "M", param = 0 : i64}, {dim = 1 : i64, name = "K", param = 0 : i64}, {dim = 0 : i64, name = "N", param = 1 : i64}, {dim = 1 : i64, name = "G", param = 2 : i64}], threads = 256 : i64} {
  %as = tile.alloc_shared "As" : !tile.shared<128x128xf8E4M3FN>
  %bs = tile.alloc_shared "Bs" : !tile.shared<128x128xf8E4M3FN>
  %ss = tile.alloc_shared "Ss" : !tile.shared<128x1xf32>
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %c0 = arith.constant 0 : i64
  %c128 = arith.constant 128 : i64
  %k = tile.symbol "K" : i64
  %n = arith.ceildivsi %k, %c128 : i64
  %bx = tile.block_id 0 : i64
  %by = tile.block_id 1 : i64
  %row = arith.muli %by, %c128 : i64
  %column = arith.muli %bx, %c128 : i64
  %r = tile.pipelined %i = %c0 to %n step 1 iter_args(%acc = %zero) -> (tensor<128x128xf32>) stages(3) {
    %depth = arith.muli %i, %c128 : i64
    tile.copy %A[%row, %depth] to %as : !tile.global<?x?xf8E4M3FN>, !tile.shared<128x128xf8E4M3FN>
    tile.copy %B[%column, %depth] to %bs : !tile.global<?x?xf8E4M3FN>, !tile.shared<128x128xf8E4M3FN>
    tile.copy %S[%row, %i] to %ss : !tile.global<?x?xf32>, !tile.shared<128x1xf32>
    %p = tile.gemm %as, %bs, %zero {transpose_b} : !tile.shared<128x128xf8E4M3FN>, !tile.shared<128x128xf8E4M3FN>, tensor<128x128xf32>
    %s = tile.load %ss : !tile.shared<128x1xf32> -> tensor<128x1xf32>
    %f = tile.reindex %s by affine_map<(d0, d1) -> (d0, 0)> : tensor<128x1xf32> -> tensor<128x128xf32>
    %x = arith.mulf %p, %f : tensor<128x128xf32>
    %t = arith.addf %acc, %x : tensor<128x128xf32>
    tile.yield %t : tensor<128x128xf32>
  }
  tile.store %r, %C[%row, %column] : tensor<128x128xf32>, !tile.global<?x?xf32>
  tile.return
}

// -----

// Tests a product with an operand from registers: TMA brings packed weights as
// bytes, scales come straight to registers for the expression, each warp hands
// back what its threads have read, and sums of transposes leave by TMA.
// CHECK-LABEL: tile.kernel @mixed__tma
// CHECK-SAME: guards = {{.*}}the packed dimension of 'B' is even
// CHECK-SAME: tensor_maps = [{box = [128, 64], param = 0 : i64, swizzle = 128 : i64}, {box = [128, 32], param = 1 : i64, swizzle = 0 : i64}, {box = [64, 64], param = 3 : i64, swizzle = 128 : i64}]
// CHECK: tile.alloc_shared "Bs" {tile.stages = 3 : i64} : <3x128x64xi4, pack = 2>
// CHECK: tile.barrier_alloc "empty" count 8 : <3>
// CHECK: tile.expect %{{.+}}, %c20480
// CHECK: }, [1, 2] {
// CHECK: %[[FIRST:.+]] = tile.load %arg2[%{{.+}}, %{{.+}}] : !tile.global<?x?xbf16> -> tensor<128x1xbf16
// CHECK: %[[SECOND:.+]] = tile.load %arg2
// CHECK: scf.for %[[K:.+]] = {{.*}} iter_args({{.*}}, %[[SCALE:.+]] = %[[FIRST]], %{{.+}} = %[[SECOND]])
// CHECK: %[[W:.+]] = tile.operand %{{.+}}, %[[SCALE]] maps
// CHECK: tile.gemm %{{.+}}, %[[W]]
// CHECK: tile.arrive %{{.+}} {per_warp}
// CHECK: %[[NEXT:.+]] = tile.load %arg2
// CHECK: scf.yield {{.*}}, %[[NEXT]]
// CHECK: tile.store_through
tile.kernel @mixed(%A: !tile.global<?x?xbf16> {tile.access = "in", tile.dims = ["M", "K"], tile.dtype = "bf16", tile.name = "A"}, %B: !tile.global<?x?xi4, pack = 1> {tile.access = "in", tile.dims = ["N", "K"], tile.dtype = "int4", tile.name = "B"}, %S: !tile.global<?x?xbf16> {tile.access = "in", tile.dims = ["N", "G"], tile.dtype = "bf16", tile.name = "S"}, %C: !tile.global<?x?xbf16> {tile.access = "out", tile.dims = ["M", "N"], tile.dtype = "bf16", tile.name = "C"})
    attributes {axes = ["bx", "by"], checks = [], grid = [["ceildiv", "N", 128], ["ceildiv", "M", 128]], symbols = [{dim = 0 : i64, name = "M", param = 0 : i64}, {dim = 1 : i64, name = "K", param = 0 : i64}, {dim = 0 : i64, name = "N", param = 1 : i64}, {dim = 1 : i64, name = "G", param = 2 : i64}], threads = 256 : i64} {
  %as = tile.alloc_shared "As" : !tile.shared<128x64xbf16>
  %bs = tile.alloc_shared "Bs" : !tile.shared<128x64xi4, pack = 1>
  %ss = tile.alloc_shared "Ss" : !tile.shared<128x1xbf16>
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %c0 = arith.constant 0 : i64
  %c64 = arith.constant 64 : i64
  %c128 = arith.constant 128 : i64
  %k = tile.symbol "K" : i64
  %n = arith.ceildivsi %k, %c64 : i64
  %bx = tile.block_id 0 : i64
  %by = tile.block_id 1 : i64
  %row = arith.muli %by, %c128 : i64
  %column = arith.muli %bx, %c128 : i64
  %r = tile.pipelined %i = %c0 to %n step 1 iter_args(%acc = %zero) -> (tensor<128x128xf32>) stages(3) {
    %depth = arith.muli %i, %c64 : i64
    tile.copy %A[%row, %depth] to %as : !tile.global<?x?xbf16>, !tile.shared<128x64xbf16>
    tile.copy %B[%column, %depth] to %bs : !tile.global<?x?xi4, pack = 1>, !tile.shared<128x64xi4, pack = 1>
    tile.copy %S[%column, %i] to %ss : !tile.global<?x?xbf16>, !tile.shared<128x1xbf16>
    %q = tile.load %bs : !tile.shared<128x64xi4, pack = 1> -> tensor<128x64xi4>
    %h = tile.cast %q : tensor<128x64xi4> -> tensor<128x64xbf16>
    %s = tile.load %ss : !tile.shared<128x1xbf16> -> tensor<128x1xbf16>
    %f = tile.reindex %s by affine_map<(d0, d1) -> (d0, 0)> : tensor<128x1xbf16> -> tensor<128x64xbf16>
    %w = arith.mulf %h, %f : tensor<128x64xbf16>
    %p = tile.gemm %as, %w, %acc {transpose_b} : !tile.shared<128x64xbf16>, tensor<128x64xbf16>, tensor<128x128xf32>
    tile.yield %p : tensor<128x128xf32>
  }
  %c = tile.cast %r : tensor<128x128xf32> -> tensor<128x128xbf16>
  tile.store %c, %C[%row, %column] : tensor<128x128xbf16>, !tile.global<?x?xbf16>
  tile.return
}

// -----

// Tests three warpgroups with 64 rows each: one team of three, which share all
// registers with the producer; each hands buffers back for itself, and stores
// through tiles of its own.
// CHECK-LABEL: tile.kernel @three__tma
// CHECK-SAME: schedule = #tile.schedule<cooperative, teams = 1, groups = 3>
// CHECK-SAME: tensor_maps = [{box = [192, 64], param = 0 : i64, swizzle = 128 : i64}, {box = [64, 64], param = 1 : i64, swizzle = 128 : i64}, {box = [64, 64], param = 2 : i64, swizzle = 128 : i64}]
// CHECK-SAME: threads = 512
// CHECK: tile.alloc_shared "As" {tile.stages = 3 : i64} : <3x192x64xbf16, #tile.shared_layout<swizzle = [3, 4, 3]>>
// CHECK: tile.barrier_alloc "empty" count 3 : <3>
// CHECK: tile.alloc_shared "staging" : <6x64x64xbf16
// CHECK: tile.warpgroup [0] {
// CHECK: tile.set_max_registers 32
// CHECK: }, [1, 2, 3] {
// CHECK: tile.set_max_registers 160
// CHECK: tile.gemm {{.*}} tensor<192x256xf32, #tile.layout<"192x256 spread=[0,3] {{.*}} warps={{\[\[}}16,0],[32,0]]">>
// CHECK: tile.arrive %{{.+}} {per_warpgroup}
// CHECK: tile.store_through
// CHECK-LABEL: tile.kernel @three__aligned8
// CHECK-SAME: threads = 384
// CHECK-NOT: tile.warpgroup
tile.kernel @three(%A: !tile.global<?x?xbf16> {tile.access = "in", tile.dims = ["M", "K"], tile.dtype = "bf16", tile.name = "A"}, %B: !tile.global<?x?xbf16> {tile.access = "in", tile.dims = ["K", "N"], tile.dtype = "bf16", tile.name = "B"}, %C: !tile.global<?x?xbf16> {tile.access = "out", tile.dims = ["M", "N"], tile.dtype = "bf16", tile.name = "C"})
    attributes {axes = ["bx", "by"], checks = [], grid = [["ceildiv", "N", 256], ["ceildiv", "M", 192]], symbols = [{dim = 0 : i64, name = "M", param = 0 : i64}, {dim = 1 : i64, name = "K", param = 0 : i64}, {dim = 1 : i64, name = "N", param = 1 : i64}], threads = 384 : i64} {
  %as = tile.alloc_shared "As" : !tile.shared<192x64xbf16>
  %bs = tile.alloc_shared "Bs" : !tile.shared<64x256xbf16>
  %zero = arith.constant dense<0.0> : tensor<192x256xf32>
  %c0 = arith.constant 0 : i64
  %c64 = arith.constant 64 : i64
  %c192 = arith.constant 192 : i64
  %c256 = arith.constant 256 : i64
  %k = tile.symbol "K" : i64
  %n = arith.ceildivsi %k, %c64 : i64
  %bx = tile.block_id 0 : i64
  %by = tile.block_id 1 : i64
  %row = arith.muli %by, %c192 : i64
  %column = arith.muli %bx, %c256 : i64
  %r = tile.pipelined %i = %c0 to %n step 1 iter_args(%acc = %zero) -> (tensor<192x256xf32>) stages(3) {
    %depth = arith.muli %i, %c64 : i64
    tile.copy %A[%row, %depth] to %as : !tile.global<?x?xbf16>, !tile.shared<192x64xbf16>
    tile.copy %B[%depth, %column] to %bs : !tile.global<?x?xbf16>, !tile.shared<64x256xbf16>
    %s = tile.gemm %as, %bs, %acc : !tile.shared<192x64xbf16>, !tile.shared<64x256xbf16>, tensor<192x256xf32>
    tile.yield %s : tensor<192x256xf32>
  }
  %c = tile.cast %r : tensor<192x256xf32> -> tensor<192x256xbf16>
  tile.store %c, %C[%row, %column] : tensor<192x256xbf16>, !tile.global<?x?xbf16>
  tile.return
}
