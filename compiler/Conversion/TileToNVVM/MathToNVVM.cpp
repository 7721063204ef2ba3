//===- MathToNVVM.cpp - Functions of floats that LLVM does not lower ------===//

#include "compiler/Conversion/TileToNVVM/Emitters.h"
#include "compiler/Conversion/TileToNVVM/MathFunctions.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tile;

/// Whether the op is a division that the user wrote as a reciprocal.
static bool isReciprocal(Operation *op) {
  auto division = dyn_cast<arith::DivFOp>(op);
  return division &&
         bitEnumContainsAny(division.getFastmath(),
                            arith::FastMathFlags::arcp) &&
         matchPattern(division.getLhs(), m_OneFloat());
}

bool tile::isMathFunction(Operation *op) {
  return isReciprocal(op) ||
         isa<arith::RemFOp, math::ExpOp, math::Exp2Op, math::LogOp,
             math::Log2Op, math::SqrtOp, math::RsqrtOp, math::SinOp,
             math::CosOp, math::TanhOp, math::ErfOp, math::IsNaNOp,
             math::IsInfOp>(op);
}

/// The function on f32; null if there is none.
static Value emitInFloat(FloatMath &m, Operation *op, ValueRange x) {
  auto isApproximate = [](math::TanhOp tanh) {
    return bitEnumContainsAny(tanh.getFastmath(), arith::FastMathFlags::afn);
  };
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](math::ExpOp) { return emitExp(m, x[0]); })
      .Case([&](math::Exp2Op) { return emitExp2(m, x[0]); })
      .Case([&](math::LogOp) { return emitLog(m, x[0]); })
      .Case([&](math::Log2Op) { return emitLog2(m, x[0]); })
      // The instructions are within 2 ulp of normal numbers; the language
      // (section 9) allows `.ftz` to take subnormal ones for 0.
      .Case([&](math::RsqrtOp) {
        return m.approximate("llvm.nvvm.rsqrt.approx.ftz.f", x[0]);
      })
      .Case([&](arith::DivFOp) {
        return m.approximate("llvm.nvvm.rcp.approx.ftz.f", x[1]);
      })
      .Case([&](math::SinOp) { return emitSin(m, x[0]); })
      .Case([&](math::CosOp) { return emitCos(m, x[0]); })
      .Case([&](math::TanhOp tanh) -> Value {
        if (isApproximate(tanh))
          return m.e.callAsm("tanh.approx.f32 $0, $1;", "=f,f", x[0], m.type);
        return emitTanh(m, x[0]);
      })
      .Case([&](math::ErfOp) { return emitErf(m, x[0]); })
      .Default(Value());
}

/// What is the same for f32 and f64.
static Value emitInAnyFloat(FloatMath &m, Operation *op, ValueRange x) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](arith::RemFOp) { return emitRemainder(m, x[0], x[1]); })
      .Case([&](math::SqrtOp) -> Value {
        return math::SqrtOp::create(m.builder, m.e.loc, x[0]);
      })
      .Case([&](math::IsNaNOp) {
        return m.compare(arith::CmpFPredicate::UNO, x[0], x[0]);
      })
      .Case([&](math::IsInfOp) {
        return m.compare(arith::CmpFPredicate::OEQ, m.abs(x[0]),
                         m.constant(std::numeric_limits<double>::infinity()));
      })
      .Default(Value());
}

/// The function on f64; null if there is none.
static Value emitInDouble(FloatMath &m, Operation *op, ValueRange x) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](math::RsqrtOp) {
        Value root = math::SqrtOp::create(m.builder, m.e.loc, x[0]);
        return m.div(m.constant(1), root);
      })
      .Case([&](arith::DivFOp) { return m.div(x[0], x[1]); })
      .Case([&](math::ExpOp) { return emitDoubleExp(m, x[0]); })
      .Case([&](math::Exp2Op) { return emitDoubleExp2(m, x[0]); })
      .Case([&](math::LogOp) { return emitDoubleLog(m, x[0]); })
      .Case([&](math::Log2Op) { return emitDoubleLog2(m, x[0]); })
      .Case([&](math::TanhOp) { return emitDoubleTanh(m, x[0]); })
      .Case([&](math::ErfOp) { return emitDoubleErf(m, x[0]); })
      .Case([&](math::SinOp) { return emitDoubleSin(m, x[0]); })
      .Case([&](math::CosOp) { return emitDoubleCos(m, x[0]); })
      .Default(Value());
}

Value tile::emitMathFunction(KernelEmitter &e, Operation *op,
                             ValueRange operands) {
  Type type = operands[0].getType();
  // Shorter types compute in f32 and round once.
  bool isShort = type.isF16() || type.isBF16();
  Type wide = isShort ? Type(e.builder.getF32Type()) : type;
  FloatMath m(e, wide);
  SmallVector<Value> x(operands);
  if (isShort)
    for (Value &operand : x)
      operand = LLVM::FPExtOp::create(e.builder, e.loc, wide, operand);
  Value result = emitInAnyFloat(m, op, x);
  if (!result)
    result = wide.isF32() ? emitInFloat(m, op, x) : emitInDouble(m, op, x);
  if (!result) {
    op->emitError("'") << op->getName().stripDialect() << "' of " << type
                       << " is not supported yet";
    return {};
  }
  if (isShort && result.getType() == wide)
    result = LLVM::FPTruncOp::create(e.builder, e.loc, type, result);
  return result;
}
