//===- PhaseTimer.h - How long each phase took ----------------------------===//
#ifndef TILE_COMPILER_DRIVER_PHASETIMER_H
#define TILE_COMPILER_DRIVER_PHASETIMER_H

#include "llvm/ADT/StringRef.h"
#include <chrono>
#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
}

namespace tilec {

/// Measures phases that follow one another; `--time` prints them.
class PhaseTimer {
public:
  /// Ends the phase under way, if any, and begins the one of this name.
  void begin(llvm::StringRef name);
  void end();

  /// One line a phase, and the sum.
  void print(llvm::raw_ostream &os) const;

private:
  using Clock = std::chrono::steady_clock;
  struct Phase {
    std::string name;
    Clock::duration duration;
  };
  std::vector<Phase> phases;
  Clock::time_point start;
  bool isRunning = false;
};

} // namespace tilec

#endif // TILE_COMPILER_DRIVER_PHASETIMER_H
