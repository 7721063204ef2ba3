//===- LayoutDrawing.cpp - Corners of layouts as tables -------------------===//
#include "compiler/Driver/Report/LayoutDrawing.h"

#include <map>

using namespace tilec;

static constexpr int drawnFragmentRows = 16, drawnFragmentColumns = 8;
static constexpr int drawnPackedRows = 8, drawnPackedColumns = 16;
static constexpr int drawnRows = 8, drawnChunks = 8;
static constexpr int chunkBytes = 16, bankBytes = 4, banks = 32;

/// "row" and the numbers below `count`, `step` apart.
static std::vector<std::string> makeTitles(int count, int step) {
  std::vector<std::string> titles = {"row"};
  for (int i = 0; i < count; ++i)
    titles.push_back(std::to_string(i * step));
  return titles;
}

TextTable tilec::drawFragment(const layout::FragmentLayout &fragment) {
  if (fragment.rank() != 2)
    return TextTable({});
  int rows = std::min<int>(fragment.shape()[0], drawnFragmentRows);
  int columns = std::min<int>(fragment.shape()[1], drawnFragmentColumns);
  std::map<std::pair<int, int>, std::string> holders;
  for (int warp = 0; warp < fragment.numWarps(); ++warp)
    for (int lane = 0; lane < layout::lanesPerWarp; ++lane)
      for (int reg = 0; reg < fragment.elementsPerThread(); ++reg) {
        layout::Coords coords = fragment.coordsOf(reg, lane, warp);
        if (coords[0] >= rows || coords[1] >= columns ||
            !fragment.isOwner(reg, lane, warp))
          continue;
        holders[{coords[0], coords[1]}] =
            (warp ? std::to_string(warp) + "/" : "") + std::to_string(lane) +
            "." + std::to_string(reg);
      }
  TextTable table(makeTitles(columns, 1));
  for (int row = 0; row < rows; ++row) {
    std::vector<std::string> cells = {std::to_string(row)};
    for (int column = 0; column < columns; ++column)
      cells.push_back(holders[{row, column}]);
    table.addRow(std::move(cells));
  }
  return table;
}

TextTable tilec::drawPackedOrder(const layout::PackedOrder &order) {
  if (order.shape().size() != 2)
    return TextTable({});
  int rows = std::min<int>(order.shape()[0], drawnPackedRows);
  int columns = std::min<int>(order.shape()[1], drawnPackedColumns);
  TextTable table(makeTitles(columns, 1));
  for (int row = 0; row < rows; ++row) {
    std::vector<std::string> cells = {std::to_string(row)};
    for (int column = 0; column < columns; ++column)
      cells.push_back(std::to_string(order.positionOf({row, column})));
    table.addRow(std::move(cells));
  }
  return table;
}

TextTable tilec::drawBanks(const layout::SharedLayout &shared) {
  int pitch = shared.rowPitch();
  int rowBytes = pitch - shared.padBytes();
  if (pitch % chunkBytes != 0 || rowBytes % chunkBytes != 0)
    return TextTable({});
  int rows = std::min<int>(shared.bytes() / pitch, drawnRows);
  int chunks = std::min<int>(rowBytes / chunkBytes, drawnChunks);
  TextTable table(makeTitles(chunks, chunkBytes));
  for (int row = 0; row < rows; ++row) {
    std::vector<std::string> cells = {std::to_string(row)};
    for (int chunk = 0; chunk < chunks; ++chunk) {
      int offset = shared.swizzle().apply(row * pitch + chunk * chunkBytes);
      cells.push_back(std::to_string(offset / bankBytes % banks));
    }
    table.addRow(std::move(cells));
  }
  return table;
}
