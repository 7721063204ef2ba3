//===- PingPong.cpp - Teams that take a ring of buffers in turns ----------===//

#include "dialects/Tile/Transforms/PingPong.h"
#include "dialects/Tile/Transforms/SchedulePlan.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::tile;

RingPosition tile::skipIterations(OpBuilder &builder, Location loc,
                                  RingPosition position, int64_t stages,
                                  Value lower, Value upper, int64_t step) {
  auto getConstant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI64IntegerAttr(value));
  };
  // None of an empty range.
  Value extent = arith::SubIOp::create(
      builder, loc, arith::MaxSIOp::create(builder, loc, upper, lower), lower);
  Value trips = extent;
  if (step != 1)
    trips = arith::CeilDivUIOp::create(builder, loc, extent, getConstant(step));
  Value place = arith::AddIOp::create(builder, loc, position.slot, trips);
  Value rounds =
      arith::DivUIOp::create(builder, loc, place, getConstant(stages));
  Value slot = arith::RemUIOp::create(builder, loc, place, getConstant(stages));
  Value flips = arith::AndIOp::create(builder, loc, rounds, getConstant(1));
  return {slot, arith::XOrIOp::create(builder, loc, position.phase, flips)};
}

PingPong::PingPong(KernelOp kernel)
    : kernel(kernel), loc(kernel.getLoc()), teams(tile::getTeams(kernel)) {}

Value PingPong::getConstant(OpBuilder &builder, int64_t value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getI64IntegerAttr(value));
}

void PingPong::makeBarriers(OpBuilder &builder) {
  if (!takesTurns())
    return;
  turns = BarrierAllocOp::create(
      builder, loc, BarrierType::get(builder.getContext(), teams),
      builder.getStringAttr("turn"), /*count=*/1, IntegerAttr(),
      /*cluster=*/false);
}

Value PingPong::emitFirstParity(OpBuilder &builder, int64_t team) {
  // Nobody gives the first one to team 0: on a fresh barrier parity 1 passes.
  return getConstant(builder, team == 0 ? 1 : 0);
}

Value PingPong::awaitTurn(OpBuilder &builder, int64_t team, Value parity) {
  following = getConstant(builder, (team + 1) % teams);
  WaitOp::create(builder, loc, turns, getConstant(builder, team), parity);
  return arith::XOrIOp::create(builder, loc, parity, getConstant(builder, 1));
}

void PingPong::passTurn(OpBuilder &builder) {
  ArriveOp::create(builder, loc, turns, following, /*predicate=*/Value(),
                   /*per_warpgroup=*/true);
}
