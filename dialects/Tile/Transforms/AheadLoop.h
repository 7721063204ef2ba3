//===- AheadLoop.h - A loop whose operands are made ahead -------*- C++ -*-===//
#ifndef TILE_DIALECTS_TILE_TRANSFORMS_AHEADLOOP_H
#define TILE_DIALECTS_TILE_TRANSFORMS_AHEADLOOP_H

#include "dialects/Tile/IR/TileOps.h"
#include "dialects/Tile/Transforms/OperandParts.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::tile {

/// The parts of a loop over a ring with one product of warpgroups, which takes
/// an operand from registers (ConversionsAhead.cpp).
class AheadLoop {
public:
  explicit AheadLoop(scf::ForOp loop) : loop(loop) {}

  /// Finds the parts; false if the loop is another.
  bool collect();

protected:
  /// The operands of the instruction.
  Value getLeft() {
    return product.getMma().getSwap() ? product.getB() : product.getA();
  }
  Value getRight() {
    return product.getMma().getSwap() ? product.getA() : product.getB();
  }
  /// Whether a carried value is a place in a ring.
  bool isPlace(unsigned index) {
    return loop.getRegionIterArg(index).getType().isInteger(64);
  }

  scf::ForOp loop;
  WgmmaOp product;
  MmaWaitOp wait;
  StageOp stage; ///< of the operand in shared memory
  /// Where that is converted: what writes its buffer, who tells and who waits.
  SmallVector<Operation *> conversionLoads, conversion;
  StoreOp convertedStore;
  ArriveOp ready;
  WaitOp readyWait;
  SmallVector<ArriveOp> arrivals;
  /// Everything else, in order, and what of it makes the operand from what was
  /// loaded.
  SmallVector<Operation *> others;
  DenseSet<Operation *> arithmetic;
  std::optional<OperandParts> parts;
  unsigned sumsIndex = 0;
  bool startsAtZero = false;

private:
  bool collectOps();
  bool collectConversion();
  bool checkSums();
  bool checkCarried();
  bool collectArithmetic();
};

} // namespace mlir::tile

#endif // TILE_DIALECTS_TILE_TRANSFORMS_AHEADLOOP_H
