//===- FragmentLayout.cpp - Which thread holds which element --------------===//
//
// A core that is linear over bits, and a mixed-radix number of repeats of it.
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

FragmentLayout::FragmentLayout(LinearLayout core, ArrayRef<Repeat> repeats) {
  for (const Repeat &repeat : repeats)
    if (repeat.count > 1)
      repeatList.push_back(repeat);
  coreLayout = foldRepeats(core, repeatList);

  for (const LinearLayout::OutDim &out : coreLayout.outDims())
    extents.push_back(out.size);
  tileShape = extents;
  for (const Repeat &repeat : repeatList)
    tileShape[repeat.dim] *= repeat.count;
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

std::optional<FragmentLayout> FragmentLayout::create(LinearLayout core,
                                                     ArrayRef<Repeat> repeats,
                                                     std::string *error) {
  if (!verifyCore(core, error) || !verifyRepeats(core, repeats, error))
    return std::nullopt;
  return FragmentLayout(std::move(core), repeats);
}

std::optional<FragmentLayout>
FragmentLayout::create(ArrayRef<Coords> registers, ArrayRef<Coords> lanes,
                       ArrayRef<Coords> warps, ArrayRef<int32_t> coreExtents,
                       ArrayRef<Repeat> repeats, std::string *error) {
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
  return create(std::move(*core), repeats, error);
}

FragmentLayout FragmentLayout::replicated(ArrayRef<int32_t> shape, int warps) {
  assert(llvm::isPowerOf2_32(warps) && "warps are a power of two");
  Coords ones(shape.size(), 1), zeros(shape.size(), 0);
  llvm::SmallVector<Repeat, 4> repeats;
  for (auto [dim, extent] : llvm::enumerate(shape))
    repeats.push_back({int(dim), extent});
  return *create({}, std::vector<Coords>(5, zeros),
                 std::vector<Coords>(llvm::Log2_32(warps), zeros), ones,
                 repeats);
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
    coords[level.dim] = repeat % level.count * extents[level.dim];
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
    coreCoords[dim] ^= coords[dim] % extents[dim];
  }
  std::optional<uint64_t> coreRegister =
      registerSpan.solve(packCoords(coreCoords, extents));
  if (!coreRegister)
    return std::nullopt;
  int repeat = 0;
  for (const Repeat &level : repeatList)
    repeat = repeat * level.count + coords[level.dim] / extents[level.dim];
  return repeat * coreRegisters() + static_cast<int>(*coreRegister);
}

OwnerMask FragmentLayout::ownerMask() const {
  // A column is free if earlier ones reach what it reaches.  Registers come
  // last, so that between a redundant register and a redundant lane the choice
  // falls at compile time.
  BitBasis span;
  for (ArrayRef<Coords> list : {laneBases(), warpBases(), registerBases()})
    for (const Coords &basis : list)
      span.insert(packCoords(basis, extents));
  uint64_t free = span.freeColumns();
  OwnerMask mask;
  mask.lanes = free & (lanesPerWarp - 1);
  mask.warps = (free >> 5) & (numWarps() - 1);
  mask.registers = static_cast<int32_t>(free >> (5 + warpBases().size()));
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
  return hash;
}

void FragmentLayout::print(llvm::raw_ostream &os) const {
  printShape(os, tileShape);
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
  printNestedList(os, warpBases());
}

std::string FragmentLayout::str() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os);
  return text;
}

std::optional<FragmentLayout> FragmentLayout::parse(StringRef text,
                                                    std::string *error) {
  TextCursor cursor(text);
  Coords coreExtents = cursor.readShape();
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

  llvm::SmallVector<Repeat, 4> repeats;
  for (const Coords &list : repeatLists) {
    if (list.size() != 2 || list[0] >= int(coreExtents.size()))
      return fail(error, "a repeat is not a pair of dimension and count");
    if (list[1] < 1 || coreExtents[list[0]] % list[1] != 0)
      return fail(error, "extent " + Twine(coreExtents[list[0]]) +
                             " is not a multiple of its repeat count " +
                             Twine(list[1]));
    coreExtents[list[0]] /= list[1];
    repeats.push_back({list[0], list[1]});
  }
  return create(registers, lanes, warps, coreExtents, repeats, error);
}
