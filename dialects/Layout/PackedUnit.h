//===- PackedUnit.h - The pieces that packed memory is made of --*- C++ -*-===//
//
// A packed tile may be the pieces of a smaller one, one behind the other along
// a dimension.  A tensor that is stored in pieces serves tiles of any number of
// them.
//
//     128x256 in the order [..., [1,32,8]]  =  8 times 128x32 in [...]
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECTS_LAYOUT_PACKEDUNIT_H
#define TILE_DIALECTS_LAYOUT_PACKEDUNIT_H

#include "dialects/Layout/PackedOrder.h"

namespace layout {

/// The order of the smallest piece of a tile: a part of it along dimension
/// `along`, in whole rows of memory, and of an even extent if two elements
/// share a byte.
PackedOrder findPackedUnit(const PackedOrder &order, int32_t rowElements,
                           int along);

} // namespace layout

#endif // TILE_DIALECTS_LAYOUT_PACKEDUNIT_H
