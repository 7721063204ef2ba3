// RUN: tile-opt %s --tile-align-async-copies --split-input-file --verify-diagnostics | FileCheck %s

// Tests that what the text does not prove of bases and pitches becomes a check
// of the launch, for the widest copy from each tensor.
// CHECK-LABEL: tile.kernel @checked
// CHECK-SAME: tile.aligned = 16 : i64
// CHECK-SAME: {expr = ["==", ["%", ["stride_bytes", "A", 0], 16], 0], text = "the pitch of 'A' is a multiple of 16 bytes"}
// CHECK-SAME: {expr = ["==", ["%", ["address", "A"], 16], 0], text = "'A' starts at a multiple of 16 bytes"}
tile.kernel @checked(%A: !tile.global<?x?xf16> {tile.name = "A", tile.dtype = "f16", tile.access = "in", tile.dims = ["M", "K"]}) attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "K", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c8 = arith.constant 8 : i64
  %c0 = arith.constant 0 : i64
  %s = tile.alloc_shared "S" : !tile.shared<16x64xf16>
  tile.async_copy %A[%c0, %c0] to %s : !tile.global<?x?xf16>, !tile.shared<16x64xf16>
  tile.parallel (%r, %c) in (16, 8) {
    %k = arith.muli %c, %c8 : i64
    tile.async_copy_elements %A[%r, %k] to %s[%r, %k] count 8 : !tile.global<?x?xf16>, !tile.shared<16x64xf16>
  }
  tile.return
}

// -----

tile.kernel @unproven_index(%A: !tile.global<?x?xf16> {tile.name = "A", tile.dtype = "f16", tile.access = "in", tile.dims = ["M", "K"]}) attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "K", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c4 = arith.constant 4 : i64
  %c8 = arith.constant 8 : i64
  %s = tile.alloc_shared "S" : !tile.shared<16x64xf16>
  tile.parallel (%r, %c) in (16, 8) {
    %k = arith.muli %c, %c8 : i64
    %g = arith.addi %k, %c4 : i64
    // expected-error @+1 {{an async copy of 16 bytes needs a source at multiples of as much, but the last index is not known to be a multiple of 8}}
    tile.async_copy_elements %A[%r, %g] to %s[%r, %k] count 8 : !tile.global<?x?xf16>, !tile.shared<16x64xf16>
  }
  tile.return
}

// -----

tile.kernel @unproven_place(%A: !tile.global<?x?xf16> {tile.name = "A", tile.dtype = "f16", tile.access = "in", tile.dims = ["M", "K"]}) attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "K", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c8 = arith.constant 8 : i64
  %s = tile.alloc_shared "S" : !tile.shared<16x64xf16>
  tile.parallel (%r, %c) in (16, 8) {
    %k = arith.muli %c, %c8 : i64
    // expected-error @+1 {{an async copy of 16 bytes needs a destination at multiples of as much, but the last index is not known to be a multiple of 8}}
    tile.async_copy_elements %A[%r, %k] to %s[%r, %c] count 8 : !tile.global<?x?xf16>, !tile.shared<16x64xf16>
  }
  tile.return
}

// -----

tile.kernel @narrow_rows(%A: !tile.global<?x?xf16> {tile.name = "A", tile.dtype = "f16", tile.access = "in", tile.dims = ["M", "K"]}) attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "K", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c8 = arith.constant 8 : i64
  %s = tile.alloc_shared "S" : !tile.shared<16x68xf16>
  tile.parallel (%r, %c) in (16, 8) {
    %k = arith.muli %c, %c8 : i64
    // expected-error @+1 {{an async copy of 16 bytes needs a destination at multiples of as much, but rows of the tile are 136 bytes apart, or torn apart by its swizzle}}
    tile.async_copy_elements %A[%r, %k] to %s[%r, %k] count 8 : !tile.global<?x?xf16>, !tile.shared<16x68xf16>
  }
  tile.return
}

// -----

tile.kernel @view(%A: !tile.global<?x?xf16> {tile.name = "A", tile.dtype = "f16", tile.access = "in", tile.dims = ["M", "K"]}, %n: i64 {tile.name = "n", tile.dtype = "int64"}) attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "K", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c0 = arith.constant 0 : i64
  %c8 = arith.constant 8 : i64
  %s = tile.alloc_shared "S" : !tile.shared<16x64xf16>
  %v = tile.view %A[%c0, %n] sizes [%n, %n] : !tile.global<?x?xf16> -> !tile.global<?x?xf16>
  tile.parallel (%r, %c) in (16, 8) {
    %k = arith.muli %c, %c8 : i64
    // expected-error @+1 {{this async copy needs its source to start at multiples of 16 bytes, which the offset of the view does not prove}}
    tile.async_copy_elements %v[%r, %k] to %s[%r, %k] count 8 : !tile.global<?x?xf16>, !tile.shared<16x64xf16>
  }
  tile.return
}

// -----

// Tests tensors that are no parameter, of which a launch can check nothing.
tile.kernel @chosen(%A: !tile.global<?xf16> {tile.name = "A", tile.dtype = "f16", tile.access = "in", tile.dims = [64]}, %B: !tile.global<?xf16> {tile.name = "B", tile.dtype = "f16", tile.access = "in", tile.dims = [64]}, %p: i1 {tile.name = "p", tile.dtype = "bool"}) attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c0 = arith.constant 0 : i64
  %s = tile.alloc_shared "S" : !tile.shared<64xf16>
  %t = scf.if %p -> (!tile.global<?xf16>) {
    scf.yield %A : !tile.global<?xf16>
  } else {
    scf.yield %B : !tile.global<?xf16>
  }
  // expected-error @+1 {{an async copy from this tensor is not supported yet}}
  tile.async_copy %t[%c0] to %s : !tile.global<?xf16>, !tile.shared<64xf16>
  tile.return
}

// -----

// Tests that TMA needs 16 bytes of a tensor, whatever part of it a view names,
// and indices that fit 32 bits.
// CHECK-LABEL: tile.kernel @by_tma
// CHECK-NOT: stride_bytes
// CHECK-SAME: {expr = ["==", ["%", ["address", "A"], 16], 0], text = "'A' starts at a multiple of 16 bytes"}
// CHECK-SAME: {expr = ["<=", "M", 2147483647], text = "dimension 0 of 'A' has fewer than 2^31 elements"}
// CHECK-NOT: dimension 1
tile.kernel @by_tma(%A: !tile.global<?x?x?xf16> {tile.name = "A", tile.dtype = "f16", tile.access = "in", tile.dims = ["M", 3 : i64, "K"]}, %i: i64 {tile.name = "i", tile.dtype = "int64"}) attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "K", param = 0 : i64, dim = 2 : i64, value = 64 : i64}], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c0 = arith.constant 0 : i64
  %M = tile.symbol "M" : i64
  %K = tile.symbol "K" : i64
  %s = tile.alloc_shared "S" : !tile.shared<16x64xf16>
  %b = tile.barrier_alloc "b" count 1 : !tile.barrier<1>
  %v = tile.view %A[%c0, %i, %c0] sizes [%M, %K] {kept = array<i64: 0, 2>} : !tile.global<?x?x?xf16> -> !tile.global<?x?xf16>
  tile.tma_copy %v[%c0, %c0] to %s barrier %b : !tile.global<?x?xf16>, !tile.shared<16x64xf16>, !tile.barrier<1>
  tile.return
}
