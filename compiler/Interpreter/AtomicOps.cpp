//===- AtomicOps.cpp - Atomic changes of memory ---------------------------===//
//
// Blocks run on several threads here too, so every atomic holds one lock, of
// the whole process.  Plain stores do not: the language leaves a mix of both
// open between blocks.
//
//===----------------------------------------------------------------------===//
#include "compiler/Interpreter/LaneAccess.h"

#include "compiler/Numerics/NumberCast.h"
#include <cmath>
#include <mutex>

using namespace mlir;
using namespace tilec;

static std::mutex atomicMutex;

namespace {
/// How an element changes.
struct Change {
  tile::AtomicKind kind;
  NumberFormat format;
  bool isUnsigned;

  double apply(double old, double value) const {
    switch (kind) {
    case tile::AtomicKind::Add:
      return castToFloat(old + value, format);
    case tile::AtomicKind::Max:
      return std::isnan(old) || old < value ? value : old;
    case tile::AtomicKind::Min:
      return std::isnan(old) || value < old ? value : old;
    }
    llvm_unreachable("all kinds are listed");
  }
  int64_t apply(int64_t old, int64_t value) const {
    if (kind == tile::AtomicKind::Add)
      return decodeInteger(
          format,
          encodeInteger(format, int64_t(uint64_t(old) + uint64_t(value))));
    // Sign-extended values keep their order as unsigned ones.
    bool isLess = isUnsigned ? uint64_t(old) < uint64_t(value) : old < value;
    return isLess == (kind == tile::AtomicKind::Max) ? value : old;
  }
};
} // namespace

/// Changes one element and gives what it was.
template <typename T>
static FailureOr<T>
changeElement(BlockInterpreter &block, Operation *op, const MemoryView &memory,
              const Change &change, ArrayRef<int64_t> index, T value) {
  T old = T();
  if (memory.global) {
    Extents place = memory.toRoot(index);
    if (!memory.contains(place))
      return old;
    std::lock_guard<std::mutex> lock(atomicMutex);
    memory.global->readRow(place, 1, &old);
    T changed = change.apply(old, value);
    memory.global->writeRow(place, 1, &changed);
    return old;
  }
  FailureOr<int64_t> element = locateShared(block, op, memory, index);
  if (failed(element))
    return failure();
  SharedTile &tile = *memory.shared;
  if (tile.states[*element] != ElementState::Written) {
    (void)failUndefined(block, op, tile, tile.states[*element], index);
    return failure();
  }
  T &place = tile.getValues<T>()[*element];
  old = place;
  place = change.apply(old, value);
  return old;
}

template <typename T>
static LogicalResult changeLanes(BlockInterpreter &block,
                                 tile::AtomicElementOp op,
                                 const MemoryView &memory, const Change &change,
                                 const Elements<T> &values) {
  LaneIndices indices(block, op.getIndices());
  const LaneMask mask = block.getMask();
  std::vector<T> olds(mask.count, T());
  for (int64_t lane = 0; lane < mask.count; ++lane) {
    if (!mask.runs(lane))
      continue;
    FailureOr<T> old = changeElement(block, op, memory, change,
                                     indices.get(lane), values[lane]);
    if (failed(old))
      return failure();
    olds[lane] = *old;
  }
  block.set(op.getResult(), mask.inParallel ? Elements<T>(std::move(olds))
                                            : Elements<T>(olds[0]));
  return success();
}

static LogicalResult executeAtomicElement(BlockInterpreter &block,
                                          tile::AtomicElementOp op) {
  const MemoryView memory = block.get(op.getMemory()).getMemory();
  if (failed(requireWritable(block, op, memory)))
    return failure();
  Change change = {op.getKind(), memory.getFormat(), op.getUnsignedValue()};
  RuntimeValue values = block.getNarrow(op.getValue());
  if (values.isFloat())
    return changeLanes(block, op, memory, change, values.getFloats());
  return changeLanes(block, op, memory, change, values.getIntegers());
}

template <typename T>
static LogicalResult changeTile(BlockInterpreter &block, tile::AtomicOp op,
                                const MemoryView &memory, const Change &change,
                                ArrayRef<int64_t> anchor,
                                const Elements<T> &values) {
  ArrayRef<int64_t> shape = tile::getTileShape(op.getValue().getType());
  size_t selected = anchor.size() - shape.size();
  for (int64_t element = 0, count = llvm::product_of(shape); element < count;
       ++element) {
    SmallVector<int64_t> index(anchor);
    int64_t rest = element;
    for (size_t d = shape.size(); d-- > 0; rest /= shape[d])
      index[selected + d] += rest % shape[d];
    if (failed(
            changeElement(block, op, memory, change, index, values[element])))
      return failure();
  }
  return success();
}

static LogicalResult executeAtomic(BlockInterpreter &block, tile::AtomicOp op) {
  if (failed(block.requireWholeBlock(op)))
    return failure();
  const MemoryView memory = block.get(op.getMemory()).getMemory();
  if (failed(requireWritable(block, op, memory)))
    return failure();
  FailureOr<std::vector<int64_t>> anchor =
      block.getUniform(op, op.getIndices());
  if (failed(anchor))
    return failure();
  anchor->resize(memory.shape.size(), 0);
  Change change = {op.getKind(), memory.getFormat(), op.getUnsignedValue()};
  RuntimeValue values = block.getNarrow(op.getValue());
  if (values.isFloat())
    return changeTile(block, op, memory, change, *anchor, values.getFloats());
  return changeTile(block, op, memory, change, *anchor, values.getIntegers());
}

void tilec::addAtomicHandlers(HandlerTable &table) {
  table.add<tile::AtomicElementOp, executeAtomicElement>();
  table.add<tile::AtomicOp, executeAtomic>();
}
