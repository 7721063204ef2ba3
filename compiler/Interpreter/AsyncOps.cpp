//===- AsyncOps.cpp - Asynchronous copies and barriers --------------------===//
//
// A copy reads its source when it starts and fills its tile when a wait covers
// its group.  In between the tile is marked, so that a program which touches it
// too early is told, however a GPU would happen to time it.  A block runs as
// one thread here, so a barrier has nothing to do.
//
//===----------------------------------------------------------------------===//
#include "compiler/Interpreter/TileAccess.h"

using namespace mlir;
using namespace tilec;

static LogicalResult executeAsyncCopy(BlockInterpreter &block,
                                      tile::AsyncCopyOp op) {
  if (failed(block.requireWholeBlock(op)))
    return failure();
  if (op.getPredicate()) {
    FailureOr<int64_t> starts = block.getUniform(op, op.getPredicate());
    if (failed(starts))
      return failure();
    if (!*starts)
      return success();
  }
  const MemoryView &source = block.get(op.getSource()).getMemory();
  const MemoryView &destination = block.get(op.getDestination()).getMemory();
  FailureOr<TileBox> box =
      makeBox(block, op, source, op.getSourceIndices(), destination.shape);
  if (failed(box))
    return failure();
  // Where nothing is read, bytes of 0 arrive, whatever they mean.
  NumberFormat format = destination.shared->format;
  RuntimeValue zero = isFloat(format)
                          ? RuntimeValue(Floats(decodeFloat(format, 0)))
                          : RuntimeValue(Integers(0));
  FailureOr<RuntimeValue> elements = readTile(block, op, source, *box, zero);
  if (failed(elements))
    return failure();
  auto first = destination.shared->states.begin() + destination.offset;
  if (std::count(first, first + countElements(destination.shape),
                 ElementState::InFlight))
    return block.fail(
        op,
        "shared tile '" + destination.shared->name +
            "' is the target of an asynchronous copy that no wait covers yet");
  markElements(destination, ElementState::InFlight);
  block.openGroup.push_back({destination, std::move(*elements)});
  return success();
}

static LogicalResult executeCommitGroup(BlockInterpreter &block,
                                        tile::CommitGroupOp op) {
  block.groups.push_back(std::move(block.openGroup));
  block.openGroup.clear();
  return success();
}

static LogicalResult executeWaitGroup(BlockInterpreter &block,
                                      tile::WaitGroupOp op) {
  while (block.groups.size() > uint64_t(op.getPending())) {
    for (const PendingCopy &copy : block.groups.front()) {
      const MemoryView &destination = copy.destination;
      markElements(destination, ElementState::Written);
      TileBox whole = {std::vector<int64_t>(destination.shape.size(), 0),
                       destination.shape};
      if (failed(writeTile(block, op, destination, whole, copy.elements)))
        return failure();
    }
    block.groups.pop_front();
  }
  return success();
}

static LogicalResult executeBarrier(BlockInterpreter &, tile::BarrierOp) {
  return success();
}

void tilec::addAsyncHandlers(HandlerTable &table) {
  table.add<tile::AsyncCopyOp, executeAsyncCopy>();
  table.add<tile::CommitGroupOp, executeCommitGroup>();
  table.add<tile::WaitGroupOp, executeWaitGroup>();
  table.add<tile::BarrierOp, executeBarrier>();
}
