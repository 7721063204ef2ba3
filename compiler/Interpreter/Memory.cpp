//===- Memory.cpp - Global tensors and shared tiles -----------------------===//
//
// Rows are read and written by loops that know the width of an element, so that
// large tiles cost a few nanoseconds an element.
//
//===----------------------------------------------------------------------===//
#include "compiler/Interpreter/Memory.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>

using namespace tilec;

//===----------------------------------------------------------------------===//
// Codes and values
//===----------------------------------------------------------------------===//

template <typename T> static T decode(NumberFormat format, uint64_t code) {
  if constexpr (std::is_same_v<T, double>)
    return decodeFloat(format, code);
  else
    return decodeInteger(format, code);
}

template <typename T> static uint64_t encode(NumberFormat format, T value) {
  if constexpr (std::is_same_v<T, double>)
    return encodeFloat(format, value);
  else
    return encodeInteger(format, value);
}

/// The fast way for the formats that kernels read most.
static double decodeSingle(uint32_t code) {
  float value = std::bit_cast<float>(code);
  return std::isnan(value) ? decodeFloat(NumberFormat::F32, code)
                           : double(value);
}

/// Values of all codes of a format of at most 8 bits.
template <typename T>
static std::array<T, 256> makeValueTable(NumberFormat format) {
  std::array<T, 256> values;
  for (unsigned code = 0; code < 256; ++code)
    values[code] = decode<T>(format, code);
  return values;
}

template <typename Code, typename T, typename Decode>
static void decodeRow(const uint8_t *address, int64_t step, int64_t count,
                      T *values, Decode decodeCode) {
  for (int64_t i = 0; i < count; ++i, address += step) {
    Code code;
    std::memcpy(&code, address, sizeof(code));
    values[i] = decodeCode(code);
  }
}

/// Reads elements of whole bytes, `step` bytes apart.
template <typename T>
static void readBytes(NumberFormat format, const uint8_t *address, int64_t step,
                      int64_t count, T *values) {
  auto decodeAny = [format](uint64_t code) { return decode<T>(format, code); };
  switch (getStorageBits(format)) {
  case 8: {
    // A table pays off for longer rows only.
    if (count < 256)
      return decodeRow<uint8_t>(address, step, count, values, decodeAny);
    std::array<T, 256> table = makeValueTable<T>(format);
    return decodeRow<uint8_t>(address, step, count, values,
                              [&](uint8_t code) { return table[code]; });
  }
  case 16:
    if constexpr (std::is_same_v<T, double>)
      if (format == NumberFormat::BF16)
        return decodeRow<uint16_t>(
            address, step, count, values,
            [](uint32_t code) { return decodeSingle(code << 16); });
    return decodeRow<uint16_t>(address, step, count, values, decodeAny);
  case 32:
    if constexpr (std::is_same_v<T, double>)
      if (format == NumberFormat::F32)
        return decodeRow<uint32_t>(address, step, count, values, decodeSingle);
    return decodeRow<uint32_t>(address, step, count, values, decodeAny);
  default:
    return decodeRow<uint64_t>(address, step, count, values, decodeAny);
  }
}

//===----------------------------------------------------------------------===//
// GlobalTensor
//===----------------------------------------------------------------------===//

/// Place of an element in the stored array, in units of its strides.
static int64_t getUnit(const GlobalTensor &tensor,
                       llvm::ArrayRef<int64_t> index) {
  int64_t unit = 0;
  for (size_t d = 0; d < index.size(); ++d)
    unit += (int64_t(d) == tensor.packDim ? index[d] / 2 : index[d]) *
            tensor.strides[d];
  return unit;
}

namespace {
/// The nibbles of a row of a packed tensor: along the packed dimension they
/// alternate, along any other they lie in one half of successive units.
struct NibbleRow {
  NibbleRow(const GlobalTensor &tensor, llvm::ArrayRef<int64_t> index)
      : alongPack(tensor.packDim + 1 == int64_t(index.size())),
        first(index[tensor.packDim] & 1), step(tensor.strides.back()),
        start(tensor.storage + getUnit(tensor, index)) {}

  bool isHigh(int64_t i) const { return alongPack ? (first + i) & 1 : first; }
  uint8_t *getByte(int64_t i) const {
    return start + (alongPack ? (first + i) / 2 : i) * step;
  }

  bool alongPack;
  int64_t first, step;
  uint8_t *start;
};
} // namespace

template <typename T>
void GlobalTensor::readRow(llvm::ArrayRef<int64_t> index, int64_t count,
                           T *values) const {
  if (packDim < 0) {
    int64_t bytes = getStorageBits(format) / 8;
    return readBytes(format, storage + getUnit(*this, index) * bytes,
                     strides.back() * bytes, count, values);
  }
  NibbleRow row(*this, index);
  T table[16];
  for (unsigned code = 0; code < 16; ++code)
    table[code] = decode<T>(format, code);
  for (int64_t i = 0; i < count; ++i)
    values[i] = table[getNibble(*row.getByte(i), row.isHigh(i))];
}

template <typename T>
static void writeNibbles(const GlobalTensor &tensor,
                         llvm::ArrayRef<int64_t> index, int64_t count,
                         const T *values) {
  NibbleRow row(tensor, index);
  int64_t packed = index[tensor.packDim],
          last = tensor.shape[tensor.packDim] - 1;
  for (int64_t i = 0; i < count; ++i) {
    uint8_t *byte = row.getByte(i);
    *byte = setNibble(*byte, row.isHigh(i), encode(tensor.format, values[i]));
    // The element that ends an odd row clears the spare nibble beside it.
    if (!row.isHigh(i) && packed + (row.alongPack ? i : 0) == last)
      *byte = setNibble(*byte, true, 0);
  }
}

template <typename T>
void GlobalTensor::writeRow(llvm::ArrayRef<int64_t> index, int64_t count,
                            const T *values) const {
  if (packDim >= 0) {
    writeNibbles(*this, index, count, values);
  } else {
    int64_t bytes = getStorageBits(format) / 8;
    uint8_t *address = storage + getUnit(*this, index) * bytes;
    for (int64_t i = 0; i < count; ++i, address += strides.back() * bytes)
      writeCode(format, address, encode(format, values[i]));
  }
  if (!written)
    return;
  int64_t element = 0;
  for (size_t d = 0; d < shape.size(); ++d)
    element = element * shape[d] + index[d];
  std::memset(written + element, 1, count);
}

template void GlobalTensor::readRow(llvm::ArrayRef<int64_t>, int64_t,
                                    double *) const;
template void GlobalTensor::readRow(llvm::ArrayRef<int64_t>, int64_t,
                                    int64_t *) const;
template void GlobalTensor::writeRow(llvm::ArrayRef<int64_t>, int64_t,
                                     const double *) const;
template void GlobalTensor::writeRow(llvm::ArrayRef<int64_t>, int64_t,
                                     const int64_t *) const;

//===----------------------------------------------------------------------===//
// SharedTile
//===----------------------------------------------------------------------===//

SharedTile::SharedTile(std::string name, mlir::Location location,
                       NumberFormat format, Extents shape)
    : name(std::move(name)), location(location), format(format),
      shape(std::move(shape)),
      states(countElements(this->shape), ElementState::Undefined) {
  if (isFloat(format))
    floats.resize(states.size());
  else
    integers.resize(states.size());
}

//===----------------------------------------------------------------------===//
// MemoryView
//===----------------------------------------------------------------------===//

static void nameWhole(MemoryView &view) {
  size_t rank = view.getRootShape().size();
  view.shape = view.upper = view.getRootShape();
  view.origin.assign(rank, 0);
  view.lower.assign(rank, 0);
  for (size_t d = 0; d < rank; ++d)
    view.dims.push_back(int64_t(d));
}

MemoryView::MemoryView(const GlobalTensor &tensor) : global(&tensor) {
  nameWhole(*this);
}

MemoryView::MemoryView(std::shared_ptr<SharedTile> tile)
    : shared(std::move(tile)) {
  nameWhole(*this);
}

/// A sum that stays at the ends of the range instead of wrapping.
static int64_t addClamped(int64_t a, int64_t b) {
  int64_t sum;
  if (!__builtin_add_overflow(a, b, &sum))
    return sum;
  return a < 0 ? INT64_MIN : INT64_MAX;
}

MemoryView MemoryView::narrow(llvm::ArrayRef<int64_t> offsets,
                              llvm::ArrayRef<int64_t> sizes,
                              llvm::ArrayRef<int64_t> kept) const {
  MemoryView part = *this;
  part.shape.clear();
  part.dims.clear();
  Extents extents(shape.size(), 1);
  for (size_t i = 0; i < kept.size(); ++i) {
    int64_t size = std::max<int64_t>(sizes[i], 0);
    extents[kept[i]] = size;
    part.shape.push_back(size);
    part.dims.push_back(dims[kept[i]]);
  }
  for (size_t d = 0; d < shape.size(); ++d) {
    int64_t along = dims[d];
    part.origin[along] = addClamped(origin[along], offsets[d]);
    part.lower[along] = std::max(lower[along], part.origin[along]);
    part.upper[along] =
        std::min(upper[along], addClamped(part.origin[along], extents[d]));
  }
  return part;
}

Extents MemoryView::toRoot(llvm::ArrayRef<int64_t> index) const {
  Extents root = origin;
  // An index past int64 wraps, as the kernel's arithmetic would.
  for (size_t d = 0; d < index.size(); ++d)
    root[dims[d]] = int64_t(uint64_t(root[dims[d]]) + uint64_t(index[d]));
  return root;
}

Extents MemoryView::fromRoot(llvm::ArrayRef<int64_t> index) const {
  Extents own;
  for (int64_t along : dims)
    own.push_back(index[along] - origin[along]);
  return own;
}

bool MemoryView::contains(llvm::ArrayRef<int64_t> rootIndex) const {
  for (size_t d = 0; d < rootIndex.size(); ++d)
    if (rootIndex[d] < lower[d] || rootIndex[d] >= upper[d])
      return false;
  return true;
}
