//===- Ldmatrix.cpp - Fragments that ldmatrix can load --------------------===//
//
// Of the index bits of the fragment, some step inside a 16-byte row, one by one
// as the instruction prescribes; three choose the row of a matrix; and the rest
// of the register bits choose the matrix and the instruction.
//
//===----------------------------------------------------------------------===//

#include "dialects/Layout/Ldmatrix.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cassert>

using namespace layout;
using llvm::ArrayRef;
using llvm::Log2_32;

namespace {

/// Which index bits of the fragment play which part.
struct MatrixMatch {
  bool transposed;
  /// Register bits inside one 32-bit result, lowest bits first.
  llvm::SmallVector<int, 5> resultBits;
  /// Coordinates of the row bits of a matrix.
  llvm::SmallVector<Coords, 3> rowBases;
};

} // namespace

/// True if `basis` moves none of the coordinate bits of `steps`.
static bool isOutside(const Coords &basis, ArrayRef<Coords> steps) {
  for (const Coords &step : steps)
    for (auto [coord, bit] : llvm::zip_equal(basis, step))
      if (coord & bit)
        return false;
  return true;
}

/// Finds the register bits that step through `steps`, one each.
static bool matchRegisters(ArrayRef<Coords> registers, ArrayRef<Coords> steps,
                           llvm::SmallVectorImpl<int> &bits) {
  for (const Coords &step : steps) {
    const Coords *place = llvm::find(registers, step);
    if (place == registers.end())
      return false;
    bits.push_back(static_cast<int>(place - registers.begin()));
  }
  return true;
}

static std::optional<MatrixMatch> matchMatrix(const FragmentLayout &fragment,
                                              const SharedLayout &shared,
                                              bool transposed) {
  // The part of a row that one thread receives at once: 32 bits, or a 16-bit
  // unit of a transposed matrix.
  int threadBits = transposed ? 16 : 32;
  if (shared.elementBits() > threadBits || !shared.preservesVectors(16))
    return std::nullopt;
  std::vector<Coords> allSteps = shared.contiguousBases();
  size_t rowBits = Log2_32(128 / shared.elementBits());
  if (allSteps.size() < rowBits)
    return std::nullopt;
  ArrayRef<Coords> steps = ArrayRef(allSteps).take_front(rowBits);
  size_t threadSteps = Log2_32(threadBits / shared.elementBits());

  MatrixMatch match{transposed, {}, {}};
  ArrayRef<Coords> registers = fragment.registerBases();
  ArrayRef<Coords> lanes = fragment.laneBases();
  if (!matchRegisters(registers, steps.take_front(threadSteps),
                      match.resultBits))
    return std::nullopt;

  // The lanes along the row come first (plain) or last (transposed).
  ArrayRef<Coords> laneSteps = steps.drop_front(threadSteps);
  ArrayRef<Coords> alongRow =
      transposed ? lanes.take_back(3) : lanes.take_front(2);
  ArrayRef<Coords> overRows =
      transposed ? lanes.take_front(2) : lanes.take_back(3);
  if (alongRow != laneSteps)
    return std::nullopt;

  // Everything else stays on 16-byte boundaries.
  for (const Coords &basis : overRows)
    if (!isOutside(basis, steps))
      return std::nullopt;
  for (const Coords &basis : fragment.warpBases())
    if (!isOutside(basis, steps))
      return std::nullopt;
  for (auto [bit, basis] : llvm::enumerate(registers))
    if (!llvm::is_contained(match.resultBits, int(bit)) &&
        !isOutside(basis, steps))
      return std::nullopt;

  // Of a transposed matrix a result holds two rows: the lowest register bit
  // left steps from one to the other.
  if (transposed) {
    int half = 0;
    while (llvm::is_contained(match.resultBits, half))
      ++half;
    if (half >= int(registers.size()))
      return std::nullopt;
    match.resultBits.push_back(half);
    match.rowBases.push_back(registers[half]);
  }
  match.rowBases.append(overRows.begin(), overRows.end());
  return match;
}

/// The register of element `index` if the bits of the index are `bits`.
static int scatter(int index, ArrayRef<int> bits) {
  int reg = 0;
  for (auto [i, bit] : llvm::enumerate(bits))
    reg |= (index >> i & 1) << bit;
  return reg;
}

static LdmatrixPlan buildPlan(const FragmentLayout &fragment,
                              const MatrixMatch &match, int maxMatrices) {
  LdmatrixPlan plan;
  plan.transposed = match.transposed;
  plan.warps = fragment.numWarps();
  plan.warpBases.assign(fragment.warpBases().begin(),
                        fragment.warpBases().end());

  // The lowest register bits left choose the matrix.
  ArrayRef<Coords> registers = fragment.registerBases();
  llvm::SmallVector<int, 2> matrixBits;
  for (int bit = 0;
       bit < int(registers.size()) && (2 << matrixBits.size()) <= maxMatrices;
       ++bit)
    if (!llvm::is_contained(match.resultBits, bit))
      matrixBits.push_back(bit);
  plan.matrices = 1 << matrixBits.size();

  for (int i = 0; i < 3; ++i)
    plan.laneBases[i] = match.rowBases[i];
  for (int i = 0; i < 2; ++i)
    plan.laneBases[3 + i] = i < int(matrixBits.size())
                                ? registers[matrixBits[i]]
                                : Coords(fragment.rank(), 0);

  int elements = 1 << match.resultBits.size();
  int taken = scatter(elements - 1, match.resultBits) |
              scatter(plan.matrices - 1, matrixBits);
  for (int reg = 0; reg < fragment.elementsPerThread(); ++reg) {
    if (reg & taken & (fragment.coreRegisters() - 1))
      continue;
    LdmatrixInstruction instruction;
    for (int matrix = 0; matrix < plan.matrices; ++matrix) {
      llvm::SmallVector<int, 8> &result = instruction.results.emplace_back();
      for (int element = 0; element < elements; ++element)
        result.push_back(reg + scatter(matrix, matrixBits) +
                         scatter(element, match.resultBits));
    }
    instruction.rowXor = fragment.registerXor(reg);
    instruction.rowOffset = fragment.registerOffset(reg);
    plan.instructions.push_back(std::move(instruction));
  }
  return plan;
}

std::optional<LdmatrixPlan> layout::planLdmatrix(const FragmentLayout &fragment,
                                                 const SharedLayout &shared,
                                                 int maxMatrices) {
  assert(fragment.shape() == shared.shape() && "tiles of one shape");
  assert(maxMatrices == 1 || maxMatrices == 2 || maxMatrices == 4);
  for (bool transposed : {false, true})
    if (auto match = matchMatrix(fragment, shared, transposed))
      return buildPlan(fragment, *match, maxMatrices);
  return std::nullopt;
}

Coords LdmatrixPlan::rowCoords(const LdmatrixInstruction &instruction, int lane,
                               int warp) const {
  Coords coords = instruction.rowXor;
  auto addBases = [&](ArrayRef<Coords> bases, int index) {
    for (auto [bit, basis] : llvm::enumerate(bases))
      if (index >> bit & 1)
        for (auto [coord, step] : llvm::zip_equal(coords, basis))
          coord ^= step;
  };
  addBases(laneBases, lane);
  addBases(warpBases, warp);
  for (auto [coord, offset] : llvm::zip_equal(coords, instruction.rowOffset))
    coord += offset;
  return coords;
}

bool LdmatrixPlan::isNatural() const {
  for (const LdmatrixInstruction &instruction : instructions)
    for (const llvm::SmallVector<int, 8> &result : instruction.results)
      for (auto [i, reg] : llvm::enumerate(result))
        if (reg != result[0] + int(i) || result[0] % int(result.size()) != 0)
          return false;
  return true;
}
