//===- ParallelLayout.cpp - Which thread runs which iteration -------------===//

#include "dialects/Tile/Transforms/ParallelLayout.h"
#include "dialects/Layout/BlockedLayout.h"
#include "dialects/Tile/Transforms/GemmPlan.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::tile;

std::optional<SmallVector<int, 4>> tile::getLoopDims(ParallelOp op,
                                                     ValueRange indices) {
  SmallVector<int, 4> dims;
  for (Value index : indices) {
    auto arg = dyn_cast<BlockArgument>(index);
    if (arg && arg.getOwner() == op.getBodyBlock()) {
      if (llvm::is_contained(dims, int(arg.getArgNumber())))
        return std::nullopt;
      dims.push_back(arg.getArgNumber());
    } else if (matchPattern(index, m_Zero())) {
      dims.push_back(-1);
    } else {
      return std::nullopt;
    }
  }
  return dims;
}

bool tile::isAtIteration(ParallelOp op, ElementOp element) {
  return llvm::equal(element.getIndices(), op.getBodyBlock()->getArguments());
}

layout::FragmentLayout tile::getIterationLayout(ParallelOp op) {
  auto fits = [&](Type type) {
    return getFragmentLayout(type) &&
           llvm::equal(getTileShape(type), op.getExtents());
  };
  for (unsigned i = 0; i < op.getNumResults(); ++i)
    if (op.getMap(i).isIdentity() && fits(op.getResult(i).getType()))
      return getFragmentLayout(op.getResult(i).getType()).getLayout();
  std::optional<layout::FragmentLayout> found;
  op.getBody().walk([&](ElementOp element) {
    auto dims = getLoopDims(op, element.getIndices());
    if (found || !dims || !fits(element.getFragment().getType()))
      return;
    for (auto [i, dim] : llvm::enumerate(*dims))
      if (dim != int(i))
        return;
    found = getFragmentLayout(element.getFragment().getType()).getLayout();
  });
  if (found)
    return *found;
  layout::BlockedOptions options;
  options.threads = getNumWarps(op) * layout::lanesPerWarp;
  options.vectorBits = 32;
  return layout::blocked(
      layout::Coords(op.getExtents().begin(), op.getExtents().end()), options);
}
