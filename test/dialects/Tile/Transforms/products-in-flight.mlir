// RUN: tile-opt %s --tile-select-mma --tile-infer-layouts --tile-plan-pipeline --tile-specialize-warps --tile-lower-gemm --tile-schedule-mma --split-input-file | FileCheck %s

// Tests that one product stays in flight over the end of an iteration, that its
// buffer is handed back an iteration later, and that the first product
// overwrites what was there.
// CHECK-LABEL: tile.kernel @product__tma
// CHECK: }, [1] {
// CHECK: %[[INIT:.+]] = tile.mma_carry -> <tensor<64x64xf32
// CHECK: scf.for %[[K:.+]] = %[[LOWER:.+]] to {{.*}} iter_args(%[[SUMS:.+]] = %[[INIT]], %[[S:.+]] = %{{.+}}, %{{.+}} = %{{.+}}, %[[BEFORE:.+]] = %{{.+}})
// CHECK: %[[LATER:.+]] = arith.cmpi ne, %[[K]], %[[LOWER]]
// CHECK: %[[STARTED:.+]] = tile.wgmma %{{.+}}, %{{.+}}, %[[SUMS]] if %[[LATER]]
// CHECK: %[[GOING:.+]] = tile.mma_wait %[[STARTED]] pending 1
// CHECK: tile.arrive %{{.+}}[%[[BEFORE]]] if %[[LATER]] {per_warpgroup}
// CHECK: scf.yield %[[GOING]], %{{.+}}, %{{.+}}, %[[S]]
// CHECK: %[[DONE:.+]] = tile.mma_wait %{{.+}} pending 0
// CHECK: %[[RAN:.+]] = arith.cmpi slt
// CHECK: arith.select %{{.+}}, %[[DONE]], %{{.+}}
// CHECK: tile.arrive %{{.+}} if %[[RAN]] {per_warpgroup}
// The threads that feed the other variants wait for their own products.
// CHECK-LABEL: tile.kernel @product__aligned8
// CHECK: tile.wgmma
// CHECK-NEXT: tile.mma_wait %{{.+}} pending 0
tile.kernel @product(%A: !tile.global<?x?xbf16> {tile.access = "in", tile.dims = ["M", "K"], tile.dtype = "bf16", tile.name = "A"}, %B: !tile.global<?x?xbf16> {tile.access = "in", tile.dims = ["N", "K"], tile.dtype = "bf16", tile.name = "B"}, %C: !tile.global<?x?xf32> {tile.access = "out", tile.dims = ["M", "N"], tile.dtype = "f32", tile.name = "C"})
    attributes {axes = ["bx", "by"], checks = [], grid = [["ceildiv", "N", 64], ["ceildiv", "M", 64]], symbols = [{dim = 0 : i64, name = "M", param = 0 : i64}, {dim = 1 : i64, name = "K", param = 0 : i64}, {dim = 0 : i64, name = "N", param = 1 : i64}], threads = 128 : i64} {
  %as = tile.alloc_shared "As" : !tile.shared<64x64xbf16>
  %bs = tile.alloc_shared "Bs" : !tile.shared<64x64xbf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i64
  %c64 = arith.constant 64 : i64
  %k = tile.symbol "K" : i64
  %n = arith.ceildivsi %k, %c64 : i64
  %bx = tile.block_id 0 : i64
  %by = tile.block_id 1 : i64
  %row = arith.muli %by, %c64 : i64
  %column = arith.muli %bx, %c64 : i64
  %r = tile.pipelined %i = %c0 to %n step 1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) stages(3) {
    %depth = arith.muli %i, %c64 : i64
    tile.copy %A[%row, %depth] to %as : !tile.global<?x?xbf16>, !tile.shared<64x64xbf16>
    tile.copy %B[%column, %depth] to %bs : !tile.global<?x?xbf16>, !tile.shared<64x64xbf16>
    %s = tile.gemm %as, %bs, %acc {transpose_b} : !tile.shared<64x64xbf16>, !tile.shared<64x64xbf16>, tensor<64x64xf32>
    tile.yield %s : tensor<64x64xf32>
  }
  tile.store %r, %C[%row, %column] : tensor<64x64xf32>, !tile.global<?x?xf32>
  tile.return
}

// -----

// Tests that a ring of one buffer has no product in flight: the next iteration
// would wait for a buffer that it has to hand back itself.
// CHECK-LABEL: tile.kernel @one_buffer__tma
// CHECK: }, [1] {
// CHECK-NOT: tile.mma_carry
// CHECK: tile.wgmma
// CHECK-NEXT: tile.mma_wait %{{.+}} pending 0
// CHECK-NEXT: tile.arrive %{{.+}} {per_warpgroup}
tile.kernel @one_buffer(%A: !tile.global<?x?xbf16> {tile.access = "in", tile.dims = ["M", "K"], tile.dtype = "bf16", tile.name = "A"}, %B: !tile.global<?x?xbf16> {tile.access = "in", tile.dims = ["N", "K"], tile.dtype = "bf16", tile.name = "B"}, %C: !tile.global<?x?xf32> {tile.access = "out", tile.dims = ["M", "N"], tile.dtype = "f32", tile.name = "C"})
    attributes {axes = ["bx", "by"], checks = [], grid = [["ceildiv", "N", 64], ["ceildiv", "M", 64]], symbols = [{dim = 0 : i64, name = "M", param = 0 : i64}, {dim = 1 : i64, name = "K", param = 0 : i64}, {dim = 0 : i64, name = "N", param = 1 : i64}], threads = 128 : i64} {
  %as = tile.alloc_shared "As" : !tile.shared<64x64xbf16>
  %bs = tile.alloc_shared "Bs" : !tile.shared<64x64xbf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i64
  %c64 = arith.constant 64 : i64
  %k = tile.symbol "K" : i64
  %n = arith.ceildivsi %k, %c64 : i64
  %bx = tile.block_id 0 : i64
  %by = tile.block_id 1 : i64
  %row = arith.muli %by, %c64 : i64
  %column = arith.muli %bx, %c64 : i64
  %r = tile.pipelined %i = %c0 to %n step 1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) stages(1) {
    %depth = arith.muli %i, %c64 : i64
    tile.copy %A[%row, %depth] to %as : !tile.global<?x?xbf16>, !tile.shared<64x64xbf16>
    tile.copy %B[%column, %depth] to %bs : !tile.global<?x?xbf16>, !tile.shared<64x64xbf16>
    %s = tile.gemm %as, %bs, %acc {transpose_b} : !tile.shared<64x64xbf16>, !tile.shared<64x64xbf16>, tensor<64x64xf32>
    tile.yield %s : tensor<64x64xf32>
  }
  tile.store %r, %C[%row, %column] : tensor<64x64xf32>, !tile.global<?x?xf32>
  tile.return
}

// -----

// Tests that sums that begin at something else are carried in, and that the first
// product adds to them.
// CHECK-LABEL: tile.kernel @started__tma
// CHECK: }, [1] {
// CHECK: %[[INIT:.+]] = tile.mma_carry %{{.+}} : tensor<64x64xf32
// CHECK: scf.for {{.*}} iter_args(%[[SUMS:.+]] = %[[INIT]],
// CHECK: tile.wgmma %{{.+}}, %{{.+}}, %[[SUMS]] k 0
// CHECK: tile.mma_wait %{{.+}} pending 1
tile.kernel @started(%A: !tile.global<?x?xbf16> {tile.access = "in", tile.dims = ["M", "K"], tile.dtype = "bf16", tile.name = "A"}, %B: !tile.global<?x?xbf16> {tile.access = "in", tile.dims = ["N", "K"], tile.dtype = "bf16", tile.name = "B"}, %C: !tile.global<?x?xf32> {tile.access = "out", tile.dims = ["M", "N"], tile.dtype = "f32", tile.name = "C"})
    attributes {axes = ["bx", "by"], checks = [], grid = [["ceildiv", "N", 64], ["ceildiv", "M", 64]], symbols = [{dim = 0 : i64, name = "M", param = 0 : i64}, {dim = 1 : i64, name = "K", param = 0 : i64}, {dim = 0 : i64, name = "N", param = 1 : i64}], threads = 128 : i64} {
  %as = tile.alloc_shared "As" : !tile.shared<64x64xbf16>
  %bs = tile.alloc_shared "Bs" : !tile.shared<64x64xbf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i64
  %c64 = arith.constant 64 : i64
  %k = tile.symbol "K" : i64
  %n = arith.ceildivsi %k, %c64 : i64
  %bx = tile.block_id 0 : i64
  %by = tile.block_id 1 : i64
  %row = arith.muli %by, %c64 : i64
  %column = arith.muli %bx, %c64 : i64
  %three = arith.constant dense<3.0> : tensor<64x64xf32>
  %r = tile.pipelined %i = %c0 to %n step 1 iter_args(%acc = %three) -> (tensor<64x64xf32>) stages(3) {
    %depth = arith.muli %i, %c64 : i64
    tile.copy %A[%row, %depth] to %as : !tile.global<?x?xbf16>, !tile.shared<64x64xbf16>
    tile.copy %B[%column, %depth] to %bs : !tile.global<?x?xbf16>, !tile.shared<64x64xbf16>
    %s = tile.gemm %as, %bs, %acc {transpose_b} : !tile.shared<64x64xbf16>, !tile.shared<64x64xbf16>, tensor<64x64xf32>
    tile.yield %s : tensor<64x64xf32>
  }
  tile.store %r, %C[%row, %column] : tensor<64x64xf32>, !tile.global<?x?xf32>
  tile.return
}

// -----

// Tests that sums that an iteration works on are waited for in it, and that its
// buffer is handed back in front of that work.
// CHECK-LABEL: tile.kernel @scaled__tma
// CHECK: }, [1] {
// CHECK-NOT: tile.mma_carry
// CHECK: tile.wgmma
// CHECK-NEXT: tile.mma_wait %{{.+}} pending 0
// CHECK-NEXT: tile.arrive %{{.+}} {per_warpgroup}
// CHECK-NEXT: arith.mulf
tile.kernel @scaled(%A: !tile.global<?x?xbf16> {tile.access = "in", tile.dims = ["M", "K"], tile.dtype = "bf16", tile.name = "A"}, %B: !tile.global<?x?xbf16> {tile.access = "in", tile.dims = ["N", "K"], tile.dtype = "bf16", tile.name = "B"}, %C: !tile.global<?x?xf32> {tile.access = "out", tile.dims = ["M", "N"], tile.dtype = "f32", tile.name = "C"})
    attributes {axes = ["bx", "by"], checks = [], grid = [["ceildiv", "N", 64], ["ceildiv", "M", 64]], symbols = [{dim = 0 : i64, name = "M", param = 0 : i64}, {dim = 1 : i64, name = "K", param = 0 : i64}, {dim = 0 : i64, name = "N", param = 1 : i64}], threads = 128 : i64} {
  %as = tile.alloc_shared "As" : !tile.shared<64x64xbf16>
  %bs = tile.alloc_shared "Bs" : !tile.shared<64x64xbf16>
  %half = arith.constant dense<0.5> : tensor<64x64xf32>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i64
  %c64 = arith.constant 64 : i64
  %k = tile.symbol "K" : i64
  %n = arith.ceildivsi %k, %c64 : i64
  %bx = tile.block_id 0 : i64
  %by = tile.block_id 1 : i64
  %row = arith.muli %by, %c64 : i64
  %column = arith.muli %bx, %c64 : i64
  %r = tile.pipelined %i = %c0 to %n step 1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) stages(3) {
    %depth = arith.muli %i, %c64 : i64
    tile.copy %A[%row, %depth] to %as : !tile.global<?x?xbf16>, !tile.shared<64x64xbf16>
    tile.copy %B[%column, %depth] to %bs : !tile.global<?x?xbf16>, !tile.shared<64x64xbf16>
    %p = tile.gemm %as, %bs, %acc {transpose_b} : !tile.shared<64x64xbf16>, !tile.shared<64x64xbf16>, tensor<64x64xf32>
      %s = arith.mulf %p, %half : tensor<64x64xf32>
    tile.yield %s : tensor<64x64xf32>
  }
  tile.store %r, %C[%row, %column] : tensor<64x64xf32>, !tile.global<?x?xf32>
  tile.return
}

// -----

// Tests that a small tile of which the loop reads elements is copied by threads,
// and that its buffer is handed back behind the last of these.
// CHECK-LABEL: tile.kernel @elements__tma
// CHECK: tile.async_copy
// CHECK: }, [1] {
// CHECK: tile.wgmma
// CHECK-NEXT: tile.mma_wait %{{.+}} pending 0
// CHECK-NEXT: tile.parallel
// CHECK: tile.load_element
// CHECK: }
// CHECK-NEXT: tile.arrive %{{.+}} {per_warp}
tile.kernel @elements(%A: !tile.global<?x?xbf16> {tile.access = "in", tile.dims = ["M", "K"], tile.dtype = "bf16", tile.name = "A"}, %B: !tile.global<?x?xbf16> {tile.access = "in", tile.dims = ["N", "K"], tile.dtype = "bf16", tile.name = "B"}, %S: !tile.global<?x?xf32> {tile.access = "in", tile.dims = ["N", "K"], tile.dtype = "f32", tile.name = "S"}, %C: !tile.global<?x?xf32> {tile.access = "out", tile.dims = ["M", "N"], tile.dtype = "f32", tile.name = "C"})
    attributes {axes = ["bx", "by"], checks = [], grid = [["ceildiv", "N", 64], ["ceildiv", "M", 64]], symbols = [{dim = 0 : i64, name = "M", param = 0 : i64}, {dim = 1 : i64, name = "K", param = 0 : i64}, {dim = 0 : i64, name = "N", param = 1 : i64}], threads = 128 : i64} {
  %as = tile.alloc_shared "As" : !tile.shared<64x64xbf16>
  %bs = tile.alloc_shared "Bs" : !tile.shared<64x64xbf16>
  %ss = tile.alloc_shared "Ss" : !tile.shared<2x1xf32>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i64
  %c64 = arith.constant 64 : i64
  %k = tile.symbol "K" : i64
  %n = arith.ceildivsi %k, %c64 : i64
  %bx = tile.block_id 0 : i64
  %by = tile.block_id 1 : i64
  %row = arith.muli %by, %c64 : i64
  %column = arith.muli %bx, %c64 : i64
  %r = tile.pipelined %i = %c0 to %n step 1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) stages(3) {
    %depth = arith.muli %i, %c64 : i64
    tile.copy %A[%row, %depth] to %as : !tile.global<?x?xbf16>, !tile.shared<64x64xbf16>
    tile.copy %B[%column, %depth] to %bs : !tile.global<?x?xbf16>, !tile.shared<64x64xbf16>
    tile.copy %S[%bx, %i] to %ss : !tile.global<?x?xf32>, !tile.shared<2x1xf32>
    %p = tile.gemm %as, %bs, %acc {transpose_b} : !tile.shared<64x64xbf16>, !tile.shared<64x64xbf16>, tensor<64x64xf32>
    %s = tile.parallel (%x, %y) in (64, 64) init(%p : tensor<64x64xf32>) {
      %e = tile.element %p[%x, %y] : tensor<64x64xf32>
      %c32 = arith.constant 32 : i64
      %g = arith.divsi %x, %c32 : i64
      %z = arith.constant 0 : i64
      %f = tile.load_element %ss[%g, %z] : !tile.shared<2x1xf32> -> f32
      %t = arith.mulf %e, %f : f32
      tile.yield %t : f32
    }
    tile.yield %s : tensor<64x64xf32>
  }
  tile.store %r, %C[%row, %column] : tensor<64x64xf32>, !tile.global<?x?xf32>
  tile.return
}
