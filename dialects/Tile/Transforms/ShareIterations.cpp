//===- ShareIterations.cpp - Let several blocks share a loop --------------===//
//
// A loop that `split` blocks share is cut in as many pieces of successive
// iterations, as even as can be, and each block runs one of them.  The first
// block begins with the sums of the source, the others with zeros.
//
// The sums meet in a cluster, and whoever goes on adds them in the order of the
// blocks, so that the result is the same in each run.  What follows the loop is
// done in parts by all blocks (SlicedTail.h), else by the first one.  Where the
// parts are a few rows, each block sends them to those that need them, and adds
// what it is sent to its own; else it shows its sums in its shared memory.
//
// Where blocks are no cluster, or not so large ones, the sums meet in global
// memory (WorkspaceSums.h), and the last block to come goes on alone.
//
//===----------------------------------------------------------------------===//

#include "dialects/Tile/IR/TileShareOps.h"
#include "dialects/Tile/Transforms/ConvertedOperand.h"
#include "dialects/Tile/Transforms/Decisions.h"
#include "dialects/Tile/Transforms/IterationShare.h"
#include "dialects/Tile/Transforms/MeetingPlace.h"
#include "dialects/Tile/Transforms/SharePasses.h"
#include "dialects/Tile/Transforms/SharedSums.h"
#include "dialects/Tile/Transforms/SlicedTail.h"
#include "dialects/Tile/Transforms/TeamThreads.h"
#include "dialects/Tile/Transforms/WorkspaceSums.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::tile {
#define GEN_PASS_DEF_SHAREITERATIONSPASS
#include "dialects/Tile/Transforms/SharePasses.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

namespace {
class IterationSharer {
public:
  /// `sharedLimit`: bytes of shared memory that a block may have.
  IterationSharer(PipelinedOp loop, int64_t shares, bool inCluster,
                  int64_t sharedLimit)
      : loop(loop), kernel(loop->getParentOfType<KernelOp>()), shares(shares),
        inCluster(inCluster), sharedLimit(sharedLimit), builder(loop),
        loc(loop.getLoc()) {}

  void run();
  /// How the blocks go on behind the loop.
  StringRef describeRest() const {
    if (!inCluster)
      return "the last block to come goes on alone";
    return sharesTail ? "each block finishes a part of the result"
                      : "the first block goes on alone";
  }

private:
  Value getConstant(int64_t value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI64IntegerAttr(value));
  }

  void showSums();
  bool canSend(const SlicedTail &tail);
  void openInboxes(const SlicedTail &tail);
  void sendSums(const SlicedTail &tail);
  Value loadSent(SlicedValue sum, Value offset);
  Value loadShown(SlicedValue sum, Value offset);
  void meet();
  Value addSums(Value first, function_ref<Value(int64_t)> load, int64_t begin);
  void finishInParts(SlicedTail &tail);
  void finishInFirst();
  void finishInLast();
  scf::IfOp guardRest(Operation *op, Value condition);
  void setLaunch();

  PipelinedOp loop;
  KernelOp kernel;
  int64_t shares;
  bool inCluster;
  int64_t sharedLimit;
  OpBuilder builder;
  Location loc;
  Value share, isFirst;
  /// The tile that shows each sum, null for those that nobody reads.
  SmallVector<Value> shown;
  /// What other blocks send: one part of each, and the barrier of all.
  llvm::MapVector<Value, Value> inboxes;
  Value arrival;
  bool sharesTail = false;
};
} // namespace

//===----------------------------------------------------------------------===//
// The sums
//===----------------------------------------------------------------------===//

void IterationSharer::showSums() {
  for (Value sum : loop.getResults()) {
    if (sum.use_empty()) {
      shown.push_back(Value());
      continue;
    }
    auto type = cast<RankedTensorType>(sum.getType());
    auto shared = SharedType::get(builder.getContext(), type.getShape(),
                                  type.getElementType(), /*packDim=*/-1,
                                  SharedLayoutAttr());
    Value tile = AllocSharedOp::create(
        builder, loc, shared, builder.getStringAttr("sums"), IntegerAttr());
    StoreOp::create(builder, loc, sum, tile, ValueRange());
    shown.push_back(tile);
  }
}

/// Bytes of the buffers that a loop copies to.
static int64_t countRingBytes(PipelinedOp loop) {
  auto kernel = loop->getParentOfType<KernelOp>();
  constexpr int64_t usualStages = 4;
  int64_t stages = getDecidedInteger(kernel, "stages")
                       .value_or(loop.getStages().value_or(usualStages)),
          bytes = 0;
  for (auto copy : loop.getBodyBlock()->getOps<CopyOp>())
    if (auto tile = dyn_cast<SharedType>(copy.getDestination().getType()))
      bytes += tile.getStorage().bytes();
  return std::max<int64_t>(stages, 1) * bytes;
}

/// Whether all parts of sums are rows, which are sent sooner than a barrier of
/// the cluster is passed: up to 16 words of each thread, two at a time; and
/// whether the inboxes fit beside the buffers of the loop, where sums that are
/// shown need no room of their own.
bool IterationSharer::canSend(const SlicedTail &tail) {
  constexpr int64_t mostWords = 16, wordBytes = 4, bytesOfBarriers = 512;
  int64_t words = 0;
  for (const SlicedValue &sum : tail.getSums()) {
    auto type = cast<RankedTensorType>(sum.value.getType());
    if (sum.dim != 0 || type.getElementTypeBitWidth() != 32)
      return false;
    words += type.getNumElements() / shares;
  }
  int64_t sent = words * (shares - 1);
  return sent <= mostWords * int64_t(kernel.getThreads()) &&
         countRingBytes(loop) + wordBytes * sent + bytesOfBarriers <=
             getSharedShare(kernel, sharedLimit);
}

/// In front of the loop: others may send from now on.
void IterationSharer::openInboxes(const SlicedTail &tail) {
  int64_t bytes = 0;
  for (const SlicedValue &sum : tail.getSums()) {
    Value &inbox = inboxes[sum.value];
    if (inbox)
      continue;
    auto type = cast<RankedTensorType>(sum.value.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape[0] /= shares;
    shape.insert(shape.begin(), shares - 1);
    auto parts =
        SharedType::get(builder.getContext(), shape, type.getElementType(),
                        /*packDim=*/-1, SharedLayoutAttr());
    inbox = AllocSharedOp::create(builder, loc, parts,
                                  builder.getStringAttr("sums"), IntegerAttr());
    // The barrier below orders what happens to it.
    inbox.getDefiningOp()->setAttr(handedOverAttrName, builder.getUnitAttr());
    bytes += parts.getStorage().bytes();
  }
  arrival = BarrierAllocOp::create(
      builder, loc, BarrierType::get(builder.getContext(), 1),
      builder.getStringAttr("sent"), /*count=*/1, IntegerAttr(),
      /*cluster=*/false);
  ExpectOp::create(builder, loc, arrival, /*index=*/Value(),
                   getConstant(bytes));
}

/// What others write comes behind what they were sent, and so behind what all
/// threads of this block have read by now.
void IterationSharer::sendSums(const SlicedTail &tail) {
  if (tail.hasReadEarly())
    BarrierOp::create(builder, loc);
  for (auto &[sum, inbox] : inboxes)
    SendOp::create(builder, loc, sum, inbox, arrival);
  // Its own part comes to the threads that finish it through shared memory.
  showSums();
  WaitOp::create(builder, loc, arrival, /*index=*/Value(), getConstant(0));
}

void IterationSharer::meet() {
  ClusterArriveOp::create(builder, loc, /*after_reads=*/false);
  ClusterWaitOp::create(builder, loc, ValueRange());
}

/// Adds what `load` gives for the blocks from `begin` on to `first`, if there
/// is one.
Value IterationSharer::addSums(Value first, function_ref<Value(int64_t)> load,
                               int64_t begin) {
  SmallVector<Value> parts;
  for (int64_t rank = begin; rank < shares; ++rank)
    parts.push_back(load(rank));
  Value sum = first ? first : parts.front();
  for (Value part : ArrayRef(parts).drop_front(first ? 0 : 1))
    sum = isa<FloatType>(getTileElementType(sum.getType()))
              ? Value(arith::AddFOp::create(builder, loc, sum, part))
              : Value(arith::AddIOp::create(builder, loc, sum, part));
  return sum;
}

//===----------------------------------------------------------------------===//
// What follows
//===----------------------------------------------------------------------===//

/// This block's part of a sum, which begins at `offset`: its own first, and
/// those from its inbox.
Value IterationSharer::loadSent(SlicedValue sum, Value offset) {
  Value inbox = inboxes.lookup(sum.value);
  SharedType parts = cast<SharedType>(inbox.getType());
  auto part = SharedType::get(
      builder.getContext(), parts.getShape().drop_front(),
      parts.getElementType(), /*packDim=*/-1, SharedLayoutAttr());
  auto type = RankedTensorType::get(part.getShape(), parts.getElementType());
  SmallVector<Value> offsets(part.getRank(), getConstant(0));
  offsets[sum.dim] = offset;
  Value slice = SliceOp::create(
      builder, loc, part, shown[cast<OpResult>(sum.value).getResultNumber()],
      offsets, DenseI64ArrayAttr());
  Value own = LoadOp::create(builder, loc, type, slice, ValueRange(), Value());
  return addSums(
      own,
      [&](int64_t rank) -> Value {
        Value place = StageOp::create(builder, loc, part, inbox,
                                      getConstant(rank - 1), /*offset=*/0,
                                      /*in_range=*/true);
        return LoadOp::create(builder, loc, type, place, ValueRange(), Value());
      },
      /*begin=*/1);
}

/// The part of a sum that begins at `offset`, from where all blocks show it.
Value IterationSharer::loadShown(SlicedValue sum, Value offset) {
  unsigned number = cast<OpResult>(sum.value).getResultNumber();
  SharedType whole = cast<SharedType>(shown[number].getType());
  SmallVector<int64_t> shape(whole.getShape());
  shape[sum.dim] /= shares;
  auto part =
      SharedType::get(builder.getContext(), shape, whole.getElementType(),
                      /*packDim=*/-1, SharedLayoutAttr());
  SmallVector<Value> offsets(shape.size(), getConstant(0));
  offsets[sum.dim] = offset;
  auto type = RankedTensorType::get(shape, whole.getElementType());
  return addSums(
      Value(),
      [&](int64_t rank) -> Value {
        Value peer = PeerOp::create(builder, loc, whole, shown[number],
                                    builder.getI64IntegerAttr(rank));
        Value slice = SliceOp::create(builder, loc, part, peer, offsets,
                                      DenseI64ArrayAttr());
        return LoadOp::create(builder, loc, type, slice, ValueRange(), Value());
      },
      /*begin=*/0);
}

void IterationSharer::finishInParts(SlicedTail &tail) {
  SmallVector<Value> tiles;
  for (Value tile : shown)
    if (tile)
      tiles.push_back(tile);
  if (inboxes.empty())
    meet();
  else
    sendSums(tail);
  // Behind all that the stores refer to.
  builder.setInsertionPoint(loop->getBlock()->getTerminator());
  tail.emitValues(builder, share, [&](SlicedValue sum, Value offset) {
    return inboxes.empty() ? loadShown(sum, offset) : loadSent(sum, offset);
  });
  // A block must not write what another one may still read.
  if (tail.readsTensors())
    meet();
  tail.emitStores(builder);
  // Nor end while its sums are being read.
  if (!inboxes.empty())
    return;
  ClusterArriveOp::create(builder, loc, /*after_reads=*/true);
  ClusterWaitOp::create(builder, loc, tiles);
}

/// Puts all behind `op` in its block in a branch; null if there is nothing.
scf::IfOp IterationSharer::guardRest(Operation *op, Value condition) {
  Block *block = op->getBlock();
  Operation *terminator = block->getTerminator();
  if (op->getNextNode() == terminator)
    return {};
  OpBuilder at(op->getContext());
  at.setInsertionPointAfter(op);
  auto branch = scf::IfOp::create(at, loc, condition, /*withElseRegion=*/false);
  Block *body = branch.thenBlock();
  body->getOperations().splice(
      body->getTerminator()->getIterator(), block->getOperations(),
      std::next(branch->getIterator()), terminator->getIterator());
  return branch;
}

void IterationSharer::finishInFirst() {
  if (llvm::none_of(shown, [](Value tile) { return bool(tile); })) {
    for (Operation *op = loop; !isa<KernelOp>(op);
         op = op->getBlock()->getParentOp())
      guardRest(op, isFirst);
    return;
  }
  meet();
  // The others wait for the end of this branch.
  auto branch = scf::IfOp::create(builder, loc, loop.getResultTypes(), isFirst,
                                  /*addThenBlock=*/true, /*addElseBlock=*/true);
  SmallVector<Value> sums, tiles;
  builder.setInsertionPointToEnd(branch.thenBlock());
  for (auto [sum, tile] : llvm::zip_equal(loop.getResults(), shown)) {
    if (!tile) {
      sums.push_back(sum);
      continue;
    }
    tiles.push_back(tile);
    sums.push_back(addSums(
        sum,
        [&](int64_t rank) -> Value {
          Value peer = PeerOp::create(builder, loc, tile.getType(), tile,
                                      builder.getI64IntegerAttr(rank));
          return LoadOp::create(builder, loc, sum.getType(), peer, ValueRange(),
                                Value());
        },
        /*begin=*/1));
  }
  scf::YieldOp::create(builder, loc, sums);
  builder.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(builder, loc, loop.getResults());
  builder.setInsertionPointAfter(branch);
  ClusterArriveOp::create(builder, loc, /*after_reads=*/true);
  auto wait = ClusterWaitOp::create(builder, loc, tiles);
  for (auto [sum, result] :
       llvm::zip_equal(loop.getResults(), branch.getResults()))
    sum.replaceUsesWithIf(result, [&](OpOperand &use) {
      Operation *user =
          loop->getBlock()->findAncestorOpInBlock(*use.getOwner());
      return user && wait->isBeforeInBlock(user);
    });
  for (Operation *op = wait; !isa<KernelOp>(op);
       op = op->getBlock()->getParentOp())
    guardRest(op, isFirst);
}

/// The other blocks end with the loop: at other levels of the kernel only what
/// has no effect follows.
void IterationSharer::finishInLast() {
  WorkspaceSums sums(loop, shares);
  sums.emitStores(builder, share);
  auto last = LastShareOp::create(builder, loc, builder.getI1Type());
  sums.setLaunch();
  scf::IfOp branch = guardRest(last, last);
  if (!branch)
    return;
  builder.setInsertionPointToStart(branch.thenBlock());
  for (auto [sum, total] :
       llvm::zip_equal(loop.getResults(), sums.emitTotals(builder)))
    if (sum != total)
      sum.replaceUsesWithIf(total, [&](OpOperand &use) {
        return branch->isAncestor(use.getOwner());
      });
}

//===----------------------------------------------------------------------===//
// The launch
//===----------------------------------------------------------------------===//

void IterationSharer::setLaunch() {
  Attribute blocks = builder.getI64IntegerAttr(shares);
  for (Attribute extent : kernel.getGrid())
    blocks = builder.getArrayAttr({builder.getStringAttr("*"), blocks, extent});
  kernel.setBlocksAttr(blocks);
  kernel->setAttr(sharesAttrName, builder.getI64IntegerAttr(shares));
  if (inCluster)
    kernel.setCluster(shares);
}

void IterationSharer::run() {
  share = BlockRankOp::create(builder, loc, builder.getI64Type());
  isFirst = builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq,
                                                share, getConstant(0));
  cutToShare(builder, loop, share, shares);
  startSums(builder, loop, isFirst);
  SlicedTail tail(loop, shares);
  sharesTail = inCluster && tail.plan();
  // What is read in front of the loop arrives meanwhile.
  if (sharesTail && canSend(tail)) {
    openInboxes(tail);
    tail.readEarly();
  }
  builder.setInsertionPointAfter(loop);
  if (inCluster && inboxes.empty())
    showSums();
  if (!inCluster)
    finishInLast();
  else if (sharesTail)
    finishInParts(tail);
  else
    finishInFirst();
  setLaunch();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct ShareIterations : tile::impl::ShareIterationsPassBase<ShareIterations> {
  using ShareIterationsPassBase::ShareIterationsPassBase;

  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<KernelOp>())
      if (failed(shareLoops(kernel)))
        return signalPassFailure();
  }

  LogicalResult shareLoops(KernelOp kernel);
  void noteUnshared(KernelOp kernel, ArrayRef<PipelinedOp> loops);
};
} // namespace

/// Why blocks cannot share a loop; empty if they can.
static std::string findObstacle(PipelinedOp loop, bool inCluster) {
  if (std::string why = findSharingObstacle(loop); !why.empty() || inCluster)
    return why;
  // Of what follows, one block would do the first part and another the second.
  for (Operation *op = loop->getParentOp(); !isa<KernelOp>(op);
       op = op->getParentOp())
    for (Operation *next = op->getNextNode(); next; next = next->getNextNode())
      if (!isPure(next) && !next->hasTrait<OpTrait::IsTerminator>())
        return "a loop inside an 'if' that other statements follow is not "
               "supported yet where blocks are no cluster";
  return "";
}

/// Notes that a loop which blocks of a cluster might share is not shared, where
/// the source says nothing of it.
void ShareIterations::noteUnshared(KernelOp kernel,
                                   ArrayRef<PipelinedOp> loops) {
  constexpr int64_t fewest = 2;
  if (!findClusterObstacle(fewest, target).empty())
    return;
  for (PipelinedOp loop : loops) {
    bool hasSums = llvm::any_of(loop.getResults(), [](Value result) {
      return isa<RankedTensorType>(result.getType()) && !result.use_empty();
    });
    if (!hasSums || !findObstacle(loop, /*inCluster=*/true).empty() ||
        !findClusterDrawback(loop, sharedLimit).empty())
      continue;
    noteChoice(kernel, loop.getLoc(),
               {"split", "1", "1 to 1024",
                "the default: a block runs all iterations itself"});
    return;
  }
}

LogicalResult ShareIterations::shareLoops(KernelOp kernel) {
  SmallVector<PipelinedOp> loops;
  kernel.walk([&](PipelinedOp loop) { loops.push_back(loop); });
  std::optional<int64_t> decided = getDecidedInteger(kernel, "split");
  bool isWritten = llvm::any_of(
      loops, [](PipelinedOp loop) { return loop->hasAttr(splitAttrName); });
  PipelinedOp chosen;
  for (PipelinedOp loop : loops) {
    bool isFirst = !chosen && (decided || getCount(loop, splitAttrName) > 1);
    if (isFirst)
      chosen = loop;
    else if (getCount(loop, splitAttrName) > 1)
      loop.emitRemark("'split' is ignored: blocks share one loop of a kernel");
    if (!isFirst)
      loop->removeAttr(splitAttrName);
  }
  if (!chosen) {
    if (decided.value_or(1) > 1)
      return kernel.emitError("decision 'split' = ")
             << *decided << " cannot be honoured: there is no pipelined loop";
    if (!decided && !isWritten)
      noteUnshared(kernel, loops);
    return success();
  }
  int64_t asked = getCount(chosen, splitAttrName);
  int64_t shares = decided.value_or(asked);
  if (shares > 1) {
    std::string obstacle = findClusterObstacle(shares, target);
    std::string drawback = findClusterDrawback(chosen, sharedLimit);
    auto meeting = getDecidedWord(kernel, "sums");
    if (meeting == StringRef("cluster") && !obstacle.empty())
      return kernel.emitError("decision 'sums' = cluster cannot be honoured: ")
             << obstacle;
    bool inCluster =
        obstacle.empty() &&
        (meeting ? meeting == StringRef("cluster") : drawback.empty());
    if (std::string why = findObstacle(chosen, inCluster); !why.empty()) {
      if (decided)
        return kernel.emitError("decision 'split' = ")
               << *decided << " cannot be honoured: " << why;
      return chosen.emitError("'split' = ")
             << shares << " cannot be honoured: " << why;
    }
    IterationSharer sharer(chosen, shares, inCluster, sharedLimit);
    sharer.run();
    std::string reason = obstacle.empty() ? drawback : obstacle;
    reason += (reason.empty() ? "" : "; ") + sharer.describeRest().str();
    noteChoice(kernel, chosen.getLoc(),
               {"sums", inCluster ? "cluster" : "workspace",
                obstacle.empty() ? "cluster, workspace" : "workspace", reason});
  }
  chosen->removeAttr(splitAttrName);
  noteChoice(
      kernel, chosen.getLoc(),
      {"split", std::to_string(shares), "1 to 1024", "as the source says"});
  return success();
}
