//===- ShiftedNibbles.cpp - 4-bit integers times 16 in products -----------===//

#include "dialects/Tile/Transforms/ShiftedNibbles.h"
#include "dialects/Tile/IR/CastExponent.h"
#include "dialects/Tile/IR/TileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include <limits>

using namespace mlir;
using namespace mlir::tile;

/// By how much a byte is wider than a nibble.
static constexpr int64_t spareBits = 4;
/// Sums of a thread that two loops may both have without spills.
static constexpr int64_t mostMeetingSums = 16;

namespace {
/// One operand of a product: its conversion from 4-bit integers, if it is one
/// that may be to 16 times them, and the largest magnitude of what is
/// multiplied.
struct Operand {
  CastOp conversion;
  int64_t largest = 0;
};

/// A loop whose products, one behind the other, add up from 0.
struct SummingLoop {
  unsigned index = 0; ///< of the sums among the carried values
  SmallVector<CastOp> conversions;
  int64_t mostIterations = 0;
  int64_t shift = 0; ///< by which sums are too large, in bits
};
} // namespace

/// What a fragment is converted from 4-bit integers by, for nobody else.
static CastOp findConversion(Value value, bool isUnsigned) {
  while (auto relabel = value.getDefiningOp<RelabelOp>()) {
    if (!value.hasOneUse())
      return {};
    value = relabel->getOperand(0);
  }
  auto cast = value.getDefiningOp<CastOp>();
  if (!cast || cast.getMode() || cast->hasAttr(castExponentAttrName) ||
      !value.hasOneUse() ||
      !getTileElementType(cast.getSource().getType()).isInteger(4) ||
      cast.getSourceUnsigned() != isUnsigned)
    return {};
  return cast;
}

/// The tile that a buffer is one of, or the tile itself.
static Value getTile(Value buffer) {
  auto stage = buffer.getDefiningOp<StageOp>();
  return stage ? stage.getSource() : buffer;
}

static bool isSameBuffer(Value a, Value b) {
  auto first = a.getDefiningOp<StageOp>(), second = b.getDefiningOp<StageOp>();
  return a == b ||
         (first && second && first.getSource() == second.getSource() &&
          first.getIteration() == second.getIteration() &&
          first.getOffset() == second.getOffset());
}

/// The only store of the loop to a tile, if it is one to this buffer.
static StoreOp findStore(scf::ForOp loop, Value buffer) {
  StoreOp found;
  for (StoreOp store : loop.getBody()->getOps<StoreOp>()) {
    if (getTile(store.getMemory()) != getTile(buffer))
      continue;
    if (found || !isSameBuffer(store.getMemory(), buffer))
      return {};
    found = store;
  }
  return found;
}

static Operand getOperand(scf::ForOp loop, Value value, bool isUnsigned) {
  Operand operand;
  operand.largest = isUnsigned ? 255 : 128;
  if (auto type = dyn_cast<SharedType>(value.getType())) {
    StoreOp store = findStore(loop, value);
    if (!store)
      return operand;
    value = store.getValue();
  }
  operand.conversion = findConversion(value, isUnsigned);
  if (operand.conversion)
    operand.largest = (isUnsigned ? 15 : 8) << spareBits;
  return operand;
}

/// Elements of K of one product, by either instruction.
static int64_t getDepth(Operation *product) {
  if (auto wgmma = dyn_cast<WgmmaOp>(product))
    return wgmma.getDepth();
  auto mma = cast<MmaOp>(product);
  return getTileShape(mma.getA().getType()).back();
}

/// The sums behind a product, once they have arrived; null if anything else
/// reads them on their way.
static Value getSums(Operation *product) {
  Value sums = product->getResult(0);
  if (!sums.hasOneUse() || isa<MmaOp>(product))
    return sums;
  auto wait = dyn_cast<MmaWaitOp>(*sums.user_begin());
  return wait ? wait.getResult() : Value();
}

/// The products that follow each other from the carried sums to what the loop
/// yields in their place; none if there is anything else on the way.
static SmallVector<Operation *> findProducts(scf::ForOp loop, unsigned &index) {
  SmallVector<Operation *> products;
  for (Operation &op : *loop.getBody())
    if (isa<WgmmaOp, MmaOp>(op))
      products.push_back(&op);
  if (products.empty())
    return {};
  auto getAccumulator = [](Operation *product) -> Value {
    if (auto mma = dyn_cast<MmaOp>(product))
      return mma.getAccumulator();
    auto wgmma = cast<WgmmaOp>(product);
    return wgmma.getOverwrite() || wgmma.getAccumulates()
               ? Value()
               : wgmma.getAccumulator();
  };
  auto carried = dyn_cast_or_null<BlockArgument>(getAccumulator(products[0]));
  if (!carried || carried.getOwner() != loop.getBody() ||
      carried.getArgNumber() < loop.getNumInductionVars())
    return {};
  index = carried.getArgNumber() - loop.getNumInductionVars();
  Value sums = carried;
  for (Operation *product : products) {
    if (getAccumulator(product) != sums || !sums.hasOneUse())
      return {};
    sums = getSums(product);
    if (!sums)
      return {};
  }
  OpOperand *use = sums.hasOneUse() ? &*sums.use_begin() : nullptr;
  bool isYielded = use && isa<scf::YieldOp>(use->getOwner()) &&
                   use->getOperandNumber() == index;
  return isYielded ? products : SmallVector<Operation *>();
}

static std::optional<SummingLoop> match(scf::ForOp loop) {
  SummingLoop match;
  SmallVector<Operation *> products = findProducts(loop, match.index);
  if (products.empty() ||
      !matchPattern(loop.getInitArgs()[match.index], m_Zero()) ||
      !getTileElementType(loop.getResult(match.index).getType()).isInteger(32))
    return std::nullopt;
  // Elsewhere conversions do not hold a product up.
  if (loop.getBody()->getOps<ArriveOp>().empty())
    return std::nullopt;

  int64_t perIteration = 0;
  for (Operation *product : products) {
    auto getOperands = [&](auto op) {
      return std::pair(getOperand(loop, op.getA(), op.getUnsignedA()),
                       getOperand(loop, op.getB(), op.getUnsignedB()));
    };
    auto [a, b] = isa<MmaOp>(product) ? getOperands(cast<MmaOp>(product))
                                      : getOperands(cast<WgmmaOp>(product));
    size_t before = match.conversions.size();
    for (CastOp conversion : {a.conversion, b.conversion})
      if (conversion)
        match.conversions.push_back(conversion);
    // All sums are the same multiple of themselves.
    int64_t shift = spareBits * int64_t(match.conversions.size() - before);
    if (shift == 0 || (match.shift != 0 && match.shift != shift))
      return std::nullopt;
    match.shift = shift;
    perIteration += a.largest * b.largest * getDepth(product);
  }
  match.mostIterations = std::numeric_limits<int32_t>::max() / perIteration;
  if (match.mostIterations == 0)
    return std::nullopt;
  return match;
}

/// Makes conversions those to 16 times the numbers.
static void makeShifted(ArrayRef<CastOp> conversions) {
  for (CastOp conversion : conversions)
    conversion->setAttr(
        castExponentAttrName,
        Builder(conversion.getContext()).getI64IntegerAttr(spareBits));
}

/// Takes the factor from sums, for all that need them.
static Value shiftBack(scf::ForOp loop, const SummingLoop &match) {
  OpBuilder builder(loop->getContext());
  builder.setInsertionPointAfter(loop);
  Location loc = loop.getLoc();
  Value sums = loop.getResult(match.index);
  auto type = cast<RankedTensorType>(sums.getType());
  Value distance = arith::ConstantOp::create(
      builder, loc,
      SplatElementsAttr::get(type,
                             builder.getI32IntegerAttr(int32_t(match.shift))));
  Value shifted = arith::ShRSIOp::create(builder, loc, sums, distance);
  sums.replaceAllUsesExcept(shifted, shifted.getDefiningOp());
  return shifted;
}

/// Adds the ops inside `outer` that `value` is made by; false if it depends on
/// the iteration, or on memory.
static bool collectMakers(Value value, scf::ForOp outer,
                          llvm::SetVector<Operation *> &makers) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return !outer->isAncestor(argument.getOwner()->getParentOp());
  Operation *op = value.getDefiningOp();
  if (!outer->isProperAncestor(op) || makers.contains(op))
    return true;
  if (!isPure(op) || op->getNumRegions() != 0 ||
      !llvm::all_of(op->getOperands(), [&](Value operand) {
        return collectMakers(operand, outer, makers);
      }))
    return false;
  makers.insert(op);
  return true;
}

/// The loop over tiles around `loop`, if each of its iterations runs it as many
/// times; what that is made by is moved in front of it.
static scf::ForOp findTiles(scf::ForOp loop) {
  auto tiles = dyn_cast<scf::ForOp>(loop->getParentOp());
  llvm::SetVector<Operation *> makers;
  if (!tiles || !llvm::all_of(ValueRange{loop.getLowerBound(),
                                         loop.getUpperBound(), loop.getStep()},
                              [&](Value bound) {
                                return collectMakers(bound, tiles, makers);
                              }))
    return {};
  for (Operation *op : makers)
    op->moveBefore(tiles);
  return tiles;
}

/// Elements of a fragment in a thread.
static int64_t countElements(Value fragment) {
  return getFragmentLayout(fragment.getType()).getLayout().elementsPerThread();
}

/// Makes `outer`, which `loop` is part of or itself, twice: behind a branch, as
/// many iterations as fit take 16 times the numbers. Gives the loop that does.
static scf::ForOp cloneShifted(scf::ForOp loop, scf::ForOp outer,
                               const SummingLoop &match) {
  OpBuilder builder(outer);
  Location loc = loop.getLoc();
  Value span = arith::SubIOp::create(builder, loc, loop.getUpperBound(),
                                     loop.getLowerBound());
  Value most = arith::MulIOp::create(
      builder, loc, loop.getStep(),
      arith::ConstantOp::create(
          builder, loc, builder.getI64IntegerAttr(match.mostIterations)));
  Value fits = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sle,
                                     span, most);
  auto branch = scf::IfOp::create(builder, loc, outer.getResultTypes(), fits,
                                  /*withElseRegion=*/true);
  outer.replaceAllUsesWith(branch.getResults());
  auto fill = [&](Block *block, ValueRange results) {
    // Without results there is a terminator already.
    if (!block->empty() && block->back().hasTrait<OpTrait::IsTerminator>())
      return;
    builder.setInsertionPointToEnd(block);
    scf::YieldOp::create(builder, loc, results);
  };
  IRMapping mapping;
  builder.setInsertionPointToStart(branch.thenBlock());
  auto cloned = cast<scf::ForOp>(builder.clone(*outer, mapping));
  auto shifted = cast<scf::ForOp>(mapping.lookup(loop.getOperation()));
  makeShifted(llvm::map_to_vector(match.conversions, [&](CastOp conversion) {
    return mapping.lookup(conversion.getResult()).getDefiningOp<CastOp>();
  }));
  Value sums = shiftBack(shifted, match);
  SmallVector<Value> results(cloned.getResults());
  if (outer == loop)
    results[match.index] = sums;
  fill(branch.thenBlock(), results);
  outer->moveBefore(branch.elseBlock(), branch.elseBlock()->begin());
  fill(branch.elseBlock(), outer.getResults());
  return shifted;
}

SmallVector<scf::ForOp, 2> tile::shiftNibbles(scf::ForOp loop) {
  std::optional<SummingLoop> found = match(loop);
  if (!found)
    return {loop};
  if (auto lower = getConstantIntValue(loop.getLowerBound()),
      upper = getConstantIntValue(loop.getUpperBound()),
      step = getConstantIntValue(loop.getStep());
      lower && upper && step) {
    if (llvm::divideCeilSigned(*upper - *lower, *step) <=
        found->mostIterations) {
      makeShifted(found->conversions);
      shiftBack(loop, *found);
    }
    return {loop};
  }

  // All that is done with a tile is there twice: where the sums of two loops
  // meet, ptxas needs registers for both.
  scf::ForOp outer = findTiles(loop);
  if (!outer && countElements(loop.getResult(found->index)) <= mostMeetingSums)
    outer = loop;
  if (!outer)
    return {loop};
  return {cloneShifted(loop, outer, *found), loop};
}
