//===- ClusterToNVVM.cpp - Blocks that share a place ----------------------===//
//
// In a cluster: PTX ISA, "mapa" and "barrier.cluster".  What lies in another
// block is read by ld.shared::cluster, which a pointer of that address space
// becomes.
//
//===----------------------------------------------------------------------===//

#include "compiler/Conversion/TileToNVVM/ClusterToNVVM.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::tile;

/// Address space of shared memory of any block of the cluster in NVPTX.
static constexpr unsigned clusterSharedSpace = 7;

bool tile::isOfPeer(const SharedView &view) {
  return cast<LLVM::LLVMPointerType>(view.pointer.getType())
             .getAddressSpace() == clusterSharedSpace;
}

LogicalResult tile::emitShareId(KernelEmitter &e, ShareIdOp op) {
  Value number =
      NVVM::BlockIdXOp::create(e.builder, e.loc, e.builder.getI32Type());
  e.setScalar(op, e.zeroExtend(e.remui(number, e.i32(getShares(e.kernel)))));
  return success();
}

LogicalResult tile::emitPeer(KernelEmitter &e, PeerOp op) {
  SharedView own = e.getShared(op.getSource());
  Value address =
      e.callAsm("mapa.shared::cluster.u32 $0, $1, $2;", "=r,r,r",
                {e.getSharedAddress(own.pointer), e.i32(op.getRank())});
  Type pointer =
      LLVM::LLVMPointerType::get(op.getContext(), clusterSharedSpace);
  e.setShared(op, {LLVM::IntToPtrOp::create(e.builder, e.loc, pointer, address),
                   op.getType()});
  return success();
}

LogicalResult tile::emitClusterArrive(KernelEmitter &e, ClusterArriveOp) {
  e.callVolatileAsm("barrier.cluster.arrive.aligned;", "", {});
  return success();
}

LogicalResult tile::emitClusterWait(KernelEmitter &e, ClusterWaitOp) {
  e.callVolatileAsm("barrier.cluster.wait.aligned;", "", {});
  return success();
}
