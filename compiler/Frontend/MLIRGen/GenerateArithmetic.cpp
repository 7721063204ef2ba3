//===- GenerateArithmetic.cpp - Operators and functions of numbers --------===//
//
// Signedness and the guards of section 10 of the language reference are put on
// the operations here: a shift by the width or more, or a division by zero, is
// poison in MLIR and must not be in the language.
//
//===----------------------------------------------------------------------===//
#include "compiler/Frontend/MLIRGen/Generator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace tilec;
using namespace mlir;
using ast::BinaryOp;

/// A product that is not known at compile time.
static bool isProduct(const checked::Expr &expr) {
  const auto *binary = dyn_cast<checked::BinaryExpr>(&expr);
  return binary && binary->op == BinaryOp::Multiply && !binary->constant;
}

Value Generator::generateBinary(const checked::BinaryExpr &binary,
                                bool isInSum) {
  if (ast::isLogical(binary.op))
    return generateLogical(binary);
  const Expr &left = *binary.operands[0], &right = *binary.operands[1];
  bool isFloating = isFloat(left.type.getElement());
  bool isSum = binary.op == BinaryOp::Add || binary.op == BinaryOp::Subtract;
  // The language lets `a * b + c` round once within one expression, and not
  // across two; so the flags are set on the pairs that are written together.
  bool hasProduct =
      isFloating && isSum && (isProduct(left) || isProduct(right));
  auto generateOperand = [&](const Expr &operand) {
    if (hasProduct && isProduct(operand))
      return generateBinary(cast<checked::BinaryExpr>(operand),
                            /*isInSum=*/true);
    return generate(operand);
  };
  Value leftValue = generateOperand(left);
  Value rightValue = generateOperand(right);
  if (ast::isComparison(binary.op))
    return generateComparison(binary, leftValue, rightValue);
  if (ast::isShift(binary.op))
    return generateShift(binary, leftValue, rightValue);
  if (isFloating)
    return generateFloat(binary, leftValue, rightValue, hasProduct || isInSum);
  return generateInteger(binary, leftValue, rightValue);
}

Value Generator::generateFloat(const checked::BinaryExpr &binary, Value left,
                               Value right, bool contracts) {
  Location location = getLocation(binary.range);
  auto flags =
      contracts ? arith::FastMathFlags::contract : arith::FastMathFlags::none;
  switch (binary.op) {
  case BinaryOp::Add:
    return arith::AddFOp::create(builder, location, left, right, flags);
  case BinaryOp::Subtract:
    return arith::SubFOp::create(builder, location, left, right, flags);
  case BinaryOp::Multiply:
    return arith::MulFOp::create(builder, location, left, right, flags);
  case BinaryOp::Divide:
    return arith::DivFOp::create(builder, location, left, right);
  case BinaryOp::Remainder:
    return arith::RemFOp::create(builder, location, left, right);
  default:
    llvm_unreachable("the checker refuses other operators on floats");
  }
}

Value Generator::generateInteger(const checked::BinaryExpr &binary, Value left,
                                 Value right) {
  Location location = getLocation(binary.range);
  switch (binary.op) {
  case BinaryOp::Add:
    return arith::AddIOp::create(builder, location, left, right);
  case BinaryOp::Subtract:
    return arith::SubIOp::create(builder, location, left, right);
  case BinaryOp::Multiply:
    return arith::MulIOp::create(builder, location, left, right);
  case BinaryOp::Divide:
  case BinaryOp::Remainder:
    return generateDivision(binary, left, right);
  case BinaryOp::BitAnd:
    return arith::AndIOp::create(builder, location, left, right);
  case BinaryOp::BitOr:
    return arith::OrIOp::create(builder, location, left, right);
  case BinaryOp::BitXor:
    return arith::XOrIOp::create(builder, location, left, right);
  default:
    llvm_unreachable("other operators have functions of their own");
  }
}

/// Division by zero gives some value and the smallest number divided by -1
/// wraps; both are undefined in MLIR.  So such divisors become 1, and the
/// quotient by -1 is the negative.
Value Generator::generateDivision(const checked::BinaryExpr &binary, Value left,
                                  Value right) {
  Location location = getLocation(binary.range);
  mlir::Type type = left.getType();
  bool isSigned = isSignedInt(binary.type.getElement());
  bool isQuotient = binary.op == BinaryOp::Divide;
  auto divide = [&](Value divisor) -> Value {
    if (isQuotient && isSigned)
      return arith::DivSIOp::create(builder, location, left, divisor);
    if (isQuotient)
      return arith::DivUIOp::create(builder, location, left, divisor);
    if (isSigned)
      return arith::RemSIOp::create(builder, location, left, divisor);
    return arith::RemUIOp::create(builder, location, left, divisor);
  };
  if (binary.isProven)
    return divide(right);

  auto equals = [&](int64_t value) -> Value {
    return arith::CmpIOp::create(builder, location, arith::CmpIPredicate::eq,
                                 right, createNumber(location, type, value));
  };
  Value unsafe = equals(0);
  Value isMinusOne;
  if (isSigned && !binary.isNotNegative) {
    isMinusOne = equals(-1);
    unsafe = arith::OrIOp::create(builder, location, unsafe, isMinusOne);
  }
  Value divisor = arith::SelectOp::create(
      builder, location, unsafe, createNumber(location, type, 1), right);
  Value result = divide(divisor);
  if (!isMinusOne || !isQuotient)
    // The remainder by 1 is that by -1.
    return result;
  Value negative = arith::SubIOp::create(builder, location,
                                         createZero(location, type), left);
  return arith::SelectOp::create(builder, location, isMinusOne, negative,
                                 result);
}

/// A shift by the width or more, or by a negative amount, gives 0, or the sign.
Value Generator::generateShift(const checked::BinaryExpr &binary, Value left,
                               Value right) {
  Location location = getLocation(binary.range);
  mlir::Type type = left.getType();
  ElementType element = binary.type.getElement();
  unsigned width = getBits(element);
  unsigned amountWidth = getBits(binary.operands[1]->type.getElement());
  bool isRight = binary.op == BinaryOp::ShiftRight;
  bool keepsSign = isRight && isSignedInt(element);

  Value isInside;
  if (!binary.isProven)
    // Read as unsigned, a negative amount is large.
    isInside = arith::CmpIOp::create(
        builder, location, arith::CmpIPredicate::ult, right,
        createNumber(location, right.getType(), width));
  // What is inside fits every type.
  Value amount = right;
  if (amountWidth > width)
    amount = arith::TruncIOp::create(builder, location, type, right);
  else if (amountWidth < width)
    amount = arith::ExtUIOp::create(builder, location, type, right);
  // Of 64-bit amounts LLVM's back end believes that the instruction takes all
  // of them, and drops a select that says the same; it takes the low 32.
  if (isInside && width == 64 && !keepsSign)
    amount = arith::AndIOp::create(builder, location, amount,
                                   createNumber(location, type, width - 1));
  else if (isInside)
    amount = arith::SelectOp::create(
        builder, location, isInside, amount,
        createNumber(location, type, keepsSign ? width - 1 : 0));
  if (keepsSign)
    return arith::ShRSIOp::create(builder, location, left, amount);
  Value shifted;
  if (isRight)
    shifted = arith::ShRUIOp::create(builder, location, left, amount);
  else
    shifted = arith::ShLIOp::create(builder, location, left, amount);
  if (!isInside)
    return shifted;
  return arith::SelectOp::create(builder, location, isInside, shifted,
                                 createZero(location, type));
}

Value Generator::generateComparison(const checked::BinaryExpr &binary,
                                    Value left, Value right) {
  Location location = getLocation(binary.range);
  ElementType element = binary.operands[0]->type.getElement();
  if (isFloat(element)) {
    static constexpr arith::CmpFPredicate predicates[] = {
        arith::CmpFPredicate::OEQ, arith::CmpFPredicate::UNE,
        arith::CmpFPredicate::OLT, arith::CmpFPredicate::OLE,
        arith::CmpFPredicate::OGT, arith::CmpFPredicate::OGE};
    unsigned which = unsigned(binary.op) - unsigned(BinaryOp::Equal);
    return arith::CmpFOp::create(builder, location, predicates[which], left,
                                 right);
  }
  static constexpr arith::CmpIPredicate signedPredicates[] = {
      arith::CmpIPredicate::eq,  arith::CmpIPredicate::ne,
      arith::CmpIPredicate::slt, arith::CmpIPredicate::sle,
      arith::CmpIPredicate::sgt, arith::CmpIPredicate::sge};
  static constexpr arith::CmpIPredicate unsignedPredicates[] = {
      arith::CmpIPredicate::eq,  arith::CmpIPredicate::ne,
      arith::CmpIPredicate::ult, arith::CmpIPredicate::ule,
      arith::CmpIPredicate::ugt, arith::CmpIPredicate::uge};
  unsigned which = unsigned(binary.op) - unsigned(BinaryOp::Equal);
  return arith::CmpIOp::create(builder, location,
                               isSignedInt(element) ? signedPredicates[which]
                                                    : unsignedPredicates[which],
                               left, right);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

Value Generator::generateMath(const checked::CallExpr &call, Value operand) {
  Location location = getLocation(call.range);
  switch (call.builtin) {
  case Builtin::Exp:
    return math::ExpOp::create(builder, location, operand);
  case Builtin::Exp2:
    return math::Exp2Op::create(builder, location, operand);
  case Builtin::Log:
    return math::LogOp::create(builder, location, operand);
  case Builtin::Log2:
    return math::Log2Op::create(builder, location, operand);
  case Builtin::Sqrt:
    return math::SqrtOp::create(builder, location, operand);
  case Builtin::Rsqrt:
    return math::RsqrtOp::create(builder, location, operand);
  case Builtin::Rcp:
    // The flag says that it may round as the hardware's reciprocal does.
    return arith::DivFOp::create(builder, location,
                                 createNumber(location, operand.getType(), 1),
                                 operand, arith::FastMathFlags::arcp);
  case Builtin::Sin:
    return math::SinOp::create(builder, location, operand);
  case Builtin::Cos:
    return math::CosOp::create(builder, location, operand);
  case Builtin::Tanh:
    return math::TanhOp::create(builder, location, operand);
  case Builtin::TanhApprox:
    return math::TanhOp::create(builder, location, operand,
                                arith::FastMathFlags::afn);
  case Builtin::Erf:
    return math::ErfOp::create(builder, location, operand);
  default:
    llvm_unreachable("not of the group Math");
  }
}

/// ceil(left / right) for right > 0.  What right <= 0 gives is unspecified, but
/// it must give something.
Value Generator::generateCeilDiv(const checked::CallExpr &call, Value left,
                                 Value right) {
  Location location = getLocation(call.range);
  mlir::Type type = left.getType();
  bool isSigned = isSignedInt(call.type.getElement());
  Value divisor = right;
  const auto &constant = call.operands[1]->constant;
  // The checker refuses constants of 0 and below.
  const Expr *scalar = call.operands[1].get();
  if (const auto *splat = dyn_cast<checked::SplatExpr>(scalar))
    scalar = splat->operands[0].get();
  if (!constant && !scalar->constant) {
    Value one = createNumber(location, type, 1);
    if (isSigned)
      divisor = arith::MaxSIOp::create(builder, location, right, one);
    else
      divisor = arith::MaxUIOp::create(builder, location, right, one);
  }
  if (isSigned)
    return arith::CeilDivSIOp::create(builder, location, left, divisor);
  return arith::CeilDivUIOp::create(builder, location, left, divisor);
}

Value Generator::generateCall(const checked::CallExpr &call) {
  Location location = getLocation(call.range);
  ElementType element = call.operands.back()->type.getElement();
  bool isFloating = isFloat(element), isSigned = isSignedInt(element);
  llvm::SmallVector<Value, 3> operands;
  for (const checked::ExprPtr &operand : call.operands)
    operands.push_back(generate(*operand));

  if (getGroup(call.builtin) == BuiltinGroup::Math) {
    // 16-bit floats compute in f32 and round once.
    bool isHalf = element == ElementType::F16 || element == ElementType::BF16;
    if (!isHalf)
      return generateMath(call, operands[0]);
    Value wide = createCast(location, operands[0], element, ElementType::F32,
                            CastMode::Default);
    return createCast(location, generateMath(call, wide), ElementType::F32,
                      element, CastMode::Default);
  }
  switch (call.builtin) {
  case Builtin::Min:
    if (isFloating)
      return arith::MinNumFOp::create(builder, location, operands[0],
                                      operands[1]);
    if (isSigned)
      return arith::MinSIOp::create(builder, location, operands[0],
                                    operands[1]);
    return arith::MinUIOp::create(builder, location, operands[0], operands[1]);
  case Builtin::Max:
    if (isFloating)
      return arith::MaxNumFOp::create(builder, location, operands[0],
                                      operands[1]);
    if (isSigned)
      return arith::MaxSIOp::create(builder, location, operands[0],
                                    operands[1]);
    return arith::MaxUIOp::create(builder, location, operands[0], operands[1]);
  case Builtin::Abs:
    if (isFloating)
      return math::AbsFOp::create(builder, location, operands[0]);
    if (isSigned)
      return math::AbsIOp::create(builder, location, operands[0]);
    return operands[0];
  case Builtin::CeilDiv:
    return generateCeilDiv(call, operands[0], operands[1]);
  case Builtin::Select:
    return arith::SelectOp::create(builder, location, operands[0], operands[1],
                                   operands[2]);
  case Builtin::Fma:
    return math::FmaOp::create(builder, location, operands[0], operands[1],
                               operands[2]);
  case Builtin::Floor:
    return math::FloorOp::create(builder, location, operands[0]);
  case Builtin::Ceil:
    return math::CeilOp::create(builder, location, operands[0]);
  case Builtin::Trunc:
    return math::TruncOp::create(builder, location, operands[0]);
  case Builtin::Round:
    return math::RoundEvenOp::create(builder, location, operands[0]);
  case Builtin::IsNan:
    return math::IsNaNOp::create(builder, location, operands[0]);
  case Builtin::IsInf:
    return math::IsInfOp::create(builder, location, operands[0]);
  default:
    llvm_unreachable("the checker leaves no other calls");
  }
}
