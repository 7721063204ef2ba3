//===- ElementOps.cpp - Reads and writes of single elements ---------------===//
//
// In an element loop each lane has its own indices; lanes that do not run touch
// nothing and read 0.  Where all indices are the same for all lanes, the access
// is done once.
//
//===----------------------------------------------------------------------===//
#include "compiler/Interpreter/LaneAccess.h"

using namespace mlir;
using namespace tilec;

/// Finds an element of a shared tile.
FailureOr<int64_t> tilec::locateShared(BlockInterpreter &block, Operation *op,
                                       const MemoryView &memory,
                                       ArrayRef<int64_t> index) {
  for (size_t d = 0; d < index.size(); ++d)
    if (index[d] < 0 || index[d] >= memory.shape[d])
      return failOutside(block, op, memory, d, index[d]);
  return locateElement(*memory.shared, memory.toRoot(index));
}

//===----------------------------------------------------------------------===//
// Fragments
//===----------------------------------------------------------------------===//

template <typename T>
static FailureOr<Elements<T>> readFragment(BlockInterpreter &block,
                                           tile::ElementOp op,
                                           const Elements<T> &fragment) {
  ArrayRef<int64_t> shape = op.getFragment().getType().getShape();
  LaneIndices indices(block, op.getIndices());
  const LaneMask &mask = block.getMask();
  int64_t lanes = indices.isUniform ? 1 : mask.count;
  std::vector<T> values(lanes, T());
  for (int64_t lane = 0; lane < lanes; ++lane) {
    if (!indices.isUniform && !mask.runs(lane))
      continue;
    int64_t element = 0;
    for (auto [i, extent] : llvm::zip_equal(indices.get(lane), shape)) {
      if (i < 0 || i >= extent)
        return block.fail(op, "a fragment is read at index " + llvm::Twine(i) +
                                  " of a dimension of " + llvm::Twine(extent));
      element = element * extent + i;
    }
    values[lane] = fragment[element];
  }
  return indices.isUniform ? Elements<T>(values[0])
                           : Elements<T>(std::move(values));
}

static LogicalResult executeElement(BlockInterpreter &block,
                                    tile::ElementOp op) {
  const RuntimeValue &fragment = block.get(op.getFragment());
  if (fragment.isFloat()) {
    FailureOr<Floats> values = readFragment(block, op, fragment.getFloats());
    if (failed(values))
      return failure();
    block.set(op.getResult(),
              RuntimeValue(std::move(*values), fragment.isWide()));
    return success();
  }
  FailureOr<Integers> values = readFragment(block, op, fragment.getIntegers());
  if (failed(values))
    return failure();
  block.set(op.getResult(), std::move(*values));
  return success();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

template <typename T>
static LogicalResult readMemory(BlockInterpreter &block, tile::LoadElementOp op,
                                const MemoryView &memory,
                                const Elements<T> &pad) {
  LaneIndices indices(block, op.getIndices());
  const LaneMask &mask = block.getMask();
  bool isUniform = indices.isUniform && pad.isUniform();
  int64_t lanes = isUniform ? 1 : mask.count;
  std::vector<T> values(lanes, T());
  for (int64_t lane = 0; lane < lanes; ++lane) {
    if (!isUniform && !mask.runs(lane))
      continue;
    ArrayRef<int64_t> index = indices.get(lane);
    if (memory.global) {
      values[lane] = pad[lane];
      Extents place = memory.toRoot(index);
      if (memory.contains(place))
        memory.global->readRow(place, 1, &values[lane]);
      continue;
    }
    FailureOr<int64_t> place = locateShared(block, op, memory, index);
    if (failed(place))
      return failure();
    ElementState state = memory.shared->states[*place];
    if (state != ElementState::Written)
      return failUndefined(block, op, *memory.shared, state, index);
    values[lane] = memory.shared->getValues<T>()[*place];
  }
  block.set(op.getResult(), isUniform ? Elements<T>(values[0])
                                      : Elements<T>(std::move(values)));
  return success();
}

static LogicalResult executeLoadElement(BlockInterpreter &block,
                                        tile::LoadElementOp op) {
  const MemoryView &memory = block.get(op.getMemory()).getMemory();
  if (failed(requireReadable(block, op, memory)))
    return failure();
  RuntimeValue pad = getPad(block, op.getPad(), memory);
  if (pad.isFloat())
    return readMemory(block, op, memory, pad.getFloats());
  return readMemory(block, op, memory, pad.getIntegers());
}

template <typename T>
static LogicalResult
writeMemory(BlockInterpreter &block, tile::StoreElementOp op,
            const MemoryView &memory, const Elements<T> &values) {
  LaneIndices indices(block, op.getIndices());
  const LaneMask &mask = block.getMask();
  int64_t lanes = indices.isUniform && values.isUniform() ? 1 : mask.count;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    if (lanes > 1 && !mask.runs(lane))
      continue;
    ArrayRef<int64_t> index = indices.get(lane);
    T value = values[lane];
    if (memory.global) {
      Extents place = memory.toRoot(index);
      if (memory.contains(place))
        memory.global->writeRow(place, 1, &value);
      continue;
    }
    FailureOr<int64_t> place = locateShared(block, op, memory, index);
    if (failed(place))
      return failure();
    if (memory.shared->states[*place] == ElementState::InFlight)
      return block.fail(
          op, "a shared element is written while an asynchronous copy is "
              "filling it");
    memory.shared->getValues<T>()[*place] = value;
    memory.shared->states[*place] = ElementState::Written;
  }
  return success();
}

static LogicalResult executeStoreElement(BlockInterpreter &block,
                                         tile::StoreElementOp op) {
  const MemoryView &memory = block.get(op.getMemory()).getMemory();
  if (failed(requireWritable(block, op, memory)))
    return failure();
  RuntimeValue values = block.getNarrow(op.getValue());
  if (values.isFloat())
    return writeMemory(block, op, memory, values.getFloats());
  return writeMemory(block, op, memory, values.getIntegers());
}

void tilec::addElementHandlers(HandlerTable &table) {
  table.add<tile::ElementOp, executeElement>();
  table.add<tile::LoadElementOp, executeLoadElement>();
  table.add<tile::StoreElementOp, executeStoreElement>();
}
