//===- TrigonometricFunctions.cpp - sin and cos of f32 --------------------===//
//
// x is brought to r = x - n pi/2 in [-pi/4, pi/4] with pi/2 in three parts
// (Cody and Waite).  By fma the first step is exact and the others round once,
// which is enough for |x| < 1e5; beyond, the same is done in f64, on a branch
// that is hardly ever taken, and is accurate up to 1e15.  The quadrant n mod 4
// chooses between the polynomials of sine and cosine, and the sign.
//
//===----------------------------------------------------------------------===//

#include "compiler/Conversion/TileToNVVM/MathFunctions.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <numbers>

using namespace mlir;
using namespace mlir::tile;

namespace {
/// r and n mod 4 (i32; higher bits are anything).
struct ReducedAngle {
  Value rest, quadrant;
};
} // namespace

static ReducedAngle reduceInFloat(FloatMath &m, Value x) {
  // Added to 1.5 * 2^23, n stands in the low bits.
  constexpr double magic = 12582912.0;
  Value shifted = m.fma(x, m.constant(2 / std::numbers::pi), m.constant(magic));
  Value minusN = m.sub(m.constant(magic), shifted);
  Value rest = m.fma(minusN, m.constant(0x1.921fb6p+0), x);
  rest = m.fma(minusN, m.constant(-0x1.777a5cp-25), rest);
  rest = m.fma(minusN, m.constant(-0x1.ee59dap-50), rest);
  return {rest, m.toBits(shifted)};
}

static ReducedAngle reduceInDouble(FloatMath &m, Value x) {
  FloatMath d(m.e, m.builder.getF64Type());
  // From 2^51 on the fraction of a turn is lost; what is left stays in bounds.
  Value wide = LLVM::FPExtOp::create(m.builder, m.e.loc, d.type, x);
  Value n = d.roundEven(d.mul(wide, d.constant(2 / std::numbers::pi)));
  Value minusN = d.neg(n);
  Value rest = d.fma(minusN, d.constant(0x1.921fb54442d18p+0), wide);
  rest = d.fma(minusN, d.constant(0x1.1a62633145c07p-54), rest);
  Value bound = d.constant(std::numbers::pi / 4);
  // NaN, of an infinite angle, is no number to clamp.
  Value clamped = d.maximumNumber(d.minimumNumber(rest, bound), d.neg(bound));
  Value isNumber = d.compare(arith::CmpFPredicate::ORD, rest, rest);
  rest = m.e.select(isNumber, clamped, rest);
  // n - 4 floor(n / 4) is exact.
  Value turns = d.floor(d.mul(n, d.constant(0.25)));
  Value quadrant = m.e.callIntrinsic("llvm.fptosi.sat", m.builder.getI32Type(),
                                     d.fma(turns, d.constant(-4), n));
  return {LLVM::FPTruncOp::create(m.builder, m.e.loc, m.type, rest), quadrant};
}

static ReducedAngle reduceAngle(FloatMath &m, Value x) {
  KernelEmitter &e = m.e;
  Value isLarge =
      m.compare(arith::CmpFPredicate::UGE, m.abs(x), m.constant(105615.0));
  ReducedAngle near = reduceInFloat(m, x);
  auto branch = scf::IfOp::create(
      m.builder, e.loc, TypeRange{m.type, m.builder.getI32Type()}, isLarge,
      /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(m.builder);
  m.builder.setInsertionPointToStart(branch.thenBlock());
  ReducedAngle far = reduceInDouble(m, x);
  scf::YieldOp::create(m.builder, e.loc, ValueRange{far.rest, far.quadrant});
  m.builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(m.builder, e.loc, ValueRange{near.rest, near.quadrant});
  return {branch.getResult(0), branch.getResult(1)};
}

/// The sine of the angle plus `quarters` quarter turns.
static Value emitSineOf(FloatMath &m, Value x, int64_t quarters) {
  KernelEmitter &e = m.e;
  auto [rest, quadrant] = reduceAngle(m, x);
  quadrant = e.add(quadrant, e.i32(quarters));
  Value square = m.mul(rest, rest);
  Value sine = m.polynomial(square, {-1.666666716e-01, 8.333329111e-03,
                                     -1.983932452e-04, 2.718217047e-06});
  sine = m.fma(m.mul(sine, square), rest, rest);
  Value cosine = m.polynomial(
      square, {4.166664556e-02, -1.388730831e-03, 2.443220910e-05});
  cosine = m.fma(cosine, square, m.constant(-0.5));
  cosine = m.fma(cosine, square, m.constant(1));
  Value isCosine =
      e.compare(arith::CmpIPredicate::ne, e.andi(quadrant, e.i32(1)), e.i32(0));
  Value result = e.select(isCosine, cosine, sine);
  // Bit 1 of the quadrant is the sign.
  Value sign = e.shl(e.andi(quadrant, e.i32(2)), 30);
  return m.fromBits(e.xori(m.toBits(result), sign));
}

Value tile::emitSin(FloatMath &m, Value x) { return emitSineOf(m, x, 0); }
Value tile::emitCos(FloatMath &m, Value x) { return emitSineOf(m, x, 1); }
