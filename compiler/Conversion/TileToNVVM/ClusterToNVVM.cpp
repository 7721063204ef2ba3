//===- ClusterToNVVM.cpp - Blocks that work together ----------------------===//
//
// In a cluster: PTX ISA, "mapa" and "barrier.cluster".  What lies in another
// block is read by ld.shared::cluster, which a pointer of that address space
// becomes.
//
//===----------------------------------------------------------------------===//

#include "compiler/Conversion/TileToNVVM/ClusterToNVVM.h"
#include "compiler/Conversion/TileToNVVM/Emitters.h"
#include "compiler/Conversion/TileToNVVM/GuardedAccess.h"
#include "compiler/Conversion/TileToNVVM/SharedAddress.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::tile;

/// Address space of shared memory of any block of the cluster in NVPTX.
static constexpr unsigned clusterSharedSpace = 7;

bool tile::isOfPeer(const SharedView &view) {
  return cast<LLVM::LLVMPointerType>(view.pointer.getType())
             .getAddressSpace() == clusterSharedSpace;
}

Value tile::emitBlockRank(KernelEmitter &e) {
  Type i32 = e.builder.getI32Type();
  if (e.kernel.getClusterSize() > 1)
    return NVVM::BlockInClusterIdXOp::create(e.builder, e.loc, i32);
  return e.remui(NVVM::BlockIdXOp::create(e.builder, e.loc, i32),
                 e.i32(getShares(e.kernel)));
}

LogicalResult tile::emitBlockRank(KernelEmitter &e, BlockRankOp op) {
  e.setScalar(op, e.zeroExtend(emitBlockRank(e)));
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

/// Rows of all parts lie in an inbox as they lie in the fragment, but for the
/// place of the sender.
LogicalResult tile::emitSend(KernelEmitter &e, SendOp op) {
  SharedView inbox = e.getShared(op.getInbox());
  ArrayRef<int64_t> shape = getTileShape(op.getValue().getType());
  Type element = getTileElementType(op.getValue().getType());
  auto whole = SharedType::get(op.getContext(), shape, element, /*packDim=*/-1,
                               SharedLayoutAttr());
  int64_t bytes = whole.getStorage().bytes() / inbox.type.getShape().front();
  Value base = e.getSharedAddress(inbox.pointer),
        barrier = getBarrierAddress(e, op.getBarrier(), /*index=*/Value());
  Value ofSender = e.add(base, e.mul(emitBlockRank(e), e.i32(bytes)));
  const layout::FragmentLayout &layout = e.getLayout(op.getValue());
  SmallVector<Value> elements =
      e.getFragment(op.getValue()).getElements(e.builder, e.loc);
  auto map = [&](Value address, Value block) {
    return e.callAsm("mapa.shared::cluster.u32 $0, $1, $2;", "=r,r,r",
                     {address, block});
  };
  emitInOwners(e, layout, [&]() {
    SharedAddresser addresser(e, {inbox.pointer, whole},
                              SmallVector<int64_t>(shape.size(), 0), shape,
                              layout.laneBases(), layout.warpBases());
    for (auto [i, value] : llvm::enumerate(elements)) {
      Value offset =
          e.sub(e.getSharedAddress(addresser.getPointer(
                    layout.registerXor(i), layout.registerOffset(i))),
                base);
      Value block = e.divui(offset, e.i32(bytes));
      Value place = e.add(ofSender, e.remui(offset, e.i32(bytes)));
      Value word = LLVM::BitcastOp::create(e.builder, e.loc,
                                           e.builder.getI32Type(), value);
      e.callVolatileAsm("st.async.shared::cluster.mbarrier::complete_tx::bytes"
                        ".b32 [$0], $1, [$2];",
                        "r,r,r,",
                        {map(place, block), word, map(barrier, block)});
    }
  });
  return success();
}

/// `aligned` where the threads of a warp come together.  What others see is
/// ordered by default: `.release` and `.acquire`.
static void arriveAtCluster(KernelEmitter &e, StringRef aligned) {
  e.callVolatileAsm(("barrier.cluster.arrive" + aligned + ";").str(), "", {});
}

static void waitForCluster(KernelEmitter &e, StringRef aligned) {
  e.callVolatileAsm(("barrier.cluster.wait" + aligned + ";").str(), "", {});
}

/// A release waits for all that was written to reach the L2 cache.  What was
/// only read has come once a fence of the block is passed.
LogicalResult tile::emitClusterArrive(KernelEmitter &e, ClusterArriveOp op) {
  if (op.getAfterReads())
    e.callVolatileAsm("fence.acq_rel.cta;", "", {});
  arriveAtCluster(e, op.getAfterReads() ? ".relaxed.aligned" : ".aligned");
  return success();
}

LogicalResult tile::emitClusterWait(KernelEmitter &e, ClusterWaitOp) {
  waitForCluster(e, ".aligned");
  return success();
}

void tile::emitClusterBarrier(KernelEmitter &e) {
  arriveAtCluster(e, "");
  waitForCluster(e, "");
}
