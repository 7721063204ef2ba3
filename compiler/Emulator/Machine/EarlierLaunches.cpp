//===- EarlierLaunches.cpp - Kernels that start before others end ---------===//
//
// A kernel with griddepcontrol may run beside the launches before it until it
// has waited for them.  Here these have ended, but until then nothing may be
// touched that they may use.  They are a source of the ordering: who has waited
// knows that its accesses are over, and so do those who synchronise with that
// thread.
//
//===----------------------------------------------------------------------===//

#include "compiler/Emulator/Machine/Block.h"

#include "llvm/Support/FormatVariadic.h"

using namespace tilec;
using namespace tilec::emulator;

/// The first of the sources, with one stamp for all that it does.
static constexpr unsigned launchSource = 0;
static constexpr uint32_t launchStamp = 1;

void Block::watchLaunches() {
  sources.push_back({AsyncSource::EarlierLaunches, 0, 0});
}

void Block::waitForLaunches(Thread &thread) {
  Knowledge over;
  over.upTo[maxWarps + launchSource] = launchStamp;
  ordering.acquire(thread.index, over);
  thread.hasAwaitedLaunches = true;
}

void Block::checkSettled(const Thread &thread, const Site &site,
                         const BufferRange &buffer, AccessKind kind) {
  if (!launch.spec.options.checkRaces ||
      ordering.isOrdered(sourceThread(launchSource), launchStamp, thread.index))
    return;
  fail(thread, EmulationErrorKind::Race, site,
       llvm::formatv("'{0}' {1} '{2}', which launches before this one may "
                     "still {3}: there is no griddepcontrol.wait in front",
                     site.text, kind == AccessKind::Load ? "reads" : "writes",
                     buffer.name, kind == AccessKind::Load ? "write" : "use")
           .str());
}

/// The launch behind this one may start when all blocks of this one have ended,
/// and would then run beside those before it.
std::optional<EmulationReport> Block::findBlockThatNeverWaited() const {
  if (!launch.overlaps || !launch.spec.options.checkRaces)
    return std::nullopt;
  std::vector<bool> hasWaited(getClusterSize());
  for (const Thread &thread : threads)
    if (thread.hasAwaitedLaunches)
      hasWaited[thread.rank] = true;
  for (uint32_t rank = 0; rank < getClusterSize(); ++rank) {
    if (hasWaited[rank])
      continue;
    EmulationReport report;
    report.kind = EmulationErrorKind::Race;
    report.block = blockIndex + rank;
    report.message = "the block ends without griddepcontrol.wait: launches "
                     "behind this one would not wait for those before it";
    return report;
  }
  return std::nullopt;
}
