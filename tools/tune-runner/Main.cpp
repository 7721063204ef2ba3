//===-- Main.cpp - tile-tune-runner: measures candidates on a GPU ---------===//
//
// The second half of `tilec tune` for machines without LLVM: what
// `tilec tune --from=DIR` does.
//
//===----------------------------------------------------------------------===//

#include "compiler/Tune/Session.h"

#include <charconv>
#include <cstring>

using namespace tilec::tune;

static const char help[] =
    "usage: tile-tune-runner DIR [-o FILE] [--timeout=SECONDS] "
    "[--rounds=NUMBER]\n"
    "\n"
    "Measures the candidates that 'tilec tune --compile-only=DIR' made, as\n"
    "'tilec tune --from=DIR' does, on CUDA device 0, and writes the fastest\n"
    "into a tune file, with what is there already.\n"
    "\n"
    "options:\n"
    "  -o FILE            the tune file; by default it has the name that it\n"
    "                     has beside the source, in the current folder\n"
    "  --timeout=SECONDS  ends a candidate that runs longer (60)\n"
    "  --rounds=NUMBER    samples of each candidate in each power state (9)\n"
    "\n"
    "The exit status is 0 if an entry was written, 1 if not, and 2 if the\n"
    "command line was not understood.\n";

namespace {

struct Arguments {
  std::string folder;
  SessionOptions session;
  bool isHelp = false;
  /// Empty if all was understood.
  std::string error;
};

} // namespace

/// The number behind "--name=" from 1 on; 0 if there is none.
static int readNumber(std::string_view word) {
  std::string_view text = word.substr(word.find('=') + 1);
  int number = 0;
  auto [end, status] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  return status == std::errc() && end == text.data() + text.size() ? number : 0;
}

static Arguments parse(int count, char **words) {
  Arguments arguments;
  for (int i = 1; i < count; ++i) {
    std::string_view word = words[i];
    int number = readNumber(word);
    bool isTimeout = word.starts_with("--timeout=");
    bool isRounds = word.starts_with("--rounds=");
    if (word == "--help" || word == "-h") {
      arguments.isHelp = true;
    } else if (word == "-o") {
      if (++i == count)
        arguments.error = "'-o' needs the name of a file";
      else
        arguments.session.path = words[i];
    } else if (isTimeout || isRounds) {
      if (number < 1)
        arguments.error =
            "'" + std::string(word) + "' does not give a whole number from 1";
      else if (isTimeout)
        arguments.session.trialSeconds = number;
      else
        arguments.session.rounds = number;
    } else if (word.starts_with("-")) {
      arguments.error = "there is no option '" + std::string(word) + "'";
    } else if (!arguments.folder.empty()) {
      arguments.error = "one folder at a time";
    } else {
      arguments.folder = word;
    }
  }
  if (arguments.folder.empty() && arguments.error.empty())
    arguments.error = "the folder of candidates is missing";
  return arguments;
}

static int fail(int status, const std::string &error) {
  std::fprintf(stderr, "tile-tune-runner: error: %s\n", error.c_str());
  return status;
}

int main(int count, char **words) {
  Arguments arguments = parse(count, words);
  if (arguments.isHelp) {
    std::fputs(help, stdout);
    return 0;
  }
  if (!arguments.error.empty())
    return fail(2, arguments.error);
  Bundle bundle;
  std::string error = readBundleIndex(arguments.folder, bundle);
  if (!error.empty())
    return fail(1, error);
  if (arguments.session.path.empty())
    arguments.session.path = bundle.tuneFile;
  error = runCudaSession(arguments.folder, bundle, askForDevice(),
                         arguments.session);
  return error.empty() ? 0 : fail(1, error);
}
