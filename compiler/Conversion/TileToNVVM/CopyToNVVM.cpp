//===- CopyToNVVM.cpp - Copies between memories ---------------------------===//
//
// Threads share a tile in pieces of the plan's width, consecutive threads
// taking consecutive pieces of a row.
//
//===----------------------------------------------------------------------===//

#include "compiler/Conversion/TileToNVVM/Emitters.h"
#include "compiler/Conversion/TileToNVVM/GlobalAddress.h"
#include "compiler/Conversion/TileToNVVM/GuardedAccess.h"
#include "compiler/Conversion/TileToNVVM/SharedAddress.h"
#include "compiler/Conversion/TileToNVVM/SpareNibble.h"
#include "compiler/Conversion/TileToNVVM/WideAccess.h"
#include "dialects/Layout/BlockedLayout.h"
#include "dialects/Layout/VectorAccess.h"
#include "dialects/Tile/Transforms/AccessFacts.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace mlir::tile;

/// Loads of a synchronous copy that are in flight together: enough to hide
/// their latency, few enough for registers.
static constexpr int copiesInFlight = 16;

/// How the threads share a tile.
static layout::FragmentLayout getCopyLayout(KernelEmitter &e, SharedType type,
                                            int64_t bytes) {
  layout::BlockedOptions options;
  options.elementBits = getElementBits(type.getElementType());
  options.threads = e.threads;
  options.vectorBits = bytes * 8;
  options.packDim = type.getPackDim();
  return layout::blocked(
      layout::Coords(type.getShape().begin(), type.getShape().end()), options);
}

std::string tile::getAsyncCopyName(int64_t bytes) {
  // 16 bytes bypass L1; smaller pieces cannot.
  return (Twine("llvm.nvvm.cp.async.") + (bytes == 16 ? "cg" : "ca") +
          ".shared.global." + Twine(bytes) + ".s")
      .str();
}

LogicalResult tile::emitAsyncCopy(KernelEmitter &e, AsyncCopyOp op) {
  SharedView shared = e.getShared(op.getDestination());
  const GlobalView &global = e.getGlobal(op.getSource());
  int64_t bytes = op.getPlan()->getBytes();
  layout::FragmentLayout layout = getCopyLayout(e, shared.type, bytes);
  layout::VectorPlan plan =
      layout::planVector(layout, shared.type.getStorage(), bytes);
  if (plan.bytes() != bytes)
    return op.emitError("pieces of ")
           << bytes << " bytes are not whole in the shared tile";
  std::string name = getAsyncCopyName(bytes);
  Value reads =
      op.getFillPredicate() ? e.getScalar(op.getFillPredicate()) : Value();
  auto emitPieces = [&]() {
    GlobalAddresser from(e, global, e.getScalars(op.getSourceIndices()),
                         layout);
    SmallVector<int64_t> start(shared.type.getRank(), 0);
    SharedAddresser to(e, shared, start, shared.type.getShape(),
                       layout.laneBases(), layout.warpBases());
    for (int access = 0; access < plan.accesses(); ++access) {
      int reg = plan.registers[access * plan.elements];
      // A piece outside the tensor reads nothing and is filled with zeros.
      Value inside = from.getInBounds(reg);
      if (reads)
        inside = e.andi(inside, reads);
      Value size = e.select(inside, e.i32(bytes), e.i32(0));
      e.callIntrinsic(
          name, Type(),
          {to.getPointer(layout.registerXor(reg), layout.registerOffset(reg)),
           from.getPointer(reg), size});
    }
  };
  Value condition =
      op.getPredicate() ? e.getScalar(op.getPredicate()) : Value();
  emitGuarded(e, condition, [&]() { emitInOwners(e, layout, emitPieces); });
  return success();
}

/// Wide synchronous copy from global memory: all loads first, so that they are
/// in flight together.
static void emitVectorCopy(KernelEmitter &e, CopyOp op, SharedView shared,
                           const GlobalView &global, int64_t bytes) {
  layout::FragmentLayout layout = getCopyLayout(e, shared.type, bytes);
  layout::VectorPlan plan =
      layout::planVector(layout, shared.type.getStorage(), bytes);
  emitInOwners(e, layout, [&]() {
    GlobalAddresser from(e, global, e.getScalars(op.getSourceIndices()),
                         layout);
    SmallVector<int64_t> start(shared.type.getRank(), 0);
    SharedAddresser to(e, shared, start, shared.type.getShape(),
                       layout.laneBases(), layout.warpBases());
    for (int first = 0; first < plan.accesses(); first += copiesInFlight) {
      int last = std::min(first + copiesInFlight, plan.accesses());
      SmallVector<Value> loaded;
      for (int access = first; access < last; ++access) {
        int reg = plan.registers[access * plan.elements];
        loaded.push_back(emitGuardedLoad(e, chooseGuard(plan.accesses()),
                                         from.getInBounds(reg),
                                         from.getPointer(reg), plan.bytes()));
      }
      for (int access = first; access < last; ++access) {
        int reg = plan.registers[access * plan.elements];
        LLVM::StoreOp::create(
            e.builder, e.loc, loaded[access - first],
            to.getPointer(layout.registerXor(reg), layout.registerOffset(reg)),
            plan.bytes());
      }
    }
  });
}

/// Copy of elements, or bytes of two, each by a load of its own; neighbours are
/// stored together.  For any alignment.
static void emitElementCopy(KernelEmitter &e, CopyOp op, SharedView shared,
                            const GlobalView &global, ValueRange indices,
                            SpareNibble spare) {
  constexpr int64_t storeBytes = 4;
  Type element = shared.type.getElementType();
  layout::FragmentLayout layout =
      getCopyLayout(e, shared.type,
                    std::max<int64_t>(storeBytes, getElementBits(element) / 8));
  layout::VectorPlan plan =
      layout::planVector(layout, shared.type.getStorage());
  Value pad =
      op.getPad() ? e.getScalar(op.getPad()) : getDefaultPad(e, element);
  emitInOwners(e, layout, [&]() {
    GlobalAddresser from(e, global, indices, layout);
    SmallVector<int64_t> start(shared.type.getRank(), 0);
    SharedAddresser to(e, shared, start, shared.type.getShape(),
                       layout.laneBases(), layout.warpBases());
    int perBatch = std::max(1, copiesInFlight / plan.elements);
    Guard guard = chooseGuard(plan.accesses() * plan.elements);
    for (int first = 0; first < plan.accesses(); first += perBatch) {
      int last = std::min(first + perBatch, plan.accesses());
      SmallVector<FragmentValue> loaded;
      for (int access = first; access < last; ++access) {
        SmallVector<Value> values;
        for (int i = 0; i < plan.elements; ++i) {
          int reg = plan.registers[access * plan.elements + i];
          values.push_back(spare.clear(
              emitGuardedElementLoad(e, guard, from, reg, element, pad), from,
              reg));
        }
        loaded.push_back(FragmentValue::ofElements(element, values));
      }
      SmallVector<int> together =
          llvm::to_vector(llvm::seq(0, int(plan.elements)));
      for (int access = first; access < last; ++access) {
        int reg = plan.registers[access * plan.elements];
        WideStorer(e, loaded[access - first])
            .store(to.getPointer(layout.registerXor(reg),
                                 layout.registerOffset(reg)),
                   plan.bytes(), together);
      }
    }
  });
}

/// A thread's share of the tile that is still written out in full: the guards
/// and addresses of more rows would take the registers of a product beside it.
static constexpr int64_t unrolledElements = 96;

namespace {
/// Copies element by element, for any alignment, in a loop over the storage
/// units of the tile: elements, or bytes of two nibbles, each made by one
/// thread.
class ScalarCopier {
public:
  ScalarCopier(KernelEmitter &emitter, CopyOp op, SharedView shared,
               const GlobalView &global)
      : e(emitter), shared(shared), global(global),
        storage(shared.type.getStorage()),
        element(shared.type.getElementType()),
        anchor(emitter.getScalars(op.getSourceIndices())),
        pad(op.getPad() ? emitter.getScalar(op.getPad())
                        : getDefaultPad(emitter, element)) {}

  void emit();

private:
  void emitUnits(Value first, int64_t count, bool mayExceed);
  SmallVector<Value> getCoords(Value unit);
  Value loadElement(ArrayRef<Value> coords, int64_t nibble);
  Value loadUnit(ArrayRef<Value> coords);
  Value getSharedPointer(Value unit, ArrayRef<Value> coords);

  KernelEmitter &e;
  SharedView shared;
  const GlobalView &global;
  layout::SharedLayout storage;
  Type element;
  SmallVector<Value> anchor;
  Value pad;
  /// Storage units of the tile and those that a thread handles at a time.
  int64_t units = 1;
  static constexpr int64_t unitsInFlight = 32;
};
} // namespace

/// Storage coordinates of a unit, counted row-major.
SmallVector<Value> ScalarCopier::getCoords(Value unit) {
  layout::Coords shape = storage.storageShape();
  SmallVector<Value> coords(shape.size());
  for (int d = shape.size() - 1; d > 0; --d) {
    coords[d] = e.remui(unit, e.i32(shape[d]));
    unit = e.divui(unit, e.i32(shape[d]));
  }
  coords[0] = unit;
  return coords;
}

/// One element, `nibble` further along the packed dimension than the unit.
Value ScalarCopier::loadElement(ArrayRef<Value> coords, int64_t nibble) {
  SmallVector<Value> indices(anchor);
  size_t dropped = anchor.size() - coords.size();
  Value inTile;
  for (auto [d, coord] : llvm::enumerate(coords)) {
    Value index = coord;
    if (int(d) == storage.packDim()) {
      index = e.add(e.shl(coord, 1), e.i32(nibble));
      // The last byte of an odd extent holds one element.
      if (nibble && storage.shape()[d] % 2 != 0)
        inTile = e.compare(arith::CmpIPredicate::ult, index,
                           e.i32(storage.shape()[d]));
    }
    index = e.builder.createOrFold<arith::ExtUIOp>(
        e.loc, e.builder.getI64Type(), index);
    indices[dropped + d] = e.add(indices[dropped + d], index);
  }
  Value inside = getElementInBounds(e, global, indices);
  if (inTile)
    inside = e.andi(inside, inTile);
  return emitGuardedValue(e, inside, pad, [&]() -> Value {
    Value pointer = getElementPointer(e, global, indices);
    if (storage.packDim() < 0)
      return emitElementLoad(e, pointer, element);
    return emitNibbleLoad(
        e, pointer,
        getNibbleShift(
            e, getPackedIndex(e, global, indices[global.type.getPackDim()])));
  });
}

Value ScalarCopier::loadUnit(ArrayRef<Value> coords) {
  if (storage.packDim() < 0)
    return loadElement(coords, 0);
  Type i8 = e.builder.getI8Type();
  Value low =
      e.builder.createOrFold<arith::ExtUIOp>(e.loc, i8, loadElement(coords, 0));
  Value high =
      e.builder.createOrFold<arith::ExtUIOp>(e.loc, i8, loadElement(coords, 1));
  return e.ori(low, e.shl(high, 4));
}

Value ScalarCopier::getSharedPointer(Value unit, ArrayRef<Value> coords) {
  Value offset = e.mul(unit, e.i32(storage.unitBytes()));
  if (storage.padBytes() || storage.panelBytes()) {
    offset = e.i32(0);
    for (auto [d, coord] : llvm::enumerate(coords))
      offset = e.add(offset, emitStorageStep(e, storage, d, coord));
  }
  return e.offsetPointer(shared.pointer,
                         emitSwizzle(e, storage.swizzle(), offset));
}

/// Units `first`, `first + threads`, ...: all loads, then all stores.
void ScalarCopier::emitUnits(Value first, int64_t count, bool mayExceed) {
  struct Piece {
    Value inTile, place, value;
  };
  SmallVector<Piece> pieces;
  for (int64_t i = 0; i < count; ++i) {
    Value unit = e.add(first, e.i32(i * e.threads)), inTile;
    if (mayExceed) {
      // Beyond the tile the last unit is read again, and not written.
      inTile = e.compare(arith::CmpIPredicate::ult, unit, e.i32(units));
      unit =
          e.builder.createOrFold<arith::MinUIOp>(e.loc, unit, e.i32(units - 1));
    }
    SmallVector<Value> coords = getCoords(unit);
    pieces.push_back(
        {inTile, getSharedPointer(unit, coords), loadUnit(coords)});
  }
  for (const Piece &piece : pieces) {
    emitGuarded(e, piece.inTile,
                [&]() { emitElementStore(e, piece.place, piece.value); });
  }
}

void ScalarCopier::emit() {
  for (int32_t extent : storage.storageShape())
    units *= extent;
  int64_t count =
      std::min<int64_t>(unitsInFlight, llvm::divideCeil(units, e.threads));
  int64_t step = e.threads * count;
  auto loop =
      scf::ForOp::create(e.builder, e.loc, e.i32(0), e.i32(units), e.i32(step));
  OpBuilder::InsertionGuard guard(e.builder);
  e.builder.setInsertionPointToStart(loop.getBody());
  emitUnits(e.add(loop.getInductionVar(), e.thread), count,
            /*mayExceed=*/units % step != 0);
}

LogicalResult tile::emitCopy(KernelEmitter &e, CopyOp op) {
  bool isFromShared = isa<SharedType>(op.getSource().getType());
  bool isToShared = isa<SharedType>(op.getDestination().getType());
  if (isFromShared || !isToShared)
    return op.emitError("'copy' from ")
           << (isFromShared ? "a shared tile" : "a tensor") << " to "
           << (isToShared ? "a shared tile" : "a tensor")
           << " is not supported yet";
  SharedView shared = e.getShared(op.getDestination());
  const GlobalView &global = e.getGlobal(op.getSource());
  if (op.getPlan() && op.getPlan()->getEngine() == CopyEngine::Vector) {
    emitVectorCopy(e, op, shared, global, op.getPlan()->getBytes());
    return success();
  }
  bool isPacked = shared.type.getPackDim() >= 0;
  bool wholeBytes = isPacked && !op.getPad() &&
                    movesWholeBytes(op.getSource(), op.getSourceIndices(),
                                    op.getDestination());
  int64_t units =
      shared.type.getStorage().bytes() /
      std::max<int64_t>(1, getElementBits(shared.type.getElementType()) / 8);
  if ((isPacked && !wholeBytes) || units > unrolledElements * e.threads) {
    ScalarCopier(e, op, shared, global).emit();
    return success();
  }
  SmallVector<Value> indices(e.getScalars(op.getSourceIndices()));
  if (!isPacked) {
    emitElementCopy(e, op, shared, global, indices, SpareNibble(e, Value()));
    return success();
  }
  int64_t pack = global.type.getPackDim();
  indices[pack] =
      e.builder.createOrFold<arith::ShRSIOp>(e.loc, indices[pack], e.i64(1));
  emitElementCopy(
      e, op,
      {shared.pointer, cast<SharedType>(BytesOp::getBytesType(shared.type))},
      getBytesView(e, global), indices, SpareNibble(e, op.getSource()));
  return success();
}
