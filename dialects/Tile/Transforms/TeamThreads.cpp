//===- TeamThreads.cpp - Which threads of a team do its work --------------===//

#include "dialects/Tile/Transforms/TeamThreads.h"
#include "dialects/Tile/IR/TileShareOps.h"
#include "dialects/Tile/Transforms/Decisions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tile;

static bool isFragmentType(Type type) { return isa<RankedTensorType>(type); }

/// Whether the lowering of an op is the same for one thread as for many.
static bool isForOneThread(Operation *op) {
  if (llvm::any_of(op->getOperandTypes(), isFragmentType) ||
      llvm::any_of(op->getResultTypes(), isFragmentType))
    return false;
  if (auto arrive = dyn_cast<ArriveOp>(op))
    return !arrive.isByParts();
  return isa<scf::SCFDialect, arith::ArithDialect, math::MathDialect>(
             op->getDialect()) ||
         isa<LoadElementOp, SetMaxRegistersOp, ExpectOp, WaitOp, TmaCopyOp,
             CommitGroupOp, WaitGroupOp, FenceOp, BlockNumberOp, BlockCountOp,
             BlockRankOp, AxisExtentOp, SymbolOp, BlockIdOp, StageOp, SliceOp,
             ViewOp, BytesOp, AllocSharedOp, AwaitLaunchesOp, AllowLaunchesOp,
             YieldOp>(op);
}

int64_t tile::getRegisterShare(KernelOp kernel) {
  constexpr int64_t registersOfMultiprocessor = 65536, mostPerThread = 256;
  int64_t threads =
      kernel.getThreads() * getDecidedInteger(kernel, "min_blocks").value_or(1);
  // ptxas rounds down to a multiple of 8.
  return std::min(registersOfMultiprocessor / threads / 8 * 8, mostPerThread);
}

int64_t tile::getSharedShare(KernelOp kernel, int64_t sharedLimit) {
  int64_t blocks = getDecidedInteger(kernel, "min_blocks").value_or(1);
  return (sharedLimit + reservedSharedBytes) / blocks - reservedSharedBytes;
}

void tile::cloneConstantsIntoTeams(KernelOp kernel) {
  kernel.walk([](WarpgroupOp teams) {
    for (Region &team : teams.getBodies()) {
      Operation *first = &team.front().front();
      OpBuilder builder(isa<SetMaxRegistersOp>(first) ? first->getNextNode()
                                                      : first);
      DenseMap<Value, Value> clones;
      team.walk([&](Operation *op) {
        for (OpOperand &operand : op->getOpOperands()) {
          auto constant = operand.get().getDefiningOp<arith::ConstantOp>();
          if (!constant || !isFragmentType(constant.getType()) ||
              team.isAncestor(constant->getParentRegion()))
            continue;
          Value &clone = clones[operand.get()];
          if (!clone)
            clone = builder.clone(*constant)->getResult(0);
          operand.set(clone);
        }
      });
    }
  });
}

bool tile::isForOneThread(Block &body) {
  bool synchronises = false;
  WalkResult walked = body.walk([&](Operation *op) -> WalkResult {
    synchronises |= isa<ArriveOp, ExpectOp, TmaCopyOp>(op);
    return success(::isForOneThread(op));
  });
  return synchronises && !walked.wasInterrupted();
}
