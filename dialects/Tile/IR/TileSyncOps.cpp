//===- TileSyncOps.cpp - Verifiers and effects of the sync family ---------===//

#include "dialects/Tile/IR/TileOps.h"

using namespace mlir;
using namespace mlir::tile;

using Effects =
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

/// Ops that order memory touch all of it: nothing moves across them.
static void touchAllMemory(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

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
