//===- TileAccess.cpp - Reads and writes of whole tiles -------------------===//
//
// A box is walked row by row along its last dimension.  The part of a row that
// lies inside a global tensor is one run of elements; a box of a shared tile
// must lie inside as a whole.
//
//===----------------------------------------------------------------------===//
#include "compiler/Interpreter/TileAccess.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tilec;

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

static std::string describe(const SharedTile &tile) {
  return tile.name.empty() ? "a shared tile"
                           : "shared tile '" + tile.name + "'";
}

LogicalResult tilec::requireReadable(BlockInterpreter &block, Operation *op,
                                     const MemoryView &memory) {
  if (memory.global && !memory.global->canRead)
    return block.fail(op, "'" + memory.global->name +
                              "' is 'out' and cannot be read");
  return success();
}

LogicalResult tilec::requireWritable(BlockInterpreter &block, Operation *op,
                                     const MemoryView &memory) {
  if (memory.global && !memory.global->canWrite)
    return block.fail(op, "'" + memory.global->name + "' is read-only");
  return success();
}

LogicalResult tilec::failUndefined(BlockInterpreter &block, Operation *op,
                                   const SharedTile &tile, ElementState state,
                                   ArrayRef<int64_t> index) {
  std::string place =
      "[" +
      llvm::join(
          llvm::map_range(index, [](int64_t i) { return std::to_string(i); }),
          ", ") +
      "]";
  if (state == ElementState::InFlight)
    return block.fail(op, describe(tile) + " is read at " + place +
                              " while an asynchronous copy is filling it");
  return block.fail(op, describe(tile) + " is read at " + place +
                            " before anything was written there");
}

LogicalResult tilec::failOutside(BlockInterpreter &block, Operation *op,
                                 const MemoryView &memory, size_t dim,
                                 int64_t index) {
  return block.fail(op, describe(*memory.shared) + " is accessed at index " +
                            llvm::Twine(index) + " of dimension " +
                            llvm::Twine(dim) + ", which has " +
                            llvm::Twine(memory.shape[dim]));
}

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

FailureOr<TileBox> tilec::makeBox(BlockInterpreter &block, Operation *op,
                                  const MemoryView &memory, ValueRange indices,
                                  ArrayRef<int64_t> shape) {
  TileBox box;
  box.shape = shape;
  if (indices.empty()) {
    box.anchor.assign(memory.shape.size(), 0);
    return box;
  }
  FailureOr<std::vector<int64_t>> anchor = block.getUniform(op, indices);
  if (failed(anchor))
    return failure();
  box.anchor = std::move(*anchor);
  return box;
}

/// The indices of `count` elements from `first` on that lie in [0, extent), as
/// offsets from `first`.  No sum here can overflow.
static std::pair<int64_t, int64_t> clipRun(int64_t first, int64_t count,
                                           int64_t extent) {
  if (first >= extent || first <= -count)
    return {0, 0};
  return {std::max<int64_t>(-first, 0), std::min(count, extent - first)};
}

/// Calls `visit(element, index, count)` for the part of each row of the box
/// that lies inside a memory of `memoryShape`: the number of its first element
/// in the box, the index of that in the memory, and its length.
template <typename Visitor>
static void visitRows(ArrayRef<int64_t> memoryShape, const TileBox &box,
                      Visitor visit) {
  size_t rank = memoryShape.size(), tileRank = box.shape.size();
  int64_t length = tileRank ? box.shape.back() : 1;
  int64_t rows = llvm::product_of(box.shape) / length;
  size_t selected = rank - std::max<size_t>(tileRank, 1);
  auto [begin, end] = clipRun(box.anchor.back(), length, memoryShape.back());
  if (begin >= end)
    return;
  SmallVector<int64_t> index(box.anchor.begin(), box.anchor.end());
  for (int64_t row = 0; row < rows; ++row) {
    bool inside = true;
    int64_t rest = row;
    for (size_t d = rank - 1; d-- > 0;) {
      int64_t extent = d >= selected ? box.shape[d - selected] : 1;
      // An index past int64 wraps, as the kernel's arithmetic would.
      index[d] = int64_t(uint64_t(box.anchor[d]) + uint64_t(rest % extent));
      rest /= extent;
      inside &= index[d] >= 0 && index[d] < memoryShape[d];
    }
    index[rank - 1] = box.anchor[rank - 1] + begin;
    if (inside)
      visit(row * length + begin, index, end - begin);
  }
}

/// Fails unless the box lies inside the shared tile.
static LogicalResult requireInside(BlockInterpreter &block, Operation *op,
                                   const MemoryView &memory,
                                   const TileBox &box) {
  size_t selected = memory.shape.size() - box.shape.size();
  for (size_t d = 0; d < memory.shape.size(); ++d) {
    int64_t extent = d >= selected ? box.shape[d - selected] : 1;
    int64_t first = box.anchor[d];
    if (first < 0 || first >= memory.shape[d])
      return failOutside(block, op, memory, d, first);
    if (extent > memory.shape[d] - first)
      return failOutside(block, op, memory, d, memory.shape[d]);
  }
  return success();
}

/// Number of an element within its shared tile.
static int64_t locate(const MemoryView &memory, ArrayRef<int64_t> index) {
  int64_t element = 0;
  for (auto [i, extent] : llvm::zip_equal(index, memory.shape))
    element = element * extent + i;
  return memory.offset + element;
}

//===----------------------------------------------------------------------===//
// Reads
//===----------------------------------------------------------------------===//

RuntimeValue tilec::getPad(const BlockInterpreter &block, Value pad,
                           const MemoryView &memory) {
  if (pad)
    return block.getNarrow(pad);
  NumberFormat format =
      memory.global ? memory.global->format : memory.shared->format;
  if (format == NumberFormat::E8M0)
    return Floats(1.0);
  return isFloat(format) ? RuntimeValue(Floats(0.0))
                         : RuntimeValue(Integers(0));
}

template <typename T>
static RuntimeValue readGlobal(const GlobalTensor &tensor, const TileBox &box,
                               T pad) {
  std::vector<T> elements(llvm::product_of(box.shape), pad);
  visitRows(tensor.shape, box,
            [&](int64_t element, ArrayRef<int64_t> index, int64_t count) {
              tensor.readRow(index, count, elements.data() + element);
            });
  return Elements<T>(std::move(elements));
}

template <typename T>
static FailureOr<RuntimeValue>
readShared(BlockInterpreter &block, Operation *op, const MemoryView &memory,
           const TileBox &box) {
  SharedTile &tile = *memory.shared;
  const std::vector<T> &values = tile.getValues<T>();
  std::vector<T> elements(llvm::product_of(box.shape));
  LogicalResult defined = success();
  visitRows(memory.shape, box,
            [&](int64_t element, ArrayRef<int64_t> index, int64_t count) {
              int64_t place = locate(memory, index);
              std::copy_n(values.begin() + place, count,
                          elements.begin() + element);
              for (int64_t i = 0; i < count && succeeded(defined); ++i) {
                ElementState state = tile.states[place + i];
                if (state == ElementState::Written)
                  continue;
                SmallVector<int64_t> where(index);
                where.back() += i;
                defined = failUndefined(block, op, tile, state, where);
              }
            });
  if (failed(defined))
    return failure();
  return RuntimeValue(Elements<T>(std::move(elements)));
}

FailureOr<RuntimeValue> tilec::readTile(BlockInterpreter &block, Operation *op,
                                        const MemoryView &memory,
                                        const TileBox &box,
                                        const RuntimeValue &pad) {
  if (memory.global) {
    if (failed(requireReadable(block, op, memory)))
      return failure();
    const GlobalTensor &tensor = *memory.global;
    if (pad.isFloat())
      return readGlobal(tensor, box, pad.getFloats()[0]);
    return readGlobal(tensor, box, pad.getIntegers()[0]);
  }
  if (failed(requireInside(block, op, memory, box)))
    return failure();
  if (isFloat(memory.shared->format))
    return readShared<double>(block, op, memory, box);
  return readShared<int64_t>(block, op, memory, box);
}

//===----------------------------------------------------------------------===//
// Writes
//===----------------------------------------------------------------------===//

template <typename T>
static void writeElements(const MemoryView &memory, const TileBox &box,
                          const Elements<T> &elements) {
  std::vector<T> splat;
  const T *source = elements.data();
  if (elements.isUniform()) {
    splat = elements.expand(llvm::product_of(box.shape));
    source = splat.data();
  }
  if (memory.global) {
    visitRows(memory.global->shape, box,
              [&](int64_t element, ArrayRef<int64_t> index, int64_t count) {
                memory.global->writeRow(index, count, source + element);
              });
    return;
  }
  SharedTile &tile = *memory.shared;
  visitRows(memory.shape, box,
            [&](int64_t element, ArrayRef<int64_t> index, int64_t count) {
              int64_t place = locate(memory, index);
              std::copy_n(source + element, count,
                          tile.getValues<T>().begin() + place);
              std::fill_n(tile.states.begin() + place, count,
                          ElementState::Written);
            });
}

/// Fails if an asynchronous copy is still filling an element of the box.
static LogicalResult requireSettled(BlockInterpreter &block, Operation *op,
                                    const MemoryView &memory,
                                    const TileBox &box) {
  LogicalResult settled = success();
  visitRows(
      memory.shape, box, [&](int64_t, ArrayRef<int64_t> index, int64_t count) {
        auto first = memory.shared->states.begin() + locate(memory, index);
        if (succeeded(settled) &&
            std::count(first, first + count, ElementState::InFlight))
          settled = block.fail(
              op, describe(*memory.shared) +
                      " is written while an asynchronous copy is filling it");
      });
  return settled;
}

LogicalResult tilec::writeTile(BlockInterpreter &block, Operation *op,
                               const MemoryView &memory, const TileBox &box,
                               const RuntimeValue &elements) {
  if (failed(requireWritable(block, op, memory)))
    return failure();
  if (memory.shared && (failed(requireInside(block, op, memory, box)) ||
                        failed(requireSettled(block, op, memory, box))))
    return failure();
  if (elements.isFloat())
    writeElements(memory, box, elements.getFloats());
  else
    writeElements(memory, box, elements.getIntegers());
  return success();
}

void tilec::markElements(const MemoryView &shared, ElementState state) {
  auto first = shared.shared->states.begin() + shared.offset;
  std::fill_n(first, countElements(shared.shape), state);
}
