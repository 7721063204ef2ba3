//===- CastToNVVM.cpp - Conversions of numbers ----------------------------===//
//
// Packed 4-bit integers become 16-bit floats in registers, by bits: a nibble q
// under the mantissa of a power of two p is the number p + q, from which p is
// subtracted exactly.
//
//   bf16: 0x4300 | q = 128 + q       f16: 0x6400 | q = 1024 + q
//
// Two's complement is flipped to q + 8 first by the same XOR that sets the
// exponent, and 8 more is subtracted.  One word of the result takes the two
// nibbles that end up in its halves: a shift if they lie 16 bits apart in one
// word, else a byte permute of the words (and their shifted copies) that hold
// them.
//
//===----------------------------------------------------------------------===//

#include "compiler/Conversion/TileToNVVM/ElementCast.h"
#include "compiler/Conversion/TileToNVVM/Emitters.h"
#include "dialects/Layout/Conversion.h"
#include <map>

using namespace mlir;
using namespace mlir::tile;

//===----------------------------------------------------------------------===//
// Packed 4-bit integers to 16-bit floats
//===----------------------------------------------------------------------===//

namespace {
/// Converts the words of one fragment.
class NibbleConverter {
public:
  /// `laneSelect`, if not null, is what the thread adds by XOR to the selector
  /// of byte permutes: which of its bytes it takes.
  NibbleConverter(KernelEmitter &emitter, ArrayRef<Value> words,
                  Type resultType, bool isUnsigned, Value laneSelect)
      : e(emitter), words(words), resultType(resultType),
        isUnsigned(isUnsigned), laneSelect(laneSelect) {}

  /// The pair of results made of nibbles `low` and `high` of the fragment, as
  /// one word.
  Value convertPair(int low, int high);

private:
  /// Word `index` shifted right by `bits`, each made once.
  Value getShifted(int index, int bits) {
    Value &shifted = shifts[{index, bits}];
    if (!shifted)
      shifted = e.shr(words[index], bits);
    return shifted;
  }
  /// A word whose halves hold the nibbles in their low bits, other bits being
  /// anything.
  Value gatherPair(int low, int high);

  KernelEmitter &e;
  ArrayRef<Value> words;
  Type resultType;
  bool isUnsigned;
  Value laneSelect;
  std::map<std::pair<int, int>, Value> shifts;
};
} // namespace

Value NibbleConverter::gatherPair(int low, int high) {
  int lowWord = low / 8, highWord = high / 8, lowNibble = low % 8,
      highNibble = high % 8;
  if (lowWord == highWord && highNibble == lowNibble + 4 && !laneSelect)
    return getShifted(lowWord, 4 * lowNibble);
  // An odd nibble comes to the low bits of its byte in the copy shifted by 4.
  Value a = getShifted(lowWord, 4 * (lowNibble % 2));
  Value b = getShifted(highWord, 4 * (highNibble % 2));
  // Bytes of the result: the low nibble's, anything, the high nibble's.
  int lowByte = lowNibble / 2, highByte = highNibble / 2 + (a == b ? 0 : 4);
  Value selector = e.i32(lowByte | highByte << 8);
  if (laneSelect)
    selector = e.xori(selector, laneSelect);
  return e.callIntrinsic("llvm.nvvm.prmt", e.builder.getI32Type(),
                         {a, b, selector});
}

Value NibbleConverter::convertPair(int low, int high) {
  Value gathered = gatherPair(low, high);
  int64_t exponent = resultType.isBF16() ? 0x43004300 : 0x64006400;
  double bias = resultType.isBF16() ? 128 : 1024;
  // (gathered & mask) ^ exponent (and the sign's bit), in one instruction: LLVM
  // would make two, and ptxas does not join them again.
  int64_t flip = isUnsigned ? exponent : exponent | 0x00080008;
  Value magic = e.callAsm("lop3.b32 $0, $1, $2, $3, 0x6a;", "=r,r,n,n",
                          {gathered, e.i32(0x000f000f), e.i32(flip)});
  Type pair = VectorType::get(2, resultType);
  Value number = LLVM::BitcastOp::create(e.builder, e.loc, pair, magic);
  auto splat = [&](double value) -> Value {
    auto element = e.builder.getFloatAttr(resultType, value);
    return LLVM::ConstantOp::create(
        e.builder, e.loc, pair,
        DenseElementsAttr::get(cast<ShapedType>(pair), element));
  };
  // x * 1 - bias: the packed fma exists on every target, the packed add does
  // not.
  Value result = LLVM::FMAOp::create(e.builder, e.loc, number, splat(1.0),
                                     splat(-(bias + (isUnsigned ? 0 : 8))));
  return LLVM::BitcastOp::create(e.builder, e.loc, e.builder.getI32Type(),
                                 result);
}

namespace {
/// Where a cast finds the elements of its result: in these registers of the
/// source, numbered as in thread 0.  If `laneBits` is not empty, the thread
/// with lane bit i set takes the register with `laneBits[i]` flipped.
struct CastSource {
  SmallVector<int> registers;
  SmallVector<int32_t> laneBits;
};
} // namespace

/// For a source that repeats along some lane bits what the result spreads over
/// them: the register bit that stands for each lane bit.
static std::optional<CastSource>
findLaneDependentSource(const layout::FragmentLayout &source,
                        const layout::FragmentLayout &result) {
  if (source.warpBases() != result.warpBases())
    return std::nullopt;
  CastSource found;
  for (auto [from, to] :
       llvm::zip_equal(source.laneBases(), result.laneBases())) {
    found.laneBits.push_back(0);
    if (from == to)
      continue;
    const auto *bit = llvm::find(source.registerBases(), to);
    if (llvm::any_of(from, [](int32_t c) { return c != 0; }) ||
        bit == source.registerBases().end())
      return std::nullopt;
    found.laneBits.back() =
        1 << std::distance(source.registerBases().begin(), bit);
  }
  for (int reg = 0; reg < result.elementsPerThread(); ++reg) {
    auto at = source.findRegister(result.coordsOf(reg, 0, 0), 0, 0);
    if (!at)
      return std::nullopt;
    found.registers.push_back(*at);
  }
  return found;
}

static std::optional<CastSource> findSource(KernelEmitter &e, CastOp op) {
  const layout::FragmentLayout &source = e.getLayout(op.getSource());
  const layout::FragmentLayout &result = e.getLayout(op.getResult());
  layout::ConversionPlan plan = layout::planConversion(source, result);
  if (plan.kind == layout::ConversionKind::Identical)
    return CastSource{
        llvm::to_vector(llvm::seq<int>(0, result.elementsPerThread())), {}};
  if (plan.kind == layout::ConversionKind::RegisterPermutation)
    return CastSource{llvm::to_vector(plan.registerOf), {}};
  return findLaneDependentSource(source, result);
}

/// What a thread flips in the selector of a byte permute that takes both bytes
/// from 8-nibble words; null if threads agree.  None if the register bits do
/// not stay within a word's bytes.
static std::optional<Value> getLaneSelect(KernelEmitter &e,
                                          const CastSource &source) {
  SmallVector<int32_t> bases;
  bool any = false;
  for (int32_t bit : source.laneBits) {
    // Register bits 1 and 2 number the bytes of a word of nibbles.
    if (bit != 0 && bit != 2 && bit != 4)
      return std::nullopt;
    any |= bit != 0;
    bases.push_back(bit / 2 * 0x101);
  }
  return any ? e.emitThreadBits(bases) : Value();
}

//===----------------------------------------------------------------------===//
// Fragments
//===----------------------------------------------------------------------===//

/// f32 to a 16-bit float, two at a time: one instruction converts a pair.
static FragmentValue narrowPairs(KernelEmitter &e, ArrayRef<Value> elements,
                                 Type to) {
  Type fromPair = VectorType::get(2, e.builder.getF32Type()),
       toPair = VectorType::get(2, to);
  SmallVector<Value> words;
  for (size_t i = 0; i < elements.size(); i += 2) {
    Value pair = LLVM::PoisonOp::create(e.builder, e.loc, fromPair);
    for (int j = 0; j < 2; ++j) {
      Value index = LLVM::ConstantOp::create(e.builder, e.loc,
                                             e.builder.getI32IntegerAttr(j));
      pair = LLVM::InsertElementOp::create(e.builder, e.loc, pair,
                                           elements[i + j], index);
    }
    Value narrow = LLVM::FPTruncOp::create(e.builder, e.loc, toPair, pair);
    words.push_back(LLVM::BitcastOp::create(e.builder, e.loc,
                                            e.builder.getI32Type(), narrow));
  }
  return FragmentValue::ofWords(to, elements.size(), words);
}

LogicalResult tile::emitCast(KernelEmitter &e, CastOp op) {
  Type from = getTileElementType(op.getSource().getType());
  Type to = getTileElementType(op.getResult().getType());
  if (!isa<RankedTensorType>(op.getResult().getType())) {
    e.setScalar(
        op, emitElementCast(e, ElementCast(op), e.getScalar(op.getSource())));
    return success();
  }
  std::optional<CastSource> found = findSource(e, op);
  std::optional<Value> laneSelect =
      found ? getLaneSelect(e, *found) : std::nullopt;
  const FragmentValue &source = e.getFragment(op.getSource());
  bool to16 = to.isBF16() || to.isF16();
  bool fromNibbles =
      from.isInteger(4) && to16 && laneSelect && source.elementsPerWord() == 8;
  if (!found || (!fromNibbles && !found->laneBits.empty()))
    return op.emitError(
        "internal error: a cast between threads was left to the lowering");
  ArrayRef<int> registers = found->registers;
  FragmentValue shape(to, registers.size());
  if (fromNibbles && shape.elementsPerWord() == 2) {
    SmallVector<Value> words = source.getWords(e.builder, e.loc);
    NibbleConverter converter(e, words, to, op.getSourceUnsigned(),
                              *laneSelect);
    SmallVector<Value> results;
    for (size_t i = 0; i < registers.size(); i += 2)
      results.push_back(converter.convertPair(registers[i], registers[i + 1]));
    e.setFragment(op, FragmentValue::ofWords(to, registers.size(), results));
    return success();
  }
  SmallVector<Value> elements = source.getElements(e.builder, e.loc), permuted;
  for (int reg : registers)
    permuted.push_back(elements[reg]);
  if (from.isF32() && to16 && !op.getMode() && shape.elementsPerWord() == 2) {
    e.setFragment(op, narrowPairs(e, permuted, to));
    return success();
  }
  SmallVector<Value> results;
  for (Value element : permuted)
    results.push_back(emitElementCast(e, ElementCast(op), element));
  e.setFragment(op, FragmentValue::ofElements(to, results));
  return success();
}
