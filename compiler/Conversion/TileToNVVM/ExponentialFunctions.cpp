//===- ExponentialFunctions.cpp - exp, log, tanh and erf of f32 -----------===//
//
// Polynomials are minimax fits of the relative error of the whole function.
// ex2.approx and lg2.approx are within 2^-22 of the result, relative or, for
// lg2 between 0.5 and 2, absolute (PTX ISA); each formula keeps their share of
// the error within the language's bound.
//
//===----------------------------------------------------------------------===//

#include "compiler/Conversion/TileToNVVM/MathFunctions.h"

using namespace mlir;
using namespace mlir::tile;

static constexpr double log2e = 1.44269504088896340736;
static constexpr double ln2 = 0.69314718055994530942;

static Value approximateExp2(FloatMath &m, Value x) {
  return m.approximate("llvm.nvvm.ex2.approx.ftz.f32", x);
}

/// The instruction is within 2 ulp of normal numbers.  That `.ftz` takes
/// subnormal arguments and results for 0 is allowed by the language (section
/// 9).
Value tile::emitExp2(FloatMath &m, Value x) { return approximateExp2(m, x); }

/// exp(x) = 2^n * 2^f with n = round(x log2 e): the product with log2 e alone
/// would be wrong by up to 45 ulp.  n is kept to the exponents of normal
/// numbers; f then takes the rest, and the product overflows or underflows by
/// itself.
Value tile::emitExp(FloatMath &m, Value x) {
  // Added to 1.5 * 2^23, n stands in the low bits.
  constexpr double magic = 12582912.0;
  Value shifted = m.fma(x, m.constant(log2e), m.constant(magic));
  shifted = m.maximumNumber(shifted, m.constant(magic - 126));
  shifted = m.minimumNumber(shifted, m.constant(magic + 126));
  Value minusN = m.sub(m.constant(magic), shifted);
  double high = static_cast<float>(log2e);
  Value f = m.fma(x, m.constant(high), minusN);
  f = m.fma(x, m.constant(log2e - high), f);
  Value exponent = m.e.add(m.e.shl(m.toBits(shifted), 23), m.e.i32(0x3f800000));
  return m.mul(approximateExp2(m, f), m.fromBits(exponent));
}

namespace {
/// x = 2^exponent * mantissa with the mantissa in [0.75, 1.5), so that the
/// logarithm of neither is much larger than their sum.  Where x has no
/// logarithm or is no normal number, the exponent is 0 and the mantissa is x.
struct SplitFloat {
  Value exponent, mantissa;
};
} // namespace

static SplitFloat splitFloat(FloatMath &m, Value x) {
  KernelEmitter &e = m.e;
  Value bits = m.toBits(x);
  Value shifted = e.andi(e.sub(bits, e.i32(0x3f400000)), e.i32(0xff800000));
  Value mantissa = m.fromBits(e.sub(bits, shifted));
  Value exponent =
      m.mul(arith::SIToFPOp::create(m.builder, e.loc, m.type, shifted),
            m.constant(0x1p-23));
  Value isNormal = e.compare(arith::CmpIPredicate::ult,
                             e.sub(bits, e.i32(0x00800000)), e.i32(0x7f000000));
  return {e.select(isNormal, exponent, m.constant(0)),
          e.select(isNormal, mantissa, x)};
}

static Value approximateLog2(FloatMath &m, Value x) {
  return m.approximate("llvm.nvvm.lg2.approx.ftz.f", x);
}

Value tile::emitLog2(FloatMath &m, Value x) {
  SplitFloat split = splitFloat(m, x);
  return m.add(split.exponent, approximateLog2(m, split.mantissa));
}

Value tile::emitLog(FloatMath &m, Value x) {
  SplitFloat split = splitFloat(m, x);
  Value ofMantissa = m.mul(approximateLog2(m, split.mantissa), m.constant(ln2));
  return m.fma(split.exponent, m.constant(ln2), ofMantissa);
}

/// Near 0 x + x^3 p(x^2), else 1 - 2 / (e^2x + 1).
Value tile::emitTanh(FloatMath &m, Value x) {
  Value magnitude = m.abs(x);
  Value exponential =
      approximateExp2(m, m.mul(magnitude, m.constant(2 * log2e)));
  Value reciprocal = m.approximate("llvm.nvvm.rcp.approx.ftz.f",
                                   m.add(exponential, m.constant(1)));
  Value large = m.fma(m.constant(-2), reciprocal, m.constant(1));
  large = m.copySign(large, x);

  Value square = m.mul(x, x);
  Value small =
      m.polynomial(square, {-3.333329856e-01, 1.333192438e-01, -5.378383026e-02,
                            2.079597116e-02, -5.895158276e-03});
  small = m.fma(m.mul(small, square), x, x);
  Value isSmall =
      m.compare(arith::CmpFPredicate::OLT, magnitude, m.constant(0.6));
  return m.e.select(isSmall, small, large);
}

/// Near 0 x + x p(x^2), else 1 - 2^(x q(x)) with the exponent that of erfc.
Value tile::emitErf(FloatMath &m, Value x) {
  // From 4 on the result is 1.  NaN stays.
  Value magnitude = m.minimum(m.abs(x), m.constant(4));
  Value exponent = m.polynomial(magnitude, {-1.628279090e+00, -9.163970947e-01,
                                            -1.531551033e-01, 3.418401256e-02,
                                            -5.208611488e-03, 4.542413808e-04,
                                            -1.505150067e-05});
  exponent = m.mul(exponent, magnitude);
  Value large = m.sub(m.constant(1), approximateExp2(m, exponent));
  large = m.copySign(large, x);

  Value square = m.mul(x, x);
  Value small =
      m.polynomial(square, {1.283791661e-01, -3.761263192e-01, 1.128366366e-01,
                            -2.685770579e-02, 5.196952261e-03, -8.097703685e-04,
                            8.185093611e-05});
  small = m.fma(small, x, x);
  Value isSmall =
      m.compare(arith::CmpFPredicate::OLT, magnitude, m.constant(0.95));
  return m.e.select(isSmall, small, large);
}
