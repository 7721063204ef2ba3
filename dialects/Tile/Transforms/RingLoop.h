//===- RingLoop.h - A loop of products over rings of buffers ----*- C++ -*-===//
//
// What loops of consuming warpgroups have in common that are written anew so
// that an operand is made while the one before multiplies
// (ConversionsAhead.cpp, StepsAhead.cpp).
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECTS_TILE_TRANSFORMS_RINGLOOP_H
#define TILE_DIALECTS_TILE_TRANSFORMS_RINGLOOP_H

#include "dialects/Tile/IR/TileOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::tile {

/// The operand of a product that comes from registers, and the other one.
Value getLeftOperand(WgmmaOp product);
Value getRightOperand(WgmmaOp product);

/// A loop that carries the sums of products, places in rings, and fragments
/// that nobody needs behind it.
class RingLoop {
public:
  explicit RingLoop(scf::ForOp loop)
      : loop(loop), builder(loop), loc(loop.getLoc()) {}

protected:
  /// Buffers of a ring: one is read by a product, one is handed back when the
  /// next product has started, and one comes meanwhile.
  static constexpr int64_t fewestBuffers = 3;

  /// Whether a carried value is a place in a ring.
  static bool isPlace(Value value) { return value.getType().isInteger(64); }
  /// Whether an op hands a buffer back by the place that the loop carries; if
  /// so, it is one of `arrivals`.
  static bool handsBack(ArriveOp arrive);
  /// Whether the rings of `arrivals` have buffers enough.
  bool haveBuffers();
  /// Whether a product takes its other operand from a ring of the loop.
  bool readsRing(WgmmaOp product);
  /// Whether sums go from `last` to `first` of the next iteration, and nowhere
  /// else; finds `sumsIndex` and `startsAtZero`.
  bool checkSums(WgmmaOp first, MmaWaitOp last);
  /// Whether the rest of what is carried is as said above.
  bool checkCarried();

  Value makeConstant(int64_t value);
  /// The initial values of what is carried, but for the sums.
  SmallVector<Value> getInits();
  /// The sums in flight before the first of products of a type.
  Value startSums(Type inFlight);
  /// Maps the carried values but for the sums.
  void mapCarried(IRMapping &mapping, ArrayRef<Value> values);
  /// What the iteration of a mapping hands on, but for the sums.
  SmallVector<Value> getYielded(const IRMapping &mapping);
  /// Where the buffers of the iteration of a mapping are.
  SmallVector<Value> getSlots(const IRMapping &mapping);
  /// Hands buffers back.
  void arrive(ArrayRef<Value> slots, Value predicate);
  /// The results of the loop that somebody may need: the sums, and the places.
  SmallVector<Value> getResults(Value sums, ArrayRef<Value> carried);
  /// Replaces the loop by what `emitAll` emits, which returns such results,
  /// where there is an iteration.
  void replace(function_ref<SmallVector<Value>()> emitAll);

  scf::ForOp loop;
  OpBuilder builder;
  Location loc;
  SmallVector<ArriveOp> arrivals;
  unsigned sumsIndex = 0;
  bool startsAtZero = false;
};

} // namespace mlir::tile

#endif // TILE_DIALECTS_TILE_TRANSFORMS_RINGLOOP_H
