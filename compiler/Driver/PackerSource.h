//===- PackerSource.h - Kernels that pack a tensor ------------------------===//
//
// The order of a prepacked tensor is known once passes have run.  The kernels
// that bring a plain tensor into it, and back, are then written in the language
// and compiled like any other: one thread an element of the result, or two of 4
// bits.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_DRIVER_PACKERSOURCE_H
#define TILE_COMPILER_DRIVER_PACKERSOURCE_H

#include "dialects/Layout/PackedOrder.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include <string>

namespace tilec {

/// A prepacked tensor as its packers see it.
struct PackedTensor {
  /// Of the two kernels.
  std::string packer, unpacker;
  int rank;
  /// The dimension along which the plain tensor packs 4-bit elements, or -1.
  int packDim;
  layout::PackedOrder order;
  /// The dimension of a tile along which tiles are neighbours.
  int along;
  /// The bits of what lies outside of the tensor.
  unsigned padding;
  /// Elements in a row of its memory.
  int64_t row;
};

/// The source of a packer and an unpacker.  Both take the extents of the tensor
/// (int64 each), what they read and what they write: the plain tensor as it is
/// stored, and the packed one as [leading extents, tiles, elements of a tile],
/// the tiles along `along` last; elements are unsigned integers, bytes for
/// 4-bit ones.
std::string writePackers(const PackedTensor &tensor);

/// The prepacked tensors of the kernels of a module that apply-prepack has
/// packed, each once.  Fails if the kernels of a source for several classes of
/// sizes disagree, so that nobody could pack for all.
llvm::Expected<std::vector<PackedTensor>>
findPackedTensors(mlir::ModuleOp module);

} // namespace tilec

#endif // TILE_COMPILER_DRIVER_PACKERSOURCE_H
