//===- PackedOrder.cpp - Tiles in the order of their reader ---------------===//

#include "dialects/Layout/PackedOrder.h"

#include "dialects/Layout/LayoutText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cassert>

using namespace layout;
using llvm::ArrayRef;
using llvm::StringRef;
using llvm::Twine;

using Digit = PackedOrder::Digit;

//===----------------------------------------------------------------------===//
// Construction
//===----------------------------------------------------------------------===//

/// Whether the digits of a dimension count through its extent: sorted, each
/// strides over those below it.
static bool countThrough(int dim, int32_t extent, ArrayRef<Digit> digits) {
  llvm::SmallVector<Digit, 8> own;
  for (const Digit &digit : digits)
    if (digit.dim == dim)
      own.push_back(digit);
  llvm::sort(
      own, [](const Digit &a, const Digit &b) { return a.stride < b.stride; });
  int64_t reach = 1;
  for (const Digit &digit : own) {
    if (digit.stride != reach)
      return false;
    reach *= digit.count;
  }
  return reach == extent;
}

std::optional<PackedOrder> PackedOrder::create(ArrayRef<int32_t> shape,
                                               int elementBits,
                                               ArrayRef<Digit> digits,
                                               std::string *error) {
  if (elementBits != 4 && (elementBits < 8 || elementBits > 64 ||
                           !llvm::isPowerOf2_32(elementBits)))
    return fail(error, "elements of " + Twine(elementBits) +
                           " bits have no order of their own");
  int64_t elements = 1;
  for (int32_t extent : shape) {
    if (extent < 1 || (elements *= extent) > (1 << 24))
      return fail(error, "a packed tile has 1 to 2^24 elements");
  }
  PackedOrder order;
  order.tileShape.assign(shape.begin(), shape.end());
  order.elemBits = elementBits;
  for (const Digit &digit : digits) {
    if (digit.dim < 0 || digit.dim >= int(shape.size()))
      return fail(error, "a digit moves along dimension " + Twine(digit.dim) +
                             " of a tile of rank " + Twine(shape.size()));
    if (digit.count < 1 || digit.stride < 1)
      return fail(error, "a digit has a stride and a count of 1 at least");
    if (digit.count == 1)
      continue;
    if (!order.digitList.empty())
      if (Digit &last = order.digitList.back();
          last.dim == digit.dim && last.stride * last.count == digit.stride) {
        last.count *= digit.count;
        continue;
      }
    order.digitList.push_back(digit);
  }
  for (auto [dim, extent] : llvm::enumerate(shape))
    if (!countThrough(dim, extent, order.digitList))
      return fail(error, "the digits along dimension " + Twine(dim) +
                             " do not count to " + Twine(extent));
  return order;
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

int32_t PackedOrder::elements() const {
  int32_t elements = 1;
  for (int32_t extent : tileShape)
    elements *= extent;
  return elements;
}

int32_t PackedOrder::bytes() const {
  return static_cast<int32_t>(
      llvm::divideCeil(int64_t(elements()) * elemBits, 8));
}

Coords PackedOrder::coordsOf(int32_t position) const {
  assert(position >= 0 && position < elements());
  Coords coords(tileShape.size(), 0);
  for (const Digit &digit : digitList) {
    coords[digit.dim] += position % digit.count * digit.stride;
    position /= digit.count;
  }
  return coords;
}

int32_t PackedOrder::positionOf(ArrayRef<int32_t> coords) const {
  assert(coords.size() == tileShape.size());
  int32_t position = 0, weight = 1;
  for (const Digit &digit : digitList) {
    position += coords[digit.dim] / digit.stride % digit.count * weight;
    weight *= digit.count;
  }
  return position;
}

//===----------------------------------------------------------------------===//
// From the fragment of a reader
//===----------------------------------------------------------------------===//

/// Bytes of one row of packed memory, and of one access of a thread.
static constexpr int rowBytes = 128, accessBytes = 16;

namespace {
/// Collects the digits of the positions within one part, and where each bit of
/// the register, lane and warp index lies in them.
class PartOrder {
public:
  /// Adds what one bit of an index moves; false if that is no digit.
  bool add(ArrayRef<int32_t> basis) {
    const int32_t *moved = llvm::find_if(basis, [](int32_t c) { return c; });
    if (moved == basis.end() || !llvm::isPowerOf2_32(*moved) ||
        llvm::any_of(ArrayRef(moved + 1, basis.end()),
                     [](int32_t c) { return c != 0; }))
      return false;
    digits.push_back({int(moved - basis.begin()), *moved, 2});
    size *= 2;
    return true;
  }
  void addRepeat(const Repeat &repeat, int32_t stride) {
    digits.push_back({repeat.dim, stride, repeat.count});
    size *= repeat.count;
  }

  llvm::SmallVector<Digit, 32> digits;
  int64_t size = 1;
};
} // namespace

static bool isZero(const Coords &basis) {
  return llvm::all_of(basis, [](int32_t c) { return c == 0; });
}

std::optional<PackedTile> layout::packForReads(ArrayRef<int32_t> shape,
                                               int elementBits,
                                               const FragmentLayout &part,
                                               std::string *error) {
  for (auto [whole, extent] : llvm::zip_equal(shape, part.shape()))
    if (whole % extent != 0)
      return fail(error, "parts of " + Twine(extent) +
                             " do not divide an extent of " + Twine(whole));
  // The registers of one access: the low bits of the register index.
  ArrayRef<Coords> registers = part.registerBases();
  size_t accessBits = std::min<size_t>(
      registers.size(), llvm::Log2_32(8 * accessBytes / elementBits));

  PartOrder order;
  std::vector<int64_t> registerPlaces, lanePlaces, warpPlaces;
  auto addBits = [&](ArrayRef<Coords> bases, std::vector<int64_t> &places,
                     bool mayRepeat) {
    for (const Coords &basis : bases) {
      // Threads that differ in this bit read the same.
      if (mayRepeat && isZero(basis)) {
        places.push_back(0);
        continue;
      }
      places.push_back(order.size);
      if (!order.add(basis))
        return false;
    }
    return true;
  };
  if (!addBits(registers.take_front(accessBits), registerPlaces, false) ||
      !addBits(part.laneBases(), lanePlaces, true) ||
      !addBits(part.coreWarpBases(), warpPlaces, true) ||
      !addBits(registers.drop_front(accessBits), registerPlaces, false))
    return fail(error, "a step of the layout moves along several dimensions "
                       "or along none");
  int64_t coreElements = order.size;
  // Groups of warps come next, as above the core of the layout to load with.
  Spread spread = part.spread();
  if (spread.dim >= 0) {
    order.addRepeat({spread.dim, spread.count}, part.coreExtents()[spread.dim]);
    spread.dim = 0;
  }
  int32_t groups = spread.dim < 0 ? 1 : spread.count;
  // The last repeat is the fastest.
  for (const Repeat &repeat : llvm::reverse(part.repeats()))
    order.addRepeat(repeat, part.coreExtents()[repeat.dim] *
                                (repeat.dim == part.spread().dim ? groups : 1));
  int64_t partElements = order.size;
  for (int dim = int(shape.size()) - 1; dim >= 0; --dim)
    order.digits.push_back(
        {dim, part.shape()[dim], shape[dim] / part.shape()[dim]});
  auto packed = PackedOrder::create(shape, elementBits, order.digits, error);
  if (!packed)
    return std::nullopt;

  int32_t rowElements =
      std::min<int64_t>(8 * rowBytes / elementBits, coreElements);
  if (rowElements * elementBits < 8)
    return fail(error, "the tile is smaller than a byte");
  auto toRows = [&](ArrayRef<int64_t> places) {
    std::vector<Coords> bases;
    for (int64_t place : places)
      bases.push_back(
          {int32_t(place / rowElements), int32_t(place % rowElements)});
    return bases;
  };
  llvm::SmallVector<Repeat, 1> repeats;
  if (partElements != coreElements * groups)
    repeats.push_back({0, int32_t(partElements / (coreElements * groups))});
  auto load = FragmentLayout::create(
      toRows(registerPlaces), toRows(lanePlaces), toRows(warpPlaces),
      {int32_t(coreElements / rowElements), rowElements}, repeats, error,
      spread);
  if (!load)
    return std::nullopt;
  return PackedTile{*packed, rowElements, *load};
}

//===----------------------------------------------------------------------===//
// Hash and text
//===----------------------------------------------------------------------===//

llvm::hash_code layout::hash_value(const PackedOrder &order) {
  llvm::hash_code code = llvm::hash_combine(
      llvm::hash_combine_range(order.tileShape.begin(), order.tileShape.end()),
      order.elemBits);
  for (const Digit &digit : order.digitList)
    code = llvm::hash_combine(code, digit.dim, digit.stride, digit.count);
  return code;
}

void PackedOrder::print(llvm::raw_ostream &os) const {
  printShape(os, tileShape);
  os << " bits=" << elemBits << " order=";
  std::vector<Coords> list;
  for (const Digit &digit : digitList)
    list.push_back({digit.dim, digit.stride, digit.count});
  printNestedList(os, list);
}

std::string PackedOrder::str() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os);
  return text;
}

std::optional<PackedOrder> PackedOrder::parse(StringRef text,
                                              std::string *error) {
  TextCursor cursor(text);
  Coords shape = cursor.readShape();
  cursor.expect("bits=");
  int elementBits = cursor.readInt();
  cursor.expect("order=");
  std::vector<Coords> list = cursor.readNestedList();
  if (cursor.failed())
    return fail(error, cursor.error());
  if (!cursor.atEnd())
    return fail(error, "text follows the order");
  llvm::SmallVector<Digit, 12> digits;
  for (const Coords &entry : list) {
    if (entry.size() != 3)
      return fail(error, "a digit is a list of dimension, stride and count");
    digits.push_back({entry[0], entry[1], entry[2]});
  }
  return create(shape, elementBits, digits, error);
}
