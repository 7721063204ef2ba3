//===- MmaLayout.cpp - Fragments of matrix instructions -------------------===//
//
// Each dimension of the tile is described by its slot bits: the index inside
// the instruction, the tile inside the warp, the warp (see the header).  A
// fragment is a list of which slot bit each register, lane and warp bit moves.
//
//===----------------------------------------------------------------------===//

#include "dialects/Layout/MmaLayout.h"

#include "dialects/Layout/LayoutText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cassert>

using namespace layout;
using llvm::ArrayRef;
using llvm::Log2_32;
using llvm::Twine;

namespace {

/// How one dimension is cut into groups of warps, warps, instruction tiles and
/// their insides.
struct TiledDim {
  int instructionExtent;
  int warps;  ///< of one group, a power of two
  int groups; ///< odd
  int tiles;  ///< of one warp
  ArrayRef<int> order;

  TiledDim(int extent, int instructionExtent, int allWarps, ArrayRef<int> order)
      : instructionExtent(instructionExtent), warps(allWarps & -allWarps),
        groups(allWarps / warps),
        tiles(extent / (instructionExtent * allWarps)), order(order) {}

  int coreTiles() const { return tiles & -tiles; }
  int repeats() const { return tiles / coreTiles(); }
  int coreExtent() const { return instructionExtent * coreTiles() * warps; }

  /// The coordinate of a slot bit.
  int32_t slot(int bit) const {
    return int32_t(1) << (bit < int(order.size()) ? order[bit] : bit);
  }
  int tileSlot() const { return Log2_32(instructionExtent); }
  int warpSlot() const { return tileSlot() + Log2_32(coreTiles()); }
  int endSlot() const { return warpSlot() + Log2_32(warps); }
};

/// Collects the bases of a 2-D fragment.
class FragmentBuilder {
public:
  FragmentBuilder(const TiledDim &rows, const TiledDim &columns)
      : dims{&rows, &columns} {}

  using Bases = std::vector<Coords>;
  Bases registers, lanes, warps;

  /// The next bits of `bases` move slot bits [begin, end) of a dimension.
  void move(Bases &bases, int dim, int begin, int end) {
    for (int bit = begin; bit < end; ++bit) {
      Coords basis(2, 0);
      basis[dim] = dims[dim]->slot(bit);
      bases.push_back(basis);
    }
  }
  void moveTiles(int dim) {
    move(registers, dim, dims[dim]->tileSlot(), dims[dim]->warpSlot());
  }
  void moveWarps(int dim) {
    move(warps, dim, dims[dim]->warpSlot(), dims[dim]->endSlot());
  }
  void replicateWarps(int count) {
    warps.insert(warps.end(), Log2_32(count), Coords(2, 0));
  }

  /// `groups` of warps along a dimension that the fragment lacks hold the same.
  FragmentLayout build(int groups = 1) const {
    Spread spread{-1, groups};
    for (int dim : {0, 1})
      if (dims[dim]->groups > 1)
        spread = {dim, dims[dim]->groups};
    std::optional<FragmentLayout> result = FragmentLayout::create(
        registers, lanes, warps, {dims[0]->coreExtent(), dims[1]->coreExtent()},
        {Repeat{0, dims[0]->repeats()}, Repeat{1, dims[1]->repeats()}},
        /*error=*/nullptr, spread);
    assert(result && "a verified tiling covers its tile");
    return *result;
  }

private:
  const TiledDim *dims[2];
};

} // namespace

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

bool MmaInstruction::isSupported() const {
  bool knownBits =
      elementBits >= 4 && elementBits <= 64 && llvm::isPowerOf2_32(elementBits);
  return (m == 8 || m == 16) && n == 8 && knownBits && k > 0 &&
         llvm::isPowerOf2_32(k) && k >= 4 * elementsPerRegister();
}

static bool reportFailure(std::string *error, const Twine &message) {
  fail(error, message);
  return false;
}

/// Checks that the extent divides and that the order is a permutation of core
/// bits.
static bool verifyDim(llvm::StringRef name, int extent, int instructionExtent,
                      int warps, ArrayRef<int> order, std::string *error) {
  if (warps < 1)
    return reportFailure(error,
                         "there are " + Twine(warps) + " warps along " + name);
  int64_t step = int64_t(instructionExtent) * warps;
  if (extent < 1 || extent % step != 0)
    return reportFailure(error, "tile extent " + name + " = " + Twine(extent) +
                                    " is not a multiple of " + Twine(step) +
                                    " (" + Twine(instructionExtent) +
                                    " in the instruction, " + Twine(warps) +
                                    (warps == 1 ? " warp)" : " warps)"));
  TiledDim dim(extent, instructionExtent, warps, order);
  if (int(order.size()) > dim.endSlot())
    return reportFailure(
        error, "the order of " + name + " has " + Twine(order.size()) +
                   " bits, but its core of " + Twine(dim.coreExtent()) +
                   " has " + Twine(dim.endSlot()));
  llvm::SmallVector<int, 16> sorted(order);
  llvm::sort(sorted);
  for (auto [i, bit] : llvm::enumerate(sorted))
    if (bit != int(i))
      return reportFailure(error, "the order of " + name +
                                      " is not a permutation of its bits");
  return true;
}

bool MmaTiling::verify(int k, std::string *error) const {
  if (!instruction.isSupported())
    return reportFailure(
        error, "no matrix instruction has the shape m" + Twine(instruction.m) +
                   "n" + Twine(instruction.n) + "k" + Twine(instruction.k) +
                   " with " + Twine(instruction.elementBits) + " bits");
  if (!llvm::isPowerOf2_32(std::max(warpsM, 1)) &&
      !llvm::isPowerOf2_32(std::max(warpsN, 1)))
    return reportFailure(error, "neither " + Twine(warpsM) +
                                    " warps along M nor " + Twine(warpsN) +
                                    " along N are a power of two");
  return verifyDim("M", m, instruction.m, warpsM, mOrder, error) &&
         verifyDim("N", n, instruction.n, warpsN, nOrder, error) &&
         verifyDim("K", k, instruction.k, 1, kOrder, error);
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

FragmentLayout MmaTiling::accumulator() const {
  TiledDim rows(m, instruction.m, warpsM, mOrder);
  TiledDim columns(n, instruction.n, warpsN, nOrder);
  FragmentBuilder builder(rows, columns);
  builder.move(builder.registers, 1, 0, 1);
  builder.move(builder.registers, 0, 3, rows.tileSlot());
  builder.moveTiles(1);
  builder.moveTiles(0);
  builder.move(builder.lanes, 1, 1, 3);
  builder.move(builder.lanes, 0, 0, 3);
  builder.moveWarps(0);
  builder.moveWarps(1);
  return builder.build();
}

FragmentLayout MmaTiling::operandA(int k) const {
  assert(verify(k) && "the tiling does not exist");
  TiledDim rows(m, instruction.m, warpsM, mOrder);
  TiledDim depth(k, instruction.k, 1, kOrder);
  FragmentBuilder builder(rows, depth);
  int lane = Log2_32(instruction.elementsPerRegister());
  builder.move(builder.registers, 1, 0, lane);
  builder.move(builder.registers, 0, 3, rows.tileSlot());
  builder.move(builder.registers, 1, lane + 2, depth.tileSlot());
  builder.moveTiles(1);
  builder.moveTiles(0);
  builder.move(builder.lanes, 1, lane, lane + 2);
  builder.move(builder.lanes, 0, 0, 3);
  builder.moveWarps(0);
  TiledDim columns(n, instruction.n, warpsN, nOrder);
  builder.replicateWarps(columns.warps);
  return builder.build(columns.groups);
}

FragmentLayout MmaTiling::operandB(int k) const {
  assert(verify(k) && "the tiling does not exist");
  TiledDim depth(k, instruction.k, 1, kOrder);
  TiledDim columns(n, instruction.n, warpsN, nOrder);
  FragmentBuilder builder(depth, columns);
  int lane = Log2_32(instruction.elementsPerRegister());
  builder.move(builder.registers, 0, 0, lane);
  builder.move(builder.registers, 0, lane + 2, depth.tileSlot());
  builder.moveTiles(0);
  builder.moveTiles(1);
  builder.move(builder.lanes, 0, lane, lane + 2);
  builder.move(builder.lanes, 1, 0, 3);
  TiledDim rows(m, instruction.m, warpsM, mOrder);
  builder.replicateWarps(rows.warps);
  builder.moveWarps(1);
  return builder.build(rows.groups);
}
