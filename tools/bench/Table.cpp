//===-- Table.cpp - What tile-bench is to measure -------------------------===//

#include "tools/bench/Table.h"
#include "compiler/Gpu/Device.h"
#include "runtime/lib/JsonReader.h"
#include "runtime/lib/Text.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <initializer_list>
#include <set>
#include <sstream>
#include <stdexcept>

using tilert::detail::join;
using tilert::detail::JsonReader;
using tilert::detail::Place;

namespace tilebench {
namespace {

constexpr int64_t largestExtent = 1 << 20;

class TableReader {
public:
  TableReader(const std::string &title, std::string_view text)
      : json(title, text) {}

  Table read() {
    Place root = json.root();
    expectMembers(root, {"description", "artifacts", "rows"});
    readArtifacts(json.field(root, "artifacts"));
    Place rows = json.field(root, "rows");
    for (size_t i = 0, count = json.count(rows); i < count; ++i)
      readRow(json.element(rows, i));
    tilec::gpu::require(json.takeFailure());
    return std::move(table);
  }

private:
  void expectMembers(const Place &object,
                     std::initializer_list<std::string_view> known) {
    if (!object.value->is_object())
      return json.fail(object, "expected an object");
    for (const auto &[key, value] : object.value->items())
      if (std::find(known.begin(), known.end(), key) == known.end())
        json.fail(object, join("there is no member '", key, "' here"));
  }

  void readArtifacts(const Place &artifacts) {
    if (!artifacts.value->is_object())
      return json.fail(artifacts, "expected an object");
    for (const auto &[name, value] : artifacts.value->items()) {
      Place artifact = json.field(artifacts, name.c_str());
      expectMembers(artifact, {"source", "define", "set"});
      (void)json.readName(json.field(artifact, "source"));
      table.artifacts.push_back(name);
    }
  }

  tilec::NumberFormat readFormat(const Place &place) {
    std::string name = json.readName(place);
    std::optional<tilec::NumberFormat> format = tilec::findNumberFormat(name);
    bool isUsable = format && !tilec::isPacked(*format);
    if (!isUsable && !json.hasFailed())
      json.fail(place, join("'", name,
                            "' is no element type that this program knows"));
    return isUsable ? *format : tilec::NumberFormat::BF16;
  }

  Shape readShape(const Place &place) {
    if (json.count(place) != 3) {
      json.fail(place, "expected [M, N, K]");
      return {1, 1, 1};
    }
    return {json.readInteger(json.element(place, 0), 1, largestExtent),
            json.readInteger(json.element(place, 1), 1, largestExtent),
            json.readInteger(json.element(place, 2), 1, largestExtent)};
  }

  std::vector<Shape> readShapes(const Place &place) {
    std::vector<Shape> shapes;
    for (size_t i = 0, count = json.count(place); i < count; ++i)
      shapes.push_back(readShape(json.element(place, i)));
    return shapes;
  }

  /// One of the words given, by its number.
  size_t readWord(const Place &place,
                  std::initializer_list<const char *> words) {
    std::string found = json.readString(place), list;
    for (size_t i = 0; i < words.size(); ++i) {
      if (found == words.begin()[i])
        return i;
      list += join(i ? ", " : "", "'", words.begin()[i], "'");
    }
    json.fail(place, join("'", found, "' is none of ", list));
    return 0;
  }

  double readRatio(const Place &object, const char *key) {
    std::optional<Place> place = json.optionalField(object, key);
    if (!place)
      return 0;
    if (!place->value->is_number() || place->value->get<double>() <= 0) {
      json.fail(*place, "expected a ratio, a number above 0");
      return 0;
    }
    return place->value->get<double>();
  }

  Work readWork(const Place &row) {
    Work work;
    work.a = readFormat(json.field(row, "a"));
    work.b = readFormat(json.field(row, "b"));
    work.c = readFormat(json.field(row, "c"));
    size_t layout =
        readWord(json.field(row, "layout"), {"NN", "NT", "TN", "TT"});
    work.isATransposed = layout & 2;
    work.isBTransposed = layout & 1;
    if (auto scales = json.optionalField(row, "scales"))
      work.scales = Scales(readWord(*scales, {"none", "tensor", "block128"}));
    if (auto fast = json.optionalField(row, "fast_accum"))
      work.isFastAccumulation = json.readBool(*fast);
    if (tilec::isFloat(work.a) != tilec::isFloat(work.b) ||
        tilec::isFloat(work.a) != tilec::isFloat(work.c))
      json.fail(row, "a, b and c must all be floats or all be integers");
    return work;
  }

  void readRow(const Place &place) {
    expectMembers(place,
                  {"name", "a", "b", "c", "layout", "scales", "fast_accum",
                   "shapes", "checks", "kernels", "required", "flush_l2"});
    Row row;
    std::string name = json.readName(json.field(place, "name"));
    row.work = readWork(place);
    if (auto checks = json.optionalField(place, "checks"))
      row.checks = readShapes(*checks);
    if (auto flush = json.optionalField(place, "flush_l2"))
      row.flushesCache = json.readBool(*flush);
    if (auto required = json.optionalField(place, "required")) {
      expectMembers(*required, {"both", "best"});
      row.required = {readRatio(*required, "both"),
                      readRatio(*required, "best")};
    }
    Place kernels = json.field(place, "kernels");
    for (size_t i = 0, count = json.count(kernels); i < count; ++i) {
      Place kernel = json.element(kernels, i);
      row.kernels.push_back(json.readName(kernel));
      const auto &known = table.artifacts;
      if (std::find(known.begin(), known.end(), row.kernels.back()) ==
          known.end())
        json.fail(kernel,
                  join("there is no artifact '", row.kernels.back(), "'"));
    }
    for (const Shape &shape : readShapes(json.field(place, "shapes"))) {
      row.shape = shape;
      row.name = join(name, ' ', shape.text());
      if (!names.insert(row.name).second)
        json.fail(place, join("a second row '", row.name, "'"));
      table.rows.push_back(row);
    }
  }

  JsonReader json;
  Table table;
  std::set<std::string> names;
};

} // namespace

std::string Shape::text() const { return join(m, 'x', n, 'x', k); }

Table parseTable(const std::string &title, std::string_view text) {
  return TableReader(title, text).read();
}

std::string readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf()))
    throw std::runtime_error(
        join("cannot read ", path, ": ", std::strerror(errno)));
  return text.str();
}

} // namespace tilebench
