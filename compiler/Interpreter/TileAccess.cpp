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

/// Fails unless the box lies inside the shared tile.
static LogicalResult requireInside(BlockInterpreter &block, Operation *op,
                                   const MemoryView &memory,
                                   ArrayRef<int64_t> anchor,
                                   ArrayRef<int64_t> shape) {
  size_t selected = memory.shape.size() - shape.size();
  for (size_t d = 0; d < memory.shape.size(); ++d) {
    int64_t extent = d >= selected ? shape[d - selected] : 1;
    int64_t first = anchor[d];
    if (first < 0 || first >= memory.shape[d])
      return failOutside(block, op, memory, d, first);
    if (extent > memory.shape[d] - first)
      return failOutside(block, op, memory, d, memory.shape[d]);
  }
  return success();
}

FailureOr<TileBox> tilec::makeBox(BlockInterpreter &block, Operation *op,
                                  const MemoryView &memory, ValueRange indices,
                                  ArrayRef<int64_t> shape) {
  std::vector<int64_t> anchor(memory.shape.size(), 0);
  if (!indices.empty()) {
    FailureOr<std::vector<int64_t>> given = block.getUniform(op, indices);
    if (failed(given))
      return failure();
    anchor = std::move(*given);
  }
  if (memory.shared && failed(requireInside(block, op, memory, anchor, shape)))
    return failure();
  TileBox box;
  box.anchor = memory.toRoot(anchor);
  box.shape.assign(box.anchor.size(), 1);
  size_t selected = memory.shape.size() - shape.size();
  for (auto [d, extent] : llvm::enumerate(shape))
    box.shape[memory.dims[selected + d]] = extent;
  return box;
}

/// The indices of `count` elements from `first` on that lie in [lower, upper),
/// as offsets from `first`.  No sum here can overflow.
static std::pair<int64_t, int64_t> clipRun(int64_t first, int64_t count,
                                           int64_t lower, int64_t upper) {
  if (first >= upper || first <= lower - count)
    return {0, 0};
  return {first < lower ? lower - first : 0, std::min(count, upper - first)};
}

/// Calls `visit(element, index, count)` for the part of each row of the box
/// that lies inside a view: the number of its first element in the box, the
/// index of that in the root, and its length.
template <typename Visitor>
static void visitRows(const MemoryView &memory, const TileBox &box,
                      Visitor visit) {
  size_t rank = box.shape.size();
  int64_t length = box.shape.back();
  int64_t rows = llvm::product_of(box.shape) / length;
  auto [begin, end] = clipRun(box.anchor.back(), length, memory.lower.back(),
                              memory.upper.back());
  if (begin >= end)
    return;
  SmallVector<int64_t> index(box.anchor.begin(), box.anchor.end());
  for (int64_t row = 0; row < rows; ++row) {
    bool inside = true;
    int64_t rest = row;
    for (size_t d = rank - 1; d-- > 0;) {
      int64_t extent = box.shape[d];
      // An index past int64 wraps, as the kernel's arithmetic would.
      index[d] = int64_t(uint64_t(box.anchor[d]) + uint64_t(rest % extent));
      rest /= extent;
      inside &= index[d] >= memory.lower[d] && index[d] < memory.upper[d];
    }
    index[rank - 1] = box.anchor[rank - 1] + begin;
    if (inside)
      visit(row * length + begin, index, end - begin);
  }
}

/// Number of an element within its shared tile.
int64_t tilec::locateElement(const SharedTile &tile,
                             ArrayRef<int64_t> rootIndex) {
  int64_t element = 0;
  for (auto [i, extent] : llvm::zip_equal(rootIndex, tile.shape))
    element = element * extent + i;
  return element;
}

//===----------------------------------------------------------------------===//
// Reads
//===----------------------------------------------------------------------===//

RuntimeValue tilec::getPad(const BlockInterpreter &block, Value pad,
                           const MemoryView &memory) {
  if (pad)
    return block.getNarrow(pad);
  NumberFormat format = memory.getFormat();
  if (format == NumberFormat::E8M0)
    return Floats(1.0);
  return isFloat(format) ? RuntimeValue(Floats(0.0))
                         : RuntimeValue(Integers(0));
}

template <typename T>
static RuntimeValue readGlobal(const MemoryView &memory, const TileBox &box,
                               T pad) {
  std::vector<T> elements(llvm::product_of(box.shape), pad);
  visitRows(memory, box,
            [&](int64_t element, ArrayRef<int64_t> index, int64_t count) {
              memory.global->readRow(index, count, elements.data() + element);
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
  visitRows(
      memory, box,
      [&](int64_t element, ArrayRef<int64_t> index, int64_t count) {
        int64_t place = locateElement(*memory.shared, index);
        std::copy_n(values.begin() + place, count, elements.begin() + element);
        for (int64_t i = 0; i < count && succeeded(defined); ++i) {
          ElementState state = tile.states[place + i];
          if (state == ElementState::Written)
            continue;
          SmallVector<int64_t> where(index);
          where.back() += i;
          defined =
              failUndefined(block, op, tile, state, memory.fromRoot(where));
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
    if (pad.isFloat())
      return readGlobal(memory, box, pad.getFloats()[0]);
    return readGlobal(memory, box, pad.getIntegers()[0]);
  }
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
    visitRows(memory, box,
              [&](int64_t element, ArrayRef<int64_t> index, int64_t count) {
                memory.global->writeRow(index, count, source + element);
              });
    return;
  }
  SharedTile &tile = *memory.shared;
  visitRows(memory, box,
            [&](int64_t element, ArrayRef<int64_t> index, int64_t count) {
              int64_t place = locateElement(*memory.shared, index);
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
  visitRows(memory, box, [&](int64_t, ArrayRef<int64_t> index, int64_t count) {
    auto first =
        memory.shared->states.begin() + locateElement(*memory.shared, index);
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
  if (memory.shared && failed(requireSettled(block, op, memory, box)))
    return failure();
  if (elements.isFloat())
    writeElements(memory, box, elements.getFloats());
  else
    writeElements(memory, box, elements.getIntegers());
  return success();
}

void tilec::markElements(const MemoryView &shared, const TileBox &box,
                         ElementState state) {
  visitRows(shared, box, [&](int64_t, ArrayRef<int64_t> index, int64_t count) {
    std::fill_n(shared.shared->states.begin() +
                    locateElement(*shared.shared, index),
                count, state);
  });
}

bool tilec::hasElements(const MemoryView &shared, const TileBox &box,
                        ElementState state) {
  bool found = false;
  visitRows(shared, box, [&](int64_t, ArrayRef<int64_t> index, int64_t count) {
    auto first =
        shared.shared->states.begin() + locateElement(*shared.shared, index);
    found |= std::count(first, first + count, state) > 0;
  });
  return found;
}
