//===- WarpgroupInstructions.cpp - setmaxnreg -----------------------------===//
//
// Instructions that four warps execute together.  Each warp comes with its
// lanes; the last of the four executes the instruction.
//
//===----------------------------------------------------------------------===//

#include "compiler/Emulator/Instructions/Instruction.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tilec;
using namespace tilec::emulator;

static void runSetMaxRegisters(const WarpCall &call) {
  Block &block = *call.warp.block;
  const Site &site = *call.operation.site;
  uint64_t count = call.argument(0, 0);
  if (count % 8 || count < 24 || count > 256)
    block.fail(call.warp.thread(0), EmulationErrorKind::BarrierMisuse, site,
               llvm::formatv("'{0}' asks for {1} registers; the number must be "
                             "a multiple of 8 from 24 to 256",
                             site.text, count)
                   .str());
  block.runWarpgroup(call, [](const WarpgroupCall &) {});
}

static std::optional<Operation>
bindSetMaxRegisters(const InstructionForm &form) {
  if (form.arguments != 1 || (!form.has("inc") && !form.has("dec")))
    return std::nullopt;
  return makeWarpOperation(runSetMaxRegisters);
}

void tilec::emulator::registerWarpgroupInstructions(InstructionTable &table) {
  table.add("setmaxnreg", bindSetMaxRegisters, /*hasPtxResult=*/false);
}
