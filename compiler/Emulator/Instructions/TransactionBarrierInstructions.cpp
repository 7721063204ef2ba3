//===- TransactionBarrierInstructions.cpp - mbarrier ----------------------===//
//
// mbarrier and cp.async.mbarrier in their PTX and intrinsic forms, and the
// fences that show an mbarrier or ordinary writes to the async proxy.  What
// the instructions do stands in Machine/TransactionBarrier.cpp.
//
//===----------------------------------------------------------------------===//

#include "compiler/Emulator/Instructions/Instruction.h"

using namespace tilec;
using namespace tilec::emulator;

//===----------------------------------------------------------------------===//
// init, inval, expect_tx
//===----------------------------------------------------------------------===//

static void runInit(Thread &thread, const Operation &operation, Slots slots) {
  thread.block->initTransaction(thread, *operation.site, slots[0],
                                static_cast<uint32_t>(slots[1]));
}

static std::optional<Operation> bindInit(const InstructionForm &form) {
  if (form.arguments != 2)
    return std::nullopt;
  return makeThreadOperation(runInit);
}

static void runInvalidate(Thread &thread, const Operation &operation,
                          Slots slots) {
  thread.block->invalidateTransaction(thread, *operation.site, slots[0]);
}

static std::optional<Operation> bindInvalidate(const InstructionForm &form) {
  if (form.arguments != 1)
    return std::nullopt;
  return makeThreadOperation(runInvalidate);
}

static void runExpect(Thread &thread, const Operation &operation, Slots slots) {
  thread.block->expectTransactions(thread, *operation.site, slots[0],
                                   static_cast<uint32_t>(slots[1]));
}

static std::optional<Operation> bindExpect(const InstructionForm &form) {
  if (form.arguments != 2)
    return std::nullopt;
  return makeThreadOperation(runExpect);
}

//===----------------------------------------------------------------------===//
// arrive
//===----------------------------------------------------------------------===//

/// Parameter: whether the second argument is a number of bytes.
static void runArrive(Thread &thread, const Operation &operation, Slots slots) {
  Slots arguments = slots + operation.results;
  bool announces = operation.parameters[0];
  auto number =
      operation.arguments > 1 ? static_cast<uint32_t>(arguments[1]) : 1;
  uint64_t phase = thread.block->arriveAtTransaction(
      thread, *operation.site, arguments[0],
      /*arrivals=*/announces ? 1 : number, /*bytes=*/announces ? number : 0);
  if (operation.results)
    slots[0] = phase;
}

/// "mbarrier.arrive.expect_tx.shared::cta.b64 _, [a], bytes",
/// "mbarrier.arrive.shared::cta.b64 _, [a] {, count}" and the intrinsics.
static std::optional<Operation> bindArrive(const InstructionForm &form) {
  if (form.has("drop") || form.has("noComplete") || form.has("relaxed"))
    return std::nullopt;
  bool announces = form.has("expect_tx") || form.has("expect");
  if (form.results > 1 || form.arguments < (announces ? 2u : 1u) ||
      form.arguments > 2)
    return std::nullopt;
  Operation operation = makeThreadOperation(runArrive);
  operation.parameters[0] = announces;
  return operation;
}

/// Parameter: whether the arrival is added to those that are expected.
static void runCopyArrive(Thread &thread, const Operation &operation,
                          Slots slots) {
  thread.block->arriveWithCopies(thread, *operation.site, slots[0],
                                 operation.parameters[0]);
}

static std::optional<Operation> bindCopyArrive(const InstructionForm &form) {
  if (form.arguments != 1)
    return std::nullopt;
  Operation operation = makeThreadOperation(runCopyArrive);
  operation.parameters[0] = !form.has("noinc");
  return operation;
}

//===----------------------------------------------------------------------===//
// try_wait, test_wait
//===----------------------------------------------------------------------===//

/// Parameter: whether the thread waits.  The state that an arrival returns is
/// the number of the phase, so that its low bit is the parity.
static void runWait(Thread &thread, const Operation &operation, Slots slots) {
  Slots arguments = slots + operation.results;
  slots[0] = thread.block->waitAtTransaction(
      thread, *operation.site, arguments[0],
      static_cast<uint32_t>(arguments[1]), operation.parameters[0]);
}

static std::optional<Operation> bindWait(const InstructionForm &form) {
  // A third argument is the longest time to wait.
  if (form.has("relaxed") || form.results != 1 || form.arguments < 2 ||
      form.arguments > 3)
    return std::nullopt;
  Operation operation = makeThreadOperation(runWait);
  operation.parameters[0] = form.has("try_wait") || form.has("try");
  return operation;
}

//===----------------------------------------------------------------------===//
// Fences
//===----------------------------------------------------------------------===//

static void runInitFence(Thread &thread, const Operation &, Slots) {
  thread.block->fenceTransactionInit(thread);
}

static std::optional<Operation> bindInitFence(const InstructionForm &) {
  return makeThreadOperation(runInitFence);
}

static void runProxyFence(Thread &thread, const Operation &operation, Slots) {
  if (operation.parameters[0])
    thread.block->fenceProxy(thread);
}

/// Only shared memory is followed, so that a fence of global memory does
/// nothing.
static std::optional<Operation> bindProxyFence(const InstructionForm &form) {
  Operation operation = makeThreadOperation(runProxyFence);
  operation.parameters[0] = !form.has("global");
  return operation;
}

void tilec::emulator::registerTransactionBarrierInstructions(
    InstructionTable &table) {
  table.add("mbarrier.init", bindInit, /*hasPtxResult=*/false);
  table.add("mbarrier.inval", bindInvalidate, /*hasPtxResult=*/false);
  // The intrinsics have dots where PTX has underscores.
  for (const char *name : {"mbarrier.expect_tx", "mbarrier.expect.tx"})
    table.add(name, bindExpect, /*hasPtxResult=*/false);
  table.add("mbarrier.arrive", bindArrive);
  for (const char *name : {"mbarrier.try_wait", "mbarrier.try.wait",
                           "mbarrier.test_wait", "mbarrier.test.wait"})
    table.add(name, bindWait);
  table.add("cp.async.mbarrier.arrive", bindCopyArrive,
            /*hasPtxResult=*/false);
  table.add("fence.mbarrier_init", bindInitFence, /*hasPtxResult=*/false);
  table.add("fence.proxy.async", bindProxyFence, /*hasPtxResult=*/false);
}
