//===- ElementType.h - Element types of the language ----------------------===//
//
// The table of section 3 of the language reference: the types an element of a
// tensor or tile, or a scalar, can have, and what each of them can hold.
//
//===----------------------------------------------------------------------===//
#ifndef TILEC_FRONTEND_ELEMENTTYPE_H
#define TILEC_FRONTEND_ELEMENTTYPE_H

#include "llvm/ADT/StringRef.h"
#include <optional>

namespace llvm {
struct fltSemantics;
} // namespace llvm

namespace tilec {

enum class ElementType : uint8_t {
  Bool,
  Int4,
  Int8,
  Int16,
  Int32,
  Int64,
  UInt4,
  UInt8,
  UInt16,
  UInt32,
  UInt64,
  F16,
  BF16,
  F32,
  F64,
  TF32,
  FP8E4M3,
  FP8E5M2,
  FP4E2M1,
  E8M0,
};

/// The type of this name, if it is one.
std::optional<ElementType> findElementType(llvm::StringRef name);
/// True for names that a later version of the language may use (`int2`).
bool isReservedTypeName(llvm::StringRef name);

llvm::StringRef getName(ElementType type);
/// Bits an element takes in memory; tf32 is stored in 32.
unsigned getBits(ElementType type);

bool isSignedInt(ElementType type);
bool isUnsignedInt(ElementType type);
bool isInt(ElementType type);
bool isFloat(ElementType type);
bool isFP8(ElementType type);
inline bool isNumeric(ElementType type) { return type != ElementType::Bool; }
/// Narrow types are stored, copied and multiplied, but not computed in.
bool isNarrow(ElementType type);

/// The type in which arithmetic on `type` is done.
ElementType getComputeType(ElementType type);
/// The type in which a sum of elements of `type` is returned.
ElementType getSumType(ElementType type);

/// True if every value of `from` is a value of `to` and both are of one kind,
/// so that `from` converts without being asked.  tf32 ignores low bits when it
/// is read, so it holds what its 10 fraction bits hold.
bool convertsImplicitly(ElementType from, ElementType to);
/// True if `to` represents every value of `from`, whatever the kinds: what
/// `copy` allows.
bool holdsEveryValue(ElementType from, ElementType to);

/// Format of a float type; tf32 has that of TF32 values.
const llvm::fltSemantics &getSemantics(ElementType type);

/// Smallest type of `type`'s signedness and `bits` wide.
ElementType getIntType(bool isSigned, unsigned bits);

} // namespace tilec

#endif // TILEC_FRONTEND_ELEMENTTYPE_H
