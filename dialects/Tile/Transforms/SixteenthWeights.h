//===- SixteenthWeights.h - Scaled 4-bit floats, made smaller ---*- C++ -*-===//
//
// Products of few tokens take as long as the conversion of their weights. A
// 4-bit float times a power of two (e8m0) is one instruction a pair where the
// result is to be a sixteenth of it (FloatNibbles.cpp), for every scale: so
// sums are of sixteenths, and join the accumulator times 16 once a tile:
//
//     acc + a * (q * s)    ->    acc + (a * (q * s / 16)) * 16
//
// Weights that 16 bits do not hold, 2^128 and above, are exact so. Sums lose
// what is below 2^-145.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECTS_TILE_TRANSFORMS_SIXTEENTHWEIGHTS_H
#define TILE_DIALECTS_TILE_TRANSFORMS_SIXTEENTHWEIGHTS_H

#include "dialects/Tile/IR/TileOps.h"

namespace mlir::tile {

/// Whether B of a product that has its `mma` is 4-bit floats times powers of
/// two, multiplied in bf16 by mma.sync with swapped operands, added up in f32.
bool hasSixteenthWeights(GemmOp gemm);

/// A sixteenth of the weights of a step.
Value takeSixteenths(OpBuilder &builder, Location loc, Value weights);

/// The accumulator with such sums added to it.
Value joinSixteenths(OpBuilder &builder, Location loc, Value sums,
                     Value accumulator);

} // namespace mlir::tile

#endif // TILE_DIALECTS_TILE_TRANSFORMS_SIXTEENTHWEIGHTS_H
