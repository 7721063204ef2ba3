//===- DoubleFunctions.cpp - Elementary functions of f64 ------------------===//
//
// There are no instructions that approximate them.  The argument is reduced to
// where a series converges fast, and the series is cut where what is left is
// below half a unit in the last place; results are within 4 of them.
//
//===----------------------------------------------------------------------===//

#include "compiler/Conversion/TileToNVVM/MathFunctions.h"
#include <limits>
#include <numbers>

using namespace mlir;
using namespace mlir::tile;

static constexpr double infinity = std::numeric_limits<double>::infinity();
/// ln 2 in two parts, the first short enough for exact products with exponents.
static constexpr double ln2High = 0x1.62e42feep-1,
                        ln2Low = 0x1.a39ef35793c76p-33;

/// 1 / (first * (first + step) * ...), `count` factors for coefficient `count`:
/// what the series of exp, sin and cos have.
static SmallVector<double> makeInverseFactorials(int first, int step, int count,
                                                 bool alternates) {
  SmallVector<double> coefficients;
  double factorial = 1;
  for (int i = 2; i < first; ++i)
    factorial *= i;
  for (int i = 0, n = first; i < count; ++i) {
    // The factors since the coefficient before.
    for (int j = i == 0 ? n : n - step + 1; j <= n; ++j)
      factorial *= j;
    coefficients.push_back((alternates && i % 2 ? -1 : 1) / factorial);
    n += step;
  }
  return coefficients;
}

/// NaN stays.
static Value clampTo(FloatMath &m, Value x, double low, double high) {
  x = m.e.select(m.compare(arith::CmpFPredicate::OGT, x, m.constant(high)),
                 m.constant(high), x);
  return m.e.select(m.compare(arith::CmpFPredicate::OLT, x, m.constant(low)),
                    m.constant(low), x);
}

namespace {
/// The integer nearest to a number of less than 2^31, as a number and as i32.
struct Rounded {
  Value number, integer;
};
} // namespace

static Rounded roundToInteger(FloatMath &m, Value x, double factor) {
  // Added to 1.5 * 2^52, it stands in the low bits.
  constexpr double magic = 0x1.8p52;
  Value shifted = m.fma(x, m.constant(factor), m.constant(magic));
  Value integer = m.builder.createOrFold<arith::TruncIOp>(
      m.e.loc, m.builder.getI32Type(), m.toBits(shifted));
  return {m.sub(shifted, m.constant(magic)), integer};
}

//===----------------------------------------------------------------------===//
// Exponentials
//===----------------------------------------------------------------------===//

/// 2^n for the exponents of normal numbers.
static Value makePower(FloatMath &m, Value n) {
  Value wide = m.e.extendToI64(m.e.add(n, m.e.i32(1023)));
  return m.fromBits(m.e.shl(wide, 52));
}

/// e^r 2^n for |r| <= ln(2) / 2; in two steps, so that results overflow and
/// become subnormal by a rounding of their own.
static Value scaleExponential(FloatMath &m, Value r, Value n) {
  SmallVector<double> series = makeInverseFactorials(1, 1, 13, false);
  Value power = m.fma(m.polynomial(r, series), r, m.constant(1));
  Value half = m.builder.createOrFold<arith::ShRSIOp>(m.e.loc, n, m.e.i32(1));
  power = m.mul(power, makePower(m, half));
  return m.mul(power, makePower(m, m.e.sub(n, half)));
}

Value tile::emitDoubleExp(FloatMath &m, Value x) {
  x = clampTo(m, x, -800, 800);
  Rounded n = roundToInteger(m, x, std::numbers::log2e);
  Value minusN = m.neg(n.number);
  Value r = m.fma(minusN, m.constant(ln2High), x);
  r = m.fma(minusN, m.constant(ln2Low), r);
  return scaleExponential(m, r, n.integer);
}

Value tile::emitDoubleExp2(FloatMath &m, Value x) {
  x = clampTo(m, x, -1100, 1100);
  Rounded n = roundToInteger(m, x, 1);
  Value r = m.mul(m.sub(x, n.number), m.constant(std::numbers::ln2));
  return scaleExponential(m, r, n.integer);
}

/// Near 0 by e^2x - 1, whose series has no cancellation; else 1 - 2 / (e^2x +
/// 1).
Value tile::emitDoubleTanh(FloatMath &m, Value x) {
  Value magnitude = m.abs(x), twice = m.add(magnitude, magnitude);
  Value two = m.constant(2), one = m.constant(1);
  Value large = m.sub(one, m.div(two, m.add(emitDoubleExp(m, twice), one)));
  Value minusOne =
      m.mul(m.polynomial(twice, makeInverseFactorials(1, 1, 21, false)), twice);
  Value small = m.div(minusOne, m.add(minusOne, two));
  Value isSmall =
      m.compare(arith::CmpFPredicate::OLT, magnitude, m.constant(0.5));
  return m.copySign(m.e.select(isSmall, small, large), x);
}

/// Near 0 by the series; else 1 - e^(-x^2) g(t), g a Chebyshev fit of
/// e^(x^2) erfc(x) on [0.9, 6] in t = (x - 2) / (x + 2).
Value tile::emitDoubleErf(FloatMath &m, Value x) {
  // From 6 on the result is 1.  NaN stays.
  Value magnitude = clampTo(m, m.abs(x), 0, 6);
  Value square = m.mul(magnitude, magnitude);
  Value t =
      m.div(m.sub(magnitude, m.constant(2)), m.add(magnitude, m.constant(2)));
  Value fit = m.polynomial(
      t,
      {0.25539567631050575, -0.4271858474139584, 0.24165819424246646,
       -0.07897858101573386, 0.0037328924043280604, 0.0069974617393443635,
       -0.0008471432510248522, -0.000981977031845661, 4.355560871890245e-05,
       0.00017436126473474145, 2.752530805831737e-05, -2.7580841556091883e-05,
       -1.3965828179693623e-05, 1.397027872858155e-06, 3.7749621603834436e-06,
       1.1750993653186802e-06, -4.969547467411031e-07, -4.476647826635325e-07});
  Value large =
      m.fma(m.neg(emitDoubleExp(m, m.neg(square))), fit, m.constant(1));
  SmallVector<double> series;
  double term = 2 * std::numbers::inv_sqrtpi;
  for (int n = 0; n < 19; ++n) {
    series.push_back(term / (2 * n + 1));
    term /= -(n + 1);
  }
  Value small = m.mul(m.polynomial(square, series), magnitude);
  Value isSmall =
      m.compare(arith::CmpFPredicate::OLT, magnitude, m.constant(1));
  return m.copySign(m.e.select(isSmall, small, large), x);
}

//===----------------------------------------------------------------------===//
// Logarithms
//===----------------------------------------------------------------------===//

namespace {
/// The logarithm of x = 2^exponent (1 + f), 1 + f between the roots of 1/2 and
/// 2, as the exponent and ln(1 + f) = f - rest.
struct SplitLogarithm {
  Value exponent, f, rest;
};
} // namespace

/// For positive finite numbers.
static SplitLogarithm splitLogarithm(FloatMath &m, Value x) {
  KernelEmitter &e = m.e;
  Value isSubnormal = m.compare(arith::CmpFPredicate::OLT, x,
                                m.constant(std::numeric_limits<double>::min()));
  x = e.select(isSubnormal, m.mul(x, m.constant(0x1p54)), x);
  Value bits = m.toBits(x);
  // The bits of the root of 1/2.
  Value shifted = e.andi(e.sub(bits, e.i64(0x3fe6a09e667f3bcd)),
                         e.i64(~((int64_t(1) << 52) - 1)));
  Value mantissa = m.fromBits(e.sub(bits, shifted));
  Value exponent =
      m.mul(arith::SIToFPOp::create(m.builder, e.loc, m.type, shifted),
            m.constant(0x1p-52));
  exponent =
      m.add(exponent, e.select(isSubnormal, m.constant(-54), m.constant(0)));
  // ln(1 + f) = 2 (s + s^3 / 3 + ...), s = f / (2 + f), of which f is split
  // off.
  Value f = m.sub(mantissa, m.constant(1));
  Value s = m.div(f, m.add(f, m.constant(2)));
  Value square = m.mul(s, s);
  SmallVector<double> series;
  for (int n = 3; n <= 25; n += 2)
    series.push_back(2.0 / n);
  Value sum = m.mul(m.polynomial(square, series), square);
  Value halfSquare = m.mul(m.mul(f, m.constant(0.5)), f);
  Value rest = m.sub(halfSquare, m.mul(s, m.add(halfSquare, sum)));
  return {exponent, f, rest};
}

/// What is no positive finite number has a logarithm of its own.
static Value selectLogarithm(FloatMath &m, Value x, Value logarithm) {
  auto isTrue = [&](arith::CmpFPredicate predicate, double value) {
    return m.compare(predicate, x, m.constant(value));
  };
  Value special =
      m.e.select(isTrue(arith::CmpFPredicate::OEQ, 0), m.constant(-infinity),
                 m.constant(std::numeric_limits<double>::quiet_NaN()));
  special = m.e.select(isTrue(arith::CmpFPredicate::OEQ, infinity), x, special);
  Value isOrdinary = m.e.andi(isTrue(arith::CmpFPredicate::OGT, 0),
                              isTrue(arith::CmpFPredicate::OLT, infinity));
  return m.e.select(isOrdinary, logarithm, special);
}

Value tile::emitDoubleLog(FloatMath &m, Value x) {
  SplitLogarithm split = splitLogarithm(m, x);
  Value rest = m.sub(split.rest, m.mul(split.exponent, m.constant(ln2Low)));
  Value result =
      m.fma(split.exponent, m.constant(ln2High), m.sub(split.f, rest));
  return selectLogarithm(m, x, result);
}

Value tile::emitDoubleLog2(FloatMath &m, Value x) {
  SplitLogarithm split = splitLogarithm(m, x);
  Value ofMantissa = m.sub(split.f, split.rest);
  Value result =
      m.fma(ofMantissa, m.constant(std::numbers::log2e), split.exponent);
  return selectLogarithm(m, x, result);
}

//===----------------------------------------------------------------------===//
// Trigonometric functions
//===----------------------------------------------------------------------===//

/// The sine of the angle plus `quarters` quarter turns.  The angle is brought
/// to r = x - n pi/2 with pi/2 in three parts: by fma the first step is exact
/// for |x| < 1e5, and the others round once.
static Value emitDoubleSineOf(FloatMath &m, Value x, int64_t quarters) {
  KernelEmitter &e = m.e;
  // Beyond 2^30 the result only stays in bounds; that of infinity is NaN.
  Value isFar =
      m.compare(arith::CmpFPredicate::OGT, m.abs(x), m.constant(0x1p30));
  Value near = e.select(isFar, m.constant(0), x);
  Rounded n = roundToInteger(m, near, 2 / std::numbers::pi);
  Value minusN = m.neg(n.number);
  Value r = m.fma(minusN, m.constant(0x1.921fb54442d18p+0), near);
  r = m.fma(minusN, m.constant(0x1.1a62633145c07p-54), r);
  r = m.fma(minusN, m.constant(-0x1.f1976b7ed8fbcp-110), r);
  Value square = m.mul(r, r);
  Value sine = m.polynomial(square, makeInverseFactorials(3, 2, 8, true));
  sine = m.fma(m.neg(m.mul(sine, square)), r, r);
  Value cosine = m.polynomial(square, makeInverseFactorials(4, 2, 8, true));
  cosine = m.fma(cosine, square, m.constant(-0.5));
  cosine = m.fma(cosine, square, m.constant(1));
  Value quadrant = e.add(n.integer, e.i32(quarters));
  Value isCosine =
      e.compare(arith::CmpIPredicate::ne, e.andi(quadrant, e.i32(1)), e.i32(0));
  Value result = e.select(isCosine, cosine, sine);
  Value isNegative =
      e.compare(arith::CmpIPredicate::ne, e.andi(quadrant, e.i32(2)), e.i32(0));
  result = e.select(isNegative, m.neg(result), result);
  Value isInfinite =
      m.compare(arith::CmpFPredicate::OEQ, m.abs(x), m.constant(infinity));
  return e.select(isInfinite,
                  m.constant(std::numeric_limits<double>::quiet_NaN()), result);
}

Value tile::emitDoubleSin(FloatMath &m, Value x) {
  return emitDoubleSineOf(m, x, 0);
}
Value tile::emitDoubleCos(FloatMath &m, Value x) {
  return emitDoubleSineOf(m, x, 1);
}
