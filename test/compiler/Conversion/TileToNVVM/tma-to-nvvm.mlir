// RUN: tile-opt %s --convert-tile-to-nvvm --canonicalize --cse --split-input-file | FileCheck %s

// Tests that a tensor map is a parameter behind the others, that coordinates
// come innermost first and in 32 bits, and that a dimension that the tile has
// not is one more coordinate.
// CHECK-LABEL: llvm.func @load
// CHECK-SAME: %[[I:[a-z0-9]+]]: i64, %[[MAP:[a-z0-9]+]]: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}
// CHECK: llvm.ptrtoint %[[MAP]] : !llvm.ptr to i64
// CHECK: prefetch.tensormap [$0];", "l,~{memory}"
// CHECK: scf.if
// CHECK: %[[MIN:.+]] = arith.minsi %[[I]], %c2147483647
// CHECK: %[[MAX:.+]] = arith.maxsi %[[MIN]], %c-2147483647
// CHECK: %[[X:.+]] = arith.trunci %[[MAX]]
// CHECK: "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [$0], [$1, {$2, $3, $4}], [$5];", "r,l,r,r,r,r,~{memory}" %{{[^,]+}}, %{{[^,]+}}, %c8_i32, %[[X]], %c3_i32
tile.kernel @load(%A: !tile.global<?x?x?xbf16> {tile.name = "A", tile.dtype = "bf16", tile.access = "in", tile.dims = ["B", "M", "N"]}, %i: i64 {tile.name = "i", tile.dtype = "int64"})
   attributes {symbols = [{name = "B", param = 0 : i64, dim = 0 : i64}, {name = "M", param = 0 : i64, dim = 1 : i64}, {name = "N", param = 0 : i64, dim = 2 : i64}], checks = [], grid = [], axes = [], threads = 128 : i64, shared_bytes = 2056 : i64,
               tensor_maps = [{param = 0 : i64, box = [1, 16, 64], swizzle = 128 : i64}]} {
  %s = tile.alloc_shared "s" {offset = 0 : i64} : !tile.shared<16x64xbf16, #tile.shared_layout<swizzle = [3, 4, 3]>>
  %b = tile.barrier_alloc "b" count 1 {offset = 2048 : i64} : !tile.barrier<1>
  %c3 = arith.constant 3 : i64
  %c8 = arith.constant 8 : i64
  tile.tma_copy %A[%c3, %i, %c8] to %s barrier %b {map = 0 : i64} : !tile.global<?x?x?xbf16>, !tile.shared<16x64xbf16, #tile.shared_layout<swizzle = [3, 4, 3]>>, !tile.barrier<1>
  tile.return
}

// -----

// Tests a store, whose groups are those of TMA, and that a block does not end
// before its shared memory is read.
// CHECK-LABEL: llvm.func @store
// CHECK-NOT: mbarrier
// CHECK: "cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [$0, {$1}], [$2];", "l,r,r,~{memory}"
// CHECK: "cp.async.bulk.commit_group;", "~{memory}"
// CHECK-NOT: llvm.nvvm.cp.async
// CHECK: "cp.async.bulk.wait_group.read 1;", "~{memory}"
// CHECK: "cp.async.bulk.wait_group 2;", "~{memory}"
// CHECK: "cp.async.bulk.commit_group;", "~{memory}"
// CHECK: "cp.async.bulk.wait_group 0;", "~{memory}"
// CHECK: llvm.return
tile.kernel @store(%A: !tile.global<?xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "out", tile.dims = ["N"]})
   attributes {symbols = [{name = "N", param = 0 : i64, dim = 0 : i64}], checks = [], grid = [], axes = [], threads = 128 : i64, shared_bytes = 1024 : i64,
               tensor_maps = [{param = 0 : i64, box = [256], swizzle = 0 : i64}]} {
  %s = tile.alloc_shared "s" {offset = 0 : i64} : !tile.shared<256xf32>
  %c0 = arith.constant 0 : i64
  tile.tma_copy %s to %A[%c0] {map = 0 : i64} : !tile.shared<256xf32>, !tile.global<?xf32>
  tile.commit_group
  tile.wait_group 1 {read_only}
  tile.wait_group 2
  tile.return
}

// -----

// Tests that each block of a cluster moves its rows, or its panels, to all of
// them.
// CHECK-LABEL: llvm.func @together
// CHECK-SAME: nvvm.cluster_dim = array<i32: 2, 1, 1>
// CHECK: %[[RANK:.+]] = nvvm.read.ptx.sreg.cluster.ctaid.x
// CHECK: %[[ROWS:.+]] = arith.muli %[[RANK]], %c8_i32
// CHECK: %[[ROW:.+]] = arith.addi %[[ROWS]], %c5_i32
// CHECK: %[[BYTES:.+]] = arith.muli %[[RANK]], %c1024_i32
// CHECK: %[[PLACE:.+]] = arith.addi %{{.+}}, %[[BYTES]]
// CHECK: "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [$0], [$1, {$2, $3}], [$4], $5;", "r,l,r,r,r,h,~{memory}" %[[PLACE]], %{{[^,]+}}, %c3_i32, %[[ROW]], %{{[^,]+}}, %c3_i16
// CHECK: %[[COLUMN:.+]] = arith.addi %{{.+}}, %c3_i32
// CHECK: %[[BYTES:.+]] = arith.muli %{{.+}}, %c2048_i32
// CHECK: %[[PLACE:.+]] = arith.addi %{{.+}}, %[[BYTES]]
// CHECK: multicast::cluster{{.*}} %[[PLACE]], %{{[^,]+}}, %[[COLUMN]], %c5_i32
// CHECK-NOT: multicast
// CHECK: llvm.return
tile.kernel @together(%A: !tile.global<?x?xbf16> {tile.name = "A", tile.dtype = "bf16", tile.access = "in", tile.dims = ["M", "N"]})
   attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "N", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 128 : i64, shared_bytes = 8200 : i64, cluster = 2 : i64,
               tensor_maps = [{param = 0 : i64, box = [8, 64], swizzle = 128 : i64}, {param = 0 : i64, box = [16, 64], swizzle = 128 : i64}]} {
  %s = tile.alloc_shared "s" {offset = 0 : i64} : !tile.shared<16x64xbf16, #tile.shared_layout<swizzle = [3, 4, 3]>>
  %t = tile.alloc_shared "t" {offset = 2048 : i64} : !tile.shared<16x128xbf16, #tile.shared_layout<swizzle = [3, 4, 3], panel = 128>>
  %b = tile.barrier_alloc "b" count 1 {offset = 8192 : i64} : !tile.barrier<1>
  %c3 = arith.constant 3 : i64
  %c5 = arith.constant 5 : i64
  tile.tma_copy %A[%c5, %c3] to %s barrier %b {map = 0 : i64, multicast} : !tile.global<?x?xbf16>, !tile.shared<16x64xbf16, #tile.shared_layout<swizzle = [3, 4, 3]>>, !tile.barrier<1>
  tile.tma_copy %A[%c5, %c3] to %t barrier %b {map = 1 : i64, multicast} : !tile.global<?x?xbf16>, !tile.shared<16x128xbf16, #tile.shared_layout<swizzle = [3, 4, 3], panel = 128>>, !tile.barrier<1>
  tile.return
}
