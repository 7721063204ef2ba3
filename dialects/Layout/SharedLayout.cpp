//===- SharedLayout.cpp - Where shared memory holds an element ------------===//
//
// Row-major strides over the storage shape, then the swizzle.
//
//===----------------------------------------------------------------------===//

#include "dialects/Layout/SharedLayout.h"

#include "dialects/Layout/LayoutText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cassert>

using namespace layout;
using llvm::ArrayRef;
using llvm::StringRef;
using llvm::Twine;

/// Keeps every offset well inside int32_t.
static constexpr int64_t maxBytes = 1 << 30;

//===----------------------------------------------------------------------===//
// Construction
//===----------------------------------------------------------------------===//

static bool reportFailure(std::string *error, const Twine &message) {
  fail(error, message);
  return false;
}

static bool verifySwizzle(Swizzle swizzle, int unitBytes, int32_t rowPitch,
                          std::string *error) {
  if (swizzle.isIdentity())
    return true;
  auto [bits, base, shift] = swizzle;
  if (bits < 0 || base < 0 || shift < 0 || bits > 30 || base > 30 ||
      shift > 30 || base + shift + bits > 30)
    return reportFailure(error, "the swizzle's bits lie outside of an address");
  if (shift < bits)
    return reportFailure(error, "swizzle shift " + Twine(shift) +
                                    " is smaller than its " + Twine(bits) +
                                    " bits");
  if ((1 << base) < unitBytes)
    return reportFailure(error, "swizzle base " + Twine(base) +
                                    " tears elements of " + Twine(unitBytes) +
                                    " bytes apart");
  if (rowPitch % (1 << (base + bits)) != 0)
    return reportFailure(error, "a row of " + Twine(rowPitch) +
                                    " bytes is not a multiple of the " +
                                    Twine(1 << (base + bits)) +
                                    " bytes that the swizzle permutes");
  return true;
}

static bool verifyPanel(int panel, ArrayRef<int32_t> storage, int unitBytes,
                        int padBytes, std::string *error) {
  if (panel == 0)
    return true;
  if (panel < unitBytes || !llvm::isPowerOf2_32(panel))
    return reportFailure(error, "a panel of " + Twine(panel) + " bytes");
  if (storage.size() < 2 || padBytes != 0 ||
      storage.back() * int64_t(unitBytes) % panel != 0)
    return reportFailure(error, "panels of " + Twine(panel) +
                                    " bytes do not divide the rows");
  return true;
}

std::optional<SharedLayout> SharedLayout::create(ArrayRef<int32_t> shape,
                                                 int elementBits, int packDim,
                                                 Swizzle swizzle, int padBytes,
                                                 std::string *error,
                                                 int panelBytes) {
  int rank = static_cast<int>(shape.size());
  if (elementBits < 1 || elementBits > 64 || !llvm::isPowerOf2_32(elementBits))
    return fail(error, "elements of " + Twine(elementBits) +
                           " bits cannot be stored; 1, 2, 4, 8, 16, 32 and 64 "
                           "bits can");
  if (packDim < -1 || packDim >= std::max(rank, 1))
    return fail(error, "packed dimension " + Twine(packDim) +
                           " of a tile of rank " + Twine(rank));
  if (padBytes < 0 || padBytes > maxBytes)
    return fail(error, "row padding of " + Twine(padBytes) + " bytes");
  for (int32_t extent : shape)
    if (extent < 1)
      return fail(error, "a tile extent is " + Twine(extent));

  SharedLayout layout;
  layout.tileShape.assign(shape.begin(), shape.end());
  layout.elemBits = elementBits;
  if (elementBits < 8 && rank > 0)
    layout.pack = packDim < 0 ? rank - 1 : packDim;
  layout.addressSwizzle = swizzle.isIdentity() ? Swizzle() : swizzle;
  layout.pad = padBytes;
  if (padBytes % layout.unitBytes() != 0)
    return fail(error, "row padding of " + Twine(padBytes) +
                           " bytes is not a multiple of the element's " +
                           Twine(layout.unitBytes()));

  if (!verifyPanel(panelBytes, layout.storageShape(), layout.unitBytes(),
                   padBytes, error))
    return std::nullopt;

  layout.strides.assign(rank, 0);
  int64_t stride = layout.unitBytes();
  Coords storage = layout.storageShape();
  for (int dim = rank - 1; dim >= 0; --dim) {
    layout.strides[dim] = static_cast<int32_t>(stride);
    stride *= storage[dim];
    if (dim == rank - 1)
      stride += padBytes;
    if (stride > maxBytes)
      return fail(error, "the tile is larger than 2^30 bytes");
  }
  if (panelBytes != 0 && panelBytes < layout.strides[rank - 2]) {
    layout.panel = panelBytes;
    layout.strides[rank - 2] = panelBytes;
  }
  if (!verifySwizzle(layout.addressSwizzle, layout.unitBytes(),
                     layout.rowPitch(), error))
    return std::nullopt;
  return layout;
}

std::optional<SharedLayout>
SharedLayout::withSwizzle(Swizzle swizzle, std::string *error) const {
  if (!verifySwizzle(swizzle, unitBytes(), rowPitch(), error))
    return std::nullopt;
  SharedLayout result = *this;
  result.addressSwizzle = swizzle.isIdentity() ? Swizzle() : swizzle;
  return result;
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

Coords SharedLayout::storageShape() const {
  Coords storage = tileShape;
  if (pack >= 0)
    storage[pack] = static_cast<int32_t>(
        llvm::divideCeil(storage[pack], elementsPerByte()));
  return storage;
}

int32_t SharedLayout::panelStride() const {
  return panel == 0 ? 0 : panel * storageShape()[rank() - 2];
}

int32_t SharedLayout::rowPitch() const {
  if (rank() == 0)
    return unitBytes();
  if (panel != 0)
    return panel;
  return storageShape().back() * unitBytes() + pad;
}

int32_t SharedLayout::bytes() const {
  if (rank() == 0)
    return unitBytes();
  int32_t units = 1;
  Coords storage = storageShape();
  for (int32_t extent : ArrayRef(storage).drop_back())
    units *= extent;
  return units * (storage.back() * unitBytes() + pad);
}

int32_t SharedLayout::alignment() const {
  if (addressSwizzle.isIdentity())
    return 16;
  auto [bits, base, shift] = addressSwizzle;
  return std::max(16, 1 << (base + shift + bits));
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

int32_t SharedLayout::linearOffset(ArrayRef<int32_t> coords) const {
  assert(int(coords.size()) == rank());
  int32_t offset = 0;
  for (int dim = 0; dim < rank(); ++dim) {
    int32_t unit = dim == pack ? coords[dim] / elementsPerByte() : coords[dim];
    int32_t bytes = unit * strides[dim];
    if (panel != 0 && dim == rank() - 1)
      bytes = bytes % panel + bytes / panel * panelStride();
    offset += bytes;
  }
  return offset;
}

int SharedLayout::nibble(ArrayRef<int32_t> coords) const {
  return pack < 0 ? 0 : coords[pack] % elementsPerByte();
}

bool SharedLayout::preservesVectors(int bytes) const {
  if (!addressSwizzle.isIdentity() && (1 << addressSwizzle.base) < bytes)
    return false;
  bool oneRow = this->bytes() == rowPitch();
  return oneRow || rowPitch() % bytes == 0;
}

std::vector<Coords> layout::contiguousBases(ArrayRef<int32_t> shape,
                                            int elementBits, int packDim) {
  int rank = static_cast<int>(shape.size());
  std::vector<Coords> bases;
  if (rank == 0)
    return bases;
  // Adds steps along a dimension up to `end`; false if its extent ends first.
  auto addSteps = [&](int dim, int32_t begin, int32_t end) {
    for (int32_t step = begin; step < end; step *= 2) {
      if (shape[dim] % (2 * int64_t(step)) != 0)
        return false;
      Coords basis(rank, 0);
      basis[dim] = step;
      bases.push_back(std::move(basis));
    }
    return true;
  };
  int last = rank - 1;
  int32_t innerBegin = 1;
  if (elementBits < 8) {
    int pack = packDim < 0 ? last : packDim;
    int32_t perByte = 8 / elementBits;
    if (!addSteps(pack, 1, perByte))
      return bases;
    if (pack == last)
      innerBegin = perByte;
  }
  addSteps(last, innerBegin, shape[last]);
  return bases;
}

std::vector<Coords> SharedLayout::contiguousBases() const {
  Coords shape = tileShape;
  if (panel != 0)
    shape.back() =
        panel / unitBytes() * (pack == rank() - 1 ? elementsPerByte() : 1);
  return layout::contiguousBases(shape, elemBits, pack);
}

//===----------------------------------------------------------------------===//
// Hash and text
//===----------------------------------------------------------------------===//

llvm::hash_code layout::hash_value(const SharedLayout &layout) {
  Swizzle swizzle = layout.addressSwizzle;
  return llvm::hash_combine(llvm::hash_combine_range(layout.tileShape.begin(),
                                                     layout.tileShape.end()),
                            layout.elemBits, layout.pack, swizzle.bits,
                            swizzle.base, swizzle.shift, layout.pad,
                            layout.panel);
}

void SharedLayout::print(llvm::raw_ostream &os) const {
  printShape(os, tileShape);
  os << " bits=" << elemBits;
  if (pack >= 0 && pack != rank() - 1)
    os << " pack=" << pack;
  if (!addressSwizzle.isIdentity()) {
    os << " swizzle=";
    printList(os,
              {addressSwizzle.bits, addressSwizzle.base, addressSwizzle.shift});
  }
  if (pad != 0)
    os << " pad=" << pad;
  if (panel != 0)
    os << " panel=" << panel;
}

std::string SharedLayout::str() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os);
  return text;
}

std::optional<SharedLayout> SharedLayout::parse(StringRef text,
                                                std::string *error) {
  TextCursor cursor(text);
  Coords shape = cursor.readShape();
  cursor.expect("bits=");
  int elementBits = cursor.readInt();
  int pack = cursor.consume("pack=") ? cursor.readInt() : -1;
  Swizzle swizzle;
  if (cursor.consume("swizzle=")) {
    Coords list = cursor.readList();
    if (!cursor.failed() && list.size() != 3)
      return fail(error, "a swizzle is a list of bits, base and shift");
    if (list.size() == 3)
      swizzle = {list[0], list[1], list[2]};
  }
  int pad = cursor.consume("pad=") ? cursor.readInt() : 0;
  int panel = cursor.consume("panel=") ? cursor.readInt() : 0;
  if (cursor.failed())
    return fail(error, cursor.error());
  if (!cursor.atEnd())
    return fail(error, "text follows the layout");
  return create(shape, elementBits, pack, swizzle, pad, error, panel);
}
