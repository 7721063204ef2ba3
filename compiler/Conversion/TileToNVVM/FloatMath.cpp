//===- FloatMath.cpp - Float arithmetic in the notation of formulas -------===//

#include "compiler/Conversion/TileToNVVM/MathFunctions.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::tile;

Value FloatMath::constant(double value) {
  return arith::ConstantOp::create(builder, e.loc,
                                   builder.getFloatAttr(type, value));
}
Value FloatMath::add(Value a, Value b) {
  return builder.createOrFold<arith::AddFOp>(e.loc, a, b);
}
Value FloatMath::sub(Value a, Value b) {
  return builder.createOrFold<arith::SubFOp>(e.loc, a, b);
}
Value FloatMath::mul(Value a, Value b) {
  return builder.createOrFold<arith::MulFOp>(e.loc, a, b);
}
Value FloatMath::div(Value a, Value b) {
  return builder.createOrFold<arith::DivFOp>(e.loc, a, b);
}
Value FloatMath::fma(Value a, Value b, Value c) {
  return math::FmaOp::create(builder, e.loc, a, b, c);
}
Value FloatMath::neg(Value a) {
  return builder.createOrFold<arith::NegFOp>(e.loc, a);
}
Value FloatMath::abs(Value a) {
  return math::AbsFOp::create(builder, e.loc, a);
}
Value FloatMath::copySign(Value magnitude, Value sign) {
  return math::CopySignOp::create(builder, e.loc, magnitude, sign);
}
Value FloatMath::roundEven(Value a) {
  return math::RoundEvenOp::create(builder, e.loc, a);
}
Value FloatMath::truncate(Value a) {
  return math::TruncOp::create(builder, e.loc, a);
}
Value FloatMath::floor(Value a) {
  return math::FloorOp::create(builder, e.loc, a);
}
Value FloatMath::minimumNumber(Value a, Value b) {
  return e.callIntrinsic(minimumNumberName, type, {a, b});
}
Value FloatMath::maximumNumber(Value a, Value b) {
  return e.callIntrinsic(maximumNumberName, type, {a, b});
}
Value FloatMath::minimum(Value a, Value b) {
  return builder.createOrFold<arith::MinimumFOp>(e.loc, a, b);
}
Value FloatMath::compare(arith::CmpFPredicate predicate, Value a, Value b) {
  return builder.createOrFold<arith::CmpFOp>(e.loc, predicate, a, b);
}

Value FloatMath::polynomial(Value x, ArrayRef<double> coefficients) {
  Value result = constant(coefficients.back());
  for (double coefficient : llvm::reverse(coefficients.drop_back()))
    result = fma(result, x, constant(coefficient));
  return result;
}

Value FloatMath::toBits(Value a) {
  Type integer = builder.getIntegerType(type.getIntOrFloatBitWidth());
  return builder.createOrFold<arith::BitcastOp>(e.loc, integer, a);
}
Value FloatMath::fromBits(Value bits) {
  return builder.createOrFold<arith::BitcastOp>(e.loc, type, bits);
}

Value FloatMath::approximate(StringRef intrinsic, Value a) {
  return e.callIntrinsic(intrinsic, type, a);
}
