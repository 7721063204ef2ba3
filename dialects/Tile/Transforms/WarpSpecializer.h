//===- WarpSpecializer.h - What the teams of a kernel share -----*- C++ -*-===//
//
// specialize-warps makes teams of the warpgroups of the variant that TMA feeds
// (SpecializeWarps.cpp says which).  They have rings of buffers in common
// (TeamRings.cpp); one fills them (ProducerTeam.cpp), the others multiply what
// is in them and do the rest (ConsumerTeam.cpp).
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECTS_TILE_TRANSFORMS_WARPSPECIALIZER_H
#define TILE_DIALECTS_TILE_TRANSFORMS_WARPSPECIALIZER_H

#include "dialects/Tile/IR/TileShareOps.h"
#include "dialects/Tile/Transforms/ClusterPlan.h"
#include "dialects/Tile/Transforms/PingPong.h"
#include "dialects/Tile/Transforms/TileWalk.h"
#include "dialects/Tile/Transforms/TmaStore.h"
#include "dialects/Tile/Transforms/TmaVariant.h"
#include "dialects/Tile/Transforms/WgmmaCandidates.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::tile {

/// The buffers of one loop.
struct Ring {
  PipelinedOp loop;
  /// By TMA, by the other threads of the copying warpgroup, and by those that
  /// read the tile.
  SmallVector<CopyOp> copies, byThreads, direct;
  int64_t stages = 0, bytes = 0;
  /// Whether threads read buffers themselves, so that each warp hands them
  /// back; else the first thread does for all whose product has read them.
  bool readByThreads = false;
  llvm::MapVector<Value, AllocSharedOp> buffers;
  BarrierAllocOp full, empty;
  /// The tile that the consumers convert, and its ring; null if there is none.
  AllocSharedOp converted, convertedRing;
  BarrierAllocOp ready;
};

/// Where a team is in the ring of a loop, and in that of its converted tile, if
/// there is one.
struct Positions {
  RingPosition ring, converted;

  explicit Positions(ValueRange values) : ring{values[0], values[1]} {
    if (values.size() > 2)
      converted = {values[2], values[3]};
  }
  size_t size() const { return converted.slot ? 4 : 2; }
  void append(SmallVectorImpl<Value> &values) const {
    llvm::append_values(values, ring.slot, ring.phase);
    if (converted.slot)
      llvm::append_values(values, converted.slot, converted.phase);
  }
};

/// Makes the teams of one kernel.
class WarpSpecializer {
public:
  WarpSpecializer(KernelOp kernel, int64_t sharedLimit)
      : kernel(kernel), parts(getParts(kernel)), builder(kernel),
        loc(kernel.getLoc()),
        consumers(int64_t(kernel.getThreads()) / warpgroupThreads),
        cluster(getMulticastBlocks(kernel)), stores(kernel, sharedLimit),
        walk(kernel, parts), turns(kernel) {
    if (auto axis = kernel->getAttrOfType<IntegerAttr>(clusterAxisName))
      clusterAxis = axis.getInt();
  }

  void run();

private:
  void makeRings();
  void makeRing(PipelinedOp loop);
  AllocSharedOp makeBuffers(AllocSharedOp alloc, int64_t stages);
  bool isShared(CopyOp copy) {
    return cluster > 1 && isSameAlong(copy, clusterAxis);
  }

  /// Emits the loop over tiles; `body` is given the mapping of a tile's values,
  /// the positions in the rings, which it moves on, and whether there is a tile
  /// (TileWalk.h).
  using TileBody =
      function_ref<void(IRMapping &, MutableArrayRef<Positions>, Value)>;
  void emitTiles(TileBody body, TileWalk::Turns turn = {});
  SmallVector<Positions> takePositions(ValueRange &carried);
  void emitProducer(IRMapping &mapping, MutableArrayRef<Positions> positions);
  void emitConsumer(IRMapping &mapping, MutableArrayRef<Positions> positions,
                    Value hasTile);
  void produce(Ring &ring, IRMapping &mapping, RingPosition &position);
  void emitCopies(Ring &ring, const IRMapping &mapping, Value index, Value slot,
                  function_ref<bool(CopyOp)> isWanted);
  bool isEarly(CopyOp copy);
  bool fillsEarly();
  void allowLaunches(Ring &ring, Value lower, Value upper, Value index);
  void fillRing();
  void fillRing(Ring &ring, IRMapping &mapping);
  void copyByThreads(Ring &ring, const IRMapping &mapping, Value index,
                     Value slot);
  void consume(Ring &ring, IRMapping &mapping, Positions &positions);
  void emitIteration(Ring &ring, IRMapping &mapping, const Positions &here);

  Value getConstant(int64_t value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI64IntegerAttr(value));
  }
  Value recompute(Value value, IRMapping &mapping);
  Value emitRingEnd(Ring &ring, Value lower);
  SmallVector<Value> loadDirectly(Ring &ring, const IRMapping &mapping,
                                  Value index);
  RingPosition getNext(int64_t stages, RingPosition position);
  Value getBuffer(AllocSharedOp buffers, Value alloc, Value slot);

  KernelOp kernel;
  KernelParts parts;
  OpBuilder builder;
  Location loc;
  int64_t consumers;
  /// Blocks of a cluster, and the axis along which they have their tiles.
  int64_t cluster;
  unsigned clusterAxis = 0;
  TmaStores stores;
  TileWalk walk;
  PingPong turns;
  /// The team whose turn is awaited in front of its loops, and given on behind
  /// them, and the parity of that turn.
  int64_t team = 0;
  Value turnParity;
  SmallVector<Ring, 1> rings;
};

} // namespace mlir::tile

#endif // TILE_DIALECTS_TILE_TRANSFORMS_WARPSPECIALIZER_H
