//===- RingLoop.cpp - A loop of products over rings of buffers ------------===//

#include "dialects/Tile/Transforms/RingLoop.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::tile;

Value tile::getLeftOperand(WgmmaOp product) {
  return product.getMma().getSwap() ? product.getB() : product.getA();
}

Value tile::getRightOperand(WgmmaOp product) {
  return product.getMma().getSwap() ? product.getA() : product.getB();
}

//===----------------------------------------------------------------------===//
// The parts of the loop
//===----------------------------------------------------------------------===//

bool RingLoop::handsBack(ArriveOp arrive) {
  return arrive.isByParts() && !arrive.getPredicate() &&
         isa_and_nonnull<BlockArgument>(arrive.getIndex());
}

bool RingLoop::haveBuffers() {
  return !arrivals.empty() && llvm::all_of(arrivals, [](ArriveOp arrive) {
    return arrive.getBarrier().getType().getCount() >= fewestBuffers;
  });
}

bool RingLoop::readsRing(WgmmaOp product) {
  auto stage = getRightOperand(product).getDefiningOp<StageOp>();
  return isa<RankedTensorType>(getLeftOperand(product).getType()) && stage &&
         stage->getBlock() == loop.getBody() && stage.getInRange() &&
         stage.getSource().getType().getShape().front() >= fewestBuffers;
}

bool RingLoop::checkSums(WgmmaOp first, MmaWaitOp last) {
  auto sums = dyn_cast<BlockArgument>(first.getAccumulator());
  if (!sums || sums.getOwner() != loop.getBody() || !sums.hasOneUse() ||
      sums == loop.getInductionVar() || !last.getResult().hasOneUse())
    return false;
  sumsIndex = sums.getArgNumber() - loop.getNumInductionVars();
  Value initial = loop.getInitArgs()[sumsIndex];
  startsAtZero = matchPattern(initial, m_AnyZeroFloat()) ||
                 matchPattern(initial, m_Zero());
  OpOperand &use = *last.getResult().use_begin();
  return isa<scf::YieldOp>(use.getOwner()) &&
         use.getOperandNumber() == sumsIndex;
}

bool RingLoop::checkCarried() {
  for (unsigned i = 0; i < loop.getNumRegionIterArgs(); ++i)
    if (i != sumsIndex && !isPlace(loop.getRegionIterArg(i)) &&
        (!isa<RankedTensorType>(loop.getRegionIterArg(i).getType()) ||
         !loop.getResult(i).use_empty()))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// What is written anew
//===----------------------------------------------------------------------===//

Value RingLoop::makeConstant(int64_t value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getI64IntegerAttr(value));
}

SmallVector<Value> RingLoop::getInits() {
  SmallVector<Value> inits;
  for (auto [i, init] : llvm::enumerate(loop.getInitArgs()))
    if (i != sumsIndex)
      inits.push_back(init);
  return inits;
}

Value RingLoop::startSums(Type inFlight) {
  Value initial = loop.getInitArgs()[sumsIndex];
  return MmaCarryOp::create(builder, loc, inFlight,
                            startsAtZero ? Value() : initial);
}

void RingLoop::mapCarried(IRMapping &mapping, ArrayRef<Value> values) {
  for (unsigned i = 0, place = 0; i < loop.getNumRegionIterArgs(); ++i)
    if (i != sumsIndex)
      mapping.map(loop.getRegionIterArg(i), values[place++]);
}

SmallVector<Value> RingLoop::getYielded(const IRMapping &mapping) {
  SmallVector<Value> values;
  for (auto [i, value] :
       llvm::enumerate(loop.getBody()->getTerminator()->getOperands()))
    if (i != sumsIndex)
      values.push_back(mapping.lookupOrDefault(value));
  return values;
}

SmallVector<Value> RingLoop::getSlots(const IRMapping &mapping) {
  return llvm::map_to_vector(arrivals, [&](ArriveOp arrive) {
    return mapping.lookup(arrive.getIndex());
  });
}

void RingLoop::arrive(ArrayRef<Value> slots, Value predicate) {
  for (auto [arrive, slot] : llvm::zip_equal(arrivals, slots))
    ArriveOp::create(builder, arrive.getLoc(), arrive.getBarrier(), slot,
                     predicate, arrive.getPerWarpgroup(), arrive.getPerWarp());
}

SmallVector<Value> RingLoop::getResults(Value sums, ArrayRef<Value> carried) {
  SmallVector<Value> results{sums};
  llvm::copy_if(carried, std::back_inserter(results), isPlace);
  return results;
}

void RingLoop::replace(function_ref<SmallVector<Value>()> emitAll) {
  SmallVector<Value> none =
      getResults(loop.getInitArgs()[sumsIndex], getInits());
  Value runs =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                            loop.getLowerBound(), loop.getUpperBound());
  auto all = scf::IfOp::create(builder, loc, ValueRange(none).getTypes(), runs,
                               /*withElseRegion=*/true);
  builder.setInsertionPointToStart(all.thenBlock());
  SmallVector<Value> results = emitAll();
  builder.setInsertionPointToEnd(all.thenBlock());
  scf::YieldOp::create(builder, loc, results);
  builder.setInsertionPointToStart(all.elseBlock());
  scf::YieldOp::create(builder, loc, none);
  unsigned place = 1;
  for (auto [i, result] : llvm::enumerate(loop.getResults()))
    if (i == sumsIndex)
      result.replaceAllUsesWith(all.getResult(0));
    else if (isPlace(result))
      result.replaceAllUsesWith(all.getResult(place++));
  loop.erase();
}
