//===- LaunchInstructions.cpp - griddepcontrol ----------------------------===//
//
// Kernels run one after another here, so that waits pass at once; but what is
// touched before them is noticed.
//
//===----------------------------------------------------------------------===//

#include "compiler/Emulator/Instructions/Instruction.h"

using namespace tilec;
using namespace tilec::emulator;

static void allowLaunches(Thread &, const Operation &, Slots) {}

static void awaitLaunches(Thread &thread, const Operation &, Slots) {
  thread.block->waitForLaunches(thread);
}

static std::optional<Operation> bindLaunches(const InstructionForm &form) {
  if (form.arguments != 0 ||
      (!form.has("wait") && !form.has("launch_dependents")))
    return std::nullopt;
  return makeThreadOperation(form.has("wait") ? awaitLaunches : allowLaunches);
}

void tilec::emulator::registerLaunchInstructions(InstructionTable &table) {
  table.add("griddepcontrol", bindLaunches, /*hasPtxResult=*/false);
}
