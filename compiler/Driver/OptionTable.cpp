//===- OptionTable.cpp - The options of tilec -----------------------------===//
#include "compiler/Driver/OptionTable.h"

#include "compiler/Driver/Failure.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <utility>

using namespace tilec;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// Looks up one word of a fixed set.
template <typename T, size_t N>
static llvm::Error applyChoice(StringRef option, StringRef value,
                               const std::pair<StringRef, T> (&choices)[N],
                               T &result) {
  llvm::SmallVector<StringRef> names;
  for (const auto &[name, choice] : choices) {
    if (name == value) {
      result = choice;
      return llvm::Error::success();
    }
    names.push_back(name);
  }
  return makeUsageError("'" + option + "' does not know '" + value + "'",
                        suggestFrom(value, names));
}

/// Splits NAME=VALUE.
static llvm::Expected<NamedText> parseNamedText(StringRef option,
                                                StringRef value) {
  auto [name, text] = value.split('=');
  if (name.empty() || name.size() == value.size())
    return makeUsageError(
        "'" + option + "' takes NAME=VALUE, found '" + value + "'",
        "write " + option + " " + (name.empty() ? StringRef("NAME") : name) +
            "=" + (text.empty() ? StringRef("VALUE") : text));
  return NamedText{name.str(), text.str()};
}

/// Adds NAME=VALUE to a list that has each name at most once.
static llvm::Error addNamedText(StringRef option, StringRef value,
                                std::vector<NamedText> &list) {
  llvm::Expected<NamedText> parsed = parseNamedText(option, value);
  if (!parsed)
    return parsed.takeError();
  for (const NamedText &earlier : list)
    if (earlier.name == parsed->name)
      return makeUsageError("'" + option + " " + parsed->name +
                                "' is given twice: '" + earlier.text +
                                "' and '" + parsed->text + "'",
                            "keep one of them");
  list.push_back(std::move(*parsed));
  return llvm::Error::success();
}

/// Values of one size that code is chosen for.
static constexpr size_t mostSizes = 64;

/// Adds NAME=NUMBER to a list that has each name at most once.
static llvm::Error addNumber(StringRef option, StringRef value,
                             std::vector<NamedSize> &list, StringRef example) {
  llvm::Expected<NamedText> parsed = parseNamedText(option, value);
  if (!parsed)
    return parsed.takeError();
  int64_t size;
  if (StringRef(parsed->text).getAsInteger(10, size) || size < 0)
    return makeUsageError(
        "'" + option + " " + parsed->name +
            "' takes a whole number from 0, found '" + parsed->text + "'",
        "write, for example, " + option + " " + parsed->name + "=" + example);
  for (const NamedSize &earlier : list)
    if (earlier.name == parsed->name)
      return makeUsageError(
          "'" + option + " " + parsed->name + "' is given twice: " +
              llvm::Twine(earlier.value) + " and " + llvm::Twine(size),
          "keep one of them");
  list.push_back({parsed->name, size});
  return llvm::Error::success();
}

/// Adds NAME=NUMBER,NUMBER..., which has each number once.
static llvm::Error addSizeList(StringRef value,
                               std::vector<NamedSizes> &lists) {
  llvm::Expected<NamedText> parsed = parseNamedText("--size", value);
  if (!parsed)
    return parsed.takeError();
  NamedSizes sizes{parsed->name, {}};
  llvm::SmallVector<StringRef> words;
  StringRef(parsed->text).split(words, ',');
  for (StringRef word : words) {
    int64_t size;
    if (word.getAsInteger(10, size) || size < 1)
      return makeUsageError("'--size " + sizes.name +
                                "' takes whole numbers from 1 between commas, "
                                "found '" +
                                word + "'",
                            "write, for example, --size " + sizes.name +
                                "=1,16,64");
    if (llvm::is_contained(sizes.values, size))
      return makeUsageError("'--size " + sizes.name + "' has " +
                                llvm::Twine(size) + " twice",
                            "keep one of them");
    sizes.values.push_back(size);
  }
  if (sizes.values.size() > mostSizes)
    return makeUsageError("'--size " + sizes.name + "' has " +
                              llvm::Twine(sizes.values.size()) +
                              " values, the limit is " + llvm::Twine(mostSizes),
                          "give those between which other code is worth it");
  for (const NamedSizes &earlier : lists)
    if (earlier.name == sizes.name)
      return makeUsageError("'--size " + sizes.name +
                                "' has several values twice",
                            "keep one of them");
  llvm::sort(sizes.values);
  lists.push_back(std::move(sizes));
  return llvm::Error::success();
}

/// A size of the launch, or several to choose code for.
static llvm::Error addSize(Invocation &invocation, StringRef value) {
  if (value.contains(','))
    return addSizeList(value, invocation.run.sizeLists);
  return addNumber("--size", value, invocation.run.sizes, "1024");
}

static bool parseToleranceTerm(StringRef text, double &term) {
  return !text.empty() && !text.getAsDouble(term) && std::isfinite(term) &&
         term >= 0;
}

static llvm::Error applyTolerance(Invocation &invocation, StringRef value) {
  Tolerance tolerance;
  auto [relative, absolute] = value.split(',');
  bool hasAbsolute = relative.size() != value.size();
  if (!parseToleranceTerm(relative, tolerance.relative) ||
      (hasAbsolute && !parseToleranceTerm(absolute, tolerance.absolute)))
    return makeUsageError("'--tol' takes RTOL or RTOL,ATOL, numbers from 0, "
                          "found '" +
                              value + "'",
                          "write, for example, --tol=1e-2 or --tol=1e-2,1e-5");
  invocation.run.tolerance = tolerance;
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Effects
//===----------------------------------------------------------------------===//

static constexpr std::pair<StringRef, Stage> stageNames[] = {
    {"ast", Stage::Ast},           {"tile", Stage::Tile},
    {"nvvm", Stage::Nvvm},         {"llvm", Stage::LLVM},
    {"ptx", Stage::Ptx},           {"cubin", Stage::Cubin},
    {"manifest", Stage::Manifest}, {"cpp-header", Stage::CppHeader},
};

static constexpr std::pair<StringRef, Device> deviceNames[] = {
    {"auto", Device::Auto},
    {"cuda", Device::Cuda},
    {"emulator", Device::Emulator},
    {"interpreter", Device::Interpreter},
};

StringRef tilec::getStageName(Stage stage) {
  for (const auto &[name, named] : stageNames)
    if (named == stage)
      return name;
  llvm_unreachable("every stage has a name");
}

static llvm::Error applyOutput(Invocation &invocation, StringRef value) {
  if (value.empty())
    return makeUsageError("'-o' needs the name of a file",
                          "write -o FILE, or -o - for the standard output");
  invocation.outputFile = value.str();
  return llvm::Error::success();
}

static llvm::Error applyEmit(Invocation &invocation, StringRef value) {
  return applyChoice("--emit", value, stageNames, invocation.emit);
}

static llvm::Error applyDevice(Invocation &invocation, StringRef value) {
  return applyChoice("--device", value, deviceNames, invocation.run.device);
}

static llvm::Error applyCheck(Invocation &invocation, StringRef value) {
  static constexpr std::pair<StringRef, CheckExtent> extents[] = {
      {"", CheckExtent::Sample}, {"full", CheckExtent::Full}};
  if (value.empty() || value == "full")
    return applyChoice("--check", value, extents, invocation.run.check);
  return makeUsageError("'--check' does not know '" + value + "'",
                        "write --check, or --check=full to compare every "
                        "block of a large problem");
}

/// A whole number from 1.
static llvm::Error applyCount(StringRef option, StringRef value,
                              unsigned &result) {
  if (!value.getAsInteger(10, result) && result > 0)
    return llvm::Error::success();
  return makeUsageError(
      "'" + option + "' takes a whole number from 1, found '" + value + "'",
      "write, for example, " + option + "=8");
}

static llvm::Error applySeed(Invocation &invocation, StringRef value) {
  if (value.getAsInteger(10, invocation.run.seed))
    return makeUsageError("'--seed' takes a whole number from 0, found '" +
                              value + "'",
                          "write, for example, --seed=1");
  return llvm::Error::success();
}

/// A non-empty word, stored as it is.
static llvm::Error applyWord(StringRef option, StringRef value,
                             std::string &result) {
  if (value.empty())
    return makeUsageError("'" + option + "' needs a value");
  result = value.str();
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static constexpr Command compileOnly[] = {Command::Compile};
static constexpr Command checkOnly[] = {Command::Check};
static constexpr Command runOnly[] = {Command::Run};
static constexpr Command showing[] = {Command::Compile, Command::Check,
                                      Command::Run, Command::Report};
static constexpr Command tuneOnly[] = {Command::Tune};
static constexpr Command writing[] = {Command::Compile, Command::Tune};
static constexpr Command running[] = {Command::Run, Command::Tune};
static constexpr Command compiling[] = {Command::Compile, Command::Check,
                                        Command::Run, Command::Report,
                                        Command::Tune};

static constexpr Command tuned[] = {Command::Compile, Command::Run,
                                    Command::Report};
static constexpr Command sized[] = {Command::Run, Command::Compile,
                                    Command::Report, Command::Tune};

static const OptionSpec options[] = {
    {"-o", ValueKind::Required, "FILE", false, writing,
     "Write the result to FILE; '-' is the standard output. A cubin brings its "
     "manifest with it, under the same name with the ending .json. Without -o "
     "a cubin goes to the current folder, named after the source, text goes to "
     "the standard output, and what tuning found into the file beside the "
     "source, gemm.tune.json for gemm.tile, with what is there already.",
     applyOutput},
    {"--emit", ValueKind::Required, "STAGE", false, compileOnly,
     "Stop after a stage and write what it made: ast (the parsed source), tile "
     "(the tile dialect), nvvm (MLIR after all passes), llvm (LLVM IR after "
     "optimisation), ptx, cubin (the default), manifest (the JSON description "
     "of the cubin), or cpp-header (one C++ header with the cubin and a typed "
     "function for each kernel).",
     applyEmit},
    {"--json", ValueKind::None, "", false, checkOnly,
     "Print the diagnostics as a JSON array on the standard output.",
     [](Invocation &invocation, StringRef) -> llvm::Error {
       invocation.json = true;
       return llvm::Error::success();
     }},
    {"--kernel", ValueKind::Required, "NAME", false, compiling,
     "Take this kernel only. A run and tuning need it where the file has "
     "several; the other commands take all of them by default.",
     [](Invocation &invocation, StringRef value) {
       return applyWord("--kernel", value, invocation.compile.kernel);
     }},
    {"--target", ValueKind::Required, "TARGET", false, compiling,
     "Compile for this architecture: sm_80, sm_86, sm_89, sm_90a, sm_100a or "
     "sm_120a. By default that of the GPU found, else sm_90a.",
     [](Invocation &invocation, StringRef value) {
       return applyWord("--target", value, invocation.compile.target);
     }},
    {"-D", ValueKind::Required, "NAME=VALUE", true, compiling,
     "Set a config constant, or fix a size such as M while compiling: the "
     "kernel is then made for that size.",
     [](Invocation &invocation, StringRef value) {
       return addNamedText("-D", value, invocation.compile.definitions);
     }},
    {"--set", ValueKind::Required, "KEY=VALUE", true, compiling,
     "Override a decision of the compiler, under the name that 'tilec report' "
     "gives it: warps=2x4 (warps along M and N of a product), stages=3 "
     "(buffers "
     "of pipelined copies), raster=8 (rows of blocks that run together), "
     "min_blocks=2 (blocks that must fit on a multiprocessor), swap=true "
     "(B as the left operand of wgmma), cluster=2 (blocks that load tiles "
     "together).",
     [](Invocation &invocation, StringRef value) {
       return addNamedText("--set", value, invocation.compile.settings);
     }},
    {"--size", ValueKind::Required, "NAME=VALUE", true, sized,
     "Bind a size such as M at launch; the kernel stays one for any size. What "
     "neither -D nor --size gives is taken from the shapes of the --in arrays. "
     "Without a launch it says which entry of the tune file to take. One size "
     "may have several values, M=1,16,64,8192, to make code for each with "
     "--fit (a launch takes that of the next one up), or to tune for each.",
     addSize},
    {"--offset", ValueKind::Required, "NAME=BYTES", true, runOnly,
     "Put the data of a tensor BYTES behind an address that is a multiple of "
     "256, to see what a launch does with such a pointer.",
     [](Invocation &invocation, StringRef value) {
       return addNumber("--offset", value, invocation.run.offsets, "8");
     }},
    {"--in", ValueKind::Required, "NAME=FILE.npy|NUMBER", true, running,
     "Give a tensor from a NumPy file, or a scalar as a number. bf16 is stored "
     "as uint16, 8-bit floats as uint8, 4-bit types two to a uint8 along the "
     "packed dimension. Tensors without --in are random, scalars are 1. "
     "Tuning takes numbers only.",
     [](Invocation &invocation, StringRef value) {
       return addNamedText("--in", value, invocation.run.inputs);
     }},
    {"--out", ValueKind::Required, "NAME=FILE.npy", true, runOnly,
     "Write a result to a NumPy file, in the storage described under --in.",
     [](Invocation &invocation, StringRef value) {
       return addNamedText("--out", value, invocation.run.outputs);
     }},
    {"--device", ValueKind::Required, "DEVICE", false, running,
     "Where to run: cuda (a GPU), emulator (the compiled code, on the CPU, "
     "with "
     "checks that a GPU does not make), interpreter (the meaning of the "
     "source, in high precision), or auto (the default): a GPU if there is "
     "one, else the emulator. Tuning measures on a GPU unless the emulator is "
     "asked for, which counts instructions.",
     applyDevice},
    {"--expect", ValueKind::Required, "NAME=FILE.npy", true, runOnly,
     "Compare a result with a NumPy file: bit for bit, except that +0 equals "
     "-0 and any NaN any NaN; or with --tol, |got - want| <= ATOL + RTOL * "
     "|want|. A difference gives exit status 1.",
     [](Invocation &invocation, StringRef value) {
       return addNamedText("--expect", value, invocation.run.expected);
     }},
    {"--check", ValueKind::Optional, "full", false, runOnly,
     "Compare the results with the interpreter's. PASS means that each element "
     "differs by at most tol * (|want| + rms(want)), with tol 1e-2 for 8- and "
     "16-bit floats, 1e-3 for f32, 0 for integers, or --tol. A problem too "
     "large for the interpreter is checked on a sample of its blocks, unless "
     "'full' is asked for; the environment variable TILE_CHECK_SECONDS says "
     "how "
     "long it may take (20). FAIL gives exit status 1.",
     applyCheck},
    {"--tol", ValueKind::Required, "RTOL[,ATOL]", false, runOnly,
     "The tolerance of --expect and --check.", applyTolerance},
    {"--seed", ValueKind::Required, "NUMBER", false, running,
     "Choose the random data; the same seed gives the same data. Default 0.",
     applySeed},
    {"--bench", ValueKind::None, "", false, runOnly,
     "Measure the time of a launch on the GPU, with data that earlier launches "
     "left in the L2 cache and without, and print GB/s (every tensor moved "
     "once) and, for a kernel with one matrix product, TFLOP/s.",
     [](Invocation &invocation, StringRef) -> llvm::Error {
       invocation.run.bench = true;
       return llvm::Error::success();
     }},
    {"--counters", ValueKind::None, "", false, runOnly,
     "Print what the emulator counted: instructions, bytes, bank conflicts.",
     [](Invocation &invocation, StringRef) -> llvm::Error {
       invocation.run.counters = true;
       return llvm::Error::success();
     }},
    {"--compile-only", ValueKind::Required, "DIR", false, tuneOnly,
     "Compile the candidates into the folder DIR, with all that measuring "
     "needs; this machine needs no GPU.",
     [](Invocation &invocation, StringRef value) {
       return applyWord("--compile-only", value, invocation.tune.compileOnly);
     }},
    {"--from", ValueKind::Required, "DIR", false, tuneOnly,
     "Measure the candidates in the folder DIR; this machine needs no "
     "compiler. Without a source file the tune file goes to the current "
     "folder.",
     [](Invocation &invocation, StringRef value) {
       return applyWord("--from", value, invocation.tune.from);
     }},
    {"--limit", ValueKind::Required, "NUMBER", false, tuneOnly,
     "Measure at most NUMBER candidates, the most promising ones. Default 32.",
     [](Invocation &invocation, StringRef value) {
       return applyCount("--limit", value, invocation.tune.limit);
     }},
    {"--timeout", ValueKind::Required, "SECONDS", false, tuneOnly,
     "End a candidate that takes longer than SECONDS to compile, or to run "
     "once. Default 60.",
     [](Invocation &invocation, StringRef value) {
       return applyCount("--timeout", value, invocation.tune.timeout);
     }},
    {"--jobs", ValueKind::Required, "NUMBER", false, tuneOnly,
     "Compile NUMBER candidates at a time. By default as many as there are "
     "processors.",
     [](Invocation &invocation, StringRef value) {
       return applyCount("--jobs", value, invocation.tune.jobs);
     }},
    {"--with-manifest", ValueKind::None, "", false, compileOnly, "",
     [](Invocation &invocation, StringRef) -> llvm::Error {
       invocation.withManifest = true;
       return llvm::Error::success();
     }},
    {"--tune-file", ValueKind::Required, "FILE", false, tuned,
     "Take the values that 'tilec tune' found from FILE. By default from the "
     "file beside the source, gemm.tune.json for gemm.tile, if it is there. "
     "Only an entry for the same kernel, GPU, target, sizes and compiler is "
     "taken; -D and --set win.",
     [](Invocation &invocation, StringRef value) {
       return applyWord("--tune-file", value, invocation.compile.tuneFile.path);
     }},
    {"--no-tune", ValueKind::None, "", false, tuned,
     "Do not look for values that 'tilec tune' found.",
     [](Invocation &invocation, StringRef) -> llvm::Error {
       invocation.compile.tuneFile.isUsed = false;
       return llvm::Error::success();
     }},
    {"--fit", ValueKind::None, "", false, tuned,
     "Choose the config constants that have a set, and that -D does not give, "
     "and how many blocks share a loop, by the compiler's model: what it "
     "counts fastest for the sizes of -D and --size, which must be all. Of a "
     "size with several values, one kernel is made that has code for each, "
     "where that is worth it. "
     "Nothing is measured; an entry of a tune file, which was, wins.",
     [](Invocation &invocation, StringRef) -> llvm::Error {
       invocation.compile.fits = true;
       return llvm::Error::success();
     }},
    {"--print-ir-after", ValueKind::Required, "PASS", false, showing,
     "Print the module on the standard error after this pass, or after each "
     "with 'all'.",
     [](Invocation &invocation, StringRef value) {
       return applyWord("--print-ir-after", value,
                        invocation.compile.printIRAfter);
     }},
    {"--time", ValueKind::None, "", false, showing,
     "Print how long each phase took on the standard error.",
     [](Invocation &invocation, StringRef) -> llvm::Error {
       invocation.compile.time = true;
       return llvm::Error::success();
     }},
    {"--strict-ptxas", ValueKind::None, "", false, showing, "",
     [](Invocation &invocation, StringRef) -> llvm::Error {
       invocation.compile.strictPtxas = true;
       return llvm::Error::success();
     }},
};

llvm::ArrayRef<OptionSpec> tilec::getOptions() { return options; }

bool OptionSpec::belongsTo(Command command) const {
  return llvm::is_contained(commands, command);
}

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

static constexpr std::pair<StringRef, Command> namedCommands[] = {
    {"check", Command::Check},   {"run", Command::Run},
    {"report", Command::Report}, {"tune", Command::Tune},
    {"help", Command::Help},
};

std::optional<Command> tilec::findCommand(StringRef name) {
  for (const auto &[commandName, command] : namedCommands)
    if (commandName == name)
      return command;
  return std::nullopt;
}

llvm::ArrayRef<StringRef> tilec::getCommandNames() {
  static const auto names = [] {
    llvm::SmallVector<StringRef> result;
    for (const auto &[name, command] : namedCommands)
      result.push_back(name);
    return result;
  }();
  return names;
}

StringRef tilec::getCommandName(Command command) {
  for (const auto &[name, named] : namedCommands)
    if (named == command)
      return name;
  return "";
}
