//===- FragmentLayout.cpp - Which thread holds which element --------------===//
//
// A core that is linear over bits, a mixed-radix number of repeats of it, and
// an odd number of groups of warps.
//
//===----------------------------------------------------------------------===//

#include "dialects/Layout/FragmentLayout.h"

#include "dialects/Layout/LayoutText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cassert>

using namespace layout;
using llvm::ArrayRef;
using llvm::StringRef;
using llvm::Twine;

/// Keeps register numbers and coordinates well inside int.
static constexpr int64_t maxRegisters = 1 << 30;

static void addXor(Coords &coords, ArrayRef<int32_t> basis) {
  for (auto [coord, step] : llvm::zip_equal(coords, basis))
    coord ^= step;
}

/// The XOR of the bases of the set bits of `index`, added to `coords`.
static void addIndex(Coords &coords, ArrayRef<Coords> bases, int index) {
  for (auto [bit, basis] : llvm::enumerate(bases))
    if (index >> bit & 1)
      addXor(coords, basis);
}

//===----------------------------------------------------------------------===//
// Construction
//===----------------------------------------------------------------------===//

/// Makes the innermost repeats part of the core as long as they are even: their
/// low bit numbers registers just as a new highest register bit would.
static LinearLayout foldRepeats(const LinearLayout &core,
                                llvm::SmallVectorImpl<Repeat> &repeats) {
  LinearLayout folded = core;
  while (!repeats.empty() && repeats.back().count % 2 == 0) {
    folded = folded * LinearLayout::identity1D(2, registerDim,
                                               tileDimName(repeats.back().dim));
    repeats.back().count /= 2;
    if (repeats.back().count == 1)
      repeats.pop_back();
  }
  return folded;
}

/// The bases of all bits of the warp index: behind those of the core the bits
/// of the group, each of which leads on by a power of two of cores.
static std::vector<Coords> listWarpBases(ArrayRef<Coords> core, Spread spread,
                                         ArrayRef<int32_t> extents) {
  std::vector<Coords> bases(core);
  for (int32_t group = 1; group < spread.count; group *= 2) {
    bases.emplace_back(extents.size(), 0);
    if (spread.dim >= 0)
      bases.back()[spread.dim] = group * extents[spread.dim];
  }
  return bases;
}

FragmentLayout::FragmentLayout(LinearLayout core, ArrayRef<Repeat> repeats,
                               Spread spread)
    : spreadDigit(spread.count > 1 ? spread : Spread()) {
  for (const Repeat &repeat : repeats)
    if (repeat.count > 1)
      repeatList.push_back(repeat);
  coreLayout = foldRepeats(core, repeatList);

  for (const LinearLayout::OutDim &out : coreLayout.outDims())
    extents.push_back(out.size);
  for (auto [dim, extent] : llvm::enumerate(extents))
    tileShape.push_back(extent * groupsAlong(int(dim)));
  for (const Repeat &repeat : repeatList)
    tileShape[repeat.dim] *= repeat.count;
  allWarpBases = listWarpBases(coreWarpBases(), spreadDigit, extents);
  for (const Coords &basis : registerBases())
    registerSpan.insert(packCoords(basis, extents));
}

/// Checks inputs, outputs and reach of a core.
static bool verifyCore(const LinearLayout &core, std::string *error) {
  ArrayRef<LinearLayout::InDim> ins = core.inDims();
  if (ins.size() != 3 || ins[0].name != registerDim || ins[1].name != laneDim ||
      ins[2].name != warpDim) {
    fail(error, "the inputs of a fragment layout are register, lane and warp");
    return false;
  }
  if (ins[1].bases.size() != 5) {
    fail(error, "a fragment layout has 5 lane bases, got " +
                    Twine(ins[1].bases.size()));
    return false;
  }
  for (auto [dim, out] : llvm::enumerate(core.outDims())) {
    if (out.name != tileDimName(dim)) {
      fail(error, "output " + Twine(dim) + " of a fragment layout is '" +
                      out.name + "' instead of '" + tileDimName(dim) + "'");
      return false;
    }
  }
  if (!core.isSurjective()) {
    fail(error, "some elements of the fragment are held by no thread");
    return false;
  }
  return true;
}

/// Checks the repeats of a core, and that the numbers stay small.
static bool verifyRepeats(const LinearLayout &core, ArrayRef<Repeat> repeats,
                          std::string *error) {
  int64_t registers = int64_t(1) << core.inBits(registerDim);
  for (auto [i, repeat] : llvm::enumerate(repeats)) {
    if (repeat.dim < 0 || repeat.dim >= int(core.outDims().size())) {
      fail(error, "a repeat names dimension " + Twine(repeat.dim) +
                      " of a fragment of rank " + Twine(core.outDims().size()));
      return false;
    }
    for (const Repeat &other : repeats.take_front(i)) {
      if (other.dim == repeat.dim) {
        fail(error, "dimension " + Twine(repeat.dim) + " is repeated twice");
        return false;
      }
    }
    if (repeat.count < 1 ||
        core.outDims()[repeat.dim].size * int64_t(repeat.count) > (1 << 30)) {
      fail(error, "dimension " + Twine(repeat.dim) + " is repeated " +
                      Twine(repeat.count) + " times");
      return false;
    }
    registers *= repeat.count;
    if (registers > maxRegisters)
      break;
  }
  if (registers > maxRegisters) {
    fail(error, "a thread holds more than 2^30 elements");
    return false;
  }
  return true;
}

/// Checks the groups of warps beside the repeats, which are checked.
static bool verifySpread(const LinearLayout &core, ArrayRef<Repeat> repeats,
                         Spread spread, std::string *error) {
  auto refuse = [&](const Twine &why) {
    fail(error, why);
    return false;
  };
  // As many warps as a block may have.
  constexpr int mostWarps = 32;
  int rank = int(core.outDims().size());
  if (spread.count < 1 || spread.count % 2 == 0 || spread.count > mostWarps)
    return refuse("an odd number of groups of warps is expected, got " +
                  Twine(spread.count));
  if (spread.dim < -1 || spread.dim >= rank)
    return refuse("groups of warps along dimension " + Twine(spread.dim) +
                  " of a fragment of rank " + Twine(rank));
  if (spread.dim < 0 || spread.count == 1)
    return true;
  int64_t extent = core.outDims()[spread.dim].size;
  for (const Repeat &repeat : repeats) {
    if (repeat.dim != spread.dim)
      continue;
    // A power of two of repeats has its place in the core, below the groups.
    if (repeat.count % 2 == 0)
      return refuse("dimension " + Twine(repeat.dim) +
                    " has groups of warps, and is repeated an even number of "
                    "times");
    extent *= repeat.count;
  }
  if (extent * spread.count > (1 << 30))
    return refuse("dimension " + Twine(spread.dim) + " is spread over " +
                  Twine(spread.count) + " groups of warps");
  return true;
}

std::optional<FragmentLayout> FragmentLayout::create(LinearLayout core,
                                                     ArrayRef<Repeat> repeats,
                                                     std::string *error,
                                                     Spread spread) {
  if (!verifyCore(core, error) || !verifyRepeats(core, repeats, error) ||
      !verifySpread(core, repeats, spread, error))
    return std::nullopt;
  return FragmentLayout(std::move(core), repeats, spread);
}

std::optional<FragmentLayout>
FragmentLayout::create(ArrayRef<Coords> registers, ArrayRef<Coords> lanes,
                       ArrayRef<Coords> warps, ArrayRef<int32_t> coreExtents,
                       ArrayRef<Repeat> repeats, std::string *error,
                       Spread spread) {
  std::vector<LinearLayout::OutDim> outs;
  for (auto [dim, extent] : llvm::enumerate(coreExtents))
    outs.push_back({tileDimName(dim), extent});
  std::optional<LinearLayout> core =
      LinearLayout::create({{registerDim.str(), registers},
                            {laneDim.str(), lanes},
                            {warpDim.str(), warps}},
                           std::move(outs), error);
  if (!core)
    return std::nullopt;
  return create(std::move(*core), repeats, error, spread);
}

FragmentLayout FragmentLayout::replicated(ArrayRef<int32_t> shape, int warps) {
  Coords ones(shape.size(), 1), zeros(shape.size(), 0);
  llvm::SmallVector<Repeat, 4> repeats;
  for (auto [dim, extent] : llvm::enumerate(shape))
    repeats.push_back({int(dim), extent});
  return *create({}, std::vector<Coords>(5, zeros), {}, ones, repeats)
              ->replicateWarps(warps);
}

std::optional<FragmentLayout> FragmentLayout::replicateWarps(int warps) const {
  if (warps % numWarps() != 0)
    return std::nullopt;
  int more = warps / numWarps(), groups = more / (more & -more);
  if (groups > 1 && spreadDigit.count > 1)
    return std::nullopt;
  std::vector<Coords> bases(coreWarpBases());
  bases.insert(bases.end(), llvm::Log2_32(more & -more), Coords(rank(), 0));
  return create(registerBases(), laneBases(), bases, extents, repeatList,
                nullptr, groups > 1 ? Spread{-1, groups} : spreadDigit);
}

//===----------------------------------------------------------------------===//
// From register to element
//===----------------------------------------------------------------------===//

int FragmentLayout::repeatCount() const {
  int count = 1;
  for (const Repeat &repeat : repeatList)
    count *= repeat.count;
  return count;
}

Coords FragmentLayout::threadCoords(int lane, int warp) const {
  Coords coords(rank(), 0);
  addIndex(coords, laneBases(), lane);
  addIndex(coords, warpBases(), warp);
  return coords;
}

Coords FragmentLayout::registerXor(int reg) const {
  Coords coords(rank(), 0);
  addIndex(coords, registerBases(), reg % coreRegisters());
  return coords;
}

Coords FragmentLayout::registerOffset(int reg) const {
  Coords coords(rank(), 0);
  int repeat = reg / coreRegisters();
  for (const Repeat &level : llvm::reverse(repeatList)) {
    coords[level.dim] =
        repeat % level.count * extents[level.dim] * groupsAlong(level.dim);
    repeat /= level.count;
  }
  return coords;
}

Coords FragmentLayout::coordsOf(int reg, int lane, int warp) const {
  assert(reg >= 0 && reg < elementsPerThread() && "no such register");
  Coords coords = threadCoords(lane, warp);
  addIndex(coords, registerBases(), reg % coreRegisters());
  for (auto [coord, offset] : llvm::zip_equal(coords, registerOffset(reg)))
    coord += offset;
  return coords;
}

bool FragmentLayout::isDisjoint() const {
  Coords threadBits(rank(), 0), registerBits(rank(), 0);
  auto collect = [](Coords &bits, ArrayRef<Coords> bases) {
    for (const Coords &basis : bases)
      for (auto [bit, step] : llvm::zip_equal(bits, basis))
        bit |= step;
  };
  collect(threadBits, laneBases());
  collect(threadBits, warpBases());
  collect(registerBits, registerBases());
  for (auto [thread, reg] : llvm::zip_equal(threadBits, registerBits))
    if (thread & reg)
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// From element to holder
//===----------------------------------------------------------------------===//

std::optional<int> FragmentLayout::findRegister(ArrayRef<int32_t> coords,
                                                int lane, int warp) const {
  assert(int(coords.size()) == rank());
  Coords coreCoords = threadCoords(lane, warp);
  for (int dim = 0; dim < rank(); ++dim) {
    if (coords[dim] < 0 || coords[dim] >= tileShape[dim])
      return std::nullopt;
    // The warp's group beside that of the element.
    int32_t group = coreCoords[dim] / extents[dim];
    if (group != coords[dim] / extents[dim] % groupsAlong(dim))
      return std::nullopt;
    coreCoords[dim] ^= group * extents[dim] + coords[dim] % extents[dim];
  }
  std::optional<uint64_t> coreRegister =
      registerSpan.solve(packCoords(coreCoords, extents));
  if (!coreRegister)
    return std::nullopt;
  int repeat = 0;
  for (const Repeat &level : repeatList)
    repeat = repeat * level.count +
             coords[level.dim] / extents[level.dim] / groupsAlong(level.dim);
  return repeat * coreRegisters() + static_cast<int>(*coreRegister);
}

OwnerMask FragmentLayout::ownerMask() const {
  // A column is free if earlier ones reach what it reaches.  Registers come
  // last, so that between a redundant register and a redundant lane the choice
  // falls at compile time.
  BitBasis span;
  for (ArrayRef<Coords> list : {laneBases(), coreWarpBases(), registerBases()})
    for (const Coords &basis : list)
      span.insert(packCoords(basis, extents));
  uint64_t free = span.freeColumns();
  int coreWarpBits = int(coreWarpBases().size());
  OwnerMask mask;
  mask.lanes = free & (lanesPerWarp - 1);
  mask.warps = (free >> 5) & ((1 << coreWarpBits) - 1);
  mask.registers = static_cast<int32_t>(free >> (5 + coreWarpBits));
  // Of groups that hold the same the first one owns it.
  if (spreadDigit.dim < 0)
    mask.warps |= (1 << warpBases().size()) - (1 << coreWarpBits);
  return mask;
}

bool FragmentLayout::isOwner(int reg, int lane, int warp) const {
  OwnerMask mask = ownerMask();
  return (reg % coreRegisters() & mask.registers) == 0 &&
         (lane & mask.lanes) == 0 && (warp & mask.warps) == 0;
}

//===----------------------------------------------------------------------===//
// Hash and text
//===----------------------------------------------------------------------===//

llvm::hash_code layout::hash_value(const FragmentLayout &layout) {
  llvm::hash_code hash = hash_value(layout.coreLayout);
  for (const Repeat &repeat : layout.repeatList)
    hash = llvm::hash_combine(hash, repeat.dim, repeat.count);
  return llvm::hash_combine(hash, layout.spreadDigit.dim,
                            layout.spreadDigit.count);
}

void FragmentLayout::print(llvm::raw_ostream &os) const {
  printShape(os, tileShape);
  if (spreadDigit.count > 1) {
    os << " spread=";
    if (spreadDigit.dim < 0)
      printList(os, {spreadDigit.count});
    else
      printList(os, {spreadDigit.dim, spreadDigit.count});
  }
  if (!repeatList.empty()) {
    std::vector<Coords> list;
    for (const Repeat &repeat : repeatList)
      list.push_back({repeat.dim, repeat.count});
    os << " repeats=";
    printNestedList(os, list);
  }
  os << " registers=";
  printNestedList(os, registerBases());
  os << " lanes=";
  printNestedList(os, laneBases());
  os << " warps=";
  printNestedList(os, coreWarpBases());
}

std::string FragmentLayout::str() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os);
  return text;
}

/// Divides an extent by what `list`, of dimension and count, takes out of it.
static bool takeFactor(Coords &extents, ArrayRef<int32_t> list, StringRef what,
                       std::string *error) {
  if (list.size() != 2 || list[0] >= int(extents.size())) {
    fail(error, what + " is not a pair of dimension and count");
    return false;
  }
  int32_t &extent = extents[list[0]];
  if (list[1] < 1 || extent % list[1] != 0) {
    fail(error, "extent " + Twine(extent) + " is not a multiple of " +
                    Twine(list[1]) + ", the count of " + what);
    return false;
  }
  extent /= list[1];
  return true;
}

std::optional<FragmentLayout> FragmentLayout::parse(StringRef text,
                                                    std::string *error) {
  TextCursor cursor(text);
  Coords coreExtents = cursor.readShape();
  std::optional<Coords> spreadList;
  if (cursor.consume("spread="))
    spreadList = cursor.readList();
  std::vector<Coords> repeatLists;
  if (cursor.consume("repeats="))
    repeatLists = cursor.readNestedList();
  cursor.expect("registers=");
  std::vector<Coords> registers = cursor.readNestedList();
  cursor.expect("lanes=");
  std::vector<Coords> lanes = cursor.readNestedList();
  cursor.expect("warps=");
  std::vector<Coords> warps = cursor.readNestedList();
  if (cursor.failed())
    return fail(error, cursor.error());
  if (!cursor.atEnd())
    return fail(error, "text follows the layout");

  Spread spread;
  if (spreadList && spreadList->size() == 1) {
    spread.count = spreadList->front();
  } else if (spreadList) {
    if (!takeFactor(coreExtents, *spreadList, "the spread", error))
      return std::nullopt;
    spread = {spreadList->front(), spreadList->back()};
  }
  llvm::SmallVector<Repeat, 4> repeats;
  for (const Coords &list : repeatLists) {
    if (!takeFactor(coreExtents, list, "a repeat", error))
      return std::nullopt;
    repeats.push_back({list[0], list[1]});
  }
  return create(registers, lanes, warps, coreExtents, repeats, error, spread);
}
