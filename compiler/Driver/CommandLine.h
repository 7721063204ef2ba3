//===- CommandLine.h - What the user asked for ----------------------------===//
//
// Turns the arguments of tilec into an `Invocation`.  The options live in one
// table (OptionTable.cpp) that gives the parser, the help pages and the
// suggestions for misspelt options.  llvm::cl is not used: it would accept
// every option that a linked LLVM library registers, and its help is a list
// without prose.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_DRIVER_COMMANDLINE_H
#define TILE_COMPILER_DRIVER_COMMANDLINE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilec {

enum class Command { Compile, Check, Run, Report, Tune, Help, Version };

/// What `--emit` names, in the order in which the compiler makes them.
enum class Stage { Ast, Tile, Nvvm, LLVM, Ptx, Cubin, Manifest, CppHeader };

enum class Device { Auto, Cuda, Emulator, Interpreter };

enum class CheckExtent { None, Sample, Full };

/// `NAME=VALUE` of -D, --set, --in, --out and --expect.
struct NamedText {
  std::string name;
  std::string text;
};

/// `NAME=NUMBER` of --size.
struct NamedSize {
  std::string name;
  int64_t value;
};

/// `NAME=NUMBER,NUMBER...` of --size: two numbers or more, in ascending order.
struct NamedSizes {
  std::string name;
  std::vector<int64_t> values;
};

struct Tolerance {
  double relative = 0;
  double absolute = 0;
};

/// Whether and how a compilation takes the values that `tilec tune` found.
struct TuneFileUse {
  bool isUsed = false;
  /// Empty: the one beside the source, if it is there.
  std::string path;
  /// The code is for the emulator, which has entries of its own.
  bool isForEmulator = false;
  /// Sizes of the launch, as far as they are known.
  std::vector<NamedSize> sizes;
};

/// What every command that compiles needs.
struct CompileOptions {
  std::string inputFile;
  /// Empty: that of the device found, else sm_90a.
  std::string target;
  /// Empty: all kernels of the file.
  std::string kernel;
  std::vector<NamedText> definitions;
  std::vector<NamedText> settings;
  /// Name of a pass, or "all"; empty: none.
  std::string printIRAfter;
  /// What ptxas says of slow wgmma is an error.
  bool strictPtxas = false;
  bool time = false;
  TuneFileUse tuneFile;
  /// Choose config constants by the cost model (Tune/Fit.h).
  bool fits = false;
  /// For each of these sizes, where there are several.
  std::optional<NamedSizes> fitSizes;
};

struct RunOptions {
  Device device = Device::Auto;
  std::vector<NamedSize> sizes;
  /// Sizes to choose code for, beside those of the launch.
  std::vector<NamedSizes> sizeLists;
  /// Bytes between an address that is a multiple of 256 and a tensor's data.
  std::vector<NamedSize> offsets;
  std::vector<NamedText> inputs;
  std::vector<NamedText> outputs;
  std::vector<NamedText> expected;
  std::optional<Tolerance> tolerance;
  CheckExtent check = CheckExtent::None;
  uint64_t seed = 0;
  bool bench = false;
  bool counters = false;
};

struct TuneOptions {
  /// Folders; empty if not given.
  std::string compileOnly, from;
  /// Candidates to measure.
  unsigned limit = 32;
  /// Compilations at a time; 0 for one a processor.
  unsigned jobs = 0;
  /// Seconds of one trial.
  unsigned timeout = 60;
};

struct Invocation {
  Command command = Command::Compile;
  CompileOptions compile;

  /// Of the compile command.
  Stage emit = Stage::Cubin;
  std::optional<std::string> outputFile;

  /// Of check.
  bool json = false;

  RunOptions run;
  TuneOptions tune;
  /// Of compile, for candidates: the manifest of a text stage is written too.
  bool withManifest = false;

  /// Of help: the command to explain.
  Command helpTopic = Command::Compile;
  bool isGeneralHelp = false;
};

/// Parses the arguments after the program's name.  Fails with a usage error.
llvm::Expected<Invocation>
parseCommandLine(llvm::ArrayRef<llvm::StringRef> arguments);

/// The spelling of a stage: "cpp-header".
llvm::StringRef getStageName(Stage stage);

} // namespace tilec

#endif // TILE_COMPILER_DRIVER_COMMANDLINE_H
