//===- NibbleCast.cpp - Conversion of packed 4-bit elements ---------------===//
//
// Integers become 16-bit floats by bits: a nibble q under the mantissa of a
// power of two p is the number p + q, from which p is subtracted exactly.
//
//   bf16: 0x4300 | q = 128 + q       f16: 0x6400 | q = 1024 + q
//
// Two's complement is flipped to q + 8 first by the same XOR that sets the
// exponent, and 8 more is subtracted.
//
// Other pairs look up bytes in a table of 16: a byte permute takes four bytes
// of eight by the low three bits of four nibbles, so it is done for both halves
// of the table, and a third permute chooses by the fourth bit.  Tables come
// from the same conversions as the interpreter's.
//
//===----------------------------------------------------------------------===//

#include "compiler/Conversion/TileToNVVM/PackedCast.h"
#include "compiler/Numerics/NumberCast.h"

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

using ByteTable = std::array<uint8_t, 16>;

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

namespace {
/// The nibbles of a word as indices into tables.
class TableReader {
public:
  TableReader(KernelEmitter &emitter, Value word) : e(emitter), word(word) {}

  /// The bytes for nibbles 0 to 3, or 4 to 7.
  Value read(const ByteTable &table, int half);

private:
  Value getQuarter(const ByteTable &table, int quarter) {
    uint32_t bytes = 0;
    for (int i = 0; i < 4; ++i)
      bytes |= uint32_t(table[4 * quarter + i]) << (8 * i);
    return e.i32(bytes);
  }
  Value getHalf(Value &whole, int half) {
    return half ? e.shr(whole, 16) : whole;
  }

  KernelEmitter &e;
  Value word;
  /// Low three bits of the nibbles; selectors that take byte i of the first or
  /// the second word by their fourth.
  Value indices, choices;
};
} // namespace

Value TableReader::read(const ByteTable &table, int half) {
  if (!indices)
    indices = e.andi(word, e.i32(0x77777777));
  Value index = getHalf(indices, half);
  Value low =
      permuteBytes(e, getQuarter(table, 0), getQuarter(table, 1), index);
  if (std::equal(table.begin(), table.begin() + 8, table.begin() + 8))
    return low;
  Value high =
      permuteBytes(e, getQuarter(table, 2), getQuarter(table, 3), index);
  if (!choices)
    choices = e.shr(e.callAsm("lop3.b32 $0, $1, $2, $3, 0xea;", "=r,r,n,n",
                              {word, e.i32(0x88888888), e.i32(0x64206420)}),
                    1);
  return permuteBytes(e, low, high, getHalf(choices, half));
}

/// Words of 16-bit floats by two tables, of low and of high bytes.
static SmallVector<Value> readHalves(KernelEmitter &e, NumberFormat from,
                                     NumberFormat to, PackedSource &source) {
  ByteTable lowTable = makeTable(from, to, 0),
            highTable = makeTable(from, to, 1);
  bool lowIsZero = lowTable == ByteTable{};
  SmallVector<Value> words;
  for (int first = 0; first < source.count(); first += 8) {
    TableReader reader(e, source.getWord(first / 8));
    for (int at = first; at < std::min(first + 8, source.count()); at += 2) {
      int half = at % 8 / 4;
      Value high = reader.read(highTable, half);
      Value low = lowIsZero ? e.i32(0) : reader.read(lowTable, half);
      words.push_back(
          permuteBytes(e, low, high, e.i32(at % 4 ? 0x7362 : 0x5140)));
    }
  }
  return words;
}

//===----------------------------------------------------------------------===//
// 16-bit floats
//===----------------------------------------------------------------------===//

/// A pair of integers, in the low bits of the halves of a word, as floats.
static Value convertPair(KernelEmitter &e, Value pair, bool isUnsigned,
                         Type to) {
  int64_t exponent = to.isBF16() ? 0x43004300 : 0x64006400;
  double bias = to.isBF16() ? 128 : 1024;
  if (isUnsigned)
    return fusePair(e, to, maskAndFlip(e, pair, 0x000F000F, exponent), 1.0,
                    splatPair(e, to, -bias));
  return fusePair(e, to,
                  maskAndFlip(e, pair, 0x000F000F, exponent | 0x00080008), 1.0,
                  splatPair(e, to, -(bias + 8)));
}

SmallVector<Value> tile::castNibblesToHalves(KernelEmitter &e, Type from,
                                             bool isUnsigned, Type to,
                                             PackedSource &source) {
  if (!isa<IntegerType>(from))
    return readHalves(e, getFormat(from, isUnsigned), getFormat(to, false),
                      source);
  SmallVector<Value> words;
  for (int i = 0; i < source.count(); i += 2)
    words.push_back(
        convertPair(e, source.gatherPair(i, i + 1), isUnsigned, to));
  return words;
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

/// Four nibbles, in the low bits of bytes, extended to the bytes.
static Value extendNibbles(KernelEmitter &e, Value word, bool isUnsigned) {
  if (isUnsigned)
    return e.andi(word, e.i32(0x0F0F0F0F));
  // q + 8, with 128 more so that no byte borrows from the next; minus 8; and
  // the 128 are flipped away again.
  Value biased = maskAndFlip(e, word, 0x0F0F0F0F, 0x88888888);
  return e.xori(e.sub(biased, e.i32(0x08080808)), e.i32(0x80808080));
}

SmallVector<Value> tile::castNibblesToBytes(KernelEmitter &e, Type from,
                                            bool isUnsigned, Type to,
                                            PackedSource &source) {
  SmallVector<Value> words;
  for (int first = 0; first < source.count(); first += 8) {
    Value word = source.getWord(first / 8);
    bool hasSecond = first + 4 < source.count();
    if (!isa<IntegerType>(to)) {
      TableReader reader(e, word);
      ByteTable table =
          makeTable(getFormat(from, isUnsigned), getFormat(to, false), 0);
      for (int half = 0; half < 1 + hasSecond; ++half)
        words.push_back(reader.read(table, half));
      continue;
    }
    Value even = extendNibbles(e, word, isUnsigned);
    Value odd = extendNibbles(e, e.shr(word, 4), isUnsigned);
    words.push_back(permuteBytes(e, even, odd, e.i32(0x5140)));
    if (hasSecond)
      words.push_back(permuteBytes(e, even, odd, e.i32(0x7362)));
  }
  return words;
}
