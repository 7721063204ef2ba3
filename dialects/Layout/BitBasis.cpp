//===- BitBasis.cpp - Linear algebra over bits ----------------------------===//
//
// Each pivot vector has a leading bit that no other pivot has as its leading
// bit, and remembers which columns it is the sum of.
//
//===----------------------------------------------------------------------===//

#include "dialects/Layout/BitBasis.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <bit>
#include <cassert>

using namespace layout;

uint64_t layout::packCoords(llvm::ArrayRef<int32_t> coords,
                            llvm::ArrayRef<int32_t> sizes) {
  uint64_t word = 0;
  int shift = 0;
  for (auto [coord, size] : llvm::zip_equal(coords, sizes)) {
    word |= uint64_t(coord) << shift;
    shift += llvm::Log2_32(size);
  }
  return word;
}

/// The highest set bit alone.
static uint64_t getLeadingBit(uint64_t vector) {
  return std::bit_floor(vector);
}

bool BitBasis::insert(uint64_t column) {
  assert(columns < 64 && "a set of columns is one word");
  uint64_t vector = column;
  uint64_t combination = uint64_t(1) << columns;
  uint64_t self = combination;
  ++columns;
  // Pivots are sorted by falling leading bit, so one pass clears them all.
  for (const Pivot &pivot : pivots) {
    if (vector & getLeadingBit(pivot.vector)) {
      vector ^= pivot.vector;
      combination ^= pivot.combination;
    }
  }
  if (vector == 0) {
    free |= self;
    dependencies.push_back(combination);
    return false;
  }
  auto *place = pivots.begin();
  while (place != pivots.end() && place->vector > vector)
    ++place;
  pivots.insert(place, Pivot{vector, combination});
  return true;
}

std::optional<uint64_t> BitBasis::solve(uint64_t target) const {
  uint64_t combination = 0;
  for (const Pivot &pivot : pivots) {
    if (target & getLeadingBit(pivot.vector)) {
      target ^= pivot.vector;
      combination ^= pivot.combination;
    }
  }
  if (target != 0)
    return std::nullopt;
  return combination;
}
