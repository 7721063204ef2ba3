//===- BankConflicts.cpp - Cost of shared memory accesses -----------------===//
//
// Counts over the lanes of each warp access.  Where tile and layouts are powers
// of two, all accesses of a pattern differ by an XOR of the address only, which
// permutes the banks; then one of them stands for all.
//
//===----------------------------------------------------------------------===//

#include "dialects/Layout/BankConflicts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cassert>

using namespace layout;
using llvm::ArrayRef;

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

/// True if the offset is linear over the bits of the coordinates.
static bool isLinearOverBits(const SharedLayout &shared) {
  return shared.padBytes() == 0 &&
         llvm::all_of(shared.shape(), [](int32_t extent) {
           return llvm::isPowerOf2_32(extent);
         });
}

AccessPattern layout::describeAccess(const FragmentLayout &fragment,
                                     const SharedLayout &shared,
                                     const VectorPlan &plan) {
  AccessPattern pattern;
  pattern.bytes = plan.bytes();
  int accesses = plan.accesses(), warps = fragment.numWarps();
  // A tile whose extents are powers of two has no repeats, see
  // FragmentLayout::create.
  int64_t count = 1;
  if (isLinearOverBits(shared)) {
    count = int64_t(accesses) * warps;
    accesses = warps = 1;
  }
  for (int access = 0; access < accesses; ++access) {
    for (int warp = 0; warp < warps; ++warp) {
      WarpRequest request;
      request.count = count;
      for (int lane = 0; lane < lanesPerWarp; ++lane)
        request.offsets[lane] = shared.linearOffset(fragment.coordsOf(
            plan.registers[access * plan.elements], lane, warp));
      pattern.requests.push_back(request);
    }
  }
  return pattern;
}

AccessPattern layout::describeAccess(const SharedLayout &shared,
                                     const LdmatrixPlan &plan) {
  AccessPattern pattern;
  pattern.bytes = 16;
  ArrayRef<LdmatrixInstruction> instructions = plan.instructions;
  int warps = 1 << plan.warpBases.size();
  int64_t count = 1;
  if (isLinearOverBits(shared)) {
    count = int64_t(instructions.size()) * warps;
    instructions = instructions.take_front();
    warps = 1;
  }
  for (const LdmatrixInstruction &instruction : instructions) {
    for (int warp = 0; warp < warps; ++warp) {
      WarpRequest request;
      request.count = count;
      for (int lane = 0; lane < lanesPerWarp; ++lane)
        request.offsets[lane] =
            lane < 8 * plan.matrices
                ? shared.linearOffset(plan.rowCoords(instruction, lane, warp))
                : -1;
      pattern.requests.push_back(request);
    }
  }
  return pattern;
}

AccessPattern layout::describeCopy(const SharedLayout &shared, int bytes) {
  AccessPattern pattern;
  pattern.bytes = bytes;
  int32_t rowBytes = shared.rowPitch() - shared.padBytes();
  assert(rowBytes % bytes == 0 && "chunks divide the row");
  int chunksPerRow = rowBytes / bytes;
  int chunks = shared.bytes() / shared.rowPitch() * chunksPerRow;
  int64_t count = 1;
  if (isLinearOverBits(shared) && chunks % lanesPerWarp == 0) {
    count = chunks / lanesPerWarp;
    chunks = lanesPerWarp;
  }
  for (int first = 0; first < chunks; first += lanesPerWarp) {
    WarpRequest request;
    request.count = count;
    for (int lane = 0; lane < lanesPerWarp; ++lane) {
      int chunk = first + lane;
      request.offsets[lane] = chunk < chunks
                                  ? chunk / chunksPerRow * shared.rowPitch() +
                                        chunk % chunksPerRow * bytes
                                  : -1;
    }
    pattern.requests.push_back(request);
  }
  return pattern;
}

//===----------------------------------------------------------------------===//
// Counting
//===----------------------------------------------------------------------===//

/// Wavefronts beyond the first for lanes that are served together.
static int countPhaseConflicts(ArrayRef<int32_t> offsets, int bytes,
                               Swizzle swizzle) {
  llvm::SmallVector<int32_t, lanesPerWarp> words;
  for (int32_t offset : offsets) {
    if (offset < 0)
      continue;
    int32_t first = swizzle.apply(offset) / 4;
    for (int word = 0; word < std::max(1, bytes / 4); ++word)
      words.push_back(first + word);
  }
  llvm::sort(words);
  words.erase(std::unique(words.begin(), words.end()), words.end());
  std::array<int, 32> wavefronts{};
  for (int32_t word : words)
    ++wavefronts[word % 32];
  return std::max(0,
                  *std::max_element(wavefronts.begin(), wavefronts.end()) - 1);
}

int64_t layout::countConflicts(const AccessPattern &pattern, Swizzle swizzle) {
  int lanes = pattern.bytes <= 4 ? 32 : 128 / pattern.bytes;
  int64_t conflicts = 0;
  for (const WarpRequest &request : pattern.requests)
    for (int first = 0; first < lanesPerWarp; first += lanes)
      conflicts +=
          request.count *
          countPhaseConflicts(ArrayRef(request.offsets).slice(first, lanes),
                              pattern.bytes, swizzle);
  return conflicts;
}

int64_t layout::countBankConflicts(const FragmentLayout &fragment,
                                   const SharedLayout &shared,
                                   int vectorBytes) {
  VectorPlan plan = planVector(fragment, shared, vectorBytes);
  return countConflicts(describeAccess(fragment, shared, plan),
                        shared.swizzle());
}

//===----------------------------------------------------------------------===//
// Choice of the swizzle
//===----------------------------------------------------------------------===//

/// The swizzles worth trying, simplest first.  Banks are address bits 2 to 6,
/// so of the bits that keep 16-byte vectors only 4 to 6 matter.
static std::vector<Swizzle> listCandidates(const SharedLayout &shared) {
  std::vector<Swizzle> candidates = {Swizzle{0, 4, 3}};
  int addressBits = llvm::Log2_32_Ceil(shared.bytes());
  for (int bits = 1; bits <= 3; ++bits) {
    // The hardware's own comes first.
    candidates.push_back({bits, 4, 3});
    for (int base = 4; base + bits <= 7; ++base)
      for (int shift = bits; base + shift < addressBits; ++shift)
        if (base != 4 || shift != 3)
          candidates.push_back({bits, base, shift});
  }
  return candidates;
}

SwizzleChoice layout::chooseSwizzle(ArrayRef<AccessPattern> patterns,
                                    const SharedLayout &shared) {
  std::optional<SwizzleChoice> best;
  for (Swizzle swizzle : listCandidates(shared)) {
    if (!shared.withSwizzle(swizzle))
      continue;
    int64_t conflicts = 0;
    for (const AccessPattern &pattern : patterns)
      conflicts += pattern.weight * countConflicts(pattern, swizzle);
    if (!best || conflicts < best->conflicts)
      best = SwizzleChoice{swizzle, conflicts};
    if (best->conflicts == 0)
      break;
  }
  return *best;
}
