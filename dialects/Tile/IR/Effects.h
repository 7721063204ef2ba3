//===- Effects.h - Memory effects that several ops have -------------------===//
#ifndef TILE_DIALECTS_TILE_IR_EFFECTS_H
#define TILE_DIALECTS_TILE_IR_EFFECTS_H

#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::tile {

using Effects =
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

/// Ops that order memory touch all of it: nothing moves across them.
inline void touchAllMemory(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

} // namespace mlir::tile

#endif // TILE_DIALECTS_TILE_IR_EFFECTS_H
