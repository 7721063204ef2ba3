//===- GenerateExpert.cpp - Asynchronous copies, barriers, annotations ----===//
#include "compiler/Frontend/MLIRGen/Generator.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include <numeric>

using namespace tilec;
using namespace mlir;

//===----------------------------------------------------------------------===//
// Sub-tiles
//===----------------------------------------------------------------------===//

bool Generator::isSliceable(const Memory &memory) {
  auto shared = dyn_cast<tile::SharedType>(memory.root.getType());
  // Two elements of a byte would be named apart.
  return shared && !memory.kept.empty() &&
         (shared.getPackDim() < 0 ||
          llvm::is_contained(memory.kept, unsigned(shared.getPackDim())));
}

bool Generator::isTileOfRing(const Memory &memory) {
  if (!isSliceable(memory) || !memory.isTrailing())
    return false;
  auto shared = cast<tile::SharedType>(memory.root.getType());
  // Swizzles repeat after this many bytes at most.
  constexpr int64_t swizzleBits = 1024 * 8;
  int64_t alignment = 0;
  int64_t stride = shared.getElementType().getIntOrFloatBitWidth();
  unsigned firstKept = memory.kept.front();
  for (unsigned dim = memory.getRank(); dim-- > 0;) {
    int64_t extent = shared.getShape()[dim];
    if (Value index = memory.indices[dim]) {
      APInt value;
      bool isConstant = matchPattern(index, m_ConstantInt(&value));
      alignment =
          std::gcd(alignment, (isConstant ? value.getSExtValue() : 1) * stride);
    }
    // Rows that are cut short are no rows of another tile.
    if (dim > firstKept && memory.extents[dim - firstKept] != extent)
      return false;
    stride *= extent;
  }
  return alignment % swizzleBits == 0;
}

Value Generator::getSharedTile(Location location, const Memory &memory) {
  if (memory.isWhole)
    return memory.root;
  auto shared = cast<tile::SharedType>(memory.root.getType());
  int64_t packDim = -1;
  for (auto [dim, kept] : llvm::enumerate(memory.kept))
    if (int64_t(kept) == shared.getPackDim())
      packDim = dim;
  auto type = tile::SharedType::get(builder.getContext(), memory.extents,
                                    shared.getElementType(), packDim,
                                    tile::SharedLayoutAttr());
  llvm::SmallVector<Value> offsets = getIndices(memory, location);
  DenseI64ArrayAttr kept;
  if (!memory.isTrailing())
    kept = builder.getDenseI64ArrayAttr(
        llvm::SmallVector<int64_t>(memory.kept.begin(), memory.kept.end()));
  return tile::SliceOp::create(builder, location, type, memory.root, offsets,
                               kept);
}

//===----------------------------------------------------------------------===//
// Asynchronous copies
//===----------------------------------------------------------------------===//

/// A tensor as an anchor whose last dimensions the tile runs along.
Generator::Memory Generator::makeTrailing(Location location, Memory memory) {
  if (memory.isTrailing())
    return memory;
  // Dimensions that are gone leave by way of a view; those that stay keep their
  // bounds.
  auto global = cast<tile::GlobalType>(memory.root.getType());
  llvm::SmallVector<Value> offsets, sizes;
  llvm::SmallVector<int64_t> kept, shape;
  Memory trailing;
  int64_t packDim = -1;
  for (unsigned dim = 0; dim < memory.getRank(); ++dim) {
    bool isKept = llvm::is_contained(memory.kept, dim);
    Value index = memory.indices[dim];
    Value zero = createIndex(location, 0);
    offsets.push_back(isKept || !index ? zero : index);
    if (!isKept)
      continue;
    if (int64_t(dim) == global.getPackDim())
      packDim = kept.size();
    trailing.kept.push_back(kept.size());
    kept.push_back(dim);
    shape.push_back(global.getShape()[dim]);
    sizes.push_back(getExtent(memory, dim, location));
    trailing.indices.push_back(index);
  }
  auto type = tile::GlobalType::get(builder.getContext(), shape,
                                    global.getElementType(), packDim);
  trailing.root =
      tile::ViewOp::create(builder, location, type, memory.root, offsets, sizes,
                           builder.getDenseI64ArrayAttr(kept));
  trailing.extents = memory.extents;
  return trailing;
}

void Generator::generateAsyncCopy(const checked::AsyncCopyStmt &copy) {
  Location location = getLocation(copy.range);
  Memory source = makeTrailing(location, evaluate(copy.source, location));
  Memory destination = evaluate(copy.destination, location);
  Value predicate = copy.predicate ? generate(*copy.predicate) : Value();
  llvm::SmallVector<Value> indices = getIndices(source, location);
  tile::AsyncCopyOp::create(builder, location, source.root, indices,
                            getSharedTile(location, destination), Value(),
                            predicate, tile::CopyPlanAttr());
}

/// An element of memory whose last dimension is that of the place.
Generator::Memory Generator::evaluateElement(const Place &place,
                                             Location location) {
  Memory base = place.base ? evaluate(*place.base, location)
                           : memories.lookup(place.root);
  if (base.kept.back() + 1 == base.getRank())
    return evaluate(place, location);
  if (isa<tile::SharedType>(base.root.getType())) {
    Memory part;
    part.root = getSharedTile(location, base);
    part.indices.resize(base.kept.size());
    base = std::move(part);
  } else {
    base = makeTrailing(location, std::move(base));
  }
  for (auto [index, dim] : llvm::zip_equal(base.indices, place.dims)) {
    if (!dim.offset)
      continue;
    Value offset = generate(*dim.offset);
    index = index ? arith::AddIOp::create(builder, location, index, offset)
                  : offset;
  }
  return base;
}

void Generator::generateAsyncElements(
    const checked::AsyncCopyElementsStmt &copy) {
  Location location = getLocation(copy.range);
  Memory source = evaluateElement(copy.source, location);
  Memory destination = evaluateElement(copy.destination, location);
  Value predicate = copy.predicate ? generate(*copy.predicate) : Value();
  tile::AsyncCopyElementsOp::create(
      builder, location, source.root, getIndices(source, location),
      destination.root, getIndices(destination, location), predicate,
      copy.count);
}

void Generator::generateTmaCopy(const checked::TmaCopyStmt &copy) {
  Location location = getLocation(copy.range);
  Memory source = evaluate(copy.source, location);
  Memory destination = evaluate(copy.destination, location);
  auto [barrier, index] = copy.barrier ? generateBarrierPlace(*copy.barrier)
                                       : std::pair<Value, Value>();
  if (copy.barrier) {
    source = makeTrailing(location, std::move(source));
    tile::TmaCopyOp::create(
        builder, location, source.root, getIndices(source, location),
        getSharedTile(location, destination), ValueRange(), barrier, index,
        /*map=*/IntegerAttr());
    return;
  }
  destination = makeTrailing(location, std::move(destination));
  tile::TmaCopyOp::create(builder, location, getSharedTile(location, source),
                          ValueRange(), destination.root,
                          getIndices(destination, location), barrier, index,
                          /*map=*/IntegerAttr());
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

void Generator::generateAllocBarrier(const checked::AllocBarrierStmt &alloc) {
  const Variable &variable = *alloc.variable;
  llvm::ArrayRef<int64_t> extents = variable.type.getExtents();
  auto type = tile::BarrierType::get(builder.getContext(),
                                     extents.empty() ? 1 : extents.front());
  Location location = NameLoc::get(builder.getStringAttr(variable.name),
                                   getLocation(variable.allocated));
  values[&variable] = tile::BarrierAllocOp::create(
      builder, location, type, builder.getStringAttr(variable.name),
      builder.getI64IntegerAttr(alloc.arrivals), IntegerAttr());
}

std::pair<Value, Value>
Generator::generateBarrierPlace(const checked::BarrierPlace &place) {
  return {values.lookup(place.variable),
          place.index ? generate(*place.index) : Value()};
}

void Generator::generateBarrier(const checked::BarrierStmt &stmt) {
  Location location = getLocation(stmt.range);
  auto [barrier, index] = generateBarrierPlace(stmt.barrier);
  if (stmt.builtin == Builtin::Arrive) {
    tile::ArriveOp::create(builder, location, barrier, index,
                           /*predicate=*/Value());
    return;
  }
  Value operand = generate(*stmt.operand);
  if (stmt.builtin == Builtin::ExpectBytes)
    tile::ExpectOp::create(builder, location, barrier, index, operand);
  else
    tile::WaitOp::create(builder, location, barrier, index, operand);
}

//===----------------------------------------------------------------------===//
// Annotations
//===----------------------------------------------------------------------===//

tile::SharedLayoutAttr Generator::getAnnotation(const Variable &variable) {
  if (!variable.layout.empty())
    return cast<tile::SharedLayoutAttr>(
        parseAttribute(variable.layout, builder.getContext()));
  if (!variable.swizzle && !variable.padding)
    return {};
  // 32, 64 and 128 bytes: the swizzles of TMA, with one to three bits.
  int64_t swizzle = variable.swizzle.value_or(0);
  int64_t bits = swizzle == 0 ? 0 : llvm::Log2_64(swizzle / 16);
  return tile::SharedLayoutAttr::get(builder.getContext(), bits, /*base=*/4,
                                     /*shift=*/3, variable.padding.value_or(0),
                                     /*panel=*/0);
}

Value Generator::annotate(const Variable &variable, Value value) {
  if (variable.layout.empty() || !isa<RankedTensorType>(value.getType()))
    return value;
  auto layout = cast<tile::LayoutAttr>(
      parseAttribute(variable.layout, builder.getContext()));
  return tile::AnnotateLayoutOp::create(builder, value.getLoc(),
                                        value.getType(), value, layout);
}

DictionaryAttr Generator::getDecisionsAttr() {
  NamedAttrList attrs;
  for (const checked::Decision &decision : kernel.decisions) {
    if (const auto *number = std::get_if<Integer>(&decision.value))
      attrs.set(decision.name,
                builder.getI64IntegerAttr(static_cast<int64_t>(*number)));
    else if (const auto *flag = std::get_if<bool>(&decision.value))
      attrs.set(decision.name, builder.getBoolAttr(*flag));
    else
      attrs.set(decision.name,
                builder.getStringAttr(std::get<std::string>(decision.value)));
  }
  return attrs.getDictionary(builder.getContext());
}

//===----------------------------------------------------------------------===//
// All statements of the expert level
//===----------------------------------------------------------------------===//

void Generator::generateExpert(const checked::Stmt &stmt) {
  llvm::TypeSwitch<const checked::Stmt *>(&stmt)
      .Case<checked::AsyncCopyStmt>(
          [&](const auto *copy) { generateAsyncCopy(*copy); })
      .Case<checked::AsyncCopyElementsStmt>(
          [&](const auto *copy) { generateAsyncElements(*copy); })
      .Case<checked::TmaCopyStmt>(
          [&](const auto *copy) { generateTmaCopy(*copy); })
      .Case<checked::CommitGroupStmt>([&](const auto *commit) {
        tile::CommitGroupOp::create(builder, getLocation(commit->range));
      })
      .Case<checked::WaitGroupStmt>([&](const auto *wait) {
        tile::WaitGroupOp::create(builder, getLocation(wait->range),
                                  wait->pending);
      })
      .Case<checked::AllocBarrierStmt>(
          [&](const auto *alloc) { generateAllocBarrier(*alloc); })
      .Case<checked::BarrierStmt>(
          [&](const auto *barrier) { generateBarrier(*barrier); })
      .Case<checked::SetMaxRegistersStmt>([&](const auto *limit) {
        tile::SetMaxRegistersOp::create(builder, getLocation(limit->range),
                                        limit->count);
      })
      .Case<checked::PersistentStmt>(
          [&](const auto *loop) { generatePersistent(*loop); })
      .Case<checked::WarpgroupStmt>(
          [&](const auto *teams) { generateWarpgroup(*teams); });
}
