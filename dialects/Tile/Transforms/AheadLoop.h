//===- AheadLoop.h - A loop whose operands are made ahead -------*- C++ -*-===//
#ifndef TILE_DIALECTS_TILE_TRANSFORMS_AHEADLOOP_H
#define TILE_DIALECTS_TILE_TRANSFORMS_AHEADLOOP_H

#include "dialects/Tile/Transforms/OperandParts.h"
#include "dialects/Tile/Transforms/RingLoop.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::tile {

/// The parts of a loop over a ring with one product of warpgroups, which takes
/// an operand from registers (ConversionsAhead.cpp).
class AheadLoop : protected RingLoop {
public:
  using RingLoop::RingLoop;

  /// Finds the parts; false if the loop is another.
  bool collect();

protected:
  WgmmaOp product;
  MmaWaitOp wait;
  StageOp stage; ///< of the operand in shared memory
  /// Where that is converted: what writes its buffer, who tells and who waits.
  SmallVector<Operation *> conversionLoads, conversion;
  StoreOp convertedStore;
  ArriveOp ready;
  WaitOp readyWait;
  /// Everything else, in order, and what of it makes the operand from what was
  /// loaded.
  SmallVector<Operation *> others;
  DenseSet<Operation *> arithmetic;
  std::optional<OperandParts> parts;

private:
  bool collectOps();
  bool collectConversion();
  bool collectArithmetic();
};

} // namespace mlir::tile

#endif // TILE_DIALECTS_TILE_TRANSFORMS_AHEADLOOP_H
