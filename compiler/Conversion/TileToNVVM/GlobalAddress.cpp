//===- GlobalAddress.cpp - Addresses and bounds in a global tensor --------===//

#include "compiler/Conversion/TileToNVVM/GlobalAddress.h"
#include "compiler/Conversion/TileToNVVM/GuardedAccess.h"

using namespace mlir;
using namespace mlir::tile;

GlobalAddresser::GlobalAddresser(KernelEmitter &emitter, const GlobalView &view,
                                 ValueRange indices,
                                 const layout::FragmentLayout &layout)
    : emitter(emitter), view(view), layout(layout),
      dropped(view.type.getRank() - layout.rank()),
      disjoint(layout.isDisjoint()) {
  baseOffset = emitter.i64(0);
  for (int d = 0; d < view.type.getRank(); ++d) {
    Value base = indices[d];
    if (d >= dropped && disjoint) {
      Value coord = emitter.emitThreadCoord(layout.laneBases(),
                                            layout.warpBases(), d - dropped);
      base = emitter.add(base,
                         emitter.builder.createOrFold<arith::ExtUIOp>(
                             emitter.loc, emitter.builder.getI64Type(), coord));
    }
    bases.push_back(base);
    if (d != view.type.getPackDim() && (disjoint || d < dropped))
      baseOffset = emitter.add(baseOffset, emitter.mul(base, view.strides[d]));
  }
}

void GlobalAddresser::forgetIndices() {
  for (Value &base : bases)
    base = emitter.callVolatileAsm("", "=l,0,", base, base.getType());
}

int32_t GlobalAddresser::getConstant(int dim, int reg) const {
  if (dim < dropped)
    return 0;
  return layout.registerXor(reg)[dim - dropped] +
         layout.registerOffset(reg)[dim - dropped];
}

Value GlobalAddresser::getIndex(int dim, int reg) {
  if (dim < dropped || disjoint) {
    int32_t constant = getConstant(dim, reg);
    return constant ? emitter.add(bases[dim], emitter.i64(constant))
                    : bases[dim];
  }
  int d = dim - dropped;
  Value coord =
      emitter.emitThreadCoord(layout.laneBases(), layout.warpBases(), d);
  if (int32_t flipped = layout.registerXor(reg)[d])
    coord = emitter.xori(coord, emitter.i32(flipped));
  coord = emitter.add(coord, emitter.i32(layout.registerOffset(reg)[d]));
  coord = emitter.builder.createOrFold<arith::ExtUIOp>(
      emitter.loc, emitter.builder.getI64Type(), coord);
  return emitter.add(bases[dim], coord);
}

Value GlobalAddresser::getPointer(int reg) {
  Value offset = baseOffset;
  for (int d = 0; d < view.type.getRank(); ++d) {
    bool packed = d == view.type.getPackDim();
    if (!packed && (disjoint || d < dropped)) {
      int32_t constant = getConstant(d, reg);
      if (constant == 0)
        continue;
      Value &part = offsets[{d, constant}];
      if (!part)
        part = emitter.mul(view.strides[d], emitter.i64(constant));
      offset = emitter.add(offset, part);
      continue;
    }
    Value index = getIndex(d, reg);
    if (packed)
      index = emitter.builder.createOrFold<arith::ShRSIOp>(
          emitter.loc, getPackedIndex(emitter, view, index), emitter.i64(1));
    offset = emitter.add(offset, emitter.mul(index, view.strides[d]));
  }
  return emitter.offsetPointer(view.pointer, offset);
}

Value tile::getIndexInBounds(KernelEmitter &emitter, const GlobalView &view,
                             int dim, Value index) {
  // Unsigned, so that a negative index is outside as well.
  Value inside =
      emitter.compare(arith::CmpIPredicate::ult, index, view.extents[dim]);
  if (view.lowers.empty() || !view.lowers[dim])
    return inside;
  return emitter.andi(inside, emitter.compare(arith::CmpIPredicate::uge, index,
                                              view.lowers[dim]));
}

Value GlobalAddresser::getInBounds(int reg) {
  Value all;
  for (int d = 0; d < view.type.getRank(); ++d) {
    auto compareIndex = [&]() {
      return getIndexInBounds(emitter, view, d, getIndex(d, reg));
    };
    Value inside;
    if (d < dropped || disjoint) {
      Value &known = bounds[{d, getConstant(d, reg)}];
      if (!known)
        known = compareIndex();
      inside = known;
    } else {
      inside = compareIndex();
    }
    all = all ? emitter.andi(all, inside) : inside;
  }
  return all;
}

Value GlobalAddresser::getNibbleShift(int reg) {
  return tile::getNibbleShift(
      emitter,
      getPackedIndex(emitter, view, getIndex(view.type.getPackDim(), reg)));
}

Value tile::getPackedIndex(KernelEmitter &emitter, const GlobalView &view,
                           Value index) {
  return view.packPhase ? emitter.add(index, view.packPhase) : index;
}

Value tile::getElementPointer(KernelEmitter &emitter, const GlobalView &view,
                              ValueRange indices) {
  Value offset = emitter.i64(0);
  for (int d = 0; d < view.type.getRank(); ++d) {
    Value index = indices[d];
    if (d == view.type.getPackDim())
      index = emitter.builder.createOrFold<arith::ShRSIOp>(
          emitter.loc, getPackedIndex(emitter, view, index), emitter.i64(1));
    offset = emitter.add(offset, emitter.mul(index, view.strides[d]));
  }
  return emitter.offsetPointer(view.pointer, offset);
}

Value tile::getElementInBounds(KernelEmitter &emitter, const GlobalView &view,
                               ValueRange indices) {
  Value all;
  for (int d = 0; d < view.type.getRank(); ++d) {
    Value inside = getIndexInBounds(emitter, view, d, indices[d]);
    all = all ? emitter.andi(all, inside) : inside;
  }
  return all;
}
