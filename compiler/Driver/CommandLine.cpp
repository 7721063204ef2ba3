//===- CommandLine.cpp - What the user asked for --------------------------===//
//
// The first argument may name a command; after it, files and options come in
// any order, and `--` ends the options.
//
//===----------------------------------------------------------------------===//
#include "compiler/Driver/CommandLine.h"

#include "compiler/Driver/Failure.h"
#include "compiler/Driver/OptionTable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace tilec;
using llvm::StringRef;

namespace {

/// Walks over the arguments once.
class CommandLineParser {
public:
  explicit CommandLineParser(llvm::ArrayRef<StringRef> arguments)
      : rest(arguments) {}

  llvm::Expected<Invocation> parse();

private:
  llvm::Error parseCommand();
  llvm::Error parseArguments();
  llvm::Error parseOption(StringRef argument);
  llvm::Error parseFile(StringRef argument);
  llvm::Error checkCombination() const;
  llvm::Error checkTuning() const;
  llvm::Error checkSizeLists() const;

  llvm::Error describeUnknownOption(StringRef name) const;
  llvm::Error describeMissingFile() const;
  /// "tilec run"
  std::string getProgram() const;

  llvm::ArrayRef<StringRef> rest;
  Invocation invocation;
  llvm::SmallVector<StringRef> seenOptions;
  bool wantsHelp = false;
};

} // namespace

static bool isHelpOption(StringRef argument) {
  return argument == "--help" || argument == "-h";
}

/// The option that `argument` begins with: by its whole name, or for one-letter
/// options also with the value attached, as in -DM=1.
static const OptionSpec *findOption(StringRef argument) {
  StringRef name = argument.split('=').first;
  for (const OptionSpec &option : getOptions())
    if (option.name == name)
      return &option;
  for (const OptionSpec &option : getOptions())
    if (option.name.size() == 2 && argument.starts_with(option.name) &&
        !argument.starts_with("--"))
      return &option;
  return nullptr;
}

std::string CommandLineParser::getProgram() const {
  StringRef name = getCommandName(invocation.command);
  return name.empty() ? "tilec" : ("tilec " + name).str();
}

llvm::Error CommandLineParser::describeUnknownOption(StringRef name) const {
  llvm::SmallVector<StringRef> names = {"--help"};
  for (const OptionSpec &option : getOptions())
    if (option.belongsTo(invocation.command) && !option.help.empty())
      names.push_back(option.name);
  if (invocation.command == Command::Compile)
    names.push_back("--version");
  // -target is meant to be --target.
  std::string doubled = name.starts_with("--") ? name.str() : "-" + name.str();
  StringRef closest = findClosest(doubled, names);
  return makeUsageError("'" + getProgram() + "' has no option '" + name + "'",
                        closest.empty()
                            ? "'" + getProgram() + " --help' lists the options"
                            : "did you mean '" + closest.str() + "'?");
}

llvm::Error CommandLineParser::parseOption(StringRef argument) {
  const OptionSpec *option = findOption(argument);
  if (!option)
    return describeUnknownOption(argument.split('=').first);
  if (!option->belongsTo(invocation.command)) {
    StringRef owner = getCommandName(option->commands.front());
    return makeUsageError(
        "'" + getProgram() + "' has no option '" + option->name + "'",
        owner.empty() ? "it belongs to 'tilec' without a command"
                      : "it belongs to 'tilec " + owner + "'");
  }
  if (!option->isList && llvm::is_contained(seenOptions, option->name))
    return makeUsageError("'" + option->name + "' is given twice",
                          "keep one of them");
  seenOptions.push_back(option->name);

  // The value is attached (--name=value, -Dvalue) or the next argument.
  StringRef attached = argument.drop_front(option->name.size());
  bool isAttached = !attached.empty();
  attached.consume_front("=");
  switch (option->valueKind) {
  case ValueKind::None:
    if (isAttached)
      return makeUsageError("'" + option->name + "' takes no value, found '" +
                            attached + "'");
    return option->apply(invocation, "");
  case ValueKind::Optional:
    if (isAttached && attached.empty())
      return makeUsageError("'" + option->name + "=' needs a value",
                            "write " + option->name + "=" + option->valueName +
                                ", or " + option->name + " alone");
    return option->apply(invocation, attached);
  case ValueKind::Required:
    if (isAttached)
      return option->apply(invocation, attached);
    if (rest.empty())
      return makeUsageError("'" + option->name + "' needs a value: " +
                            option->name + " " + option->valueName);
    StringRef value = rest.consume_front();
    return option->apply(invocation, value);
  }
  llvm_unreachable("every kind of value is handled");
}

/// Fails if `file`, which is none, looks like a command.
static llvm::Error checkMisspeltCommand(StringRef file) {
  StringRef closest = findClosest(file, getCommandNames());
  if (closest.empty() || llvm::sys::fs::exists(file))
    return llvm::Error::success();
  return makeUsageError("'" + file + "' is neither a command nor a file",
                        "did you mean 'tilec " + closest + "'?");
}

llvm::Error CommandLineParser::parseFile(StringRef argument) {
  std::string &file = invocation.compile.inputFile;
  if (file.empty()) {
    if (argument.empty())
      return makeUsageError("the name of the source file is empty");
    file = argument.str();
    return llvm::Error::success();
  }
  if (llvm::Error error = checkMisspeltCommand(file))
    return error;
  std::string help;
  if (argument.contains('=') && !seenOptions.empty() &&
      findOption(seenOptions.back())->isList)
    help = ("write " + seenOptions.back() + " " + argument).str();
  else if (findCommand(argument) && invocation.command == Command::Compile)
    help = ("write the command first: tilec " + argument + " " + file).str();
  return makeUsageError("'" + getProgram() + "' takes one file; '" + argument +
                            "' comes after '" + file + "'",
                        help);
}

llvm::Error CommandLineParser::parseArguments() {
  bool endOfOptions = false;
  while (!rest.empty()) {
    StringRef argument = rest.consume_front();
    if (!endOfOptions && argument == "--") {
      endOfOptions = true;
      continue;
    }
    if (!endOfOptions && isHelpOption(argument)) {
      wantsHelp = true;
      return llvm::Error::success();
    }
    bool isOption =
        !endOfOptions && argument.starts_with("-") && argument != "-";
    if (llvm::Error error =
            isOption ? parseOption(argument) : parseFile(argument))
      return error;
  }
  return llvm::Error::success();
}

/// Reads the command, if the first argument is one.
llvm::Error CommandLineParser::parseCommand() {
  if (rest.empty())
    return makeUsageError("nothing to do: there is no source file and no "
                          "command",
                          "'tilec --help' lists the commands");
  if (isHelpOption(rest.front())) {
    invocation.command = Command::Help;
    invocation.isGeneralHelp = true;
    rest = {};
    return llvm::Error::success();
  }
  if (rest.front() == "--version") {
    invocation.command = Command::Version;
    rest = {};
    return llvm::Error::success();
  }
  if (std::optional<Command> command = findCommand(rest.front())) {
    invocation.command = *command;
    rest = rest.drop_front();
  }
  invocation.compile.tuneFile.isUsed = llvm::is_contained(
      {Command::Compile, Command::Run, Command::Report}, invocation.command);
  if (invocation.command != Command::Help)
    return llvm::Error::success();

  invocation.isGeneralHelp = rest.empty();
  if (rest.empty())
    return llvm::Error::success();
  std::optional<Command> topic = findCommand(rest.front());
  if (rest.front() == "compile")
    topic = Command::Compile;
  if (!topic)
    return makeUsageError("there is no command '" + rest.front() + "'",
                          suggestFrom(rest.front(), getCommandNames()));
  invocation.helpTopic = *topic;
  invocation.isGeneralHelp = *topic == Command::Help;
  rest = {};
  return llvm::Error::success();
}

llvm::Error CommandLineParser::describeMissingFile() const {
  return makeUsageError("'" + getProgram() + "' needs a source file",
                        "write " + getProgram() + " FILE.tile; '" +
                            getProgram() + " --help' explains the rest");
}

/// The same for those of tune.
llvm::Error CommandLineParser::checkTuning() const {
  if (invocation.command != Command::Tune)
    return llvm::Error::success();
  const TuneOptions &tune = invocation.tune;
  if (!tune.from.empty() && !tune.compileOnly.empty())
    return makeUsageError("'--compile-only' and '--from' are the two halves of "
                          "tuning",
                          "use the first where the compiler is, the second "
                          "where the GPU is");
  if (invocation.run.device == Device::Interpreter)
    return makeUsageError("'tilec tune' has nothing to measure on "
                          "'--device=interpreter'",
                          "use --device=cuda, or --device=emulator to try the "
                          "ways without a GPU");
  if (!tune.compileOnly.empty() && invocation.outputFile)
    return makeUsageError("'--compile-only' writes no tune file",
                          "give -o to the command with --from");
  if (tune.from.empty())
    return llvm::Error::success();
  for (StringRef option : {"-D", "--set", "--size", "--in", "--kernel",
                           "--target", "--seed", "--limit", "--jobs"})
    if (llvm::is_contained(seenOptions, option))
      return makeUsageError("'--from' measures what is in the folder, and '" +
                                option + "' was decided when it was made",
                            "give " + option +
                                " to the command with "
                                "--compile-only");
  return llvm::Error::success();
}

/// Several values of a size are for --fit, which has one list.
llvm::Error CommandLineParser::checkSizeLists() const {
  const std::vector<NamedSizes> &lists = invocation.run.sizeLists;
  if (lists.empty())
    return llvm::Error::success();
  const std::string &name = lists.front().name;
  if (!invocation.compile.fits && invocation.command != Command::Tune)
    return makeUsageError("'--size " + name +
                              "' has several values, which "
                              "'--fit' takes",
                          "add --fit, or give one value");
  if (lists.size() > 1)
    return makeUsageError("'--size' has several values for '" + name +
                              "' and for '" + lists[1].name + "'",
                          "give one value for one of them");
  auto isSame = [&](const auto &one) { return one.name == name; };
  if (llvm::any_of(invocation.compile.definitions, isSame))
    return makeUsageError("'-D " + name + "' fixes what '--size " + name +
                              "' has several values for",
                          "keep one of them");
  if (invocation.command != Command::Run &&
      llvm::any_of(invocation.run.sizes, isSame))
    return makeUsageError("'--size " + name + "' is given twice",
                          "add the value to the list");
  return llvm::Error::success();
}

/// Rejects options that contradict each other or the file.
llvm::Error CommandLineParser::checkCombination() const {
  StringRef file = invocation.compile.inputFile;
  if (!file.empty() && !file.ends_with(".tile") && !file.ends_with(".mlir")) {
    if (llvm::Error error = checkMisspeltCommand(file))
      return error;
    return makeUsageError("'" + file + "' is not named like a source file",
                          "sources end in .tile, or in .mlir for the tile "
                          "dialect");
  }
  if (llvm::Error error = checkTuning())
    return error;
  if (llvm::Error error = checkSizeLists())
    return error;
  const RunOptions &run = invocation.run;
  if (run.check != CheckExtent::None && run.device == Device::Interpreter)
    return makeUsageError("'--check' compares with the interpreter, and "
                          "'--device=interpreter' is the interpreter",
                          "leave one of them out");
  if (run.bench &&
      (run.device == Device::Emulator || run.device == Device::Interpreter))
    return makeUsageError("'--bench' measures a GPU, not the CPU",
                          "use --device=cuda");
  if (run.counters &&
      (run.device == Device::Cuda || run.device == Device::Interpreter))
    return makeUsageError("'--counters' are counted by the emulator",
                          "use --device=emulator");
  if (run.tolerance && run.check == CheckExtent::None && run.expected.empty())
    return makeUsageError("'--tol' has nothing to apply to",
                          "add --check, or --expect NAME=FILE.npy");
  return llvm::Error::success();
}

llvm::Expected<Invocation> CommandLineParser::parse() {
  if (llvm::Error error = parseCommand())
    return error;
  if (llvm::is_contained({Command::Help, Command::Version}, invocation.command))
    return invocation;
  if (llvm::Error error = parseArguments())
    return error;
  if (wantsHelp) {
    invocation.helpTopic = invocation.command;
    invocation.command = Command::Help;
    return invocation;
  }
  // What was compiled elsewhere may be measured without its source.
  bool needsSource = invocation.tune.from.empty();
  if (invocation.compile.inputFile.empty() && needsSource)
    return describeMissingFile();
  if (llvm::Error error = checkCombination())
    return error;
  invocation.compile.tuneFile.sizes = invocation.run.sizes;
  if (!invocation.run.sizeLists.empty())
    invocation.compile.fitSizes = invocation.run.sizeLists.front();
  return invocation;
}

llvm::Expected<Invocation>
tilec::parseCommandLine(llvm::ArrayRef<StringRef> arguments) {
  return CommandLineParser(arguments).parse();
}
