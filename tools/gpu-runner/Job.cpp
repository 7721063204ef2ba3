//===-- Job.cpp - One run of a kernel, as the command line says -----------===//

#include "tools/gpu-runner/Job.h"

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>

namespace gpurunner {

const char help[] = R"(Usage: tile-gpu-runner NAME.json|NAME.cubin [options]
       tile-gpu-runner --list FILE [--device N] [--timeout SECONDS]

Runs a compiled kernel on a GPU. Inputs are NumPy files or random data, outputs
are written to files or compared with others. Outputs are filled with a pattern
before the launch, every buffer lies between guard bytes that are checked after
it, and read-only inputs must not have changed.

  --kernel NAME        the kernel, if the artifact has several
  --variant NAME       this variant, if its guards hold, not the first that fits
  --size M=256         the value of a symbol; repeat for others
  --in A=FILE.npy      data of a tensor; without it, random data
  --in scale=0.125     the value of a scalar; without it, 1
  --out C=FILE.npy     writes a tensor after the launch
  --expect C=FILE.npy  compares a tensor: bit for bit, but +0 equals -0 and any
                       NaN any NaN
  --tol R[,A]          compares closely: |got - want| <= A + R * |want|
  --seed S             of the random data
  --repeat N           launches N times from the same data; on the device every
                       result is compared bit for bit with the first
  --graph              captures the launch in a CUDA graph and replays it twice
  --expect-error TEXT  the launch must be refused with a message that holds TEXT
  --offset A=BYTES     moves a tensor off its 256-byte alignment
  --strides A=64,1     lays a tensor out with strides, in elements of its array
  --alias C=A[+BYTES]  puts a tensor in the memory of another
  --bench              measures the median time, with the L2 cache flushed
  --bench-hot          the same without flushing
  --name TEXT          what messages call the run
  --device N           the CUDA device, 0 if not given
  --list FILE          runs the jobs of a file, one a line with the options above;
                       paths are relative to the file's folder, # starts a comment
  --timeout SECONDS    of each job, 60 if not given

Each job prints a line that begins with PASS, FAIL or SKIP (code for another
architecture). A job that faults or hangs costs only itself. Exit status: 0 if
nothing failed, 1 if something did, 2 if the command line is wrong or there is no
device.
)";

namespace {

[[noreturn]] void usageError(const std::string &message) {
  throw std::runtime_error(message);
}

int64_t parseInteger(const std::string &text, const std::string &option) {
  char *end = nullptr;
  errno = 0;
  long long number = std::strtoll(text.c_str(), &end, 10);
  if (text.empty() || *end || errno)
    usageError(option + ": expected an integer, found '" + text + "'");
  return number;
}

/// The two sides of NAME=VALUE.
std::pair<std::string, std::string> split(const std::string &text,
                                          const std::string &option) {
  size_t equals = text.find('=');
  if (equals == 0 || equals == text.npos)
    usageError(option + ": expected NAME=VALUE, found '" + text + "'");
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::vector<int64_t> parseList(const std::string &text,
                               const std::string &option) {
  std::vector<int64_t> list;
  for (size_t begin = 0; begin <= text.size();) {
    size_t comma = std::min(text.find(',', begin), text.size());
    list.push_back(parseInteger(text.substr(begin, comma - begin), option));
    begin = comma + 1;
  }
  return list;
}

Alias parseAlias(const std::string &text, const std::string &option) {
  size_t plus = text.find('+');
  Alias alias{text.substr(0, plus), 0};
  if (plus != text.npos)
    alias.bytes = parseInteger(text.substr(plus + 1), option);
  return alias;
}

/// Words of a line, separated by spaces; '...' and "..." keep them.
std::vector<std::string> splitWords(const std::string &line) {
  std::vector<std::string> words;
  std::string word;
  char quote = 0;
  bool isOpen = false;
  for (char c : line) {
    if (quote) {
      if (c == quote)
        quote = 0;
      else
        word += c;
    } else if (c == '\'' || c == '"') {
      quote = c;
      isOpen = true;
    } else if (c == '#' && !isOpen) {
      break;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      if (isOpen)
        words.push_back(word);
      word.clear();
      isOpen = false;
    } else {
      word += c;
      isOpen = true;
    }
  }
  if (quote)
    usageError("a quote is not closed");
  if (isOpen)
    words.push_back(word);
  return words;
}

class Parser {
public:
  /// `folder` goes before relative paths; a list holds no lists.
  Parser(std::vector<std::string> words, std::string folder, bool isListed)
      : words(std::move(words)), folder(std::move(folder)), isListed(isListed) {
  }

  void parse(CommandLine &line) {
    Job job;
    for (position = 0; position < words.size(); ++position) {
      const std::string &word = words[position];
      if (word.compare(0, 2, "--") != 0) {
        if (!job.artifact.empty())
          usageError("a second artifact: '" + word + "'");
        job.artifact = locate(word);
        continue;
      }
      size_t equals = word.find('=');
      option = word.substr(0, equals);
      hasInlineValue = equals != word.npos;
      inlineValue = hasInlineValue ? word.substr(equals + 1) : "";
      if (!parseJobOption(job) && (isListed || !parseGlobalOption(line)))
        usageError("unknown option '" + option + "'");
    }
    if (!job.artifact.empty()) {
      if (job.name.empty())
        job.name = describe(job);
      line.jobs.push_back(std::move(job));
    } else if (isListed) {
      usageError("no artifact is named");
    }
  }

private:
  /// The value of the option at hand: after '=', or the next word.
  std::string value() {
    if (hasInlineValue)
      return inlineValue;
    if (position + 1 >= words.size())
      usageError(option + ": a value is missing");
    return words[++position];
  }

  std::pair<std::string, std::string> namedValue() {
    return split(value(), option);
  }

  bool flag() {
    if (hasInlineValue)
      usageError(option + " takes no value");
    return true;
  }

  std::string locate(const std::string &path) const {
    return path[0] == '/' ? path : folder + path;
  }

  /// An input may be a file or a number; only files have a folder.
  std::string locateInput(const std::string &text) const {
    bool isFile =
        text.size() > 4 && text.compare(text.size() - 4, 4, ".npy") == 0;
    return isFile ? locate(text) : text;
  }

  bool parseJobOption(Job &job) {
    if (option == "--kernel")
      job.kernel = value();
    else if (option == "--variant")
      job.variant = value();
    else if (option == "--name")
      job.name = value();
    else if (option == "--expect-error")
      job.expectedError = value();
    else if (option == "--seed")
      job.seed = uint64_t(parseInteger(value(), option));
    else if (option == "--repeat")
      job.repeat = parseRepeat(value());
    else if (option == "--graph")
      job.usesGraph = flag();
    else if (option == "--bench" || option == "--bench-hot") {
      job.isBench = flag();
      job.flushesCache = option == "--bench";
    } else if (option == "--tol") {
      std::string text = value();
      if (!parseTolerance(text, job.tolerance))
        usageError("--tol: expected R or R,A, found '" + text + "'");
    } else {
      return parseNamedOption(job);
    }
    return true;
  }

  int parseRepeat(const std::string &text) {
    int64_t count = parseInteger(text, option);
    if (count < 1 || count > INT_MAX)
      usageError("--repeat: " + text + " is not a count of launches");
    return int(count);
  }

  bool parseNamedOption(Job &job) {
    static constexpr const char *known[] = {"--size",   "--in",     "--out",
                                            "--expect", "--offset", "--strides",
                                            "--alias"};
    bool isKnown = false;
    for (const char *candidate : known)
      isKnown |= option == candidate;
    if (!isKnown)
      return false;
    auto [name, text] = namedValue();
    if (option == "--size")
      job.sizes[name] = parseInteger(text, option);
    else if (option == "--in")
      job.inputs[name] = locateInput(text);
    else if (option == "--out")
      job.outputs[name] = locate(text);
    else if (option == "--expect")
      job.expected[name] = locate(text);
    else if (option == "--offset")
      job.offsets[name] = parseInteger(text, option);
    else if (option == "--strides")
      job.strides[name] = parseList(text, option);
    else
      job.aliases[name] = parseAlias(text, option);
    return true;
  }

  bool parseGlobalOption(CommandLine &line) {
    if (option == "--help")
      line.isHelp = flag();
    else if (option == "--device")
      line.device = int(parseInteger(value(), option));
    else if (option == "--timeout")
      line.timeoutSeconds = double(parseInteger(value(), option));
    else if (option == "--list")
      parseListFile(value(), line);
    else
      return false;
    return true;
  }

  static void parseListFile(const std::string &path, CommandLine &line) {
    std::ifstream file(path);
    if (!file)
      usageError(path + ": " + std::strerror(errno));
    size_t slash = path.rfind('/');
    std::string folder = slash == path.npos ? "" : path.substr(0, slash + 1);
    std::string text;
    for (int number = 1; std::getline(file, text); ++number) {
      try {
        std::vector<std::string> words = splitWords(text);
        if (!words.empty())
          Parser(std::move(words), folder, /*isListed=*/true).parse(line);
      } catch (const std::runtime_error &error) {
        usageError(path + ":" + std::to_string(number) + ": " + error.what());
      }
    }
  }

  /// "gemm.json M=5 K=7".
  static std::string describe(const Job &job) {
    std::string text = job.artifact.substr(job.artifact.rfind('/') + 1);
    if (!job.kernel.empty())
      text += " " + job.kernel;
    for (const auto &[name, size] : job.sizes)
      text += " " + name + "=" + std::to_string(size);
    return text;
  }

  std::vector<std::string> words;
  std::string folder;
  bool isListed;
  size_t position = 0;
  std::string option, inlineValue;
  bool hasInlineValue = false;
};

} // namespace

CommandLine parseCommandLine(int count, const char *const *words) {
  CommandLine line;
  Parser({words + 1, words + count}, "", /*isListed=*/false).parse(line);
  if (line.jobs.empty() && !line.isHelp)
    usageError("nothing to run: name an artifact, or a list with --list");
  return line;
}

} // namespace gpurunner
