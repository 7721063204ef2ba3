//===- TileWalk.cpp - The tiles that a block works on in turn -------------===//

#include "dialects/Tile/Transforms/TileWalk.h"
#include "dialects/Tile/IR/TileShareOps.h"
#include "dialects/Tile/Transforms/AccessFacts.h"
#include "dialects/Tile/Transforms/ClusterPlan.h"
#include "dialects/Tile/Transforms/Decisions.h"
#include "dialects/Tile/Transforms/Overlap.h"
#include "dialects/Tile/Transforms/TileOrder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::tile;

/// Rows of the result whose tiles run together, so that they share operands in
/// L2: fewer where tiles are small, which read more for what they multiply, and
/// rows are long.
static int64_t getRasterRows(GemmOp gemm) {
  constexpr int64_t smallTile = 128 * 128;
  bool isSmall = gemm.getTileM() * gemm.getTileN() <= smallTile;
  Type a = getTileElementType(gemm.getA().getType());
  return isSmall && getElementBits(a) >= 16 ? 1024 : 2048;
}

TileWalk::TileWalk(KernelOp kernel, const KernelParts &parts)
    : kernel(kernel), parts(parts), loc(kernel.getLoc()),
      cluster(getMulticastBlocks(kernel)) {
  if (auto axis = kernel->getAttrOfType<IntegerAttr>(clusterAxisName))
    clusterAxis = axis.getInt();
}

/// Rows of tiles that run together.
int64_t TileWalk::getGroup() {
  if (parts.persistent)
    return getPersistentGroup(kernel, parts.persistent);
  int64_t group = 1;
  kernel.walk([&](GemmOp gemm) {
    group = std::max<int64_t>(getRasterRows(gemm) / gemm.getTileM(), 1);
  });
  return getDecidedInteger(kernel, "raster").value_or(group);
}

/// The indices of a tile.  A launch has less than 2^31 blocks, so that those of
/// its grid are found in 32 bits; a persistent loop may have more.
SmallVector<Value> TileWalk::getPlaces(OpBuilder &builder, Value tile,
                                       ArrayRef<Value> extents) {
  // Of pairs there are half as many.
  int64_t group = getGroup();
  if (cluster > 1 && clusterAxis == 1)
    group = llvm::divideCeil(group, cluster);
  if (parts.persistent)
    return emitTuple(builder, loc, tile, extents, group);
  auto narrow = [&](Value value) -> Value {
    return arith::TruncIOp::create(builder, loc, builder.getI32Type(), value);
  };
  SmallVector<Value> places = emitTuple(
      builder, loc, narrow(tile), llvm::map_to_vector(extents, narrow), group);
  for (Value &place : places)
    place = arith::ExtUIOp::create(builder, loc, builder.getI64Type(), place);
  return places;
}

/// Whether a block of a cluster may have no tile.
bool TileWalk::mayBeIdle() {
  if (cluster == 1)
    return false;
  auto known = parts.persistent
                   ? std::nullopt
                   : evaluateExpression(kernel, kernel.getGrid()[clusterAxis]);
  return !known || *known % cluster != 0;
}

Value TileWalk::getConstant(OpBuilder &builder, int64_t value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getI64IntegerAttr(value));
}

TileWalk::Range TileWalk::emitRange(OpBuilder &builder) {
  Range range;
  SmallVector<Value> &extents = range.extents;
  // Two negative extents would make a positive product.
  if (parts.persistent)
    for (Value extent : parts.persistent.getExtents())
      extents.push_back(arith::MaxSIOp::create(builder, loc, extent,
                                               getConstant(builder, 0)));
  else
    for (size_t axis = 0; axis < kernel.getAxes().size(); ++axis)
      extents.push_back(
          AxisExtentOp::create(builder, loc, builder.getI64Type(), axis));
  range.first = BlockNumberOp::create(builder, loc, builder.getI64Type());
  range.step = BlockCountOp::create(builder, loc, builder.getI64Type());
  if (cluster > 1) {
    // Clusters in place of blocks.
    Value size = getConstant(builder, cluster);
    range.first = arith::DivUIOp::create(builder, loc, range.first, size);
    range.step = arith::DivUIOp::create(builder, loc, range.step, size);
    range.ofAxis = extents[clusterAxis];
    extents[clusterAxis] =
        arith::CeilDivUIOp::create(builder, loc, range.ofAxis, size);
  }
  range.total = getConstant(builder, 1);
  for (Value extent : extents)
    range.total = arith::MulIOp::create(builder, loc, range.total, extent);
  return range;
}

Value TileWalk::mapTile(OpBuilder &builder, const Range &range, Value number,
                        IRMapping &mapping) {
  SmallVector<Value> places = getPlaces(builder, number, range.extents);
  Value hasTile;
  if (cluster > 1) {
    Value &place = places[clusterAxis];
    place = arith::MulIOp::create(builder, loc, place,
                                  getConstant(builder, cluster));
    place = arith::AddIOp::create(
        builder, loc, place,
        BlockRankOp::create(builder, loc, builder.getI64Type()));
    auto narrow = [&](Value value) -> Value {
      return parts.persistent ? value
                              : arith::TruncIOp::create(
                                    builder, loc, builder.getI32Type(), value);
    };
    if (mayBeIdle())
      hasTile = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                      narrow(place), narrow(range.ofAxis));
  }
  if (parts.persistent)
    for (auto [argument, place] :
         llvm::zip_equal(parts.work->getArguments(), places))
      mapping.map(argument, place);
  else
    kernel.walk([&](BlockIdOp id) { mapping.map(id, places[id.getAxis()]); });
  return hasTile;
}

/// Maps the indices of the tile that blocks share: that of the grid.
void TileWalk::mapSharedTile(OpBuilder &builder, IRMapping &mapping) {
  SmallVector<Value> places;
  for (size_t axis = 0; axis < kernel.getAxes().size(); ++axis)
    places.push_back(
        BlockIdOp::create(builder, loc, builder.getI64Type(), axis));
  parts.work->walk([&](BlockIdOp id) {
    if (!llvm::is_contained(places, id.getResult()))
      mapping.map(id, places[id.getAxis()]);
  });
}

/// Skips the tile that the block has `ahead` turns behind `first`.
void TileWalk::skipTile(OpBuilder &builder, const Range &range, Value first,
                        int64_t ahead, SmallVectorImpl<Value> &carried,
                        Skip skip) {
  Value number =
      arith::AddIOp::create(builder, loc, first,
                            arith::MulIOp::create(builder, loc, range.step,
                                                  getConstant(builder, ahead)));
  // Behind the last tile nothing is skipped, or divided.
  Value exists = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                       number, range.total);
  auto branch = scf::IfOp::create(builder, loc, TypeRange(ValueRange(carried)),
                                  exists, /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(builder, loc, carried);
    builder.setInsertionPointToStart(branch.thenBlock());
    IRMapping mapping;
    mapTile(builder, range, number, mapping);
    skip(mapping, carried);
    scf::YieldOp::create(builder, loc, carried);
  }
  carried.assign(branch.result_begin(), branch.result_end());
}

void TileWalk::emit(OpBuilder &builder, ValueRange inits, Body body) {
  emit(builder, inits, body, Turns(), [](IRMapping &, auto &) {});
}

void TileWalk::emit(OpBuilder &builder, ValueRange inits, Body body,
                    Turns turns, Skip skip) {
  // Blocks that share a tile run together, and each works on that one.
  if (getShares(kernel) > 1) {
    IRMapping mapping;
    mapSharedTile(builder, mapping);
    body(mapping, inits, /*hasTile=*/Value());
    return;
  }
  Range range = emitRange(builder);
  SmallVector<Value> carried(inits);
  Value first = range.first, step = range.step;
  if (turns.teams > 1) {
    for (int64_t other = 0; other < turns.team; ++other)
      skipTile(builder, range, range.first, other, carried, skip);
    auto scale = [&](int64_t count) -> Value {
      return arith::MulIOp::create(builder, loc, range.step,
                                   getConstant(builder, count));
    };
    first = arith::AddIOp::create(builder, loc, first, scale(turns.team));
    step = scale(turns.teams);
  }
  // Of clusters in 32 bits, as the places are (getPlaces): bounds, step and
  // number stay in registers while a tile is worked on, beside what tells
  // whether there is one.
  bool isNarrow = cluster > 1 && !parts.persistent;
  auto narrow = [&](Value value) -> Value {
    return isNarrow ? arith::TruncIOp::create(builder, loc,
                                              builder.getI32Type(), value)
                    : value;
  };
  loop = scf::ForOp::create(builder, loc, narrow(first), narrow(range.total),
                            narrow(step), carried);
  OpBuilder::InsertionGuard guard(builder);
  Block *block = loop.getBody();
  if (!block->empty())
    block->getTerminator()->erase();
  builder.setInsertionPointToStart(block);
  IRMapping mapping;
  Value number = loop.getInductionVar();
  if (isNarrow)
    number = arith::ExtUIOp::create(builder, loc, builder.getI64Type(), number);
  Value hasTile = mapTile(builder, range, number, mapping);
  SmallVector<Value> yielded = body(mapping, loop.getRegionIterArgs(), hasTile);
  for (int64_t other = 1; other < turns.teams; ++other)
    skipTile(builder, range, number, other, yielded, skip);
  scf::YieldOp::create(builder, loc, yielded);
}

Value TileWalk::emitIsFirst(OpBuilder &builder) {
  if (getShares(kernel) > 1)
    return arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                               loop.getInductionVar(), loop.getLowerBound());
}

Value TileWalk::emitIsLast(OpBuilder &builder) {
  if (getShares(kernel) > 1)
    return arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
  Value next = arith::AddIOp::create(builder, loc, loop.getInductionVar(),
                                     loop.getStep());
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge, next,
                               loop.getUpperBound());
}

void TileWalk::emitFirst(OpBuilder &builder,
                         function_ref<void(IRMapping &)> body) {
  IRMapping mapping;
  if (getShares(kernel) > 1) {
    mapSharedTile(builder, mapping);
    body(mapping);
    return;
  }
  Range range = emitRange(builder);
  Value exists = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                       range.first, range.total);
  auto branch = scf::IfOp::create(builder, loc, exists);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  mapTile(builder, range, range.first, mapping);
  body(mapping);
}

void TileWalk::setBlocks() {
  // Those that share tiles are as many as there are.
  if (getShares(kernel) > 1)
    return;
  Builder builder(kernel.getContext());
  Attribute blocks = builder.getStringAttr("sm_count");
  auto combine = [&](StringRef name, Attribute a, Attribute b) {
    return builder.getArrayAttr({builder.getStringAttr(name), a, b});
  };
  int64_t perProcessor = getDecidedInteger(kernel, "min_blocks").value_or(1);
  // Two kernels share a multiprocessor.
  if (getOverlap(kernel) != Overlap::None)
    perProcessor = std::max<int64_t>(perProcessor / 2, 1);
  if (perProcessor > 1)
    blocks = combine("*", blocks, builder.getI64IntegerAttr(perProcessor));
  Attribute size = builder.getI64IntegerAttr(cluster), tiles;
  for (auto [axis, extent] : llvm::enumerate(kernel.getGrid())) {
    bool isOfCluster = cluster > 1 && !parts.persistent && axis == clusterAxis;
    Attribute count = isOfCluster ? combine("ceildiv", extent, size) : extent;
    tiles = tiles ? combine("*", tiles, count) : count;
  }
  // The grid of a persistent loop is of this kind already.
  if (cluster > 1) {
    Attribute most = combine("/", parts.persistent ? tiles : blocks, size);
    if (!parts.persistent && tiles)
      most = combine("min", tiles, most);
    // One at least, on whatever device.
    most = combine("max", most, builder.getI64IntegerAttr(1));
    kernel.setBlocksAttr(combine("*", most, size));
  } else if (!parts.persistent) {
    kernel.setBlocksAttr(tiles ? combine("min", tiles, blocks) : blocks);
  }
}
