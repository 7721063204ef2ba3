//===- RegisterOrder.cpp - Number registers as memory does ----------------===//

#include "dialects/Tile/Transforms/RegisterOrder.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

layout::FragmentLayout
tile::orderRegisters(const layout::FragmentLayout &layout,
                     llvm::ArrayRef<layout::Coords> steps) {
  llvm::SmallVector<layout::Coords> rest(layout.registerBases()), ordered;
  for (const layout::Coords &step : steps) {
    auto *it = llvm::find(rest, step);
    if (it == rest.end())
      break;
    ordered.push_back(*it);
    rest.erase(it);
  }
  ordered.append(rest);
  return layout.withRegisterBases(ordered);
}

layout::FragmentLayout
tile::orderRegistersRowMajor(const layout::FragmentLayout &layout) {
  llvm::SmallVector<layout::Coords> steps;
  for (int32_t step = 1; step < layout.coreExtents().back(); step *= 2) {
    layout::Coords coords(layout.rank(), 0);
    coords.back() = step;
    steps.push_back(coords);
  }
  return orderRegisters(layout, steps);
}
