//===-- Sha256.h - The hash that ties a manifest to its cubin --*- C++ -*-===//

#ifndef TILERT_LIB_SHA256_H
#define TILERT_LIB_SHA256_H

#include <string>
#include <string_view>

namespace tilert::detail {

/// SHA-256 (FIPS 180-4) as 64 lower-case hex digits.
std::string hashSha256(std::string_view bytes);

} // namespace tilert::detail

#endif // TILERT_LIB_SHA256_H
