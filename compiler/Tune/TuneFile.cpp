//===-- TuneFile.cpp - What tuning found, for later compilations ----------===//

#include "compiler/Tune/TuneFile.h"
#include "compiler/Tune/WholeFile.h"
#include "runtime/lib/Text.h"

using tilert::detail::join;
using tilert::detail::JsonReader;
using tilert::detail::Place;

namespace tilec::tune {

static constexpr const char *formatName = "tile-tune";
static constexpr int64_t formatVersion = 1;

SizeClass classOf(int64_t size) {
  if (size <= 1)
    return {size, size};
  int64_t most = 2;
  while (most < size && most <= INT64_MAX / 2)
    most *= 2;
  return {most / 2 + 1, most < size ? INT64_MAX : most};
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Calls visit(name, place) for each member of an object.
template <typename Visit>
static void forEachMember(JsonReader &json, const Place &object, Visit visit) {
  if (!object.value->is_object())
    return json.fail(object, "expected an object");
  for (const auto &[name, value] : object.value->items())
    visit(name, Place{&value, &object, name.c_str(), 0});
}

Values readValues(JsonReader &json, const Place &object) {
  Values values;
  forEachMember(json, object, [&](const std::string &name, const Place &place) {
    values[name] = json.readString(place);
  });
  return values;
}

TuneKey readKey(JsonReader &json, const Place &place) {
  TuneKey key;
  key.kernel = json.readName(json.field(place, "kernel"));
  key.hash = json.readName(json.field(place, "hash"));
  key.target = json.readName(json.field(place, "target"));
  key.gpu = json.readString(json.field(place, "gpu"));
  key.compiler = json.readName(json.field(place, "compiler"));
  key.assembler = json.readString(json.field(place, "ptxas"));
  Place sizes = json.field(place, "sizes");
  forEachMember(json, sizes, [&](const std::string &name, const Place &size) {
    key.fixedSizes[name] = json.readInteger(size, 0);
  });
  Place classes = json.field(place, "size_classes");
  forEachMember(json, classes, [&](const std::string &name, const Place &one) {
    if (json.count(one) != 2)
      return json.fail(one, "expected [least, most]");
    key.sizeClasses[name] = {json.readInteger(json.element(one, 0), 0),
                             json.readInteger(json.element(one, 1), 0)};
  });
  Place given = json.field(place, "given");
  key.givenDefinitions = readValues(json, json.field(given, "definitions"));
  key.givenSettings = readValues(json, json.field(given, "settings"));
  return key;
}

static TuneEntry readEntry(JsonReader &json, const Place &place) {
  TuneEntry entry;
  entry.key = readKey(json, json.field(place, "key"));
  entry.definitions = readValues(json, json.field(place, "definitions"));
  entry.settings = readValues(json, json.field(place, "settings"));
  entry.config = readValues(json, json.field(place, "config"));
  if (std::optional<Place> measured = json.optionalField(place, "measured"))
    entry.measured = *measured->value;
  return entry;
}

static std::string parseEntries(const std::string &path,
                                const std::string &text,
                                std::vector<TuneEntry> &entries) {
  JsonReader json(join('\'', path, '\''), text);
  Place root = json.root();
  if (json.readString(json.field(root, "format")) != formatName &&
      !json.hasFailed())
    json.fail(json.field(root, "format"), join("expected \"", formatName, '"'));
  (void)json.readInteger(json.field(root, "version"), formatVersion,
                         formatVersion);
  Place list = json.field(root, "entries");
  for (size_t i = 0, count = json.count(list); i < count; ++i)
    entries.push_back(readEntry(json, json.element(list, i)));
  if (json.hasFailed())
    return json.takeFailure().message();
  return "";
}

std::string readTuneFile(const std::string &path,
                         std::vector<TuneEntry> &entries) {
  entries.clear();
  std::string text;
  bool isThere = false;
  std::string error = readWholeFile(path, text, isThere);
  if (!error.empty() || !isThere)
    return error;
  return parseEntries(path, text, entries);
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

Json describeKey(const TuneKey &key) {
  Json classes = Json::object();
  for (const auto &[name, range] : key.sizeClasses)
    classes[name] = {range.least, range.most};
  return {{"kernel", key.kernel},
          {"hash", key.hash},
          {"target", key.target},
          {"gpu", key.gpu},
          {"compiler", key.compiler},
          {"ptxas", key.assembler},
          {"sizes", key.fixedSizes},
          {"size_classes", classes},
          {"given",
           {{"definitions", key.givenDefinitions},
            {"settings", key.givenSettings}}}};
}

static std::string printEntries(const std::vector<TuneEntry> &entries) {
  Json list = Json::array();
  for (const TuneEntry &entry : entries)
    list.push_back({{"key", describeKey(entry.key)},
                    {"definitions", entry.definitions},
                    {"settings", entry.settings},
                    {"config", entry.config},
                    {"measured", entry.measured}});
  Json file = {{"format", formatName},
               {"version", formatVersion},
               {"entries", std::move(list)}};
  return file.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// Whether `old` says nothing any more once there is `key`.
static bool isReplaced(const TuneKey &old, const TuneKey &key) {
  if (old.kernel != key.kernel || old.target != key.target ||
      old.gpu != key.gpu)
    return false;
  return old == key || old.hash != key.hash || old.compiler != key.compiler ||
         old.assembler != key.assembler;
}

std::string addToTuneFile(const std::string &path, const TuneEntry &entry) {
  FolderLock lock(path);
  std::vector<TuneEntry> entries;
  if (std::string error = readTuneFile(path, entries); !error.empty())
    return error;
  std::erase_if(entries, [&](const TuneEntry &old) {
    return isReplaced(old.key, entry.key);
  });
  entries.push_back(entry);
  return writeWholeFile(path, printEntries(entries));
}

//===----------------------------------------------------------------------===//
// Looking up
//===----------------------------------------------------------------------===//

/// Why an entry for this very text is not for the compilation; empty if it is.
static std::string describeDifference(const TuneEntry &entry,
                                      const Wanted &wanted) {
  const TuneKey &key = entry.key;
  if (key.fixedSizes != wanted.fixedSizes)
    return "it was tuned for other sizes";
  for (const auto &[name, range] : key.sizeClasses)
    if (auto size = wanted.launchSizes.find(name);
        size != wanted.launchSizes.end() && !range.contains(size->second))
      return "it was tuned for other sizes";
  // A value that the user gives is the user's; the others were not measured
  // with it.
  auto compare = [](const char *option, const Values &given,
                    const Values &explicitly,
                    const Values &found) -> std::string {
    for (const auto &[name, value] : given)
      if (auto same = explicitly.find(name);
          same == explicitly.end() || same->second != value)
        return join("it was tuned with ", option, ' ', name, '=', value);
    for (const auto &[name, value] : explicitly) {
      auto tuned = found.find(name);
      bool isGiven = given.count(name) != 0;
      if (!isGiven && (tuned == found.end() || tuned->second != value))
        return join(option, ' ', name, '=', value, " is given");
    }
    return "";
  };
  std::string difference =
      compare("-D", key.givenDefinitions, wanted.definitions, entry.config);
  return difference.empty() ? compare("--set", key.givenSettings,
                                      wanted.settings, entry.settings)
                            : difference;
}

/// Why an entry is of another time; empty if it is not.
static std::string describeAge(const TuneKey &key, const Wanted &wanted) {
  if (key.hash != wanted.hash)
    return "it was tuned for another text of the kernel";
  if (key.compiler != wanted.compiler)
    return join("it was tuned with ", key.compiler);
  if (!wanted.assembler.empty() && !key.assembler.empty() &&
      key.assembler != wanted.assembler)
    return join("it was tuned with ptxas ", key.assembler);
  return "";
}

/// How much the user had fixed: an entry for that is the better match.
static size_t countGiven(const TuneEntry &entry) {
  return entry.key.givenDefinitions.size() + entry.key.givenSettings.size();
}

Match findEntry(const std::vector<TuneEntry> &entries, const Wanted &wanted) {
  Match match;
  bool isOneOfMany = false;
  for (const TuneEntry &entry : entries) {
    const TuneKey &key = entry.key;
    bool isForGpu =
        wanted.gpu.empty() ? key.gpu != emulatorName : key.gpu == wanted.gpu;
    if (key.kernel != wanted.kernel || key.target != wanted.target || !isForGpu)
      continue;
    std::string age = describeAge(key, wanted);
    std::string reason = age.empty() ? describeDifference(entry, wanted) : age;
    if (!reason.empty()) {
      if (match.reason.empty()) {
        match.reason = reason;
        match.isStale = !age.empty();
      }
    } else if (!match.entry || countGiven(entry) > countGiven(*match.entry)) {
      match.entry = &entry;
      isOneOfMany = false;
    } else if (countGiven(entry) == countGiven(*match.entry)) {
      isOneOfMany = true;
    }
  }
  // Nothing tells two GPUs or two classes of sizes apart.
  if (isOneOfMany)
    return {nullptr,
            "several entries fit: they are for several GPUs, or for sizes "
            "that --size does not give",
            false};
  if (match.entry)
    return {match.entry, "", false};
  return match;
}

} // namespace tilec::tune
