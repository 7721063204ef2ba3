//===- TeamThreads.h - Which threads of a team do its work ----------------===//
#ifndef TILE_DIALECTS_TILE_TRANSFORMS_TEAMTHREADS_H
#define TILE_DIALECTS_TILE_TRANSFORMS_TEAMTHREADS_H

#include "dialects/Tile/IR/TileOps.h"

namespace mlir::tile {

/// Whether a team with these statements leaves them to one of its threads: they
/// start copies by TMA, use barriers and count, and nothing is shared out.  The
/// others then do not wait for what only that thread needs to know, and no
/// barrier of the team is needed between its statements.
bool isForOneThread(Block &body);

/// Registers that each thread has when a block begins whose teams share them
/// out
/// (`tile.set_max_registers`).
int64_t getRegisterShare(KernelOp kernel);

/// Registers of a thread in a warpgroup that copies and in two that multiply.
struct RegisterShare {
  int64_t producer = 0, consumer = 0;
};
/// Of blocks of which a multiprocessor works on two: 80 for each of their 384
/// threads.
inline constexpr RegisterShare registersOfTwo{32, 104};

/// Shared memory that the system takes of each block.
inline constexpr int64_t reservedSharedBytes = 1024;

/// Bytes of shared memory that a block may use so that as many as `min_blocks`
/// asks for fit a multiprocessor, of which one block may use `sharedLimit`.
int64_t getSharedShare(KernelOp kernel, int64_t sharedLimit);

/// Gives each team of the kernel its own copy of constant fragments that stand
/// outside: teams spread them over threads of their own.
void cloneConstantsIntoTeams(KernelOp kernel);

} // namespace mlir::tile

#endif // TILE_DIALECTS_TILE_TRANSFORMS_TEAMTHREADS_H
