//===- RandomData.h - Data for arrays that the user did not give ----------===//
#ifndef TILE_COMPILER_DRIVER_RUN_RANDOMDATA_H
#define TILE_COMPILER_DRIVER_RUN_RANDOMDATA_H

#include "compiler/Driver/Run/HostTensor.h"

namespace tilec {

/// Fills an array with the random elements of Numerics/RandomElements.h, the
/// same for the same seed, name and shape on every machine.
void fillRandom(HostTensor &tensor, uint64_t seed, llvm::StringRef name);

/// The stream of random numbers that a parameter of this name takes.
uint64_t getRandomStream(llvm::StringRef name);

/// Fills an output before a run: 0xFF bytes, NaN in the float types, so that
/// elements which nobody writes show.
void fillUnwritten(HostTensor &tensor);

} // namespace tilec

#endif // TILE_COMPILER_DRIVER_RUN_RANDOMDATA_H
