//===- FragmentLayout.h - Which thread holds which element ------*- C++ -*-===//
//
// The layout of a fragment, a tile held in registers.  Tile extents need not be
// powers of two: a layout is a core that is linear over bits, with extents that
// are powers of two, repeated a whole number of times along each dimension. Nor
// need warps be a power of two: an odd number of groups of warps each hold the
// core at another place along one dimension (the spread), or all at the same.
//
//     register = repeat * coreRegisters + coreRegister
//     warp     = group * coreWarps + coreWarp
//     coords   = core(coreRegister, lane, coreWarp)
//                + (group + groups * repeatIndex) * coreExtents
//
// where `groups` is 1 in all dimensions but that of the spread, and `repeat`
// counts the repeat indices in mixed radix, in the order of the
// list of repeats (outermost first; the builders list the dimensions in order).
// Since the core is linear, and the extents of the core are powers of two, what
// a thread's index adds to coordinates is linear over all its bits, those of
// the group too.  An emitter needs it only once per fragment:
//
//     coords = (threadCoords(lane, warp) ^ registerXor(r)) + registerOffset(r)
//
// with constants for each register.  Where `isDisjoint()`, the XOR is an
// addition too, and one constant per register is left.
//
// A "register" here is one element of the tile in one thread, whatever its
// width; packing elements into 32-bit registers is the emitter's business.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECTS_LAYOUT_FRAGMENTLAYOUT_H
#define TILE_DIALECTS_LAYOUT_FRAGMENTLAYOUT_H

#include "dialects/Layout/BitBasis.h"
#include "dialects/Layout/LinearLayout.h"

namespace layout {

inline constexpr int lanesPerWarp = 32;

/// Which holders of an element own it, where several threads (or registers)
/// hold the same one: those whose index has none of these bits set.  Each
/// element has exactly one owner; only owners may write it to memory.
struct OwnerMask {
  int32_t registers = 0; ///< bits of the core register index
  int32_t lanes = 0;
  int32_t warps = 0;
  bool operator==(const OwnerMask &) const = default;
};

/// A core repeated `count` times along dimension `dim`.
struct Repeat {
  int dim = 0;
  int32_t count = 1;
  bool operator==(const Repeat &) const = default;
};

/// `count` groups of warps (an odd number), each of which holds another part of
/// the tile along dimension `dim`; all hold the same if that is -1.  The group
/// is the part of the warp index above the bits of the core.
struct Spread {
  int dim = -1;
  int32_t count = 1;
  bool operator==(const Spread &) const = default;
};

struct ReindexedLayout;

class FragmentLayout {
public:
  /// Builds a layout from the bases of its core: `registers[i]`, `lanes[i]` and
  /// `warps[i]` are the coordinates of bit i of the register, lane and warp
  /// index.  There are 5 lane bases.  The core must reach each coordinate below
  /// `coreExtents`.  `repeats` names a dimension at most once, and an odd
  /// number of times if it is that of the spread.  On failure says why in
  /// `error` (if given).
  ///
  /// Repeats that enumerate registers as more register bits would are folded
  /// into the core, so that equal maps compare equal: what `repeats()` returns
  /// may be shorter than what was given here.
  static std::optional<FragmentLayout>
  create(llvm::ArrayRef<Coords> registers, llvm::ArrayRef<Coords> lanes,
         llvm::ArrayRef<Coords> warps, llvm::ArrayRef<int32_t> coreExtents,
         llvm::ArrayRef<Repeat> repeats, std::string *error = nullptr,
         Spread spread = {});

  /// The same from a core with inputs "register", "lane", "warp" and outputs
  /// "dim0", "dim1", ... in this order.
  static std::optional<FragmentLayout> create(LinearLayout core,
                                              llvm::ArrayRef<Repeat> repeats,
                                              std::string *error = nullptr,
                                              Spread spread = {});

  /// Each thread of `warps` warps holds the whole tile, of at most 2^30
  /// elements.
  static FragmentLayout replicated(llvm::ArrayRef<int32_t> shape, int warps);

  int rank() const { return static_cast<int>(tileShape.size()); }
  llvm::ArrayRef<int32_t> shape() const { return tileShape; }
  int numWarps() const { return spreadDigit.count << coreWarpBases().size(); }
  int numThreads() const { return numWarps() * lanesPerWarp; }
  /// Number of registers, that is of elements held by each thread.
  int elementsPerThread() const { return coreRegisters() * repeatCount(); }

  const LinearLayout &core() const { return coreLayout; }
  /// Outermost first.
  llvm::ArrayRef<Repeat> repeats() const { return repeatList; }
  llvm::ArrayRef<int32_t> coreExtents() const { return extents; }
  int coreRegisters() const { return 1 << registerBases().size(); }
  int repeatCount() const;

  llvm::ArrayRef<Coords> registerBases() const { return bases(0); }
  llvm::ArrayRef<Coords> laneBases() const { return bases(1); }
  llvm::ArrayRef<Coords> coreWarpBases() const { return bases(2); }
  Spread spread() const { return spreadDigit; }
  /// What each bit of the warp index moves, those of the group of warps
  /// included: all that an emitter needs.
  llvm::ArrayRef<Coords> warpBases() const { return allWarpBases; }

  /// The element held in register `reg` of a thread.
  Coords coordsOf(int reg, int lane, int warp) const;

  /// The three parts of `coordsOf` (see the head of this file).
  Coords threadCoords(int lane, int warp) const;
  Coords registerXor(int reg) const;
  Coords registerOffset(int reg) const;

  /// True if thread and register parts share no coordinate bits, so that
  /// coords = threadCoords + (registerXor + registerOffset).
  bool isDisjoint() const;

  /// The register in which a thread holds an element of the tile, if it does.
  std::optional<int> findRegister(llvm::ArrayRef<int32_t> coords, int lane,
                                  int warp) const;

  /// Which holders own their elements, and whether there are others.
  OwnerMask ownerMask() const;
  bool isReplicated() const { return ownerMask() != OwnerMask(); }
  bool isOwner(int reg, int lane, int warp) const;

  /// New dimension i is old dimension `order[i]`: {1, 0} transposes.  Registers
  /// keep their numbers.
  FragmentLayout permuteDims(llvm::ArrayRef<int> order) const;

  /// The same elements in each thread, in registers of another order: `bases`
  /// are those of the core in that order.
  FragmentLayout withRegisterBases(llvm::ArrayRef<Coords> bases) const;

  /// The layout with `warps` warps, of which those beyond its own hold the same
  /// elements; none if `warps` is no multiple of what it has.
  std::optional<FragmentLayout> replicateWarps(int warps) const;

  /// The layout that a source operand of an index map needs so that each thread
  /// finds the elements for its part of this fragment, the result, in its own
  /// registers: result[coords] = source[s], s[i] = coords[dimMap[i]], or 0
  /// where `dimMap[i]` is -1 (source extent 1: a broadcast).  No result
  /// dimension may be named twice (a diagonal): none is returned then.
  ///
  /// `divisors[i]`, a power of two, makes it s[i] = coords[dimMap[i]] /
  /// divisors[i], rounded down: one source element for each group of elements.
  /// The source's extent is the quotient, rounded up.
  ///
  /// Covers row and column vectors beside a 2-D fragment, broadcasts, scales of
  /// groups and transposes.  Registers that would hold the same element are
  /// merged.
  std::optional<ReindexedLayout>
  reindexSource(llvm::ArrayRef<int> dimMap,
                llvm::ArrayRef<int32_t> divisors = {}) const;

  /// The layout of a part of `shape` in which each thread holds the elements
  /// that it holds of the whole, wherever the part begins at a multiple of its
  /// shape; none if a thread would hold other elements of other parts.
  std::optional<FragmentLayout> partLayout(llvm::ArrayRef<int32_t> shape) const;

  bool operator==(const FragmentLayout &other) const {
    return coreLayout == other.coreLayout && repeatList == other.repeatList &&
           spreadDigit == other.spreadDigit;
  }
  friend llvm::hash_code hash_value(const FragmentLayout &layout);

  /// Text such as
  ///     16x24 repeats=[[1,3]] registers=[[0,1],[8,0]] lanes=[...] warps=[]
  ///     192x8 spread=[0,3] registers=[[0,1],[8,0]] lanes=[...] warps=[...]
  /// where a repeat, and the spread, is [dim, count], the core has the rest of
  /// the shape, and warps are those of the core.  Groups of warps that hold the
  /// same are spread=[count].
  void print(llvm::raw_ostream &os) const;
  std::string str() const;
  /// Reads what `print` writes.  On failure says why in `error` (if given).
  static std::optional<FragmentLayout> parse(llvm::StringRef text,
                                             std::string *error = nullptr);

private:
  FragmentLayout(LinearLayout core, llvm::ArrayRef<Repeat> repeats,
                 Spread spread);

  llvm::ArrayRef<Coords> bases(int in) const {
    return coreLayout.inDims()[in].bases;
  }
  /// Packs core coordinates into one word, dimension after dimension.
  uint64_t packCore(llvm::ArrayRef<int32_t> coords) const;
  /// Groups of warps along a dimension.
  int32_t groupsAlong(int dim) const {
    return dim == spreadDigit.dim ? spreadDigit.count : 1;
  }
  LinearLayout coreLayout;
  llvm::SmallVector<Repeat, 4> repeatList;
  Spread spreadDigit;
  Coords extents;
  Coords tileShape;
  std::vector<Coords> allWarpBases;
  /// The span of the register bases: finds registers from coordinates.
  BitBasis registerSpan;
};

/// A layout made from another, and for each register of that other one the
/// register here which holds the matching element in the same thread.
struct ReindexedLayout {
  FragmentLayout layout;
  std::vector<int> registerOf;
};

inline llvm::raw_ostream &operator<<(llvm::raw_ostream &os,
                                     const FragmentLayout &layout) {
  layout.print(os);
  return os;
}

} // namespace layout

#endif // TILE_DIALECTS_LAYOUT_FRAGMENTLAYOUT_H
