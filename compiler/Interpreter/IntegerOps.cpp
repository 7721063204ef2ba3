//===- IntegerOps.cpp - Integer arithmetic, comparisons and selects -------===//
//
// Results wrap to their width.  Where `arith` leaves a result open, it is the
// one of docs/language.md section 10: a shift by the width or more gives 0 or
// the sign.  A division by zero gives 0, which the language leaves open.
//
//===----------------------------------------------------------------------===//
#include "compiler/Interpreter/BlockInterpreter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tilec;

using I = int64_t;
using U = uint64_t;

static unsigned getWidth(Value value) {
  Type type = tile::getTileElementType(value.getType());
  return isa<IndexType>(type) ? 64 : type.getIntOrFloatBitWidth();
}

/// An integer of `width` bits as arithmetic sees it: sign-extended.
static I extend(I value, unsigned width) {
  return I(U(value) << (64 - width)) >> (64 - width);
}
/// The same number as unsigned.
static U zeroExtend(I value, unsigned width) {
  return U(value) << (64 - width) >> (64 - width);
}
/// As it is held: sign-extended, but 0 or 1 for i1.
static I hold(I value, unsigned width) {
  return width == 1 ? value & 1 : extend(value, width);
}

//===----------------------------------------------------------------------===//
// Operations on sign-extended operands; the result is wrapped afterwards
//===----------------------------------------------------------------------===//

static I add(I a, I b, unsigned) { return I(U(a) + U(b)); }
static I subtract(I a, I b, unsigned) { return I(U(a) - U(b)); }
static I multiply(I a, I b, unsigned) { return I(U(a) * U(b)); }
static I bitAnd(I a, I b, unsigned) { return a & b; }
static I bitOr(I a, I b, unsigned) { return a | b; }
static I bitXor(I a, I b, unsigned) { return a ^ b; }

static I divideSigned(I a, I b, unsigned) {
  if (b == 0)
    return 0;
  return b == -1 ? I(0 - U(a)) : a / b;
}
static I remainderSigned(I a, I b, unsigned) {
  return b == 0 || b == -1 ? 0 : a % b;
}
static I floorDivideSigned(I a, I b, unsigned width) {
  bool isBelow =
      b != 0 && remainderSigned(a, b, width) != 0 && (a < 0) != (b < 0);
  return divideSigned(a, b, width) - isBelow;
}
static I ceilDivideSigned(I a, I b, unsigned width) {
  bool isAbove =
      b != 0 && remainderSigned(a, b, width) != 0 && (a < 0) == (b < 0);
  return divideSigned(a, b, width) + isAbove;
}
static I divideUnsigned(I a, I b, unsigned width) {
  U divisor = zeroExtend(b, width);
  return divisor == 0 ? 0 : I(zeroExtend(a, width) / divisor);
}
static I remainderUnsigned(I a, I b, unsigned width) {
  U divisor = zeroExtend(b, width);
  return divisor == 0 ? 0 : I(zeroExtend(a, width) % divisor);
}
static I ceilDivideUnsigned(I a, I b, unsigned width) {
  return divideUnsigned(a, b, width) + (remainderUnsigned(a, b, width) != 0);
}

static I shiftLeft(I a, I b, unsigned width) {
  return zeroExtend(b, width) >= width ? 0 : I(U(a) << b);
}
static I shiftRightSigned(I a, I b, unsigned width) {
  return zeroExtend(b, width) >= width ? a >> 63 : a >> b;
}
static I shiftRightUnsigned(I a, I b, unsigned width) {
  return zeroExtend(b, width) >= width ? 0 : I(zeroExtend(a, width) >> b);
}

static I maxSigned(I a, I b, unsigned) { return std::max(a, b); }
static I minSigned(I a, I b, unsigned) { return std::min(a, b); }
static I maxUnsigned(I a, I b, unsigned width) {
  return zeroExtend(a, width) < zeroExtend(b, width) ? b : a;
}
static I minUnsigned(I a, I b, unsigned width) {
  return zeroExtend(b, width) < zeroExtend(a, width) ? b : a;
}

static bool compare(arith::CmpIPredicate predicate, I a, I b, unsigned width) {
  using P = arith::CmpIPredicate;
  U ua = zeroExtend(a, width), ub = zeroExtend(b, width);
  switch (predicate) {
  case P::eq:
    return a == b;
  case P::ne:
    return a != b;
  case P::slt:
    return a < b;
  case P::sle:
    return a <= b;
  case P::sgt:
    return a > b;
  case P::sge:
    return a >= b;
  case P::ult:
    return ua < ub;
  case P::ule:
    return ua <= ub;
  case P::ugt:
    return ua > ub;
  case P::uge:
    return ua >= ub;
  }
  llvm_unreachable("all predicates are listed");
}

//===----------------------------------------------------------------------===//
// Handlers
//===----------------------------------------------------------------------===//

template <typename Op, I (*compute)(I, I, unsigned)>
static LogicalResult executeBinary(BlockInterpreter &block, Op op) {
  unsigned width = getWidth(op.getResult());
  block.set(
      op.getResult(),
      mapElements<I>(
          [width](I a, I b) {
            return hold(compute(extend(a, width), extend(b, width), width),
                        width);
          },
          block.getIntegers(op.getLhs()), block.getIntegers(op.getRhs())));
  return success();
}

static LogicalResult executeCompare(BlockInterpreter &block, arith::CmpIOp op) {
  unsigned width = getWidth(op.getLhs());
  arith::CmpIPredicate predicate = op.getPredicate();
  block.set(op.getResult(), mapElements<I>(
                                [=](I a, I b) {
                                  return I(compare(predicate, extend(a, width),
                                                   extend(b, width), width));
                                },
                                block.getIntegers(op.getLhs()),
                                block.getIntegers(op.getRhs())));
  return success();
}

static LogicalResult executeAbs(BlockInterpreter &block, math::AbsIOp op) {
  unsigned width = getWidth(op.getResult());
  block.set(
      op.getResult(),
      mapElements<I>([=](I a) { return hold(a < 0 ? I(0 - U(a)) : a, width); },
                     block.getIntegers(op.getOperand())));
  return success();
}

static LogicalResult executeSelect(BlockInterpreter &block,
                                   arith::SelectOp op) {
  const Integers &condition = block.getIntegers(op.getCondition());
  const RuntimeValue &yes = block.get(op.getTrueValue());
  const RuntimeValue &no = block.get(op.getFalseValue());
  if (yes.isFloat())
    block.set(op.getResult(),
              RuntimeValue(mapElements<double>(
                               [](I chosen, double a, double b) {
                                 return chosen ? a : b;
                               },
                               condition, yes.getFloats(), no.getFloats()),
                           yes.isWide() || no.isWide()));
  else
    block.set(op.getResult(),
              mapElements<I>([](I chosen, I a, I b) { return chosen ? a : b; },
                             condition, yes.getIntegers(), no.getIntegers()));
  return success();
}

template <typename Op, I (*compute)(I, I, unsigned)>
static void addBinary(HandlerTable &table) {
  table.add<Op, executeBinary<Op, compute>>();
}

void tilec::addIntegerHandlers(HandlerTable &table) {
  addBinary<arith::AddIOp, add>(table);
  addBinary<arith::SubIOp, subtract>(table);
  addBinary<arith::MulIOp, multiply>(table);
  addBinary<arith::DivSIOp, divideSigned>(table);
  addBinary<arith::DivUIOp, divideUnsigned>(table);
  addBinary<arith::RemSIOp, remainderSigned>(table);
  addBinary<arith::RemUIOp, remainderUnsigned>(table);
  addBinary<arith::CeilDivSIOp, ceilDivideSigned>(table);
  addBinary<arith::CeilDivUIOp, ceilDivideUnsigned>(table);
  addBinary<arith::FloorDivSIOp, floorDivideSigned>(table);
  addBinary<arith::AndIOp, bitAnd>(table);
  addBinary<arith::OrIOp, bitOr>(table);
  addBinary<arith::XOrIOp, bitXor>(table);
  addBinary<arith::ShLIOp, shiftLeft>(table);
  addBinary<arith::ShRSIOp, shiftRightSigned>(table);
  addBinary<arith::ShRUIOp, shiftRightUnsigned>(table);
  addBinary<arith::MaxSIOp, maxSigned>(table);
  addBinary<arith::MinSIOp, minSigned>(table);
  addBinary<arith::MaxUIOp, maxUnsigned>(table);
  addBinary<arith::MinUIOp, minUnsigned>(table);
  table.add<arith::CmpIOp, executeCompare>();
  table.add<arith::SelectOp, executeSelect>();
  table.add<math::AbsIOp, executeAbs>();
}
