//===- MemoryOps.cpp - Shared tiles and moves of whole tiles --------------===//
#include "compiler/Interpreter/TileAccess.h"

using namespace mlir;
using namespace tilec;

static LogicalResult executeAllocShared(BlockInterpreter &block,
                                        tile::AllocSharedOp op) {
  if (failed(block.requireWholeBlock(op)))
    return failure();
  tile::SharedType type = op.getResult().getType();
  MemoryView view;
  view.shape = type.getShape();
  view.shared = std::make_shared<SharedTile>(
      op.getName().value_or("").str(), op.getLoc(),
      *findFormat(type.getElementType()), countElements(view.shape));
  block.set(op.getResult(), std::move(view));
  return success();
}

static LogicalResult executeStage(BlockInterpreter &block, tile::StageOp op) {
  FailureOr<int64_t> iteration = block.getUniform(op, op.getIteration());
  if (failed(iteration))
    return failure();
  MemoryView view = block.get(op.getSource()).getMemory();
  int64_t stages = view.shape.front();
  int64_t stage =
      (*iteration % stages + int64_t(op.getOffset()) % stages) % stages;
  if (stage < 0)
    return block.fail(op, "a stage of iteration " + llvm::Twine(*iteration) +
                              ", which is negative");
  view.shape.erase(view.shape.begin());
  view.offset += stage * countElements(view.shape);
  block.set(op.getResult(), std::move(view));
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
  table.add<tile::CopyOp, executeCopy>();
  table.add<tile::LoadOp, executeLoad>();
  table.add<tile::StoreOp, executeStore>();
}
