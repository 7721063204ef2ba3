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
  Memory base = memories.lookup(place.root);
  Memory memory;
  memory.root = base.root;
  memory.indices = base.indices;
  bool isUnmoved = true;
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
    memory.kept.push_back(rootDim);
    memory.extents.push_back(dim.extent);
  }
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

/// The indices of an operation: none for a whole shared tile, otherwise one for
/// each dimension.
static llvm::SmallVector<Value>
fillIndices(llvm::ArrayRef<Value> indices,
            llvm::function_ref<Value()> makeZero) {
  llvm::SmallVector<Value> filled(indices);
  Value zero;
  for (Value &index : filled)
    if (!index)
      index = zero ? zero : (zero = makeZero());
  return filled;
}

Value Generator::loadTile(Location location, const Memory &memory,
                          mlir::Type elementType, Value pad) {
  auto type = RankedTensorType::get(memory.extents, elementType);
  if (memory.isWhole)
    return tile::LoadOp::create(builder, location, type, memory.root,
                                ValueRange(), Value());
  llvm::SmallVector<Value> indices =
      fillIndices(memory.indices, [&] { return createIndex(location, 0); });
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
  llvm::SmallVector<Value> indices =
      fillIndices(memory.indices, [&] { return createIndex(location, 0); });
  if (memory.isTrailing()) {
    tile::StoreOp::create(builder, location, value, memory.root, indices);
    return;
  }
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
  tile::StoreElementOp::create(builder, location, element, memory.root,
                               indices);
}

Value Generator::generateLoad(const checked::LoadExpr &load) {
  Location location = getLocation(load.range);
  Value pad = load.operands.empty() ? Value() : generate(*load.operands[0]);
  Memory memory = evaluate(load.place, location);
  return loadTile(location, memory, getElementType(load.type.getElement()),
                  pad);
}

Value Generator::generateLoadElement(const checked::LoadElementExpr &load) {
  Location location = getLocation(load.range);
  Value pad = load.operands.empty() ? Value() : generate(*load.operands[0]);
  Memory memory = evaluate(load.place, location);
  llvm::SmallVector<Value> indices =
      fillIndices(memory.indices, [&] { return createIndex(location, 0); });
  return tile::LoadElementOp::create(builder, location, getType(load.type),
                                     memory.root, indices, pad);
}

void Generator::generateCopy(const checked::CopyStmt &copy) {
  Location location = getLocation(copy.range);
  Value pad = copy.pad ? generate(*copy.pad) : Value();
  Memory source = evaluate(copy.source, location);
  Memory destination = evaluate(copy.destination, location);
  auto isGlobal = [](const Memory &memory) {
    return isa<tile::GlobalType>(memory.root.getType());
  };
  // tile.copy takes its shape from a whole shared tile.
  bool isPlainLoad =
      destination.isWhole &&
      (source.isWhole || (isGlobal(source) && source.isTrailing()));
  bool isPlainStore =
      source.isWhole && isGlobal(destination) && destination.isTrailing();
  if (isPlainLoad || isPlainStore) {
    auto getIndices = [&](const Memory &memory) {
      return memory.isWhole ? llvm::SmallVector<Value>()
                            : fillIndices(memory.indices, [&] {
                                return createIndex(location, 0);
                              });
    };
    llvm::SmallVector<Value> from = getIndices(source),
                             to = getIndices(destination);
    tile::CopyOp::create(builder, location, source.root, from, destination.root,
                         to, pad, tile::CopyPlanAttr());
    return;
  }
  Value value = loadTile(location, source,
                         tile::getTileElementType(source.root.getType()), pad);
  storeTile(location, destination, value);
}

/// A whole shared tile stays where it is; a part of one is loaded.
Value Generator::generateGemmOperand(const Expr &operand) {
  const auto *memoryExpr = dyn_cast<checked::MemoryExpr>(&operand);
  if (!memoryExpr)
    return generate(operand);
  Location location = getLocation(operand.range);
  Memory memory = evaluate(memoryExpr->place, location);
  if (memory.isWhole)
    return memory.root;
  return loadTile(location, memory,
                  tile::getTileElementType(memory.root.getType()), Value());
}

void Generator::generateGemm(const checked::GemmStmt &gemm) {
  Value a = generateGemmOperand(*gemm.a);
  Value b = generateGemmOperand(*gemm.b);
  Value accumulator = getValue(gemm.accumulator);
  auto op = tile::GemmOp::create(builder, getLocation(gemm.range),
                                 accumulator.getType(), a, b, accumulator,
                                 gemm.transposeA, gemm.transposeB,
                                 isUnsignedInt(gemm.a->type.getElement()),
                                 isUnsignedInt(gemm.b->type.getElement()),
                                 gemm.fastAccum, gemm.tf32, tile::MmaAttr());
  values[gemm.accumulator] = op.getResult();
}
