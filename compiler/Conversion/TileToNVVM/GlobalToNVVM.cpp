//===- GlobalToNVVM.cpp - Fragments from and to global memory -------------===//
//
// Accesses are as wide as alignment allows; each is in or out of the tensor as
// a whole (see getCopyBytes), and is skipped where it is out.
//
//===----------------------------------------------------------------------===//

#include "compiler/Conversion/TileToNVVM/Emitters.h"
#include "compiler/Conversion/TileToNVVM/GlobalAddress.h"
#include "compiler/Conversion/TileToNVVM/GuardedAccess.h"
#include "compiler/Conversion/TileToNVVM/SpareNibble.h"
#include "compiler/Conversion/TileToNVVM/WideAccess.h"
#include "dialects/Layout/VectorAccess.h"
#include "dialects/Tile/Transforms/AccessFacts.h"

using namespace mlir;
using namespace mlir::tile;

LogicalResult tile::emitGlobalLoad(KernelEmitter &e, LoadOp op) {
  const GlobalView &view = e.getGlobal(op.getMemory());
  const layout::FragmentLayout &layout = e.getLayout(op.getResult());
  Type element = view.type.getElementType();
  int64_t bits = getElementBits(element);
  GlobalAddresser addresser(e, view, e.getScalars(op.getIndices()), layout);
  WordCollector collector(e, element, layout.elementsPerThread());
  int64_t maxBytes = bits < 8 || op.getPad()
                         ? 0
                         : getCopyBytes(op.getMemory(), op.getIndices(),
                                        getTileShape(op.getResult().getType()));
  if (maxBytes * 8 <= bits) {
    Value pad =
        op.getPad() ? e.getScalar(op.getPad()) : getDefaultPad(e, element);
    auto bytes = op.getMemory().getDefiningOp<BytesOp>();
    SpareNibble spare(e, bytes ? bytes.getSource() : Value());
    for (int reg = 0; reg < layout.elementsPerThread(); ++reg) {
      Value value = emitGuardedElementLoad(e, addresser, reg, element, pad);
      collector.addElement(spare.clear(value, addresser, reg), reg);
    }
    e.setFragment(op.getResult(), collector.finish());
    return success();
  }
  layout::VectorPlan plan =
      layout::planGlobalVector(layout, bits, -1, maxBytes);
  for (int access = 0; access < plan.accesses(); ++access) {
    ArrayRef<int> registers =
        ArrayRef(plan.registers).slice(access * plan.elements, plan.elements);
    Value loaded =
        emitGuardedLoad(e, addresser.getInBounds(registers[0]),
                        addresser.getPointer(registers[0]), plan.bytes());
    collector.addVector(loaded, plan.bytes(), registers);
  }
  e.setFragment(op.getResult(), collector.finish());
  return success();
}

LogicalResult tile::emitGlobalStore(KernelEmitter &e, StoreOp op) {
  const GlobalView &view = e.getGlobal(op.getMemory());
  const layout::FragmentLayout &layout = e.getLayout(op.getValue());
  int64_t bits = getElementBits(view.type.getElementType());
  if (bits < 8)
    return op.emitError(
        "a store of 4-bit elements to global memory is not supported yet");
  GlobalAddresser addresser(e, view, e.getScalars(op.getIndices()), layout);
  int64_t maxBytes =
      std::max<int64_t>(getCopyBytes(op.getMemory(), op.getIndices(),
                                     getTileShape(op.getValue().getType())),
                        bits / 8);
  layout::VectorPlan plan =
      layout::planGlobalVector(layout, bits, -1, maxBytes);
  WideStorer storer(e, e.getFragment(op.getValue()));
  Value owner = e.emitIsOwner(layout);
  int ownedRegisters = layout.ownerMask().registers;
  for (int access = 0; access < plan.accesses(); ++access) {
    ArrayRef<int> registers =
        ArrayRef(plan.registers).slice(access * plan.elements, plan.elements);
    // A register that repeats another is not stored again.
    if (registers[0] % layout.coreRegisters() & ownedRegisters)
      continue;
    Value condition = addresser.getInBounds(registers[0]);
    if (owner)
      condition = e.andi(condition, owner);
    // Values that later accesses share are made outside the branch.
    Value pointer = addresser.getPointer(registers[0]);
    Value vector = storer.gather(plan.bytes(), registers);
    emitGuarded(e, condition, [&]() {
      LLVM::StoreOp::create(e.builder, e.loc, vector, pointer, plan.bytes());
    });
  }
  return success();
}
