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

/// Makes one request of those that are equal, such as those of warps that share
/// an operand.
static void mergeRequests(AccessPattern &pattern) {
  std::vector<WarpRequest> &requests = pattern.requests;
  llvm::sort(requests, [](const WarpRequest &a, const WarpRequest &b) {
    return a.offsets < b.offsets;
  });
  std::vector<WarpRequest> merged;
  for (const WarpRequest &request : requests) {
    if (!merged.empty() && merged.back().offsets == request.offsets)
      merged.back().count += request.count;
    else
      merged.push_back(request);
  }
  requests = std::move(merged);
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
  std::vector<Coords> threads;
  for (int warp = 0; warp < warps; ++warp)
    for (int lane = 0; lane < lanesPerWarp; ++lane)
      threads.push_back(fragment.threadCoords(lane, warp));
  Coords coords(fragment.rank(), 0);
  for (int access = 0; access < accesses; ++access) {
    int reg = plan.registers[access * plan.elements];
    Coords constant = fragment.registerXor(reg);
    Coords offset = fragment.registerOffset(reg);
    for (int warp = 0; warp < warps; ++warp) {
      WarpRequest request;
      request.count = count;
      for (int lane = 0; lane < lanesPerWarp; ++lane) {
        const Coords &thread = threads[warp * lanesPerWarp + lane];
        for (int dim = 0; dim < fragment.rank(); ++dim)
          coords[dim] = (thread[dim] ^ constant[dim]) + offset[dim];
        request.offsets[lane] = shared.linearOffset(coords);
      }
      pattern.requests.push_back(request);
    }
  }
  mergeRequests(pattern);
  return pattern;
}

AccessPattern layout::describeAccess(const SharedLayout &shared,
                                     const LdmatrixPlan &plan) {
  AccessPattern pattern;
  pattern.bytes = 16;
  ArrayRef<LdmatrixInstruction> instructions = plan.instructions;
  int warps = plan.warps;
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
  mergeRequests(pattern);
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

/// Wavefronts beyond the first for lanes that are served together.  Accesses
/// are aligned, so words of one access come and go together: a bank stands for
/// `unit` bytes here.
static int countPhaseConflicts(ArrayRef<int32_t> offsets, int unit,
                               Swizzle swizzle) {
  int banks = 128 / unit;
  std::array<std::array<int32_t, lanesPerWarp>, 32> units;
  std::array<int, 32> wavefronts{};
  int most = 1;
  for (int32_t offset : offsets) {
    if (offset < 0)
      continue;
    int32_t place = swizzle.apply(offset) / unit;
    int32_t *known = units[place % banks].data();
    int &count = wavefronts[place % banks];
    if (std::find(known, known + count, place) != known + count)
      continue;
    known[count++] = place;
    most = std::max(most, count);
  }
  return most - 1;
}

int64_t layout::countConflicts(const AccessPattern &pattern, Swizzle swizzle) {
  assert((swizzle.isIdentity() || (1 << swizzle.base) >= pattern.bytes) &&
         "the swizzle tears accesses apart");
  int unit = std::max(pattern.bytes, 4);
  int lanes = 128 / unit;
  int64_t conflicts = 0;
  for (const WarpRequest &request : pattern.requests) {
    ArrayRef<int32_t> offsets = request.offsets;
    for (int first = 0; first < lanesPerWarp; first += lanes)
      conflicts +=
          request.count *
          countPhaseConflicts(offsets.slice(first, lanes), unit, swizzle);
  }
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
    for (const AccessPattern &pattern : patterns) {
      conflicts += pattern.weight * countConflicts(pattern, swizzle);
      if (best && conflicts >= best->conflicts)
        break;
    }
    if (!best || conflicts < best->conflicts)
      best = SwizzleChoice{swizzle, conflicts};
    if (best->conflicts == 0)
      break;
  }
  return *best;
}
