//===- SpareNibble.cpp - The odd end of a packed tensor -------------------===//

#include "compiler/Conversion/TileToNVVM/SpareNibble.h"
#include "dialects/Tile/Transforms/AccessFacts.h"

using namespace mlir;
using namespace mlir::tile;

SpareNibble::SpareNibble(KernelEmitter &emitter, Value packed)
    : emitter(emitter) {
  auto type = packed ? cast<GlobalType>(packed.getType()) : GlobalType();
  if (!type || type.getPackDim() < 0)
    return;
  // Whole bytes are read of tensors only, not of parts of them.
  BlockArgument argument = getTensorArgument(packed);
  auto kernel = cast<KernelOp>(argument.getOwner()->getParentOp());
  if (kernel.getArgAttr(argument.getArgNumber(), alignedAttrName))
    return;
  const GlobalView &view = emitter.getGlobal(packed);
  dim = view.type.getPackDim();
  extent = view.extents[dim];
}

Value SpareNibble::clear(Value byte, GlobalAddresser &addresser, int reg) {
  if (!extent)
    return byte;
  // The byte's second element is outside.
  Value first = addresser.getIndex(dim, reg);
  if (!addresser.isPacked())
    first = emitter.shl(first, 1);
  Value second = emitter.add(first, emitter.i64(1));
  Value isSpare = emitter.compare(arith::CmpIPredicate::sge, second, extent);
  Value mask = emitter.builder.createOrFold<arith::ConstantOp>(
      emitter.loc, emitter.builder.getI8IntegerAttr(15));
  return emitter.select(isSpare, emitter.andi(byte, mask), byte);
}

GlobalView tile::getBytesView(KernelEmitter &emitter,
                              const GlobalView &packed) {
  GlobalView view = packed;
  int64_t pack = packed.type.getPackDim();
  view.extents[pack] = emitter.builder.createOrFold<arith::ShRUIOp>(
      emitter.loc, emitter.add(view.extents[pack], emitter.i64(1)),
      emitter.i64(1));
  view.type = cast<GlobalType>(BytesOp::getBytesType(packed.type));
  return view;
}
