//===- AlignAsyncCopies.cpp - Alignment of copies that programs wrote -----===//
//
// The compiler's own asynchronous copies are made where alignment is known, and
// other copies elsewhere.  Those that a program wrote do what they say: what
// the text does not prove of them is checked at launch.
//
//===----------------------------------------------------------------------===//

#include "dialects/Tile/Transforms/AccessFacts.h"
#include "dialects/Tile/Transforms/AlignmentFacts.h"
#include "dialects/Tile/Transforms/Passes.h"
#include "dialects/Tile/Transforms/TmaPlan.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::tile {
#define GEN_PASS_DEF_ALIGNASYNCCOPIESPASS
#include "dialects/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

namespace {
/// Collects what a launch must check of the tensors of one kernel.
class AlignmentChecker {
public:
  explicit AlignmentChecker(KernelOp kernel) : kernel(kernel) {}

  LogicalResult run();

private:
  LogicalResult visitElements(AsyncCopyElementsOp op);
  LogicalResult visitTile(AsyncCopyOp op);
  LogicalResult visitTma(TmaCopyOp op);
  LogicalResult require(Operation *op, Value tensor, int64_t bytes);

  KernelOp kernel;
  /// Bytes that the pitches and the base of an argument are multiples of.
  llvm::MapVector<BlockArgument, int64_t> required;
  /// Those whose extents have to fit the coordinates of TMA.
  llvm::SetVector<unsigned> countedInInt32;
};
} // namespace

/// Requires that the base and all pitches of the tensor are multiples.
LogicalResult AlignmentChecker::require(Operation *op, Value tensor,
                                        int64_t bytes) {
  // A part of a tensor begins at a multiple too if its offsets are.
  while (auto view = tensor.getDefiningOp<ViewOp>()) {
    int64_t bits = getElementBits(view.getType().getElementType());
    if (getKnownDivisor(view.getOffsets().back()) * bits % (bytes * 8) != 0)
      return op->emitError("this async copy needs its source to start at "
                           "multiples of ")
             << bytes << " bytes, which the offset of the view does not prove";
    tensor = view.getSource();
  }
  BlockArgument argument = getTensorArgument(tensor);
  if (!argument)
    return op->emitError("an async copy from this tensor is not supported yet");
  int64_t &known = required[argument];
  known = std::max(known, bytes);
  return success();
}

LogicalResult AlignmentChecker::visitElements(AsyncCopyElementsOp op) {
  SharedType shared = op.getDestination().getType();
  int64_t bits = getElementBits(shared.getElementType());
  int64_t count = op.getCount(), bytes = count * bits / 8;
  auto prove = [&](Value index, const char *what) -> LogicalResult {
    if (getKnownDivisor(index) % count == 0)
      return success();
    return op.emitError("an async copy of ")
           << bytes << " bytes needs " << what << " at multiples of as much, "
           << "but the last index is not known to be a multiple of " << count;
  };
  if (failed(prove(op.getSourceIndices().back(), "a source")) ||
      failed(prove(op.getDestinationIndices().back(), "a destination")))
    return failure();
  if (!shared.getStorage().preservesVectors(bytes))
    return op.emitError("an async copy of ")
           << bytes << " bytes needs a destination at multiples of as much, "
           << "but rows of the tile are " << shared.getStorage().rowPitch()
           << " bytes apart, or torn apart by its swizzle";
  return require(op, op.getSource(), bytes);
}

LogicalResult AlignmentChecker::visitTile(AsyncCopyOp op) {
  return require(op, op.getSource(), 4);
}

/// TMA starts from the tensor itself, whatever part a view names.
LogicalResult AlignmentChecker::visitTma(TmaCopyOp op) {
  BlockArgument argument = getTmaTensor(op);
  if (!argument)
    return op.emitError("a 'tma_copy' of this tensor is not supported yet");
  int64_t &known = required[argument];
  known = std::max(known, tmaGlobalAlignment);
  countedInInt32.insert(argument.getArgNumber());
  return success();
}

LogicalResult AlignmentChecker::run() {
  WalkResult walked = kernel.walk([&](Operation *op) -> WalkResult {
    if (auto copy = dyn_cast<AsyncCopyElementsOp>(op))
      return WalkResult(visitElements(copy));
    if (auto copy = dyn_cast<AsyncCopyOp>(op))
      return WalkResult(visitTile(copy));
    if (auto copy = dyn_cast<TmaCopyOp>(op))
      return WalkResult(visitTma(copy));
    return WalkResult::advance();
  });
  if (walked.wasInterrupted())
    return failure();
  AlignmentFacts checks(kernel, kernel.getChecks());
  Builder builder(kernel.getContext());
  for (auto [argument, bytes] : required) {
    unsigned index = argument.getArgNumber();
    checks.addArgument(index, bytes);
    if (!kernel.getArgAttr(index, alignedAttrName))
      kernel.setArgAttr(index, alignedAttrName,
                        builder.getI64IntegerAttr(bytes));
  }
  for (unsigned index : countedInInt32)
    checks.addInt32Extents(index);
  kernel.setChecksAttr(checks.getFacts());
  return success();
}

namespace {
struct AlignAsyncCopies
    : tile::impl::AlignAsyncCopiesPassBase<AlignAsyncCopies> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<KernelOp>())
      if (failed(AlignmentChecker(kernel).run()))
        return signalPassFailure();
  }
};
} // namespace
