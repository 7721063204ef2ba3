//===- TileMemoryOps.cpp - Verifiers and effects of the memory family -----===//

#include "dialects/Tile/IR/TileOps.h"

using namespace mlir;
using namespace mlir::tile;

using Effects =
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

/// memory-c1: a global side has one index for each dimension; a whole shared
/// tile has none.
static LogicalResult verifyIndices(Operation *op, Type memory, size_t count) {
  int64_t rank = getTileShape(memory).size();
  if (isa<SharedType>(memory) && count == 0)
    return success();
  if (int64_t(count) != rank)
    return op->emitOpError("memory-c1: needs one index for each dimension of ")
           << memory << ", found " << count;
  return success();
}

/// memory-c2: the shape of a tile is no longer than the memory's rank; on a
/// whole shared tile it is the tile's.
static LogicalResult verifyShape(Operation *op, Type memory, size_t indices,
                                 ArrayRef<int64_t> shape) {
  ArrayRef<int64_t> memoryShape = getTileShape(memory);
  if (isa<SharedType>(memory) && indices == 0 && memoryShape != shape)
    return op->emitOpError("memory-c2: shape differs from that of ") << memory;
  if (shape.size() > memoryShape.size())
    return op->emitOpError("memory-c2: rank is above that of ") << memory;
  return success();
}

/// memory-c3: no conversion on the way.
static LogicalResult verifyElementTypes(Operation *op, Type memory,
                                        Type other) {
  if (getTileElementType(memory) != getTileElementType(other))
    return op->emitOpError("memory-c3: element types differ: ")
           << getTileElementType(memory) << " and "
           << getTileElementType(other);
  return success();
}

void AllocSharedOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Allocate::get(),
                       getOperation()->getOpResult(0));
}

LogicalResult StageOp::verify() {
  SharedType source = getSource().getType(), result = getResult().getType();
  // stage-c1: the result is the source without its first dimension.
  if (source.getRank() < 2 ||
      source.getShape().drop_front() != result.getShape() ||
      source.getElementType() != result.getElementType() ||
      source.getLayout() != result.getLayout() ||
      source.getPackDim() !=
          (result.getPackDim() < 0 ? -1 : result.getPackDim() + 1))
    return emitOpError(
        "stage-c1: result is the source without its first dimension");
  if (int64_t(getOffset()) < 0)
    return emitOpError("stage-c2: offset is not negative");
  return success();
}

Type BytesOp::getBytesType(Type packed) {
  Type byte = IntegerType::get(packed.getContext(), 8);
  SmallVector<int64_t> shape(getTileShape(packed));
  int64_t packDim = isa<GlobalType>(packed)
                        ? cast<GlobalType>(packed).getPackDim()
                        : cast<SharedType>(packed).getPackDim();
  if (!ShapedType::isDynamic(shape[packDim]))
    shape[packDim] = (shape[packDim] + 1) / 2;
  if (isa<GlobalType>(packed))
    return GlobalType::get(packed.getContext(), shape, byte, /*packDim=*/-1);
  return SharedType::get(packed.getContext(), shape, byte, /*packDim=*/-1,
                         cast<SharedType>(packed).getLayout());
}

void BytesOp::build(OpBuilder &builder, OperationState &state, Value source) {
  build(builder, state, getBytesType(source.getType()), source);
}

LogicalResult BytesOp::verify() {
  Type source = getSource().getType();
  // bytes-c1: 4-bit elements become their storage.
  if (getTileElementType(source).getIntOrFloatBitWidth() != 4 ||
      getBytesType(source) != getResult().getType())
    return emitOpError("bytes-c1: gives the storage of a 4-bit tensor or tile");
  return success();
}

LogicalResult CopyOp::verify() {
  Type source = getSource().getType(), destination = getDestination().getType();
  if (isa<GlobalType>(source) && isa<GlobalType>(destination))
    return emitOpError("copy-c1: one side is a shared tile");
  if (failed(verifyIndices(*this, source, getSourceIndices().size())) ||
      failed(
          verifyIndices(*this, destination, getDestinationIndices().size())) ||
      failed(verifyElementTypes(*this, source, destination)))
    return failure();
  ArrayRef<int64_t> shape =
      getTileShape(isa<SharedType>(destination) ? destination : source);
  Type other = isa<SharedType>(destination) ? source : destination;
  size_t count = isa<SharedType>(destination) ? getSourceIndices().size()
                                              : getDestinationIndices().size();
  return verifyShape(*this, other, count, shape);
}

void CopyOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getSourceMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &getDestinationMutable());
}

LogicalResult LoadOp::verify() {
  if (failed(
          verifyIndices(*this, getMemory().getType(), getIndices().size())) ||
      failed(verifyElementTypes(*this, getMemory().getType(),
                                getResult().getType())))
    return failure();
  return verifyShape(*this, getMemory().getType(), getIndices().size(),
                     getTileShape(getResult().getType()));
}

void LoadOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getMemoryMutable());
}

LogicalResult StoreOp::verify() {
  if (failed(
          verifyIndices(*this, getMemory().getType(), getIndices().size())) ||
      failed(verifyElementTypes(*this, getMemory().getType(),
                                getValue().getType())))
    return failure();
  return verifyShape(*this, getMemory().getType(), getIndices().size(),
                     getTileShape(getValue().getType()));
}

void StoreOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), &getMemoryMutable());
}

LogicalResult ElementOp::verify() {
  // element-c1: one index for each dimension.
  if (getIndices().size() != getTileShape(getFragment().getType()).size())
    return emitOpError("element-c1: needs one index for each dimension");
  return success();
}

LogicalResult LoadElementOp::verify() {
  if (getIndices().size() != getTileShape(getMemory().getType()).size())
    return emitOpError("element-c1: needs one index for each dimension");
  return verifyElementTypes(*this, getMemory().getType(),
                            getResult().getType());
}

void LoadElementOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getMemoryMutable());
}

LogicalResult StoreElementOp::verify() {
  if (getIndices().size() != getTileShape(getMemory().getType()).size())
    return emitOpError("element-c1: needs one index for each dimension");
  return verifyElementTypes(*this, getMemory().getType(), getValue().getType());
}

void StoreElementOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), &getMemoryMutable());
}
