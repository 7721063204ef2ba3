//===- ClusterInstructions.cpp - mapa and barrier.cluster -----------------===//
//
// Addresses of other blocks of the cluster, and its barrier.  Everything else
// takes such addresses as it takes those of its own block.
//
//===----------------------------------------------------------------------===//

#include "compiler/Emulator/Instructions/Instruction.h"

using namespace tilec;
using namespace tilec::emulator;

static void runMap(Thread &thread, const Operation &operation, Slots slots) {
  slots[0] = thread.block->mapShared(thread, *operation.site, slots[1],
                                     static_cast<uint32_t>(slots[2]));
}

static std::optional<Operation> bindMap(const InstructionForm &form) {
  if (form.results != 1 || form.arguments != 2)
    return std::nullopt;
  return makeThreadOperation(runMap);
}

/// Parameter: whether what came before is released.
static void runArrive(Thread &thread, const Operation &operation, Slots) {
  thread.block->arriveAtCluster(thread, *operation.site,
                                operation.parameters[0]);
}

static std::optional<Operation> bindArrive(const InstructionForm &form) {
  Operation operation = makeThreadOperation(runArrive);
  operation.parameters[0] = !form.has("relaxed");
  return operation;
}

static void runWait(Thread &thread, const Operation &operation, Slots) {
  thread.block->waitAtCluster(thread, *operation.site);
}

static std::optional<Operation> bindWait(const InstructionForm &) {
  return makeThreadOperation(runWait);
}

void tilec::emulator::registerClusterInstructions(InstructionTable &table) {
  table.add("mapa", bindMap);
  table.add("barrier.cluster.arrive", bindArrive, /*hasPtxResult=*/false);
  table.add("barrier.cluster.wait", bindWait, /*hasPtxResult=*/false);
}
