//===- WideAccess.h - Wide loads and stores of packed registers -----------===//
//
// Moves runs of elements between memory and a fragment's registers.  What comes
// from memory as a 32-bit word and is one word of the fragment stays so.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_CONVERSION_TILETONVVM_WIDEACCESS_H
#define TILE_COMPILER_CONVERSION_TILETONVVM_WIDEACCESS_H

#include "compiler/Conversion/TileToNVVM/ByteGather.h"

namespace mlir::tile {

/// The LLVM type of an access of `bytes` bytes: an integer up to 32 bits, else
/// a vector of i32 words.
Type getAccessType(MLIRContext *context, int64_t bytes);

/// Gathers the registers of a fragment from pieces.
class WordCollector {
public:
  WordCollector(KernelEmitter &emitter, Type elementType, unsigned count);

  /// A 32-bit word that holds these registers, lowest bits first.
  void addWord(Value word, ArrayRef<int> registers);
  /// A value of `getAccessType(bytes)` that holds these registers.
  void addVector(Value vector, int64_t bytes, ArrayRef<int> registers);
  /// Loads `bytes` bytes, aligned to as much.
  void addLoad(Value pointer, int64_t bytes, ArrayRef<int> registers);
  /// One element as a value of the register type.
  void addElement(Value element, int reg) { elements[reg] = element; }
  /// Loads the byte behind `pointer` and takes the thread's nibble of it; that
  /// of even elements is the high one if the part starts at an odd element.
  void addNibble(Value pointer, KernelEmitter &emitter,
                 const layout::FragmentLayout &layout, int reg, int packDim,
                 bool startsOdd);

  FragmentValue finish();
  /// The fragment; what came in pieces of words is to be joined where it is
  /// used.
  FragmentValue finishInPieces();

private:
  void addBits(Value bits, ArrayRef<int> registers);
  Value joinPieces(unsigned word);

  KernelEmitter &emitter;
  Type elementType;
  unsigned count, perWord, elementBits;
  SmallVector<Value> words, elements;
  /// Elements of one byte that lie in a word with others.
  SmallVector<ByteOfWord> bytes;
};

/// Writes registers of a fragment in runs.
class WideStorer {
public:
  WideStorer(KernelEmitter &emitter, const FragmentValue &value);

  /// Stores registers, lowest address first, as one access of `bytes` bytes.
  void store(Value pointer, int64_t bytes, ArrayRef<int> registers);
  /// The registers as a value of `getAccessType(bytes)`.
  Value gather(int64_t bytes, ArrayRef<int> registers);

private:
  Value gatherBits(ArrayRef<int> registers, unsigned width);

  KernelEmitter &emitter;
  FragmentValue value;
  unsigned elementBits;
  SmallVector<Value> words, elements;
};

} // namespace mlir::tile

#endif // TILE_COMPILER_CONVERSION_TILETONVVM_WIDEACCESS_H
