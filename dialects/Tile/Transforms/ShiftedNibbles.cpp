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

namespace {
/// One operand of a product: its conversion from 4-bit integers, if it is one
/// that may be to 16 times them, and the largest magnitude of what is
/// multiplied.
struct Operand {
  CastOp conversion;
  int64_t largest = 0;
};

/// A loop whose product adds up from 0.
struct SummingLoop {
  WgmmaOp product;
  unsigned index = 0; ///< of the sums among the carried values
  SmallVector<CastOp> conversions;
  int64_t mostIterations = 0;

  int64_t getShift() const { return spareBits * int64_t(conversions.size()); }
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

static std::optional<SummingLoop> match(scf::ForOp loop) {
  SummingLoop match;
  for (WgmmaOp product : loop.getBody()->getOps<WgmmaOp>())
    if (std::exchange(match.product, product))
      return std::nullopt;
  WgmmaOp product = match.product;
  if (!product || product.getOverwrite() || product.getAccumulates())
    return std::nullopt;
  auto sums = dyn_cast<BlockArgument>(product.getAccumulator());
  if (!sums || sums.getOwner() != loop.getBody() || !sums.hasOneUse() ||
      !getTileElementType(sums.getType()).isInteger(32) ||
      !product.getResult().hasOneUse())
    return std::nullopt;
  match.index = sums.getArgNumber() - loop.getNumInductionVars();
  auto wait = dyn_cast<MmaWaitOp>(*product.getResult().user_begin());
  if (!wait || !wait.getResult().hasOneUse() ||
      !matchPattern(loop.getInitArgs()[match.index], m_Zero()))
    return std::nullopt;
  OpOperand &use = *wait.getResult().use_begin();
  if (!isa<scf::YieldOp>(use.getOwner()) ||
      use.getOperandNumber() != match.index)
    return std::nullopt;
  // Elsewhere conversions do not hold a product up.
  if (loop.getBody()->getOps<ArriveOp>().empty())
    return std::nullopt;

  Operand a = getOperand(loop, product.getA(), product.getUnsignedA()),
          b = getOperand(loop, product.getB(), product.getUnsignedB());
  for (CastOp conversion : {a.conversion, b.conversion})
    if (conversion)
      match.conversions.push_back(conversion);
  match.mostIterations = std::numeric_limits<int32_t>::max() / a.largest /
                         b.largest / int64_t(product.getDepth());
  if (match.conversions.empty() || match.mostIterations == 0)
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
static void shiftBack(scf::ForOp loop, const SummingLoop &match) {
  OpBuilder builder(loop->getContext());
  builder.setInsertionPointAfter(loop);
  Location loc = loop.getLoc();
  Value sums = loop.getResult(match.index);
  auto type = cast<RankedTensorType>(sums.getType());
  Value distance = arith::ConstantOp::create(
      builder, loc,
      SplatElementsAttr::get(
          type, builder.getI32IntegerAttr(int32_t(match.getShift()))));
  Value shifted = arith::ShRSIOp::create(builder, loc, sums, distance);
  sums.replaceAllUsesExcept(shifted, shifted.getDefiningOp());
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
  // met, ptxas would need registers for both.
  scf::ForOp tiles = findTiles(loop);
  if (!tiles)
    return {loop};
  OpBuilder builder(tiles);
  Location loc = loop.getLoc();
  Value span = arith::SubIOp::create(builder, loc, loop.getUpperBound(),
                                     loop.getLowerBound());
  Value most = arith::MulIOp::create(
      builder, loc, loop.getStep(),
      arith::ConstantOp::create(
          builder, loc, builder.getI64IntegerAttr(found->mostIterations)));
  Value fits = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sle,
                                     span, most);
  auto branch = scf::IfOp::create(builder, loc, tiles.getResultTypes(), fits,
                                  /*withElseRegion=*/true);
  tiles.replaceAllUsesWith(branch.getResults());
  auto fill = [&](Block *block, scf::ForOp contents) {
    // Without results there is a terminator already.
    if (!block->empty() && block->back().hasTrait<OpTrait::IsTerminator>())
      return;
    builder.setInsertionPointToEnd(block);
    scf::YieldOp::create(builder, loc, contents.getResults());
  };
  IRMapping mapping;
  builder.setInsertionPointToStart(branch.thenBlock());
  auto cloned = cast<scf::ForOp>(builder.clone(*tiles, mapping));
  auto shifted = cast<scf::ForOp>(mapping.lookup(loop.getOperation()));
  makeShifted(llvm::map_to_vector(found->conversions, [&](CastOp conversion) {
    return mapping.lookup(conversion.getResult()).getDefiningOp<CastOp>();
  }));
  shiftBack(shifted, *found);
  fill(branch.thenBlock(), cloned);
  tiles->moveBefore(branch.elseBlock(), branch.elseBlock()->begin());
  fill(branch.elseBlock(), tiles);
  return {shifted, loop};
}
