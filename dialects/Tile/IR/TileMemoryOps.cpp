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

LogicalResult UnpackedOp::verify() {
  SharedType source = getSource().getType(), result = getResult().getType();
  const layout::PackedOrder &order = getOrder().getOrder();
  // unpacked-c1: rows of memory on one side, the tile of the order on the
  // other.
  if (source.getRank() != 2 || source.getLayout() ||
      source.getElementType() != result.getElementType() ||
      int(getElementBits(source.getElementType())) != order.elementBits() ||
      source.getShape()[0] * source.getShape()[1] != order.elements() ||
      !llvm::equal(result.getShape(), order.shape()))
    return emitOpError("unpacked-c1: names ")
           << order.str() << " in rows of as many elements";
  // unpacked-c2: they know the order.
  for (Operation *user : getResult().getUsers())
    if (!isa<GemmOp, OperandOp>(user))
      return emitOpError("unpacked-c2: is for products and their operands");
  return success();
}

/// The dimensions of a source of rank `rank` that a part of rank `count` has:
/// those listed, else the last ones.
static SmallVector<int64_t> getKept(std::optional<ArrayRef<int64_t>> kept,
                                    int64_t rank, int64_t count) {
  if (kept)
    return SmallVector<int64_t>(*kept);
  SmallVector<int64_t> dims;
  for (int64_t dim = rank - count; dim < rank; ++dim)
    dims.push_back(dim);
  return dims;
}

/// part-c1: kept dimensions are in order, one for each of the result.
static LogicalResult verifyKept(Operation *op, ArrayRef<int64_t> kept,
                                int64_t rank, int64_t count) {
  if (int64_t(kept.size()) != count || !llvm::is_sorted(kept) ||
      std::adjacent_find(kept.begin(), kept.end()) != kept.end() ||
      llvm::any_of(kept, [&](int64_t dim) { return dim < 0 || dim >= rank; }))
    return op->emitOpError("part-c1: 'kept' lists, in order, one dimension of "
                           "the source for each of the result");
  return success();
}

/// part-c2: element type and packed dimension stay.
static LogicalResult verifyPacking(Operation *op, Type source, Type result,
                                   int64_t sourcePack, int64_t resultPack,
                                   ArrayRef<int64_t> kept) {
  if (getTileElementType(source) != getTileElementType(result) ||
      (resultPack >= 0 ? kept[resultPack] : -1) != sourcePack)
    return op->emitOpError("part-c2: element type and packed dimension stay");
  return success();
}

SmallVector<int64_t> SliceOp::getKeptDims() {
  return ::getKept(getKept(), getSource().getType().getRank(),
                   getResult().getType().getRank());
}

LogicalResult SliceOp::verify() {
  SharedType source = getSource().getType(), result = getResult().getType();
  if (failed(verifyIndices(*this, source, getOffsets().size())))
    return failure();
  SmallVector<int64_t> kept = getKeptDims();
  if (failed(verifyKept(*this, kept, source.getRank(), result.getRank())) ||
      failed(verifyPacking(*this, source, result, source.getPackDim(),
                           result.getPackDim(), kept)))
    return failure();
  // slice-c1: the part is not longer than the tile.
  for (auto [dim, extent] : llvm::zip_equal(kept, result.getShape()))
    if (extent > source.getShape()[dim])
      return emitOpError("slice-c1: extent ")
             << extent << " is above that of dimension " << dim << ", "
             << source.getShape()[dim];
  return success();
}

SmallVector<int64_t> ViewOp::getKeptDims() {
  return ::getKept(getKept(), getSource().getType().getRank(),
                   getResult().getType().getRank());
}

LogicalResult ViewOp::verify() {
  GlobalType source = getSource().getType(), result = getResult().getType();
  if (failed(verifyIndices(*this, source, getOffsets().size())))
    return failure();
  SmallVector<int64_t> kept = getKeptDims();
  if (failed(verifyKept(*this, kept, source.getRank(), result.getRank())) ||
      failed(verifyPacking(*this, source, result, source.getPackDim(),
                           result.getPackDim(), kept)))
    return failure();
  // view-c1: one size for each dimension of the result.
  if (int64_t(getSizes().size()) != result.getRank())
    return emitOpError("view-c1: has one size for each dimension of the "
                       "result");
  return success();
}

LogicalResult CopyOp::verify() {
  Type source = getSource().getType(), destination = getDestination().getType();
  if (isa<GlobalType>(source) && isa<GlobalType>(destination))
    return emitOpError("copy-c1: one side is a shared tile");
  // copy-c2: a shared destination gives the shape, so it is written whole; a
  // part of a tile is a tile.slice.
  if (isa<SharedType>(destination) && !getDestinationIndices().empty())
    return emitOpError("copy-c2: a shared destination has no indices");
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

/// A fragment and the part of a memory that begins at `indices`.
static LogicalResult verifyMoved(Operation *op, Type memory, size_t indices,
                                 Type fragment) {
  if (failed(verifyIndices(op, memory, indices)) ||
      failed(verifyElementTypes(op, memory, fragment)))
    return failure();
  return verifyShape(op, memory, indices, getTileShape(fragment));
}

LogicalResult LoadOp::verify() {
  return verifyMoved(*this, getMemory().getType(), getIndices().size(),
                     getResult().getType());
}

void LoadOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getMemoryMutable());
}

LogicalResult StoreOp::verify() {
  return verifyMoved(*this, getMemory().getType(), getIndices().size(),
                     getValue().getType());
}

void StoreOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), &getMemoryMutable());
}

LogicalResult StoreThroughOp::verify() {
  ArrayRef<int64_t> shape = getTileShape(getValue().getType()),
                    staging = getTileShape(getStaging().getType());
  GlobalType memory = getMemory().getType();
  // store-through-c1: a matrix of what the tensor holds.
  if (shape.size() != 2 || memory.getRank() < 2 ||
      int64_t(getIndices().size()) != memory.getRank() ||
      getTileElementType(getValue().getType()) != memory.getElementType() ||
      getStaging().getType().getElementType() != memory.getElementType())
    return emitOpError("store-through-c1: stores a matrix of the tensor's "
                       "elements, at one index for each dimension");
  // store-through-c2: two buffers a warpgroup, of parts of the fragment.
  if (staging.size() != 3 || staging[0] % 2 != 0 || staging[1] % 8 != 0 ||
      staging[1] > 64 || shape[0] % staging[1] != 0 ||
      shape[1] % staging[2] != 0)
    return emitOpError("store-through-c2: has two buffers for each warpgroup, "
                       "of 8 to 64 rows, whose extents divide the fragment's");
  return success();
}

void StoreThroughOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), &getMemoryMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &getStagingMutable());
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

LogicalResult StorePairOp::verify() {
  Type memory = getMemory().getType();
  if (getIndices().size() != getTileShape(memory).size())
    return emitOpError("element-c1: needs one index for each dimension");
  // store-pair-c1: two elements in a byte.
  if (getElementBits(getTileElementType(memory)) != 4)
    return emitOpError("store-pair-c1: elements of the memory share bytes");
  return verifyElementTypes(*this, memory, getLow().getType());
}

void StorePairOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), &getMemoryMutable());
}

/// atomic-c1: what the hardware can change atomically.
static LogicalResult verifyAtomicType(Operation *op, AtomicKind kind,
                                      Type element) {
  bool isKnown = element.isInteger(32) || element.isInteger(64);
  if (kind == AtomicKind::Add)
    isKnown |= element.isF32() || element.isF64() || element.isF16() ||
               element.isBF16();
  else
    isKnown |= element.isF32();
  if (!isKnown)
    return op->emitOpError("atomic-c1: no atomic '")
           << stringifyAtomicKind(kind) << "' of " << element;
  return success();
}

LogicalResult AtomicOp::verify() {
  Type memory = getMemory().getType();
  if (failed(verifyIndices(*this, memory, getIndices().size())) ||
      failed(verifyElementTypes(*this, memory, getValue().getType())) ||
      failed(verifyShape(*this, memory, getIndices().size(),
                         getTileShape(getValue().getType()))))
    return failure();
  return verifyAtomicType(*this, getKind(), getTileElementType(memory));
}

void AtomicOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getMemoryMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &getMemoryMutable());
}

LogicalResult AtomicElementOp::verify() {
  Type memory = getMemory().getType();
  if (getIndices().size() != getTileShape(memory).size())
    return emitOpError("element-c1: needs one index for each dimension");
  if (failed(verifyElementTypes(*this, memory, getValue().getType())))
    return failure();
  return verifyAtomicType(*this, getKind(), getTileElementType(memory));
}

void AtomicElementOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getMemoryMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &getMemoryMutable());
}
