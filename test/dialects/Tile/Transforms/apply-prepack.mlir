// RUN: tile-opt %s --tile-apply-prepack --split-input-file --mlir-print-local-scope | FileCheck %s

// Tests that a prepacked tensor becomes its tiles in the order of their reads,
// that copies move rows of it, and that its memory must be aligned.
// CHECK-LABEL: @weights
// CHECK-SAME: %[[B:.+]]: !tile.global<?x?x256xi4, pack = 2>
// CHECK-SAME: tile.aligned = 16 : i64
// CHECK-SAME: tile.dims = [{{\[}}"ceildiv", "N", 32], ["*", ["ceildiv", "K", 32], 4], 256]
// CHECK-SAME: tile.packing = {along = 1 : i64, dims = ["N", "K"], order = #tile.packed_order<"32x32 bits=4 order={{\[\[}}1,8,4],[1,1,2],[0,8,4],[1,2,4],[0,1,8]]">, pack = 1 : i64}
// CHECK-SAME: tile.prepack
// CHECK-SAME: checks = [{expr = ["==", ["%", ["address", "B"], 16], 0], text = "'B' starts at a multiple of 16 bytes"}]
// CHECK: %[[SYM:.+]] = tile.symbol
// CHECK: %[[K:.+]] = arith.muli %{{.+}}, %[[SYM]]
// CHECK: %[[ROWS:.+]] = tile.alloc_shared "Bs" : <4x256xi4, pack = 1>
// CHECK: %[[TILE:.+]] = arith.muli %{{.+}}, %{{c1_.+}} : i64
// CHECK: %[[AT:.+]] = arith.shrsi %[[K]], %c5{{.*}} : i64
// CHECK: %[[ROW:.+]] = arith.muli %[[AT]], %c4{{.*}} : i64
// CHECK: tile.copy %[[B]][%{{.+}}, %[[ROW]], %c0{{.*}}] to %[[ROWS]] : !tile.global<?x?x256xi4, pack = 2>, !tile.shared<4x256xi4, pack = 1>
// CHECK: %[[U:.+]] = tile.unpacked %[[ROWS]] by <"32x32 {{.*}}"> : <4x256xi4, pack = 1> -> <32x32xi4, pack = 1>
// CHECK: tile.gemm %{{.+}}, %[[U]],
tile.kernel @weights(%B: !tile.global<?x?xi4, pack = 1> {tile.name = "B", tile.dtype = "int4", tile.access = "in", tile.dims = ["N", "K"], tile.prepack})
    attributes {symbols = [{name = "N", param = 0 : i64, dim = 0 : i64}, {name = "K", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [["ceildiv", "N", 32 : i64]], axes = ["bx"], threads = 32 : i64} {
  %c32 = arith.constant 32 : i64
  %bx = tile.block_id 0 : i64
  %sym = tile.symbol "K" : i64
  %n = arith.muli %bx, %c32 : i64
  %k = arith.muli %c32, %sym : i64
  %as = tile.alloc_shared "As" : !tile.shared<16x32xbf16>
  %bs = tile.alloc_shared "Bs" : !tile.shared<32x32xi4, pack = 1>
  tile.copy %B[%n, %k] to %bs : !tile.global<?x?xi4, pack = 1>, !tile.shared<32x32xi4, pack = 1>
  %zero = arith.constant dense<0.0> : tensor<16x32xf32>
  %r = tile.gemm %as, %bs, %zero {transpose_b, mma = #tile.mma<m16n8k16, type = bf16, warps = [1, 1]>} : !tile.shared<16x32xbf16>, !tile.shared<32x32xi4, pack = 1>, tensor<16x32xf32>
  tile.return
}

// -----

// Tests that scales are ordered for the operand that they go with, whatever
// group they belong to, that a tensor that is not prepacked stays, and that a
// tile which is two of one column is stored as these.
// CHECK-LABEL: @scales
// CHECK-SAME: %{{.+}}: !tile.global<?x?xi8>
// CHECK-SAME: %{{.+}}: !tile.global<?x?x8xbf16>
// CHECK-SAME: tile.dims = [{{\[}}"ceildiv", "N", 8], ["*", ["ceildiv", "G", 1], 1], 8]
// CHECK-SAME: order = #tile.packed_order<"8x1 bits=16 order={{\[\[}}0,1,8]]">
// CHECK: %[[S:.+]] = tile.unpacked %{{.+}} by <"8x2 bits=16 order={{\[\[}}0,1,8],[1,1,2]]"> : <2x8xbf16> -> <8x2xbf16>
// CHECK: tile.operand %{{.+}}, %[[S]] maps
tile.kernel @scales(%B: !tile.global<?x?xi8> {tile.name = "B", tile.dtype = "int8", tile.access = "in", tile.dims = ["N", "K"]},
                    %S: !tile.global<?x?xbf16> {tile.name = "S", tile.dtype = "bf16", tile.access = "in", tile.dims = ["N", "G"], tile.prepack})
    attributes {symbols = [{name = "N", param = 0 : i64, dim = 0 : i64}, {name = "K", param = 0 : i64, dim = 1 : i64}, {name = "G", param = 1 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c0 = arith.constant 0 : i64
  %as = tile.alloc_shared "As" : !tile.shared<16x32xbf16>
  %bs = tile.alloc_shared "Bs" : !tile.shared<8x32xi8>
  %ss = tile.alloc_shared "Ss" : !tile.shared<8x2xbf16>
  tile.copy %B[%c0, %c0] to %bs : !tile.global<?x?xi8>, !tile.shared<8x32xi8>
  tile.copy %S[%c0, %c0] to %ss : !tile.global<?x?xbf16>, !tile.shared<8x2xbf16>
  %op = tile.operand %bs, %ss maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1 floordiv 16)>] : !tile.shared<8x32xi8>, !tile.shared<8x2xbf16> -> tensor<8x32xbf16> {
  ^bb0(%q: i8, %s: bf16):
    %w = tile.cast %q : i8 -> bf16
    %x = arith.mulf %w, %s : bf16
    tile.yield %x : bf16
  }
  %zero = arith.constant dense<0.0> : tensor<16x8xf32>
  %r = tile.gemm %as, %op, %zero {transpose_b, mma = #tile.mma<m16n8k16, type = bf16, warps = [1, 1]>} : !tile.shared<16x32xbf16>, tensor<8x32xbf16>, tensor<16x8xf32>
  tile.return
}

// -----

// Tests that a tensor that nothing reads stays as it is.
// CHECK-LABEL: @unused
// CHECK-SAME: !tile.global<?x?xi4, pack = 1>
// CHECK-NOT: tile.packing
tile.kernel @unused(%B: !tile.global<?x?xi4, pack = 1> {tile.name = "B", tile.dtype = "int4", tile.access = "in", tile.dims = ["N", "K"], tile.prepack})
    attributes {symbols = [{name = "N", param = 0 : i64, dim = 0 : i64}, {name = "K", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 32 : i64} {
  tile.return
}

// -----

// Tests that scales need no pad value where the numbers that they belong to lie
// outside, too, and are 0.
// CHECK-LABEL: @scales_of_zeros
// CHECK: tile.copy %{{[^ ]+}}[{{[^]]+}}] to %{{[^ ]+}} : !tile.global<?x?x128xf8E8M0FNU>
tile.kernel @scales_of_zeros(%B: !tile.global<?x?xf4E2M1FN, pack = 1> {tile.name = "B", tile.dtype = "fp4_e2m1", tile.access = "in", tile.dims = ["N", "K"], tile.prepack},
                    %S: !tile.global<?x?xf8E8M0FNU> {tile.name = "S", tile.dtype = "e8m0", tile.access = "in", tile.dims = ["N", ["ceildiv", "K", 32 : i64]], tile.prepack})
    attributes {symbols = [{name = "N", param = 0 : i64, dim = 0 : i64}, {name = "K", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [["ceildiv", "N", 64 : i64], 8 : i64], axes = ["bx", "k"], threads = 128 : i64} {
  %c4 = arith.constant 4 : i64
  %c8 = arith.constant 8 : i64
  %c64 = arith.constant 64 : i64
  %c128 = arith.constant 128 : i64
  %one = arith.constant 1.0 : f8E8M0FNU
  %bx = tile.block_id 0 : i64
  %n = arith.muli %bx, %c64 : i64
  %step = tile.block_id 1 : i64
  %k = arith.muli %step, %c128 : i64
  %as = tile.alloc_shared "As" : !tile.shared<16x128xbf16>
  %bs = tile.alloc_shared "Bs" : !tile.shared<64x128xf4E2M1FN, pack = 1>
  %ss = tile.alloc_shared "Ss" : !tile.shared<64x4xf8E8M0FNU>
  tile.copy %B[%n, %k] to %bs : !tile.global<?x?xf4E2M1FN, pack = 1>, !tile.shared<64x128xf4E2M1FN, pack = 1>
  %bx2 = tile.block_id 0 : i64
  %n2 = arith.muli %bx2, %c64 : i64
  %g = arith.muli %step, %c4 : i64
  tile.copy %S[%n2, %g] to %ss pad %one : f8E8M0FNU : !tile.global<?x?xf8E8M0FNU>, !tile.shared<64x4xf8E8M0FNU>
  %w = tile.operand %bs, %ss maps [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j floordiv 32)>] : !tile.shared<64x128xf4E2M1FN, pack = 1>, !tile.shared<64x4xf8E8M0FNU> -> tensor<64x128xbf16> {
  ^bb0(%q: f4E2M1FN, %scale: f8E8M0FNU):
    %x = tile.cast %q : f4E2M1FN -> bf16
    %y = tile.cast %scale : f8E8M0FNU -> bf16
    %z = arith.mulf %x, %y : bf16
    tile.yield %z : bf16
  }
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  %r = tile.gemm %as, %w, %zero {transpose_b, mma = #tile.mma<m16n8k16, type = bf16, warps = [1, 4], swap>} : !tile.shared<16x128xbf16>, tensor<64x128xbf16>, tensor<16x64xf32>
  tile.return
}

// -----

// Tests that scales from elsewhere keep it.
// CHECK-LABEL: @other_place
// CHECK: tile.copy %{{.+}} pad %{{.+}} : !tile.global<?x?x128xf8E8M0FNU>
tile.kernel @other_place(%B: !tile.global<?x?xf4E2M1FN, pack = 1> {tile.name = "B", tile.dtype = "fp4_e2m1", tile.access = "in", tile.dims = ["N", "K"], tile.prepack},
                    %S: !tile.global<?x?xf8E8M0FNU> {tile.name = "S", tile.dtype = "e8m0", tile.access = "in", tile.dims = ["N", ["ceildiv", "K", 32 : i64]], tile.prepack})
    attributes {symbols = [{name = "N", param = 0 : i64, dim = 0 : i64}, {name = "K", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [["ceildiv", "N", 64 : i64], 8 : i64], axes = ["bx", "k"], threads = 128 : i64} {
  %c4 = arith.constant 4 : i64
  %c8 = arith.constant 8 : i64
  %c64 = arith.constant 64 : i64
  %c128 = arith.constant 128 : i64
  %one = arith.constant 1.0 : f8E8M0FNU
  %bx = tile.block_id 0 : i64
  %n = arith.muli %bx, %c64 : i64
  %step = tile.block_id 1 : i64
  %k = arith.muli %step, %c128 : i64
  %as = tile.alloc_shared "As" : !tile.shared<16x128xbf16>
  %bs = tile.alloc_shared "Bs" : !tile.shared<64x128xf4E2M1FN, pack = 1>
  %ss = tile.alloc_shared "Ss" : !tile.shared<64x4xf8E8M0FNU>
  tile.copy %B[%n, %k] to %bs : !tile.global<?x?xf4E2M1FN, pack = 1>, !tile.shared<64x128xf4E2M1FN, pack = 1>
  %bx2 = tile.block_id 0 : i64
  %n2 = arith.muli %bx2, %c64 : i64
  %g = arith.muli %step, %c8 : i64
  tile.copy %S[%n2, %g] to %ss pad %one : f8E8M0FNU : !tile.global<?x?xf8E8M0FNU>, !tile.shared<64x4xf8E8M0FNU>
  %w = tile.operand %bs, %ss maps [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j floordiv 32)>] : !tile.shared<64x128xf4E2M1FN, pack = 1>, !tile.shared<64x4xf8E8M0FNU> -> tensor<64x128xbf16> {
  ^bb0(%q: f4E2M1FN, %scale: f8E8M0FNU):
    %x = tile.cast %q : f4E2M1FN -> bf16
    %y = tile.cast %scale : f8E8M0FNU -> bf16
    %z = arith.mulf %x, %y : bf16
    tile.yield %z : bf16
  }
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  %r = tile.gemm %as, %w, %zero {transpose_b, mma = #tile.mma<m16n8k16, type = bf16, warps = [1, 4], swap>} : !tile.shared<16x128xbf16>, tensor<64x128xbf16>, tensor<16x64xf32>
  tile.return
}

// -----

// Tests that scales of which there are fewer than groups keep it.
// CHECK-LABEL: @fewer_scales
// CHECK: tile.copy %{{.+}} pad %{{.+}} : !tile.global<?x?x128xf8E8M0FNU>
tile.kernel @fewer_scales(%B: !tile.global<?x?xf4E2M1FN, pack = 1> {tile.name = "B", tile.dtype = "fp4_e2m1", tile.access = "in", tile.dims = ["N", "K"], tile.prepack},
                    %S: !tile.global<?x?xf8E8M0FNU> {tile.name = "S", tile.dtype = "e8m0", tile.access = "in", tile.dims = ["N", ["ceildiv", "K", 64 : i64]], tile.prepack})
    attributes {symbols = [{name = "N", param = 0 : i64, dim = 0 : i64}, {name = "K", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [["ceildiv", "N", 64 : i64], 8 : i64], axes = ["bx", "k"], threads = 128 : i64} {
  %c4 = arith.constant 4 : i64
  %c8 = arith.constant 8 : i64
  %c64 = arith.constant 64 : i64
  %c128 = arith.constant 128 : i64
  %one = arith.constant 1.0 : f8E8M0FNU
  %bx = tile.block_id 0 : i64
  %n = arith.muli %bx, %c64 : i64
  %step = tile.block_id 1 : i64
  %k = arith.muli %step, %c128 : i64
  %as = tile.alloc_shared "As" : !tile.shared<16x128xbf16>
  %bs = tile.alloc_shared "Bs" : !tile.shared<64x128xf4E2M1FN, pack = 1>
  %ss = tile.alloc_shared "Ss" : !tile.shared<64x4xf8E8M0FNU>
  tile.copy %B[%n, %k] to %bs : !tile.global<?x?xf4E2M1FN, pack = 1>, !tile.shared<64x128xf4E2M1FN, pack = 1>
  %bx2 = tile.block_id 0 : i64
  %n2 = arith.muli %bx2, %c64 : i64
  %g = arith.muli %step, %c4 : i64
  tile.copy %S[%n2, %g] to %ss pad %one : f8E8M0FNU : !tile.global<?x?xf8E8M0FNU>, !tile.shared<64x4xf8E8M0FNU>
  %w = tile.operand %bs, %ss maps [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j floordiv 32)>] : !tile.shared<64x128xf4E2M1FN, pack = 1>, !tile.shared<64x4xf8E8M0FNU> -> tensor<64x128xbf16> {
  ^bb0(%q: f4E2M1FN, %scale: f8E8M0FNU):
    %x = tile.cast %q : f4E2M1FN -> bf16
    %y = tile.cast %scale : f8E8M0FNU -> bf16
    %z = arith.mulf %x, %y : bf16
    tile.yield %z : bf16
  }
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  %r = tile.gemm %as, %w, %zero {transpose_b, mma = #tile.mma<m16n8k16, type = bf16, warps = [1, 4], swap>} : !tile.shared<16x128xbf16>, tensor<64x128xbf16>, tensor<16x64xf32>
  tile.return
}
