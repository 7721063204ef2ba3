//===- FloatOps.cpp - Float arithmetic, comparisons and functions ---------===//
//
// A result is computed in f64 from operands of the type and rounded once more.
// For f32 and shorter types this second rounding changes nothing in a sum, a
// product, a quotient or a root, as 53 >= 2 * 24 + 2 (Figueroa, "When is double
// rounding innocuous?"); a function differs from the exact one by far less than
// the language allows.
//
//===----------------------------------------------------------------------===//
#include "compiler/Interpreter/BlockInterpreter.h"

#include "compiler/Numerics/NumberCast.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>

using namespace mlir;
using namespace tilec;

static NumberFormat getFormat(Value value) {
  return *findFormat(tile::getTileElementType(value.getType()));
}

//===----------------------------------------------------------------------===//
// Operations on doubles
//===----------------------------------------------------------------------===//

static double add(double a, double b) { return a + b; }
static double subtract(double a, double b) { return a - b; }
static double multiply(double a, double b) { return a * b; }
static double divide(double a, double b) { return a / b; }
static double truncatedRemainder(double a, double b) { return std::fmod(a, b); }
static double power(double a, double b) { return std::pow(a, b); }

/// The larger number, with -0 below +0; a NaN if either is.
static double maximum(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return a + b;
  if (a == b)
    return std::signbit(a) ? b : a;
  return a < b ? b : a;
}
static double minimum(double a, double b) { return -maximum(-a, -b); }
/// The same, but the other operand if one is a NaN.
static double maximumNumber(double a, double b) {
  if (std::isnan(a))
    return b;
  return std::isnan(b) ? a : maximum(a, b);
}
static double minimumNumber(double a, double b) {
  return -maximumNumber(-a, -b);
}

static double reciprocalRoot(double a) { return 1.0 / std::sqrt(a); }
static double roundEven(double a) {
  // A double past 2^52 is an integer.
  constexpr double magic = 4503599627370496.0;
  if (!(std::fabs(a) < magic))
    return a;
  return std::copysign((std::fabs(a) + magic) - magic, a);
}
static double absolute(double a) { return std::fabs(a); }
static double negate(double a) { return -a; }
static double copySign(double a, double b) { return std::copysign(a, b); }

static bool compare(arith::CmpFPredicate predicate, double a, double b) {
  using P = arith::CmpFPredicate;
  bool isUnordered = std::isnan(a) || std::isnan(b);
  switch (predicate) {
  case P::AlwaysFalse:
    return false;
  case P::OEQ:
    return a == b;
  case P::OGT:
    return a > b;
  case P::OGE:
    return a >= b;
  case P::OLT:
    return a < b;
  case P::OLE:
    return a <= b;
  case P::ONE:
    return !isUnordered && a != b;
  case P::ORD:
    return !isUnordered;
  case P::UEQ:
    return isUnordered || a == b;
  case P::UGT:
    return isUnordered || a > b;
  case P::UGE:
    return isUnordered || a >= b;
  case P::ULT:
    return isUnordered || a < b;
  case P::ULE:
    return isUnordered || a <= b;
  case P::UNE:
    return isUnordered || a != b;
  case P::UNO:
    return isUnordered;
  case P::AlwaysTrue:
    return true;
  }
  llvm_unreachable("all predicates are listed");
}

//===----------------------------------------------------------------------===//
// Handlers
//===----------------------------------------------------------------------===//

/// Applies a function whose results are rounded to `format`.
template <typename Function, typename... Operands>
static Floats mapRounded(NumberFormat format, Function function,
                         const Operands &...operands) {
  // The rounding that kernels need most is one instruction.
  if (format == NumberFormat::F32)
    return mapElements<double>(
        [&](auto... x) {
          double result = function(x...);
          return std::isnan(result) ? castToFloat(result, NumberFormat::F32)
                                    : double(static_cast<float>(result));
        },
        operands...);
  return mapElements<double>(
      [&](auto... x) { return castToFloat(function(x...), format); },
      operands...);
}

template <typename Op, double (*compute)(double, double)>
static LogicalResult executeBinary(BlockInterpreter &block, Op op) {
  // A lambda, unlike a pointer to the function, is inlined into the loop.
  auto function = [](double a, double b) { return compute(a, b); };
  block.set(op.getResult(), mapRounded(getFormat(op.getResult()), function,
                                       block.getRounded(op.getLhs()),
                                       block.getRounded(op.getRhs())));
  return success();
}

template <typename Op, double (*compute)(double)>
static LogicalResult executeUnary(BlockInterpreter &block, Op op) {
  auto function = [](double a) { return compute(a); };
  block.set(op.getResult(), mapRounded(getFormat(op.getResult()), function,
                                       block.getRounded(op.getOperand())));
  return success();
}

/// An operation on the sign, which rounds nothing and keeps a NaN as it is.
template <typename Op, double (*compute)(double)>
static LogicalResult executeSign(BlockInterpreter &block, Op op) {
  block.set(op.getResult(),
            mapElements<double>(compute, block.getRounded(op.getOperand())));
  return success();
}

static LogicalResult executeCopySign(BlockInterpreter &block,
                                     math::CopySignOp op) {
  block.set(op.getResult(),
            mapElements<double>(copySign, block.getRounded(op.getLhs()),
                                block.getRounded(op.getRhs())));
  return success();
}

static LogicalResult executeFma(BlockInterpreter &block, math::FmaOp op) {
  NumberFormat format = getFormat(op.getResult());
  auto fuse = [format](double a, double b, double c) {
    return format == NumberFormat::F64 ? castToFloat(std::fma(a, b, c), format)
                                       : fuseMultiplyAdd(a, b, c, format);
  };
  block.set(op.getResult(),
            mapElements<double>(fuse, block.getRounded(op.getA()),
                                block.getRounded(op.getB()),
                                block.getRounded(op.getC())));
  return success();
}

static LogicalResult executeCompare(BlockInterpreter &block, arith::CmpFOp op) {
  arith::CmpFPredicate predicate = op.getPredicate();
  block.set(
      op.getResult(),
      mapElements<int64_t>(
          [=](double a, double b) { return int64_t(compare(predicate, a, b)); },
          block.getRounded(op.getLhs()), block.getRounded(op.getRhs())));
  return success();
}

static bool isNaN(double a) { return std::isnan(a); }
static bool isInfinite(double a) { return std::isinf(a); }
static bool isFinite(double a) { return std::isfinite(a); }

template <typename Op, bool (*test)(double)>
static LogicalResult executeTest(BlockInterpreter &block, Op op) {
  block.set(op.getResult(),
            mapElements<int64_t>([](double x) { return int64_t(test(x)); },
                                 block.getRounded(op.getOperand())));
  return success();
}

template <typename Op, double (*compute)(double, double)>
static void addBinary(HandlerTable &table) {
  table.add<Op, executeBinary<Op, compute>>();
}

template <typename Op, double (*compute)(double)>
static void addUnary(HandlerTable &table) {
  table.add<Op, executeUnary<Op, compute>>();
}

void tilec::addFloatHandlers(HandlerTable &table) {
  addBinary<arith::AddFOp, add>(table);
  addBinary<arith::SubFOp, subtract>(table);
  addBinary<arith::MulFOp, multiply>(table);
  addBinary<arith::DivFOp, divide>(table);
  addBinary<arith::RemFOp, truncatedRemainder>(table);
  addBinary<arith::MaximumFOp, maximum>(table);
  addBinary<arith::MinimumFOp, minimum>(table);
  addBinary<arith::MaxNumFOp, maximumNumber>(table);
  addBinary<arith::MinNumFOp, minimumNumber>(table);
  addBinary<math::PowFOp, power>(table);
  addUnary<math::CeilOp, ::ceil>(table);
  addUnary<math::FloorOp, ::floor>(table);
  addUnary<math::TruncOp, ::trunc>(table);
  addUnary<math::RoundOp, ::round>(table);
  addUnary<math::RoundEvenOp, roundEven>(table);
  addUnary<math::SqrtOp, ::sqrt>(table);
  addUnary<math::RsqrtOp, reciprocalRoot>(table);
  addUnary<math::ExpOp, ::exp>(table);
  addUnary<math::Exp2Op, ::exp2>(table);
  addUnary<math::ExpM1Op, ::expm1>(table);
  addUnary<math::LogOp, ::log>(table);
  addUnary<math::Log2Op, ::log2>(table);
  addUnary<math::Log10Op, ::log10>(table);
  addUnary<math::Log1pOp, ::log1p>(table);
  addUnary<math::SinOp, ::sin>(table);
  addUnary<math::CosOp, ::cos>(table);
  addUnary<math::TanhOp, ::tanh>(table);
  addUnary<math::ErfOp, ::erf>(table);
  table.add<math::AbsFOp, executeSign<math::AbsFOp, absolute>>();
  table.add<arith::NegFOp, executeSign<arith::NegFOp, negate>>();
  table.add<math::CopySignOp, executeCopySign>();
  table.add<math::FmaOp, executeFma>();
  table.add<arith::CmpFOp, executeCompare>();
  table.add<math::IsNaNOp, executeTest<math::IsNaNOp, isNaN>>();
  table.add<math::IsInfOp, executeTest<math::IsInfOp, isInfinite>>();
  table.add<math::IsFiniteOp, executeTest<math::IsFiniteOp, isFinite>>();
}
