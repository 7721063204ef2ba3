//===- PackedUnit.cpp - The pieces that packed memory is made of ----------===//

#include "dialects/Layout/PackedUnit.h"

#include <cassert>

using namespace layout;

PackedOrder layout::findPackedUnit(const PackedOrder &order,
                                   int32_t rowElements, int along) {
  Coords shape(order.shape());
  llvm::SmallVector<PackedOrder::Digit, 12> digits(order.digits());
  int32_t elements = order.elements();
  auto isPiece = [&](int32_t extent, int32_t count) {
    bool isEven = order.elementBits() >= 8 || extent % 2 == 0;
    return isEven && count % rowElements == 0;
  };
  // The highest digit counts equal pieces if it is the last of its dimension.
  while (!digits.empty() && digits.back().dim == along &&
         digits.back().stride * digits.back().count == shape[along]) {
    PackedOrder::Digit &top = digits.back();
    int32_t kept = 1;
    while (top.count % kept != 0 ||
           !isPiece(top.stride * kept, elements / top.count * kept))
      if (++kept > top.count)
        return order;
    shape[along] = top.stride * kept;
    elements = elements / top.count * kept;
    top.count = kept;
    if (kept != 1)
      break;
    digits.pop_back();
  }
  auto unit = PackedOrder::create(shape, order.elementBits(), digits);
  assert(unit && "a piece of an order is one");
  return *unit;
}
