//===- ClusterToNVVM.h - Blocks that work together --------------*- C++ -*-===//
#ifndef TILE_COMPILER_CONVERSION_TILETONVVM_CLUSTERTONVVM_H
#define TILE_COMPILER_CONVERSION_TILETONVVM_CLUSTERTONVVM_H

#include "compiler/Conversion/TileToNVVM/KernelEmitter.h"
#include "dialects/Tile/IR/TileShareOps.h"

namespace mlir::tile {

LogicalResult emitBlockRank(KernelEmitter &emitter, BlockRankOp op);
LogicalResult emitPeer(KernelEmitter &emitter, PeerOp op);
LogicalResult emitSend(KernelEmitter &emitter, SendOp op);
LogicalResult emitClusterArrive(KernelEmitter &emitter, ClusterArriveOp op);
LogicalResult emitClusterWait(KernelEmitter &emitter, ClusterWaitOp op);
LogicalResult emitWorkspace(KernelEmitter &emitter, WorkspaceOp op);
LogicalResult emitLastShare(KernelEmitter &emitter, LastShareOp op);

/// The number of the block among its neighbours (i32).
Value emitBlockRank(KernelEmitter &emitter);
/// All threads of the cluster come here before any goes on, from wherever in
/// their warps they are.
void emitClusterBarrier(KernelEmitter &emitter);

/// Whether a tile is that of another block of the cluster.
bool isOfPeer(const SharedView &view);

} // namespace mlir::tile

#endif // TILE_COMPILER_CONVERSION_TILETONVVM_CLUSTERTONVVM_H
