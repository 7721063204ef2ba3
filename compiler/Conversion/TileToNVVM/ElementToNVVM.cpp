//===- ElementToNVVM.cpp - Single elements of memory ----------------------===//
//
// Inside `tile.parallel` each thread accesses the elements of its iterations;
// outside every thread reads the element and one thread writes it.
//
//===----------------------------------------------------------------------===//

#include "compiler/Conversion/TileToNVVM/Emitters.h"
#include "compiler/Conversion/TileToNVVM/GlobalAddress.h"
#include "compiler/Conversion/TileToNVVM/GuardedAccess.h"
#include "compiler/Conversion/TileToNVVM/SharedAddress.h"
#include "dialects/Tile/Transforms/AccessFacts.h"

using namespace mlir;
using namespace mlir::tile;

/// Whether this thread writes what the op writes; null if all do.
static Value emitIsWriter(KernelEmitter &e) {
  if (e.iteration)
    return e.iteration->owner;
  return e.compare(arith::CmpIPredicate::eq, e.thread, e.i32(0));
}

/// Loads the element, of any width, behind a pointer to its byte.
static Value loadElement(KernelEmitter &e, Value pointer, Type element,
                         int64_t packDim, ValueRange indices) {
  if (packDim < 0)
    return emitElementLoad(e, pointer, element);
  return emitNibbleLoad(e, pointer, getNibbleShift(e, indices[packDim]));
}

/// Reads a byte of which one element stays.  Volatile: the other one may never
/// have been written, which only such a read may meet (the emulator tells).
static Value emitOldByte(KernelEmitter &e, Value pointer) {
  return LLVM::LoadOp::create(e.builder, e.loc, e.builder.getI8Type(), pointer,
                              /*alignment=*/1, /*isVolatile=*/true);
}

/// Writes the element; the other one of its byte stays, but is cleared beside
/// the last element of a tensor's row of odd `extent`.
static void storeElement(KernelEmitter &e, Value pointer, Value value,
                         int64_t packDim, ValueRange indices, Value extent) {
  if (packDim < 0)
    return emitElementStore(e, pointer, value);
  Type i8 = e.builder.getI8Type();
  Value old = emitOldByte(e, pointer);
  Value shift = getNibbleShift(e, indices[packDim]);
  auto shiftLeft = [&](Value v) {
    return e.builder.createOrFold<arith::ShLIOp>(e.loc, v, shift);
  };
  Value others =
      e.xori(shiftLeft(e.constantLike(old, 0xF)), e.constantLike(old, 0xFF));
  if (extent) {
    Value index = indices[packDim];
    Value isEven =
        e.compare(arith::CmpIPredicate::eq, e.andi(index, e.i64(1)), e.i64(0));
    Value isLast =
        e.compare(arith::CmpIPredicate::eq, e.add(index, e.i64(1)), extent);
    others = e.select(e.andi(isEven, isLast), e.constantLike(old, 0), others);
  }
  Value wide = e.builder.createOrFold<arith::ExtUIOp>(e.loc, i8, value);
  Value byte = e.ori(e.andi(old, others), shiftLeft(wide));
  LLVM::StoreOp::create(e.builder, e.loc, byte, pointer, 1);
}

LogicalResult tile::emitLoadElement(KernelEmitter &e, LoadElementOp op) {
  SmallVector<Value> indices = e.getScalars(op.getIndices());
  Type element = getTileElementType(op.getMemory().getType());
  if (isa<SharedType>(op.getMemory().getType())) {
    SharedView view = e.getShared(op.getMemory());
    e.setScalar(op, loadElement(e, getSharedElementPointer(e, view, indices),
                                element, view.type.getPackDim(), indices));
    return success();
  }
  const GlobalView &view = e.getGlobal(op.getMemory());
  Value pad =
      op.getPad() ? e.getScalar(op.getPad()) : getDefaultPad(e, element);
  e.setScalar(
      op, emitGuardedValue(e, getElementInBounds(e, view, indices), pad, [&]() {
        return loadElement(e, getElementPointer(e, view, indices), element,
                           view.type.getPackDim(), indices);
      }));
  return success();
}

LogicalResult tile::emitStoreElement(KernelEmitter &e, StoreElementOp op) {
  SmallVector<Value> indices = e.getScalars(op.getIndices());
  Value value = e.getScalar(op.getValue());
  bool isShared = isa<SharedType>(op.getMemory().getType());
  int64_t packDim = isShared ? e.getShared(op.getMemory()).type.getPackDim()
                             : e.getGlobal(op.getMemory()).type.getPackDim();
  // Iterations of different threads may write the two elements of a byte.
  if (packDim >= 0 && e.iteration)
    return op.emitError("writing 4-bit elements inside 'parallel' is not "
                        "supported yet");
  Value condition = emitIsWriter(e);
  if (!isShared) {
    Value inside = getElementInBounds(e, e.getGlobal(op.getMemory()), indices);
    condition = condition ? e.andi(inside, condition) : inside;
  }
  auto store = [&]() {
    Value pointer =
        isShared
            ? getSharedElementPointer(e, e.getShared(op.getMemory()), indices)
            : getElementPointer(e, e.getGlobal(op.getMemory()), indices);
    Value extent = isShared || packDim < 0
                       ? Value()
                       : e.getGlobal(op.getMemory()).extents[packDim];
    storeElement(e, pointer, value, packDim, indices, extent);
  };
  emitGuarded(e, condition, store);
  return success();
}

LogicalResult tile::emitStorePair(KernelEmitter &e, StorePairOp op) {
  SmallVector<Value> indices = e.getScalars(op.getIndices()), highIndices;
  bool isShared = isa<SharedType>(op.getMemory().getType());
  SharedView shared = isShared ? e.getShared(op.getMemory()) : SharedView();
  const GlobalView *global = isShared ? nullptr : &e.getGlobal(op.getMemory());
  int64_t packDim =
      isShared ? shared.type.getPackDim() : global->type.getPackDim();
  highIndices = indices;
  highIndices[packDim] = e.add(indices[packDim], e.i64(1));
  // Which elements there are.
  Value isLow = e.i1(true), isHigh;
  if (isShared) {
    isHigh = e.compare(arith::CmpIPredicate::slt, highIndices[packDim],
                       e.i64(shared.type.getShape()[packDim]));
  } else {
    isLow = getElementInBounds(e, *global, indices);
    isHigh = getElementInBounds(e, *global, highIndices);
  }
  Value writeLow = e.andi(e.getScalar(op.getWriteLow()), isLow);
  Value writeHigh = e.andi(e.getScalar(op.getWriteHigh()), isHigh);
  auto invert = [&](Value v) { return e.xori(v, e.i1(true)); };
  Value keepLow = e.andi(isLow, invert(writeLow));
  Value keepHigh = e.andi(isHigh, invert(writeHigh));
  Value any = e.ori(writeLow, writeHigh);
  if (e.iteration && e.iteration->owner)
    any = e.andi(any, e.iteration->owner);
  else if (!e.iteration)
    any = e.andi(any, emitIsWriter(e));
  Type i8 = e.builder.getI8Type();
  auto widen = [&](Value v) {
    return e.builder.createOrFold<arith::ExtUIOp>(e.loc, i8, e.getScalar(v));
  };
  Value low = widen(op.getLow()), high = e.shl(widen(op.getHigh()), 4);
  Value zero = e.constantLike(low, 0);
  emitGuarded(e, any, [&]() {
    Value pointer = isShared ? getSharedElementPointer(e, shared, indices)
                             : getElementPointer(e, *global, indices);
    Value old = emitGuardedValue(e, e.ori(keepLow, keepHigh), zero,
                                 [&]() { return emitOldByte(e, pointer); });
    auto choose = [&](Value write, Value fresh, Value keep, int64_t mask) {
      Value kept = e.select(keep, e.andi(old, e.constantLike(old, mask)), zero);
      return e.select(write, fresh, kept);
    };
    Value byte = e.ori(choose(writeLow, low, keepLow, 0xF),
                       choose(writeHigh, high, keepHigh, 0xF0));
    LLVM::StoreOp::create(e.builder, e.loc, byte, pointer, 1);
  });
  return success();
}

/// Bytes of a run of `count` elements from `indices` on that lie in the tensor
/// (i32): those up to the end of the last dimension.
static Value emitRunBytes(KernelEmitter &e, const GlobalView &view,
                          ValueRange indices, int64_t count,
                          int64_t elementBytes) {
  Value inside = getElementInBounds(e, view, indices);
  Value left = e.sub(view.extents.back(), indices.back());
  left = e.builder.createOrFold<arith::MinUIOp>(e.loc, left, e.i64(count));
  Value bytes = e.builder.createOrFold<arith::TruncIOp>(
      e.loc, e.builder.getI32Type(), e.mul(left, e.i64(elementBytes)));
  return e.select(inside, bytes, e.i32(0));
}

LogicalResult tile::emitAsyncCopyElements(KernelEmitter &e,
                                          AsyncCopyElementsOp op) {
  SharedView shared = e.getShared(op.getDestination());
  const GlobalView &global = e.getGlobal(op.getSource());
  int64_t bits = getElementBits(global.type.getElementType());
  if (bits < 8)
    return op.emitError("'async_copy' of 4-bit elements inside 'parallel' is "
                        "not supported yet");
  int64_t bytes = op.getCount() * bits / 8;
  SmallVector<Value> from = e.getScalars(op.getSourceIndices());
  Value size = emitRunBytes(e, global, from, op.getCount(), bits / 8);
  if (op.getFillPredicate())
    size = e.select(e.getScalar(op.getFillPredicate()), size, e.i32(0));
  Value source = getElementPointer(e, global, from);
  Value destination = getSharedElementPointer(
      e, shared, e.getScalars(op.getDestinationIndices()));
  emitGuarded(e, emitIsWriter(e), [&]() {
    e.callIntrinsic(getAsyncCopyName(bytes), Type(),
                    {destination, source, size});
  });
  return success();
}

/// The operation of LLVM for a kind and type; none if there is no such atomic.
static std::optional<LLVM::AtomicBinOp>
getAtomicOperation(AtomicKind kind, Type type, bool isUnsigned) {
  bool isWide = type.isInteger(32) || type.isInteger(64);
  switch (kind) {
  case AtomicKind::Add:
    if (isWide)
      return LLVM::AtomicBinOp::add;
    if (type.isF32() || type.isF64() || type.isF16() || type.isBF16())
      return LLVM::AtomicBinOp::fadd;
    return std::nullopt;
  case AtomicKind::Max:
    if (!isWide)
      return std::nullopt;
    return isUnsigned ? LLVM::AtomicBinOp::umax : LLVM::AtomicBinOp::max;
  case AtomicKind::Min:
    if (!isWide)
      return std::nullopt;
    return isUnsigned ? LLVM::AtomicBinOp::umin : LLVM::AtomicBinOp::min;
  }
  llvm_unreachable("all kinds are listed");
}

LogicalResult tile::emitAtomicElement(KernelEmitter &e, AtomicElementOp op) {
  Type type = op.getValue().getType();
  StringRef name = stringifyAtomicKind(op.getKind());
  auto operation =
      getAtomicOperation(op.getKind(), type, op.getUnsignedValue());
  if (!operation)
    return op.emitError("'atomic_")
           << name << "' of " << type << " is not supported yet";
  if (op.getAcqRel())
    return op.emitError("'acq_rel' of 'atomic_")
           << name << "' is not supported yet";
  SmallVector<Value> indices = e.getScalars(op.getIndices());
  bool isShared = isa<SharedType>(op.getMemory().getType());
  Value condition = emitIsWriter(e);
  if (!isShared) {
    Value inside = getElementInBounds(e, e.getGlobal(op.getMemory()), indices);
    condition = condition ? e.andi(inside, condition) : inside;
  }
  auto change = [&]() -> Value {
    Value pointer =
        isShared
            ? getSharedElementPointer(e, e.getShared(op.getMemory()), indices)
            : getElementPointer(e, e.getGlobal(op.getMemory()), indices);
    return LLVM::AtomicRMWOp::create(
        e.builder, e.loc, *operation, pointer, e.getScalar(op.getValue()),
        LLVM::AtomicOrdering::monotonic, /*syncscope=*/"device",
        getElementBits(type) / 8);
  };
  e.setScalar(op, condition
                      ? emitGuardedValue(e, condition, e.zeroOf(type), change)
                      : change());
  return success();
}
