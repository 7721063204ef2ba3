//===- GenerateMemory.cpp - Places, loads, stores, copies and products ----===//
//
// Operations on tiles take a tile's shape for the last dimensions of memory.
// Places of another form (a dimension dropped between two that stay) become
// element loops.
//
//===----------------------------------------------------------------------===//
#include "compiler/Frontend/MLIRGen/Generator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace tilec;
using namespace mlir;

bool Generator::Memory::isTrailing() const {
  for (const auto &[i, dim] : llvm::enumerate(kept))
    if (dim != getRank() - kept.size() + i)
      return false;
  return true;
}

Generator::Memory Generator::evaluate(const Place &place, Location location) {
  // The root may itself be a part of something.
  Memory base = place.base ? evaluate(*place.base, location)
                           : memories.lookup(place.root);
  Memory memory;
  memory.root = base.root;
  memory.indices = base.indices;
  memory.rootExtents = base.rootExtents;
  memory.parameter = base.parameter;
  bool isUnmoved = true;
  llvm::SmallVector<Value> ends(memory.getRank());
  for (const auto &[i, dim] : llvm::enumerate(place.dims)) {
    unsigned rootDim = base.kept[i];
    if (dim.offset) {
      Value offset = generate(*dim.offset);
      Value &index = memory.indices[rootDim];
      index = index ? arith::AddIOp::create(builder, location, index, offset)
                    : offset;
    }
    if (dim.isDropped)
      continue;
    if (dim.end && dim.extent == dynamicExtent)
      ends[rootDim] = generate(*dim.end);
    memory.kept.push_back(rootDim);
    memory.extents.push_back(dim.extent);
  }
  if (place.hasBounds())
    return narrow(place, std::move(memory), ends, location);
  for (Value index : memory.indices)
    isUnmoved &= !index;
  auto shared = dyn_cast<tile::SharedType>(memory.root.getType());
  memory.isWhole = shared && isUnmoved &&
                   memory.kept.size() == memory.getRank() &&
                   llvm::ArrayRef(memory.extents) == shared.getShape();
  // Alias statements evaluate their place once and use it later, so that the
  // zeros are made where they are needed.
  return memory;
}

Value Generator::getExtent(const Memory &memory, unsigned dim,
                           Location location) {
  if (!memory.rootExtents.empty())
    return memory.rootExtents[dim];
  auto type = cast<tile::GlobalType>(memory.root.getType());
  if (!ShapedType::isDynamic(type.getShape()[dim]))
    return createIndex(location, type.getShape()[dim]);
  return generate(*memory.parameter->extents[dim]);
}

/// A view with bounds of its own.  It keeps every dimension: an index out of
/// the bounds of one that is dropped stays out of them.
Generator::Memory Generator::narrow(const Place &place, Memory memory,
                                    llvm::ArrayRef<Value> ends,
                                    Location location) {
  auto source = cast<tile::GlobalType>(memory.root.getType());
  llvm::SmallVector<Value> offsets(memory.getRank()), sizes(memory.getRank());
  llvm::SmallVector<int64_t> shape(memory.getRank(), ShapedType::kDynamic);
  unsigned next = 0;
  for (const Place::Dim &dim : place.dims) {
    if (dim.isDropped)
      continue;
    unsigned rootDim = memory.kept[next++];
    if (!dim.end)
      continue;
    Value &offset = memory.indices[rootDim];
    if (Value end = ends[rootDim]) {
      Value count = arith::SubIOp::create(builder, location, end, offset);
      sizes[rootDim] = arith::MaxSIOp::create(builder, location, count,
                                              createIndex(location, 0));
    } else {
      sizes[rootDim] = createIndex(location, dim.extent);
      shape[rootDim] = dim.extent;
    }
    offsets[rootDim] = std::exchange(offset, Value());
  }
  for (unsigned dim = 0; dim < memory.getRank(); ++dim) {
    if (!offsets[dim])
      offsets[dim] = createIndex(location, 0);
    if (sizes[dim])
      continue;
    sizes[dim] = getExtent(memory, dim, location);
    shape[dim] = source.getShape()[dim];
  }
  auto type =
      tile::GlobalType::get(builder.getContext(), shape,
                            source.getElementType(), source.getPackDim());
  memory.root = tile::ViewOp::create(builder, location, type, memory.root,
                                     offsets, sizes, DenseI64ArrayAttr());
  memory.rootExtents = sizes;
  return memory;
}

llvm::SmallVector<Value> Generator::getIndices(const Memory &memory,
                                               Location location) {
  llvm::SmallVector<Value> filled = memory.indices;
  Value zero;
  for (Value &index : filled)
    if (!index)
      index = zero ? zero : (zero = createIndex(location, 0));
  return filled;
}

Value Generator::loadTile(Location location, const Memory &memory,
                          mlir::Type elementType, Value pad) {
  auto type = RankedTensorType::get(memory.extents, elementType);
  if (memory.isWhole)
    return tile::LoadOp::create(builder, location, type, memory.root,
                                ValueRange(), Value());
  llvm::SmallVector<Value> indices = getIndices(memory, location);
  if (memory.isTrailing())
    return tile::LoadOp::create(builder, location, type, memory.root, indices,
                                pad);
  return createElementLoop(location, type, [&](ValueRange variables) -> Value {
    llvm::SmallVector<Value> element = indices;
    for (auto [dim, variable] : llvm::zip_equal(memory.kept, variables))
      element[dim] =
          arith::AddIOp::create(builder, location, element[dim], variable);
    return tile::LoadElementOp::create(builder, location, elementType,
                                       memory.root, element, pad);
  });
}

void Generator::storeTile(Location location, const Memory &memory,
                          Value value) {
  if (memory.isWhole) {
    tile::StoreOp::create(builder, location, value, memory.root, ValueRange());
    return;
  }
  if (memory.isTrailing()) {
    tile::StoreOp::create(builder, location, value, memory.root,
                          getIndices(memory, location));
    return;
  }
  storeElements(location, memory, value,
                [&](Value element, ValueRange elementIndices) {
                  tile::StoreElementOp::create(builder, location, element,
                                               memory.root, elementIndices);
                });
}

void Generator::storeElements(
    Location location, const Memory &memory, Value value,
    llvm::function_ref<void(Value, ValueRange)> store) {
  llvm::SmallVector<Value> indices = getIndices(memory, location);
  auto type = cast<RankedTensorType>(value.getType());
  auto loop = tile::ParallelOp::create(builder, location, type.getShape(),
                                       ValueRange());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(loop.getBodyBlock()->getTerminator());
  ValueRange variables = loop.getBodyBlock()->getArguments();
  Value element = tile::ElementOp::create(
      builder, location, type.getElementType(), value, variables);
  for (auto [dim, variable] : llvm::zip_equal(memory.kept, variables))
    indices[dim] =
        arith::AddIOp::create(builder, location, indices[dim], variable);
  store(element, indices);
}

Value Generator::generateLoad(const checked::LoadExpr &load) {
  Location location = getLocation(load.range);
  Memory memory = evaluate(load.place, location);
  Value pad = load.operands.empty() ? Value() : generate(*load.operands[0]);
  return loadTile(location, memory, getElementType(load.type.getElement()),
                  pad);
}

Value Generator::generateLoadElement(const checked::LoadElementExpr &load) {
  Location location = getLocation(load.range);
  Memory memory = evaluate(load.place, location);
  Value pad = load.operands.empty() ? Value() : generate(*load.operands[0]);
  llvm::SmallVector<Value> indices = getIndices(memory, location);
  return tile::LoadElementOp::create(builder, location, getType(load.type),
                                     memory.root, indices, pad);
}

void Generator::generateCopy(const checked::CopyStmt &copy) {
  Location location = getLocation(copy.range);
  Memory source = evaluate(copy.source, location);
  Memory destination = evaluate(copy.destination, location);
  Value pad = copy.pad ? generate(*copy.pad) : Value();
  auto isGlobal = [](const Memory &memory) {
    return isa<tile::GlobalType>(memory.root.getType());
  };
  // tile.copy takes its shape from a shared tile.
  auto isTile = [&](const Memory &memory) {
    return memory.isWhole || isTileOfRing(memory);
  };
  bool isPlainLoad =
      isTile(destination) &&
      (isTile(source) || (isGlobal(source) && source.isTrailing()));
  bool isPlainStore =
      isTile(source) && isGlobal(destination) && destination.isTrailing();
  if (isPlainLoad || isPlainStore) {
    llvm::SmallVector<Value> from, to;
    if (isGlobal(source))
      from = getIndices(source, location);
    else
      source.root = getSharedTile(location, source);
    if (isGlobal(destination))
      to = getIndices(destination, location);
    else
      destination.root = getSharedTile(location, destination);
    tile::CopyOp::create(builder, location, source.root, from, destination.root,
                         to, pad, tile::CopyPlanAttr());
    return;
  }
  Value value = loadTile(location, source,
                         tile::getTileElementType(source.root.getType()), pad);
  storeTile(location, destination, value);
}

/// A shared tile or sub-tile stays where it is.
Value Generator::generateTileOperand(const Expr &operand) {
  const auto *memoryExpr = dyn_cast<checked::MemoryExpr>(&operand);
  if (!memoryExpr)
    return generate(operand);
  Location location = getLocation(operand.range);
  Memory memory = evaluate(memoryExpr->place, location);
  if (memory.isWhole || isSliceable(memory))
    return getSharedTile(location, memory);
  return loadTile(location, memory,
                  tile::getTileElementType(memory.root.getType()), Value());
}

void Generator::generateGemm(const checked::GemmStmt &gemm) {
  if (gemm.scaleA)
    return generateGemmScaled(gemm);
  Value a = generateTileOperand(*gemm.a);
  Value b = generateTileOperand(*gemm.b);
  Value accumulator = getValue(gemm.accumulator);
  auto op = tile::GemmOp::create(
      builder, getLocation(gemm.range), accumulator.getType(), a, b,
      accumulator, gemm.transposeA, gemm.transposeB,
      isUnsignedInt(gemm.a->type.getElement()),
      isUnsignedInt(gemm.b->type.getElement()), gemm.fastAccum, gemm.tf32,
      DenseI64ArrayAttr(), tile::MmaAttr());
  values[gemm.accumulator] = annotate(*gemm.accumulator, op.getResult());
}
