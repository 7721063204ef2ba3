//===-- Problem.h - The data of one product, on the device -----*- C++ -*-===//

#ifndef TILE_TOOLS_BENCH_PROBLEM_H
#define TILE_TOOLS_BENCH_PROBLEM_H

#include "compiler/Gpu/Device.h"
#include "tools/bench/Reference.h"

namespace tilebench {

using tilec::gpu::CuPointer;
using tilec::gpu::Device;

/// Device memory.
class Buffer {
public:
  Buffer() = default;
  Buffer(const Device &device, size_t bytes)
      : device(&device), pointer(device.allocate(bytes)) {}
  Buffer(Buffer &&other) noexcept { *this = std::move(other); }
  Buffer &operator=(Buffer &&other) noexcept {
    std::swap(device, other.device);
    std::swap(pointer, other.pointer);
    return *this;
  }
  ~Buffer() {
    if (pointer)
      device->release(pointer);
  }

  CuPointer address() const { return pointer; }

private:
  const Device *device = nullptr;
  CuPointer pointer = 0;
};

/// The operands of a product in device memory, in one or several sets with the
/// same values. Launches take the sets in turn where one would stay in the L2
/// cache.
class Problem {
public:
  Problem(const Device &device, const Work &work, const Shape &shape,
          uint64_t seed, bool isTimed);

  struct Set {
    Buffer a, b, c, scalesOfA, scalesOfB;
    /// The scales as cuBLASLt takes them.
    Buffer ltScalesOfA, ltScalesOfB;

    CuPointer addressOfC() const;
  };

  const Device &device() const { return target; }
  const Work &work() const { return kind; }
  const Shape &shape() const { return extents; }
  const HostInputs &inputs() const { return host; }
  const std::vector<Set> &sets() const { return all; }

  /// Fills C of a set with NaN or -1, and its guards with a pattern.
  void poison(const Set &set) const;
  /// Reads C. Throws std::runtime_error if a guard has changed.
  HostMatrix readResult(const Set &set) const;

private:
  Set makeSet() const;

  const Device &target;
  Work kind;
  Shape extents;
  HostInputs host;
  std::vector<Set> all;
};

} // namespace tilebench

#endif // TILE_TOOLS_BENCH_PROBLEM_H
