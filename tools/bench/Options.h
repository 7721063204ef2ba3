//===-- Options.h - The command line of tile-bench -------------*- C++ -*-===//

#ifndef TILE_TOOLS_BENCH_OPTIONS_H
#define TILE_TOOLS_BENCH_OPTIONS_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilebench {

struct Options {
  bool isHelp = false;
  bool isList = false;
  std::string table;     // a file
  std::string artifacts; // a folder
  std::string output;    // a folder, or nothing
  std::string baseline;  // a file, or nothing
  std::string cublasLt;  // a file or a folder, or nothing
  bool hasPeers = true;
  bool isQuick = false;
  bool flushesCache = false; // in every row
  int device = 0;
  int rounds = 0;             // 0: by isQuick
  double timeoutSeconds = 30; // without news of a row
  std::optional<uint64_t> seed;
  std::vector<std::string> only;    // texts in names of rows
  std::vector<std::string> kernels; // texts in names of kernels
};

/// Throws std::runtime_error with a message for the user.
Options parseOptions(int count, const char *const *words);

/// The help text.
extern const char help[];

} // namespace tilebench

#endif // TILE_TOOLS_BENCH_OPTIONS_H
