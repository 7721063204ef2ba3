//===- ProductsInFlight.cpp - Products across the end of an iteration -----===//
//
// The tensor cores would stand still between the end of one product and the
// start of the next.  With one in flight:
//
//     for k, carrying the slot of the iteration before:
//       wait full[slot]; product; wait until 1 is pending
//       arrive empty[slot before], unless this is the first iteration
//     wait until none is pending; arrive empty[last slot]
//
// Sums that begin at 0 are not set: the first product overwrites them.  Where
// the sums of an iteration go on to arithmetic, its buffers are handed back in
// front of it.
//
//===----------------------------------------------------------------------===//

#include "dialects/Tile/Transforms/ProductsInFlight.h"
#include "dialects/Tile/IR/TileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::tile;

namespace {
/// The one product of a loop.
struct CarriedProduct {
  MmaWaitOp wait;
  /// Which of the carried values its sums are.
  unsigned index = 0;
  SmallVector<ArriveOp> arrivals;
};
} // namespace

/// Whether a tile is a buffer that an arrival hands back, and not the only one:
/// the next iteration would wait for what it has to hand back itself.
static bool isInRing(Value tile) {
  auto stage = tile.getDefiningOp<StageOp>();
  return stage && stage.getInRange() &&
         stage.getSource().getType().getShape().front() > 1;
}

static std::optional<CarriedProduct> findProduct(scf::ForOp loop) {
  CarriedProduct product;
  for (Operation &op : *loop.getBody()) {
    // Of several products each would have to be pending in turn.
    if (isa<WgmmaOp>(op) && product.wait)
      return std::nullopt;
    if (auto wait = dyn_cast<MmaWaitOp>(op))
      product.wait = wait;
    if (auto arrive = dyn_cast<ArriveOp>(op); arrive && arrive.isByParts())
      product.arrivals.push_back(arrive);
  }
  if (!product.wait || product.arrivals.empty())
    return std::nullopt;
  auto start = product.wait.getSums().getDefiningOp<WgmmaOp>();
  auto sums =
      start ? dyn_cast<BlockArgument>(start.getAccumulator()) : BlockArgument();
  // A tile without a ring is written again in the next iteration.
  if (!start || !isInRing(start.getA()) || !isInRing(start.getB()))
    return std::nullopt;
  if (!sums || sums.getOwner() != loop.getBody() || !sums.hasOneUse() ||
      start.getOverwrite() || !product.wait.getResult().hasOneUse())
    return std::nullopt;
  OpOperand &use = *product.wait.getResult().use_begin();
  product.index = sums.getArgNumber() - loop.getNumInductionVars();
  if (!isa<scf::YieldOp>(use.getOwner()) ||
      use.getOperandNumber() != product.index)
    return std::nullopt;
  // Slots that the loop itself carries.
  for (ArriveOp arrive : product.arrivals) {
    auto slot = dyn_cast_or_null<BlockArgument>(arrive.getIndex());
    if (!slot || slot.getOwner() != loop.getBody() || arrive.getPredicate() ||
        !product.wait->isBeforeInBlock(arrive))
      return std::nullopt;
  }
  return product;
}

/// Whether an op, or one in it, reads a shared tile.
static bool readsShared(Operation &op) {
  return op
      .walk([](Operation *inner) {
        auto isShared = [](Value memory) {
          return isa<SharedType>(memory.getType());
        };
        auto load = dyn_cast<LoadOp>(inner);
        auto element = dyn_cast<LoadElementOp>(inner);
        return (load && isShared(load.getMemory())) ||
                       (element && isShared(element.getMemory()))
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether there are products in the regions of an op.
static bool multiplies(Operation &op) {
  return op.getNumRegions() != 0 && op.walk([](Operation *inner) {
                                        return isa<WgmmaOp, MmaWaitOp>(inner)
                                                   ? WalkResult::interrupt()
                                                   : WalkResult::advance();
                                      }).wasInterrupted();
}

/// Moves arrivals up to the last wait for products, or the last read of a
/// shared tile: what is done with sums does not need the buffers.
static void advanceArrivals(scf::ForOp loop) {
  Operation *last = nullptr;
  bool waitsForAll = false;
  SmallVector<ArriveOp> arrivals;
  for (Operation &op : *loop.getBody()) {
    if (auto wait = dyn_cast<MmaWaitOp>(op)) {
      last = wait;
      waitsForAll = wait.getPending() == 0;
    }
    if (readsShared(op) || multiplies(op))
      last = &op;
    if (auto arrive = dyn_cast<ArriveOp>(op); arrive && arrive.isByParts())
      arrivals.push_back(arrive);
  }
  if (!last || !waitsForAll)
    return;
  for (ArriveOp arrive : arrivals)
    if (last->isBeforeInBlock(arrive) &&
        isa_and_nonnull<BlockArgument>(arrive.getIndex()) &&
        !arrive.getPredicate())
      arrive->moveAfter(last);
}

void tile::keepProductsInFlight(scf::ForOp loop) {
  std::optional<CarriedProduct> product = findProduct(loop);
  if (!product)
    return advanceArrivals(loop);
  IRRewriter builder(loop);
  Location loc = product->wait.getLoc();
  auto flying = product->wait.getSums().getType();
  unsigned index = product->index;

  // The sums stay in flight around the loop.
  OpOperand &init = loop.getInitArgsMutable()[index];
  Value initial = init.get();
  bool startsAtZero = matchPattern(initial, m_AnyZeroFloat()) ||
                      matchPattern(initial, m_Zero());
  init.set(MmaCarryOp::create(builder, loc, flying,
                              startsAtZero ? Value() : initial));
  loop.getRegionIterArg(index).setType(flying);
  loop.getResult(index).setType(flying);
  auto start = product->wait.getSums().getDefiningOp<WgmmaOp>();
  builder.setInsertionPointToStart(loop.getBody());
  Value isLater =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                            loop.getInductionVar(), loop.getLowerBound());
  if (startsAtZero)
    start.getAccumulatesMutable().assign(isLater);
  builder.setInsertionPoint(product->wait);
  auto waitOne = MmaWaitOp::create(builder, loc, flying,
                                   product->wait.getSums(), /*pending=*/1);
  product->wait.getResult().replaceAllUsesWith(waitOne.getResult());
  product->wait.erase();

  // Buffers are handed back an iteration later.
  SmallVector<Value> slots, inits;
  for (ArriveOp arrive : product->arrivals) {
    auto slot = cast<BlockArgument>(arrive.getIndex());
    slots.push_back(slot);
    inits.push_back(
        loop.getInitArgs()[slot.getArgNumber() - loop.getNumInductionVars()]);
  }
  builder.setInsertionPoint(loop);
  auto carrying = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      builder, inits, /*replaceInitOperandUsesInLoop=*/false,
      [&](OpBuilder &, Location, ArrayRef<BlockArgument>) { return slots; }));
  // Who only waits for the last buffer to be full need not wait for its
  // product.
  Operation *behind = carrying;
  while (isa<ArriveOp>(behind->getNextNode()))
    behind = behind->getNextNode();
  builder.setInsertionPointAfter(behind);
  Value sums = carrying.getResult(index);
  auto done = MmaWaitOp::create(builder, loc, flying.getFragment(), sums,
                                /*pending=*/0);
  Value ran =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                            carrying.getLowerBound(), carrying.getUpperBound());
  Value result = done.getResult();
  if (startsAtZero) {
    auto type = cast<RankedTensorType>(result.getType());
    Value mask =
        BroadcastOp::create(builder, loc, type.clone(builder.getI1Type()), ran);
    result = arith::SelectOp::create(builder, loc, mask, result, initial);
  }
  sums.replaceAllUsesExcept(result, done);
  size_t first = carrying.getNumResults() - slots.size();
  for (auto [place, arrive] : llvm::enumerate(product->arrivals))
    ArriveOp::create(builder, arrive.getLoc(), arrive.getBarrier(),
                     carrying.getResult(first + place), ran,
                     arrive.getPerWarpgroup(), arrive.getPerWarp());
  for (auto [place, arrive] : llvm::enumerate(product->arrivals)) {
    arrive.getIndexMutable().assign(carrying.getRegionIterArg(first + place));
    arrive.getPredicateMutable().assign(isLater);
  }
}
