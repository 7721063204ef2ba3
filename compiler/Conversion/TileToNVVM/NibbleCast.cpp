//===- NibbleCast.cpp - Conversion of packed 4-bit elements ---------------===//
//
// Integers become 16-bit floats by bits: a nibble q under the mantissa of a
// power of two p is the number p + q, from which p is subtracted exactly.
//
//   bf16: 0x4300 | q = 128 + q       f16: 0x6400 | q = 1024 + q
//
// Two's complement is flipped to q + 8 first by the same XOR that sets the
// exponent, and 8 more is subtracted.  The mantissa of f16 holds the upper
// nibble of a byte where it is, 16 times as large, so that four pairs of a word
// need one shift.
//
// Where the result is wanted times a power of two, as low as 2^-6, the nibble
// is a number of bf16 as it stands: below 2^-125 these are the multiples of
// 2^-133, by their low eight bits, so that the upper nibble of those needs no
// shift. One packed fma makes q - 8 of it.
//
// 4-bit floats that lie 16 bits apart are moved under the exponent of the wider
// type and multiplied by a power of two.
//
// Other pairs look up bytes in a table of 16: a byte permute takes four bytes
// of eight by the low three bits of four nibbles, so it is done for both halves
// of the table.  Where the fourth bit is set, a permute gives the sign of the
// byte instead, which is 0 for bytes below 128.  So half the differences of the
// upper half and the lower one, looked up by the whole nibbles, are there for
// nibbles below 8 only; twice they are subtracted from the upper half's bytes:
//
//   upper[q mod 8] - 2 * (q < 8 ? (upper[q] - lower[q]) / 2 : 0)
//
// without a borrow between bytes.  This is so for 4-bit floats, and for int4 to
// e4m3.  With other differences a third permute chooses by the fourth bit.
// Tables come from the same conversions as the interpreter's.
//
//===----------------------------------------------------------------------===//

#include "compiler/Conversion/TileToNVVM/PackedCast.h"
#include "compiler/Numerics/NumberCast.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::tile;
using tilec::NumberFormat;

static Value permuteBytes(KernelEmitter &e, Value a, Value b, Value selector) {
  return e.callIntrinsic("llvm.nvvm.prmt", e.builder.getI32Type(),
                         {a, b, selector});
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

static NumberFormat getFormat(Type type, bool isUnsigned) {
  if (type.isInteger(4))
    return isUnsigned ? NumberFormat::UInt4 : NumberFormat::Int4;
  if (isa<Float4E2M1FNType>(type))
    return NumberFormat::FP4E2M1;
  if (isa<Float8E4M3FNType>(type))
    return NumberFormat::FP8E4M3;
  if (isa<Float8E5M2Type>(type))
    return NumberFormat::FP8E5M2;
  return type.isF16() ? NumberFormat::F16 : NumberFormat::BF16;
}

/// Byte `byte` of the code that each nibble casts to.
static ByteTable makeTable(NumberFormat from, NumberFormat to, int byte) {
  ByteTable table;
  for (unsigned code = 0; code < table.size(); ++code)
    table[code] = uint8_t(tilec::castCode(from, code, to) >> (8 * byte));
  return table;
}

/// A constant that ptxas does not see through.  A permute has room for one word
/// of its two in the instruction; for the other ptxas would move a constant, or
/// a uniform register, to one of the thread's each time.  Launches have one
/// dimension, so that the index of the block along the second is 0; it is made
/// to look different in each thread.
static Value keepInRegister(KernelEmitter &e, uint32_t value) {
  Value zero =
      NVVM::BlockIdYOp::create(e.builder, e.loc, e.builder.getI32Type());
  return e.ori(e.andi(e.thread, zero), e.i32(value));
}

/// From so many values that loops carry on, a register for a second constant is
/// one too many: sums of 8-bit floats are there twice, those of some of K and
/// the total that they join, and an operand of 16 registers beside them, of the
/// 240 that a thread has.
static constexpr unsigned mostCarried = 96;

namespace {
/// The nibbles of a word as indices into tables.
class TableReader {
public:
  TableReader(KernelEmitter &emitter, Value word) : e(emitter), word(word) {}

  /// The bytes for nibbles 0 to 3, or 4 to 7.
  Value read(const ByteTable &table, int half) {
    Value &bytes = known[{table, half}];
    if (!bytes)
      bytes = lookUp(table, half);
    return bytes;
  }

private:
  Value lookUp(const ByteTable &table, int half);
  /// The bytes of one half of a table, by the digits of a selector.
  Value permuteHalf(const uint8_t *table, Value selector, bool keep = true) {
    uint32_t quarters[2] = {};
    for (int i = 0; i < 8; ++i)
      quarters[i / 4] |= uint32_t(table[i]) << (8 * (i % 4));
    Value first = keep ? keepInRegister(e, quarters[0]) : e.i32(quarters[0]);
    return permuteBytes(e, first, e.i32(quarters[1]), selector);
  }
  Value getHalf(Value whole, int half) {
    return half ? e.shr(whole, 16) : whole;
  }

  KernelEmitter &e;
  Value word;
  /// Selectors that take byte i of the first or the second word by the fourth
  /// bit of nibble i.
  Value choices;
  std::map<std::pair<ByteTable, int>, Value> known;
};
} // namespace

/// Half the differences of the upper half of a table and the lower one; none if
/// one is odd, or no number from 0 to 127.
static std::optional<std::array<uint8_t, 8>>
halveDifferences(const ByteTable &table) {
  std::array<uint8_t, 8> halves;
  for (int i = 0; i < 8; ++i) {
    int difference = table[i + 8] - table[i];
    if (difference < 0 || difference % 2 != 0)
      return std::nullopt;
    halves[i] = uint8_t(difference / 2);
  }
  return halves;
}

Value TableReader::lookUp(const ByteTable &table, int half) {
  const uint8_t *lower = table.data(), *upper = lower + 8;
  Value nibbles = getHalf(word, half);
  Value index = e.andi(nibbles, e.i32(0x7777));
  if (std::equal(lower, upper, upper))
    return permuteHalf(lower, index);
  Value high = permuteHalf(upper, index);
  if (auto halves = halveDifferences(table)) {
    Value step = permuteHalf(halves->data(), nibbles,
                             /*keep=*/e.carriedRegisters < mostCarried);
    // Not for the pipe of integers and permutes, which is the busy one.
    return e.callAsm("mad.lo.s32 $0, $1, -2, $2;", "=r,r,r", {step, high});
  }
  Value low = permuteHalf(lower, index);
  if (!choices)
    choices = e.shr(e.callAsm("lop3.b32 $0, $1, $2, $3, 0xea;", "=r,r,n,n",
                              {word, e.i32(0x88888888), e.i32(0x64206420)}),
                    1);
  return permuteBytes(e, low, high, getHalf(choices, half));
}

namespace {
/// Readers of the words of a source, each made once.
template <typename Reader> class ReaderCache {
public:
  ReaderCache(KernelEmitter &emitter, PackedSource &source)
      : e(emitter), source(source) {}

  /// The reader of the word that holds elements `at` to `at + size - 1` of the
  /// result, and the first of them in it: a word of the source if they are
  /// together there, else one gathered for them.
  std::pair<Reader *, int> find(int at, int size) {
    if (std::optional<PackedSource::Run> run = source.findRun(at, size))
      return {&find(*run), run->first};
    auto known = ofResult.find(at / 8);
    if (known == ofResult.end())
      known = ofResult.try_emplace(at / 8, e, source.getWord(at / 8)).first;
    return {&known->second, at % 8};
  }

  Reader &find(const PackedSource::Run &run) {
    return ofSource.try_emplace(run.wordIndex, e, run.word).first->second;
  }

private:
  KernelEmitter &e;
  PackedSource &source;
  std::map<int, Reader> ofSource, ofResult;
};
} // namespace

//===----------------------------------------------------------------------===//
// 16-bit floats
//===----------------------------------------------------------------------===//

double tile::getNibbleBias(Type to, bool isUnsigned) {
  return (to.isBF16() ? 128 : 1024) + (isUnsigned ? 0 : 8);
}

Value tile::biasNibblePair(KernelEmitter &e, Value pair, bool isUnsigned,
                           Type to) {
  int64_t exponent = to.isBF16() ? 0x43004300 : 0x64006400;
  return maskAndFlip(e, pair, 0x000F000F,
                     exponent | (isUnsigned ? 0 : 0x00080008));
}

/// Such a pair as floats.
static Value convertPair(KernelEmitter &e, Value pair, bool isUnsigned,
                         Type to) {
  return fusePair(e, to, biasNibblePair(e, pair, isUnsigned, to), 1.0,
                  splatPair(e, to, -getNibbleBias(to, isUnsigned)));
}

/// Two integers above the low nibbles of the halves of a word as f16, which has
/// room for them there: the power of two is 64 times 16.
static Value convertHighPair(KernelEmitter &e, Value word, bool isUnsigned) {
  Type f16 = e.builder.getF16Type();
  Value biased = maskAndFlip(e, word, 0x00F000F0,
                             0x64006400 | (isUnsigned ? 0 : 0x00800080));
  return fusePair(e, f16, biased, 1.0 / 16,
                  splatPair(e, f16, isUnsigned ? -64 : -72));
}

/// A value shifted left by `bits`, or right by as many below 0.
static Value shiftLeft(KernelEmitter &e, Value word, int bits) {
  return bits < 0 ? e.shr(word, -bits) : e.shl(word, bits);
}

/// Two 4-bit floats, nibbles `nibble` and `nibble + 4` of a word: sign and
/// magnitude moved to where the wider type has them are their numbers times a
/// power of two.
static Value convertFloatPair(KernelEmitter &e, Value word, int nibble,
                              Type to) {
  Value zero = splatPair(e, to, -0.0);
  if (to.isBF16())
    return fusePair(e, to, spreadFloatNibbles(e, word, nibble),
                    std::ldexp(1.0, 126), zero);
  // Their places were they the high bits of the halves, and how much lower f16
  // has the magnitude.
  int high = 12 - 4 * nibble, lower = 3;
  Value sign = e.andi(shiftLeft(e, word, high), e.i32(0x80008000));
  Value magnitude = e.andi(shiftLeft(e, word, high - lower),
                           e.i32((0x7000 >> lower) * 0x00010001));
  return fusePair(e, to, e.ori(sign, magnitude), std::ldexp(1.0, 14), zero);
}

/// Words of 16-bit floats by two tables, of low and of high bytes, or by bits
/// where neighbours of the result lie apart.
static SmallVector<Value> castFloatsToHalves(KernelEmitter &e,
                                             NumberFormat from, Type to,
                                             PackedSource &source) {
  NumberFormat format = getFormat(to, false);
  ByteTable lowTable = makeTable(from, format, 0),
            highTable = makeTable(from, format, 1);
  bool lowIsZero = lowTable == ByteTable{};
  SmallVector<Value> words;
  ReaderCache<TableReader> readers(e, source);
  for (int at = 0; at < source.count(); at += 2) {
    if (auto apart = source.findApart(at, at + 1)) {
      words.push_back(convertFloatPair(e, apart->word, apart->first, to));
      continue;
    }
    auto [reader, first] = readers.find(at, 2);
    Value high = reader->read(highTable, first / 4);
    Value low = lowIsZero ? e.i32(0) : reader->read(lowTable, first / 4);
    words.push_back(
        permuteBytes(e, low, high, e.i32(first % 4 ? 0x7362 : 0x5140)));
  }
  return words;
}

SmallVector<Value> tile::lookUpPairs(KernelEmitter &e, const ByteTable &table,
                                     uint8_t highByte, PackedSource &source) {
  SmallVector<Value> words;
  ReaderCache<TableReader> readers(e, source);
  Value high = keepInRegister(e, highByte * 0x01010101u);
  for (int at = 0; at < source.count(); at += 2) {
    auto [reader, first] = readers.find(at, 2);
    words.push_back(permuteBytes(e, reader->read(table, first / 4), high,
                                 e.i32(first % 4 ? 0x4342 : 0x4140)));
  }
  return words;
}

SmallVector<Value> tile::castNibblesToHalves(KernelEmitter &e, Type from,
                                             bool isUnsigned, Type to,
                                             PackedSource &source) {
  if (!isa<IntegerType>(from))
    return castFloatsToHalves(e, getFormat(from, isUnsigned), to, source);
  SmallVector<Value> words;
  for (int i = 0; i < source.count(); i += 2) {
    auto apart = source.findApart(i, i + 1);
    if (to.isF16() && apart && apart->first % 2 == 1)
      words.push_back(convertHighPair(
          e, e.shr(apart->word, apart->first / 2 * 8), isUnsigned));
    else
      words.push_back(
          convertPair(e, source.gatherPair(i, i + 1), isUnsigned, to));
  }
  return words;
}

/// Two integers, nibbles `nibble` and `nibble + 4` of a word, as bf16 times
/// 2^exponent.
static Value convertScaledPair(KernelEmitter &e, Value word, int nibble,
                               bool isUnsigned, int exponent) {
  constexpr int leastExponent = -133;
  int place = 4 * (nibble % 2);
  Value pair = nibble < 2 ? word : e.shr(word, 4 * nibble - place);
  int64_t mask = int64_t(0x000F000F) << place, sign = int64_t(0x00080008)
                                                      << place;
  Type type = e.builder.getBF16Type();
  return fusePair(
      e, type,
      isUnsigned ? e.andi(pair, e.i32(mask)) : maskAndFlip(e, pair, mask, sign),
      std::ldexp(1.0, exponent - leastExponent - place),
      splatPair(e, type, isUnsigned ? -0.0 : std::ldexp(-8.0, exponent)));
}

SmallVector<Value> tile::castNibblesToScaled(KernelEmitter &e,
                                             const ElementCast &cast,
                                             PackedSource &source) {
  SmallVector<Value> words;
  for (int i = 0; i < source.count(); i += 2) {
    // Elements that lie elsewhere are brought to the low bits of the halves.
    auto apart = source.findApart(i, i + 1);
    Value word = apart ? apart->word : source.gatherPair(i, i + 1);
    words.push_back(convertScaledPair(e, word, apart ? apart->first : 0,
                                      cast.sourceUnsigned, cast.exponent));
  }
  return words;
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

namespace {
/// The nibbles of a word as bytes.
class NibbleExtender {
public:
  NibbleExtender(KernelEmitter &emitter, Value word) : e(emitter), word(word) {}

  /// Nibbles 0 to 3, or 4 to 7.
  Value read(const ElementCast &cast, int half) {
    Value low = readEveryOther(cast, 0), high = readEveryOther(cast, 1);
    return permuteBytes(e, low, high, e.i32(half ? 0x7362 : 0x5140));
  }
  /// Nibbles 0, 2, 4 and 6, or those behind each.
  Value readEveryOther(const ElementCast &cast, int first) {
    Value &bytes = first ? odd : even;
    if (!bytes)
      bytes = cast.exponent != 0
                  ? clear(first)
                  : extend(first ? e.shr(word, 4) : word, cast.sourceUnsigned);
    return bytes;
  }

private:
  Value extend(Value nibbles, bool isUnsigned);
  /// Nibbles above 0s: 16 times the number, signed or not.
  Value clear(int first) {
    return e.andi(first ? word : e.shl(word, 4), e.i32(0xF0F0F0F0));
  }

  KernelEmitter &e;
  Value word, even, odd;
};
} // namespace

/// Nibbles in the low bits of bytes.
Value NibbleExtender::extend(Value nibbles, bool isUnsigned) {
  if (isUnsigned)
    return e.andi(nibbles, e.i32(0x0F0F0F0F));
  // q + 8, with 128 more so that no byte borrows from the next; minus 8; and
  // the 128 are flipped away again.
  Value biased = maskAndFlip(e, nibbles, 0x0F0F0F0F, 0x88888888);
  return e.xori(e.sub(biased, e.i32(0x08080808)), e.i32(0x80808080));
}

SmallVector<Value> tile::castNibblesToBytes(KernelEmitter &e,
                                            const ElementCast &cast,
                                            PackedSource &source) {
  SmallVector<Value> words;
  if (isa<IntegerType>(cast.to)) {
    assert((cast.exponent == 0 || cast.exponent == 4) && "not in a byte");
    ReaderCache<NibbleExtender> extenders(e, source);
    for (int at = 0; at < source.count(); at += 4) {
      if (auto run = source.findEveryOther(at)) {
        words.push_back(extenders.find(*run).readEveryOther(cast, run->first));
        continue;
      }
      auto [extender, first] = extenders.find(at, 4);
      words.push_back(extender->read(cast, first / 4));
    }
    return words;
  }
  ByteTable table = makeTable(getFormat(cast.from, cast.sourceUnsigned),
                              getFormat(cast.to, false), 0);
  ReaderCache<TableReader> readers(e, source);
  for (int at = 0; at < source.count(); at += 4) {
    auto [reader, first] = readers.find(at, 4);
    words.push_back(reader->read(table, first / 4));
  }
  return words;
}
