//===- LaunchInstructions.cpp - griddepcontrol ----------------------------===//
//
// Kernels run one after another here, so that nobody waits for one before.
//
//===----------------------------------------------------------------------===//

#include "compiler/Emulator/Instructions/Instruction.h"

using namespace tilec;
using namespace tilec::emulator;

static void passLaunches(Thread &, const Operation &, Slots) {}

static std::optional<Operation> bindLaunches(const InstructionForm &form) {
  if (form.arguments != 0 ||
      (!form.has("wait") && !form.has("launch_dependents")))
    return std::nullopt;
  return makeThreadOperation(passLaunches);
}

void tilec::emulator::registerLaunchInstructions(InstructionTable &table) {
  table.add("griddepcontrol", bindLaunches, /*hasPtxResult=*/false);
}
