//===- SpareNibble.h - The odd end of a packed tensor ---------------------===//
#ifndef TILE_COMPILER_CONVERSION_TILETONVVM_SPARENIBBLE_H
#define TILE_COMPILER_CONVERSION_TILETONVVM_SPARENIBBLE_H

#include "compiler/Conversion/TileToNVVM/GlobalAddress.h"

namespace mlir::tile {

/// Clears the spare nibble of a packed tensor's odd end in bytes that were read
/// from its storage, or are to be written there: whatever it holds, it reads as
/// 0, and is 0 after writing.
class SpareNibble {
public:
  /// Where `packed` is null, no tensor of 4-bit elements, or known to end on a
  /// whole byte, there is nothing to clear.
  SpareNibble(KernelEmitter &emitter, Value packed);

  /// `byte` (i8) is what register `reg` of `addresser` is read into or written
  /// from: a byte, or the first element of one.
  Value clear(Value byte, GlobalAddresser &addresser, int reg);

private:
  KernelEmitter &emitter;
  int dim = -1;
  Value extent;
};

/// The storage bytes of a packed tensor.
GlobalView getBytesView(KernelEmitter &emitter, const GlobalView &packed);

} // namespace mlir::tile

#endif // TILE_COMPILER_CONVERSION_TILETONVVM_SPARENIBBLE_H
