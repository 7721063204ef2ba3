//===- Emitters.h - The op families of the lowering -----------------------===//
//
// Each function emits one op through the emitter; on failure an error was
// reported at the op.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_CONVERSION_TILETONVVM_EMITTERS_H
#define TILE_COMPILER_CONVERSION_TILETONVVM_EMITTERS_H

#include "compiler/Conversion/TileToNVVM/KernelEmitter.h"

namespace mlir::tile {

// Dispatch.cpp
/// Any op of a kernel's body: finds its family.
LogicalResult emitOperation(KernelEmitter &emitter, Operation *op);

// StructureToNVVM.cpp: loops and branches; names of memory.
LogicalResult emitControlFlow(KernelEmitter &emitter, Operation *op);
LogicalResult emitAllocShared(KernelEmitter &emitter, AllocSharedOp op);
LogicalResult emitStage(KernelEmitter &emitter, StageOp op);
LogicalResult emitView(KernelEmitter &emitter, ViewOp op);
LogicalResult emitSlice(KernelEmitter &emitter, SliceOp op);
LogicalResult emitBytes(KernelEmitter &emitter, BytesOp op);
// ParallelToNVVM.cpp
LogicalResult emitParallel(KernelEmitter &emitter, ParallelOp op);
// ElementwiseToNVVM.cpp: arith and math on scalars and fragments, broadcast,
// reindex, layout conversion.
LogicalResult emitElementwise(KernelEmitter &emitter, Operation *op);
LogicalResult emitBroadcast(KernelEmitter &emitter, BroadcastOp op);
LogicalResult emitReindex(KernelEmitter &emitter, ReindexOp op);
LogicalResult emitPart(KernelEmitter &e, PartOp op);
LogicalResult emitJoin(KernelEmitter &e, JoinOp op);
LogicalResult emitRelabel(KernelEmitter &emitter, RelabelOp op);
LogicalResult emitConvertLayout(KernelEmitter &emitter, ConvertLayoutOp op);
// MathToNVVM.cpp
/// Whether the op is a function that the lowering writes out itself.
bool isMathFunction(Operation *op);
/// Such an op on one element of each operand; null after an error was reported.
Value emitMathFunction(KernelEmitter &emitter, Operation *op,
                       ValueRange operands);
// CastToNVVM.cpp
LogicalResult emitCast(KernelEmitter &emitter, CastOp op);
// ElementToNVVM.cpp: single elements of memory, inside `parallel` or not.
LogicalResult emitLoadElement(KernelEmitter &emitter, LoadElementOp op);
LogicalResult emitStoreElement(KernelEmitter &emitter, StoreElementOp op);
LogicalResult emitStorePair(KernelEmitter &emitter, StorePairOp op);
LogicalResult emitAtomicElement(KernelEmitter &emitter, AtomicElementOp op);
LogicalResult emitAsyncCopyElements(KernelEmitter &emitter,
                                    AsyncCopyElementsOp op);
// CopyToNVVM.cpp: memory to memory.
/// The intrinsic that copies 4, 8 or 16 bytes from global to shared memory.
std::string getAsyncCopyName(int64_t bytes);
LogicalResult emitCopy(KernelEmitter &emitter, CopyOp op);
LogicalResult emitAsyncCopy(KernelEmitter &emitter, AsyncCopyOp op);
// SyncToNVVM.cpp: barriers and groups of asynchronous copies.
/// What the block does before and after the body: barriers begin, copies end.
void emitSyncPrologue(KernelEmitter &emitter);
void emitSyncEpilogue(KernelEmitter &emitter);
LogicalResult emitBarrier(KernelEmitter &emitter, BarrierOp op);
LogicalResult emitBarrierAlloc(KernelEmitter &emitter, BarrierAllocOp op);
LogicalResult emitArrive(KernelEmitter &emitter, ArriveOp op);
LogicalResult emitExpect(KernelEmitter &emitter, ExpectOp op);
LogicalResult emitWait(KernelEmitter &emitter, WaitOp op);
LogicalResult emitFence(KernelEmitter &emitter, FenceOp op);
LogicalResult emitCommitGroup(KernelEmitter &emitter, CommitGroupOp op);
LogicalResult emitWaitGroup(KernelEmitter &emitter, WaitGroupOp op);
/// The address of one of some barriers (i32).
Value getBarrierAddress(KernelEmitter &emitter, Value barriers, Value index);
// TmaToNVVM.cpp
/// The address of a tensor map of the kernel (i64).
Value getTensorMapAddress(KernelEmitter &emitter, int64_t index);
LogicalResult emitTmaCopy(KernelEmitter &emitter, TmaCopyOp op);
// TeamsToNVVM.cpp
LogicalResult emitWarpgroup(KernelEmitter &emitter, WarpgroupOp op);
LogicalResult emitSetMaxRegisters(KernelEmitter &emitter, SetMaxRegistersOp op);
LogicalResult emitAwaitLaunches(KernelEmitter &emitter);
LogicalResult emitAllowLaunches(KernelEmitter &emitter);
// SharedToNVVM.cpp, GlobalToNVVM.cpp: fragments from and to memory.
LogicalResult emitSharedLoad(KernelEmitter &emitter, LoadOp op);
LogicalResult emitSharedStore(KernelEmitter &emitter, StoreOp op);
LogicalResult emitGlobalLoad(KernelEmitter &emitter, LoadOp op);
/// Whether a load is one from a tensor in accesses of less than a register.
bool isLoadedInPieces(LoadOp op);
LogicalResult emitGlobalStore(KernelEmitter &emitter, StoreOp op);
// MatmulToNVVM.cpp
/// How PTX spells the type of an operand of a matrix instruction; empty if it
/// has none.
StringRef getPtxType(Type type, bool isUnsigned);
LogicalResult emitMma(KernelEmitter &emitter, MmaOp op);
// WgmmaToNVVM.cpp
LogicalResult emitWgmma(KernelEmitter &emitter, WgmmaOp op);
LogicalResult emitMmaWait(KernelEmitter &emitter, MmaWaitOp op);
/// Keeps what makes the operand that a product takes from registers in front of
/// what stands here.
void pinOperand(KernelEmitter &emitter, WgmmaOp product);
// StoreThroughToNVVM.cpp
LogicalResult emitStoreThrough(KernelEmitter &emitter, StoreThroughOp op);

} // namespace mlir::tile

#endif // TILE_COMPILER_CONVERSION_TILETONVVM_EMITTERS_H
