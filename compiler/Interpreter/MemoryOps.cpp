//===- MemoryOps.cpp - Shared tiles and moves of whole tiles --------------===//
#include "compiler/Interpreter/TileAccess.h"

using namespace mlir;
using namespace tilec;

static LogicalResult executeAllocShared(BlockInterpreter &block,
                                        tile::AllocSharedOp op) {
  if (failed(block.requireWholeBlock(op)))
    return failure();
  tile::SharedType type = op.getResult().getType();
  block.set(op.getResult(),
            MemoryView(std::make_shared<SharedTile>(
                op.getName().value_or("").str(), op.getLoc(),
                *findFormat(type.getElementType()), type.getShape())));
  return success();
}

/// The dimensions of a view but the first `dropped`.
static SmallVector<int64_t> getLastDims(const MemoryView &view,
                                        int64_t dropped) {
  return llvm::to_vector(
      llvm::seq<int64_t>(dropped, int64_t(view.shape.size())));
}

static LogicalResult executeStage(BlockInterpreter &block, tile::StageOp op) {
  FailureOr<int64_t> iteration = block.getUniform(op, op.getIteration());
  if (failed(iteration))
    return failure();
  const MemoryView &view = block.get(op.getSource()).getMemory();
  int64_t stages = view.shape.front();
  int64_t stage =
      (*iteration % stages + int64_t(op.getOffset()) % stages) % stages;
  if (stage < 0)
    return block.fail(op, "a stage of iteration " + llvm::Twine(*iteration) +
                              ", which is negative");
  SmallVector<int64_t> offsets(view.shape.size(), 0);
  offsets[0] = stage;
  block.set(op.getResult(), view.narrow(offsets, op.getType().getShape(),
                                        getLastDims(view, 1)));
  return success();
}

static LogicalResult executeSlice(BlockInterpreter &block, tile::SliceOp op) {
  FailureOr<std::vector<int64_t>> offsets =
      block.getUniform(op, op.getOffsets());
  if (failed(offsets))
    return failure();
  const MemoryView &source = block.get(op.getSource()).getMemory();
  SmallVector<int64_t> kept = op.getKeptDims();
  ArrayRef<int64_t> sizes = op.getType().getShape();
  SmallVector<int64_t> extents(source.shape.size(), 1);
  for (auto [dim, size] : llvm::zip_equal(kept, sizes))
    extents[dim] = size;
  for (size_t d = 0; d < extents.size(); ++d) {
    int64_t first = (*offsets)[d];
    if (first < 0 || first >= source.shape[d])
      return failOutside(block, op, source, d, first);
    if (extents[d] > source.shape[d] - first)
      return failOutside(block, op, source, d, source.shape[d]);
  }
  block.set(op.getResult(), source.narrow(*offsets, sizes, kept));
  return success();
}

static LogicalResult executeView(BlockInterpreter &block, tile::ViewOp op) {
  FailureOr<std::vector<int64_t>> offsets =
      block.getUniform(op, op.getOffsets());
  FailureOr<std::vector<int64_t>> sizes = block.getUniform(op, op.getSizes());
  if (failed(offsets) || failed(sizes))
    return failure();
  const MemoryView &source = block.get(op.getSource()).getMemory();
  block.set(op.getResult(), source.narrow(*offsets, *sizes, op.getKeptDims()));
  return success();
}

static LogicalResult executeCopy(BlockInterpreter &block, tile::CopyOp op) {
  if (failed(block.requireWholeBlock(op)))
    return failure();
  const MemoryView &source = block.get(op.getSource()).getMemory();
  const MemoryView &destination = block.get(op.getDestination()).getMemory();
  // The shape is that of the side that is named as a whole tile.
  bool isShapeOfSource =
      destination.global || !op.getDestinationIndices().empty();
  ArrayRef<int64_t> shape = isShapeOfSource ? source.shape : destination.shape;
  FailureOr<TileBox> from =
      makeBox(block, op, source, op.getSourceIndices(), shape);
  FailureOr<TileBox> to =
      makeBox(block, op, destination, op.getDestinationIndices(), shape);
  if (failed(from) || failed(to))
    return failure();
  FailureOr<RuntimeValue> elements =
      readTile(block, op, source, *from, getPad(block, op.getPad(), source));
  if (failed(elements))
    return failure();
  return writeTile(block, op, destination, *to, *elements);
}

static LogicalResult executeLoad(BlockInterpreter &block, tile::LoadOp op) {
  if (failed(block.requireWholeBlock(op)))
    return failure();
  const MemoryView &memory = block.get(op.getMemory()).getMemory();
  FailureOr<TileBox> box =
      makeBox(block, op, memory, op.getIndices(),
              tile::getTileShape(op.getResult().getType()));
  if (failed(box))
    return failure();
  FailureOr<RuntimeValue> elements =
      readTile(block, op, memory, *box, getPad(block, op.getPad(), memory));
  if (failed(elements))
    return failure();
  block.set(op.getResult(), std::move(*elements));
  return success();
}

static LogicalResult executeStore(BlockInterpreter &block, tile::StoreOp op) {
  if (failed(block.requireWholeBlock(op)))
    return failure();
  const MemoryView &memory = block.get(op.getMemory()).getMemory();
  FailureOr<TileBox> box = makeBox(block, op, memory, op.getIndices(),
                                   tile::getTileShape(op.getValue().getType()));
  if (failed(box))
    return failure();
  return writeTile(block, op, memory, *box, block.getNarrow(op.getValue()));
}

void tilec::addMemoryHandlers(HandlerTable &table) {
  table.add<tile::AllocSharedOp, executeAllocShared>();
  table.add<tile::StageOp, executeStage>();
  table.add<tile::SliceOp, executeSlice>();
  table.add<tile::ViewOp, executeView>();
  table.add<tile::CopyOp, executeCopy>();
  table.add<tile::LoadOp, executeLoad>();
  table.add<tile::StoreOp, executeStore>();
}
