// RUN: tile-opt %s --convert-tile-to-nvvm --canonicalize --cse --split-input-file | FileCheck %s

// Tests that what was written is released to the cluster, and that what was only
// read is waited for.
// CHECK-LABEL: llvm.func @meets
// CHECK: "barrier.cluster.arrive.aligned;"
// CHECK-NEXT: "barrier.cluster.wait.aligned;"
// CHECK-NEXT: "fence.acq_rel.cta;"
// CHECK-NEXT: "barrier.cluster.arrive.relaxed.aligned;"
// CHECK-NEXT: "barrier.cluster.wait.aligned;"
tile.kernel @meets() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64, tile.shares = 2 : i64, cluster = 2 : i64} {
  tile.cluster_arrive
  tile.cluster_wait
  tile.cluster_arrive {after_reads}
  tile.cluster_wait
  tile.return
}

// -----

// Tests that rows go to the block that they are for, with their bytes, and that
// blocks have made their barriers by then.
// What was read in front of the barrier of the block has come by then.
// CHECK-LABEL: llvm.func @sends
// CHECK: "barrier.cluster.arrive;"
// CHECK: "barrier.cluster.wait;"
// CHECK: fence.acq_rel.cta;
// CHECK-NEXT: barrier.cta.sync.aligned.all
// CHECK: %[[RANK:.+]] = nvvm.read.ptx.sreg.cluster.ctaid.x
// CHECK: %[[BLOCK:.+]] = arith.divui %[[OFFSET:.+]], %[[BYTES:.+]] : i32
// CHECK: %[[OTHER:.+]] = llvm.icmp "ne" %[[BLOCK]], %[[RANK]] : i32
// CHECK: scf.if %[[OTHER]]
// CHECK: %[[BEHIND:.+]] = llvm.icmp "ugt" %[[RANK]], %[[BLOCK]] : i32
// CHECK: %[[ONE:.+]] = llvm.zext %[[BEHIND]]
// CHECK: %[[PLACE:.+]] = arith.subi %[[RANK]], %[[ONE]] : i32
// CHECK-DAG: %[[INBOX:.+]] = llvm.inline_asm {{.*}}"mapa.shared::cluster.u32 $0, $1, $2;"{{.*}} %{{.+}}, %[[BLOCK]]
// CHECK-DAG: %[[MOVED:.+]] = arith.subi %[[PLACE]], %[[BLOCK]] : i32
// CHECK-DAG: %[[PART:.+]] = arith.muli %[[MOVED]], %[[BYTES]] : i32
// CHECK-DAG: %[[START:.+]] = arith.addi %[[INBOX]], %[[PART]] : i32
// CHECK-DAG: %[[COUNT:.+]] = llvm.inline_asm {{.*}}"mapa.shared::cluster.u32 $0, $1, $2;"{{.*}} %{{.+}}, %[[BLOCK]]
// CHECK-DAG: %[[THERE:.+]] = arith.addi %[[START]], %[[OFFSET]] : i32
// CHECK: "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [$0], $1, [$2];", "r,r,r,~{memory}" %[[THERE]], %{{.+}}, %[[COUNT]]
// CHECK-NOT: barrier.cluster
// CHECK: llvm.return
tile.kernel @sends() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64, shared_bytes = 528 : i64, tile.shares = 2 : i64, cluster = 2 : i64} {
  %i = tile.alloc_shared "inbox" {offset = 0 : i64} : !tile.shared<1x8x8xf32>
  %b = tile.barrier_alloc "b" count 1 {offset = 512 : i64} : !tile.barrier<1>
  %x = arith.constant dense<1.0> : tensor<16x8xf32, #tile.layout<"16x8 registers=[] lanes=[[0,1],[0,2],[0,4],[1,0],[2,0]] warps=[[4,0],[8,0]]">>
  tile.barrier
  tile.send %x to %i, %b : tensor<16x8xf32, #tile.layout<"16x8 registers=[] lanes=[[0,1],[0,2],[0,4],[1,0],[2,0]] warps=[[4,0],[8,0]]">>, !tile.shared<1x8x8xf32>, !tile.barrier<1>
  tile.return
}

// Tests that neighbours along a row go together, all that a thread has for one
// block behind one question.
// CHECK-LABEL: llvm.func @pairs
// CHECK: %[[RANK:.+]] = nvvm.read.ptx.sreg.cluster.ctaid.x
// CHECK: %[[NOT0:.+]] = llvm.icmp "ne" %{{.+}}, %[[RANK]] : i32
// CHECK: scf.if %[[NOT0]]
// CHECK: "st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [$0], {$1, $2}, [$3];", "r,r,r,r,~{memory}"
// CHECK-NOT: st.async
// CHECK: scf.if
// CHECK: "st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b32
// CHECK-NOT: st.async
// CHECK: llvm.return
tile.kernel @pairs() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64, shared_bytes = 1040 : i64, tile.shares = 2 : i64, cluster = 2 : i64} {
  %i = tile.alloc_shared "inbox" {offset = 0 : i64} : !tile.shared<1x16x16xf32>
  %b = tile.barrier_alloc "b" count 1 {offset = 1024 : i64} : !tile.barrier<1>
  %x = arith.constant dense<1.0> : tensor<32x16xf32, #tile.layout<"32x16 registers=[[0,1],[16,0]] lanes=[[0,2],[0,4],[0,8],[1,0],[2,0]] warps=[[4,0],[8,0]]">>
  tile.send %x to %i, %b : tensor<32x16xf32, #tile.layout<"32x16 registers=[[0,1],[16,0]] lanes=[[0,2],[0,4],[0,8],[1,0],[2,0]] warps=[[4,0],[8,0]]">>, !tile.shared<1x16x16xf32>, !tile.barrier<1>
  tile.return
}

// -----

// Tests that blocks of a cluster begin and end together where they arrive at each
// other's barriers, each by as many threads as there are blocks, and that the
// arrival orders nothing beyond the block.
// CHECK-LABEL: llvm.func @cluster
// CHECK: fence.mbarrier_init.release.cluster;
// CHECK-NOT: barrier.cta.sync
// CHECK: "barrier.cluster.arrive;"
// CHECK: "barrier.cluster.wait;"
// CHECK: %[[RANK:.+]] = arith.remui %{{.+}}, %c2_i32
// CHECK: %[[BASE:.+]] = llvm.inline_asm has_side_effects asm_dialect = att "mapa.shared::cluster.u32 $0, $1, $2;", "=r,r,r,~{memory}" %{{.+}}, %[[RANK]]
// CHECK: %[[PLACE:.+]] = arith.addi %[[BASE]]
// CHECK: %[[IS:.+]] = arith.cmpi ult, %{{.+}}, %c2_i32
// CHECK: "@$1 mbarrier.arrive.shared::cluster.b64 _, [$0];", "r,b,~{memory}" %[[PLACE]], %[[IS]]
// CHECK: "barrier.cluster.arrive;"
// CHECK: "barrier.cluster.wait;"
// CHECK-NEXT: llvm.return
tile.kernel @cluster(%i: i64 {tile.name = "i", tile.dtype = "int64"}) attributes {symbols = [], checks = [], grid = [], axes = [], threads = 256 : i64, shared_bytes = 512 : i64, cluster = 2 : i64} {
  %b = tile.barrier_alloc "b" count 4 {offset = 256 : i64, cluster} : !tile.barrier<2>
  tile.arrive %b[%i] {per_warpgroup} : !tile.barrier<2>
  tile.return
}
