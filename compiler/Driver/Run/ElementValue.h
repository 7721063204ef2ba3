//===- ElementValue.h - Elements as numbers and as text -------------------===//
#ifndef TILE_COMPILER_DRIVER_RUN_ELEMENTVALUE_H
#define TILE_COMPILER_DRIVER_RUN_ELEMENTVALUE_H

#include "compiler/Numerics/ElementDecoder.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace tilec {

/// Reads a number as an element: "0.125", "-3", "true", "inf".  None if it is
/// not a number or, for an integer format, not one of its values; floats are
/// rounded as by a cast.
std::optional<uint64_t> parseElement(NumberFormat format, llvm::StringRef text);

/// The value for people, with the fewest digits that tell it from others.
std::string formatElement(NumberFormat format, uint64_t code);

} // namespace tilec

#endif // TILE_COMPILER_DRIVER_RUN_ELEMENTVALUE_H
