//===- BarrierInstructions.cpp - Block barriers and pauses ----------------===//
//
// bar and barrier.cta in their intrinsic and PTX forms, memory fences (all
// memory operations take effect in program order here, so there is nothing to
// do), nanosleep and exit.
//
//===----------------------------------------------------------------------===//

#include "compiler/Emulator/Instructions/Instruction.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tilec;
using namespace tilec::emulator;

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

static uint32_t readCount(const Operation &operation, Slots slots) {
  return operation.arguments > 1
             ? static_cast<uint32_t>(slots[operation.results + 1])
             : 0;
}

static void checkCount(Thread &thread, const Operation &operation,
                       uint32_t count) {
  if (count == 0)
    thread.block->fail(
        thread, EmulationErrorKind::BarrierMisuse, *operation.site,
        llvm::formatv("'{0}' waits for 0 threads", operation.site->text).str());
}

/// Parameter: whether the thread waits.
static void runBarrier(Thread &thread, const Operation &operation,
                       Slots slots) {
  uint32_t count = readCount(operation, slots);
  if (operation.arguments > 1)
    checkCount(thread, operation, count);
  thread.block->arriveAtBarrier(thread, *operation.site,
                                static_cast<uint32_t>(slots[0]), count,
                                operation.parameters[0]);
}

enum class VoteKind : uint32_t { Popcount, And, Or };

/// Arguments: barrier, count (unless all), predicate.
static void runVotingBarrier(Thread &thread, const Operation &operation,
                             Slots slots) {
  Slots arguments = slots + operation.results;
  bool hasCount = operation.arguments == 3;
  uint32_t count = hasCount ? static_cast<uint32_t>(arguments[1]) : 0;
  if (hasCount)
    checkCount(thread, operation, count);
  bool vote = arguments[operation.arguments - 1] & 1;
  uint32_t votes = thread.block->voteAtBarrier(
      thread, *operation.site, static_cast<uint32_t>(arguments[0]), count,
      vote);
  uint32_t all = hasCount ? count : thread.block->getThreadCount();
  switch (static_cast<VoteKind>(operation.parameters[0])) {
  case VoteKind::Popcount:
    slots[0] = votes;
    return;
  case VoteKind::And:
    slots[0] = votes == all;
    return;
  case VoteKind::Or:
    slots[0] = votes != 0;
    return;
  }
}

/// "barrier.cta.sync.aligned.count", "bar.sync", "barrier.cta.red.popc...".
static std::optional<Operation> bindBarrier(const InstructionForm &form) {
  if (form.has("red")) {
    bool isPopcount = form.has("popc");
    if ((!isPopcount && !form.has("and") && !form.has("or")) ||
        form.results != 1 || form.arguments < 2 || form.arguments > 3)
      return std::nullopt;
    Operation operation = makeThreadOperation(runVotingBarrier);
    operation.parameters[0] =
        static_cast<uint32_t>(isPopcount        ? VoteKind::Popcount
                              : form.has("and") ? VoteKind::And
                                                : VoteKind::Or);
    return operation;
  }
  bool waits = form.has("sync");
  if (!waits && !form.has("arrive"))
    return std::nullopt;
  if (form.arguments < (waits ? 1u : 2u) || form.arguments > 2)
    return std::nullopt;
  Operation operation = makeThreadOperation(runBarrier);
  operation.parameters[0] = waits;
  return operation;
}

//===----------------------------------------------------------------------===//
// Fences, pauses, exit
//===----------------------------------------------------------------------===//

static void runNothing(Thread &, const Operation &, Slots) {}

static std::optional<Operation> bindNothing(const InstructionForm &) {
  return makeThreadOperation(runNothing);
}

static void runSleep(Thread &thread, const Operation &operation, Slots) {
  thread.block->poll(thread, *operation.site);
}

static std::optional<Operation> bindSleep(const InstructionForm &) {
  return makeThreadOperation(runSleep);
}

static void runExit(Thread &thread, const Operation &, Slots) {
  thread.block->exitThread(thread);
}

static std::optional<Operation> bindExit(const InstructionForm &) {
  return makeThreadOperation(runExit);
}

static void runTrap(Thread &thread, const Operation &operation, Slots) {
  thread.block->fail(thread, EmulationErrorKind::Trap, *operation.site,
                     "the kernel executes a trap");
}

static std::optional<Operation> bindTrap(const InstructionForm &form) {
  if (!form.isPtx)
    return std::nullopt;
  return makeThreadOperation(runTrap);
}

void tilec::emulator::registerBarrierInstructions(InstructionTable &table) {
  for (const char *name :
       {"barrier.cta.sync", "barrier.cta.arrive", "bar.sync", "bar.cta.sync",
        "bar.arrive", "bar.cta.arrive", "barrier.sync", "barrier.arrive"})
    table.add(name, bindBarrier, /*hasPtxResult=*/false);
  for (const char *name :
       {"barrier.cta.red", "bar.red", "bar.cta.red", "barrier.red"})
    table.add(name, bindBarrier);
  for (const char *name :
       {"membar", "fence.sc", "fence.acq_rel", "fence.acquire", "fence.release",
        "prefetch", "prefetchu"})
    table.add(name, bindNothing, /*hasPtxResult=*/false);
  table.add("nanosleep", bindSleep, /*hasPtxResult=*/false);
  table.add("exit", bindExit, /*hasPtxResult=*/false);
  table.add("trap", bindTrap, /*hasPtxResult=*/false);
}
