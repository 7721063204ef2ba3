//===- OrderProducts.cpp - Warpgroups that multiply in turns --------------===//
//
// Where sums join a total within an iteration, nothing of a warpgroup
// multiplies meanwhile, nor while it makes an operand in registers.
// Warpgroups that share a tile find its buffers full at the same time: they
// would all multiply, each at its share of the rate, and then all add.  In
// turns one multiplies while the others do the rest:
//
//     warpgroup 0:                         warpgroup 1:
//     wait for turn 0                      wait for turn 1
//     start products                       start products
//     arrive at turn 1                     arrive at turn 0
//     wait for them, add                   wait for them, add
//
// A turn is over once all products are started behind which none is in flight:
// the tensor cores take those of the next warpgroup as these end.  The first
// turn of warpgroup 0 is given by nobody.
//
// How often a warpgroup has waited before follows from its place in the ring of
// buffers, which goes on from tile to tile: `rounds * buffers + slot`
// iterations lie behind it, of whose number only the parity counts, as of the
// rounds.
//
//===----------------------------------------------------------------------===//

#include "dialects/Tile/Transforms/Decisions.h"
#include "dialects/Tile/Transforms/Passes.h"
#include "dialects/Tile/Transforms/TmaVariant.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::tile {
#define GEN_PASS_DEF_ORDERPRODUCTSPASS
#include "dialects/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

namespace {
/// Products of an iteration that are in flight together: nothing is in front of
/// the first one, nor behind the last.
struct Burst {
  WgmmaOp first, last;
};

/// A loop of warpgroups that share tiles.
struct OrderedLoop {
  scf::ForOp loop;
  SmallVector<Burst> bursts;
  /// Of the iteration's buffer.
  WaitOp full;
};
} // namespace

/// The bursts of an iteration; none if products stay in flight behind it.
static SmallVector<Burst> findBursts(Block &body) {
  SmallVector<Burst> bursts;
  bool isInFlight = false;
  for (Operation &op : body) {
    if (auto start = dyn_cast<WgmmaOp>(op)) {
      if (!isInFlight)
        bursts.push_back({start, start});
      bursts.back().last = start;
      isInFlight = true;
    } else if (auto wait = dyn_cast<MmaWaitOp>(op)) {
      isInFlight &= wait.getPending() != 0;
    }
  }
  return isInFlight ? SmallVector<Burst>() : bursts;
}

/// Whether a value is carried by the loop.
static bool isCarried(scf::ForOp loop, Value value) {
  auto argument = dyn_cast_or_null<BlockArgument>(value);
  return argument && argument.getOwner() == loop.getBody() &&
         argument != loop.getInductionVar();
}

static std::optional<OrderedLoop> findProducts(scf::ForOp loop) {
  OrderedLoop found{loop, findBursts(*loop.getBody()), WaitOp()};
  if (found.bursts.empty())
    return std::nullopt;
  // Sums that stay in flight across iterations have none to be added.
  for (WgmmaOp start : loop.getBody()->getOps<WgmmaOp>())
    if (isa<InFlightType>(start.getAccumulator().getType()))
      return std::nullopt;
  for (WaitOp wait : loop.getBody()->getOps<WaitOp>())
    if (wait.getBarrier().getDefiningOp()->hasAttr(ringAttrName) &&
        isCarried(loop, wait.getIndex()) && isCarried(loop, wait.getParity()))
      found.full = wait;
  if (!found.full || !found.full->isBeforeInBlock(found.bursts.front().first))
    return std::nullopt;
  return found;
}

namespace {
/// Orders the products of the warpgroups of one team.
class ProductOrder {
public:
  ProductOrder(WarpgroupOp teams, unsigned region, int64_t groups)
      : teams(teams), team(teams.getBodies()[region]), groups(groups),
        builder(teams), loc(teams.getLoc()) {}

  void order(OrderedLoop ordered);

private:
  Value getConstant(int64_t value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI64IntegerAttr(value));
  }
  void nameGroups();
  Value countWaits(OrderedLoop ordered, int64_t burst);

  WarpgroupOp teams;
  Region &team;
  int64_t groups;
  OpBuilder builder;
  Location loc;
  /// The running warpgroup, the next one, and 1 in the first.
  Value group, next, isFirst;
};
} // namespace

void ProductOrder::nameGroups() {
  if (group)
    return;
  Block &body = team.front();
  auto place = body.begin();
  if (isa<SetMaxRegistersOp>(place))
    ++place;
  builder.setInsertionPoint(&body, place);
  group = WarpgroupNumberOp::create(builder, loc, builder.getI64Type());
  Value following = arith::AddIOp::create(builder, loc, group, getConstant(1));
  auto isLast = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                      following, getConstant(groups));
  next =
      arith::SelectOp::create(builder, loc, isLast, getConstant(0), following);
  isFirst = arith::ExtUIOp::create(
      builder, loc, builder.getI64Type(),
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, group,
                            getConstant(0)));
}

/// The parity of the number of turns that lie behind the one in front of a
/// burst.
Value ProductOrder::countWaits(OrderedLoop ordered, int64_t burst) {
  if (ordered.bursts.size() % 2 == 0)
    return getConstant(burst % 2);
  WaitOp full = ordered.full;
  Value waits = full.getIndex();
  if (full.getBarrier().getType().getCount() % 2 != 0)
    waits = arith::XOrIOp::create(builder, loc, waits, full.getParity());
  if (burst % 2 != 0)
    waits = arith::XOrIOp::create(builder, loc, waits, getConstant(1));
  return arith::AndIOp::create(builder, loc, waits, getConstant(1));
}

void ProductOrder::order(OrderedLoop ordered) {
  builder.setInsertionPoint(teams);
  loc = ordered.loop.getLoc();
  auto turns = BarrierAllocOp::create(
      builder, loc, BarrierType::get(builder.getContext(), groups),
      builder.getStringAttr("turn"), /*count=*/1, IntegerAttr(),
      /*cluster=*/false);
  nameGroups();
  for (auto [i, burst] : llvm::enumerate(ordered.bursts)) {
    builder.setInsertionPoint(burst.first);
    // On a fresh barrier the parity of the phase before passes.
    Value parity = arith::XOrIOp::create(
        builder, loc, countWaits(ordered, int64_t(i)), isFirst);
    WaitOp::create(builder, loc, turns, group, parity);
    builder.setInsertionPointAfter(burst.last);
    ArriveOp::create(builder, loc, turns, next, /*predicate=*/Value(),
                     /*per_warpgroup=*/true);
  }
}

/// The loops of a team whose products may be ordered.
static SmallVector<OrderedLoop> findLoops(Region &team) {
  SmallVector<OrderedLoop> loops;
  team.walk([&](scf::ForOp loop) {
    if (std::optional<OrderedLoop> found = findProducts(loop))
      loops.push_back(*found);
  });
  return loops;
}

/// Columns of the instruction's form that a turn multiplies.
static int64_t countColumns(Burst burst) {
  int64_t columns = 0;
  for (Operation *op = burst.first; op; op = op->getNextNode()) {
    if (auto product = dyn_cast<WgmmaOp>(op))
      columns += product.getResult().getType().getFragment().getDimSize(
          product.getMma().getSwap() ? 0 : 1);
    if (op == burst.last)
      break;
  }
  return columns;
}

/// Whether turns pay.  Measured on an H200, 8-bit floats x int4: where the
/// operand is made in registers they do with 192 columns, and do not with 128,
/// which are done before the other warpgroup has made its own.  Where both
/// operands are in shared memory it depends on the size of the problem.
static bool doesPay(OrderedLoop ordered) {
  constexpr int64_t fewestColumns = 192;
  Burst burst = ordered.bursts.front();
  WgmmaOp product = burst.first;
  Value left = product.getMma().getSwap() ? product.getB() : product.getA();
  return isa<RankedTensorType>(left.getType()) &&
         countColumns(burst) >= fewestColumns;
}

/// Orders the products of a kernel where that is decided or pays; whether it
/// has any that may be ordered.
static bool orderProducts(KernelOp kernel) {
  if (kernel.getVariant() != tmaVariantName)
    return false;
  bool isFound = false, areOrdered = false;
  kernel.walk([&](WarpgroupOp teams) {
    for (unsigned i = 0; i < teams.getNumRegions(); ++i) {
      int64_t groups = teams.getTeamThreads(i) / WarpgroupOp::threadsPerGroup;
      if (groups < 2)
        continue;
      ProductOrder order(teams, i, groups);
      for (OrderedLoop &loop : findLoops(teams.getBodies()[i])) {
        isFound = true;
        if (!getDecidedFlag(kernel, "turns").value_or(doesPay(loop)))
          continue;
        order.order(loop);
        areOrdered = true;
      }
    }
  });
  if (isFound)
    noteChoice(kernel, kernel.getLoc(),
               {"turns", areOrdered ? "true" : "false", "true, false",
                areOrdered ? "one warpgroup makes its operand and adds its "
                             "sums while another one multiplies"
                           : "no operand is made in registers, or for too few "
                             "columns: waiting takes as long as it saves"});
  return isFound;
}

namespace {
struct OrderProducts : tile::impl::OrderProductsPassBase<OrderProducts> {
  void runOnOperation() override {
    // Of the variants of a kernel one at most has such products.
    llvm::MapVector<StringRef, KernelOp> decided;
    llvm::StringSet<> found;
    for (auto kernel : getOperation().getOps<KernelOp>()) {
      if (orderProducts(kernel))
        found.insert(kernel.getSourceName());
      if (getDecidedFlag(kernel, "turns").value_or(false))
        decided.insert({kernel.getSourceName(), kernel});
    }
    for (auto [name, kernel] : decided)
      if (!found.contains(name)) {
        kernel.emitError("decision 'turns' = true cannot be honoured: there "
                         "are no warpgroups that share tiles and whose sums "
                         "join a total");
        signalPassFailure();
      }
  }
};
} // namespace
