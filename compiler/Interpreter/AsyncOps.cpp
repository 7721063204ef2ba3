//===- AsyncOps.cpp - Asynchronous copies ---------------------------------===//
//
// A copy reads its source when it starts and fills its tile when a wait covers
// its group.  In between the elements are marked, so that a program which
// touches them too early is told, however a GPU would happen to time it.
//
//===----------------------------------------------------------------------===//
#include "compiler/Interpreter/LaneAccess.h"

using namespace mlir;
using namespace tilec;

/// Marks the elements that a copy will fill and notes what they become.
static LogicalResult startCopy(BlockInterpreter &block, Operation *op,
                               const MemoryView &destination, TileBox box,
                               RuntimeValue elements) {
  if (hasElements(destination, box, ElementState::InFlight))
    return block.fail(
        op,
        "shared tile '" + destination.shared->name +
            "' is the target of an asynchronous copy that no wait covers yet");
  markElements(destination, box, ElementState::InFlight);
  block.openGroup.push_back({destination, std::move(box), std::move(elements)});
  return success();
}

/// Where nothing is read, bytes of 0 arrive, whatever they mean.
static RuntimeValue getZeroBytes(const MemoryView &destination) {
  NumberFormat format = destination.shared->format;
  return isFloat(format) ? RuntimeValue(Floats(decodeFloat(format, 0)))
                         : RuntimeValue(Integers(0));
}

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
  FailureOr<TileBox> from =
      makeBox(block, op, source, op.getSourceIndices(), destination.shape);
  FailureOr<TileBox> to =
      makeBox(block, op, destination, {}, destination.shape);
  if (failed(from) || failed(to))
    return failure();
  RuntimeValue zero = getZeroBytes(destination);
  if (op.getFillPredicate()) {
    FailureOr<int64_t> reads = block.getUniform(op, op.getFillPredicate());
    if (failed(reads))
      return failure();
    if (!*reads)
      return startCopy(block, op, destination, *to, zero);
  }
  FailureOr<RuntimeValue> elements = readTile(block, op, source, *from, zero);
  if (failed(elements))
    return failure();
  return startCopy(block, op, destination, *to, std::move(*elements));
}

/// One element of a tensor, or zero bytes outside or where it is not read.
template <typename T>
static RuntimeValue readRun(const MemoryView &source, ArrayRef<int64_t> index,
                            int64_t count, bool reads, T zero) {
  std::vector<T> values(count, zero);
  SmallVector<int64_t> at(index);
  for (int64_t i = 0; reads && i < count; ++i, ++at.back()) {
    Extents place = source.toRoot(at);
    if (source.contains(place))
      source.global->readRow(place, 1, &values[i]);
  }
  return Elements<T>(std::move(values));
}

/// Each lane copies a run of elements.
static LogicalResult executeAsyncCopyElements(BlockInterpreter &block,
                                              tile::AsyncCopyElementsOp op) {
  const MemoryView &source = block.get(op.getSource()).getMemory();
  const MemoryView &destination = block.get(op.getDestination()).getMemory();
  if (failed(requireReadable(block, op, source)))
    return failure();
  LaneIndices from(block, op.getSourceIndices());
  LaneIndices to(block, op.getDestinationIndices());
  Integers reads = op.getFillPredicate()
                       ? block.getIntegers(op.getFillPredicate())
                       : Integers(1);
  RuntimeValue zero = getZeroBytes(destination);
  int64_t count = op.getCount();
  const LaneMask mask = block.getMask();
  for (int64_t lane = 0; lane < mask.count; ++lane) {
    if (!mask.runs(lane))
      continue;
    ArrayRef<int64_t> first = to.get(lane);
    SmallVector<int64_t> last(first);
    last.back() += count - 1;
    if (failed(locateShared(block, op, destination, first)) ||
        failed(locateShared(block, op, destination, last)))
      return failure();
    TileBox box;
    box.anchor = destination.toRoot(first);
    box.shape.assign(box.anchor.size(), 1);
    box.shape[destination.dims.back()] = count;
    RuntimeValue elements = zero.isFloat()
                                ? readRun(source, from.get(lane), count,
                                          reads[lane], zero.getFloats()[0])
                                : readRun(source, from.get(lane), count,
                                          reads[lane], zero.getIntegers()[0]);
    if (failed(startCopy(block, op, destination, std::move(box),
                         std::move(elements))))
      return failure();
  }
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
      markElements(copy.destination, copy.box, ElementState::Written);
      if (failed(
              writeTile(block, op, copy.destination, copy.box, copy.elements)))
        return failure();
    }
    block.groups.pop_front();
  }
  return success();
}

void tilec::addAsyncHandlers(HandlerTable &table) {
  table.add<tile::AsyncCopyOp, executeAsyncCopy>();
  table.add<tile::AsyncCopyElementsOp, executeAsyncCopyElements>();
  table.add<tile::CommitGroupOp, executeCommitGroup>();
  table.add<tile::WaitGroupOp, executeWaitGroup>();
}
