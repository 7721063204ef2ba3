//===- ClusterInstructions.cpp - mapa, st.async, barrier.cluster ----------===//
//
// Addresses of other blocks of the cluster, words that are sent to one with the
// bytes that its mbarrier counts, and the barrier of all.  Everything else
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

static void runSend(Thread &thread, const Operation &operation, Slots slots) {
  thread.block->sendWord(thread, *operation.site, slots[0],
                         static_cast<uint32_t>(slots[1]), slots[2]);
}

/// "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [a], x, [bar]".
static std::optional<Operation> bindSend(const InstructionForm &form) {
  if (form.results != 0 || form.arguments != 3 || !form.has("b32") ||
      !form.has("mbarrier::complete_tx::bytes"))
    return std::nullopt;
  return makeThreadOperation(runSend);
}

void tilec::emulator::registerClusterInstructions(InstructionTable &table) {
  table.add("mapa", bindMap);
  table.add("st.async", bindSend, /*hasPtxResult=*/false);
  table.add("barrier.cluster.arrive", bindArrive, /*hasPtxResult=*/false);
  table.add("barrier.cluster.wait", bindWait, /*hasPtxResult=*/false);
}
