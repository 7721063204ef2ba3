//===- ByteGather.h - Words made of the bytes of others ---------*- C++ -*-===//
#ifndef TILE_COMPILER_CONVERSION_TILETONVVM_BYTEGATHER_H
#define TILE_COMPILER_CONVERSION_TILETONVVM_BYTEGATHER_H

#include "compiler/Conversion/TileToNVVM/KernelEmitter.h"
#include <array>

namespace mlir::tile {

/// A byte of a 32-bit word.
struct ByteOfWord {
  Value word;
  int byte = 0;
};

/// The word of four bytes, lowest first, by byte permutes.  Of blocks of 4 x 4
/// bytes that are transposed, words share their first permutes: two for each.
Value gatherBytes(KernelEmitter &emitter,
                  const std::array<ByteOfWord, 4> &bytes);

} // namespace mlir::tile

#endif // TILE_COMPILER_CONVERSION_TILETONVVM_BYTEGATHER_H
