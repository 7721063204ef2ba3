//===- NibbleDifference.cpp - Differences of 4-bit integers ---------------===//
//
// q - z of numbers and zero-points that were converted to 16-bit floats: the
// power of two under which each nibble lies (NibbleCast.cpp) is in both, so
// that it need not be subtracted from either.
//
//   bf16: (128 + q) - (128 + z)       f16: (1024 + q) - (1024 + z)
//
// Both sides and the difference are exact.  A zero-point that many numbers
// share has one such register, and a constant becomes part of the subtrahend.
//
//===----------------------------------------------------------------------===//

#include "compiler/Conversion/TileToNVVM/PackedCast.h"
#include "dialects/Tile/IR/CastExponent.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::tile;

/// A conversion of nibbles to the numbers that they are; null for anything
/// else.
static CastOp getNibbleCast(Value value) {
  auto cast = value.getDefiningOp<CastOp>();
  return cast && !cast.getMode() && !cast->hasAttr(castExponentAttrName) &&
                 getTileElementType(cast.getSource().getType()).isInteger(4)
             ? cast
             : CastOp();
}

/// The words of p + q, p being that of the type and the signedness.
static std::optional<SmallVector<Value>> emitBiased(KernelEmitter &e,
                                                    CastOp cast) {
  std::optional<CastSource> found = findCastSource(
      e.getLayout(cast.getSource()), e.getLayout(cast.getResult()));
  if (!found)
    return std::nullopt;
  std::optional<PackedSource> source =
      PackedSource::create(e, e.getFragment(cast.getSource()), *found);
  if (!source)
    return std::nullopt;
  Type to = getTileElementType(cast.getResult().getType());
  SmallVector<Value> words;
  for (int i = 0; i < source->count(); i += 2)
    words.push_back(biasNibblePair(e, source->gatherPair(i, i + 1),
                                   cast.getSourceUnsigned(), to));
  return words;
}

/// The number of a constant fragment whose elements are all the same.
static std::optional<double> getConstant(Value value) {
  FloatAttr number;
  SplatElementsAttr splat;
  if (!matchPattern(value, m_Constant(&splat)) ||
      !(number = dyn_cast<FloatAttr>(splat.getSplatValue<Attribute>())))
    return std::nullopt;
  return number.getValueAsDouble();
}

/// Whether p + c, and what is left of p + q, are whole numbers of both types.
static bool isExact(double bias, double constant) {
  return constant == std::trunc(constant) && bias + constant >= 0 &&
         bias + constant <= 256;
}

std::optional<FragmentValue> tile::emitNibbleDifference(KernelEmitter &e,
                                                        arith::SubFOp op) {
  CastOp minuend = getNibbleCast(op.getLhs());
  if (!minuend)
    return std::nullopt;
  Type type = getTileElementType(op.getType());
  unsigned count = e.getLayout(op.getResult()).elementsPerThread();
  if ((!type.isF16() && !type.isBF16()) ||
      FragmentValue(type, count).elementsPerWord() != 2)
    return std::nullopt;
  double bias = getNibbleBias(type, minuend.getSourceUnsigned());
  CastOp subtrahend = getNibbleCast(op.getRhs());
  std::optional<double> constant = getConstant(op.getRhs());
  if (subtrahend ? minuend.getSourceUnsigned() != subtrahend.getSourceUnsigned()
                 : !constant || !isExact(bias, *constant))
    return std::nullopt;
  auto from = emitBiased(e, minuend);
  if (!from)
    return std::nullopt;
  std::optional<SmallVector<Value>> taken;
  if (subtrahend && !(taken = emitBiased(e, subtrahend)))
    return std::nullopt;
  SmallVector<Value> words;
  for (auto [i, word] : llvm::enumerate(*from))
    words.push_back(subtrahend
                        ? fusePair(e, type, (*taken)[i], -1.0, word)
                        : fusePair(e, type, word, 1.0,
                                   splatPair(e, type, -(bias + *constant))));
  return FragmentValue::ofWords(type, count, words);
}
