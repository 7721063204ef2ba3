//===-- JsonReader.cpp - Reads JSON and says where it is wrong ------------===//

#include "JsonReader.h"
#include "Text.h"

#include <algorithm>

using nlohmann::json;

namespace tilert::detail {
namespace {

const json nullValue;

/// Accepts everything and remembers where and why the parser stopped. The
/// parser that builds documents does not say so unless it may throw.
class ErrorFinder : public nlohmann::json_sax<json> {
public:
  size_t position = 0;
  std::string reason;

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t &) override { return true; }
  bool string(string_t &) override { return true; }
  bool binary(binary_t &) override { return true; }
  bool start_object(size_t) override { return true; }
  bool key(string_t &) override { return true; }
  bool end_object() override { return true; }
  bool start_array(size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(size_t where, const std::string &,
                   const json::exception &error) override {
    position = where;
    // "[json.exception.parse_error.101] parse error at line 1, column 2: why".
    std::string_view text = error.what();
    size_t why = text.find(": ");
    reason = why == text.npos ? text : text.substr(why + 2);
    return false;
  }
};

std::string describeParseError(std::string_view text) {
  ErrorFinder finder;
  (void)json::sax_parse(text, &finder);
  std::string_view before = text.substr(
      0, std::min(text.size(), finder.position ? finder.position - 1 : 0));
  auto line = 1 + std::count(before.begin(), before.end(), '\n');
  size_t lineStart = before.rfind('\n');
  size_t column =
      before.size() - (lineStart == before.npos ? 0 : lineStart + 1) + 1;
  return join("line ", line, ", column ", column, ": ", finder.reason);
}

} // namespace

std::string Place::path() const {
  if (!parent)
    return "";
  std::string text = parent->path();
  return key ? join(text, '/', key) : join(text, '/', index);
}

std::string_view describe(const json &value) {
  switch (value.type()) {
  case json::value_t::null:
    return "null";
  case json::value_t::object:
    return "an object";
  case json::value_t::array:
    return "an array";
  case json::value_t::string:
    return "a string";
  case json::value_t::boolean:
    return "true or false";
  case json::value_t::number_integer:
  case json::value_t::number_unsigned:
    return "an integer";
  case json::value_t::number_float:
    return "a number with a fraction or exponent";
  default:
    return "something else";
  }
}

JsonReader::JsonReader(std::string title, std::string_view text)
    : title(std::move(title)) {
  document = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!document.is_discarded())
    return;
  document = json();
  failure = Status(TILERT_INVALID_MANIFEST,
                   join(this->title, ": ", describeParseError(text)));
}

void JsonReader::fail(const Place &place, std::string_view message) {
  if (hasFailed())
    return;
  std::string path = place.path();
  failure = Status(
      TILERT_INVALID_MANIFEST,
      join(title, ": ", path.empty() ? "the document" : path, ": ", message));
}

Place JsonReader::field(const Place &object, const char *key) {
  Place place{&nullValue, &object, key, 0};
  if (!object.value->is_object()) {
    fail(object, join("expected an object, found ", describe(*object.value)));
    return place;
  }
  auto found = object.value->find(key);
  if (found == object.value->end())
    fail(place, "missing");
  else
    place.value = &*found;
  return place;
}

std::optional<Place> JsonReader::optionalField(const Place &object,
                                               const char *key) {
  if (!object.value->is_object()) {
    fail(object, join("expected an object, found ", describe(*object.value)));
    return std::nullopt;
  }
  auto found = object.value->find(key);
  if (found == object.value->end() || found->is_null())
    return std::nullopt;
  return Place{&*found, &object, key, 0};
}

size_t JsonReader::count(const Place &array) {
  if (array.value->is_array())
    return array.value->size();
  fail(array, join("expected an array, found ", describe(*array.value)));
  return 0;
}

Place JsonReader::element(const Place &array, size_t index) {
  return {&(*array.value)[index], &array, nullptr, index};
}

std::string JsonReader::readString(const Place &place) {
  if (place.value->is_string())
    return *place.value->get_ptr<const std::string *>();
  fail(place, join("expected a string, found ", describe(*place.value)));
  return "";
}

std::string JsonReader::readName(const Place &place) {
  std::string name = readString(place);
  if (name.empty())
    fail(place, "expected a name, found an empty string");
  // The name goes to C interfaces, which would cut it there.
  if (name.find('\0') != name.npos)
    fail(place, "the name holds a zero character");
  return name;
}

bool JsonReader::readBool(const Place &place) {
  if (place.value->is_boolean())
    return place.value->get<bool>();
  fail(place, join("expected true or false, found ", describe(*place.value)));
  return false;
}

int64_t JsonReader::readInteger(const Place &place, int64_t least,
                                int64_t most) {
  const json &value = *place.value;
  if (!value.is_number_integer()) {
    fail(place, join("expected an integer, found ", describe(value)));
    return least;
  }
  bool isTooLarge =
      value.is_number_unsigned() && value.get<uint64_t>() > uint64_t(INT64_MAX);
  int64_t number = isTooLarge ? 0 : value.get<int64_t>();
  if (isTooLarge || number < least || number > most) {
    fail(place, join(value.dump(), " is not from ", least, " to ", most));
    return least;
  }
  return number;
}

} // namespace tilert::detail
