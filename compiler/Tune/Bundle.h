//===-- Bundle.h - Candidates, ready to be measured ------------*- C++ -*-===//
//
// What `tilec tune --compile-only=DIR` leaves in a folder: an artifact for each
// candidate, what the kernel's results should be, and index.json, which says
// how to launch them.  Measuring needs nothing else: no source, no compiler.
//
// No function throws: errors are texts, empty for success.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_COMPILER_TUNE_BUNDLE_H
#define TILE_COMPILER_TUNE_BUNDLE_H

#include "compiler/Tune/TuneFile.h"

namespace tilec::tune {

/// One argument of the launch.
struct BundleArgument {
  std::string name;
  std::string dtype; // "int4"
  /// "in", "out" or "inout"; "scalar".
  std::string access;
  std::vector<int64_t> sizes;
  int64_t pack = -1;
  /// Its stream of random data.
  uint64_t stream = 0;
  /// The bits of a scalar.
  uint64_t scalar = 0;

  bool isTensor() const { return access != "scalar"; }
  bool isWritten() const { return access == "out" || access == "inout"; }
};

/// Elements in a row, by their row-major position.
struct ElementRange {
  int64_t first = 0, count = 0;
};

/// What some elements of a result should be.
struct Reference {
  std::string argument;
  /// Their codes, in the order of the ranges: 8 bytes each at most, as many as
  /// the type has, one for a 4-bit type.
  std::string file;
  /// Relative to an element and to the root mean square of all.
  double tolerance = 0;
  std::vector<ElementRange> ranges;
};

/// One way to compile the kernel.
struct Candidate {
  std::string name;
  /// What makes it differ from the compiler's own way.
  Values definitions, settings;
  /// All config constants.
  Values config;
  /// The manifest, beside which its cubin lies.
  std::string manifest;
  /// LLVM IR, for the emulator.
  std::string code;
  /// What the compiler expects, in microseconds; 0 if it does not know.
  double estimate = 0;

  /// The compiler's own way.
  bool isDefault() const { return definitions.empty() && settings.empty(); }
  /// "BM = 64, raster = 4" or "the default".
  std::string describe() const;
};

/// Ways that were not taken for one reason.
struct Refusal {
  std::string reason;
  int64_t count = 0;
  /// One of them, as `Candidate::describe` says it.
  std::string example;
};

struct Bundle {
  /// Without the GPU.
  TuneKey key;
  bool isForEmulator = false;
  /// The name of the tune file, for when no other is given.
  std::string tuneFile;
  uint64_t seed = 0;
  /// Whether the L2 cache is written over before each launch.
  bool flushesCache = false;
  /// Of the launch, whether fixed or not.
  std::map<std::string, int64_t> sizes;
  std::vector<BundleArgument> arguments;
  std::vector<Reference> references;
  /// The most promising first.
  std::vector<Candidate> candidates;
  std::vector<Refusal> refusals;
};

/// "DIR/index.json".
std::string getIndexPath(const std::string &folder);
std::string writeBundleIndex(const std::string &folder, const Bundle &bundle);
std::string readBundleIndex(const std::string &folder, Bundle &bundle);

} // namespace tilec::tune

#endif // TILE_COMPILER_TUNE_BUNDLE_H
