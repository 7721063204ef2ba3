//===- TmaStore.h - Which stores go by TMA ----------------------*- C++ -*-===//
#ifndef TILE_DIALECTS_TILE_TRANSFORMS_TMASTORE_H
#define TILE_DIALECTS_TILE_TRANSFORMS_TMASTORE_H

#include "dialects/Tile/Transforms/TensorMaps.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::tile {

/// Turns the stores of accumulators of warpgroups into stores by TMA.
class TmaStores {
public:
  /// `sharedLimit`: bytes of shared memory that the kernel may use in all.
  TmaStores(KernelOp kernel, int64_t sharedLimit);

  /// Tiles through which stores go are made in front of this op.
  void setPlace(Operation *op) { place = op; }

  /// The stores that follow are another team's, which has tiles of its own.
  void startTeam() { stagings.clear(); }

  /// Emits `store` with mapped operands if TMA can do it; false otherwise.
  bool emit(OpBuilder &builder, StoreOp store, IRMapping &mapping);

  TensorMaps maps;

private:
  Value getStaging(SharedType type, Location loc);

  KernelOp kernel;
  int64_t sharedLimit;
  Operation *place = nullptr;
  DenseMap<Type, Value> stagings;
};

/// Bytes of shared memory for the stores of a kernel with so many threads.
int64_t getStagingBytes(int64_t threads);

} // namespace mlir::tile

#endif // TILE_DIALECTS_TILE_TRANSFORMS_TMASTORE_H
