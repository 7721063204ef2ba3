//===- HostTensor.cpp - An array of a run, in host memory -----------------===//
#include "compiler/Driver/Run/HostTensor.h"

#include "compiler/Driver/Failure.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cstdlib>
#include <cstring>
#include <unistd.h>

using namespace tilec;

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

Extents TensorShape::getStoredSizes() const {
  return packDim < 0 ? sizes : getPackedShape(sizes, packDim);
}

std::optional<int64_t> tilec::computeByteCount(const TensorShape &shape) {
  if (llvm::is_contained(shape.sizes, 0))
    return 0;
  int64_t bytes = isPacked(shape.format) ? 1 : getStorageBits(shape.format) / 8;
  for (int64_t size : shape.getStoredSizes())
    if (llvm::MulOverflow(bytes, size, bytes))
      return std::nullopt;
  // Positions of elements are counted in 63 bits too.
  int64_t bits;
  if (llvm::MulOverflow(bytes, int64_t(8), bits))
    return std::nullopt;
  return bytes;
}

std::string TensorShape::getSizeText() const {
  std::string text;
  for (int64_t size : sizes)
    text += (text.empty() ? "" : "x") + std::to_string(size);
  return text;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

void HostTensor::Free::operator()(uint8_t *memory) const { std::free(memory); }

/// The guard's byte at `index` from the start of the allocation: never zero,
/// and NaN as a float, so that what was read there shows in the result.
static constexpr uint8_t guardByte = 0xFF;

/// An allocation beyond this may succeed, and then the system ends the process
/// that writes to it.
static int64_t getPhysicalMemory() {
  return static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGE_SIZE);
}

llvm::Expected<HostTensor> HostTensor::create(TensorShape shape,
                                              size_t offset) {
  std::optional<int64_t> bytes = computeByteCount(shape);
  HostTensor tensor;
  if (bytes && *bytes <= getPhysicalMemory()) {
    size_t total = llvm::alignTo(*bytes, alignment) + offset + 2 * guardBytes;
    tensor.storage.reset(static_cast<uint8_t *>(
        std::aligned_alloc(guardBytes, llvm::alignTo(total, guardBytes))));
  }
  if (!tensor.storage)
    return makeFailure("an array of " + shape.getSizeText() + " elements of " +
                       std::string(getSpelling(shape.format)) +
                       " does not fit the memory of this machine");
  tensor.offset = offset;
  tensor.byteCount = *bytes;
  tensor.shape = std::move(shape);
  std::memset(tensor.storage.get(), guardByte, tensor.getGuardBefore());
  std::memset(tensor.getData() + tensor.byteCount, guardByte, guardBytes);
  return tensor;
}

llvm::Expected<HostTensor> HostTensor::clone() const {
  llvm::Expected<HostTensor> copy = create(shape);
  if (copy)
    llvm::copy(getBytes(), copy->getBytes().begin());
  return copy;
}

uint64_t HostTensor::getCode(int64_t position) const {
  const uint8_t *data = getData();
  if (isPacked(shape.format)) {
    // position = (outer * extent + index) * inner + last, where index counts
    // along the packed dimension.
    int64_t inner = 1;
    for (size_t dim = shape.packDim + 1; dim < shape.sizes.size(); ++dim)
      inner *= shape.sizes[dim];
    int64_t extent = shape.sizes[shape.packDim];
    int64_t last = position % inner;
    int64_t index = position / inner % extent;
    int64_t outer = position / inner / extent;
    int64_t byte = (outer * ((extent + 1) / 2) + index / 2) * inner + last;
    return getNibble(data[byte], index % 2);
  }
  return readCode(shape.format,
                  data + position * (getStorageBits(shape.format) / 8));
}

/// Describes the changed bytes of one guard; `nearest` is the offset of the one
/// closest to the array.
static std::string describeDamage(size_t count, llvm::StringRef where,
                                  llvm::Twine nearest) {
  return (llvm::Twine(count) + (count == 1 ? " byte " : " bytes ") + where +
          " it, the nearest at offset " + nearest)
      .str();
}

std::string HostTensor::describeGuardDamage() const {
  const uint8_t *first = storage.get();
  llvm::ArrayRef<uint8_t> before(first, getGuardBefore());
  llvm::ArrayRef<uint8_t> after(getData() + byteCount, guardBytes);
  auto isDamaged = [](uint8_t byte) { return byte != guardByte; };
  llvm::SmallVector<std::string, 2> parts;
  if (size_t count = llvm::count_if(before, isDamaged)) {
    const uint8_t *nearest =
        llvm::find_if(llvm::reverse(before), isDamaged).base();
    parts.push_back(describeDamage(count, "before",
                                   llvm::Twine(nearest - 1 - before.end())));
  }
  if (size_t count = llvm::count_if(after, isDamaged)) {
    const uint8_t *nearest = llvm::find_if(after, isDamaged);
    parts.push_back(describeDamage(
        count, "after", llvm::Twine(nearest - after.begin() + byteCount)));
  }
  return llvm::join(parts, " and ");
}
