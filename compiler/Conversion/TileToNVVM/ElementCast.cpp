//===- ElementCast.cpp - Conversion of one number in registers ------------===//
//
// Numbers meet in f32: it holds every narrow float, f16 and bf16, and what it
// cannot hold is brought there rounded to odd, so that rounding on to a shorter
// type gives what one rounding would (Boldo and Melquiond, "Emulation of FMA
// and correctly rounded sums: proved algorithms using rounding to odd").
//
//===----------------------------------------------------------------------===//

#include "compiler/Conversion/TileToNVVM/ElementCast.h"
#include "dialects/Tile/IR/CastExponent.h"

using namespace mlir;
using namespace mlir::tile;

ElementCast::ElementCast(CastOp op)
    : from(getTileElementType(op.getSource().getType())),
      to(getTileElementType(op.getResult().getType())),
      sourceUnsigned(op.getSourceUnsigned() || from.isInteger(1)),
      resultUnsigned(op.getResultUnsigned()) {
  StringRef mode = op.getMode().value_or("");
  saturates = mode == "sat";
  overflows = mode == "nosat";
  roundsUp = mode == "up";
  if (auto attr = op->getAttrOfType<IntegerAttr>(castExponentAttrName))
    exponent = int(attr.getInt());
}

static unsigned getBits(Type type) { return type.getIntOrFloatBitWidth(); }

/// Between floats of LLVM's own; each rounding is the only one.
static Value castFloats(KernelEmitter &e, Value source, Type to) {
  Type from = source.getType();
  if (from == to)
    return source;
  if (getBits(to) > getBits(from))
    return LLVM::FPExtOp::create(e.builder, e.loc, to, source);
  // f64 does not go to 16 bits in one instruction everywhere; between the
  // 16-bit types f32 holds both.
  if (from.isF64() && !to.isF32())
    source = roundToOdd(e, source, /*isUnsigned=*/false);
  else if (getBits(from) == getBits(to))
    source =
        LLVM::FPExtOp::create(e.builder, e.loc, e.builder.getF32Type(), source);
  return LLVM::FPTruncOp::create(e.builder, e.loc, to, source);
}

/// The largest finite value in place of infinity.
static Value saturateFloat(KernelEmitter &e, Value number) {
  auto type = cast<FloatType>(number.getType());
  auto getLimit = [&](bool negative) -> Value {
    return arith::ConstantOp::create(
        e.builder, e.loc,
        e.builder.getFloatAttr(
            type, APFloat::getLargest(type.getFloatSemantics(), negative)));
  };
  for (bool negative : {false, true}) {
    Value limit = getLimit(negative);
    Value isBeyond = e.builder.createOrFold<arith::CmpFOp>(
        e.loc, negative ? arith::CmpFPredicate::OLT : arith::CmpFPredicate::OGT,
        number, limit);
    number = e.select(isBeyond, limit, number);
  }
  return number;
}

/// To a type of LLVM's own.
static Value castToNative(KernelEmitter &e, const ElementCast &cast,
                          Value source) {
  Value result =
      isa<IntegerType>(cast.from)
          ? castIntegerToFloat(e, source, cast.to, cast.sourceUnsigned)
          : castFloats(e, source, cast.to);
  return cast.saturates ? saturateFloat(e, result) : result;
}

/// A number as f32 on its way to a narrow float: exact, or rounded to odd.
static Value castToIntermediate(KernelEmitter &e, const ElementCast &cast,
                                Value source) {
  Type f32 = e.builder.getF32Type();
  if (isa<IntegerType>(cast.from))
    return getBits(cast.from) <= 16
               ? castIntegerToFloat(e, source, f32, cast.sourceUnsigned)
               : roundToOdd(e, source, cast.sourceUnsigned);
  return source.getType().isF64() ? roundToOdd(e, source, /*isUnsigned=*/false)
                                  : castFloats(e, source, f32);
}

Value tile::emitElementCast(KernelEmitter &e, const ElementCast &cast,
                            Value source) {
  bool fromInteger = isa<IntegerType>(cast.from);
  if (fromInteger && isa<IntegerType>(cast.to))
    return castIntegers(e, cast, source);
  // Only a change of type converts: what a NaN or a narrow float was, it stays.
  if (cast.from == cast.to)
    return source;
  if (isNarrowFloat(cast.from))
    source = decodeNarrowFloat(e, source, cast.from);
  if (isNarrowFloat(cast.to))
    return encodeNarrowFloat(e, cast, castToIntermediate(e, cast, source));
  if (cast.to.isInteger(1))
    return e.builder.createOrFold<arith::CmpFOp>(
        e.loc, arith::CmpFPredicate::UNE, source, e.zeroOf(source.getType()));
  if (isa<IntegerType>(cast.to))
    return castFloatToInteger(e, source, cast.to, cast.resultUnsigned);
  return castToNative(e, cast, source);
}
