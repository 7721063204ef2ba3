//===-- Progress.h - How far a long work is --------------------*- C++ -*-===//

#ifndef TILE_COMPILER_TUNE_PROGRESS_H
#define TILE_COMPILER_TUNE_PROGRESS_H

#include <string>

namespace tilec::tune {

/// One line on the standard error that changes if that is a terminal, a line
/// for each change if it is not.
class Progress {
public:
  Progress();
  ~Progress() { clear(); }

  void show(const std::string &text);
  /// Makes room for other output.
  void clear();

private:
  bool isTerminal;
  bool isShown = false;
};

} // namespace tilec::tune

#endif // TILE_COMPILER_TUNE_PROGRESS_H
