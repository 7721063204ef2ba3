// RUN: tile-opt %s | tile-opt | FileCheck %s

// Tests blocks that share a place of the grid, in a cluster.
// CHECK-LABEL: tile.kernel @shared_place
// CHECK-SAME: cluster = 2 : i64
// CHECK-SAME: tile.shares = 2 : i64
// CHECK: tile.block_rank : i64
// CHECK: %[[S:.+]] = tile.alloc_shared
// CHECK: tile.cluster_arrive
// CHECK-NEXT: tile.cluster_wait
// CHECK-NEXT: tile.peer %[[S]] {rank = 1 : i64} : <16x8xf32>
// CHECK-NEXT: tile.cluster_arrive {after_reads}
// CHECK-NEXT: tile.cluster_wait for %[[S]] : !tile.shared<16x8xf32>
tile.kernel @shared_place() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64, tile.shares = 2 : i64, cluster = 2 : i64} {
  %i = tile.block_rank : i64
  %s = tile.alloc_shared "S" : !tile.shared<16x8xf32>
  tile.cluster_arrive
  tile.cluster_wait
  %p = tile.peer %s {rank = 1 : i64} : !tile.shared<16x8xf32>
  tile.cluster_arrive {after_reads}
  tile.cluster_wait for %s : !tile.shared<16x8xf32>
  tile.return
}

// Tests blocks that send each other rows.
// CHECK-LABEL: tile.kernel @sent_rows
// CHECK: tile.send %{{.+}} to %{{.+}}, %{{.+}} : tensor<16x8xf32>, <1x8x8xf32>, <1>
tile.kernel @sent_rows() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64, tile.shares = 2 : i64, cluster = 2 : i64} {
  %x = arith.constant dense<0.0> : tensor<16x8xf32>
  %s = tile.alloc_shared "S" : !tile.shared<1x8x8xf32>
  %b = tile.barrier_alloc "b" count 1 : !tile.barrier<1>
  tile.send %x to %s, %b : tensor<16x8xf32>, !tile.shared<1x8x8xf32>, !tile.barrier<1>
  tile.return
}

// Tests blocks that meet in global memory.
// CHECK-LABEL: tile.kernel @lent_memory
// CHECK-SAME: tile.workspace = ["*", 4096, "N"]
// CHECK: tile.workspace {offset = 65536 : i64, place_bytes = 1024 : i64} : <2x16x8xf32>
// CHECK: tile.last_share : i1
tile.kernel @lent_memory() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64, tile.shares = 2 : i64, tile.workspace = ["*", 4096 : i64, "N"]} {
  %w = tile.workspace {offset = 65536 : i64, place_bytes = 1024 : i64} : !tile.global<2x16x8xf32>
  %l = tile.last_share : i1
  tile.return
}
