//===- CastToNVVM.cpp - Conversions of numbers ----------------------------===//
//
// A cast may at the same time bring a fragment's registers into another order.
// Packed registers are converted together where there is a recipe
// (PackedCast.h), else one by one (ElementCast.h).
//
//===----------------------------------------------------------------------===//

#include "compiler/Conversion/TileToNVVM/Emitters.h"
#include "compiler/Conversion/TileToNVVM/PackedCast.h"

using namespace mlir;
using namespace mlir::tile;

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

/// A converted number times the power of two that the cast has.
static Value scaleByExponent(KernelEmitter &e, const ElementCast &cast,
                             Value number) {
  if (cast.exponent == 0)
    return number;
  if (isa<IntegerType>(cast.to))
    return e.shl(number, cast.exponent);
  return LLVM::FMulOp::create(
      e.builder, e.loc, number,
      arith::ConstantOp::create(
          e.builder, e.loc,
          e.builder.getFloatAttr(cast.to, std::ldexp(1.0, cast.exponent))));
}

LogicalResult tile::emitCast(KernelEmitter &e, CastOp op) {
  ElementCast cast(op);
  if (!isa<RankedTensorType>(op.getResult().getType())) {
    e.setScalar(op, emitElementCast(e, cast, e.getScalar(op.getSource())));
    return success();
  }
  std::optional<CastSource> found =
      findCastSource(e.getLayout(op.getSource()), e.getLayout(op.getResult()));
  if (!found)
    return op.emitError(
        "internal error: a cast between threads was left to the lowering");
  const FragmentValue &source = e.getFragment(op.getSource());
  if (std::optional<FragmentValue> result =
          emitPackedCast(e, cast, source, *found)) {
    e.setFragment(op, *result);
    return success();
  }
  SmallVector<Value> elements = takeElements(e, source, *found);
  bool to16 = cast.to.isBF16() || cast.to.isF16();
  if (cast.from.isF32() && to16 && !cast.saturates &&
      FragmentValue(cast.to, elements.size()).elementsPerWord() == 2) {
    e.setFragment(op, narrowPairs(e, elements, cast.to));
    return success();
  }
  for (Value &element : elements)
    element = scaleByExponent(e, cast, emitElementCast(e, cast, element));
  e.setFragment(op, FragmentValue::ofElements(cast.to, elements));
  return success();
}
