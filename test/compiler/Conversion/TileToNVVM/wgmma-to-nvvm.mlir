// RUN: tile-opt %s --convert-tile-to-nvvm | FileCheck %s

#acc = #tile.layout<"64x64 registers=[[0,1],[8,0],[0,8],[0,16],[0,32]] lanes=[[0,2],[0,4],[1,0],[2,0],[4,0]] warps=[[16,0],[32,0]]">
#rows = #tile.shared_layout<swizzle = [3, 4, 3]>

// Tests the descriptors: rows of K advance by 32 bytes a step, columns of K by
// 16 rows of 128 bytes; and that a product is one statement with fence,
// instructions and commit in their order, in front of the wait.
// CHECK-LABEL: @product
// CHECK: %[[A:.+]] = llvm.inline_asm asm_dialect = att "mov.b64 $0, {$1, 1073741888};"
// CHECK: %[[B:.+]] = llvm.inline_asm asm_dialect = att "mov.b64 $0, {$1, 1073741888};"
// CHECK: %[[SUMS:.+]] = llvm.inline_asm has_side_effects {{.*}} "{\0A.reg .b64 l, r;\0Awgmma.fence.sync.aligned;
// CHECK-SAME: \0Awgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {{[^}]*}}}, $64, $65, 1, 1, 1, 0, 1;
// CHECK-SAME: \0Aadd.s64 l, $64, 2;\0Aadd.s64 r, $65, 128;
// CHECK-SAME: \0Awgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {{[^}]*}}}, l, r, 1, 1, 1, 0, 1;
// CHECK-SAME: \0Awgmma.commit_group.sync.aligned;\0A}"
// CHECK-SAME: 30,31,l,l,~{memory}"
// CHECK-SAME: %[[A]], %[[B]] :
// CHECK: llvm.extractvalue %[[SUMS]][0]
// CHECK: wgmma.wait_group.sync.aligned 0;
tile.kernel @product(%C: !tile.global<?x?xf32> {tile.access = "out", tile.dims = ["M", "M"], tile.dtype = "f32", tile.name = "C"}) attributes {symbols = [{dim = 0 : i64, name = "M", param = 0 : i64}], checks = [], grid = [], axes = [], threads = 128 : i64, shared_bytes = 16384 : i64} {
  %a = tile.alloc_shared {offset = 0 : i64} : !tile.shared<64x64xbf16, #rows>
  %b = tile.alloc_shared {offset = 8192 : i64} : !tile.shared<64x64xbf16, #rows>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
  %c0 = arith.constant 0 : i64
  %s = tile.wgmma %a, %b, %zero k 0 depth 32 using <m64n64k16, type = bf16, warps = [4, 1]> : !tile.shared<64x64xbf16, #rows>, !tile.shared<64x64xbf16, #rows>, tensor<64x64xf32, #acc> -> !tile.in_flight<tensor<64x64xf32, #acc>>
  %r = tile.mma_wait %s pending 0 : !tile.in_flight<tensor<64x64xf32, #acc>> -> tensor<64x64xf32, #acc>
  tile.store %r, %C[%c0, %c0] : tensor<64x64xf32, #acc>, !tile.global<?x?xf32>
  tile.return
}

// Tests a left operand in registers, of transposes: four words an instruction,
// all there in front of the fence.  The constants of this one are one word.
// CHECK-LABEL: @from_registers
// CHECK: wgmma.fence.sync.aligned;
// CHECK-SAME: wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 {$0, $1, $2, $3, $4, $5, $6, $7}, {$16, $17, $18, $19}, $20, 0, 1, 1, 0;
// CHECK-SAME: wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 {$0, $1, $2, $3, $4, $5, $6, $7}, {$21, $22, $23, $24}, r, 1, 1, 1, 0;
// CHECK-SAME: wgmma.commit_group.sync.aligned;
#transposed = #tile.layout<"16x64 registers=[[1,0],[0,1],[8,0]] lanes=[[2,0],[4,0],[0,2],[0,4],[0,8]] warps=[[0,16],[0,32]]">
#left = #tile.layout<"32x64 registers=[[1,0],[0,1],[8,0],[16,0]] lanes=[[2,0],[4,0],[0,2],[0,4],[0,8]] warps=[[0,16],[0,32]]">
tile.kernel @from_registers(%C: !tile.global<?x?xf32> {tile.access = "out", tile.dims = ["M", "M"], tile.dtype = "f32", tile.name = "C"}) attributes {symbols = [{dim = 0 : i64, name = "M", param = 0 : i64}], checks = [], grid = [], axes = [], threads = 128 : i64, shared_bytes = 1024 : i64} {
  %a = tile.alloc_shared {offset = 0 : i64} : !tile.shared<16x32xbf16, #tile.shared_layout<swizzle = [2, 4, 3]>>
  %w = arith.constant dense<1.0> : tensor<32x64xbf16, #left>
  %zero = arith.constant dense<0.0> : tensor<16x64xf32, #transposed>
  %c0 = arith.constant 0 : i64
  %s = tile.wgmma %a, %w, %zero k 0 depth 32 using <m64n16k16, type = bf16, warps = [1, 4], swap> {overwrite} : !tile.shared<16x32xbf16, #tile.shared_layout<swizzle = [2, 4, 3]>>, tensor<32x64xbf16, #left>, tensor<16x64xf32, #transposed> -> !tile.in_flight<tensor<16x64xf32, #transposed>>
  %r = tile.mma_wait %s pending 0 : !tile.in_flight<tensor<16x64xf32, #transposed>> -> tensor<16x64xf32, #transposed>
  tile.store %r, %C[%c0, %c0] : tensor<16x64xf32, #transposed>, !tile.global<?x?xf32>
  tile.return
}

// Tests that the operand of a product is there before its warpgroup waits for
// its turn.
// CHECK-LABEL: @in_turn
// CHECK: llvm.inline_asm has_side_effects {{.*}} "", "=r,
// CHECK: mbarrier.try_wait
// CHECK: wgmma.fence.sync.aligned;
tile.kernel @in_turn(%C: !tile.global<?x?xf32> {tile.access = "out", tile.dims = ["M", "M"], tile.dtype = "f32", tile.name = "C"}) attributes {symbols = [{dim = 0 : i64, name = "M", param = 0 : i64}], checks = [], grid = [], axes = [], threads = 128 : i64, shared_bytes = 1152 : i64} {
  %a = tile.alloc_shared {offset = 0 : i64} : !tile.shared<16x32xbf16, #tile.shared_layout<swizzle = [2, 4, 3]>>
  %turn = tile.barrier_alloc "turn" count 1 {offset = 1024 : i64} : !tile.barrier<1>
  %w = arith.constant dense<1.0> : tensor<32x64xbf16, #left>
  %zero = arith.constant dense<0.0> : tensor<16x64xf32, #transposed>
  %c0 = arith.constant 0 : i64
  tile.wait %turn, %c0 : !tile.barrier<1>
  %s = tile.wgmma %a, %w, %zero k 0 depth 32 using <m64n16k16, type = bf16, warps = [1, 4], swap> {overwrite} : !tile.shared<16x32xbf16, #tile.shared_layout<swizzle = [2, 4, 3]>>, tensor<32x64xbf16, #left>, tensor<16x64xf32, #transposed> -> !tile.in_flight<tensor<16x64xf32, #transposed>>
  %r = tile.mma_wait %s pending 0 : !tile.in_flight<tensor<16x64xf32, #transposed>> -> tensor<16x64xf32, #transposed>
  tile.store %r, %C[%c0, %c0] : tensor<16x64xf32, #transposed>, !tile.global<?x?xf32>
  tile.return
}
