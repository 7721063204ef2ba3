//===- AsyncCopyInstructions.cpp - cp.async -------------------------------===//
//
// Copies from global to shared memory, in groups.  The copy itself is checked
// when it is issued; when it takes effect is the block's matter
// (Block::issueAsyncCopy).
//
//===----------------------------------------------------------------------===//

#include "compiler/Emulator/Instructions/Instruction.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tilec;
using namespace tilec::emulator;

/// Issues one copy.  A copy that reads nothing may have any source address.
static void issueCopy(Thread &thread, const Operation &operation,
                      uint64_t destination, uint64_t source, uint32_t bytes,
                      uint64_t sourceBytes) {
  Block &block = *thread.block;
  const Site &site = *operation.site;
  if (sourceBytes > bytes)
    block.fail(thread, EmulationErrorKind::OutOfBounds, site,
               llvm::formatv("'{0}' copies {1} bytes and is told to read {2}",
                             site.text, bytes, sourceBytes)
                   .str());
  EmulatorCounters &counters = block.getCounters();
  ++(bytes == 4   ? counters.asyncCopies4
     : bytes == 8 ? counters.asyncCopies8
                  : counters.asyncCopies16);
  uint32_t offset = block.checkSharedRange(thread, site, destination, bytes,
                                           bytes, AccessKind::Store);
  if (sourceBytes)
    block.checkGlobal(thread, site, source, sourceBytes, bytes,
                      AccessKind::Load, operation.origins[1]);
  block.issueAsyncCopy(
      thread, site,
      {offset, bytes, source, static_cast<uint32_t>(sourceBytes), site.index});
}

/// Parameters: bytes, 0 when they are argument 2; argument of the source size,
/// 0 if there is none.
static void runCopy(Thread &thread, const Operation &operation, Slots slots) {
  uint32_t bytes = operation.parameters[0];
  if (bytes == 0) {
    bytes = static_cast<uint32_t>(slots[2]);
    if (bytes != 4 && bytes != 8 && bytes != 16)
      thread.block->fail(
          thread, EmulationErrorKind::Unsupported, *operation.site,
          llvm::formatv("'{0}' copies {1} bytes; cp.async copies 4, 8 or 16",
                        operation.site->text, bytes)
              .str());
  }
  uint64_t sourceBytes = bytes;
  if (unsigned sizeArgument = operation.parameters[1])
    sourceBytes = static_cast<uint32_t>(slots[sizeArgument]);
  issueCopy(thread, operation, slots[0], slots[1], bytes, sourceBytes);
}

/// "cp.async.ca.shared.global.16[.s]" or PTX "cp.async.cg.shared.global
/// [dst], [src], 16 [, src-size]".
static std::optional<Operation> bindCopy(const InstructionForm &form) {
  Operation operation = makeThreadOperation(runCopy);
  if (form.isPtx) {
    // A cache policy would be one more operand, which nothing here tells from
    // the source size.
    if (form.arguments < 3 || form.arguments > 4 || form.has("L2::cache_hint"))
      return std::nullopt;
    operation.parameters[1] = form.arguments == 4 ? 3 : 0;
    return operation;
  }
  operation.parameters[0] = form.has("4")    ? 4
                            : form.has("8")  ? 8
                            : form.has("16") ? 16
                                             : 0;
  if (operation.parameters[0] == 0 || form.arguments < 2 || form.arguments > 3)
    return std::nullopt;
  operation.parameters[1] = form.arguments == 3 ? 2 : 0;
  return operation;
}

static void runCommit(Thread &thread, const Operation &, Slots) {
  thread.copies.commitGroup();
}

static std::optional<Operation> bindCommit(const InstructionForm &) {
  return makeThreadOperation(runCommit);
}

static void runWait(Thread &thread, const Operation &, Slots slots) {
  thread.block->waitAsyncCopies(thread, static_cast<uint32_t>(slots[0]));
}

static std::optional<Operation> bindWait(const InstructionForm &form) {
  if (form.arguments != 1)
    return std::nullopt;
  return makeThreadOperation(runWait);
}

static void runWaitAll(Thread &thread, const Operation &, Slots) {
  thread.copies.commitGroup();
  thread.block->waitAsyncCopies(thread, 0);
}

static std::optional<Operation> bindWaitAll(const InstructionForm &) {
  return makeThreadOperation(runWaitAll);
}

void tilec::emulator::registerAsyncCopyInstructions(InstructionTable &table) {
  table.add("cp.async.ca", bindCopy, /*hasPtxResult=*/false);
  table.add("cp.async.cg", bindCopy, /*hasPtxResult=*/false);
  // The intrinsics say commit.group where PTX says commit_group.
  table.add("cp.async.commit.group", bindCommit, /*hasPtxResult=*/false);
  table.add("cp.async.commit_group", bindCommit, /*hasPtxResult=*/false);
  table.add("cp.async.wait.group", bindWait, /*hasPtxResult=*/false);
  table.add("cp.async.wait_group", bindWait, /*hasPtxResult=*/false);
  table.add("cp.async.wait.all", bindWaitAll, /*hasPtxResult=*/false);
  table.add("cp.async.wait_all", bindWaitAll, /*hasPtxResult=*/false);
}
