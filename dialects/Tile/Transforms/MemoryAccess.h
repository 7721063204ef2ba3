//===- MemoryAccess.h - What an op touches, and what may overlap ----------===//
//
// Accesses to global tensors and shared tiles as boxes of elements whose
// corners are linear in values of the kernel, so that parts of one tensor,
// buffers of a staged tile and iterations of a loop can be told apart.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECTS_TILE_TRANSFORMS_MEMORYACCESS_H
#define TILE_DIALECTS_TILE_TRANSFORMS_MEMORYACCESS_H

#include "dialects/Tile/IR/TileOps.h"

namespace mlir::tile {

/// A sum of values with constant coefficients plus a constant, modulo 2^64; or
/// nothing known.
class LinearIndex {
public:
  /// Looks through additions, subtractions and multiplication by constants, up
  /// to a few dozen of them.
  explicit LinearIndex(Value value);
  explicit LinearIndex(int64_t constant) : constant(constant) {}

  /// this - other, if it is a constant.
  std::optional<int64_t> minus(const LinearIndex &other) const;

  /// Replaces each value for which `replace` gives a number d by itself plus d;
  /// a value for which it gives none makes the index unknown.
  void substitute(function_ref<std::optional<int64_t>(Value)> replace);

  /// The coefficient of `value`; the term is removed.
  int64_t takeCoefficient(Value value);
  void add(int64_t amount) { constant += uint64_t(amount); }
  /// Makes indices that are equal modulo `modulus` equal.
  void reduce(int64_t modulus);
  void forget();

  bool operator==(const LinearIndex &) const = default;

private:
  void addScaled(Value value, uint64_t factor, unsigned &budget);

  bool known = true;
  /// Sorted by value; coefficients are not 0.
  SmallVector<std::pair<Value, uint64_t>, 2> terms;
  uint64_t constant = 0;
};

/// The elements that a box covers along one dimension.
struct IndexRange {
  LinearIndex start;
  int64_t extent;
  /// What lies below the start, or beyond the end, belongs to it too.
  bool openBelow = false, openAbove = false;

  bool operator==(const IndexRange &) const = default;
};

/// A read or write of a box of elements.
struct MemoryAccess {
  /// The `tile.alloc_shared` or kernel argument; null where it is not known,
  /// which stands for any memory of the spaces below.
  Value root;
  bool inGlobal = false, inShared = false;
  /// The bytes of an allocation that has been placed: first and end.
  std::optional<std::pair<int64_t, int64_t>> bytes;
  bool isWrite = false;
  /// By `tile.async_copy`: other accesses must not rely on it before a wait.
  bool isAsync = false;
  /// By `tile.store_through`, whose warpgroups order what they do with their
  /// buffers themselves, for tiles of the result that no two share.
  bool isStoreThrough = false;
  /// To a tile whose readers and writers order what they do by barriers with
  /// phases (ConvertedOperand.h).
  bool isHandedOver = false;
  /// The buffer of a staged tile, modulo `stages`; none: all of them.
  std::optional<LinearIndex> stage;
  int64_t stages = 0;
  /// Of a part of a tile whose place is not told.
  bool isPart = false;
  /// In elements of `memoryType`; empty: all.
  SmallVector<IndexRange, 2> box;
  Type memoryType;
  /// In global memory: the type of the fragment that is read or written, if
  /// each element is touched only by the one thread that its layout names.
  Type owner;
};

/// Appends the accesses of an op to memory, with those of nested ops.  An op
/// whose effects are not known reads and writes everything; the ops that order
/// memory (`tile.barrier` and the like) have none.
void collectAccesses(Operation *op, SmallVectorImpl<MemoryAccess> &accesses);

/// Whether a shared tile, or the one that it is a part of, stays as it is
/// between two ops: they are in one block, and nothing between them writes it
/// or orders memory.  Tiles have not been placed yet: each is memory of its
/// own.
bool isUnchangedBetween(Value tile, Operation *first, Operation *last);

/// Whether what holds against `b` holds against `a`: it is of the same kind and
/// covers all that `b` does.
bool covers(const MemoryAccess &a, const MemoryAccess &b);

/// Whether two accesses may touch the same byte.
bool mayOverlap(const MemoryAccess &a, const MemoryAccess &b);

/// Whether one is a write, they may overlap, and different threads may be
/// involved, so that a barrier must stand between them.
bool needBarrier(const MemoryAccess &a, const MemoryAccess &b);

/// Forgets what an access says in terms of values defined inside `op`, which
/// is being left.
void leaveScope(MemoryAccess &access, Operation *op);

/// Rewrites an access of one iteration of a loop in terms of the values of the
/// next iteration.  A box that moves from one to the next is left open on the
/// side it came from, so that it stands for all iterations before.
void advanceIteration(MemoryAccess &access, LoopLikeOpInterface loop);

} // namespace mlir::tile

#endif // TILE_DIALECTS_TILE_TRANSFORMS_MEMORYACCESS_H
