//===- AlignmentFacts.h - What a launch checks of alignment ---------------===//
//
// Facts about the tensors of a kernel, as guards of a variant and checks of a
// launch hold them.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECTS_TILE_TRANSFORMS_ALIGNMENTFACTS_H
#define TILE_DIALECTS_TILE_TRANSFORMS_ALIGNMENTFACTS_H

#include "dialects/Tile/IR/TileOps.h"

namespace mlir::tile {

/// Bytes between neighbours along a dimension of the storage of tensor argument
/// `index`, if fixed.
std::optional<int64_t> getStaticPitch(KernelOp kernel, unsigned index,
                                      int64_t dim);

/// Collects facts, each with the words in which a launch tells that it does not
/// hold.
class AlignmentFacts {
public:
  explicit AlignmentFacts(KernelOp kernel, ArrayAttr facts = {});

  /// Adds that base and pitches of tensor argument `index` are multiples of
  /// `bytes`, and that its packed dimension is even, where the kernel does not
  /// say so itself.
  void addArgument(unsigned index, int64_t bytes);

  /// Adds the last of these only.
  void addEvenPack(unsigned index);

  /// Adds that tensor argument `index` starts at a multiple of `bytes`.
  void addBase(unsigned index, int64_t bytes);

  /// Adds that tensor argument `index` has fewer than 2^31 elements along each
  /// dimension whose extent is not fixed.
  void addInt32Extents(unsigned index);

  ArrayAttr getFacts() { return builder.getArrayAttr(facts); }

private:
  void addMultiple(Attribute value, int64_t divisor, const Twine &text);
  void addFact(Attribute expression, const Twine &text);

  KernelOp kernel;
  OpBuilder builder;
  SmallVector<Attribute> facts;
};

} // namespace mlir::tile

#endif // TILE_DIALECTS_TILE_TRANSFORMS_ALIGNMENTFACTS_H
