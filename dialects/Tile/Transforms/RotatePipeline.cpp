//===- RotatePipeline.cpp - Read ahead across the loop's back edge --------===//
//
// In a pipelined loop the first product waits for its operands to come from
// shared memory, after the wait and the barrier, with nothing to multiply
// meanwhile.  Rotated, an iteration ends by waiting for the next buffer and
// reading the first operands from it, in front of its own last product:
//
//     wait; barrier; a, b = load step 0 of iteration 0
//     for i, carrying a, b:
//       load step 1; mma a, b; start copies; load step 2; mma ...; ...
//       wait; barrier; a, b = load step 0 of iteration i + 1, if there is one
//       mma of the last step
//
// The barrier also stands between the last reads of buffer i and the copies of
// iteration i + 1 into it.  Tiles that come through registers are stored in
// front of it.
//
//===----------------------------------------------------------------------===//

#include "dialects/Tile/Transforms/Passes.h"
#include "dialects/Tile/Transforms/StagedLoop.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::tile {
#define GEN_PASS_DEF_ROTATEPIPELINEPASS
#include "dialects/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

namespace {
/// What an iteration does before its first product.
struct LoopHead {
  WaitGroupOp wait;
  MmaOp first, last;
  /// The ops that make the first product's operands, in order.
  SmallVector<Operation *> makers;
};
} // namespace

/// Adds what makes `value` inside the loop.  False if that is more than reading
/// this iteration's buffers and converting.
static bool collectMakers(Value value, scf::ForOp loop,
                          llvm::SetVector<Operation *> &makers) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return value == loop.getInductionVar() ||
           !loop->isAncestor(value.getParentBlock()->getParentOp());
  if (!loop->isAncestor(op))
    return true;
  if (op->getBlock() != loop.getBody())
    return false;
  if (auto stage = dyn_cast<StageOp>(op)) {
    if (stage.getIteration() != loop.getInductionVar())
      return false;
  } else if (auto load = dyn_cast<LoadOp>(op)) {
    // A tile that is not staged has no buffer of the next iteration.
    if (!load.getMemory().getDefiningOp<StageOp>())
      return false;
  } else if (!isa<CastOp, ReindexOp, RelabelOp, arith::ConstantOp>(op)) {
    return false;
  }
  for (Value operand : op->getOperands())
    if (!collectMakers(operand, loop, makers))
      return false;
  makers.insert(op);
  return true;
}

static std::optional<LoopHead> findHead(scf::ForOp loop) {
  LoopHead head;
  Block *body = loop.getBody();
  if (!matchPattern(loop.getStep(), m_One()))
    return std::nullopt;
  for (Operation &op : *body) {
    if (isa<WaitGroupOp>(op) && head.wait)
      return std::nullopt;
    if (auto wait = dyn_cast<WaitGroupOp>(op))
      head.wait = wait;
    if (auto product = dyn_cast<MmaOp>(op)) {
      if (!head.first)
        head.first = product;
      head.last = product;
    }
  }
  // With one product there is nothing to read the next operands under, and a
  // wait behind the copies is that of a single buffer.
  if (!head.wait || !head.first || head.first == head.last)
    return std::nullopt;
  for (Operation *op = head.wait->getPrevNode(); op; op = op->getPrevNode())
    if (!isPure(op))
      return std::nullopt;
  llvm::SetVector<Operation *> makers;
  if (!collectMakers(head.first.getA(), loop, makers) ||
      !collectMakers(head.first.getB(), loop, makers))
    return std::nullopt;
  head.makers.assign(makers.begin(), makers.end());
  llvm::sort(head.makers,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return head;
}

/// The operands of the first product of iteration `iteration + ahead`, made of
/// zeros if `exists` is false.  Only the loads depend on that; conversions
/// stand behind the branch, where products can hide them.
static SmallVector<Value> readOperands(OpBuilder &builder, scf::ForOp loop,
                                       LoopHead &head, Value iteration,
                                       int64_t ahead, Value exists) {
  Location loc = head.first.getLoc();
  SmallVector<Value> loaded;
  for (Operation *op : head.makers)
    if (isa<LoadOp>(op))
      loaded.push_back(op->getResult(0));
  auto branch =
      scf::IfOp::create(builder, loc, TypeRange(ValueRange(loaded)), exists,
                        /*withElseRegion=*/true);
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), iteration);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    for (Operation *op : head.makers) {
      if (isa<CastOp, ReindexOp, RelabelOp>(op))
        continue;
      Operation *clone = builder.clone(*op, mapping);
      if (auto stage = dyn_cast<StageOp>(clone))
        stage.setOffset(stage.getOffset() + ahead);
    }
    SmallVector<Value> read;
    for (Value value : loaded)
      read.push_back(mapping.lookup(value));
    scf::YieldOp::create(builder, loc, read);
    builder.setInsertionPointToStart(branch.elseBlock());
    SmallVector<Value> zeros;
    for (Value value : loaded)
      zeros.push_back(arith::ConstantOp::create(
          builder, loc, cast<TypedAttr>(builder.getZeroAttr(value.getType()))));
    scf::YieldOp::create(builder, loc, zeros);
  }
  for (auto [value, result] : llvm::zip_equal(loaded, branch.getResults()))
    mapping.map(value, result);
  for (Operation *op : head.makers)
    if (isa<CastOp, ReindexOp, RelabelOp>(op))
      builder.clone(*op, mapping);
  return {mapping.lookup(head.first.getA()), mapping.lookup(head.first.getB())};
}

/// Stores tiles that come through registers in front of the last product
/// instead of behind it: what is read there is complete then.  They fill the
/// buffer of the next iteration, which nothing else touches in this one, and
/// are loaded at its start (StagedLoop.cpp).
static void advanceTransitStores(LoopHead &head) {
  for (Operation *op = head.last->getNextNode(); op;) {
    Operation *following = op->getNextNode();
    if (op->hasAttr(transitAttrName) ||
        isa<StageOp, BytesOp, arith::ConstantOp>(op))
      op->moveBefore(head.last);
    op = following;
  }
}

static void rotate(scf::ForOp loop, LoopHead &head) {
  IRRewriter builder(loop);
  advanceTransitStores(head);
  Location loc = head.wait.getLoc();
  // Before the loop: the first buffer.
  builder.clone(*head.wait);
  BarrierOp::create(builder, loc);
  Value any = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                    loop.getLowerBound(), loop.getUpperBound());
  SmallVector<Value> inits =
      readOperands(builder, loop, head, loop.getLowerBound(), 0, any);

  // At the end of an iteration, in front of its last product: the next buffer.
  builder.setInsertionPoint(head.last);
  builder.clone(*head.wait);
  BarrierOp::create(builder, loc);
  Value one =
      arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(1));
  Value next = arith::AddIOp::create(builder, loc, loop.getInductionVar(), one);
  Value more = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                     next, loop.getUpperBound());
  SmallVector<Value> read =
      readOperands(builder, loop, head, loop.getInductionVar(), 1, more);

  // The copies start once the first product is under way.
  Operation *after = head.first;
  for (Operation &op : llvm::make_early_inc_range(*loop.getBody())) {
    if (&op == head.first)
      break;
    if (isa<AsyncCopyOp, CommitGroupOp>(op)) {
      op.moveAfter(after);
      after = &op;
    }
  }
  head.wait->erase();

  auto rotated = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      builder, inits, /*replaceInitOperandUsesInLoop=*/false,
      [&](OpBuilder &, Location,
          ArrayRef<BlockArgument>) -> SmallVector<Value> { return read; }));
  auto carried = rotated.getRegionIterArgs().take_back(2);
  MmaOp first = head.first;
  Value oldA = first.getA(), oldB = first.getB();
  oldA.replaceAllUsesWith(carried[0]);
  oldB.replaceAllUsesWith(carried[1]);
  for (Operation *op : llvm::reverse(head.makers))
    if (op->use_empty())
      builder.eraseOp(op);
}

namespace {
struct RotatePipeline : tile::impl::RotatePipelinePassBase<RotatePipeline> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      if (auto head = findHead(loop))
        rotate(loop, *head);
  }
};
} // namespace
