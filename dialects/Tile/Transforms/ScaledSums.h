//===- ScaledSums.h - Scales of weights on their sums -----------*- C++ -*-===//
//
// A scale that all weights of a column share along K may be multiplied with
// their sum, once for each row of the other operand, instead of with each of
// them.  With few rows that is less work:
//
//     acc + a * (q * s)    ->    acc + (a * (q * 2^-13)) * s * 2^13
//
// The power of two is free in the conversion of q (NibbleCast.cpp), and keeps
// every product and sum of finite numbers in the range of f32: for the
// elements of K that are taken at a time, sums of |q| <= 15 stay below the
// largest |a|, and products are multiples of 2^-146.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECTS_TILE_TRANSFORMS_SCALEDSUMS_H
#define TILE_DIALECTS_TILE_TRANSFORMS_SCALEDSUMS_H

#include "dialects/Tile/Transforms/OperandExpressions.h"

namespace mlir::tile {

/// Unit attribute of a `tile.gemm` whose scales of B are multiplied with sums.
inline constexpr StringLiteral scaledSumsAttrName = "tile.scaled_sums";

/// Whether B of a product is integers times a scale that is the same for all of
/// K that is taken at a time, and the product adds up in f32 what bf16 holds.
bool hasScaleOfSums(GemmOp gemm);

/// Multiplies a step of such a product: `a` is the other operand of the
/// instruction, `stored` B's numbers as `step` reads them.  Gives the new
/// accumulator.
Value emitScaledSums(OpBuilder &builder, GemmOp gemm, const GemmPlan &plan,
                     Value accumulator, Value a, Value stored,
                     const OperandStep &step);

} // namespace mlir::tile

#endif // TILE_DIALECTS_TILE_TRANSFORMS_SCALEDSUMS_H
