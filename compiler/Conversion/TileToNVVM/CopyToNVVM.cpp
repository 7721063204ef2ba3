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
#include "compiler/Conversion/TileToNVVM/WideAccess.h"
#include "dialects/Layout/BlockedLayout.h"
#include "dialects/Layout/VectorAccess.h"

using namespace mlir;
using namespace mlir::tile;

static SmallVector<Value> mapIndices(KernelEmitter &e, ValueRange indices) {
  SmallVector<Value> mapped;
  for (Value index : indices)
    mapped.push_back(e.getScalar(index));
  return mapped;
}

/// How the threads share a tile.
static layout::FragmentLayout getCopyLayout(KernelEmitter &e, SharedType type, int64_t bytes) {
  layout::BlockedOptions options;
  options.elementBits = getElementBits(type.getElementType());
  options.threads = e.threads;
  options.vectorBits = bytes * 8;
  options.packDim = type.getPackDim();
  return layout::blocked(layout::Coords(type.getShape().begin(), type.getShape().end()), options);
}

/// Runs `body` in the threads that own a part of the tile.
static void emitInOwners(KernelEmitter &e, const layout::FragmentLayout &layout,
                         llvm::function_ref<void()> body) {
  if (Value owner = e.emitIsOwner(layout))
    emitGuarded(e, owner, body);
  else
    body();
}

LogicalResult tile::emitAsyncCopy(KernelEmitter &e, AsyncCopyOp op) {
  SharedView shared = e.getShared(op.getDestination());
  const GlobalView &global = e.getGlobal(op.getSource());
  int64_t bytes = op.getPlan()->getBytes();
  layout::FragmentLayout layout = getCopyLayout(e, shared.type, bytes);
  layout::VectorPlan plan = layout::planVector(layout, shared.type.getStorage(), bytes);
  if (plan.bytes() != bytes)
    return op.emitError("pieces of ") << bytes << " bytes are not whole in the shared tile";
  // 16 bytes bypass L1; smaller pieces cannot.
  std::string name = (Twine("llvm.nvvm.cp.async.") + (bytes == 16 ? "cg" : "ca") +
                      ".shared.global." + Twine(bytes) + ".s")
                         .str();
  auto emitPieces = [&]() {
    GlobalAddresser from(e, global, mapIndices(e, op.getSourceIndices()), layout);
    SmallVector<int64_t> start(shared.type.getRank(), 0);
    SharedAddresser to(e, shared, start, shared.type.getShape(), layout.laneBases(), layout.warpBases());
    for (int access = 0; access < plan.accesses(); ++access) {
      int reg = plan.registers[access * plan.elements];
      // A piece outside the tensor reads nothing and is filled with zeros.
      Value size = e.select(from.getInBounds(reg), e.i32(bytes), e.i32(0));
      e.callIntrinsic(name, Type(),
                      {to.getPointer(layout.registerXor(reg), layout.registerOffset(reg)),
                       from.getPointer(reg), size});
    }
  };
  auto emitOwned = [&]() { emitInOwners(e, layout, emitPieces); };
  if (op.getPredicate())
    emitGuarded(e, e.getScalar(op.getPredicate()), emitOwned);
  else
    emitOwned();
  return success();
}

/// Wide synchronous copy from global memory: all loads first, so that they are
/// in flight together.
static void emitVectorCopy(KernelEmitter &e, CopyOp op, SharedView shared, const GlobalView &global,
                           int64_t bytes) {
  layout::FragmentLayout layout = getCopyLayout(e, shared.type, bytes);
  layout::VectorPlan plan = layout::planVector(layout, shared.type.getStorage(), bytes);
  emitInOwners(e, layout, [&]() {
    GlobalAddresser from(e, global, mapIndices(e, op.getSourceIndices()), layout);
    SmallVector<int64_t> start(shared.type.getRank(), 0);
    SharedAddresser to(e, shared, start, shared.type.getShape(), layout.laneBases(), layout.warpBases());
    SmallVector<Value> loaded;
    for (int access = 0; access < plan.accesses(); ++access) {
      int reg = plan.registers[access * plan.elements];
      loaded.push_back(emitGuardedLoad(e, from.getInBounds(reg), from.getPointer(reg), plan.bytes()));
    }
    for (int access = 0; access < plan.accesses(); ++access) {
      int reg = plan.registers[access * plan.elements];
      LLVM::StoreOp::create(e.builder, e.loc, loaded[access],
                            to.getPointer(layout.registerXor(reg), layout.registerOffset(reg)),
                            plan.bytes());
    }
  });
}

/// Element by element, for any alignment; two nibbles make a byte in one thread.
static LogicalResult emitScalarCopy(KernelEmitter &e, CopyOp op, SharedView shared,
                                    const GlobalView &global) {
  Type element = shared.type.getElementType();
  int64_t bits = getElementBits(element);
  layout::FragmentLayout layout = getCopyLayout(e, shared.type, std::max<int64_t>(bits / 8, 1));
  layout::VectorPlan plan = layout::planVector(layout, shared.type.getStorage(),
                                               std::max<int64_t>(bits / 8, 1));
  if (plan.splitsByte() && shared.type.getShape()[shared.type.getPackDim()] % 2 == 0)
    return op.emitError("a copy whose bytes are split between threads is not supported yet");
  Value pad = op.getPad() ? e.getScalar(op.getPad()) : e.zeroOf(getRegisterType(element));
  emitInOwners(e, layout, [&]() {
    GlobalAddresser from(e, global, mapIndices(e, op.getSourceIndices()), layout);
    SmallVector<int64_t> start(shared.type.getRank(), 0);
    SharedAddresser to(e, shared, start, shared.type.getShape(), layout.laneBases(), layout.warpBases());
    SmallVector<Value> elements(layout.elementsPerThread());
    for (int reg = 0; reg < layout.elementsPerThread(); ++reg)
      elements[reg] = emitGuardedElementLoad(e, from, reg, element, pad);
    WideStorer storer(e, FragmentValue::ofElements(element, elements));
    for (int access = 0; access < plan.accesses(); ++access) {
      ArrayRef<int> registers = ArrayRef(plan.registers).slice(access * plan.elements, plan.elements);
      int reg = registers[0];
      storer.store(to.getPointer(layout.registerXor(reg), layout.registerOffset(reg)), plan.bytes(),
                   registers);
    }
  });
  return success();
}

LogicalResult tile::emitCopy(KernelEmitter &e, CopyOp op) {
  if (!isa<GlobalType>(op.getSource().getType()) || !isa<SharedType>(op.getDestination().getType()) ||
      !op.getDestinationIndices().empty())
    return op.emitError("'copy' from a shared tile to memory is not supported yet");
  SharedView shared = e.getShared(op.getDestination());
  const GlobalView &global = e.getGlobal(op.getSource());
  if (op.getPlan() && op.getPlan()->getEngine() == CopyEngine::Vector) {
    emitVectorCopy(e, op, shared, global, op.getPlan()->getBytes());
    return success();
  }
  return emitScalarCopy(e, op, shared, global);
}
