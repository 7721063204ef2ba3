// RUN: tile-opt %s --tile-select-mma --split-input-file --verify-diagnostics | FileCheck %s
// RUN: not tile-opt %s --tile-select-mma=target=sm_80 --split-input-file 2>&1 | FileCheck %s --check-prefix=BEFORE

// Tests that warpgroups multiply on sm_90a, from shared memory in either order,
// and warps on other GPUs.
// CHECK-LABEL: @halves
// CHECK: tile.gemm {{.*}}mma = #tile.mma<m64n256k16, type = bf16, warps = [8, 1]>
// BEFORE-LABEL: @halves
// BEFORE: tile.gemm {{.*}}mma = #tile.mma<m16n8k16
tile.kernel @halves() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 256 : i64} {
  %a = tile.alloc_shared : !tile.shared<64x128xbf16>
  %b = tile.alloc_shared : !tile.shared<64x256xbf16>
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %r = tile.gemm %a, %b, %zero {transpose_a} : !tile.shared<64x128xbf16>, !tile.shared<64x256xbf16>, tensor<128x256xf32>
  tile.return
}

// -----

// Tests that two warpgroups share the columns of 64 rows, and that 8-bit floats
// of two formats enter as they are.
// CHECK-LABEL: @bytes
// CHECK: tile.gemm {{.*}}mma = #tile.mma<m64n64k32, type = f8E4M3FN, type_b = f8E5M2, warps = [4, 2]>
tile.kernel @bytes() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 256 : i64} {
  %a = tile.alloc_shared : !tile.shared<64x128xf8E4M3FN>
  %b = tile.alloc_shared : !tile.shared<128x128xf8E5M2>
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %r = tile.gemm %a, %b, %zero {transpose_b} : !tile.shared<64x128xf8E4M3FN>, !tile.shared<128x128xf8E5M2>, tensor<64x128xf32>
  tile.return
}

// -----

// Tests that three warpgroups share rows, in instructions of which the registers
// at the kernel's entry hold the sums.
// CHECK-LABEL: @three
// CHECK: tile.gemm {{.*}}mma = #tile.mma<m64n128k16, type = bf16, warps = [12, 1]>
tile.kernel @three() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 384 : i64} {
  %a = tile.alloc_shared : !tile.shared<192x64xbf16>
  %b = tile.alloc_shared : !tile.shared<64x256xbf16>
  %zero = arith.constant dense<0.0> : tensor<192x256xf32>
  %r = tile.gemm %a, %b, %zero : !tile.shared<192x64xbf16>, !tile.shared<64x256xbf16>, tensor<192x256xf32>
  tile.return
}

// -----

// Tests that three warpgroups share columns of rows that are not enough for all.
// CHECK-LABEL: @three_of_columns
// CHECK: tile.gemm {{.*}}mma = #tile.mma<m64n64k32, type = i8, warps = [4, 3]>
tile.kernel @three_of_columns() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 384 : i64} {
  %a = tile.alloc_shared : !tile.shared<128x128xi8>
  %b = tile.alloc_shared : !tile.shared<192x128xi8>
  %zero = arith.constant dense<0> : tensor<128x192xi32>
  %r = tile.gemm %a, %b, %zero {transpose_b} : !tile.shared<128x128xi8>, !tile.shared<192x128xi8>, tensor<128x192xi32>
  tile.return
}

// -----

// Tests that more than 128 sums a thread are left to warps: the registers of
// three warpgroups do not hold them.
// CHECK-LABEL: @too_many_for_three
// CHECK: the warpgroups cannot share the tile, or their sums and operands do not fit into registers
// CHECK: tile.gemm {{.*}}mma = #tile.mma<m16n8k16, type = bf16, warps = [{{3, 4|6, 2|12, 1|4, 3|2, 6|1, 12}}]
tile.kernel @too_many_for_three() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 384 : i64} {
  %a = tile.alloc_shared : !tile.shared<192x64xbf16>
  %b = tile.alloc_shared : !tile.shared<64x320xbf16>
  %zero = arith.constant dense<0.0> : tensor<192x320xf32>
  %r = tile.gemm %a, %b, %zero : !tile.shared<192x64xbf16>, !tile.shared<64x320xbf16>, tensor<192x320xf32>
  tile.return
}

// -----

// Tests that columns beyond 256 take several instructions.
// CHECK-LABEL: @wide
// CHECK: tile.gemm {{.*}}mma = #tile.mma<m64n160k16
tile.kernel @wide() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %a = tile.alloc_shared : !tile.shared<64x64xf16>
  %b = tile.alloc_shared : !tile.shared<320x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x320xf32>
  %r = tile.gemm %a, %b, %zero {transpose_b} : !tile.shared<64x64xf16>, !tile.shared<320x64xf16>, tensor<64x320xf32>
  tile.return
}

// -----

// Tests that 8-bit operands whose K is not fastest in memory are left to warps,
// and that the reason is kept.
// CHECK-LABEL: @rows_of_columns
// CHECK: K is not fastest in memory
// CHECK: tile.gemm {{.*}}mma = #tile.mma<m16n8k32
tile.kernel @rows_of_columns() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %a = tile.alloc_shared : !tile.shared<64x128xi8>
  %b = tile.alloc_shared : !tile.shared<128x64xi8>
  %zero = arith.constant dense<0> : tensor<64x64xi32>
  %r = tile.gemm %a, %b, %zero : !tile.shared<64x128xi8>, !tile.shared<128x64xi8>, tensor<64x64xi32>
  tile.return
}

// -----

// Tests that two products in turn are left to warps, unless warpgroups are asked
// for.
// CHECK-LABEL: @two
// CHECK: the kernel has several products
// CHECK-COUNT-2: tile.gemm {{.*}}mma = #tile.mma<m16n8k16
tile.kernel @two() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %a = tile.alloc_shared : !tile.shared<64x64xbf16>
  %b = tile.alloc_shared : !tile.shared<64x64xbf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %r = tile.gemm %a, %b, %zero : !tile.shared<64x64xbf16>, !tile.shared<64x64xbf16>, tensor<64x64xf32>
  %s = tile.gemm %b, %a, %r : !tile.shared<64x64xbf16>, !tile.shared<64x64xbf16>, tensor<64x64xf32>
  tile.return
}

// -----

// CHECK-LABEL: @two_decided
// CHECK-COUNT-2: tile.gemm {{.*}}mma = #tile.mma<m64n64k16
tile.kernel @two_decided() attributes {decisions = {instruction = "wgmma"}, symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %a = tile.alloc_shared : !tile.shared<64x64xbf16>
  %b = tile.alloc_shared : !tile.shared<64x64xbf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  // BEFORE: error: decision 'instruction' = wgmma needs sm_90a
  %r = tile.gemm %a, %b, %zero : !tile.shared<64x64xbf16>, !tile.shared<64x64xbf16>, tensor<64x64xf32>
  %s = tile.gemm %b, %a, %r : !tile.shared<64x64xbf16>, !tile.shared<64x64xbf16>, tensor<64x64xf32>
  tile.return
}

// -----

// Tests that a tile in panels is left to warps where a part of it is read that is
// no whole panel.
// CHECK-LABEL: @parts
// CHECK: a tile is used in parts
// CHECK: tile.gemm {{.*}}mma = #tile.mma<m16n8k16
tile.kernel @parts() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %a = tile.alloc_shared : !tile.shared<64x128xbf16>
  %b = tile.alloc_shared : !tile.shared<128x64xbf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %r = tile.gemm %a, %b, %zero : !tile.shared<64x128xbf16>, !tile.shared<128x64xbf16>, tensor<64x64xf32>
  %last = arith.constant 127 : i64
  %first = arith.constant 0 : i64
  %column = tile.load %a[%first, %last] : !tile.shared<64x128xbf16> -> tensor<64x1xbf16>
  tile.return
}

// -----

// CHECK-LABEL: @panels
// CHECK: tile.gemm {{.*}}mma = #tile.mma<m64n64k16
tile.kernel @panels() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %a = tile.alloc_shared : !tile.shared<64x128xbf16>
  %b = tile.alloc_shared : !tile.shared<128x64xbf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %r = tile.gemm %a, %b, %zero : !tile.shared<64x128xbf16>, !tile.shared<128x64xbf16>, tensor<64x64xf32>
  %half = arith.constant 64 : i64
  %first = arith.constant 0 : i64
  %panel = tile.load %a[%first, %half] : !tile.shared<64x128xbf16> -> tensor<64x64xbf16>
  %row = tile.load %b[%half, %first] : !tile.shared<128x64xbf16> -> tensor<1x64xbf16>
  tile.return
}

// -----

// Tests that a decision for warpgroups is honoured or an error.
tile.kernel @decided() attributes {decisions = {instruction = "wgmma"}, symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %a = tile.alloc_shared : !tile.shared<32x64xbf16>
  %b = tile.alloc_shared : !tile.shared<64x32xbf16>
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  // expected-error @+2 {{decision 'instruction' = wgmma does not fit: the tile has no multiple of 64 rows}}
  // BEFORE: error: decision 'instruction' = wgmma needs sm_90a
  %r = tile.gemm %a, %b, %zero : !tile.shared<32x64xbf16>, !tile.shared<64x32xbf16>, tensor<32x32xf32>
  tile.return
}

// -----

// Tests that the transposes are multiplied where B is converted, which only a
// left operand may be, and where the tile has too few rows.
// CHECK-LABEL: @narrow_right
// CHECK-SAME: name = "swap", reason = "B is converted, and only a left operand may come from registers", value = "true"
// CHECK: tile.gemm {{.*}}mma = #tile.mma<m64n256k16, type = bf16, warps = [1, 8], swap>
// CHECK-LABEL: @few_rows
// CHECK-SAME: reason = "the tile has no multiple of 64 rows"
// CHECK: tile.gemm {{.*}}mma = #tile.mma<m64n16k16, type = bf16, warps = [1, 4], swap>
tile.kernel @narrow_right() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 256 : i64} {
  %a = tile.alloc_shared : !tile.shared<256x64xbf16>
  %b = tile.alloc_shared : !tile.shared<128x64xi4, pack = 1>
  %zero = arith.constant dense<0.0> : tensor<256x128xf32>
  %r = tile.gemm %a, %b, %zero {transpose_b} : !tile.shared<256x64xbf16>, !tile.shared<128x64xi4, pack = 1>, tensor<256x128xf32>
  tile.return
}
tile.kernel @few_rows() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %a = tile.alloc_shared : !tile.shared<16x64xbf16>
  %b = tile.alloc_shared : !tile.shared<64x64xbf16>
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  %r = tile.gemm %a, %b, %zero {transpose_b} : !tile.shared<16x64xbf16>, !tile.shared<64x64xbf16>, tensor<16x64xf32>
  tile.return
}

// -----

// Tests that A is converted where it stands, to bytes of 4-bit floats too; that
// of two converted operands one is written anew, in the order of K in which both
// are converted, unless it is computed; and that what was decided against is left
// to warps.
// CHECK-LABEL: @narrow_left
// CHECK: tile.gemm {{.*}}mma = #tile.mma<m64n128k32, type = f8E4M3FN, type_b = f8E5M2, warps = [4, 1]>
// CHECK-LABEL: @narrow_both
// CHECK-SAME: reason = "the tensor cores take one converted operand from registers, the other from shared memory, where the threads write it anew"
// CHECK-SAME: reason = "both are converted, A in registers"
// CHECK: tile.cast {{.*}}registers=[{{\[}}0,1],[0,2],[0,4],[0,8],[0,32],[0,64]]{{.*}} -> tensor<64x128xi8, {{.*}}registers=[{{\[}}0,2],[0,4],[0,32],[0,64],[0,1],[0,8]]
// CHECK-NEXT: %[[NUMBERS:[a-z0-9]+]] = tile.relabel {{.*}} -> tensor<64x128xi8, {{.*}}registers=[{{\[}}0,1],[0,2],[0,4],[0,8],[0,16],[0,32]] {{.*}} warps=[{{\[}}32,0],[0,64]]
// CHECK: %[[CONVERTED:[a-z0-9]+]] = tile.alloc_shared "Bs converted" {tile.converted} : <64x128xi8>
// CHECK: tile.store %[[NUMBERS]], %[[CONVERTED]]
// CHECK: tile.gemm %{{[a-z0-9]+}}, %[[CONVERTED]], {{.*}}mma = #tile.mma<m64n64k32, type = i8, warps = [4, 1], k = [1, 2, 5, 6, 0, 3, 4]>
// CHECK-LABEL: @narrow_and_computed
// CHECK-SAME: reason = "both operands are converted on their way, and one is computed"
// CHECK: tile.gemm {{.*}}mma = #tile.mma<m16n8k32
// CHECK-LABEL: @narrow_rows
// CHECK-SAME: reason = "K is not fastest in memory of the operand that is converted in shared memory"
// CHECK: tile.gemm {{.*}}mma = #tile.mma<m16n8k32
// CHECK-LABEL: @not_swapped
// CHECK-SAME: reason = "an operand is converted on its way"
// CHECK: tile.gemm {{.*}}mma = #tile.mma<m16n8k16
tile.kernel @narrow_left() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %a = tile.alloc_shared : !tile.shared<64x128xf4E2M1FN, pack = 1>
  %b = tile.alloc_shared : !tile.shared<128x128xf8E5M2>
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %r = tile.gemm %a, %b, %zero {transpose_b} : !tile.shared<64x128xf4E2M1FN, pack = 1>, !tile.shared<128x128xf8E5M2>, tensor<64x128xf32>
  tile.return
}
tile.kernel @narrow_both() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %a = tile.alloc_shared : !tile.shared<64x128xi4, pack = 1>
  %b = tile.alloc_shared "Bs" : !tile.shared<64x128xi4, pack = 1>
  %zero = arith.constant dense<0> : tensor<64x64xi32>
  %r = tile.gemm %a, %b, %zero {transpose_b} : !tile.shared<64x128xi4, pack = 1>, !tile.shared<64x128xi4, pack = 1>, tensor<64x64xi32>
  tile.return
}
tile.kernel @narrow_and_computed() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %as = tile.alloc_shared : !tile.shared<64x128xi4, pack = 1>
  %b = tile.alloc_shared : !tile.shared<64x128xi4, pack = 1>
  %zero = arith.constant dense<0> : tensor<64x64xi32>
  %q = tile.load %as : !tile.shared<64x128xi4, pack = 1> -> tensor<64x128xi4>
  %one = arith.constant dense<1> : tensor<64x128xi4>
  %a = arith.xori %q, %one : tensor<64x128xi4>
  %p = tile.load %b : !tile.shared<64x128xi4, pack = 1> -> tensor<64x128xi4>
  %c = arith.xori %p, %one : tensor<64x128xi4>
  %r = tile.gemm %a, %c, %zero {transpose_b} : tensor<64x128xi4>, tensor<64x128xi4>, tensor<64x64xi32>
  tile.return
}
tile.kernel @narrow_rows() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %a = tile.alloc_shared : !tile.shared<128x64xi4, pack = 1>
  %b = tile.alloc_shared : !tile.shared<128x64xi4, pack = 1>
  %zero = arith.constant dense<0> : tensor<64x64xi32>
  %r = tile.gemm %a, %b, %zero {transpose_a} : !tile.shared<128x64xi4, pack = 1>, !tile.shared<128x64xi4, pack = 1>, tensor<64x64xi32>
  tile.return
}
tile.kernel @not_swapped() attributes {decisions = {swap = false}, symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %a = tile.alloc_shared : !tile.shared<64x64xbf16>
  %b = tile.alloc_shared : !tile.shared<64x64xi8>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %r = tile.gemm %a, %b, %zero {transpose_b} : !tile.shared<64x64xbf16>, !tile.shared<64x64xi8>, tensor<64x64xf32>
  tile.return
}

// -----

// Tests that operands are swapped where it was decided, or an error says why
// not.
// CHECK-LABEL: @swapped
// CHECK: tile.gemm {{.*}}mma = #tile.mma<m64n64k16, type = f16, warps = [1, 4], swap>
tile.kernel @swapped() attributes {decisions = {swap = true}, symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %a = tile.alloc_shared : !tile.shared<64x64xf16>
  %b = tile.alloc_shared : !tile.shared<64x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  // BEFORE: error: decision 'swap' = true needs sm_90a
  %r = tile.gemm %a, %b, %zero : !tile.shared<64x64xf16>, !tile.shared<64x64xf16>, tensor<64x64xf32>
  tile.return
}

// -----

tile.kernel @not_swappable() attributes {decisions = {swap = true}, symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %a = tile.alloc_shared : !tile.shared<64x64xi4, pack = 1>
  %b = tile.alloc_shared : !tile.shared<64x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  // expected-error @+1 {{decision 'swap' = true does not fit: an operand is converted on its way}}
  %r = tile.gemm %a, %b, %zero : !tile.shared<64x64xi4, pack = 1>, !tile.shared<64x64xf16>, tensor<64x64xf32>
  tile.return
}

// -----

tile.kernel @swapped_by_warps() attributes {decisions = {instruction = "mma", swap = true}, symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %a = tile.alloc_shared : !tile.shared<64x64xf16>
  %b = tile.alloc_shared : !tile.shared<64x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  // expected-error @+1 {{decision 'swap' = true does not fit 'instruction' = mma}}
  %r = tile.gemm %a, %b, %zero : !tile.shared<64x64xf16>, !tile.shared<64x64xf16>, tensor<64x64xf32>
  tile.return
}

// -----

// Tests that promoted sums of 256 columns join their total in parts, since all
// of them do not fit beside it, and as many at a time as is decided.
// CHECK-LABEL: @promoted_in_parts
// CHECK: tile.gemm {{.*}}mma = #tile.mma<m64n128k32
// CHECK-LABEL: @decided_parts
// CHECK: tile.gemm {{.*}}mma = #tile.mma<m64n64k32
tile.kernel @promoted_in_parts() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 256 : i64} {
  %a = tile.alloc_shared : !tile.shared<128x128xf8E4M3FN>
  %b = tile.alloc_shared : !tile.shared<256x128xf8E4M3FN>
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %r = tile.gemm %a, %b, %zero {transpose_b} : !tile.shared<128x128xf8E4M3FN>, !tile.shared<256x128xf8E4M3FN>, tensor<128x256xf32>
  tile.return
}
tile.kernel @decided_parts() attributes {decisions = {promotion = 64 : i64}, symbols = [], checks = [], grid = [], axes = [], threads = 256 : i64} {
  %a = tile.alloc_shared : !tile.shared<128x128xf8E4M3FN>
  %b = tile.alloc_shared : !tile.shared<256x128xf8E4M3FN>
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %r = tile.gemm %a, %b, %zero {transpose_b} : !tile.shared<128x128xf8E4M3FN>, !tile.shared<256x128xf8E4M3FN>, tensor<128x256xf32>
  tile.return
}

// -----

// Tests that parts which do not fit are refused.
tile.kernel @misfit() attributes {decisions = {promotion = 48 : i64}, symbols = [], checks = [], grid = [], axes = [], threads = 256 : i64} {
  %a = tile.alloc_shared : !tile.shared<128x128xf8E4M3FN>
  %b = tile.alloc_shared : !tile.shared<256x128xf8E4M3FN>
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  // expected-error @+1 {{decision 'promotion' = 48 does not fit: the columns that join a total at a time are one of 256, 128, 64, as far as their sums fit into registers}}
  %r = tile.gemm %a, %b, %zero {transpose_b} : !tile.shared<128x128xf8E4M3FN>, !tile.shared<256x128xf8E4M3FN>, tensor<128x256xf32>
  tile.return
}

// -----

// Tests that sums which join a total do so some rows of the tile at a time where
// operands are swapped, 64 of them, and that more sums than a thread has
// registers for are left to warps.
// CHECK-LABEL: @rows_in_parts
// CHECK-SAME: candidates = "192, 64, 32"
// CHECK: tile.gemm {{.*}}mma = #tile.mma<m64n64k32, type = f8E4M3FN, warps = [1, 8], swap>
// CHECK-LABEL: @too_many_sums
// CHECK-SAME: reason = "the warpgroups cannot share the tile, or their sums and operands do not fit into registers"
tile.kernel @rows_in_parts() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 256 : i64} {
  %a = tile.alloc_shared : !tile.shared<192x128xf8E4M3FN>
  %b = tile.alloc_shared : !tile.shared<128x128xi4, pack = 1>
  %zero = arith.constant dense<0.0> : tensor<192x128xf32>
  %r = tile.gemm %a, %b, %zero {transpose_b} : !tile.shared<192x128xf8E4M3FN>, !tile.shared<128x128xi4, pack = 1>, tensor<192x128xf32>
  tile.return
}
tile.kernel @too_many_sums() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 256 : i64} {
  %a = tile.alloc_shared : !tile.shared<256x128xf8E4M3FN>
  %b = tile.alloc_shared : !tile.shared<128x128xi4, pack = 1>
  %zero = arith.constant dense<0.0> : tensor<256x128xf32>
  %r = tile.gemm %a, %b, %zero {transpose_b} : !tile.shared<256x128xf8E4M3FN>, !tile.shared<128x128xi4, pack = 1>, tensor<256x128xf32>
  tile.return
}

// -----

// Tests tiles of 8 and 24 rows, which warps do not take: warpgroups do, and
// where they do not either the product is expanded, or it is an error here.
// CHECK-LABEL: @eight_rows
// CHECK: tile.gemm {{.*}}mma = #tile.mma<m64n8k16, type = bf16, warps = [1, 4], swap>
// CHECK-LABEL: @bytes_of_few_rows
// CHECK: tile.gemm {{.*}}mma = #tile.mma<m64n8k32, type = i8, warps = [1, 4], swap>
tile.kernel @eight_rows() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %a = tile.alloc_shared : !tile.shared<8x64xbf16>
  %b = tile.alloc_shared : !tile.shared<64x64xbf16>
  %zero = arith.constant dense<0.0> : tensor<8x64xf32>
  %r = tile.gemm %a, %b, %zero {transpose_b} : !tile.shared<8x64xbf16>, !tile.shared<64x64xbf16>, tensor<8x64xf32>
  tile.return
}
tile.kernel @bytes_of_few_rows() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %a = tile.alloc_shared : !tile.shared<24x64xi8>
  %b = tile.alloc_shared : !tile.shared<64x64xi4, pack = 1>
  %zero = arith.constant dense<0> : tensor<24x64xi32>
  %r = tile.gemm %a, %b, %zero {transpose_b} : !tile.shared<24x64xi8>, !tile.shared<64x64xi4, pack = 1>, tensor<24x64xi32>
  tile.return
}

// -----

// Tests that sums that begin at 0 in each iteration, as those that scales
// multiply, join their total all at once if they fit; promoted ones, which only
// join it, in halves.
// CHECK-LABEL: @scaled
// CHECK: tile.gemm {{.*}}mma = #tile.mma<m64n192k32
tile.kernel @scaled() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 256 : i64} {
  %a = tile.alloc_shared : !tile.shared<128x128xf8E4M3FN>
  %b = tile.alloc_shared : !tile.shared<192x128xf8E4M3FN>
  %zero = arith.constant dense<0.0> : tensor<128x192xf32>
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c9 = arith.constant 9 : i64
  %r = scf.for %i = %c0 to %c9 step %c1 iter_args(%total = %zero) -> (tensor<128x192xf32>) : i64 {
    %p = tile.gemm %a, %b, %zero {transpose_b} : !tile.shared<128x128xf8E4M3FN>, !tile.shared<192x128xf8E4M3FN>, tensor<128x192xf32>
    %t = arith.addf %total, %p : tensor<128x192xf32>
    scf.yield %t : tensor<128x192xf32>
  }
  tile.return
}

// -----

// CHECK-LABEL: @promoted_halves
// CHECK: tile.gemm {{.*}}mma = #tile.mma<m64n96k32
tile.kernel @promoted_halves() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 256 : i64} {
  %a = tile.alloc_shared : !tile.shared<128x128xf8E4M3FN>
  %b = tile.alloc_shared : !tile.shared<192x128xf8E4M3FN>
  %zero = arith.constant dense<0.0> : tensor<128x192xf32>
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c9 = arith.constant 9 : i64
  %r = scf.for %i = %c0 to %c9 step %c1 iter_args(%total = %zero) -> (tensor<128x192xf32>) : i64 {
    %p = tile.gemm %a, %b, %total {transpose_b} : !tile.shared<128x128xf8E4M3FN>, !tile.shared<192x128xf8E4M3FN>, tensor<128x192xf32>
    scf.yield %p : tensor<128x192xf32>
  }
  tile.return
}
