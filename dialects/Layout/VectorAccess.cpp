//===- VectorAccess.cpp - Wide accesses of one thread ---------------------===//
//
// Matches register bits with the steps along a row in memory, lowest first, and
// stops at the first step that some other index bit shares.
//
//===----------------------------------------------------------------------===//

#include "dialects/Layout/VectorAccess.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <cassert>

using namespace layout;
using llvm::ArrayRef;

/// How many index bits of all kinds move the coordinate bit of `step`, a
/// coordinate with one bit set.
static int countMovers(const FragmentLayout &fragment, const Coords &step) {
  int movers = 0;
  for (const LinearLayout::InDim &in : fragment.core().inDims())
    for (const Coords &basis : in.bases)
      for (auto [coord, bit] : llvm::zip_equal(basis, step))
        movers += (coord & bit) != 0;
  return movers;
}

/// The register bits that step through a vector, lowest address first.
static llvm::SmallVector<int, 8>
matchVector(const FragmentLayout &fragment, ArrayRef<Coords> steps,
            int elementBits, int maxBytes,
            llvm::function_ref<bool(int bytes)> isAligned) {
  llvm::SmallVector<int, 8> vectorBits;
  ArrayRef<Coords> registers = fragment.registerBases();
  for (const Coords &step : steps) {
    int bits = elementBits << (vectorBits.size() + 1);
    if (bits > 8 * maxBytes || (bits > 8 && !isAligned(bits / 8)))
      break;
    const Coords *place = llvm::find(registers, step);
    if (place == registers.end() || countMovers(fragment, step) != 1)
      break;
    vectorBits.push_back(static_cast<int>(place - registers.begin()));
  }
  return vectorBits;
}

static VectorPlan buildPlan(const FragmentLayout &fragment, int elementBits,
                            ArrayRef<int> vectorBits) {
  VectorPlan plan;
  plan.elementBits = elementBits;
  plan.elements = 1 << vectorBits.size();
  llvm::SmallVector<int, 16> inVector;
  for (int i = 0; i < plan.elements; ++i) {
    int reg = 0;
    for (auto [bit, registerBit] : llvm::enumerate(vectorBits))
      reg |= (i >> bit & 1) << registerBit;
    inVector.push_back(reg);
  }
  int mask = inVector.back();
  for (int reg = 0; reg < fragment.elementsPerThread(); ++reg) {
    if (reg & mask & (fragment.coreRegisters() - 1))
      continue;
    for (int offset : inVector)
      plan.registers.push_back(reg + offset);
  }
  return plan;
}

static llvm::SmallVector<int, 8> matchShared(const FragmentLayout &fragment,
                                             const SharedLayout &shared,
                                             int maxBytes) {
  assert(fragment.shape() == shared.shape() && "tiles of one shape");
  return matchVector(fragment, shared.contiguousBases(), shared.elementBits(),
                     maxBytes,
                     [&](int bytes) { return shared.preservesVectors(bytes); });
}

VectorPlan layout::planVector(const FragmentLayout &fragment,
                              const SharedLayout &shared, int maxBytes) {
  return buildPlan(fragment, shared.elementBits(),
                   matchShared(fragment, shared, maxBytes));
}

VectorPlan layout::planGlobalVector(const FragmentLayout &fragment,
                                    int elementBits, int packDim,
                                    int maxBytes) {
  return buildPlan(
      fragment, elementBits,
      matchVector(fragment,
                  contiguousBases(fragment.shape(), elementBits, packDim),
                  elementBits, maxBytes, [](int) { return true; }));
}

int layout::contiguousBits(const FragmentLayout &fragment,
                           const SharedLayout &shared) {
  llvm::SmallVector<int, 8> vectorBits =
      matchShared(fragment, shared, /*maxBytes=*/16);
  int natural = 0;
  while (natural < int(vectorBits.size()) && vectorBits[natural] == natural)
    ++natural;
  return shared.elementBits() << natural;
}

bool VectorPlan::isNatural() const {
  for (auto [i, reg] : llvm::enumerate(registers))
    if (reg != int(i))
      return false;
  return true;
}
