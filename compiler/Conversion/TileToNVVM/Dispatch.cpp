//===- Dispatch.cpp - Which function emits an op --------------------------===//

#include "compiler/Conversion/TileToNVVM/ClusterToNVVM.h"
#include "compiler/Conversion/TileToNVVM/Emitters.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tile;

static LogicalResult emitLoad(KernelEmitter &e, LoadOp op) {
  return isa<GlobalType>(op.getMemory().getType()) ? emitGlobalLoad(e, op)
                                                   : emitSharedLoad(e, op);
}

static LogicalResult emitStore(KernelEmitter &e, StoreOp op) {
  return isa<GlobalType>(op.getMemory().getType()) ? emitGlobalStore(e, op)
                                                   : emitSharedStore(e, op);
}

static LogicalResult refuse(Operation *op) {
  return op->emitError("'") << op->getName() << "' is not supported yet";
}

static LogicalResult emitElement(KernelEmitter &e, ElementOp op) {
  return e.iteration ? e.iteration->emitElement(op) : refuse(op);
}

static LogicalResult emitSymbol(KernelEmitter &e, SymbolOp op) {
  e.setScalar(op, e.getSymbol(op.getName()));
  return success();
}

static LogicalResult emitAxisExtent(KernelEmitter &e, AxisExtentOp op) {
  e.setScalar(op, e.emitExpression(e.kernel.getGrid()[op.getAxis()]));
  return success();
}

static LogicalResult emitMmaCarry(KernelEmitter &e, MmaCarryOp op) {
  if (op.getFragment()) {
    e.setFragment(op, e.getFragment(op.getFragment()));
    return success();
  }
  Type element = getTileElementType(op.getType().getFragment());
  SmallVector<Value> unset(
      e.getLayout(op).elementsPerThread(),
      LLVM::PoisonOp::create(e.builder, e.loc, getRegisterType(element)));
  e.setFragment(op, FragmentValue::ofElements(element, unset));
  return success();
}

static LogicalResult emitBlockId(KernelEmitter &e, BlockIdOp op) {
  e.setScalar(op, e.getBlockId(op.getAxis()));
  return success();
}

static LogicalResult emitBlockNumber(KernelEmitter &e, BlockNumberOp op) {
  e.setScalar(op, e.zeroExtend(NVVM::BlockIdXOp::create(
                      e.builder, e.loc, e.builder.getI32Type())));
  return success();
}

static LogicalResult emitBlockCount(KernelEmitter &e, BlockCountOp op) {
  e.setScalar(op, e.zeroExtend(NVVM::GridDimXOp::create(
                      e.builder, e.loc, e.builder.getI32Type())));
  return success();
}

static LogicalResult emitWarpgroupNumber(KernelEmitter &e,
                                         WarpgroupNumberOp op) {
  e.setScalar(op, e.zeroExtend(e.emitWarpgroup()));
  return success();
}

/// Ops of the tile dialect.
static LogicalResult emitTileOp(KernelEmitter &e, Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](LoadOp load) { return emitLoad(e, load); })
      .Case([&](StoreOp store) { return emitStore(e, store); })
      .Case([&](CopyOp copy) { return emitCopy(e, copy); })
      .Case([&](AsyncCopyOp copy) { return emitAsyncCopy(e, copy); })
      .Case([&](AsyncCopyElementsOp copy) {
        return emitAsyncCopyElements(e, copy);
      })
      .Case([&](ElementOp element) { return emitElement(e, element); })
      .Case([&](LoadElementOp load) { return emitLoadElement(e, load); })
      .Case([&](StoreElementOp store) { return emitStoreElement(e, store); })
      .Case([&](StorePairOp store) { return emitStorePair(e, store); })
      .Case(
          [&](AtomicElementOp atomic) { return emitAtomicElement(e, atomic); })
      .Case([&](ParallelOp parallel) { return emitParallel(e, parallel); })
      .Case([&](BroadcastOp broadcast) { return emitBroadcast(e, broadcast); })
      .Case([&](ReindexOp reindex) { return emitReindex(e, reindex); })
      .Case([&](PartOp part) { return emitPart(e, part); })
      .Case([&](JoinOp join) { return emitJoin(e, join); })
      .Case([&](RelabelOp relabel) { return emitRelabel(e, relabel); })
      .Case([&](ConvertLayoutOp convert) {
        return emitConvertLayout(e, convert);
      })
      .Case([&](CastOp convert) { return emitCast(e, convert); })
      .Case([&](MmaOp mma) { return emitMma(e, mma); })
      .Case([&](WgmmaOp mma) { return emitWgmma(e, mma); })
      .Case([&](MmaWaitOp wait) { return emitMmaWait(e, wait); })
      .Case([&](SymbolOp symbol) { return emitSymbol(e, symbol); })
      .Case([&](BlockIdOp block) { return emitBlockId(e, block); })
      .Case([&](BlockNumberOp block) { return emitBlockNumber(e, block); })
      .Case([&](BlockCountOp count) { return emitBlockCount(e, count); })
      .Case([&](BlockRankOp rank) { return emitBlockRank(e, rank); })
      .Case([&](AxisExtentOp axis) { return emitAxisExtent(e, axis); })
      .Case([&](MmaCarryOp carry) { return emitMmaCarry(e, carry); })
      .Case([&](StoreThroughOp store) { return emitStoreThrough(e, store); })
      .Case([&](AllocSharedOp alloc) { return emitAllocShared(e, alloc); })
      .Case([&](StageOp stage) { return emitStage(e, stage); })
      .Case([&](ViewOp view) { return emitView(e, view); })
      .Case([&](SliceOp slice) { return emitSlice(e, slice); })
      .Case([&](PeerOp peer) { return emitPeer(e, peer); })
      .Case([&](SendOp send) { return emitSend(e, send); })
      .Case([&](WorkspaceOp memory) { return emitWorkspace(e, memory); })
      .Case([&](LastShareOp last) { return emitLastShare(e, last); })
      .Case([&](BytesOp bytes) { return emitBytes(e, bytes); })
      .Case([&](CommitGroupOp commit) { return emitCommitGroup(e, commit); })
      .Case([&](WaitGroupOp wait) { return emitWaitGroup(e, wait); })
      .Case([&](BarrierOp barrier) { return emitBarrier(e, barrier); })
      .Case(
          [&](ClusterArriveOp arrive) { return emitClusterArrive(e, arrive); })
      .Case([&](ClusterWaitOp wait) { return emitClusterWait(e, wait); })
      .Case([&](BarrierAllocOp alloc) { return emitBarrierAlloc(e, alloc); })
      .Case([&](ArriveOp arrive) { return emitArrive(e, arrive); })
      .Case([&](ExpectOp expect) { return emitExpect(e, expect); })
      .Case([&](WaitOp wait) { return emitWait(e, wait); })
      .Case([&](FenceOp fence) { return emitFence(e, fence); })
      .Case([&](TmaCopyOp copy) { return emitTmaCopy(e, copy); })
      .Case([&](WarpgroupOp teams) { return emitWarpgroup(e, teams); })
      .Case([&](WarpgroupNumberOp group) {
        return emitWarpgroupNumber(e, group);
      })
      .Case([&](SetMaxRegistersOp set) { return emitSetMaxRegisters(e, set); })
      .Case([&](AwaitLaunchesOp) { return emitAwaitLaunches(e); })
      .Case([&](AllowLaunchesOp) { return emitAllowLaunches(e); })
      .Default([](Operation *other) { return refuse(other); });
}

LogicalResult tile::emitOperation(KernelEmitter &e, Operation *op) {
  if (isa<scf::SCFDialect>(op->getDialect()))
    return emitControlFlow(e, op);
  if (isa<arith::ArithDialect, math::MathDialect>(op->getDialect()))
    return emitElementwise(e, op);
  return emitTileOp(e, op);
}
