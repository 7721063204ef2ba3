//===-- PackingReader.cpp - Reads the packing of a parameter --------------===//

#include "Packing.h"
#include "Text.h"

#include <algorithm>

namespace tilert::detail {
namespace {

constexpr int64_t maxTileElements = 1 << 24;

int32_t readCount(JsonReader &reader, const Place &place) {
  return static_cast<int32_t>(reader.readInteger(place, 1, maxTileElements));
}

/// Whether the digits of each dimension count through the tile, so that every
/// element has one place.
bool countThrough(const Packing &packing) {
  for (size_t dim = 0; dim < packing.tile.size(); ++dim) {
    std::vector<Packing::Digit> own;
    for (const Packing::Digit &digit : packing.order)
      if (digit.dim == int(dim))
        own.push_back(digit);
    std::sort(own.begin(), own.end(),
              [](const Packing::Digit &a, const Packing::Digit &b) {
                return a.stride < b.stride;
              });
    int64_t reach = 1;
    for (const Packing::Digit &digit : own) {
      if (digit.stride != reach)
        return false;
      reach *= digit.count;
    }
    if (reach != packing.tile[dim])
      return false;
  }
  return true;
}

void readTile(JsonReader &reader, const Place &place,
              const tilert_parameter &facts, Packing &packing) {
  size_t count = reader.count(place);
  if (count < 1 || count > size_t(facts.rank)) {
    reader.fail(place, join(count, " extents, ", quote(facts.name),
                            " has rank ", facts.rank));
    return;
  }
  int64_t elements = 1;
  for (size_t i = 0; i < count && !reader.hasFailed(); ++i) {
    packing.tile.push_back(readCount(reader, reader.element(place, i)));
    elements *= packing.tile.back();
    if (elements > maxTileElements)
      reader.fail(place, join("more than ", maxTileElements, " elements"));
  }
  if (elements * tilert_dtype_bits(facts.dtype) % 8 != 0)
    reader.fail(place, "a tile is no whole number of bytes");
  if (facts.pack >= 0 && facts.pack < facts.rank - int32_t(count))
    reader.fail(place, "elements share bytes along a dimension without extent");
}

void readOrder(JsonReader &reader, const Place &place, Packing &packing) {
  for (size_t i = 0; i < reader.count(place) && !reader.hasFailed(); ++i) {
    Place digit = reader.element(place, i);
    if (reader.count(digit) != 3) {
      reader.fail(digit, "expected [dimension, stride, count]");
      return;
    }
    packing.order.push_back(
        {static_cast<int>(reader.readInteger(reader.element(digit, 0), 0,
                                             int64_t(packing.tile.size()) - 1)),
         readCount(reader, reader.element(digit, 1)),
         readCount(reader, reader.element(digit, 2))});
  }
  if (!reader.hasFailed() && !countThrough(packing))
    reader.fail(place, "the digits do not count through the tile");
}

void readRow(JsonReader &reader, const Place &place,
             const tilert_parameter &facts, Packing &packing) {
  packing.row = readCount(reader, place);
  if (!reader.hasFailed() &&
      (packing.tileElements() % packing.row != 0 ||
       packing.row * tilert_dtype_bits(facts.dtype) % 8 != 0))
    reader.fail(place, join("rows of ", packing.row,
                            " elements do not make up a tile"));
}

/// "0x" and up to 16 hex digits; what means no order is none.
uint64_t readTag(JsonReader &reader, const Place &place) {
  std::string text = reader.readString(place);
  uint64_t tag = 0;
  bool isTag =
      text.size() > 2 && text.size() <= 18 && text[0] == '0' && text[1] == 'x';
  for (size_t i = 2; i < text.size() && isTag; ++i) {
    size_t digit = std::string_view("0123456789abcdef").find(text[i]);
    isTag = digit != std::string_view::npos;
    tag = tag << 4 | digit;
  }
  if (!isTag || tag <= TILERT_ORDER_PLAIN)
    reader.fail(place,
                join("expected a hex number above 1, found ", quote(text)));
  return tag;
}

} // namespace

Packing readPacking(JsonReader &reader, const Place &place,
                    const tilert_parameter &facts) {
  Packing packing;
  readTile(reader, reader.field(place, "tile"), facts, packing);
  if (!reader.hasFailed())
    readOrder(reader, reader.field(place, "order"), packing);
  // Without it, as in older artifacts, the last one.
  packing.along = int(packing.tile.size()) - 1;
  if (std::optional<Place> along = reader.optionalField(place, "along");
      along && !reader.hasFailed())
    packing.along = static_cast<int>(
        reader.readInteger(*along, 0, int64_t(packing.tile.size()) - 1));
  if (!reader.hasFailed())
    readRow(reader, reader.field(place, "row"), facts, packing);
  packing.tag = readTag(reader, reader.field(place, "tag"));
  packing.packer = reader.readName(reader.field(place, "packer"));
  packing.unpacker = reader.readName(reader.field(place, "unpacker"));
  return packing;
}

} // namespace tilert::detail
