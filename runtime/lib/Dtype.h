//===-- Dtype.h - Element types --------------------------------*- C++ -*-===//

#ifndef TILERT_LIB_DTYPE_H
#define TILERT_LIB_DTYPE_H

#include "tilert/tilert.h"

#include <optional>
#include <string_view>

namespace tilert::detail {

/// The language's spelling, or "dtype 99" for a number that is no type.
std::string_view nameOf(tilert_dtype dtype);
std::optional<tilert_dtype> findDtype(std::string_view name);

/// Bits of an element in memory, 0 if `dtype` is no type.
int bitsOf(tilert_dtype dtype);
inline bool isFourBit(tilert_dtype dtype) { return bitsOf(dtype) == 4; }
bool isInteger(tilert_dtype dtype);

/// Bytes of a scalar parameter of the type.
inline int bytesOfScalar(tilert_dtype dtype) { return (bitsOf(dtype) + 7) / 8; }

/// The value of an integer or bool scalar; nothing if it exceeds int64.
std::optional<int64_t> toInteger(tilert_scalar scalar);

} // namespace tilert::detail

#endif // TILERT_LIB_DTYPE_H
