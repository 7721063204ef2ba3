//===- BlockedLayout.cpp - The coalesced fragment layout ------------------===//
//
// Coordinate bits are handed out in order of memory: first those of one vector
// to the register, then to lanes, to warps, and the rest to the register again.
//
//===----------------------------------------------------------------------===//

#include "dialects/Layout/BlockedLayout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cassert>

using namespace layout;
using llvm::ArrayRef;

/// The largest power of two that divides an extent.
static int32_t getPowerOfTwoFactor(int32_t extent) { return extent & -extent; }

/// Groups of warps along the slowest dimension with as many odd parts; one
/// group if there is none.
static Spread findSpread(ArrayRef<int32_t> shape, ArrayRef<int> order,
                         int warps) {
  int32_t groups = warps / getPowerOfTwoFactor(warps);
  if (groups > 1)
    for (int dim : llvm::reverse(order))
      if (shape[dim] / getPowerOfTwoFactor(shape[dim]) == groups)
        return {dim, groups};
  return {};
}

FragmentLayout layout::blocked(ArrayRef<int32_t> shape,
                               const BlockedOptions &options) {
  int rank = static_cast<int>(shape.size());
  assert(options.threads >= lanesPerWarp &&
         options.threads % lanesPerWarp == 0 && "whole warps");
  llvm::SmallVector<int, 4> order = options.order;
  if (order.empty())
    for (int dim = rank - 1; dim >= 0; --dim)
      order.push_back(dim);
  assert(int(order.size()) == rank && "the order lists all dimensions");

  int warpCount = options.threads / lanesPerWarp;
  Spread spread = findSpread(shape, order, warpCount);
  Coords coreExtents;
  llvm::SmallVector<Repeat, 4> repeats;
  for (auto [dim, extent] : llvm::enumerate(shape)) {
    coreExtents.push_back(getPowerOfTwoFactor(extent));
    int32_t groups = int(dim) == spread.dim ? spread.count : 1;
    repeats.push_back({int(dim), extent / coreExtents.back() / groups});
  }

  // Hands out the next bit of a dimension.
  Coords taken(rank, 1);
  auto takeBit = [&](int dim) {
    Coords basis(rank, 0);
    basis[dim] = taken[dim];
    taken[dim] *= 2;
    return basis;
  };
  auto hasBit = [&](int dim) { return taken[dim] < coreExtents[dim]; };

  std::vector<Coords> registers, lanes, warps;
  if (rank > 0) {
    // Elements that share a byte come first: a byte has one thread.
    int fastest = order[0];
    int packDim = options.packDim < 0 ? fastest : options.packDim;
    for (int bits = options.elementBits; bits < 8 && hasBit(packDim); bits *= 2)
      registers.push_back(takeBit(packDim));
    while ((options.elementBits << (registers.size() + 1)) <=
               options.vectorBits &&
           hasBit(fastest))
      registers.push_back(takeBit(fastest));
  }

  size_t warpBits = llvm::Log2_32(warpCount / spread.count);
  for (int dim : order) {
    while (hasBit(dim)) {
      std::vector<Coords> &next = lanes.size() < 5          ? lanes
                                  : warps.size() < warpBits ? warps
                                                            : registers;
      next.push_back(takeBit(dim));
    }
  }
  lanes.resize(5, Coords(rank, 0));
  warps.resize(warpBits, Coords(rank, 0));

  std::optional<FragmentLayout> result =
      FragmentLayout::create(registers, lanes, warps, coreExtents, repeats,
                             /*error=*/nullptr, spread);
  assert(result && "every bit of the tile was handed out once");
  return *result;
}
