//===- OperandExpressions.h - Operands computed as read ---------*- C++ -*-===//
#ifndef TILE_DIALECTS_TILE_TRANSFORMS_OPERANDEXPRESSIONS_H
#define TILE_DIALECTS_TILE_TRANSFORMS_OPERANDEXPRESSIONS_H

#include "dialects/Tile/IR/TileOps.h"

namespace mlir::tile {

struct GemmPlan;

/// Makes an operand of a `tile.gemm` that is an elementwise expression over
/// shared tiles a `tile.operand`, or the tile itself if there is nothing to
/// compute.  False if it is anything else, or if a tile may have been written
/// since the expression read it.
bool fuseOperand(OpOperand &operand);

/// Whether every use of the stored numbers in the body is a conversion, so that
/// their registers may be in the order of memory; `toHalf`: one to 16 bits.
bool isConvertedFirst(OperandOp op, bool &toHalf);

/// What one step of a product takes of an operand.
struct OperandStep {
  /// Stored dimension that is K, the first element along it, and how many.
  int64_t kDim, start, extent;
  /// Whether the product takes the stored tile transposed.
  bool transposed;
  /// How the stored numbers are read, as stored, and the fragment that the
  /// product takes.
  layout::FragmentLayout load, instruction;
};

/// The step of a planned product that begins at an element of K, of its left or
/// right operand.
OperandStep getOperandStep(GemmOp gemm, const GemmPlan &plan, bool isA,
                           int64_t start = 0);

/// What a step reads of a further input of an operand, and how it is repeated
/// over the fragment that the product takes.
struct InputPart {
  SmallVector<int64_t> start;
  layout::FragmentLayout layout;
  AffineMap map;
};
InputPart getInputPart(OperandOp op, unsigned input, const OperandStep &step);

/// Reads the further inputs and computes the expression from the `stored`
/// numbers; the result has the layout of the instruction and the element type
/// of the body.
Value emitOperand(OpBuilder &builder, Location loc, OperandOp op, Value stored,
                  const OperandStep &step);

} // namespace mlir::tile

#endif // TILE_DIALECTS_TILE_TRANSFORMS_OPERANDEXPRESSIONS_H
