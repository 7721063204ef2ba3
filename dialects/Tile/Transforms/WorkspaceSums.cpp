//===- WorkspaceSums.cpp - Sums that meet in global memory ----------------===//

#include "dialects/Tile/Transforms/WorkspaceSums.h"
#include "dialects/Tile/IR/TileShareOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tile;

/// Counters at the start of a workspace, where they are whatever kernel uses it
/// next (docs/artifact-format.md).
static constexpr int64_t mostPlaces = 16384, counterBytes = 4 * mostPlaces;

WorkspaceSums::WorkspaceSums(PipelinedOp loop, int64_t shares)
    : loop(loop), kernel(loop->getParentOfType<KernelOp>()), shares(shares),
      loc(loop.getLoc()) {}

static Value getConstant(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getI64IntegerAttr(value));
}

/// Where the sum of a block begins in its array.
static SmallVector<Value> getPlace(OpBuilder &builder, Location loc, Value rank,
                                   RankedTensorType type) {
  SmallVector<Value> indices(type.getRank() + 1, getConstant(builder, loc, 0));
  indices.front() = rank;
  return indices;
}

void WorkspaceSums::emitStores(OpBuilder &builder, Value share) {
  constexpr int64_t alignment = 256;
  SmallVector<int64_t> offsets;
  for (Value sum : loop.getResults()) {
    auto type = cast<RankedTensorType>(sum.getType());
    offsets.push_back(counterBytes + placeBytes);
    if (!sum.use_empty())
      placeBytes += llvm::alignTo(type.getNumElements() * shares *
                                      getElementBits(type.getElementType()) / 8,
                                  alignment);
  }
  for (auto [sum, offset] : llvm::zip_equal(loop.getResults(), offsets)) {
    Value &array = arrays.emplace_back();
    if (sum.use_empty())
      continue;
    auto type = cast<RankedTensorType>(sum.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape.insert(shape.begin(), shares);
    array = WorkspaceOp::create(builder, loc,
                                GlobalType::get(builder.getContext(), shape,
                                                type.getElementType(),
                                                /*packDim=*/-1),
                                builder.getI64IntegerAttr(offset),
                                builder.getI64IntegerAttr(placeBytes));
    StoreOp::create(builder, loc, sum, array,
                    getPlace(builder, loc, share, type));
  }
}

static Value add(OpBuilder &builder, Location loc, Value a, Value b) {
  return isa<FloatType>(getTileElementType(a.getType()))
             ? Value(arith::AddFOp::create(builder, loc, a, b))
             : Value(arith::AddIOp::create(builder, loc, a, b));
}

/// Some parts are on their way at a time, as many as there is room for in
/// registers; the first ones are those that are left over.
Value WorkspaceSums::addParts(OpBuilder &builder, Value array,
                              RankedTensorType type) {
  constexpr int64_t registersOnTheirWay = 48, wordBits = 32;
  int64_t words = llvm::divideCeil(
      type.getNumElements() * int64_t(getElementBits(type.getElementType())),
      wordBits * int64_t(kernel.getThreads()));
  int64_t chunk = std::clamp<int64_t>(registersOnTheirWay / words, 1, shares);
  auto loadParts = [&](Value rank, int64_t count) {
    SmallVector<Value> parts;
    for (int64_t i = 0; i < count; ++i)
      parts.push_back(
          LoadOp::create(builder, loc, type, array,
                         getPlace(builder, loc,
                                  builder.createOrFold<arith::AddIOp>(
                                      loc, rank, getConstant(builder, loc, i)),
                                  type),
                         Value()));
    return parts;
  };
  int64_t first = (shares - 1) % chunk + 1;
  SmallVector<Value> parts = loadParts(getConstant(builder, loc, 0), first);
  Value total = parts.front();
  for (Value part : ArrayRef(parts).drop_front())
    total = add(builder, loc, total, part);
  if (first == shares)
    return total;
  auto others =
      scf::ForOp::create(builder, loc, getConstant(builder, loc, first),
                         getConstant(builder, loc, shares),
                         getConstant(builder, loc, chunk), total);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(others.getBody());
  total = others.getRegionIterArg(0);
  for (Value part : loadParts(others.getInductionVar(), chunk))
    total = add(builder, loc, total, part);
  scf::YieldOp::create(builder, loc, total);
  return others.getResult(0);
}

SmallVector<Value> WorkspaceSums::emitTotals(OpBuilder &builder) {
  SmallVector<Value> totals;
  for (auto [sum, array] : llvm::zip_equal(loop.getResults(), arrays))
    totals.push_back(
        array ? addParts(builder, array, cast<RankedTensorType>(sum.getType()))
              : Value(sum));
  return totals;
}

void WorkspaceSums::setLaunch() {
  Builder builder(kernel.getContext());
  auto combine = [&](StringRef name, Attribute a, Attribute b) -> Attribute {
    return builder.getArrayAttr({builder.getStringAttr(name), a, b});
  };
  Attribute places = builder.getI64IntegerAttr(1);
  for (Attribute extent : kernel.getGrid())
    places = combine("*", places, extent);
  kernel->setAttr(
      workspaceAttrName,
      combine("+", builder.getI64IntegerAttr(counterBytes),
              combine("*", places, builder.getI64IntegerAttr(placeBytes))));
  SmallVector<Attribute> checks(kernel.getChecks().getValue());
  checks.push_back(builder.getDictionaryAttr(
      {builder.getNamedAttr(
           "expr",
           combine("<=", places, builder.getI64IntegerAttr(mostPlaces))),
       builder.getNamedAttr(
           "text", builder.getStringAttr("a grid of at most 16384 places whose "
                                         "blocks meet in a workspace"))}));
  kernel.setChecksAttr(builder.getArrayAttr(checks));
}
