//===- ExpressionToNVVM.cpp - Extents that the launch computes too --------===//
//
// The launch has checked every value that is used, by the rules of the
// language. Operators that it skips, as those of the untaken side of a
// `select`, are computed here all the same, so none may be undefined whatever
// its operands.
//
//===----------------------------------------------------------------------===//

#include "compiler/Conversion/TileToNVVM/KernelEmitter.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::tile;

using Predicate = arith::CmpIPredicate;
using BinaryEmitter = Value (*)(KernelEmitter &e, Value a, Value b);

template <typename Op> static Value emitOp(KernelEmitter &e, Value a, Value b) {
  return e.builder.createOrFold<Op>(e.loc, a, b);
}

static Value toBool(KernelEmitter &e, Value value) {
  return e.compare(Predicate::ne, value, e.i64(0));
}

static Value fromBool(KernelEmitter &e, Value value) {
  return e.builder.createOrFold<arith::ExtUIOp>(e.loc, e.builder.getI64Type(),
                                                value);
}

template <Predicate predicate>
static Value emitComparison(KernelEmitter &e, Value a, Value b) {
  return fromBool(e, e.compare(predicate, a, b));
}

/// A divisor by which everything can be divided: `b`, or 1 for 0 and -1.
static Value getSafeDivisor(KernelEmitter &e, Value b) {
  Value isUnsafe = e.compare(Predicate::ult, e.add(b, e.i64(1)), e.i64(2));
  return e.select(isUnsafe, e.i64(1), b);
}

static Value emitDivision(KernelEmitter &e, Value a, Value b) {
  Value quotient = emitOp<arith::DivSIOp>(e, a, getSafeDivisor(e, b));
  return e.select(e.compare(Predicate::eq, b, e.i64(-1)), e.sub(e.i64(0), a),
                  quotient);
}

static Value emitRemainder(KernelEmitter &e, Value a, Value b) {
  // That by 1 is that by -1.
  return emitOp<arith::RemSIOp>(e, a, getSafeDivisor(e, b));
}

static Value emitCeilDivision(KernelEmitter &e, Value a, Value b) {
  return emitDivision(e, e.add(a, e.sub(b, e.i64(1))), b);
}

static Value emitShiftLeft(KernelEmitter &e, Value a, Value b) {
  Value isInWidth = e.compare(Predicate::ult, b, e.i64(64));
  return e.select(isInWidth, emitOp<arith::ShLIOp>(e, a, b), e.i64(0));
}

static Value emitShiftRight(KernelEmitter &e, Value a, Value b) {
  return emitOp<arith::ShRSIOp>(e, a, emitOp<arith::MinUIOp>(e, b, e.i64(63)));
}

/// Null for an operator that does not take two operands.
static BinaryEmitter findBinaryEmitter(StringRef op) {
  return llvm::StringSwitch<BinaryEmitter>(op)
      .Case("+", emitOp<arith::AddIOp>)
      .Case("-", emitOp<arith::SubIOp>)
      .Case("*", emitOp<arith::MulIOp>)
      .Case("/", emitDivision)
      .Case("%", emitRemainder)
      .Case("ceildiv", emitCeilDivision)
      .Case("min", emitOp<arith::MinSIOp>)
      .Case("max", emitOp<arith::MaxSIOp>)
      .Case("==", emitComparison<Predicate::eq>)
      .Case("!=", emitComparison<Predicate::ne>)
      .Case("<", emitComparison<Predicate::slt>)
      .Case("<=", emitComparison<Predicate::sle>)
      .Case(">", emitComparison<Predicate::sgt>)
      .Case(">=", emitComparison<Predicate::sge>)
      .Case("&&",
            [](KernelEmitter &e, Value a, Value b) {
              return fromBool(e, e.andi(toBool(e, a), toBool(e, b)));
            })
      .Case("||",
            [](KernelEmitter &e, Value a, Value b) {
              return fromBool(e, e.ori(toBool(e, a), toBool(e, b)));
            })
      .Case("<<", emitShiftLeft)
      .Case(">>", emitShiftRight)
      .Case("&", emitOp<arith::AndIOp>)
      .Case("|", emitOp<arith::OrIOp>)
      .Case("^", emitOp<arith::XOrIOp>)
      .Default(nullptr);
}

Value KernelEmitter::emitExpression(Attribute expression) {
  if (auto integer = dyn_cast<IntegerAttr>(expression))
    return i64(integer.getInt());
  if (auto name = dyn_cast<StringAttr>(expression))
    return symbols.lookup(name.getValue());
  auto array = cast<ArrayAttr>(expression);
  StringRef op = cast<StringAttr>(array[0]).getValue();
  SmallVector<Value> operands;
  for (Attribute operand : array.getValue().drop_front())
    operands.push_back(emitExpression(operand));
  if (BinaryEmitter emit = findBinaryEmitter(op))
    return emit(*this, operands[0], operands[1]);
  if (op == "neg")
    return sub(i64(0), operands[0]);
  if (op == "!")
    return fromBool(*this, compare(Predicate::eq, operands[0], i64(0)));
  if (op == "select")
    return select(toBool(*this, operands[0]), operands[1], operands[2]);
  return {};
}
