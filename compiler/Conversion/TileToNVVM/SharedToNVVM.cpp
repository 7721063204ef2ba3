//===- SharedToNVVM.cpp - Fragments from and to shared memory -------------===//
//
// Operand fragments are read by ldmatrix where the layouts fit, else by the
// widest accesses in which every thread finds its elements together.
//
//===----------------------------------------------------------------------===//

#include "compiler/Conversion/TileToNVVM/ClusterToNVVM.h"
#include "compiler/Conversion/TileToNVVM/Emitters.h"
#include "compiler/Conversion/TileToNVVM/GuardedAccess.h"
#include "compiler/Conversion/TileToNVVM/SharedAddress.h"
#include "compiler/Conversion/TileToNVVM/WideAccess.h"
#include "dialects/Layout/Ldmatrix.h"
#include "dialects/Layout/VectorAccess.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::tile;

/// The constant origin of a part of a shared tile; zeros for the whole tile.
static std::optional<SmallVector<int64_t>> getStart(ValueRange indices,
                                                    int64_t rank) {
  SmallVector<int64_t> start(rank, 0);
  for (auto [i, index] : llvm::enumerate(indices)) {
    APInt constant;
    if (!matchPattern(index, m_ConstantInt(&constant)))
      return std::nullopt;
    start[i] = constant.getSExtValue();
  }
  return start;
}

/// Reads a fragment by ldmatrix: results are operand words as they are.
static void emitLdmatrix(KernelEmitter &e, LoadOp op,
                         const layout::LdmatrixPlan &plan, SharedView view,
                         ArrayRef<int64_t> start, ArrayRef<int64_t> extents) {
  SharedAddresser addresser(e, view, start, extents, plan.laneBases,
                            plan.warpBases);
  std::string name =
      ("llvm.nvvm.ldmatrix.sync.aligned.m8n8.x" + Twine(plan.matrices) +
       (plan.transposed ? ".trans" : "") + ".b16.p3")
          .str();
  Type i32 = e.builder.getI32Type();
  Type result =
      plan.matrices == 1
          ? i32
          : Type(LLVM::LLVMStructType::getLiteral(
                op.getContext(), SmallVector<Type>(plan.matrices, i32)));
  unsigned count = e.getLayout(op.getResult()).elementsPerThread();
  WordCollector collector(e, getTileElementType(op.getResult().getType()),
                          count);
  for (const layout::LdmatrixInstruction &instruction : plan.instructions) {
    Value pointer =
        addresser.getPointer(instruction.rowXor, instruction.rowOffset);
    Value loaded = e.callIntrinsic(name, result, pointer);
    for (int64_t m = 0; m < plan.matrices; ++m) {
      Value word = plan.matrices == 1
                       ? loaded
                       : Value(LLVM::ExtractValueOp::create(
                             e.builder, e.loc, loaded, ArrayRef<int64_t>{m}));
      collector.addWord(word, instruction.results[m]);
    }
  }
  e.setFragment(op.getResult(), collector.finish());
}

/// Bytes of the widest access that is aligned wherever the part is, given that
/// it is in a part that begins at the tile's origin; 0 if the part begins in
/// the middle of a byte.
static int getAlignedBytes(SharedType type, ArrayRef<int64_t> start) {
  layout::SharedLayout storage = type.getStorage();
  if (storage.packDim() >= 0 && start[storage.packDim()] % 2 != 0)
    return 0;
  layout::Coords origin(start.begin(), start.end());
  int64_t offset = storage.byteOffset(origin);
  return offset == 0 ? 16 : std::min<int64_t>(16, offset & -offset);
}

LogicalResult tile::emitSharedLoad(KernelEmitter &e, LoadOp op) {
  SharedView view = e.getShared(op.getMemory());
  ArrayRef<int64_t> shape = getTileShape(op.getResult().getType());
  auto start = getStart(op.getIndices(), view.type.getRank());
  auto storage = start ? getSubTileStorage(view.type, shape) : std::nullopt;
  if (!storage)
    return op.emitError(
        "a part of a shared tile at run-time indices is not supported yet");
  const layout::FragmentLayout &layout = e.getLayout(op.getResult());
  int alignedBytes = getAlignedBytes(view.type, *start);
  if (auto ldmatrix = layout::planLdmatrix(layout, *storage);
      ldmatrix && alignedBytes == 16 && !isOfPeer(view)) {
    emitLdmatrix(e, op, *ldmatrix, view, *start, shape);
    return success();
  }
  Type element = getTileElementType(op.getResult().getType());
  layout::VectorPlan plan =
      layout::planVector(layout, *storage, /*maxBytes=*/alignedBytes);
  SharedAddresser addresser(e, view, *start, shape, layout.laneBases(),
                            layout.warpBases());
  WordCollector collector(e, element, layout.elementsPerThread());
  for (int access = 0; access < plan.accesses(); ++access) {
    ArrayRef<int> registers =
        ArrayRef(plan.registers).slice(access * plan.elements, plan.elements);
    Value pointer = addresser.getPointer(layout.registerXor(registers[0]),
                                         layout.registerOffset(registers[0]));
    if (plan.splitsByte())
      collector.addNibble(pointer, e, layout, registers[0], storage->packDim(),
                          /*startsOdd=*/alignedBytes == 0);
    else
      collector.addLoad(pointer, plan.bytes(), registers);
  }
  e.setFragment(op.getResult(), collector.finish());
  return success();
}

LogicalResult tile::emitSharedStore(KernelEmitter &e, StoreOp op) {
  SharedView view = e.getShared(op.getMemory());
  ArrayRef<int64_t> shape = getTileShape(op.getValue().getType());
  auto start = getStart(op.getIndices(), view.type.getRank());
  auto storage = start ? getSubTileStorage(view.type, shape) : std::nullopt;
  if (!storage)
    return op.emitError(
        "a part of a shared tile at run-time indices is not supported yet");
  const layout::FragmentLayout &layout = e.getLayout(op.getValue());
  layout::VectorPlan plan = layout::planVector(
      layout, *storage, /*maxBytes=*/getAlignedBytes(view.type, *start));
  if (plan.splitsByte())
    return refuseSplitBytes(op);
  const FragmentValue &value = e.getFragment(op.getValue());
  // Threads that hold the same elements would write the same bytes.
  emitInOwners(e, layout, [&]() {
    SharedAddresser addresser(e, view, *start, shape, layout.laneBases(),
                              layout.warpBases());
    WideStorer storer(e, value);
    for (int access = 0; access < plan.accesses(); ++access) {
      ArrayRef<int> registers =
          ArrayRef(plan.registers).slice(access * plan.elements, plan.elements);
      storer.store(addresser.getPointer(layout.registerXor(registers[0]),
                                        layout.registerOffset(registers[0])),
                   plan.bytes(), registers);
    }
  });
  return success();
}
