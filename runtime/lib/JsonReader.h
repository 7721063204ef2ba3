//===-- JsonReader.h - Reads JSON and says where it is wrong ----*- C++ -*-===//
//
// A reader keeps the first failure and answers with harmless values after it,
// so that reading code is a straight list of fields and looks once at the end.
//
//===----------------------------------------------------------------------===//

#ifndef TILERT_LIB_JSONREADER_H
#define TILERT_LIB_JSONREADER_H

#include "Status.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

namespace tilert::detail {

/// A place in a document: a value and how to get there. Its parent must outlive
/// it.
struct Place {
  const nlohmann::json *value = nullptr;
  const Place *parent = nullptr;
  const char *key = nullptr;
  size_t index = 0;

  /// A JSON pointer, as "/kernels/0/name".
  std::string path() const;
};

class JsonReader {
public:
  /// Parses `text`; failures begin with `title`.
  JsonReader(std::string title, std::string_view text);

  Place root() const { return {&document, nullptr, nullptr, 0}; }
  bool hasFailed() const { return !failure.isOk(); }
  Status takeFailure() { return std::move(failure); }
  void fail(const Place &place, std::string_view message);

  /// A member that must be there.
  Place field(const Place &object, const char *key);
  /// A member, or nothing if it is missing or null.
  std::optional<Place> optionalField(const Place &object, const char *key);

  /// The elements of an array.
  size_t count(const Place &array);
  Place element(const Place &array, size_t index);

  std::string readString(const Place &place);
  /// A string with at least one character.
  std::string readName(const Place &place);
  bool readBool(const Place &place);
  /// An integer from `least` to `most`.
  int64_t readInteger(const Place &place, int64_t least = INT64_MIN,
                      int64_t most = INT64_MAX);

private:
  std::string title;
  nlohmann::json document;
  Status failure;
};

/// What a message calls the value, as "an array".
std::string_view describe(const nlohmann::json &value);

} // namespace tilert::detail

#endif // TILERT_LIB_JSONREADER_H
