//===- ParallelToNVVM.cpp - Element loops ---------------------------------===//
//
// Each thread runs the iterations of the elements it holds.
//
//===----------------------------------------------------------------------===//

#include "compiler/Conversion/TileToNVVM/Emitters.h"
#include "dialects/Layout/Conversion.h"
#include "dialects/Tile/Transforms/ElementIndex.h"
#include "dialects/Tile/Transforms/GemmPlan.h"
#include "dialects/Tile/Transforms/ParallelLayout.h"
#include <numeric>

using namespace mlir;
using namespace mlir::tile;

namespace {
/// Emits the iterations of one loop.
class ParallelEmitter : public Iteration {
public:
  ParallelEmitter(KernelEmitter &emitter, ParallelOp op)
      : e(emitter), op(op), layout(getIterationLayout(op)) {}

  LogicalResult emit();
  LogicalResult emitElement(ElementOp element) override;

private:
  void bindIndices();
  std::optional<std::vector<int>> findRegisters(Value fragment,
                                                layout::ReindexedLayout held);
  LogicalResult placeResults();

  KernelEmitter &e;
  ParallelOp op;
  layout::FragmentLayout layout;
  /// The register that the iteration being emitted stands for.
  int reg = 0;
  /// Elements of fragments that the loop reads, and where in its registers each
  /// iteration finds them.
  DenseMap<Value, SmallVector<Value>> elements;
  DenseMap<Operation *, std::vector<int>> registersOf;
  /// For each result the registers that iterations write, and their values,
  /// which begin as those of its init.
  SmallVector<std::vector<int>> places;
  SmallVector<SmallVector<Value>> results;
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

/// The register of a fragment for each iteration of the thread, where `held`
/// says what layout that takes; none if the fragment's is not alike.
std::optional<std::vector<int>>
ParallelEmitter::findRegisters(Value fragment, layout::ReindexedLayout held) {
  if (held.layout.shape() != e.getLayout(fragment).shape())
    return std::nullopt;
  layout::ConversionPlan plan =
      layout::planConversion(e.getLayout(fragment), held.layout);
  if (plan.kind == layout::ConversionKind::Identical)
    return held.registerOf;
  if (plan.kind != layout::ConversionKind::RegisterPermutation)
    return std::nullopt;
  for (int &source : held.registerOf)
    source = plan.registerOf[source];
  return held.registerOf;
}

LogicalResult ParallelEmitter::emitElement(ElementOp element) {
  auto known = registersOf.find(element);
  if (known == registersOf.end()) {
    std::optional<layout::ReindexedLayout> held;
    if (auto dims = getLoopDims(op, element.getIndices()))
      held = layout.reindexSource(*dims);
    else if (auto map = getIndexMap(op, element))
      held = layout::readThrough(layout, *map);
    if (!held)
      return element.emitError(
          "a fragment element at computed indices is not supported yet");
    auto registers = findRegisters(element.getFragment(), *held);
    if (!registers)
      return element.emitError(
          "a fragment element that another thread holds is not supported yet");
    known = registersOf.try_emplace(element, *registers).first;
  }
  e.setScalar(element, elements[element.getFragment()][known->second[reg]]);
  return success();
}

/// Finds where each iteration writes its elements of the results.
LogicalResult ParallelEmitter::placeResults() {
  for (unsigned i = 0; i < op.getNumResults(); ++i) {
    std::optional<std::vector<int>> registers;
    if (op.getMap(i).isIdentity()) {
      std::vector<int> same(layout.elementsPerThread());
      std::iota(same.begin(), same.end(), 0);
      registers = findRegisters(op.getResult(i), {layout, same});
    } else if (auto map = getResultMap(op, i)) {
      registers =
          findRegisters(op.getResult(i), layout::readThrough(layout, *map));
    }
    if (!registers)
      return op.emitError(
          "a fragment written in part by 'parallel' is not supported yet");
    places.push_back(*registers);
    results.push_back(
        e.getFragment(op.getInits()[i]).getElements(e.builder, e.loc));
  }
  return success();
}

LogicalResult ParallelEmitter::emit() {
  if (failed(placeResults()))
    return failure();
  // Fragments are unpacked where the loop begins, so that every iteration sees
  // their elements, whatever branch it reads them in.
  op.getBody().walk([&](ElementOp element) {
    elements[element.getFragment()] =
        e.getFragment(element.getFragment()).getElements(e.builder, e.loc);
  });
  auto yield = cast<YieldOp>(op.getBodyBlock()->getTerminator());
  owner = e.emitIsOwner(layout);
  e.iteration = this;
  for (reg = 0; reg < layout.elementsPerThread(); ++reg) {
    bindIndices();
    if (failed(e.emitBlock(*op.getBodyBlock())))
      return failure();
    for (auto [i, value] : llvm::enumerate(yield.getOperands()))
      results[i][places[i][reg]] = e.getScalar(value);
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
