//===-- Options.cpp - The command line of tile-bench ----------------------===//

#include "tools/bench/Options.h"

#include <cerrno>
#include <cstdlib>
#include <stdexcept>

namespace tilebench {

const char help[] = R"(usage: tile-bench TABLE.json ARTIFACTS [options]

Times the products of a table on a GPU: kernels that tools/bench/compile made in
the folder ARTIFACTS, beside the fastest that cuBLASLt has, on the same random
data. Every result is checked before it is timed, and again afterwards. Each
product is timed in two power states: in a burst after idling, and sustained,
after it has heated the card itself. docs/benchmarks.md describes the method.

  --out=DIR         writes bench.json, with every sample, and bench.md there
  --baseline=FILE   compares with an earlier bench.json and tells of ratios that
                    fell by more than 2 %
  --quick           fewer rounds: twenty rows in less than three minutes
  --rounds=N        so many rounds in each state
  --only=TEXT       only rows with this in their name; may be repeated
  --kernel=TEXT     only kernels with this in their name; may be repeated
  --flush-l2        overwrites the L2 cache before every launch, in all rows
  --cublaslt=PATH   libcublasLt.so, or its folder; otherwise it is looked for
  --no-cublaslt     without peers: times and checks only
  --seed=S          of the random data; otherwise another each time
  --device=N        the CUDA device, 0 if not given
  --timeout=SECONDS a row without news for so long is given up; 30 if not given
  --list            prints the rows and their kernels, and uses no GPU
  --help            prints this page

The exit status is 0 if all was measured, 1 if a result was wrong, a kernel
failed, or one of the table is missing, and 2 if the command line, the table or
the machine is to blame.
)";

namespace {

[[noreturn]] void fail(const std::string &message) {
  throw std::runtime_error(message);
}

class Parser {
public:
  Parser(int count, const char *const *words)
      : words(words + 1, words + count) {}

  Options parse() {
    for (const std::string &word : words)
      readWord(word);
    if (options.isHelp)
      return options;
    if (places.empty())
      fail("no table: write tile-bench TABLE.json ARTIFACTS, or --help");
    if (places.size() < 2 && !options.isList)
      fail("no folder of artifacts: write tile-bench " + places[0] +
           " ARTIFACTS");
    if (places.size() > 2)
      fail("'" + places[2] + "' is one argument too many");
    if (!options.hasPeers && !options.cublasLt.empty())
      fail("--cublaslt and --no-cublaslt contradict each other");
    options.table = places[0];
    options.artifacts = places.size() > 1 ? places[1] : "";
    return options;
  }

private:
  void readWord(const std::string &word) {
    if (word.rfind("-", 0) != 0)
      return places.push_back(word);
    size_t equals = word.find('=');
    std::string name = word.substr(0, equals);
    hasValue = equals != word.npos;
    value = hasValue ? word.substr(equals + 1) : "";
    if (!readFlag(name) && !readValue(name))
      fail("unknown option '" + name + "'; --help lists them");
  }

  bool readFlag(const std::string &name) {
    bool *flag = name == "--help" || name == "-h" ? &options.isHelp
                 : name == "--list"               ? &options.isList
                 : name == "--quick"              ? &options.isQuick
                 : name == "--flush-l2"           ? &options.flushesCache
                                                  : nullptr;
    bool isNoPeers = name == "--no-cublaslt";
    if (!flag && !isNoPeers)
      return false;
    if (hasValue)
      fail(name + " takes no value");
    if (isNoPeers)
      options.hasPeers = false;
    else
      *flag = true;
    return true;
  }

  bool readValue(const std::string &name) {
    std::string *text = name == "--out"        ? &options.output
                        : name == "--baseline" ? &options.baseline
                        : name == "--cublaslt" ? &options.cublasLt
                                               : nullptr;
    std::vector<std::string> *list = name == "--only"     ? &options.only
                                     : name == "--kernel" ? &options.kernels
                                                          : nullptr;
    if (text)
      *text = requireValue(name);
    else if (list)
      list->push_back(requireValue(name));
    else if (name == "--device")
      options.device = int(readNumber(name, 0, 1023));
    else if (name == "--rounds")
      options.rounds = int(readNumber(name, 1, 1000));
    else if (name == "--timeout")
      options.timeoutSeconds = double(readNumber(name, 1, 86400));
    else if (name == "--seed")
      options.seed = uint64_t(readNumber(name, 0, INT64_MAX));
    else
      return false;
    return true;
  }

  const std::string &requireValue(const std::string &name) {
    if (value.empty())
      fail(name + " needs a value: " + name + "=...");
    return value;
  }

  int64_t readNumber(const std::string &name, int64_t least, int64_t most) {
    const std::string &text = requireValue(name);
    char *end = nullptr;
    errno = 0;
    long long number = std::strtoll(text.c_str(), &end, 10);
    if (*end || errno || number < least || number > most)
      fail("'" + text + "' of " + name + " is no integer from " +
           std::to_string(least) + " to " + std::to_string(most));
    return number;
  }

  std::vector<std::string> words;
  std::vector<std::string> places;
  Options options;
  bool hasValue = false;
  std::string value;
};

} // namespace

Options parseOptions(int count, const char *const *words) {
  return Parser(count, words).parse();
}

} // namespace tilebench
