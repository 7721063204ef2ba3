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

/// The index of an element along the packed dimension of memory, from the start
/// of a byte; null if it is not packed.
static Value findPackedIndex(KernelEmitter &e, Value memory,
                             ValueRange indices) {
  if (isa<SharedType>(memory.getType())) {
    int64_t packDim = e.getShared(memory).type.getPackDim();
    return packDim < 0 ? Value() : indices[packDim];
  }
  const GlobalView &view = e.getGlobal(memory);
  int64_t packDim = view.type.getPackDim();
  return packDim < 0 ? Value()
                     : tile::getPackedIndex(e, view, indices[packDim]);
}

/// The elements along the packed dimension of memory up to its end, counted as
/// `findPackedIndex` does (i64).
static Value getPackedEnd(KernelEmitter &e, Value memory) {
  if (isa<SharedType>(memory.getType())) {
    SharedType type = e.getShared(memory).type;
    return e.i64(type.getShape()[type.getPackDim()]);
  }
  const GlobalView &view = e.getGlobal(memory);
  Value limit =
      view.packLimit ? view.packLimit : view.extents[view.type.getPackDim()];
  return tile::getPackedIndex(e, view, limit);
}

/// Loads the element, of any width, behind a pointer to its byte.
static Value loadElement(KernelEmitter &e, Value pointer, Type element,
                         Value packedIndex) {
  if (!packedIndex)
    return emitElementLoad(e, pointer, element);
  return emitNibbleLoad(e, pointer, getNibbleShift(e, packedIndex));
}

/// Reads a byte of which one element stays.  Volatile: the other one may never
/// have been written, which only such a read may meet (the emulator tells).
static Value emitOldByte(KernelEmitter &e, Value pointer) {
  return LLVM::LoadOp::create(e.builder, e.loc, e.builder.getI8Type(), pointer,
                              /*alignment=*/1, /*isVolatile=*/true);
}

/// Writes the element; the other one of its byte stays, but is cleared beside
/// the last element of a row that ends at an odd `end`.
static void storeElement(KernelEmitter &e, Value pointer, Value value,
                         Value packedIndex, Value end) {
  if (!packedIndex)
    return emitElementStore(e, pointer, value);
  Type i8 = e.builder.getI8Type();
  Value old = emitOldByte(e, pointer);
  Value shift = getNibbleShift(e, packedIndex);
  auto shiftLeft = [&](Value v) {
    return e.builder.createOrFold<arith::ShLIOp>(e.loc, v, shift);
  };
  Value others =
      e.xori(shiftLeft(e.constantLike(old, 0xF)), e.constantLike(old, 0xFF));
  Value isEven = e.compare(arith::CmpIPredicate::eq,
                           e.andi(packedIndex, e.i64(1)), e.i64(0));
  Value isLast =
      e.compare(arith::CmpIPredicate::eq, e.add(packedIndex, e.i64(1)), end);
  others = e.select(e.andi(isEven, isLast), e.constantLike(old, 0), others);
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
                                element,
                                findPackedIndex(e, op.getMemory(), indices)));
    return success();
  }
  const GlobalView &view = e.getGlobal(op.getMemory());
  Value pad =
      op.getPad() ? e.getScalar(op.getPad()) : getDefaultPad(e, element);
  e.setScalar(
      op, emitGuardedValue(e, getElementInBounds(e, view, indices), pad, [&]() {
        return loadElement(e, getElementPointer(e, view, indices), element,
                           findPackedIndex(e, op.getMemory(), indices));
      }));
  return success();
}

LogicalResult tile::emitStoreElement(KernelEmitter &e, StoreElementOp op) {
  SmallVector<Value> indices = e.getScalars(op.getIndices());
  Value value = e.getScalar(op.getValue());
  bool isShared = isa<SharedType>(op.getMemory().getType());
  Value packed = findPackedIndex(e, op.getMemory(), indices);
  // Iterations of different threads may write the two elements of a byte.
  if (packed && e.iteration && !op->hasAttr(ownsByteAttrName))
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
    storeElement(e, pointer, value, packed,
                 packed ? getPackedEnd(e, op.getMemory()) : Value());
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
  // Where a byte is written, its low element exists.
  Value isHigh =
      e.compare(arith::CmpIPredicate::slt,
                e.add(findPackedIndex(e, op.getMemory(), indices), e.i64(1)),
                getPackedEnd(e, op.getMemory()));
  Value writeLow = e.getScalar(op.getWriteLow());
  Value writeHigh = e.andi(e.getScalar(op.getWriteHigh()), isHigh);
  if (!isShared) {
    writeLow = e.andi(writeLow, getElementInBounds(e, *global, indices));
    writeHigh = e.andi(writeHigh, getElementInBounds(e, *global, highIndices));
  }
  auto invert = [&](Value v) { return e.xori(v, e.i1(true)); };
  Value keepLow = invert(writeLow);
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
                          ValueRange indices, int64_t count, int64_t bits) {
  Value inside = getElementInBounds(e, view, indices);
  Value left = e.sub(view.extents.back(), indices.back());
  left = e.builder.createOrFold<arith::MinUIOp>(e.loc, left, e.i64(count));
  // Packed rows have whole bytes: a launch checks that they are even.
  left = bits < 8 ? e.shr(left, 1) : e.mul(left, e.i64(bits / 8));
  Value bytes = e.builder.createOrFold<arith::TruncIOp>(
      e.loc, e.builder.getI32Type(), left);
  return e.select(inside, bytes, e.i32(0));
}

LogicalResult tile::emitAsyncCopyElements(KernelEmitter &e,
                                          AsyncCopyElementsOp op) {
  SharedView shared = e.getShared(op.getDestination());
  const GlobalView &global = e.getGlobal(op.getSource());
  int64_t bits = getElementBits(global.type.getElementType());
  int64_t bytes = op.getCount() * bits / 8;
  SmallVector<Value> from = e.getScalars(op.getSourceIndices());
  Value size = emitRunBytes(e, global, from, op.getCount(), bits);
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
