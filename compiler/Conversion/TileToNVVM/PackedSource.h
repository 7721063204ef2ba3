//===- PackedSource.h - Narrow elements found in packed registers ---------===//
//
// A cast may also bring the registers of a fragment into another order, and
// take those of a source whose elements several lanes hold alike, each lane its
// own (lane-dependent registers).  Here elements of 4 or 8 bits are gathered
// from the words that hold them, several at once by byte permutes.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_CONVERSION_TILETONVVM_PACKEDSOURCE_H
#define TILE_COMPILER_CONVERSION_TILETONVVM_PACKEDSOURCE_H

#include "compiler/Conversion/TileToNVVM/KernelEmitter.h"
#include "dialects/Layout/FragmentLayout.h"
#include <map>

namespace mlir::tile {

/// Where a cast finds the elements of its result: in these registers of the
/// source, numbered as in thread 0.  If `laneBits` is not empty, the thread
/// with lane bit i set takes the register with `laneBits[i]` flipped.
struct CastSource {
  SmallVector<int> registers;
  SmallVector<int32_t> laneBits;

  bool dependsOnLane() const {
    return llvm::any_of(laneBits, [](int32_t bit) { return bit != 0; });
  }
};

/// None if the elements are in other threads.
std::optional<CastSource> findCastSource(const layout::FragmentLayout &source,
                                         const layout::FragmentLayout &result);

/// The elements that a thread takes, one value each.
SmallVector<Value> takeElements(KernelEmitter &emitter,
                                const FragmentValue &value,
                                const CastSource &source);

/// The words of a packed fragment of 4- or 8-bit elements.
class PackedSource {
public:
  /// Null if lanes differ in which nibble of a byte they take.
  static std::optional<PackedSource> create(KernelEmitter &emitter,
                                            const FragmentValue &value,
                                            const CastSource &source);

  int perWord() const { return 32 / elementBits; }
  /// Words of the result when it has `size` elements each; elements of word
  /// `index`, the last of which may be missing.
  ArrayRef<int> getGroup(int index, int size) const {
    return ArrayRef(source.registers).slice(index * size).take_front(size);
  }
  int count() const { return source.registers.size(); }

  /// Elements `at` to `at + count - 1` of the result, where they are as many
  /// consecutive ones of a word of the source, aligned to their number, in
  /// every lane: a whole word of the source, and the first of them in it.
  struct Run {
    Value word;
    int wordIndex, first;
  };
  std::optional<Run> findRun(int at, int count);
  /// The same of every other element of a whole word, the first or the second
  /// of it being the first.
  std::optional<Run> findEveryOther(int at);
  /// Two elements of the result that lie 16 bits apart in a word of the source:
  /// the word, and the lower one.
  std::optional<Run> findApart(int low, int high);
  /// Whether nibbles `at` and `at + 1` of the result are a byte of the source.
  bool isByte(int at) const {
    return elementBits == 4 && source.registers[at] % 2 == 0 &&
           source.registers[at + 1] == source.registers[at] + 1;
  }
  /// A word that holds elements `index * perWord()` and following of the
  /// result, in their order.
  Value getWord(int index);
  /// A word whose halves hold two elements of the result in their low bits,
  /// other bits being anything.
  Value gatherPair(int low, int high);
  /// The same for bytes that go to the low byte of the halves, or the high one,
  /// and the bytes of `fill` beside them.
  Value placePair(int low, int high, bool inHighByte, int64_t fill);

private:
  PackedSource(KernelEmitter &emitter, ArrayRef<Value> words, int elementBits,
               const CastSource &source)
      : e(emitter), words(words), elementBits(elementBits), source(source) {}

  /// A byte of a word of the source, the word shifted left (or right) by 4.
  struct Byte {
    int word, byte, shift;
    bool operator==(const Byte &) const = default;
  };
  Value getSourceWord(int index, int shift);
  Value getLaneSelect(int64_t pattern);
  Value permute(Value a, Value b, int64_t selector, int64_t lanePattern);
  Value gatherBytes(ArrayRef<Byte> bytes);
  Value gatherNibbles(ArrayRef<int> registers);
  Byte getByte(int reg, bool inHighNibble) const;

  KernelEmitter &e;
  SmallVector<Value> words;
  int elementBits;
  const CastSource &source;
  /// By index and shift, each made once.
  std::map<std::pair<int, int>, Value> shifted;
};

} // namespace mlir::tile

#endif // TILE_COMPILER_CONVERSION_TILETONVVM_PACKEDSOURCE_H
