//===-- Dtype.cpp - Element types -----------------------------------------===//

#include "Dtype.h"

#include <cstring>

namespace tilert::detail {
namespace {

enum class Class { Boolean, Signed, Unsigned, Float };

struct Entry {
  const char *name;
  int bits;
  Class kind;
};

// In the order of tilert_dtype.
constexpr Entry entries[] = {
    {"bool", 8, Class::Boolean},     {"int4", 4, Class::Signed},
    {"uint4", 4, Class::Unsigned},   {"int8", 8, Class::Signed},
    {"uint8", 8, Class::Unsigned},   {"int16", 16, Class::Signed},
    {"uint16", 16, Class::Unsigned}, {"int32", 32, Class::Signed},
    {"uint32", 32, Class::Unsigned}, {"int64", 64, Class::Signed},
    {"uint64", 64, Class::Unsigned}, {"f16", 16, Class::Float},
    {"bf16", 16, Class::Float},      {"tf32", 32, Class::Float},
    {"f32", 32, Class::Float},       {"f64", 64, Class::Float},
    {"fp8_e4m3", 8, Class::Float},   {"fp8_e5m2", 8, Class::Float},
    {"fp4_e2m1", 4, Class::Float},   {"e8m0", 8, Class::Float},
};
constexpr int entryCount = sizeof entries / sizeof entries[0];
static_assert(entryCount == TILERT_E8M0 + 1);

const Entry *findEntry(tilert_dtype dtype) {
  int number = static_cast<int>(dtype);
  return number >= 0 && number < entryCount ? &entries[number] : nullptr;
}

} // namespace

std::string_view nameOf(tilert_dtype dtype) {
  const Entry *entry = findEntry(dtype);
  return entry ? entry->name : "a number that is no dtype";
}

std::optional<tilert_dtype> findDtype(std::string_view name) {
  for (int i = 0; i < entryCount; ++i)
    if (name == entries[i].name)
      return static_cast<tilert_dtype>(i);
  return std::nullopt;
}

int bitsOf(tilert_dtype dtype) {
  const Entry *entry = findEntry(dtype);
  return entry ? entry->bits : 0;
}

bool isInteger(tilert_dtype dtype) {
  const Entry *entry = findEntry(dtype);
  return entry && entry->kind != Class::Float;
}

std::optional<int64_t> toInteger(tilert_scalar scalar) {
  const Entry *entry = findEntry(scalar.dtype);
  if (!entry)
    return std::nullopt;
  int unusedBits = 64 - entry->bits;
  uint64_t high = scalar.bits << unusedBits;
  switch (entry->kind) {
  case Class::Boolean:
    return high != 0;
  case Class::Signed:
    return static_cast<int64_t>(high) >> unusedBits;
  case Class::Unsigned:
    if (uint64_t value = high >> unusedBits; value <= INT64_MAX)
      return static_cast<int64_t>(value);
    return std::nullopt;
  case Class::Float:
    break;
  }
  return std::nullopt;
}

} // namespace tilert::detail

using namespace tilert::detail;

const char *tilert_dtype_name(tilert_dtype dtype) {
  const Entry *entry = findEntry(dtype);
  return entry ? entry->name : nullptr;
}

int tilert_dtype_from_name(const char *name, tilert_dtype *dtype) {
  std::optional<tilert_dtype> found;
  if (name)
    found = findDtype(name);
  if (found && dtype)
    *dtype = *found;
  return found.has_value();
}

int tilert_dtype_bits(tilert_dtype dtype) { return bitsOf(dtype); }
