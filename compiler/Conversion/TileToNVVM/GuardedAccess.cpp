//===- GuardedAccess.cpp - Accesses under a condition ---------------------===//

#include "compiler/Conversion/TileToNVVM/GuardedAccess.h"
#include "compiler/Conversion/TileToNVVM/WideAccess.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tile;

void tile::emitGuarded(KernelEmitter &e, Value condition,
                       llvm::function_ref<void()> body) {
  if (!condition)
    return body();
  auto branch =
      scf::IfOp::create(e.builder, e.loc, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(e.builder);
  e.builder.setInsertionPointToStart(branch.thenBlock());
  body();
}

Value tile::emitGuardedValue(KernelEmitter &e, Value condition, Value otherwise,
                             llvm::function_ref<Value()> body) {
  auto branch =
      scf::IfOp::create(e.builder, e.loc, otherwise.getType(), condition,
                        /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(e.builder);
  e.builder.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(e.builder, e.loc, body());
  e.builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(e.builder, e.loc, otherwise);
  return branch.getResult(0);
}

Value tile::emitGuardedLoad(KernelEmitter &e, Value condition, Value pointer,
                            int64_t bytes) {
  Type type = getAccessType(e.builder.getContext(), bytes);
  return emitGuardedValue(e, condition, e.zeroOf(type), [&]() -> Value {
    return LLVM::LoadOp::create(e.builder, e.loc, type, pointer, bytes);
  });
}

Value tile::getDefaultPad(KernelEmitter &e, Type elementType) {
  Type type = getRegisterType(elementType);
  if (isa<Float8E8M0FNUType>(elementType))
    return arith::ConstantOp::create(e.builder, e.loc,
                                     e.builder.getIntegerAttr(type, 127));
  return e.zeroOf(type);
}

Value tile::emitElementLoad(KernelEmitter &e, Value pointer, Type elementType) {
  Type type = getRegisterType(elementType);
  unsigned bytes = getElementBits(type) / 8;
  if (!type.isInteger(1))
    return LLVM::LoadOp::create(e.builder, e.loc, type, pointer, bytes);
  Value byte = LLVM::LoadOp::create(e.builder, e.loc, e.builder.getI8Type(),
                                    pointer, bytes);
  return e.compare(arith::CmpIPredicate::ne, byte, e.constantLike(byte, 0));
}

void tile::emitElementStore(KernelEmitter &e, Value pointer, Value value) {
  if (value.getType().isInteger(1))
    value = e.builder.createOrFold<arith::ExtUIOp>(e.loc, e.builder.getI8Type(),
                                                   value);
  LLVM::StoreOp::create(e.builder, e.loc, value, pointer,
                        value.getType().getIntOrFloatBitWidth() / 8);
}

void tile::emitInOwners(KernelEmitter &e, const layout::FragmentLayout &layout,
                        llvm::function_ref<void()> body) {
  emitGuarded(e, e.emitIsOwner(layout), body);
}

LogicalResult tile::refuseSplitBytes(StoreOp op) {
  return op.emitError("internal error in convert-tile-to-nvvm: 'tile.store' "
                      "splits bytes between threads; run tile-infer-layouts "
                      "first");
}

Value tile::getNibbleShift(KernelEmitter &e, Value index) {
  return e.builder.createOrFold<arith::TruncIOp>(
      e.loc, e.builder.getI8Type(),
      e.shl(e.andi(index, e.constantLike(index, 1)), 2));
}

Value tile::extractNibble(KernelEmitter &e, Value byte, Value shift) {
  byte = e.builder.createOrFold<arith::ShRUIOp>(e.loc, byte, shift);
  return e.builder.createOrFold<arith::TruncIOp>(
      e.loc, e.builder.getIntegerType(4), byte);
}

Value tile::emitNibbleLoad(KernelEmitter &e, Value pointer, Value shift) {
  Value byte =
      LLVM::LoadOp::create(e.builder, e.loc, e.builder.getI8Type(), pointer, 1);
  return extractNibble(e, byte, shift);
}

Value tile::emitGuardedElementLoad(KernelEmitter &e, GlobalAddresser &addresser,
                                   int reg, Type elementType, Value pad) {
  // Values that later accesses share are made outside the branch.
  Value condition = addresser.getInBounds(reg),
        pointer = addresser.getPointer(reg);
  bool isNibble = getElementBits(elementType) < 8;
  Value shift = isNibble ? addresser.getNibbleShift(reg) : Value();
  return emitGuardedValue(e, condition, pad, [&]() -> Value {
    return isNibble ? emitNibbleLoad(e, pointer, shift)
                    : emitElementLoad(e, pointer, elementType);
  });
}
