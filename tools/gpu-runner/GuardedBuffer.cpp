//===-- GuardedBuffer.cpp - Device memory that tells stray writes ---------===//

#include "tools/gpu-runner/GuardedBuffer.h"

#include <cstring>
#include <stdexcept>

namespace gpurunner {
namespace {

constexpr size_t guardBytes = 4096;
constexpr size_t alignment = 256;

} // namespace

GuardedBuffer::GuardedBuffer(const Device &device, const npy::Array &array,
                             const std::vector<int64_t> &strides,
                             int64_t offset, unsigned char pattern)
    : device(device) {
  if (!strides.empty() && strides.size() != array.shape.size())
    throw std::runtime_error(std::to_string(strides.size()) +
                             " strides for an array of rank " +
                             std::to_string(array.shape.size()));
  if (offset < 0 || offset >= int64_t(alignment))
    throw std::runtime_error("an offset of " + std::to_string(offset) +
                             " bytes is not from 0 to 255");
  shape.kind = array.kind;
  shape.itemBytes = array.itemBytes;
  shape.shape = array.shape;
  byteStrides.resize(array.shape.size());
  int64_t dense = array.itemBytes, before = 0, after = array.itemBytes;
  for (size_t dim = array.shape.size(); dim-- > 0;) {
    byteStrides[dim] = strides.empty() ? dense : strides[dim] * array.itemBytes;
    dense *= array.shape[dim];
    int64_t reach =
        array.shape[dim] > 0 ? (array.shape[dim] - 1) * byteStrides[dim] : 0;
    (reach < 0 ? before : after) += reach;
  }
  if (array.bytes.empty())
    after = 0;

  size_t behind = (size_t(-before) + alignment - 1) / alignment * alignment;
  origin = guardBytes + behind + size_t(offset);
  size_t total = origin + size_t(after) + guardBytes;
  image.assign((total + 15) / 16 * 16, pattern);
  isDense = strides.empty();
  if (isDense && !array.bytes.empty())
    std::memcpy(&image[origin], array.bytes.data(), array.bytes.size());
  else
    visitElements([&](size_t at, size_t element) {
      std::memcpy(&image[at], &array.bytes[element * size_t(array.itemBytes)],
                  size_t(array.itemBytes));
    });
  base = device.allocate(image.size());
  reset();
}

GuardedBuffer::~GuardedBuffer() { device.release(base); }

template <typename Visit> void GuardedBuffer::visitElements(Visit visit) const {
  auto count = size_t(shape.count());
  for (size_t element = 0; element < count; ++element) {
    auto at = int64_t(origin);
    size_t rest = element;
    for (size_t dim = shape.shape.size(); dim-- > 0;) {
      at += int64_t(rest % size_t(shape.shape[dim])) * byteStrides[dim];
      rest /= size_t(shape.shape[dim]);
    }
    visit(size_t(at), element);
  }
}

void GuardedBuffer::reset() const {
  device.upload(base, image.data(), image.size());
}

npy::Array GuardedBuffer::read(size_t &stray, int64_t &firstStray) const {
  std::vector<unsigned char> now(image.size());
  device.download(now.data(), base, now.size());
  npy::Array array = shape;
  auto item = size_t(shape.itemBytes);
  array.bytes.resize(size_t(shape.count()) * item);
  // Elements are moved out and replaced by what they were, so that whatever
  // still differs is outside.
  visitElements([&](size_t at, size_t element) {
    std::memcpy(&array.bytes[element * item], &now[at], item);
  });
  visitElements(
      [&](size_t at, size_t) { std::memcpy(&now[at], &image[at], item); });
  stray = 0;
  for (size_t i = 0; i < now.size(); ++i)
    if (now[i] != image[i] && stray++ == 0)
      firstStray = int64_t(i) - int64_t(origin);
  return array;
}

} // namespace gpurunner
