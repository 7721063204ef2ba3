//===- TileShareOps.cpp - Verifiers and effects of the share family -------===//

#include "dialects/Tile/IR/TileShareOps.h"
#include "dialects/Tile/IR/Effects.h"

using namespace mlir;
using namespace mlir::tile;

#define GET_OP_CLASSES
#include "dialects/Tile/IR/TileShareOps.cpp.inc"

LogicalResult PeerOp::verify() {
  // peer-c1: blocks are counted from 0.
  if (int64_t(getRank()) < 0)
    return emitOpError("peer-c1: rank is not negative, found ")
           << int64_t(getRank());
  return success();
}

LogicalResult SendOp::verify() {
  // send-c1: what arrives fills the inbox.
  auto value = cast<RankedTensorType>(getValue().getType());
  SmallVector<int64_t> shape(value.getShape());
  ArrayRef<int64_t> inbox = getInbox().getType().getShape();
  bool fits = !shape.empty() && shape[0] % (inbox[0] + 1) == 0;
  if (fits)
    shape[0] /= inbox[0] + 1;
  if (!fits || inbox.drop_front() != ArrayRef(shape) ||
      getInbox().getType().getElementType() != value.getElementType() ||
      value.getElementTypeBitWidth() != 32)
    return emitOpError("send-c1: the inbox has the parts of all other blocks, "
                       "of elements of 32 bits");
  return success();
}

void SendOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), &getInboxMutable());
}

LogicalResult WorkspaceOp::verify() {
  // workspace-c1: what lies where is known.
  for (int64_t bytes : {int64_t(getOffset()), int64_t(getPlaceBytes())})
    if (bytes < 0 || bytes % 16 != 0)
      return emitOpError("workspace-c1: offsets are multiples of 16 that are "
                         "not negative, found ")
             << bytes;
  if (ShapedType::isDynamicShape(getResult().getType().getShape()))
    return emitOpError("workspace-c1: extents are known");
  return success();
}

void ClusterArriveOp::getEffects(Effects &effects) { touchAllMemory(effects); }
void ClusterWaitOp::getEffects(Effects &effects) { touchAllMemory(effects); }
void LastShareOp::getEffects(Effects &effects) { touchAllMemory(effects); }
