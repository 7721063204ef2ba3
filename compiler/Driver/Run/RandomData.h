//===- RandomData.h - Data for arrays that the user did not give ----------===//
#ifndef TILE_COMPILER_DRIVER_RUN_RANDOMDATA_H
#define TILE_COMPILER_DRIVER_RUN_RANDOMDATA_H

#include "compiler/Driver/Run/HostTensor.h"

namespace tilec {

/// Fills an array with random elements, the same for the same seed, name and
/// shape on every machine; `name` gives each parameter a stream of its own.
///
///   f16 bf16 f32 f64 tf32 fp8   uniform in [-1, 1), rounded to the type (all
///   32
///                               bits of a tf32 are random)
///   int4 uint4 int8 uint8 fp4   every code equally likely
///   wider integers              -128 .. 127, unsigned 0 .. 255
///   bool                        0 or 1
///   e8m0                        1/4 .. 4
///
/// The padding nibble of an odd packed extent is 0xB: it must not count.
void fillRandom(HostTensor &tensor, uint64_t seed, llvm::StringRef name);

/// Fills an output before a run: 0xFF bytes, NaN in the float types, so that
/// elements which nobody writes show.
void fillUnwritten(HostTensor &tensor);

} // namespace tilec

#endif // TILE_COMPILER_DRIVER_RUN_RANDOMDATA_H
