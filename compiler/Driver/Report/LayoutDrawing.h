//===- LayoutDrawing.h - Corners of layouts as tables -----------*- C++ -*-===//
#ifndef TILE_COMPILER_DRIVER_REPORT_LAYOUTDRAWING_H
#define TILE_COMPILER_DRIVER_REPORT_LAYOUTDRAWING_H

#include "compiler/Driver/Report/TextTable.h"
#include "dialects/Layout/FragmentLayout.h"
#include "dialects/Layout/PackedOrder.h"
#include "dialects/Layout/SharedLayout.h"

namespace tilec {

/// Which lane and register hold each element of the first 16 x 8 of a fragment
/// of rank 2, as "lane.register", with "warp/" before it beyond warp 0.  Empty
/// for other ranks.
TextTable drawFragment(const layout::FragmentLayout &fragment);

/// The position in memory of each of the first 8 x 16 elements of a packed tile
/// of rank 2.  Empty for other ranks.
TextTable drawPackedOrder(const layout::PackedOrder &order);

/// The bank of the first word of each 16 bytes, for the first 8 rows of up to
/// 128 bytes.  Empty if rows are no multiple of 16 bytes.
TextTable drawBanks(const layout::SharedLayout &shared);

} // namespace tilec

#endif // TILE_COMPILER_DRIVER_REPORT_LAYOUTDRAWING_H
