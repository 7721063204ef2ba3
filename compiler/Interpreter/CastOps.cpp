//===- CastOps.cpp - Conversions between element types --------------------===//
//
// All conversions are those of docs/language.md section 10; those of `arith`
// agree with them wherever `arith` defines a value.
//
//===----------------------------------------------------------------------===//
#include "compiler/Interpreter/BlockInterpreter.h"

#include "compiler/Numerics/NumberCast.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tilec;

static NumberFormat getFormat(Value value, bool isUnsigned = false) {
  return *findFormat(tile::getTileElementType(value.getType()), isUnsigned);
}

/// An integer of any signedness as it is held: sign-extended, i1 as 0 or 1.
static int64_t normalize(NumberFormat format, int64_t value) {
  unsigned bits = getStorageBits(format);
  if (format == NumberFormat::Bool)
    return value;
  return int64_t(uint64_t(value) << (64 - bits)) >> (64 - bits);
}

static RuntimeValue convertFloats(const Floats &source, NumberFormat to,
                                  CastMode mode) {
  if (isFloat(to))
    return mapElements<double>(
        [&](double x) { return castToFloat(x, to, mode); }, source);
  return mapElements<int64_t>(
      [&](double x) { return normalize(to, castToInteger(x, to)); }, source);
}

static RuntimeValue convertIntegers(const Integers &source, NumberFormat from,
                                    NumberFormat to, CastMode mode) {
  bool isUnsigned = !isSignedInteger(from);
  auto read = [from](int64_t x) {
    return decodeInteger(from, encodeInteger(from, x));
  };
  if (isFloat(to))
    return mapElements<double>(
        [&](int64_t x) { return castToFloat(read(x), isUnsigned, to, mode); },
        source);
  return mapElements<int64_t>(
      [&](int64_t x) {
        return normalize(to, castToInteger(read(x), isUnsigned, to, mode));
      },
      source);
}

/// Converts by value.  A float with more precision than its type is rounded to
/// a shorter type in one step; any other conversion sees what its type can
/// hold.
static RuntimeValue convert(BlockInterpreter &block, Value source,
                            NumberFormat from, NumberFormat to, CastMode mode) {
  if (!isFloat(from))
    return convertIntegers(block.getIntegers(source), from, to, mode);
  bool isShorter = isFloat(to) && (getStorageBits(to) < getStorageBits(from) ||
                                   to == NumberFormat::TF32);
  return convertFloats(isShorter ? block.get(source).getFloats()
                                 : block.getRounded(source),
                       to, mode);
}

static LogicalResult executeCast(BlockInterpreter &block, tile::CastOp op) {
  std::optional<CastMode> mode = findCastMode(op.getMode().value_or(""));
  if (!mode)
    return block.fail(op, "no cast mode is called '" + *op.getMode() + "'");
  NumberFormat from = getFormat(op.getSource(), op.getSourceUnsigned()),
               to = getFormat(op.getResult(), op.getResultUnsigned());
  // As the folder of the op has it.
  block.set(op.getResult(),
            from == to ? block.get(op.getSource())
                       : convert(block, op.getSource(), from, to, *mode));
  return success();
}

/// A conversion of `arith` whose integers are all signed, or all unsigned.
template <typename Op, bool isUnsigned>
static LogicalResult executeArithCast(BlockInterpreter &block, Op op) {
  NumberFormat from = getFormat(op.getIn(), isUnsigned),
               to = getFormat(op.getOut(), isUnsigned);
  // The one bit of a signed i1 is its sign.
  if (from == NumberFormat::Bool && !isUnsigned) {
    Integers negated = mapElements<int64_t>([](int64_t x) { return -x; },
                                            block.getIntegers(op.getIn()));
    block.set(op.getResult(), convertIntegers(negated, NumberFormat::Int64, to,
                                              CastMode::Default));
    return success();
  }
  block.set(op.getResult(),
            convert(block, op.getIn(), from, to, CastMode::Default));
  return success();
}

static LogicalResult executeTruncF(BlockInterpreter &block,
                                   arith::TruncFOp op) {
  if (op.getRoundingmode() &&
      *op.getRoundingmode() != arith::RoundingMode::to_nearest_even)
    return block.fail(op, "the interpreter rounds to nearest even only");
  return executeArithCast<arith::TruncFOp, false>(block, op);
}

static LogicalResult executeTruncI(BlockInterpreter &block,
                                   arith::TruncIOp op) {
  NumberFormat to = getFormat(op.getOut());
  auto keep = [to](int64_t x) {
    return to == NumberFormat::Bool ? x & 1 : normalize(to, x);
  };
  block.set(op.getResult(),
            mapElements<int64_t>(keep, block.getIntegers(op.getIn())));
  return success();
}

static LogicalResult executeBitcast(BlockInterpreter &block,
                                    arith::BitcastOp op) {
  NumberFormat from = getFormat(op.getIn()), to = getFormat(op.getOut());
  RuntimeValue source = block.getNarrow(op.getIn());
  Integers codes =
      isFloat(from)
          ? mapElements<int64_t>(
                [&](double x) { return int64_t(encodeFloat(from, x)); },
                source.getFloats())
          : mapElements<int64_t>(
                [&](int64_t x) { return int64_t(encodeInteger(from, x)); },
                source.getIntegers());
  if (isFloat(to))
    block.set(
        op.getResult(),
        mapElements<double>(
            [&](int64_t x) { return decodeFloat(to, uint64_t(x)); }, codes));
  else
    block.set(
        op.getResult(),
        mapElements<int64_t>(
            [&](int64_t x) { return decodeInteger(to, uint64_t(x)); }, codes));
  return success();
}

void tilec::addCastHandlers(HandlerTable &table) {
  table.add<tile::CastOp, executeCast>();
  table.add<arith::TruncFOp, executeTruncF>();
  table.add<arith::TruncIOp, executeTruncI>();
  table.add<arith::BitcastOp, executeBitcast>();
  table.add<arith::ExtFOp, executeArithCast<arith::ExtFOp, false>>();
  table.add<arith::ExtSIOp, executeArithCast<arith::ExtSIOp, false>>();
  table.add<arith::ExtUIOp, executeArithCast<arith::ExtUIOp, true>>();
  table.add<arith::SIToFPOp, executeArithCast<arith::SIToFPOp, false>>();
  table.add<arith::UIToFPOp, executeArithCast<arith::UIToFPOp, true>>();
  table.add<arith::FPToSIOp, executeArithCast<arith::FPToSIOp, false>>();
  table.add<arith::FPToUIOp, executeArithCast<arith::FPToUIOp, true>>();
  table.add<arith::IndexCastOp, executeArithCast<arith::IndexCastOp, false>>();
  table.add<arith::IndexCastUIOp,
            executeArithCast<arith::IndexCastUIOp, true>>();
}
