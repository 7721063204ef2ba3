//===-- TuneFile.h - What tuning found, for later compilations -*- C++ -*-===//
//
// gemm.tune.json lies beside gemm.tile.  An entry says which values of config
// constants and which decisions were the fastest for one kernel text, on one
// GPU, for one set of sizes, compiled by one compiler; docs/tuning.md describes
// the file.  No LLVM here, since the program that measures has none.
//
// No function throws: errors are texts, empty for success.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_COMPILER_TUNE_TUNEFILE_H
#define TILE_COMPILER_TUNE_TUNEFILE_H

#include "runtime/lib/JsonReader.h"

#include <map>
#include <string>
#include <vector>

namespace tilec::tune {

using Json = nlohmann::ordered_json;
/// NAME=VALUE, as -D and --set take them.
using Values = std::map<std::string, std::string>;

/// What stands for a GPU where the emulator has measured.
inline constexpr const char *emulatorName = "emulator";

/// Sizes that share an entry: the powers of two are the greatest of theirs.
struct SizeClass {
  int64_t least = 0, most = 0;

  bool contains(int64_t size) const { return least <= size && size <= most; }
  bool operator==(const SizeClass &) const = default;
};
SizeClass classOf(int64_t size);

/// What an entry is for.
struct TuneKey {
  std::string kernel;
  /// Of the kernel's text after imports, without comments.
  std::string hash;
  std::string target;
  std::string gpu;
  /// "tilec 0.1.0"
  std::string compiler;
  /// The version of ptxas; empty where none was used.
  std::string assembler;
  /// Sizes that the kernel was compiled for, with -D.
  std::map<std::string, int64_t> fixedSizes;
  /// The classes of those bound at launch.
  std::map<std::string, SizeClass> sizeClasses;
  /// Config constants and decisions that the user fixed.
  Values givenDefinitions, givenSettings;

  bool operator==(const TuneKey &) const = default;
};

struct TuneEntry {
  TuneKey key;
  /// What was found, without what was given.
  Values definitions, settings;
  /// All config constants with their values then.
  Values config;
  /// Times and the like, for people.
  Json measured = Json::object();
};

Json describeKey(const TuneKey &key);
TuneKey readKey(tilert::detail::JsonReader &json,
                const tilert::detail::Place &place);
Values readValues(tilert::detail::JsonReader &json,
                  const tilert::detail::Place &object);

/// Reads a file; one that is not there has no entries.
std::string readTuneFile(const std::string &path,
                         std::vector<TuneEntry> &entries);

/// Puts an entry into the file, in the place of one with the same key and of
/// those for other texts of the same kernel.  Others that do the same at the
/// same time wait for each other, and who reads sees all of it or nothing.
std::string addToTuneFile(const std::string &path, const TuneEntry &entry);

/// What a compilation knows of itself.
struct Wanted {
  std::string kernel, hash, target, compiler;
  /// Empty: there is no ptxas, any will do.
  std::string assembler;
  /// Empty: there is no GPU, any of the target will do.
  std::string gpu;
  /// -D of config constants, and --set.
  Values definitions, settings;
  std::map<std::string, int64_t> fixedSizes;
  /// Sizes of the launch, as far as they are known.
  std::map<std::string, int64_t> launchSizes;
};

struct Match {
  /// Null if no entry is for the compilation.
  const TuneEntry *entry = nullptr;
  /// Then, why there is none although the file has something on the kernel.
  std::string reason;
  /// Whether the reason is that the entry is of another time.
  bool isStale = false;
};

/// The entry for a compilation.
Match findEntry(const std::vector<TuneEntry> &entries, const Wanted &wanted);

} // namespace tilec::tune

#endif // TILE_COMPILER_TUNE_TUNEFILE_H
