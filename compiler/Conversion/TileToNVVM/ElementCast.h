//===- ElementCast.h - Conversion of one number in registers --------------===//
//
// The casts of docs/language.md section 10 on one element, for every pair of
// element types: integer operations and f32 arithmetic that every target has.
// Each rounds once.  Packed registers are converted by PackedCast.h where that
// is faster.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_CONVERSION_TILETONVVM_ELEMENTCAST_H
#define TILE_COMPILER_CONVERSION_TILETONVVM_ELEMENTCAST_H

#include "compiler/Conversion/TileToNVVM/KernelEmitter.h"

namespace mlir::tile {

/// What a cast converts, and how.
struct ElementCast {
  explicit ElementCast(CastOp op);

  Type from, to;
  bool sourceUnsigned, resultUnsigned;
  /// Options of the cast; at most one is set.
  bool saturates = false, overflows = false, roundsUp = false;
  /// Of two, by which the results are multiplied (CastExponent.h).
  int exponent = 0;
};

/// The result, in the register type of `cast.to`, for a source in that of
/// `cast.from`.
Value emitElementCast(KernelEmitter &emitter, const ElementCast &cast,
                      Value source);

// IntegerCast.cpp
/// Integers that keep their low bits, or the nearest value under `saturates`.
Value castIntegers(KernelEmitter &emitter, const ElementCast &cast,
                   Value source);
/// The integer nearest to zero from a float of LLVM's own, saturated; NaN
/// gives 0.
Value castFloatToInteger(KernelEmitter &emitter, Value source, Type to,
                         bool isUnsigned);
/// An integer as the nearest f16, bf16, f32 or f64.
Value castIntegerToFloat(KernelEmitter &emitter, Value source, Type to,
                         bool isUnsigned);
/// An integer or f64 as an f32 that rounds further as the number itself would:
/// what does not fit sets the last bit (round to odd).
Value roundToOdd(KernelEmitter &emitter, Value source, bool isUnsigned);

// NarrowFloatCast.cpp
/// Whether the type is a float that LLVM does not have.
bool isNarrowFloat(Type type);
/// The number of a narrow float as f32, exactly.
Value decodeNarrowFloat(KernelEmitter &emitter, Value code, Type from);
/// The code nearest to an f32.
Value encodeNarrowFloat(KernelEmitter &emitter, const ElementCast &cast,
                        Value number);

} // namespace mlir::tile

#endif // TILE_COMPILER_CONVERSION_TILETONVVM_ELEMENTCAST_H
