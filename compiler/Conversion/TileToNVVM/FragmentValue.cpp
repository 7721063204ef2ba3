//===- FragmentValue.cpp - A fragment in the registers of a thread --------===//

#include "compiler/Conversion/TileToNVVM/KernelEmitter.h"

using namespace mlir;
using namespace mlir::tile;

Type tile::getRegisterType(Type elementType) {
  if (isa<IntegerType>(elementType) || elementType.isF16() ||
      elementType.isBF16() || elementType.isF32() || elementType.isF64())
    return elementType;
  if (isa<FloatTF32Type>(elementType))
    return Float32Type::get(elementType.getContext());
  return IntegerType::get(elementType.getContext(),
                          elementType.getIntOrFloatBitWidth());
}

FragmentValue FragmentValue::ofElements(Type elementType,
                                        ArrayRef<Value> elements) {
  FragmentValue value(elementType, elements.size());
  value.elements.assign(elements.begin(), elements.end());
  return value;
}

FragmentValue FragmentValue::ofWords(Type elementType, unsigned count,
                                     ArrayRef<Value> words) {
  FragmentValue value(elementType, count);
  value.words.assign(words.begin(), words.end());
  return value;
}

static bool isNibble(Type elementType) {
  return getRegisterType(elementType).isInteger(4);
}

unsigned FragmentValue::getPieceCount() const {
  return isNibble(elementType) ? count / 2 : count;
}

FragmentValue FragmentValue::ofPieces(Type elementType, unsigned count,
                                      ArrayRef<Value> pieces) {
  FragmentValue value(elementType, count);
  assert(pieces.size() == value.getPieceCount() && "wrong number of pieces");
  (isNibble(elementType) ? value.bytes : value.elements)
      .assign(pieces.begin(), pieces.end());
  return value;
}

SmallVector<Value> FragmentValue::getPieces(OpBuilder &builder,
                                            Location loc) const {
  if (!isNibble(elementType))
    return getElements(builder, loc);
  if (!bytes.empty())
    return bytes;
  SmallVector<Value> nibbles = getElements(builder, loc), result;
  auto widen = [&](Value nibble) {
    return builder.createOrFold<arith::ExtUIOp>(loc, builder.getI8Type(),
                                                nibble);
  };
  Value four =
      arith::ConstantOp::create(builder, loc, builder.getI8IntegerAttr(4));
  for (unsigned i = 0; i < count; i += 2) {
    Value high =
        builder.createOrFold<arith::ShLIOp>(loc, widen(nibbles[i + 1]), four);
    result.push_back(
        builder.createOrFold<arith::OrIOp>(loc, widen(nibbles[i]), high));
  }
  return result;
}

unsigned FragmentValue::elementsPerWord() const {
  unsigned bits = getRegisterType(elementType).getIntOrFloatBitWidth();
  // Booleans are not packed.
  if (bits == 1 || bits >= 32 || count * bits % 32 != 0)
    return 1;
  return 32 / bits;
}

/// The bits of a value as an integer.
static Value toBits(OpBuilder &builder, Location loc, Value value) {
  unsigned bits = value.getType().getIntOrFloatBitWidth();
  if (isa<IntegerType>(value.getType()))
    return value;
  return builder.createOrFold<LLVM::BitcastOp>(
      loc, builder.getIntegerType(bits), value);
}

SmallVector<Value> FragmentValue::getElements(OpBuilder &builder,
                                              Location loc) const {
  if (!elements.empty() || count == 0)
    return elements;
  Type type = getRegisterType(elementType);
  unsigned bits = type.getIntOrFloatBitWidth(), perWord = 32 / bits;
  Type integer = builder.getIntegerType(bits);
  SmallVector<Value> result;
  // Bytes are words of two nibbles.
  ArrayRef<Value> held = words;
  if (!bytes.empty()) {
    held = bytes;
    perWord = 2;
  }
  for (unsigned i = 0; i < count; ++i) {
    Value word = held[i / perWord];
    if (unsigned shift = i % perWord * bits) {
      Value amount = arith::ConstantOp::create(
          builder, loc, builder.getIntegerAttr(word.getType(), shift));
      word = builder.createOrFold<arith::ShRUIOp>(loc, word, amount);
    }
    Value element = builder.createOrFold<arith::TruncIOp>(loc, integer, word);
    if (type != integer)
      element = builder.createOrFold<LLVM::BitcastOp>(loc, type, element);
    result.push_back(element);
  }
  return result;
}

SmallVector<Value> FragmentValue::getWords(OpBuilder &builder,
                                           Location loc) const {
  if (!words.empty())
    return words;
  unsigned perWord = elementsPerWord(), bits = 32 / perWord;
  Type i32 = builder.getI32Type();
  SmallVector<Value> result, elements = getElements(builder, loc);
  for (unsigned i = 0; i < count; i += perWord) {
    // A pair is a vector in LLVM, which makes packed conversions visible to it.
    if (perWord == 2 && isa<FloatType>(elements[i].getType())) {
      auto pair = VectorType::get(2, elements[i].getType());
      Value vector = LLVM::PoisonOp::create(builder, loc, pair);
      for (unsigned j = 0; j < 2; ++j) {
        Value index = LLVM::ConstantOp::create(builder, loc,
                                               builder.getI32IntegerAttr(j));
        vector = LLVM::InsertElementOp::create(builder, loc, vector,
                                               elements[i + j], index);
      }
      result.push_back(LLVM::BitcastOp::create(builder, loc, i32, vector));
      continue;
    }
    Value word;
    for (unsigned j = 0; j < perWord; ++j) {
      Value part = builder.createOrFold<arith::ExtUIOp>(
          loc, i32, toBits(builder, loc, elements[i + j]));
      if (j) {
        Value amount = arith::ConstantOp::create(
            builder, loc, builder.getI32IntegerAttr(j * bits));
        part = builder.createOrFold<arith::ShLIOp>(loc, part, amount);
      }
      word = word ? builder.createOrFold<arith::OrIOp>(loc, word, part) : part;
    }
    result.push_back(word);
  }
  return result;
}

SmallVector<Value> FragmentValue::flatten(OpBuilder &builder,
                                          Location loc) const {
  return elementsPerWord() > 1 ? getWords(builder, loc)
                               : getElements(builder, loc);
}

Type FragmentValue::getFlatType() const {
  return elementsPerWord() > 1
             ? Type(IntegerType::get(elementType.getContext(), 32))
             : getRegisterType(elementType);
}

FragmentValue FragmentValue::unflatten(Type elementType, unsigned count,
                                       ArrayRef<Value> values) {
  if (FragmentValue(elementType, count).elementsPerWord() > 1)
    return ofWords(elementType, count, values);
  return ofElements(elementType, values);
}
