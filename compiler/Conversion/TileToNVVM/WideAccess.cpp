//===- WideAccess.cpp - Wide loads and stores of packed registers ---------===//

#include "compiler/Conversion/TileToNVVM/WideAccess.h"
#include "compiler/Conversion/TileToNVVM/GuardedAccess.h"

using namespace mlir;
using namespace mlir::tile;

Type tile::getAccessType(MLIRContext *context, int64_t bytes) {
  if (bytes <= 4)
    return IntegerType::get(context, bytes * 8);
  return VectorType::get(bytes / 4, IntegerType::get(context, 32));
}

static unsigned getRegisterBits(Type elementType) {
  return getElementBits(getRegisterType(elementType));
}

//===----------------------------------------------------------------------===//
// WordCollector
//===----------------------------------------------------------------------===//

WordCollector::WordCollector(KernelEmitter &emitter, Type elementType,
                             unsigned count)
    : emitter(emitter), elementType(elementType), count(count),
      perWord(FragmentValue(elementType, count).elementsPerWord()),
      elementBits(getRegisterBits(elementType)), elements(count) {
  if (perWord > 1)
    words.resize(count / perWord);
  if (perWord == 4)
    bytes.resize(count);
}

/// Splits an integer into elements; bytes of a word later go from there to
/// where they belong.
void WordCollector::addBits(Value bits, ArrayRef<int> registers) {
  if (perWord == 4 && bits.getType().isInteger(32)) {
    for (auto [i, reg] : llvm::enumerate(registers))
      bytes[reg] = {bits, int(i)};
    return;
  }
  OpBuilder &builder = emitter.builder;
  Type type = getRegisterType(elementType);
  Type integer = builder.getIntegerType(elementBits);
  for (auto [i, reg] : llvm::enumerate(registers)) {
    Value part = emitter.shr(bits, i * elementBits);
    if (part.getType() != integer)
      part = builder.createOrFold<arith::TruncIOp>(emitter.loc, integer, part);
    if (type.isInteger(1)) // a byte, 0 or 1
      part = emitter.compare(arith::CmpIPredicate::ne, part,
                             emitter.constantLike(part, 0));
    else if (type != integer)
      part = builder.createOrFold<LLVM::BitcastOp>(emitter.loc, type, part);
    elements[reg] = part;
  }
}

void WordCollector::addWord(Value word, ArrayRef<int> registers) {
  bool whole =
      perWord > 1 && registers.size() == perWord && registers[0] % perWord == 0;
  for (auto [i, reg] : llvm::enumerate(registers))
    whole &= reg == registers[0] + int(i);
  if (whole)
    words[registers[0] / perWord] = word;
  else
    addBits(word, registers);
}

void WordCollector::addVector(Value vector, int64_t bytes,
                              ArrayRef<int> registers) {
  if (bytes < 4)
    return addBits(vector, registers);
  OpBuilder &builder = emitter.builder;
  auto getWord = [&](int64_t index) -> Value {
    if (bytes == 4)
      return vector;
    Value position = LLVM::ConstantOp::create(builder, emitter.loc,
                                              builder.getI32IntegerAttr(index));
    return LLVM::ExtractElementOp::create(builder, emitter.loc, vector,
                                          position);
  };
  if (elementBits <= 32) {
    size_t perPiece = 32 / elementBits;
    for (int64_t w = 0; w < bytes / 4; ++w)
      addWord(getWord(w), registers.slice(w * perPiece, perPiece));
    return;
  }
  for (auto [i, reg] : llvm::enumerate(registers)) {
    Type i64 = builder.getI64Type();
    Value low =
        builder.createOrFold<arith::ExtUIOp>(emitter.loc, i64, getWord(2 * i));
    Value high = builder.createOrFold<arith::ExtUIOp>(emitter.loc, i64,
                                                      getWord(2 * i + 1));
    addBits(emitter.ori(low, emitter.shl(high, 32)), reg);
  }
}

void WordCollector::addLoad(Value pointer, int64_t bytes,
                            ArrayRef<int> registers) {
  Type type = getAccessType(emitter.builder.getContext(), bytes);
  addVector(
      LLVM::LoadOp::create(emitter.builder, emitter.loc, type, pointer, bytes),
      bytes, registers);
}

void WordCollector::addNibble(Value pointer, KernelEmitter &e,
                              const layout::FragmentLayout &layout, int reg,
                              int packDim, bool startsOdd) {
  // The nibble is the low bit of the coordinate along the packed dimension.
  Value parity =
      e.emitThreadCoord(layout.laneBases(), layout.warpBases(), packDim);
  int constant = layout.registerXor(reg)[packDim] +
                 layout.registerOffset(reg)[packDim] + (startsOdd ? 1 : 0);
  if (constant & 1)
    parity = e.xori(parity, e.i32(1));
  addElement(emitNibbleLoad(e, pointer, getNibbleShift(e, parity)), reg);
}

/// A word that came in pieces.
Value WordCollector::joinPieces(unsigned word) {
  unsigned first = word * perWord;
  if (perWord == 4) {
    auto pieces = ArrayRef(bytes).slice(first, 4);
    if (llvm::all_of(pieces, [](const ByteOfWord &b) { return b.word; }))
      return gatherBytes(emitter, {pieces[0], pieces[1], pieces[2], pieces[3]});
    // Some were loaded by themselves.
    for (unsigned reg = first; reg < first + 4; ++reg)
      if (Value whole = bytes[reg].word)
        elements[reg] = emitter.builder.createOrFold<arith::TruncIOp>(
            emitter.loc, emitter.builder.getI8Type(),
            emitter.shr(whole, 8 * bytes[reg].byte));
  }
  return FragmentValue::ofElements(elementType,
                                   ArrayRef(elements).slice(first, perWord))
      .getWords(emitter.builder, emitter.loc)[0];
}

FragmentValue WordCollector::finish() {
  if (perWord == 1)
    return FragmentValue::ofElements(elementType, elements);
  for (unsigned w = 0; w < words.size(); ++w)
    if (!words[w])
      words[w] = joinPieces(w);
  return FragmentValue::ofWords(elementType, count, words);
}

FragmentValue WordCollector::finishInPieces() {
  bool hasWords = llvm::any_of(words, [](Value word) { return bool(word); });
  bool hasAll =
      llvm::all_of(elements, [](Value element) { return bool(element); });
  if (elementBits < 8 || hasWords || !hasAll)
    return finish();
  return FragmentValue::ofElements(elementType, elements);
}

//===----------------------------------------------------------------------===//
// WideStorer
//===----------------------------------------------------------------------===//

WideStorer::WideStorer(KernelEmitter &emitter, const FragmentValue &value)
    : emitter(emitter), value(value),
      elementBits(getRegisterBits(value.getElementType())) {}

/// The registers in one integer of `width` bits.
Value WideStorer::gatherBits(ArrayRef<int> registers, unsigned width) {
  OpBuilder &builder = emitter.builder;
  unsigned perWord = value.elementsPerWord();
  bool whole = perWord > 1 && width == 32 && registers[0] % perWord == 0;
  for (auto [i, reg] : llvm::enumerate(registers))
    whole &= reg == registers[0] + int(i);
  if (whole) {
    if (words.empty())
      words = value.getWords(builder, emitter.loc);
    return words[registers[0] / perWord];
  }
  if (elements.empty())
    elements = value.getElements(builder, emitter.loc);
  Type result = builder.getIntegerType(width);
  Value bits;
  for (auto [i, reg] : llvm::enumerate(registers)) {
    Value part = elements[reg];
    if (!isa<IntegerType>(part.getType()))
      part = builder.createOrFold<LLVM::BitcastOp>(
          emitter.loc, builder.getIntegerType(elementBits), part);
    if (part.getType() != result)
      part = builder.createOrFold<arith::ExtUIOp>(emitter.loc, result, part);
    part = emitter.shl(part, i * elementBits);
    bits = bits ? emitter.ori(bits, part) : part;
  }
  return bits;
}

Value WideStorer::gather(int64_t bytes, ArrayRef<int> registers) {
  if (bytes <= 4)
    return gatherBits(registers, bytes * 8);
  OpBuilder &builder = emitter.builder;
  auto type = cast<VectorType>(getAccessType(builder.getContext(), bytes));
  Value vector = LLVM::PoisonOp::create(builder, emitter.loc, type);
  auto insert = [&](Value word, int64_t index) {
    Value position = LLVM::ConstantOp::create(builder, emitter.loc,
                                              builder.getI32IntegerAttr(index));
    vector = LLVM::InsertElementOp::create(builder, emitter.loc, vector, word,
                                           position);
  };
  if (elementBits <= 32) {
    size_t perPiece = 32 / elementBits;
    for (int64_t w = 0; w < bytes / 4; ++w)
      insert(gatherBits(registers.slice(w * perPiece, perPiece), 32), w);
    return vector;
  }
  for (auto [i, reg] : llvm::enumerate(registers)) {
    Value both = gatherBits(reg, 64);
    insert(builder.createOrFold<arith::TruncIOp>(emitter.loc,
                                                 builder.getI32Type(), both),
           2 * i);
    insert(builder.createOrFold<arith::TruncIOp>(
               emitter.loc, builder.getI32Type(), emitter.shr(both, 32)),
           2 * i + 1);
  }
  return vector;
}

void WideStorer::store(Value pointer, int64_t bytes, ArrayRef<int> registers) {
  LLVM::StoreOp::create(emitter.builder, emitter.loc, gather(bytes, registers),
                        pointer, bytes);
}
