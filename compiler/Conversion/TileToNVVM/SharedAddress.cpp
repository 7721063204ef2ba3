//===- SharedAddress.cpp - Addresses in a shared tile ---------------------===//

#include "compiler/Conversion/TileToNVVM/SharedAddress.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace mlir::tile;

SharedAddresser::SharedAddresser(KernelEmitter &emitter, SharedView view,
                                 ArrayRef<int64_t> start,
                                 ArrayRef<int64_t> extents,
                                 ArrayRef<layout::Coords> laneBases,
                                 ArrayRef<layout::Coords> warpBases)
    : emitter(emitter), view(view), storage(view.type.getStorage()),
      start(start.begin(), start.end()), laneBases(laneBases),
      warpBases(warpBases), linear(checkLinear(extents)) {
  if (!linear)
    return;
  SmallVector<int32_t> bases;
  for (const layout::Coords &basis : laneBases)
    bases.push_back(storage.byteOffset(basis));
  for (const layout::Coords &basis : warpBases)
    bases.push_back(storage.byteOffset(basis));
  for (int32_t basis : bases)
    threadMask |= basis;
  threadOffset = emitter.emitThreadBits(bases);
}

/// Offsets are linear over bits if strides are powers of two and the part's
/// origin shares no bits with coordinates inside it.
bool SharedAddresser::checkLinear(ArrayRef<int64_t> extents) const {
  if (storage.panelBytes() && !llvm::isPowerOf2_32(storage.panelStride()))
    return false;
  for (int d = 0; d < storage.rank(); ++d) {
    if (!llvm::isPowerOf2_32(storage.strideBytes(d)))
      return false;
    if (start[d] % llvm::bit_ceil(uint64_t(extents[d])) != 0)
      return false;
  }
  // Coordinates of inner dimensions stay below the next stride.
  for (int d = 1; d < storage.rank(); ++d) {
    // Panels lie behind all rows.
    if (storage.panelBytes() && d == storage.rank() - 1)
      break;
    int64_t perUnit = d == storage.packDim() ? 2 : 1;
    int64_t span =
        llvm::divideCeil(llvm::bit_ceil(uint64_t(storage.shape()[d])), perUnit);
    if (span * storage.strideBytes(d) > storage.strideBytes(d - 1))
      return false;
  }
  return true;
}

/// Whether adding an offset to the thread's coordinates is no XOR: where groups
/// of warps have parts between those of registers.
bool SharedAddresser::carries(const layout::Coords &constantOffset) const {
  for (ArrayRef<layout::Coords> bases :
       {ArrayRef(laneBases), ArrayRef(warpBases)})
    for (const layout::Coords &basis : bases)
      for (auto [step, offset] : llvm::zip_equal(basis, constantOffset))
        if (step & offset)
          return true;
  return false;
}

Value SharedAddresser::getPointer(const layout::Coords &constantXor,
                                  const layout::Coords &constantOffset) {
  if (!linear || carries(constantOffset))
    return getPointerByArithmetic(constantXor, constantOffset);
  layout::Coords coords = start;
  for (int d = 0; d < storage.rank(); ++d)
    coords[d] += constantXor[d] + constantOffset[d];
  int32_t constant = storage.byteOffset(coords);
  int32_t flipped = constant & threadMask, added = constant & ~threadMask;
  Value &base = basePointers[flipped];
  if (!base) {
    Value offset = flipped ? emitter.xori(threadOffset, emitter.i32(flipped))
                           : threadOffset;
    base = emitter.offsetPointer(view.pointer, offset);
  }
  return added ? emitter.offsetPointer(base, emitter.i32(added)) : base;
}

Value SharedAddresser::getPointerByArithmetic(
    const layout::Coords &constantXor, const layout::Coords &constantOffset) {
  Value offset = emitter.i32(0);
  for (int d = 0; d < storage.rank(); ++d) {
    Value coord = emitter.emitThreadCoord(laneBases, warpBases, d);
    if (constantXor[d])
      coord = emitter.xori(coord, emitter.i32(constantXor[d]));
    coord = emitter.add(coord, emitter.i32(constantOffset[d] + start[d]));
    if (d == storage.packDim())
      coord = emitter.shr(coord, 1);
    offset = emitter.add(offset, emitStorageStep(emitter, storage, d, coord));
  }
  return emitter.offsetPointer(view.pointer,
                               emitSwizzle(emitter, storage.swizzle(), offset));
}

Value tile::emitStorageStep(KernelEmitter &emitter,
                            const layout::SharedLayout &storage, int dim,
                            Value unit) {
  Value bytes = emitter.mul(unit, emitter.i32(storage.strideBytes(dim)));
  int panel = storage.panelBytes();
  if (panel == 0 || dim != storage.rank() - 1)
    return bytes;
  Value index = emitter.shr(bytes, llvm::Log2_32(panel));
  return emitter.add(emitter.andi(bytes, emitter.i32(panel - 1)),
                     emitter.mul(index, emitter.i32(storage.panelStride())));
}

Value tile::getSharedElementPointer(KernelEmitter &emitter,
                                    const SharedView &view,
                                    ValueRange indices) {
  layout::SharedLayout storage = view.type.getStorage();
  Value offset = emitter.i32(0);
  for (int d = 0; d < storage.rank(); ++d) {
    // A tile has fewer bytes than an i32 counts.
    Value index = emitter.builder.createOrFold<arith::TruncIOp>(
        emitter.loc, emitter.builder.getI32Type(), indices[d]);
    if (d == storage.packDim())
      index = emitter.shr(index, 1);
    offset = emitter.add(offset, emitStorageStep(emitter, storage, d, index));
  }
  return emitter.offsetPointer(view.pointer,
                               emitSwizzle(emitter, storage.swizzle(), offset));
}

Value tile::emitSwizzle(KernelEmitter &emitter, layout::Swizzle swizzle,
                        Value offset) {
  if (swizzle.isIdentity())
    return offset;
  Value bits =
      emitter.andi(emitter.shr(offset, swizzle.shift),
                   emitter.i32(((1 << swizzle.bits) - 1) << swizzle.base));
  return emitter.xori(offset, bits);
}
