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

/// Parameter: how many words.
static void runSend(Thread &thread, const Operation &operation, Slots slots) {
  uint32_t count = uint32_t(operation.parameters[0]);
  for (uint32_t i = 0; i < count; ++i)
    thread.block->sendWord(thread, *operation.site, slots[0] + 4 * i,
                           static_cast<uint32_t>(slots[1 + i]),
                           i == 0 ? 4 * count : 4, slots[1 + count]);
}

/// "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [a], x, [bar]",
/// or ".v2.b32 [a], {x, y}, [bar]".
static std::optional<Operation> bindSend(const InstructionForm &form) {
  uint32_t words = form.has("v4") ? 4 : form.has("v2") ? 2 : 1;
  if (form.results != 0 || form.arguments != 2 + words || !form.has("b32") ||
      !form.has("mbarrier::complete_tx::bytes"))
    return std::nullopt;
  Operation operation = makeThreadOperation(runSend);
  operation.parameters[0] = words;
  return operation;
}

void tilec::emulator::registerClusterInstructions(InstructionTable &table) {
  table.add("mapa", bindMap);
  table.add("st.async", bindSend, /*hasPtxResult=*/false);
  table.add("barrier.cluster.arrive", bindArrive, /*hasPtxResult=*/false);
  table.add("barrier.cluster.wait", bindWait, /*hasPtxResult=*/false);
}
