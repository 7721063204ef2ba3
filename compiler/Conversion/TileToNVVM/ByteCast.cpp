//===- ByteCast.cpp - Conversion of packed 8-bit elements -----------------===//
//
// Integers become f16 as nibbles do (NibbleCast.cpp): 0x6400 | u = 1024 + u.
// The mantissa of bf16 holds seven of the eight bits; the difference of two
// such numbers makes up for the eighth.
//
//   int8:  (0x4300 | low 7 bits) - (0x4300 | sign bit) = low - 128 * sign
//   uint8: (0x4300 | low 7 bits) - 64 * (2 unless the top bit is set)
//
// The codes of fp8_e5m2 are the high bytes of f16.  Those of fp8_e4m3, moved
// under the exponent of a wider type, are their numbers times a power of two,
// except that NaN becomes 480.  A product that is finite up to 448 and infinite
// for 480 tells them apart: zero times it is added.  From sm_89 on an
// instruction converts to f16.
//
//===----------------------------------------------------------------------===//

#include "compiler/Conversion/TileToNVVM/PackedCast.h"

using namespace mlir;
using namespace mlir::tile;

static constexpr unsigned firstWithByteFloats = 89;

static Value bitcast(KernelEmitter &e, Value value, Type type) {
  return e.builder.createOrFold<LLVM::BitcastOp>(e.loc, type, value);
}

static Value fuseWords(KernelEmitter &e, Type type, Value a, Value b, Value c) {
  Type pair = VectorType::get(2, type);
  return bitcast(e,
                 LLVM::FMAOp::create(e.builder, e.loc, bitcast(e, a, pair),
                                     bitcast(e, b, pair), bitcast(e, c, pair)),
                 e.builder.getI32Type());
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

static Value castIntegerPair(KernelEmitter &e, bool isUnsigned, Type to,
                             PackedSource &source, int at) {
  if (to.isF16()) {
    Value pair = source.placePair(at, at + 1, /*inHighByte=*/false, 0x64);
    if (isUnsigned)
      return fusePair(e, to, pair, 1.0, splatPair(e, to, -1024));
    // Two's complement plus 128.
    pair = e.xori(pair, e.i32(0x00800080));
    return fusePair(e, to, pair, 1.0, splatPair(e, to, -1152));
  }
  Value pair = source.gatherPair(at, at + 1);
  Value low = maskAndFlip(e, pair, 0x007F007F, 0x43004300);
  if (!isUnsigned)
    return fusePair(e, to, maskAndFlip(e, pair, 0x00800080, 0x43004300), -1.0,
                    low);
  Value isSmall = maskAndFlip(e, e.shl(pair, 7), 0x40004000, 0x40004000);
  return fusePair(e, to, isSmall, -64.0, low);
}

//===----------------------------------------------------------------------===//
// 8-bit floats to 16 bits
//===----------------------------------------------------------------------===//

/// Two codes of fp8_e4m3, as the high bytes of a word's halves, with other
/// bytes 0.
static Value castE4M3Pair(KernelEmitter &e, Type to, Value pair) {
  // The magnitude moves right by what the type's exponent is wider.
  int shift = to.isF16() ? 1 : 4;
  Value scaled =
      e.ori(e.andi(pair, e.i32(0x80008000)),
            e.andi(e.shr(pair, shift), e.i32((0x7F00 >> shift) * 0x00010001)));
  Value zero = splatPair(e, to, -0.0);
  Value number =
      fusePair(e, to, scaled, std::ldexp(1.0, to.isF16() ? 8 : 120), zero);
  // 448 * 140 is finite in f16, 480 * 140 is not; 448 * 1.125 * 2^119 in bf16.
  Value probe = fusePair(e, to, number,
                         to.isF16() ? 140.0 : std::ldexp(1.125, 119), zero);
  return fuseWords(e, to, probe, splatPair(e, to, 0.0), number);
}

/// A pair of f16 as bf16.
static Value narrowToBF16(KernelEmitter &e, Value pair) {
  OpBuilder &b = e.builder;
  Type f32Pair = VectorType::get(2, b.getF32Type());
  Value wide = LLVM::FPExtOp::create(
      b, e.loc, f32Pair, bitcast(e, pair, VectorType::get(2, b.getF16Type())));
  return bitcast(e,
                 LLVM::FPTruncOp::create(
                     b, e.loc, VectorType::get(2, b.getBF16Type()), wide),
                 b.getI32Type());
}

/// The 16-bit half `half` of a word.
static Value getHalf(KernelEmitter &e, Value word, int half) {
  return e.builder.createOrFold<arith::TruncIOp>(e.loc, e.builder.getI16Type(),
                                                 e.shr(word, 16 * half));
}

static Value castFloatPair(KernelEmitter &e, Type from, Type to,
                           PackedSource &source, int at) {
  bool isE4M3 = isa<Float8E4M3FNType>(from);
  if (isE4M3 && e.computeCapability < firstWithByteFloats)
    return castE4M3Pair(e, to,
                        source.placePair(at, at + 1, /*inHighByte=*/true, 0));
  Value pair;
  if (isE4M3) {
    Value codes = getHalf(e, source.getWord(at / 4), at % 4 / 2);
    pair = bitcast(e,
                   e.callIntrinsic("llvm.nvvm.e4m3x2.to.f16x2.rn",
                                   VectorType::get(2, e.builder.getF16Type()),
                                   codes),
                   e.builder.getI32Type());
  } else {
    pair = source.placePair(at, at + 1, /*inHighByte=*/true, 0);
  }
  return to.isF16() ? pair : narrowToBF16(e, pair);
}

SmallVector<Value> tile::castBytesToHalves(KernelEmitter &e, Type from,
                                           bool isUnsigned, Type to,
                                           PackedSource &source) {
  SmallVector<Value> words;
  for (int at = 0; at < source.count(); at += 2)
    words.push_back(isa<IntegerType>(from)
                        ? castIntegerPair(e, isUnsigned, to, source, at)
                        : castFloatPair(e, from, to, source, at));
  return words;
}

//===----------------------------------------------------------------------===//
// To 8-bit floats
//===----------------------------------------------------------------------===//

SmallVector<Value> tile::castToByteFloats(KernelEmitter &e, Type to,
                                          ArrayRef<Value> elements) {
  if (e.computeCapability < firstWithByteFloats)
    return {};
  OpBuilder &b = e.builder;
  Type i16 = b.getI16Type(), i32 = b.getI32Type();
  std::string name = std::string("llvm.nvvm.ff.to.") +
                     (isa<Float8E4M3FNType>(to) ? "e4m3x2" : "e5m2x2") + ".rn";
  auto widen = [&](Value element) -> Value {
    return element.getType().isF32()
               ? element
               : LLVM::FPExtOp::create(b, e.loc, b.getF32Type(), element)
                     .getResult();
  };
  SmallVector<Value> words;
  for (size_t i = 0; i < elements.size(); i += 4) {
    Value halves[2];
    for (int half = 0; half < 2; ++half) {
      // The first operand becomes the high byte.
      Value codes = e.callIntrinsic(
          name, i16,
          {widen(elements[i + 2 * half + 1]), widen(elements[i + 2 * half])});
      halves[half] = b.createOrFold<arith::ExtUIOp>(e.loc, i32, codes);
    }
    words.push_back(e.ori(halves[0], e.shl(halves[1], 16)));
  }
  return words;
}
