//===- PackedSource.cpp - Narrow elements found in packed registers -------===//

#include "compiler/Conversion/TileToNVVM/PackedSource.h"
#include "compiler/Conversion/TileToNVVM/ByteGather.h"
#include "dialects/Layout/Conversion.h"

using namespace mlir;
using namespace mlir::tile;

//===----------------------------------------------------------------------===//
// Where elements are
//===----------------------------------------------------------------------===//

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

std::optional<CastSource>
tile::findCastSource(const layout::FragmentLayout &source,
                     const layout::FragmentLayout &result) {
  layout::ConversionPlan plan = layout::planConversion(source, result);
  if (plan.kind == layout::ConversionKind::Identical)
    return CastSource{
        llvm::to_vector(llvm::seq<int>(0, result.elementsPerThread())), {}};
  if (plan.kind == layout::ConversionKind::RegisterPermutation)
    return CastSource{llvm::to_vector(plan.registerOf), {}};
  return findLaneDependentSource(source, result);
}

/// Whether lane bit `bit` of the thread is set (i1).
static Value emitLaneBit(KernelEmitter &e, size_t bit) {
  SmallVector<int32_t> bases(bit + 1, 0);
  bases.back() = 1;
  return e.compare(arith::CmpIPredicate::ne, e.emitThreadBits(bases), e.i32(0));
}

SmallVector<Value> tile::takeElements(KernelEmitter &e,
                                      const FragmentValue &value,
                                      const CastSource &source) {
  SmallVector<Value> elements = value.getElements(e.builder, e.loc);
  for (auto [lane, flipped] : llvm::enumerate(source.laneBits)) {
    if (!flipped)
      continue;
    Value isSet = emitLaneBit(e, lane);
    SmallVector<Value> chosen;
    for (size_t i = 0; i < elements.size(); ++i)
      chosen.push_back(e.select(isSet, elements[i ^ flipped], elements[i]));
    elements = chosen;
  }
  SmallVector<Value> taken;
  for (int reg : source.registers)
    taken.push_back(elements[reg]);
  return taken;
}

//===----------------------------------------------------------------------===//
// Words and bytes
//===----------------------------------------------------------------------===//

std::optional<PackedSource> PackedSource::create(KernelEmitter &e,
                                                 const FragmentValue &value,
                                                 const CastSource &source) {
  int bits = getElementBits(value.getElementType());
  if ((bits != 4 && bits != 8) || value.elementsPerWord() * bits != 32)
    return std::nullopt;
  if (bits == 4 && llvm::is_contained(source.laneBits, 1))
    return std::nullopt;
  return PackedSource(e, value.getWords(e.builder, e.loc), bits, source);
}

/// A word of the source as this thread sees it: lanes that differ by whole
/// words choose among them.
Value PackedSource::getSourceWord(int index, int shift) {
  Value &word = shifted[{index, shift}];
  if (word)
    return word;
  if (shift) {
    Value plain = getSourceWord(index, 0);
    word = shift > 0 ? e.shr(plain, shift) : e.shl(plain, -shift);
    return word;
  }
  // The choice by lane bit i is between what lane bits below it chose.
  SmallVector<Value> chosen(words);
  for (auto [lane, flipped] : llvm::enumerate(source.laneBits)) {
    if (flipped < perWord())
      continue;
    Value isSet = emitLaneBit(e, lane);
    SmallVector<Value> next;
    for (size_t i = 0; i < chosen.size(); ++i)
      next.push_back(
          e.select(isSet, chosen[i ^ (flipped / perWord())], chosen[i]));
    chosen = next;
  }
  for (auto [i, value] : llvm::enumerate(chosen))
    shifted[{int(i), 0}] = value;
  return chosen[index];
}

/// What lanes that differ by bytes of a word flip in a selector: in each of its
/// digits that `pattern` has a 1 in.  Null if none do.
Value PackedSource::getLaneSelect(int64_t pattern) {
  SmallVector<int32_t> bases;
  bool any = false;
  for (int32_t bit : source.laneBits) {
    int32_t byte = bit < perWord() ? bit * elementBits / 8 : 0;
    any |= byte != 0;
    bases.push_back(byte * pattern);
  }
  return any ? e.emitThreadBits(bases) : Value();
}

/// A byte permute; the digits of the selector in `lanePattern` name bytes that
/// depend on the lane.
Value PackedSource::permute(Value a, Value b, int64_t selector,
                            int64_t lanePattern) {
  Value digits = e.i32(selector);
  if (Value flipped = getLaneSelect(lanePattern))
    digits = e.xori(digits, flipped);
  return e.callIntrinsic("llvm.nvvm.prmt", e.builder.getI32Type(),
                         {a, b, digits});
}

/// A word of four bytes.
Value PackedSource::gatherBytes(ArrayRef<Byte> bytes) {
  auto getSource = [&](const Byte &byte) {
    return getSourceWord(byte.word, byte.shift);
  };
  if (!getLaneSelect(1)) {
    std::array<ByteOfWord, 4> places;
    for (auto [place, byte] : llvm::zip_equal(places, bytes))
      place = {getSource(byte), byte.byte};
    return tile::gatherBytes(e, places);
  }
  // Two at a time: which bytes of a word they are depends on the lane.
  Value halves[2];
  for (int half = 0; half < 2; ++half) {
    const Byte &low = bytes[2 * half], &high = bytes[2 * half + 1];
    halves[half] = permute(getSource(low), getSource(high),
                           low.byte | (high.byte + 4) << 4, 0x11);
  }
  return e.callIntrinsic("llvm.nvvm.prmt", e.builder.getI32Type(),
                         {halves[0], halves[1], e.i32(0x5410)});
}

/// The byte that holds a nibble, shifted so that the nibble is its high or its
/// low one.
PackedSource::Byte PackedSource::getByte(int reg, bool inHighNibble) const {
  bool isHigh = reg % 2;
  int shift = isHigh == inHighNibble ? 0 : inHighNibble ? -4 : 4;
  return {reg / 8, reg % 8 / 2, shift};
}

/// A word of eight nibbles.
Value PackedSource::gatherNibbles(ArrayRef<int> registers) {
  SmallVector<Byte> low, high;
  for (int i = 0; i < 8; i += 2) {
    low.push_back(getByte(registers[i], /*inHighNibble=*/false));
    high.push_back(getByte(registers[i + 1], /*inHighNibble=*/true));
  }
  Value lowBytes = gatherBytes(low);
  if (low == high)
    return lowBytes;
  return e.callAsm("lop3.b32 $0, $1, $2, $3, 0xe4;", "=r,r,r,n",
                   {lowBytes, gatherBytes(high), e.i32(0x0F0F0F0F)});
}

std::optional<PackedSource::Run> PackedSource::findRun(int at, int count) {
  int first = source.registers[at];
  if (first % count != 0 || getLaneSelect(1))
    return std::nullopt;
  for (int i = 0; i < count; ++i)
    if (source.registers[at + i] != first + i)
      return std::nullopt;
  int word = first / perWord();
  return Run{getSourceWord(word, 0), word, first % perWord()};
}

std::optional<PackedSource::Run> PackedSource::findEveryOther(int at) {
  int first = source.registers[at], count = perWord() / 2;
  if (first % perWord() > 1 || at + count > this->count() || getLaneSelect(1))
    return std::nullopt;
  for (int i = 0; i < count; ++i)
    if (source.registers[at + i] != first + 2 * i)
      return std::nullopt;
  int word = first / perWord();
  return Run{getSourceWord(word, 0), word, first % perWord()};
}

std::optional<PackedSource::Run> PackedSource::findApart(int low, int high) {
  low = source.registers[low];
  high = source.registers[high];
  int half = perWord() / 2;
  if (high != low + half || low % perWord() >= half || getLaneSelect(1))
    return std::nullopt;
  int word = low / perWord();
  return Run{getSourceWord(word, 0), word, low % perWord()};
}

Value PackedSource::getWord(int index) {
  // What lies beyond the last element is anything.
  SmallVector<int> registers(getGroup(index, perWord()));
  int known = registers.size();
  if (known == perWord())
    if (std::optional<Run> run = findRun(index * perWord(), perWord()))
      return run->word;
  for (int i = known; i < perWord(); ++i)
    registers.push_back(registers[i % known]);
  if (elementBits == 4)
    return gatherNibbles(registers);
  SmallVector<Byte> bytes;
  for (int reg : registers)
    bytes.push_back({reg / 4, reg % 4, 0});
  return gatherBytes(bytes);
}

Value PackedSource::gatherPair(int low, int high) {
  if (std::optional<Run> apart = findApart(low, high))
    return getSourceWord(apart->wordIndex, apart->first * elementBits);
  low = source.registers[low];
  high = source.registers[high];
  auto getPlace = [&](int reg) {
    return elementBits == 4 ? getByte(reg, /*inHighNibble=*/false)
                            : Byte{reg / 4, reg % 4, 0};
  };
  Byte a = getPlace(low), b = getPlace(high);
  bool isOne = a.word == b.word && a.shift == b.shift;
  return permute(getSourceWord(a.word, a.shift), getSourceWord(b.word, b.shift),
                 a.byte | (b.byte + (isOne ? 0 : 4)) << 8, 0x0101);
}

Value PackedSource::placePair(int low, int high, bool inHighByte,
                              int64_t fill) {
  assert(elementBits == 8 && "nibbles share bytes");
  int lowReg = source.registers[low], highReg = source.registers[high];
  int digit = inHighByte ? 4 : 0;
  if (lowReg / 4 == highReg / 4)
    // Filled by the bytes of the second word, which are all the same.
    return permute(getSourceWord(lowReg / 4, 0), e.i32(fill * 0x01010101),
                   (lowReg % 4 | highReg % 4 << 8) << digit |
                       0x0404 << (4 - digit),
                   0x0101 << digit);
  Value pair =
      permute(getSourceWord(lowReg / 4, 0), getSourceWord(highReg / 4, 0),
              (lowReg % 4 | (highReg % 4 + 4) << 8) << digit, 0x0101 << digit);
  int64_t mask = inHighByte ? 0xFF00FF00 : 0x00FF00FF;
  return e.ori(e.andi(pair, e.i32(mask)),
               e.i32(fill * (inHighByte ? 0x00010001 : 0x01000100)));
}
