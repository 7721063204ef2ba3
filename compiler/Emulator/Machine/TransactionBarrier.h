//===- TransactionBarrier.h - mbarrier objects ------------------*- C++ -*-===//
//
// An mbarrier counts arrivals and bytes.  A phase completes when all arrivals
// have come and the bytes of the copies that signal the barrier are as many as
// were announced; the next phase begins at once.
//
// In the strict mode copies land when somebody waits for the phase, so that a
// barrier may be complete but for copies nobody has asked for yet.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_COMPILER_EMULATOR_MACHINE_TRANSACTIONBARRIER_H
#define TILE_COMPILER_EMULATOR_MACHINE_TRANSACTIONBARRIER_H

#include "compiler/Emulator/Machine/AsyncCopies.h"
#include "compiler/Emulator/Machine/ShadowMemory.h"
#include "compiler/Emulator/Machine/TensorTransfer.h"

namespace tilec::emulator {

struct TransactionBarrier {
  static constexpr uint32_t bytes = 8;
  static constexpr uint32_t maxCount = (1 << 20) - 1;
  static constexpr int64_t maxTransactions = (1 << 20) - 1;

  /// A cp.async copy that arrives when it is done.
  struct PendingCopy {
    AsyncCopy copy;
    Accessor writer;
  };

  /// A word of st.async.
  struct PendingWord {
    uint32_t offset;
    uint32_t word;
    uint32_t site;
  };

  /// False once the barrier is invalidated.
  bool isValid = false;
  uint32_t offset = 0;
  /// Arrivals of a phase, and how many are missing in the current one.
  uint32_t count = 0;
  uint32_t missing = 0;
  /// Bytes announced for the current phase.
  int64_t announced = 0;
  /// Phases completed.
  uint32_t phase = 0;
  /// Source of the writes that land with the phases, and its stamp for those
  /// of the current phase.
  unsigned source = 0;
  uint32_t stamp = 1;

  Accessor initialiser{};
  /// Whether copies see the initialisation: a fence came after it.
  bool isFenced = false;

  /// Under way in the current phase.
  std::vector<TensorTransfer> loads;
  std::vector<PendingWord> words;
  /// Of both.
  int64_t loadedBytes = 0;
  std::vector<PendingCopy> copies;
  uint32_t copyArrivals = 0;

  /// What those who see a phase completed know of.
  Knowledge arrivals;
  Knowledge completed;
  WarpMasks waiting{};

  bool isAwaited() const {
    return llvm::any_of(waiting, [](uint32_t lanes) { return lanes != 0; });
  }
  /// Arrivals that may still be made by threads.
  uint32_t openArrivals() const { return missing - copyArrivals; }
  /// Whether bytes are written under its name.
  bool hasWrites() const { return !loads.empty() || !words.empty(); }
  int64_t missingBytes() const { return announced - loadedBytes; }
};

} // namespace tilec::emulator

#endif // TILE_COMPILER_EMULATOR_MACHINE_TRANSACTIONBARRIER_H
