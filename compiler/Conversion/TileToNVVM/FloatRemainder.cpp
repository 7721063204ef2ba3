//===- FloatRemainder.cpp - % of floats -----------------------------------===//
//
// The remainder of floats is exact.  While the quotient has few enough bits it
// comes from one division, whose whole part is wrong by at most 1.  Otherwise
// multiples of the divisor by powers of two are taken off, the largest first;
// each difference is exact.
//
//===----------------------------------------------------------------------===//

#include "compiler/Conversion/TileToNVVM/MathFunctions.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/APFloat.h"

using namespace mlir;
using namespace mlir::tile;
using P = arith::CmpFPredicate;

/// a mod b for 0 <= a, 0 < b and a / b with fewer bits than the fraction.
static Value emitByDivision(FloatMath &m, Value a, Value b) {
  Value quotient = m.truncate(m.div(a, b));
  Value rest = m.fma(m.neg(quotient), b, a);
  Value tooLarge = m.compare(P::OLT, rest, m.constant(0));
  rest = m.e.select(tooLarge, m.add(rest, b), rest);
  Value tooSmall = m.compare(P::OGE, rest, b);
  return m.e.select(tooSmall, m.sub(rest, b), rest);
}

/// Runs `body` while `condition` holds of the values carried, which start as
/// `inits`.
static SmallVector<Value>
emitWhile(FloatMath &m, ValueRange inits,
          llvm::function_ref<Value(ValueRange)> condition,
          llvm::function_ref<SmallVector<Value>(ValueRange)> body) {
  auto loop = scf::WhileOp::create(
      m.builder, m.e.loc, TypeRange(inits), inits,
      [&](OpBuilder &builder, Location loc, ValueRange carried) {
        scf::ConditionOp::create(builder, loc, condition(carried), carried);
      },
      [&](OpBuilder &builder, Location loc, ValueRange carried) {
        scf::YieldOp::create(builder, loc, body(carried));
      });
  return loop.getResults();
}

/// The same for any finite operands.
static Value emitBySubtraction(FloatMath &m, Value a, Value b) {
  Value half = m.constant(0.5);
  // The largest b * 2^k that is no more than a.
  SmallVector<Value> start = emitWhile(
      m, {b},
      [&](ValueRange multiple) {
        return m.compare(P::OLE, multiple[0], m.mul(a, half));
      },
      [&](ValueRange multiple) -> SmallVector<Value> {
        return {m.add(multiple[0], multiple[0])};
      });
  return emitWhile(
      m, {a, start[0]},
      [&](ValueRange state) { return m.compare(P::OGE, state[1], b); },
      [&](ValueRange state) -> SmallVector<Value> {
        Value fits = m.compare(P::OGE, state[0], state[1]);
        Value rest = m.e.select(fits, m.sub(state[0], state[1]), state[0]);
        return {rest, m.mul(state[1], half)};
      })[0];
}

Value tile::emitRemainder(FloatMath &m, Value dividend, Value divisor) {
  KernelEmitter &e = m.e;
  const llvm::fltSemantics &semantics =
      cast<FloatType>(m.type).getFloatSemantics();
  Value a = m.abs(dividend), b = m.abs(divisor);
  Value infinity = m.constant(std::numeric_limits<double>::infinity());
  Value isDefined = e.andi(m.compare(P::OLT, a, infinity),
                           m.compare(P::OGT, b, m.constant(0)));
  // Zero is one step from the end in every case below.
  a = e.select(isDefined, a, m.constant(0));
  b = e.select(isDefined, b, m.constant(1));
  Value limit = m.constant(
      std::ldexp(1.0, int(llvm::APFloat::semanticsPrecision(semantics)) - 2));
  Value isShort = m.compare(P::OLT, m.div(a, b), limit);
  auto branch = scf::IfOp::create(m.builder, e.loc, TypeRange{m.type}, isShort,
                                  /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(m.builder);
    m.builder.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(m.builder, e.loc, emitByDivision(m, a, b));
    m.builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(m.builder, e.loc, emitBySubtraction(m, a, b));
  }
  Value result = m.copySign(branch.getResult(0), dividend);
  Value nan = m.constant(std::numeric_limits<double>::quiet_NaN());
  result = e.select(isDefined, result, nan);
  // What is divided by infinity is what is left.
  Value isWhole = e.andi(m.compare(P::OLT, m.abs(dividend), infinity),
                         m.compare(P::OEQ, m.abs(divisor), infinity));
  return e.select(isWhole, dividend, result);
}
