//===- GuardedAccess.h - Accesses under a condition -----------------------===//
#ifndef TILE_COMPILER_CONVERSION_TILETONVVM_GUARDEDACCESS_H
#define TILE_COMPILER_CONVERSION_TILETONVVM_GUARDEDACCESS_H

#include "compiler/Conversion/TileToNVVM/GlobalAddress.h"

namespace mlir::tile {

/// Emits what `body` emits, under a branch on `condition` if that is not null.
void emitGuarded(KernelEmitter &emitter, Value condition,
                 llvm::function_ref<void()> body);

/// The value of `body` where `condition` holds, else `otherwise`.
Value emitGuardedValue(KernelEmitter &emitter, Value condition, Value otherwise,
                       llvm::function_ref<Value()> body);

/// How an access to global memory is kept from where its condition is false.
enum class Guard {
  /// By a branch: LLVM sees the access, and addresses that it shares with
  /// others.
  Branch,
  /// By the predicate of one instruction of inline PTX.
  Predicate,
};

/// A branch around each of many accesses would be three blocks and a phi.  In
/// kernels that copy element by element these were more than half of what LLVM
/// read, and ptxas only made predicates of them again.
Guard chooseGuard(int64_t accesses);

/// A load of `bytes` bytes (getAccessType); zero where `condition` is false.
Value emitGuardedLoad(KernelEmitter &emitter, Guard guard, Value condition,
                      Value pointer, int64_t bytes);

/// A store of what getAccessType gives for `bytes` bytes, where `condition`
/// holds.
void emitGuardedStore(KernelEmitter &emitter, Guard guard, Value condition,
                      Value pointer, Value value, int64_t bytes);

/// The element in register `reg`, in its register type; `pad` outside.
Value emitGuardedElementLoad(KernelEmitter &emitter, Guard guard,
                             GlobalAddresser &addresser, int reg,
                             Type elementType, Value pad);

/// What a read outside a tensor gives where the program says nothing: 0, and 1
/// for e8m0, which has no 0.
Value getDefaultPad(KernelEmitter &emitter, Type elementType);

/// Emits what `body` emits in the threads that own a part of `layout`.
void emitInOwners(KernelEmitter &emitter, const layout::FragmentLayout &layout,
                  llvm::function_ref<void()> body);

/// The bits by which an element of a byte is shifted (i8), from its index along
/// the packed dimension or the low bit of that.
Value getNibbleShift(KernelEmitter &emitter, Value index);
/// The element that a byte holds at this shift (i4).
Value extractNibble(KernelEmitter &emitter, Value byte, Value shift);
/// Loads the byte behind a pointer, and the element of it at this shift.
Value emitNibbleLoad(KernelEmitter &emitter, Value pointer, Value shift);

/// Loads one element of at least a byte in its register type.
Value emitElementLoad(KernelEmitter &emitter, Value pointer, Type elementType);
/// Stores one element of at least a byte.
void emitElementStore(KernelEmitter &emitter, Value pointer, Value value);

/// Reports a store of 4-bit elements that writes a byte from two threads.
LogicalResult refuseSplitBytes(StoreOp op);

} // namespace mlir::tile

#endif // TILE_COMPILER_CONVERSION_TILETONVVM_GUARDEDACCESS_H
