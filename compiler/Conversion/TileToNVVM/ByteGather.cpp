//===- ByteGather.cpp - Words made of the bytes of others -----------------===//
//
// One permute takes bytes of two words.  Two bytes of different words are
// brought together with their neighbours, the even and the odd byte of a half:
// where another word wants the neighbours, LLVM finds the same permute.
//
//===----------------------------------------------------------------------===//

#include "compiler/Conversion/TileToNVVM/ByteGather.h"

using namespace mlir;
using namespace mlir::tile;

/// The bytes of a and b (numbered on from 4) that the selector's digits name.
static Value permute(KernelEmitter &e, Value a, Value b, int64_t selector) {
  return e.callIntrinsic("llvm.nvvm.prmt", e.builder.getI32Type(),
                         {a, b, e.i32(selector)});
}

namespace {
/// Two bytes of one word.
struct BytePair {
  Value word;
  int low, high;
};
} // namespace

static BytePair bringTogether(KernelEmitter &e, ByteOfWord low,
                              ByteOfWord high) {
  if (low.word == high.word)
    return {low.word, low.byte, high.byte};
  int lowEven = low.byte & ~1, highEven = (high.byte & ~1) + 4;
  Value word = permute(e, low.word, high.word,
                       lowEven | highEven << 4 | (lowEven + 1) << 8 |
                           (highEven + 1) << 12);
  return {word, 2 * (low.byte & 1), 2 * (high.byte & 1) + 1};
}

Value tile::gatherBytes(KernelEmitter &e,
                        const std::array<ByteOfWord, 4> &bytes) {
  // Two words are enough for one permute.
  Value first = bytes[0].word, second;
  bool isPair = true;
  for (const ByteOfWord &byte : bytes) {
    if (byte.word == first)
      continue;
    if (!second)
      second = byte.word;
    isPair &= byte.word == second;
  }
  if (isPair) {
    int64_t selector = 0;
    for (auto [i, byte] : llvm::enumerate(bytes))
      selector |= int64_t(byte.byte + (byte.word == first ? 0 : 4)) << 4 * i;
    return permute(e, first, second ? second : first, selector);
  }
  BytePair low = bringTogether(e, bytes[0], bytes[1]),
           high = bringTogether(e, bytes[2], bytes[3]);
  return permute(e, low.word, high.word,
                 low.low | low.high << 4 | (high.low + 4) << 8 |
                     (high.high + 4) << 12);
}
