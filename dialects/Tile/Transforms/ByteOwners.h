//===- ByteOwners.h - One thread for the two elements of a byte -----------===//
//
// Two 4-bit elements share a byte, and a byte is written by one thread
// (known fault F06 of compilers like this one): who stores a fragment holds
// both, or is given both first.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECTS_TILE_TRANSFORMS_BYTEOWNERS_H
#define TILE_DIALECTS_TILE_TRANSFORMS_BYTEOWNERS_H

#include "dialects/Tile/IR/TileOps.h"

namespace mlir::tile {

/// The dimension of a fragment along which memory that it is stored to or
/// loaded from packs its elements; -1 if there is none.
int findStoredPackDim(Value fragment);

/// Puts a conversion in front of each store of 4-bit elements whose fragment
/// holds the elements of a byte in different threads.
void giveBytesOwners(KernelOp kernel);

/// Makes a conversion of 4-bit elements between threads a store to shared
/// memory and a load: packed where a thread holds whole bytes, else with a byte
/// for each element.
void stagePackedConversion(ConvertLayoutOp convert);

} // namespace mlir::tile

#endif // TILE_DIALECTS_TILE_TRANSFORMS_BYTEOWNERS_H
