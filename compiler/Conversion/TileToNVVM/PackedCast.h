//===- PackedCast.h - Conversion of packed registers ----------------------===//
//
// Casts of whole words of narrow elements, several at a time: what stands
// between a narrow operand and the instruction that multiplies it.  The recipes
// are exact, NaN and infinity included.  PackedCast.cpp lists them with their
// costs.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_CONVERSION_TILETONVVM_PACKEDCAST_H
#define TILE_COMPILER_CONVERSION_TILETONVVM_PACKEDCAST_H

#include "compiler/Conversion/TileToNVVM/ElementCast.h"
#include "compiler/Conversion/TileToNVVM/PackedSource.h"

namespace mlir::tile {

// PackedCast.cpp
/// The result of a cast, if there is a recipe for it and the fragments are
/// packed.
std::optional<FragmentValue> emitPackedCast(KernelEmitter &emitter,
                                            const ElementCast &cast,
                                            const FragmentValue &value,
                                            const CastSource &source);
/// (word & mask) ^ flipped in one instruction: LLVM would make two, and ptxas
/// does not join them again.
Value maskAndFlip(KernelEmitter &emitter, Value word, int64_t mask,
                  int64_t flipped);
/// x * factor + addend on the two 16-bit floats of a word; `type` is theirs.
/// The packed fma exists on every target, the packed sum and product do not.
Value fusePair(KernelEmitter &emitter, Type type, Value word, double factor,
               Value addend);
/// a * b + c and a * b on such pairs.
Value fusePairs(KernelEmitter &emitter, Type type, Value a, Value b, Value c);
Value multiplyPairs(KernelEmitter &emitter, Type type, Value a, Value b);
/// Two of the same number in a word.
Value splatPair(KernelEmitter &emitter, Type type, double value);

// NibbleCast.cpp: elements of 4 bits.
/// A byte for each code of a nibble.
using ByteTable = std::array<uint8_t, 16>;
/// Words of pairs of 16 bits: the bytes of a table, and `highByte` above each.
SmallVector<Value> lookUpPairs(KernelEmitter &emitter, const ByteTable &table,
                               uint8_t highByte, PackedSource &source);
/// Words of 16-bit floats.
SmallVector<Value> castNibblesToHalves(KernelEmitter &emitter, Type from,
                                       bool isUnsigned, Type to,
                                       PackedSource &source);
/// Two integers, in the low bits of the halves of a word, above a power of two:
/// 16-bit floats that are too large by the bias.
Value biasNibblePair(KernelEmitter &emitter, Value pair, bool isUnsigned,
                     Type to);
double getNibbleBias(Type to, bool isUnsigned);
/// Words of bf16 from integers, times 2 to the power that the cast has.
SmallVector<Value> castNibblesToScaled(KernelEmitter &emitter,
                                       const ElementCast &cast,
                                       PackedSource &source);
/// Words of bytes: integers, which may be times 2^4, or 8-bit floats.
SmallVector<Value> castNibblesToBytes(KernelEmitter &emitter,
                                      const ElementCast &cast,
                                      PackedSource &source);

// NibbleDifference.cpp
/// The difference of two conversions of nibbles, or of one and a constant; none
/// if the op is another, or not packed.
std::optional<FragmentValue> emitNibbleDifference(KernelEmitter &emitter,
                                                  arith::SubFOp op);

// FloatNibbles.cpp
/// The 4-bit floats in nibbles `nibble` and `nibble + 4` of a word as a pair of
/// bf16, times 2^-126.
Value spreadFloatNibbles(KernelEmitter &emitter, Value word, int nibble);
/// The product of a conversion of 4-bit floats to bf16 and one of scales that
/// are powers of two; none if the op is another, or not packed.
std::optional<FragmentValue> emitScaledFloatNibbles(KernelEmitter &emitter,
                                                    arith::MulFOp op);

// ByteCast.cpp: elements of 8 bits.
/// Words of 16-bit floats.
SmallVector<Value> castBytesToHalves(KernelEmitter &emitter, Type from,
                                     bool isUnsigned, Type to,
                                     PackedSource &source);
/// Words of 8-bit floats from elements of f32, f16 or bf16; empty if the target
/// has no instruction for it.
SmallVector<Value> castToByteFloats(KernelEmitter &emitter, Type to,
                                    ArrayRef<Value> elements);

} // namespace mlir::tile

#endif // TILE_COMPILER_CONVERSION_TILETONVVM_PACKEDCAST_H
