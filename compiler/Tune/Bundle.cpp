//===-- Bundle.cpp - Candidates, ready to be measured ---------------------===//

#include "compiler/Tune/Bundle.h"
#include "compiler/Numerics/NumberFormat.h"
#include "compiler/Tune/WholeFile.h"
#include "runtime/lib/Text.h"

using tilert::detail::join;
using tilert::detail::JsonReader;
using tilert::detail::Place;

namespace tilec::tune {

static constexpr const char *formatName = "tile-tune-bundle";
static constexpr int64_t formatVersion = 1;

std::string Candidate::describe() const {
  std::string text;
  for (const Values *values : {&definitions, &settings})
    for (const auto &[name, value] : *values)
      text += join(text.empty() ? "" : ", ", name, " = ", value);
  return text.empty() ? "the default" : text;
}

std::string getIndexPath(const std::string &folder) {
  return folder + "/index.json";
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static Json describe(const BundleArgument &argument) {
  Json json = {{"name", argument.name},
               {"dtype", argument.dtype},
               {"access", argument.access}};
  if (!argument.isTensor()) {
    json["bits"] = argument.scalar;
    return json;
  }
  json["sizes"] = argument.sizes;
  json["pack"] = argument.pack;
  // As text: numbers of 64 bits are not safe in JSON.
  json["stream"] = std::to_string(argument.stream);
  return json;
}

static Json describe(const Reference &reference) {
  Json ranges = Json::array();
  for (const ElementRange &range : reference.ranges)
    ranges.push_back({range.first, range.count});
  return {{"argument", reference.argument},
          {"file", reference.file},
          {"tolerance", reference.tolerance},
          {"ranges", std::move(ranges)}};
}

static Json describe(const Candidate &candidate) {
  Json json = {
      {"name", candidate.name},         {"definitions", candidate.definitions},
      {"settings", candidate.settings}, {"config", candidate.config},
      {"manifest", candidate.manifest}, {"estimate_us", candidate.estimate}};
  if (!candidate.code.empty())
    json["code"] = candidate.code;
  return json;
}

template <typename T> static Json describeAll(const std::vector<T> &list) {
  Json json = Json::array();
  for (const T &one : list)
    json.push_back(describe(one));
  return json;
}

static Json describe(const Refusal &refusal) {
  return {{"reason", refusal.reason},
          {"count", refusal.count},
          {"example", refusal.example}};
}

std::string writeBundleIndex(const std::string &folder, const Bundle &bundle) {
  Json index = {{"format", formatName},
                {"version", formatVersion},
                {"device", bundle.isForEmulator ? "emulator" : "cuda"},
                {"tune_file", bundle.tuneFile},
                {"key", describeKey(bundle.key)},
                {"seed", std::to_string(bundle.seed)},
                {"flushes_cache", bundle.flushesCache},
                {"launch_sizes", bundle.sizes},
                {"arguments", describeAll(bundle.arguments)},
                {"references", describeAll(bundle.references)},
                {"candidates", describeAll(bundle.candidates)},
                {"refused", describeAll(bundle.refusals)}};
  return writeWholeFile(
      getIndexPath(folder),
      index.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {

class BundleReader {
public:
  BundleReader(const std::string &path, const std::string &text)
      : json(join('\'', path, '\''), text) {}

  std::string read(Bundle &bundle);

private:
  template <typename Visit> void forEach(const Place &array, Visit visit) {
    for (size_t i = 0, count = json.count(array); i < count; ++i)
      visit(json.element(array, i));
  }

  /// The name of a file in the folder.
  std::string readFileName(const Place &place) {
    std::string name = json.readName(place);
    if (name.find('/') != name.npos)
      json.fail(place, "expected the name of a file beside this one");
    return name;
  }

  uint64_t readWide(const Place &place) {
    std::string text = json.readName(place);
    uint64_t number = 0;
    for (char digit : text) {
      if (digit < '0' || digit > '9')
        json.fail(place, "expected digits");
      number = number * 10 + uint64_t(digit - '0');
    }
    return number;
  }

  double readNumber(const Place &place) {
    if (place.value->is_number())
      return place.value->get<double>();
    json.fail(place, "expected a number");
    return 0;
  }

  BundleArgument readArgument(const Place &place);
  Reference readReference(const Place &place);
  Candidate readCandidate(const Place &place);

  JsonReader json;
};

} // namespace

BundleArgument BundleReader::readArgument(const Place &place) {
  BundleArgument argument;
  argument.name = json.readName(json.field(place, "name"));
  argument.dtype = json.readName(json.field(place, "dtype"));
  if (!json.hasFailed() && !findNumberFormat(argument.dtype))
    json.fail(json.field(place, "dtype"), "expected an element type");
  argument.access = json.readName(json.field(place, "access"));
  if (!argument.isTensor()) {
    Place bits = json.field(place, "bits");
    if (bits.value->is_number_unsigned())
      argument.scalar = bits.value->get<uint64_t>();
    else
      json.fail(bits, "expected a whole number");
    return argument;
  }
  Place sizes = json.field(place, "sizes");
  forEach(sizes, [&](const Place &size) {
    argument.sizes.push_back(json.readInteger(size, 0));
  });
  int64_t rank = int64_t(argument.sizes.size());
  argument.pack = json.readInteger(json.field(place, "pack"), -1, rank - 1);
  argument.stream = readWide(json.field(place, "stream"));
  return argument;
}

Reference BundleReader::readReference(const Place &place) {
  Reference reference;
  reference.argument = json.readName(json.field(place, "argument"));
  reference.file = readFileName(json.field(place, "file"));
  reference.tolerance = readNumber(json.field(place, "tolerance"));
  Place ranges = json.field(place, "ranges");
  forEach(ranges, [&](const Place &range) {
    if (json.count(range) != 2)
      return json.fail(range, "expected [first, count]");
    reference.ranges.push_back({json.readInteger(json.element(range, 0), 0),
                                json.readInteger(json.element(range, 1), 1)});
  });
  return reference;
}

Candidate BundleReader::readCandidate(const Place &place) {
  Candidate candidate;
  candidate.name = json.readName(json.field(place, "name"));
  candidate.definitions = readValues(json, json.field(place, "definitions"));
  candidate.settings = readValues(json, json.field(place, "settings"));
  candidate.config = readValues(json, json.field(place, "config"));
  candidate.manifest = readFileName(json.field(place, "manifest"));
  candidate.estimate = readNumber(json.field(place, "estimate_us"));
  if (std::optional<Place> code = json.optionalField(place, "code"))
    candidate.code = readFileName(*code);
  return candidate;
}

std::string BundleReader::read(Bundle &bundle) {
  Place root = json.root();
  Place format = json.field(root, "format");
  if (json.readString(format) != formatName && !json.hasFailed())
    json.fail(format, join("expected \"", formatName, '"'));
  (void)json.readInteger(json.field(root, "version"), formatVersion,
                         formatVersion);
  bundle.isForEmulator =
      json.readName(json.field(root, "device")) == emulatorName;
  bundle.tuneFile = readFileName(json.field(root, "tune_file"));
  bundle.key = readKey(json, json.field(root, "key"));
  bundle.seed = readWide(json.field(root, "seed"));
  bundle.flushesCache = json.readBool(json.field(root, "flushes_cache"));
  Place sizes = json.field(root, "launch_sizes");
  if (sizes.value->is_object())
    for (const auto &[name, value] : sizes.value->items())
      bundle.sizes[name] =
          json.readInteger({&value, &sizes, name.c_str(), 0}, 0);
  Place arguments = json.field(root, "arguments");
  forEach(arguments, [&](const Place &one) {
    bundle.arguments.push_back(readArgument(one));
  });
  Place references = json.field(root, "references");
  forEach(references, [&](const Place &one) {
    bundle.references.push_back(readReference(one));
  });
  Place candidates = json.field(root, "candidates");
  forEach(candidates, [&](const Place &one) {
    bundle.candidates.push_back(readCandidate(one));
  });
  Place refused = json.field(root, "refused");
  forEach(refused, [&](const Place &one) {
    bundle.refusals.push_back({json.readName(json.field(one, "reason")),
                               json.readInteger(json.field(one, "count")),
                               json.readString(json.field(one, "example"))});
  });
  return json.hasFailed() ? json.takeFailure().message() : "";
}

std::string readBundleIndex(const std::string &folder, Bundle &bundle) {
  bundle = {};
  std::string path = getIndexPath(folder), text;
  bool isThere = false;
  if (std::string error = readWholeFile(path, text, isThere); !error.empty())
    return error;
  if (!isThere)
    return join('\'', folder, "' holds no candidates: there is no '", path,
                '\'');
  return BundleReader(path, text).read(bundle);
}

} // namespace tilec::tune
