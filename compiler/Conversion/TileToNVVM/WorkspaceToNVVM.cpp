//===- WorkspaceToNVVM.cpp - Blocks that meet in global memory ------------===//
//
// The last of the blocks at a place is found by a counter.  What the threads of
// a block have written stands in front of a barrier of theirs, and is released
// by the one that counts; that of the last block acquires it, in front of a
// barrier too, by which it tells the others (PTX ISA, "Memory Consistency
// Model": causality order is built from both).
//
//===----------------------------------------------------------------------===//

#include "compiler/Conversion/TileToNVVM/ClusterToNVVM.h"
#include "compiler/Conversion/TileToNVVM/GuardedAccess.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::tile;

/// The parameter in front of the tensor maps.
static Value getWorkspacePointer(KernelEmitter &e) {
  std::optional<ArrayAttr> maps = e.kernel.getTensorMaps();
  return e.function.getArgument(e.function.getNumArguments() - 1 -
                                (maps ? maps->size() : 0));
}

/// The number of the block's place in the grid (i64).
static Value emitPlace(KernelEmitter &e) {
  Value number =
      NVVM::BlockIdXOp::create(e.builder, e.loc, e.builder.getI32Type());
  return e.zeroExtend(e.divui(number, e.i32(getShares(e.kernel))));
}

LogicalResult tile::emitWorkspace(KernelEmitter &e, WorkspaceOp op) {
  GlobalView view;
  view.type = op.getResult().getType();
  Value offset = e.add(e.i64(op.getOffset()),
                       e.mul(emitPlace(e), e.i64(op.getPlaceBytes())));
  view.pointer = e.offsetPointer(getWorkspacePointer(e), offset);
  int64_t stride = getElementBits(view.type.getElementType()) / 8;
  for (int64_t extent : llvm::reverse(view.type.getShape())) {
    view.extents.insert(view.extents.begin(), e.i64(extent));
    view.strides.insert(view.strides.begin(), e.i64(stride));
    stride *= extent;
  }
  e.setGlobal(op, view);
  return success();
}

LogicalResult tile::emitLastShare(KernelEmitter &e, LastShareOp op) {
  constexpr int64_t counterBytes = 4;
  Value isFirst = e.compare(arith::CmpIPredicate::eq, e.thread, e.i32(0));
  Value counter = e.offsetPointer(getWorkspacePointer(e),
                                  e.mul(emitPlace(e), e.i64(counterBytes)));
  Value before = emitGuardedValue(e, isFirst, e.i32(0), [&]() -> Value {
    // LLVM's NVPTX back end drops the order of `atomicrmw`.
    return e.callVolatileAsm("atom.acq_rel.gpu.global.add.u32 $0, [$1], $2;",
                             "=r,l,r,", {counter, e.i32(1)},
                             e.builder.getI32Type());
  });
  Value isLast = e.andi(isFirst, e.compare(arith::CmpIPredicate::eq, before,
                                           e.i32(getShares(e.kernel) - 1)));
  // For the next launch, which sees all of this one.
  emitGuarded(e, isLast, [&]() {
    LLVM::StoreOp::create(e.builder, e.loc, e.i32(0), counter, counterBytes);
  });
  Type i1 = e.builder.getI1Type();
  e.setScalar(
      op,
      e.teamBarrier == 0
          ? e.callIntrinsic("llvm.nvvm.barrier.cta.red.or.aligned.all", i1,
                            {e.i32(0), isLast})
          : e.callIntrinsic("llvm.nvvm.barrier.cta.red.or.aligned.count", i1,
                            {e.i32(e.teamBarrier), e.i32(e.threads), isLast}));
  return success();
}
