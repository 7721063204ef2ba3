//===- Driver.h - The tilec program ---------------------------------------===//
#ifndef TILE_COMPILER_DRIVER_DRIVER_H
#define TILE_COMPILER_DRIVER_DRIVER_H

#include "llvm/ADT/ArrayRef.h"

namespace tilec {

/// Does what the arguments (with the program's name first) ask for and returns
/// the exit status: 0 for success, 1 if the source or the run has errors, 2 if
/// the command line was not understood.
int runDriver(llvm::ArrayRef<const char *> arguments);

} // namespace tilec

#endif // TILE_COMPILER_DRIVER_DRIVER_H
