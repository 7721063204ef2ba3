//===- PhaseTimer.cpp - How long each phase took --------------------------===//
#include "compiler/Driver/PhaseTimer.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilec;

void PhaseTimer::begin(llvm::StringRef name) {
  end();
  phases.push_back({name.str(), {}});
  start = Clock::now();
  isRunning = true;
}

void PhaseTimer::end() {
  if (isRunning)
    phases.back().duration = Clock::now() - start;
  isRunning = false;
}

void PhaseTimer::print(llvm::raw_ostream &os) const {
  auto printLine = [&](llvm::StringRef name, Clock::duration duration) {
    double milliseconds =
        std::chrono::duration<double, std::milli>(duration).count();
    os << llvm::format("%9.2f ms  ", milliseconds) << name << '\n';
  };
  Clock::duration total = {};
  for (const Phase &phase : phases) {
    printLine(phase.name, phase.duration);
    total += phase.duration;
  }
  printLine("in all", total);
}
