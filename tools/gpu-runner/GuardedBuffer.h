//===-- GuardedBuffer.h - Device memory that tells stray writes -*- C++ -*-===//

#ifndef TILE_TOOLS_GPURUNNER_GUARDEDBUFFER_H
#define TILE_TOOLS_GPURUNNER_GUARDEDBUFFER_H

#include "compiler/Gpu/Device.h"
#include "compiler/Npy/Npy.h"

#include <vector>

namespace gpurunner {

using tilec::gpu::CuPointer;
using tilec::gpu::Device;

/// An array in device memory, with strides, between guard bytes. Guards, and
/// gaps that strides leave, hold a pattern that is not 0: what a kernel reads
/// there shows in its result, what it writes there is found.
class GuardedBuffer {
public:
  /// `strides` counts elements, empty for a dense array; `offset` is added to
  /// an address of 256-byte alignment.
  GuardedBuffer(const Device &device, const npy::Array &array,
                const std::vector<int64_t> &strides, int64_t offset,
                unsigned char pattern);
  GuardedBuffer(const GuardedBuffer &) = delete;
  ~GuardedBuffer();

  /// The address of element 0.
  CuPointer address() const { return base + origin; }

  /// All of the device memory, guards too: whole pieces of 16 bytes at an
  /// address of their alignment.
  CuPointer allocation() const { return base; }
  size_t allocatedBytes() const { return image.size(); }

  /// Puts the first contents back.
  void reset() const;
  /// Reads the array; sets `stray` to the number of bytes outside of it that
  /// changed, and `firstStray` to the offset of the first from element 0.
  npy::Array read(size_t &stray, int64_t &firstStray) const;

private:
  /// Calls visit(offset of the element in the image, number of the element).
  template <typename Visit> void visitElements(Visit visit) const;

  const Device &device;
  npy::Array shape; // without bytes
  std::vector<int64_t> byteStrides;
  bool isDense = false;
  std::vector<unsigned char> image; // of the whole allocation
  size_t origin = 0;
  CuPointer base = 0;
};

} // namespace gpurunner

#endif // TILE_TOOLS_GPURUNNER_GUARDEDBUFFER_H
