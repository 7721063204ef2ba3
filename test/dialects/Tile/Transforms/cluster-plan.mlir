// RUN: tile-opt %s --tile-select-mma --tile-infer-layouts --tile-plan-pipeline --tile-specialize-warps --split-input-file --verify-diagnostics | FileCheck %s

// Tests that two blocks with neighbouring rows load the tile of B together, to
// both of them, and hand buffers back to both: the grid has pairs of tiles, and
// the block that may have no tile only takes part in the loop.
// CHECK-LABEL: tile.kernel @rows__tma
// CHECK-SAME: blocks = ["*", ["max", ["min", ["*", ["ceildiv", "N", 128], ["ceildiv", ["ceildiv", "M", 128], 2]], ["/", "sm_count", 2]], 1], 2]
// CHECK-SAME: cluster = 2
// CHECK-SAME: tensor_maps = [{box = [128, 64], param = 0 : i64, swizzle = 128 : i64}, {box = [64, 64], param = 1 : i64, swizzle = 128 : i64},
// CHECK-SAME: tile.cluster_axis = 1
// CHECK: %[[FULL:.+]] = tile.barrier_alloc "full" count 1 {tile.ring} : <3>
// CHECK: %[[EMPTY:.+]] = tile.barrier_alloc "empty" count 4 {cluster} : <3>
// CHECK: %[[NUMBER:.+]] = tile.block_number
// CHECK: arith.divui %[[NUMBER]], %c2
// CHECK: tile.expect %[[FULL]][%{{.+}}], %c32768
// CHECK-NOT: multicast
// CHECK: tile.tma_copy %arg0[{{.*}} {map = 0 : i64} :
// CHECK: tile.tma_copy %arg1[{{.*}} {map = 1 : i64, multicast} :
// CHECK: }, [1, 2] {
// CHECK: %[[PAIR:.+]] = arith.muli %{{.+}}, %c2
// CHECK: %[[RANK:.+]] = tile.block_rank
// CHECK: %[[ROW:.+]] = arith.addi %[[PAIR]], %[[RANK]]
// CHECK: %[[NARROW:.+]] = arith.trunci %[[ROW]] : i64 to i32
// CHECK: %[[HAS:.+]] = arith.cmpi ult, %[[NARROW]], %{{.+}} : i32
// CHECK: tile.arrive %[[EMPTY]]
// CHECK: scf.if %[[HAS]] {
// CHECK: tile.store_through
// CHECK-LABEL: tile.kernel @rows__aligned8
// CHECK-NOT: tile.cluster
tile.kernel @rows(%A: !tile.global<?x?xbf16> {tile.access = "in", tile.dims = ["M", "K"], tile.dtype = "bf16", tile.name = "A"}, %B: !tile.global<?x?xbf16> {tile.access = "in", tile.dims = ["K", "N"], tile.dtype = "bf16", tile.name = "B"}, %C: !tile.global<?x?xbf16> {tile.access = "out", tile.dims = ["M", "N"], tile.dtype = "bf16", tile.name = "C"})
    attributes {axes = ["bx", "by"], checks = [], grid = [["ceildiv", "N", 128], ["ceildiv", "M", 128]], symbols = [{dim = 0 : i64, name = "M", param = 0 : i64}, {dim = 1 : i64, name = "K", param = 0 : i64}, {dim = 1 : i64, name = "N", param = 1 : i64}], threads = 256 : i64, decisions = {cluster = 2 : i64}} {
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

// Tests the other axis: the tile of A is the same for both.
// CHECK-LABEL: tile.kernel @columns__tma
// CHECK-SAME: tensor_maps = [{box = [64, 64], param = 0 : i64, swizzle = 128 : i64}, {box = [64, 64], param = 1 : i64, swizzle = 128 : i64},
// CHECK-SAME: tile.cluster_axis = 0
// CHECK: tile.tma_copy %arg0[{{.*}} {map = 0 : i64, multicast} :
// CHECK-NOT: multicast
// CHECK-LABEL: tile.kernel @columns__aligned8
tile.kernel @columns(%A: !tile.global<?x?xbf16> {tile.access = "in", tile.dims = ["M", "K"], tile.dtype = "bf16", tile.name = "A"}, %B: !tile.global<?x?xbf16> {tile.access = "in", tile.dims = ["K", "N"], tile.dtype = "bf16", tile.name = "B"}, %C: !tile.global<?x?xbf16> {tile.access = "out", tile.dims = ["M", "N"], tile.dtype = "bf16", tile.name = "C"})
    attributes {axes = ["bx", "by"], checks = [], grid = [["ceildiv", "N", 128], ["ceildiv", "M", 128]], symbols = [{dim = 0 : i64, name = "M", param = 0 : i64}, {dim = 1 : i64, name = "K", param = 0 : i64}, {dim = 1 : i64, name = "N", param = 1 : i64}], threads = 256 : i64, decisions = {cluster = 2 : i64, cluster_axis = 0 : i64}} {
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

// Tests that without a decision blocks are on their own, and that the reason is
// noted.
// CHECK-LABEL: tile.kernel @alone__tma
// CHECK-NOT: cluster = 2
// CHECK-SAME: name = "cluster", reason = "{{[^"]+}}", value = "1"
// CHECK-NOT: multicast
// CHECK-LABEL: tile.kernel @alone__aligned8
tile.kernel @alone(%A: !tile.global<?x?xbf16> {tile.access = "in", tile.dims = ["M", "K"], tile.dtype = "bf16", tile.name = "A"}, %B: !tile.global<?x?xbf16> {tile.access = "in", tile.dims = ["K", "N"], tile.dtype = "bf16", tile.name = "B"}, %C: !tile.global<?x?xbf16> {tile.access = "out", tile.dims = ["M", "N"], tile.dtype = "bf16", tile.name = "C"})
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

// Tests that blocks whose loops differ in length form no cluster.
// expected-error @below {{decision 'cluster' = 2 cannot be honoured: blocks along the axis have loops of different lengths}}
tile.kernel @triangle(%A: !tile.global<?x?xbf16> {tile.access = "in", tile.dims = ["M", "K"], tile.dtype = "bf16", tile.name = "A"}, %B: !tile.global<?x?xbf16> {tile.access = "in", tile.dims = ["K", "N"], tile.dtype = "bf16", tile.name = "B"}, %C: !tile.global<?x?xbf16> {tile.access = "out", tile.dims = ["M", "N"], tile.dtype = "bf16", tile.name = "C"})
    attributes {axes = ["bx", "by"], checks = [], grid = [["ceildiv", "N", 128], ["ceildiv", "M", 128]], symbols = [{dim = 0 : i64, name = "M", param = 0 : i64}, {dim = 1 : i64, name = "K", param = 0 : i64}, {dim = 1 : i64, name = "N", param = 1 : i64}], threads = 256 : i64, decisions = {cluster = 2 : i64, cluster_axis = 1 : i64}} {
  %as = tile.alloc_shared "As" : !tile.shared<128x64xbf16>
  %bs = tile.alloc_shared "Bs" : !tile.shared<64x128xbf16>
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %c0 = arith.constant 0 : i64
  %c64 = arith.constant 64 : i64
  %c128 = arith.constant 128 : i64
  %k = tile.symbol "K" : i64
    %bx = tile.block_id 0 : i64
  %by = tile.block_id 1 : i64
  %n = arith.addi %by, %c64 : i64
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

// Tests that what is done in front of the loop must be possible without a tile.
// expected-error @below {{decision 'cluster' = 2 cannot be honoured: something is done for a tile before its products are, and a block of a cluster may have no tile}}
tile.kernel @reads(%A: !tile.global<?x?xbf16> {tile.access = "in", tile.dims = ["M", "K"], tile.dtype = "bf16", tile.name = "A"}, %B: !tile.global<?x?xbf16> {tile.access = "in", tile.dims = ["K", "N"], tile.dtype = "bf16", tile.name = "B"}, %C: !tile.global<?x?xbf16> {tile.access = "out", tile.dims = ["M", "N"], tile.dtype = "bf16", tile.name = "C"})
    attributes {axes = ["bx", "by"], checks = [], grid = [["ceildiv", "N", 128], ["ceildiv", "M", 128]], symbols = [{dim = 0 : i64, name = "M", param = 0 : i64}, {dim = 1 : i64, name = "K", param = 0 : i64}, {dim = 1 : i64, name = "N", param = 1 : i64}], threads = 256 : i64, decisions = {cluster = 2 : i64}} {
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
  %first = tile.load_element %A[%row, %c0] : !tile.global<?x?xbf16> -> bf16
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

// Tests that there has to be a tile that both need.
// expected-error @below {{decision 'cluster' = 2 cannot be honoured: neighbouring blocks have no tile in common}}
tile.kernel @apart(%A: !tile.global<?x?xbf16> {tile.access = "in", tile.dims = ["M", "K"], tile.dtype = "bf16", tile.name = "A"}, %B: !tile.global<?x?xbf16> {tile.access = "in", tile.dims = ["K", "N"], tile.dtype = "bf16", tile.name = "B"}, %C: !tile.global<?x?xbf16> {tile.access = "out", tile.dims = ["M", "N"], tile.dtype = "bf16", tile.name = "C"})
    attributes {axes = ["bx", "by"], checks = [], grid = [["ceildiv", "N", 128], ["ceildiv", "M", 128]], symbols = [{dim = 0 : i64, name = "M", param = 0 : i64}, {dim = 1 : i64, name = "K", param = 0 : i64}, {dim = 1 : i64, name = "N", param = 1 : i64}], threads = 256 : i64, decisions = {cluster = 2 : i64, cluster_axis = 0 : i64}} {
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
  %both = arith.addi %by, %bx : i64
  %row = arith.muli %both, %c128 : i64
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

// Tests that nothing else than TMA can do it.
// expected-error @below {{decision 'cluster' = 2 cannot be honoured: 'schedule' is none}}
tile.kernel @threads(%A: !tile.global<?x?xbf16> {tile.access = "in", tile.dims = ["M", "K"], tile.dtype = "bf16", tile.name = "A"}, %B: !tile.global<?x?xbf16> {tile.access = "in", tile.dims = ["K", "N"], tile.dtype = "bf16", tile.name = "B"}, %C: !tile.global<?x?xbf16> {tile.access = "out", tile.dims = ["M", "N"], tile.dtype = "bf16", tile.name = "C"})
    attributes {axes = ["bx", "by"], checks = [], grid = [["ceildiv", "N", 128], ["ceildiv", "M", 128]], symbols = [{dim = 0 : i64, name = "M", param = 0 : i64}, {dim = 1 : i64, name = "K", param = 0 : i64}, {dim = 1 : i64, name = "N", param = 1 : i64}], threads = 256 : i64, decisions = {cluster = 2 : i64, schedule = "none"}} {
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
