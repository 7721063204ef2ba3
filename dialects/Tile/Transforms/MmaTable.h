//===- MmaTable.h - The matrix instruction of a pair of types ---*- C++ -*-===//
//
// Which mma.sync multiplies which operands on which GPU, and what both are
// converted to for it (docs/language.md section 7: every conversion is exact).
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECTS_TILE_TRANSFORMS_MMATABLE_H
#define TILE_DIALECTS_TILE_TRANSFORMS_MMATABLE_H

#include "dialects/Tile/IR/TileOps.h"

namespace mlir::tile {

/// A matrix instruction: the types that its operands have when they enter it,
/// and its shape.
struct MmaInstructionChoice {
  Type typeA, typeB;
  int64_t m, n, k;
};

/// Major * 10 + minor of a target such as "sm_90a"; 0 if it is not one.
unsigned getComputeCapability(StringRef target);

/// The instructions that can do the product of `gemm`'s types, the best first;
/// none where plain arithmetic has to.
SmallVector<MmaInstructionChoice, 2> findInstructions(GemmOp gemm,
                                                      unsigned capability);

/// The first of them whose shape divides the tile.
std::optional<MmaInstructionChoice> selectInstruction(GemmOp gemm,
                                                      unsigned capability);

/// "tile K 24 is not a multiple of the MMA K step 16": what keeps the
/// instruction from the tile; empty if nothing does.
std::string describeMisfit(GemmOp gemm,
                           const MmaInstructionChoice &instruction);

/// Whether elements are floats of 8 bits that instructions multiply.
bool isFloat8(Type type);

/// Whether the sums of 8-bit floats made by the instruction are kept short by
/// the hardware, so that they have to be added to f32 every so often.
bool needsPromotion(MmaAttr mma);

/// Elements of K after which they are (docs/language.md section 7).
inline constexpr int64_t promotionInterval = 128;

} // namespace mlir::tile

#endif // TILE_DIALECTS_TILE_TRANSFORMS_MMATABLE_H
