//===-- Progress.cpp - How far a long work is -----------------------------===//

#include "compiler/Tune/Progress.h"

#include <cstdio>
#include <unistd.h>

namespace tilec::tune {

// "Erase to the end of the line" of every terminal there is.
static constexpr const char *eraseLine = "\r\x1b[K";

Progress::Progress() : isTerminal(isatty(STDERR_FILENO)) {}

void Progress::show(const std::string &text) {
  if (isTerminal)
    std::fprintf(stderr, "%s%.100s", eraseLine, text.c_str());
  else
    std::fprintf(stderr, "%s\n", text.c_str());
  std::fflush(stderr);
  isShown = isTerminal;
}

void Progress::clear() {
  if (isShown)
    std::fputs(eraseLine, stderr);
  isShown = false;
}

} // namespace tilec::tune
