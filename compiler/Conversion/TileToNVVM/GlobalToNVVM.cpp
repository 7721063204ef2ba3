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

bool tile::isLoadedInPieces(LoadOp op) {
  constexpr int64_t byteBits = 8, wordBits = 32;
  int64_t bits = getElementBits(getTileElementType(op.getMemory().getType()));
  if (!isa<GlobalType>(op.getMemory().getType()) || bits >= wordBits)
    return false;
  const layout::FragmentLayout &layout =
      getFragmentLayout(op.getResult().getType()).getLayout();
  // Each takes a register for as long as it is on its way: those of one word.
  if (layout.elementsPerThread() * bits > wordBits)
    return false;
  layout::VectorPlan plan =
      planGlobalAccess(op.getMemory(), op.getIndices(), layout);
  if (bits < byteBits)
    return isa<IntegerType>(op.getResult().getType().getElementType()) &&
           !op.getPad() && !plan.splitsByte() && plan.bytes() == 1 &&
           layout.elementsPerThread() % 2 == 0;
  return op.getPad() || plan.bytes() * byteBits < wordBits;
}

LogicalResult tile::emitGlobalLoad(KernelEmitter &e, LoadOp op) {
  const GlobalView &view = e.getGlobal(op.getMemory());
  const layout::FragmentLayout &layout = e.getLayout(op.getResult());
  Type element = view.type.getElementType();
  GlobalAddresser addresser(e, view, e.getScalars(op.getIndices()), layout);
  WordCollector collector(e, element, layout.elementsPerThread());
  layout::VectorPlan plan =
      planGlobalAccess(op.getMemory(), op.getIndices(), layout);
  if (op.getPad() || plan.splitsByte() || plan.elements == 1) {
    Value pad =
        op.getPad() ? e.getScalar(op.getPad()) : getDefaultPad(e, element);
    auto bytes = op.getMemory().getDefiningOp<BytesOp>();
    SpareNibble spare(e, bytes ? bytes.getSource() : Value());
    Guard guard = chooseGuard(layout.elementsPerThread());
    for (int reg = 0; reg < layout.elementsPerThread(); ++reg) {
      Value value =
          emitGuardedElementLoad(e, guard, addresser, reg, element, pad);
      collector.addElement(spare.clear(value, addresser, reg), reg);
    }
    e.setFragment(op.getResult(), collector.finishInPieces());
    return success();
  }
  SpareNibble spare(e, plan.bytes() == 1 ? op.getMemory() : Value());
  Guard guard = chooseGuard(plan.accesses());
  bool ofBytes = getElementBits(element) == 4 && plan.bytes() == 1;
  SmallVector<Value> bytes(ofBytes ? layout.elementsPerThread() / 2 : 0);
  for (int access = 0; access < plan.accesses(); ++access) {
    ArrayRef<int> registers =
        ArrayRef(plan.registers).slice(access * plan.elements, plan.elements);
    Value loaded =
        emitGuardedLoad(e, guard, addresser.getInBounds(registers[0]),
                        addresser.getPointer(registers[0]), plan.bytes());
    loaded = spare.clear(loaded, addresser, registers[0]);
    if (ofBytes && registers[0] % 2 == 0 && registers[1] == registers[0] + 1)
      bytes[registers[0] / 2] = loaded;
    collector.addVector(loaded, plan.bytes(), registers);
  }
  bool haveAll = llvm::all_of(bytes, [](Value byte) { return bool(byte); });
  e.setFragment(
      op.getResult(),
      ofBytes && haveAll
          ? FragmentValue::ofPieces(element, layout.elementsPerThread(), bytes)
          : collector.finishInPieces());
  return success();
}

LogicalResult tile::emitGlobalStore(KernelEmitter &e, StoreOp op) {
  const GlobalView &view = e.getGlobal(op.getMemory());
  const layout::FragmentLayout &layout = e.getLayout(op.getValue());
  GlobalAddresser addresser(e, view, e.getScalars(op.getIndices()), layout);
  // With so many elements in registers there is no room for their indices,
  // which loads of factors in front of the store have in common with it.
  constexpr int mostWithIndices = 96;
  if (layout.elementsPerThread() > mostWithIndices && !addresser.isPacked())
    addresser.forgetIndices();
  layout::VectorPlan plan =
      planGlobalAccess(op.getMemory(), op.getIndices(), layout);
  if (plan.splitsByte())
    return refuseSplitBytes(op);
  // A byte of two elements may lie in the tensor with its first one only.
  SpareNibble spare(e, plan.bytes() == 1 ? op.getMemory() : Value());
  WideStorer storer(e, e.getFragment(op.getValue()));
  Value owner = e.emitIsOwner(layout);
  int ownedRegisters = layout.ownerMask().registers;
  Guard guard = chooseGuard(plan.accesses());
  for (int access = 0; access < plan.accesses(); ++access) {
    ArrayRef<int> registers =
        ArrayRef(plan.registers).slice(access * plan.elements, plan.elements);
    // A register that repeats another is not stored again.
    if (registers[0] % layout.coreRegisters() & ownedRegisters)
      continue;
    Value condition = addresser.getInBounds(registers[0]);
    if (owner)
      condition = e.andi(condition, owner);
    Value pointer = addresser.getPointer(registers[0]);
    Value vector = spare.clear(storer.gather(plan.bytes(), registers),
                               addresser, registers[0]);
    emitGuardedStore(e, guard, condition, pointer, vector, plan.bytes());
  }
  return success();
}
