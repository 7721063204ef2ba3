//===- TileSyncOps.cpp - Verifiers and effects of the sync family ---------===//

#include "dialects/Tile/IR/Effects.h"
#include "dialects/Tile/IR/TileOps.h"

using namespace mlir;
using namespace mlir::tile;

LogicalResult AsyncCopyOp::verify() {
  GlobalType source = getSource().getType();
  SharedType destination = getDestination().getType();
  if (int64_t(getSourceIndices().size()) != source.getRank())
    return emitOpError("memory-c1: needs one index for each dimension of ")
           << Type(source) << ", found " << getSourceIndices().size();
  if (destination.getRank() > source.getRank())
    return emitOpError("memory-c2: rank is above that of ") << Type(source);
  if (source.getElementType() != destination.getElementType())
    return emitOpError("memory-c3: element types differ: ")
           << source.getElementType() << " and "
           << destination.getElementType();
  return success();
}

void AsyncCopyOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getSourceMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &getDestinationMutable());
}

void CommitGroupOp::getEffects(Effects &effects) { touchAllMemory(effects); }
void WaitGroupOp::getEffects(Effects &effects) { touchAllMemory(effects); }
void BarrierOp::getEffects(Effects &effects) { touchAllMemory(effects); }
void FenceOp::getEffects(Effects &effects) { touchAllMemory(effects); }

LogicalResult WaitGroupOp::verify() {
  // wait-group-c1: groups are counted.
  if (int64_t(getPending()) < 0)
    return emitOpError("wait-group-c1: 'pending' is not negative, found ")
           << int64_t(getPending());
  return success();
}

LogicalResult AsyncCopyElementsOp::verify() {
  GlobalType source = getSource().getType();
  SharedType destination = getDestination().getType();
  if (int64_t(getSourceIndices().size()) != source.getRank() ||
      int64_t(getDestinationIndices().size()) != destination.getRank())
    return emitOpError("element-c1: needs one index for each dimension");
  if (source.getElementType() != destination.getElementType())
    return emitOpError("memory-c3: element types differ: ")
           << source.getElementType() << " and "
           << destination.getElementType();
  // async-copy-elements-c1: what one cp.async moves.
  int64_t bits = int64_t(getCount()) * getElementBits(source.getElementType());
  if (bits != 32 && bits != 64 && bits != 128)
    return emitOpError("async-copy-elements-c1: moves 4, 8 or 16 bytes, but ")
           << int64_t(getCount()) << " elements of " << source.getElementType()
           << " are " << bits << " bits";
  // async-copy-elements-c2: 4-bit elements share bytes along the last
  // dimension.
  if (source.getPackDim() >= 0 &&
      (source.getPackDim() != source.getRank() - 1 ||
       destination.getPackDim() != destination.getRank() - 1))
    return emitOpError("async-copy-elements-c2: 4-bit elements are packed "
                       "along the last dimension");
  return success();
}

void AsyncCopyElementsOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getSourceMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &getDestinationMutable());
}

void BarrierAllocOp::getEffects(Effects &effects) { touchAllMemory(effects); }
void ArriveOp::getEffects(Effects &effects) { touchAllMemory(effects); }
void ExpectOp::getEffects(Effects &effects) { touchAllMemory(effects); }
void WaitOp::getEffects(Effects &effects) { touchAllMemory(effects); }

LogicalResult BarrierAllocOp::verify() {
  // barrier-c1: a phase needs an arrival to end.
  if (int64_t(getCount()) <= 0)
    return emitOpError("barrier-c1: count is positive, found ")
           << int64_t(getCount());
  // barrier-c4: there are other blocks.
  auto kernel = (*this)->getParentOfType<KernelOp>();
  if (getCluster() && kernel && kernel.getClusterSize() == 1)
    return emitOpError("barrier-c4: 'cluster' needs a kernel with a 'cluster'");
  return success();
}

/// barrier-c2: an index where there are several.
static LogicalResult verifyBarrierIndex(Operation *op, BarrierType type,
                                        Value index) {
  if (!index && type.getCount() != 1)
    return op->emitOpError("barrier-c2: needs an index, for ")
           << type.getCount() << " barriers";
  return success();
}

LogicalResult ArriveOp::verify() {
  // barrier-c3: a thread for each block arrives.
  auto alloc = getBarrier().getDefiningOp<BarrierAllocOp>();
  if (alloc && alloc.getCluster() && (!isByParts() || getAfterCopies()))
    return emitOpError("barrier-c3: on barriers of a cluster warpgroups or "
                       "warps arrive");
  // barrier-c5: that instruction has none.
  if (getAfterCopies() && getPredicate())
    return emitOpError("barrier-c5: an arrival after copies has no predicate");
  return verifyBarrierIndex(*this, getBarrier().getType(), getIndex());
}
LogicalResult ExpectOp::verify() {
  return verifyBarrierIndex(*this, getBarrier().getType(), getIndex());
}
LogicalResult WaitOp::verify() {
  return verifyBarrierIndex(*this, getBarrier().getType(), getIndex());
}

LogicalResult TmaCopyOp::verify() {
  Type source = getSource().getType(), destination = getDestination().getType();
  // tma-copy-c1: one side is a tensor, with an index for each dimension, the
  // other a whole shared tile.
  bool isLoad = isa<GlobalType>(source);
  if (isLoad == isa<GlobalType>(destination))
    return emitOpError("tma-copy-c1: moves between a tensor and a shared tile");
  Type global = isLoad ? source : destination;
  Type shared = isLoad ? destination : source;
  size_t globalCount =
      isLoad ? getSourceIndices().size() : getDestinationIndices().size();
  size_t sharedCount =
      isLoad ? getDestinationIndices().size() : getSourceIndices().size();
  if (globalCount != getTileShape(global).size() || sharedCount != 0)
    return emitOpError("tma-copy-c1: the tensor has an index for each "
                       "dimension, the shared tile none");
  if (getTileShape(shared).size() > getTileShape(global).size())
    return emitOpError("memory-c2: rank is above that of ") << global;
  if (getTileElementType(source) != getTileElementType(destination))
    return emitOpError("memory-c3: element types differ: ")
           << getTileElementType(source) << " and "
           << getTileElementType(destination);
  // tma-copy-c3: the tensor map is one that the launch makes.
  auto kernel = (*this)->getParentOfType<KernelOp>();
  if (getMap() && kernel) {
    ArrayAttr maps = kernel.getTensorMaps().value_or(ArrayAttr());
    size_t count = maps ? maps.size() : 0;
    if (*getMap() >= count)
      return emitOpError("tma-copy-c3: names tensor map ")
             << int64_t(*getMap()) << ", and the kernel has " << count;
  }
  // tma-copy-c4: parts of a tile come from all blocks of a cluster.
  if (getMulticast() && (!isLoad || (kernel && kernel.getClusterSize() == 1)))
    return emitOpError(
        "tma-copy-c4: 'multicast' is for loads, in a kernel with a 'cluster'");
  // tma-copy-c2: a load completes on a barrier, a store in a group.
  if (isLoad != bool(getBarrier()))
    return emitOpError("tma-copy-c2: a load names a barrier, a store does not");
  if (!isLoad)
    return success();
  return verifyBarrierIndex(*this, getBarrier().getType(), getIndex());
}

void TmaCopyOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getSourceMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &getDestinationMutable());
}
