//===- PlanPipeline.cpp - Variants, and copies that run ahead -------------===//
//
// Two steps.  First each kernel is split into variants by what it may assume of
// its arguments.  Then each pipelined loop is rewritten over `stages` buffers:
//
//     for d < stages - 1: start copies of iteration d; commit
//     for i: wait until the group of iteration i has landed
//            start copies of iteration i + stages - 1 (if there is one); commit
//            work on buffer i mod stages
//
// An iteration beyond the last starts nothing but commits all the same, so that
// the number of groups to wait for does not depend on the trip count.
//
//===----------------------------------------------------------------------===//

#include "dialects/Tile/Transforms/AccessFacts.h"
#include "dialects/Tile/Transforms/AlignedVariants.h"
#include "dialects/Tile/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::tile {
#define GEN_PASS_DEF_PLANPIPELINEPASS
#include "dialects/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

/// The narrowest copy worth running ahead: with 4-byte pieces a thread would
/// hold the addresses of four times as many.
static constexpr int64_t narrowestCopy = 8;

//===----------------------------------------------------------------------===//
// Which copies can run ahead
//===----------------------------------------------------------------------===//

/// The pure ops of the body that `value` depends on can be repeated for another
/// iteration.
static bool canRecompute(Value value, PipelinedOp loop) {
  if (auto arg = dyn_cast<BlockArgument>(value))
    return arg.getOwner() != loop.getBodyBlock() ||
           arg == loop.getInductionVar();
  Operation *op = value.getDefiningOp();
  if (!loop->isAncestor(op))
    return true;
  return op->getBlock() == loop.getBodyBlock() && isPure(op) &&
         llvm::all_of(op->getOperands(),
                      [&](Value v) { return canRecompute(v, loop); });
}

/// Why a copy stays where it is; empty if it may run ahead.
static StringRef getObstacle(CopyOp copy, PipelinedOp loop) {
  auto alloc = copy.getDestination().getDefiningOp<AllocSharedOp>();
  if (!alloc || !isa<GlobalType>(copy.getSource().getType()))
    return "it is not from a tensor to a whole shared tile";
  if (copy.getPad())
    return "it has a pad value";
  for (Value index : copy.getSourceIndices())
    if (!canRecompute(index, loop))
      return "its place depends on the previous iteration";
  for (Operation *user : alloc.getResult().getUsers()) {
    if (user == copy)
      continue;
    if (!loop->isProperAncestor(user))
      return "its tile is used outside the loop";
    Operation *inBody = loop.getBodyBlock()->findAncestorOpInBlock(*user);
    if (inBody->isBeforeInBlock(copy))
      return "its tile is read before it";
    if (!isa<GemmOp, LoadOp, LoadElementOp>(user))
      return "its tile is written elsewhere too";
  }
  if (getCopyBytes(copy.getSource(), copy.getSourceIndices(),
                   getTileShape(copy.getDestination().getType())) <
      narrowestCopy)
    return "its rows are not made of aligned pieces of at least 8 bytes";
  return "";
}

/// The copies of a loop's body that may run ahead.
static SmallVector<CopyOp> findPipelinedCopies(PipelinedOp loop) {
  // A store to global memory may be seen by a later copy.
  bool stores = false;
  loop.getBody().walk([&](Operation *op) {
    if (auto store = dyn_cast<StoreOp>(op))
      stores |= isa<GlobalType>(store.getMemory().getType());
    if (auto store = dyn_cast<StoreElementOp>(op))
      stores |= isa<GlobalType>(store.getMemory().getType());
    if (auto copy = dyn_cast<CopyOp>(op))
      stores |= isa<GlobalType>(copy.getDestination().getType());
  });
  SmallVector<CopyOp> copies;
  if (stores)
    return copies;
  for (auto copy : loop.getBodyBlock()->getOps<CopyOp>())
    if (getObstacle(copy, loop).empty())
      copies.push_back(copy);
  return copies;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// The loop without overlap.
static void makeSerialLoop(PipelinedOp loop) {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  Value step = arith::ConstantOp::create(
      builder, loc, builder.getI64IntegerAttr(loop.getStep()));
  auto serial = scf::ForOp::create(builder, loc, loop.getLower(),
                                   loop.getUpper(), step, loop.getInitArgs());
  Block *body = serial.getBody();
  if (!body->empty())
    body->getTerminator()->erase();
  SmallVector<Value> args(body->getArguments());
  auto yield = cast<YieldOp>(loop.getBodyBlock()->getTerminator());
  body->getOperations().splice(body->end(),
                               loop.getBodyBlock()->getOperations());
  for (auto [from, to] : llvm::zip_equal(loop.getBody().getArguments(), args))
    from.replaceAllUsesWith(to);
  builder.setInsertionPoint(yield);
  scf::YieldOp::create(builder, loc, yield.getOperands());
  yield.erase();
  loop.replaceAllUsesWith(serial.getResults());
  loop.erase();
}

namespace {
/// Rewrites one loop over staged buffers.
class LoopPipeliner {
public:
  LoopPipeliner(PipelinedOp loop, ArrayRef<CopyOp> copies, int64_t stages)
      : loop(loop), copies(copies), stages(stages), builder(loop),
        loc(loop.getLoc()) {}

  void run();

private:
  void makeBuffers();
  void startCopies(Value iteration, int64_t ahead);
  Value recompute(Value value, IRMapping &mapping);
  Value getConstant(int64_t value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI64IntegerAttr(value));
  }

  PipelinedOp loop;
  ArrayRef<CopyOp> copies;
  int64_t stages;
  OpBuilder builder;
  Location loc;
  Value tripCount;
  /// The staged tile that replaces each tile.
  llvm::MapVector<AllocSharedOp, Value> buffers;
};
} // namespace

void LoopPipeliner::makeBuffers() {
  for (CopyOp copy : copies) {
    auto alloc = copy.getDestination().getDefiningOp<AllocSharedOp>();
    SharedType type = alloc.getType();
    SmallVector<int64_t> shape(type.getShape());
    shape.insert(shape.begin(), stages);
    auto staged = SharedType::get(
        builder.getContext(), shape, type.getElementType(),
        type.getPackDim() < 0 ? -1 : type.getPackDim() + 1, type.getLayout());
    auto buffer = AllocSharedOp::create(builder, alloc.getLoc(), staged,
                                        alloc.getNameAttr(), IntegerAttr());
    buffer->setAttr("tile.stages", builder.getI64IntegerAttr(stages));
    buffers[alloc] = buffer;
  }
}

Value LoopPipeliner::recompute(Value value, IRMapping &mapping) {
  if (mapping.contains(value))
    return mapping.lookup(value);
  Operation *op = value.getDefiningOp();
  if (!op || !loop->isAncestor(op))
    return value;
  for (Value operand : op->getOperands())
    recompute(operand, mapping);
  builder.clone(*op, mapping);
  return mapping.lookup(value);
}

/// Starts the copies of iteration `iteration + ahead`, if there is such, and
/// closes their group.
void LoopPipeliner::startCopies(Value iteration, int64_t ahead) {
  Value target =
      arith::AddIOp::create(builder, loc, iteration, getConstant(ahead));
  Value exists = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                       target, tripCount);
  Value scaled =
      arith::MulIOp::create(builder, loc, target, getConstant(loop.getStep()));
  Value index = arith::AddIOp::create(builder, loc, loop.getLower(), scaled);
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), index);
  for (CopyOp copy : copies) {
    auto alloc = copy.getDestination().getDefiningOp<AllocSharedOp>();
    SmallVector<Value> indices;
    for (Value sourceIndex : copy.getSourceIndices())
      indices.push_back(recompute(sourceIndex, mapping));
    Value slot =
        StageOp::create(builder, copy.getLoc(), alloc.getType(), buffers[alloc],
                        iteration, builder.getI64IntegerAttr(ahead));
    AsyncCopyOp::create(builder, copy.getLoc(), copy.getSource(), indices, slot,
                        exists, CopyPlanAttr());
  }
  CommitGroupOp::create(builder, loc);
}

void LoopPipeliner::run() {
  makeBuffers();
  // Iterations are counted from 0, whatever the bounds.
  Value zero = getConstant(0), one = getConstant(1);
  Value extent =
      arith::SubIOp::create(builder, loc, loop.getUpper(), loop.getLower());
  tripCount = loop.getStep() == 1
                  ? extent
                  : arith::CeilDivSIOp::create(builder, loc, extent,
                                               getConstant(loop.getStep()))
                        .getResult();
  for (int64_t ahead = 0; ahead < stages - 1; ++ahead)
    startCopies(zero, ahead);

  auto staged = scf::ForOp::create(builder, loc, zero, tripCount, one,
                                   loop.getInitArgs());
  Block *body = staged.getBody();
  if (!body->empty())
    body->getTerminator()->erase();
  builder.setInsertionPointToEnd(body);
  Value iteration = staged.getInductionVar();
  if (stages > 1)
    WaitGroupOp::create(builder, loc, builder.getI64IntegerAttr(stages - 2));
  startCopies(iteration, stages - 1);
  if (stages == 1)
    WaitGroupOp::create(builder, loc, builder.getI64IntegerAttr(0));

  // Readers take the buffer of this iteration.
  for (auto &[alloc, buffer] : buffers) {
    Value slot =
        StageOp::create(builder, alloc.getLoc(), alloc.getType(), buffer,
                        iteration, builder.getI64IntegerAttr(0));
    for (OpOperand &use :
         llvm::make_early_inc_range(alloc.getResult().getUses()))
      if (!isa<CopyOp>(use.getOwner()))
        use.set(slot);
  }
  Value scaled = arith::MulIOp::create(builder, loc, iteration,
                                       getConstant(loop.getStep()));
  Value index = arith::AddIOp::create(builder, loc, loop.getLower(), scaled);
  loop.getInductionVar().replaceAllUsesWith(index);
  for (auto [from, to] :
       llvm::zip_equal(loop.getRegionIterArgs(), staged.getRegionIterArgs()))
    from.replaceAllUsesWith(to);
  auto yield = cast<YieldOp>(loop.getBodyBlock()->getTerminator());
  SmallVector<Value> yielded(yield.getOperands());
  yield.erase();
  body->getOperations().splice(body->end(),
                               loop.getBodyBlock()->getOperations());
  builder.setInsertionPointToEnd(body);
  scf::YieldOp::create(builder, loc, yielded);
  for (CopyOp copy : copies)
    copy.erase();
  for (auto &[alloc, buffer] : buffers)
    if (alloc.getResult().use_empty())
      alloc.erase();
  loop.replaceAllUsesWith(staged.getResults());
  // The last groups may be empty, but a later pipeline counts from here.
  builder.setInsertionPointAfter(staged);
  if (stages > 1)
    WaitGroupOp::create(builder, loc, builder.getI64IntegerAttr(0));
  loop.erase();
}

/// Bytes of the kernel's shared tiles with `stages` buffers for those of
/// `copies`.
static int64_t countSharedBytes(KernelOp kernel, ArrayRef<CopyOp> copies,
                                int64_t stages) {
  int64_t bytes = 0;
  kernel.walk([&](AllocSharedOp alloc) {
    int64_t size = llvm::alignTo(alloc.getType().getStorage().bytes(), 1024);
    bool staged = llvm::any_of(copies, [&](CopyOp copy) {
      return copy.getDestination() == alloc.getResult();
    });
    bytes += staged ? size * stages : size;
  });
  return bytes;
}

/// The number of buffers of a loop: as asked for, lowered to what fits unless
/// it was given on purpose.
static int64_t chooseStages(PipelinedOp loop, ArrayRef<CopyOp> copies,
                            int64_t sharedLimit) {
  auto kernel = loop->getParentOfType<KernelOp>();
  int64_t asked =
      loop.getStages() ? std::max<int64_t>(*loop.getStages(), 1) : 4;
  if (loop.getStagesFixed())
    return asked;
  int64_t stages = asked;
  while (stages > 1 && countSharedBytes(kernel, copies, stages) > sharedLimit)
    --stages;
  if (loop.getStages() && stages < asked)
    loop.emitRemark("stages lowered from ")
        << asked << " to " << stages << " to fit " << sharedLimit
        << " bytes of shared memory";
  return stages;
}

namespace {
struct PlanPipeline : tile::impl::PlanPipelinePassBase<PlanPipeline> {
  using PlanPipelinePassBase::PlanPipelinePassBase;

  void runOnOperation() override {
    SmallVector<KernelOp> kernels(getOperation().getOps<KernelOp>());
    for (KernelOp kernel : kernels) {
      SmallVector<KernelOp> variants = forkAlignedVariants(kernel);
      for (KernelOp variant : variants)
        pipelineLoops(variant, /*withRemarks=*/variant == variants.front());
      SmallVector<PipelinedOp> loops;
      kernel.walk([&](PipelinedOp loop) { loops.push_back(loop); });
      for (PipelinedOp loop : loops)
        makeSerialLoop(loop);
    }
  }

  /// Remarks say what does not run ahead, once for all variants.
  void pipelineLoops(KernelOp kernel, bool withRemarks) {
    SmallVector<PipelinedOp> loops;
    kernel.walk([&](PipelinedOp loop) { loops.push_back(loop); });
    for (PipelinedOp loop : loops) {
      SmallVector<CopyOp> copies = findPipelinedCopies(loop);
      for (auto copy : loop.getBodyBlock()->getOps<CopyOp>())
        if (StringRef why = getObstacle(copy, loop);
            withRemarks && !why.empty())
          copy.emitRemark("this copy does not run ahead: ") << why;
      if (copies.empty())
        makeSerialLoop(loop);
      else
        LoopPipeliner(loop, copies, chooseStages(loop, copies, sharedLimit))
            .run();
    }
  }
};
} // namespace
