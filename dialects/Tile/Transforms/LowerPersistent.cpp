//===- LowerPersistent.cpp - Tuples shared out among blocks ---------------===//
//
// A persistent loop becomes
//
//     for t = block_number; t < tuples; t += block_count: body(indices of t)
//
// whatever the number of blocks that the launch has.
// The number of tuples is a product of run-time extents.  It and the numbers
// are i64: NVPTX divides in 32 bits where both operands fit.
//
//===----------------------------------------------------------------------===//

#include "dialects/Tile/Transforms/Decisions.h"
#include "dialects/Tile/Transforms/Passes.h"
#include "dialects/Tile/Transforms/TileOrder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::tile {
#define GEN_PASS_DEF_LOWERPERSISTENTPASS
#include "dialects/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

/// The extents with 0 for those below: two of them would else make a positive
/// product.
static SmallVector<Value> limitExtents(PersistentOp op, OpBuilder &builder) {
  Value zero = arith::ConstantOp::create(builder, op.getLoc(),
                                         builder.getI64IntegerAttr(0));
  return llvm::map_to_vector(op.getExtents(), [&](Value extent) {
    return builder.createOrFold<arith::MaxSIOp>(op.getLoc(), extent, zero);
  });
}

/// A grid that fills the device has one block for each multiprocessor.  Where
/// `min_blocks` makes room for more, they are launched; the grid stays that of
/// the source, which the interpreter runs.
static void fillMultiprocessors(KernelOp kernel) {
  std::optional<int64_t> minBlocks = getDecidedInteger(kernel, "min_blocks");
  if (!minBlocks || *minBlocks < 2 || kernel.getGrid().size() != 1)
    return;
  Builder builder(kernel.getContext());
  auto grid = dyn_cast<ArrayAttr>(kernel.getGrid()[0]);
  Attribute least = builder.getStringAttr("min"),
            device = builder.getStringAttr("sm_count");
  if (!grid || grid.size() != 3 || grid[0] != least || grid[1] != device)
    return;
  auto room = builder.getArrayAttr({builder.getStringAttr("*"), device,
                                    builder.getI64IntegerAttr(*minBlocks)});
  kernel.setBlocksAttr(builder.getArrayAttr({least, room, grid[2]}));
}

static void lower(PersistentOp op) {
  auto kernel = cast<KernelOp>(op->getParentOp());
  fillMultiprocessors(kernel);
  OpBuilder builder(op);
  Location loc = op.getLoc();
  SmallVector<Value> extents = limitExtents(op, builder);
  Value tuples = extents.front();
  for (Value extent : llvm::drop_begin(extents))
    tuples = builder.createOrFold<arith::MulIOp>(loc, tuples, extent);
  Type i64 = builder.getI64Type();
  Value first = BlockNumberOp::create(builder, loc, i64);
  Value step = BlockCountOp::create(builder, loc, i64);
  auto loop = scf::ForOp::create(builder, loc, first, tuples, step);

  builder.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> indices =
      emitTuple(builder, loc, loop.getInductionVar(), extents,
                getPersistentGroup(kernel, op));
  Block *body = op.getBodyBlock();
  for (auto [argument, index] : llvm::zip_equal(body->getArguments(), indices))
    argument.replaceAllUsesWith(index);
  body->getTerminator()->erase();
  loop.getBody()->getOperations().splice(
      loop.getBody()->getTerminator()->getIterator(), body->getOperations());
  op.erase();
}

namespace {
struct LowerPersistent : tile::impl::LowerPersistentPassBase<LowerPersistent> {
  void runOnOperation() override {
    SmallVector<PersistentOp> loops;
    getOperation().walk([&](PersistentOp op) { loops.push_back(op); });
    for (PersistentOp op : loops)
      lower(op);
  }
};
} // namespace
