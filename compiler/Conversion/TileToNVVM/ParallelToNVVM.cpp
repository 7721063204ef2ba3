//===- ParallelToNVVM.cpp - Element loops ---------------------------------===//
//
// Each thread runs the iterations of the elements it holds.
//
//===----------------------------------------------------------------------===//

#include "compiler/Conversion/TileToNVVM/Emitters.h"
#include "dialects/Layout/Conversion.h"
#include "dialects/Tile/Transforms/GemmPlan.h"
#include "dialects/Tile/Transforms/ParallelLayout.h"

using namespace mlir;
using namespace mlir::tile;

namespace {
/// Emits the iterations of one loop.
class ParallelEmitter : public Iteration {
public:
  ParallelEmitter(KernelEmitter &emitter, ParallelOp op)
      : e(emitter), op(op),
        layout(getIterationLayout(op, getNumWarps(emitter.kernel))) {}

  LogicalResult emit();
  LogicalResult emitElement(ElementOp element) override;

private:
  void bindIndices();

  KernelEmitter &e;
  ParallelOp op;
  layout::FragmentLayout layout;
  /// The register that the iteration being emitted stands for.
  int reg = 0;
  /// Elements of fragments that the loop reads, and where in its registers each
  /// iteration finds them.
  DenseMap<Value, SmallVector<Value>> elements;
  DenseMap<Operation *, SmallVector<int>> registersOf;
};
} // namespace

/// The loop indices of the iteration.
void ParallelEmitter::bindIndices() {
  for (BlockArgument index : op.getBody().getArguments()) {
    int d = index.getArgNumber();
    Value coord = e.emitThreadCoord(layout.laneBases(), layout.warpBases(), d);
    if (int32_t flipped = layout.registerXor(reg)[d])
      coord = e.xori(coord, e.i32(flipped));
    if (int32_t offset = layout.registerOffset(reg)[d])
      coord = e.add(coord, e.i32(offset));
    e.setScalar(index, e.builder.createOrFold<arith::ExtUIOp>(
                           e.loc, e.builder.getI64Type(), coord));
  }
}

LogicalResult ParallelEmitter::emitElement(ElementOp element) {
  auto known = registersOf.find(element);
  if (known == registersOf.end()) {
    auto dims = getLoopDims(op, element.getIndices());
    auto reindexed = dims ? layout.reindexSource(*dims) : std::nullopt;
    if (!reindexed)
      return element.emitError(
          "a fragment element at computed indices is not supported yet");
    layout::ConversionPlan plan = layout::planConversion(
        e.getLayout(element.getFragment()), reindexed->layout);
    if (plan.kind != layout::ConversionKind::Identical &&
        plan.kind != layout::ConversionKind::RegisterPermutation)
      return element.emitError(
          "a fragment element that another thread holds is not supported yet");
    SmallVector<int> registers;
    for (int source : reindexed->registerOf)
      registers.push_back(plan.kind == layout::ConversionKind::Identical
                              ? source
                              : plan.registerOf[source]);
    known = registersOf.try_emplace(element, registers).first;
  }
  e.setScalar(element, elements[element.getFragment()][known->second[reg]]);
  return success();
}

LogicalResult ParallelEmitter::emit() {
  for (unsigned i = 0; i < op.getNumResults(); ++i)
    if (!op.getMap(i).isIdentity() ||
        !llvm::equal(getTileShape(op.getResult(i).getType()),
                     op.getExtents()) ||
        e.getLayout(op.getResult(i)) != layout)
      return op.emitError(
          "a fragment written in part by 'parallel' is not supported yet");
  // Fragments are unpacked where the loop begins, so that every iteration sees
  // their elements, whatever branch it reads them in.
  op.getBody().walk([&](ElementOp element) {
    elements[element.getFragment()] =
        e.getFragment(element.getFragment()).getElements(e.builder, e.loc);
  });
  SmallVector<SmallVector<Value>> results(op.getNumResults());
  auto yield = cast<YieldOp>(op.getBodyBlock()->getTerminator());
  owner = e.emitIsOwner(layout);
  e.iteration = this;
  for (reg = 0; reg < layout.elementsPerThread(); ++reg) {
    bindIndices();
    if (failed(e.emitBlock(*op.getBodyBlock())))
      return failure();
    for (auto [i, value] : llvm::enumerate(yield.getOperands()))
      results[i].push_back(e.getScalar(value));
  }
  e.iteration = nullptr;
  for (auto [result, values] : llvm::zip_equal(op.getResults(), results))
    e.setFragment(result, FragmentValue::ofElements(
                              getTileElementType(result.getType()), values));
  return success();
}

LogicalResult tile::emitParallel(KernelEmitter &e, ParallelOp op) {
  return ParallelEmitter(e, op).emit();
}
