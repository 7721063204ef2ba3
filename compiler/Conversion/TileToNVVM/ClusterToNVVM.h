//===- ClusterToNVVM.h - Blocks that share a place --------------*- C++ -*-===//
#ifndef TILE_COMPILER_CONVERSION_TILETONVVM_CLUSTERTONVVM_H
#define TILE_COMPILER_CONVERSION_TILETONVVM_CLUSTERTONVVM_H

#include "compiler/Conversion/TileToNVVM/KernelEmitter.h"
#include "dialects/Tile/IR/TileShareOps.h"

namespace mlir::tile {

LogicalResult emitShareId(KernelEmitter &emitter, ShareIdOp op);
LogicalResult emitPeer(KernelEmitter &emitter, PeerOp op);
LogicalResult emitClusterArrive(KernelEmitter &emitter, ClusterArriveOp op);
LogicalResult emitClusterWait(KernelEmitter &emitter, ClusterWaitOp op);

/// Whether a tile is that of another block of the cluster.
bool isOfPeer(const SharedView &view);

} // namespace mlir::tile

#endif // TILE_COMPILER_CONVERSION_TILETONVVM_CLUSTERTONVVM_H
