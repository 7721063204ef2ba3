//===- IntegerCast.cpp - Conversion of one integer ------------------------===//

#include "compiler/Conversion/TileToNVVM/ElementCast.h"

using namespace mlir;
using namespace mlir::tile;

static unsigned getBits(Type type) { return type.getIntOrFloatBitWidth(); }

/// Extended as its signedness asks, or cut short.
static Value resize(KernelEmitter &e, Value source, Type to, bool isUnsigned) {
  unsigned from = getBits(source.getType()), width = getBits(to);
  if (from == width)
    return source;
  if (from > width)
    return e.builder.createOrFold<arith::TruncIOp>(e.loc, to, source);
  if (isUnsigned)
    return e.builder.createOrFold<arith::ExtUIOp>(e.loc, to, source);
  return e.builder.createOrFold<arith::ExtSIOp>(e.loc, to, source);
}

/// Clamps a value to what `bits` bits of the other signedness, or fewer of the
/// same, hold.
static Value clamp(KernelEmitter &e, Value source, bool isUnsigned,
                   unsigned bits, bool toUnsigned) {
  unsigned width = getBits(source.getType());
  // Bits of the magnitude.
  unsigned held = toUnsigned ? bits : bits - 1;
  unsigned has = isUnsigned ? width : width - 1;
  auto getLimit = [&](APInt value) -> Value {
    return arith::ConstantOp::create(
        e.builder, e.loc, e.builder.getIntegerAttr(source.getType(), value));
  };
  if (isUnsigned)
    return held >= has ? source
                       : e.builder.createOrFold<arith::MinUIOp>(
                             e.loc, source,
                             getLimit(APInt::getLowBitsSet(width, held)));
  if (held < has)
    source = e.builder.createOrFold<arith::MinSIOp>(
        e.loc, source, getLimit(APInt::getLowBitsSet(width, held)));
  if (toUnsigned || held < has) {
    APInt lowest = toUnsigned ? APInt::getZero(width)
                              : APInt::getHighBitsSet(width, width - held);
    source =
        e.builder.createOrFold<arith::MaxSIOp>(e.loc, source, getLimit(lowest));
  }
  return source;
}

Value tile::castIntegers(KernelEmitter &e, const ElementCast &cast,
                         Value source) {
  if (cast.to.isInteger(1))
    return cast.from.isInteger(1) ? source
                                  : e.compare(arith::CmpIPredicate::ne, source,
                                              e.constantLike(source, 0));
  if (cast.saturates)
    source = clamp(e, source, cast.sourceUnsigned, getBits(cast.to),
                   cast.resultUnsigned);
  return resize(e, source, cast.to, cast.sourceUnsigned);
}

Value tile::castFloatToInteger(KernelEmitter &e, Value source, Type to,
                               bool isUnsigned) {
  // Truncates, saturates, NaN to 0: exactly the saturating intrinsics.  They
  // have no 4-bit form; a wider integer is clamped.
  unsigned bits = getBits(to);
  std::string name = isUnsigned ? "llvm.fptoui.sat" : "llvm.fptosi.sat";
  if (source.getType().isBF16())
    source =
        LLVM::FPExtOp::create(e.builder, e.loc, e.builder.getF32Type(), source);
  if (bits < 8) {
    Value wide = e.callIntrinsic(name, e.builder.getI32Type(), source);
    return resize(e, clamp(e, wide, isUnsigned, bits, isUnsigned), to,
                  isUnsigned);
  }
  Value result = e.callIntrinsic(name, to, source);
  // The instruction that LLVM makes of it gives 2^63 for NaN where either
  // type has 64 bits (seen on sm_90).
  if (bits < 64 && !source.getType().isF64())
    return result;
  Value isNumber = e.builder.createOrFold<arith::CmpFOp>(
      e.loc, arith::CmpFPredicate::ORD, source, source);
  return e.select(isNumber, result, e.constantLike(result, 0));
}

Value tile::roundToOdd(KernelEmitter &e, Value source, bool isUnsigned) {
  OpBuilder &b = e.builder;
  Type f32 = b.getF32Type(), i32 = b.getI32Type();
  // Toward zero, so that converting back is always possible; the last bit says
  // that something was lost.
  Value truncated, isInexact;
  if (source.getType().isF64()) {
    truncated = e.callIntrinsic("llvm.nvvm.d2f.rz", f32, source);
    Value back = LLVM::FPExtOp::create(b, e.loc, source.getType(), truncated);
    isInexact = b.createOrFold<arith::CmpFOp>(e.loc, arith::CmpFPredicate::ONE,
                                              back, source);
  } else {
    bool isWide = getBits(source.getType()) > 32;
    Type integer = isWide ? b.getI64Type() : i32;
    source = resize(e, source, integer, isUnsigned);
    std::string name = std::string("llvm.nvvm.") + (isUnsigned ? "u" : "") +
                       (isWide ? "ll2f.rz" : "i2f.rz");
    truncated = e.callIntrinsic(name, f32, source);
    Value back =
        isUnsigned ? b.createOrFold<arith::FPToUIOp>(e.loc, integer, truncated)
                   : b.createOrFold<arith::FPToSIOp>(e.loc, integer, truncated);
    isInexact = e.compare(arith::CmpIPredicate::ne, back, source);
  }
  Value bits = LLVM::BitcastOp::create(b, e.loc, i32, truncated);
  Value sticky = b.createOrFold<arith::ExtUIOp>(e.loc, i32, isInexact);
  return LLVM::BitcastOp::create(b, e.loc, f32, e.ori(bits, sticky));
}

Value tile::castIntegerToFloat(KernelEmitter &e, Value source, Type to,
                               bool isUnsigned) {
  OpBuilder &b = e.builder;
  Type f32 = b.getF32Type();
  auto convert = [&](Type type) -> Value {
    if (isUnsigned)
      return b.createOrFold<arith::UIToFPOp>(e.loc, type, source);
    return b.createOrFold<arith::SIToFPOp>(e.loc, type, source);
  };
  if (getBits(to) >= 32)
    return convert(to);
  // f32 holds 16 bits, and whatever it rounds is beyond f16 (2^16 at most).
  // Only bf16 would be rounded twice; LLVM's own way does so (seen on sm_80).
  bool roundsTwice = to.isBF16() && getBits(source.getType()) > 16;
  Value wide = roundsTwice ? roundToOdd(e, source, isUnsigned) : convert(f32);
  return LLVM::FPTruncOp::create(b, e.loc, to, wide);
}
