//===- IterationShare.cpp - A block's share of a loop ---------------------===//

#include "dialects/Tile/Transforms/IterationShare.h"
#include "dialects/Tile/IR/TileShareOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::tile;

/// Of n iterations share s runs n / p, and one more if s < n % p.  All
/// arithmetic stays within the range of the loop.
void tile::cutToShare(OpBuilder &builder, PipelinedOp loop, Value share,
                      int64_t shares) {
  Location loc = loop.getLoc();
  auto get = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI64IntegerAttr(value));
  };
  auto add = [&](Value a, Value b) {
    return builder.createOrFold<arith::AddIOp>(loc, a, b);
  };
  auto multiply = [&](Value a, Value b) {
    return builder.createOrFold<arith::MulIOp>(loc, a, b);
  };
  auto compare = [&](arith::CmpIPredicate predicate, Value a, Value b) {
    return builder.createOrFold<arith::CmpIOp>(loc, predicate, a, b);
  };
  auto select = [&](Value condition, Value a, Value b) {
    return builder.createOrFold<arith::SelectOp>(loc, condition, a, b);
  };
  Value lower = loop.getLower(), upper = loop.getUpper();
  Value step = get(loop.getStep()), count = get(shares);
  Value isEmpty = compare(arith::CmpIPredicate::sge, lower, upper);
  // The distance is below 2^64, its quotients may count all of it.
  Value distance = builder.createOrFold<arith::SubIOp>(loc, upper, lower);
  Value last = builder.createOrFold<arith::DivUIOp>(
      loc, builder.createOrFold<arith::SubIOp>(loc, distance, get(1)), step);
  Value steps = select(isEmpty, get(0), add(last, get(1)));
  Value each = builder.createOrFold<arith::DivUIOp>(loc, steps, count);
  Value extra = builder.createOrFold<arith::RemUIOp>(loc, steps, count);
  Value begin = add(multiply(share, each),
                    builder.createOrFold<arith::MinUIOp>(loc, share, extra));
  Value hasExtra = compare(arith::CmpIPredicate::ult, share, extra);
  Value size = add(each, builder.createOrFold<arith::ExtUIOp>(
                             loc, builder.getI64Type(), hasExtra));
  // Behind the last iteration lies the end of the loop.
  auto getPlace = [&](Value number) {
    Value isBehind = compare(arith::CmpIPredicate::uge, number, steps);
    return select(isBehind, upper, add(lower, multiply(number, step)));
  };
  loop.getLowerMutable().set(getPlace(begin));
  loop.getUpperMutable().set(getPlace(add(begin, size)));
  loop->removeAttr(splitAttrName);
}

/// What can be added to any number without changing it.
static TypedAttr getNeutral(Builder &builder, RankedTensorType type) {
  Type element = type.getElementType();
  Attribute zero =
      isa<FloatType>(element)
          ? Attribute(builder.getFloatAttr(
                element,
                APFloat::getZero(cast<FloatType>(element).getFloatSemantics(),
                                 /*Negative=*/true)))
          : Attribute(builder.getIntegerAttr(element, 0));
  return DenseElementsAttr::get(type, zero);
}

void tile::startSums(OpBuilder &builder, PipelinedOp loop, Value isFirst) {
  Location loc = loop.getLoc();
  for (OpOperand &init : loop.getInitArgsMutable()) {
    // +0 in each block adds up to +0.
    if (matchPattern(init.get(), m_Zero()) ||
        matchPattern(init.get(), m_PosZeroFloat()))
      continue;
    auto type = cast<RankedTensorType>(init.get().getType());
    auto branch = scf::IfOp::create(builder, loc, TypeRange(type), isFirst,
                                    /*addThenBlock=*/true,
                                    /*addElseBlock=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(branch.thenBlock());
    scf::YieldOp::create(builder, loc, init.get());
    builder.setInsertionPointToEnd(branch.elseBlock());
    Value neutral =
        arith::ConstantOp::create(builder, loc, getNeutral(builder, type));
    scf::YieldOp::create(builder, loc, neutral);
    init.set(branch.getResult(0));
  }
}
