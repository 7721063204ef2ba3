//===- OperandParts.h - An operand from registers, step by step -----------===//
//
// What a product takes from registers can be made for one instruction after the
// other: elementwise arithmetic on a part of K needs the same part of what it
// is made from.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECTS_TILE_TRANSFORMS_OPERANDPARTS_H
#define TILE_DIALECTS_TILE_TRANSFORMS_OPERANDPARTS_H

#include "dialects/Tile/IR/TileOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::tile {

class OperandParts {
public:
  /// The parts of the fragment that a product takes, which `arithmetic` makes;
  /// the fragment as a whole where it does not come apart.
  OperandParts(WgmmaOp product, const DenseSet<Operation *> &arithmetic);

  int64_t count() const { return parts; }
  /// Elements of K in each.
  int64_t getDepth() const { return depth; }
  /// Whether an op is emitted for each part.
  bool isByParts(Operation *op) const { return byParts.contains(op); }
  /// Emits the arithmetic of a part on what `mapping` has for the rest.
  Value emit(OpBuilder &builder, const IRMapping &mapping, int64_t part) const;

private:
  bool collect(Value value);
  RankedTensorType getPartType(Type type) const;

  Value operand;
  int kDim;
  int64_t parts = 1, depth;
  DenseSet<Operation *> byParts;
};

} // namespace mlir::tile

#endif // TILE_DIALECTS_TILE_TRANSFORMS_OPERANDPARTS_H
