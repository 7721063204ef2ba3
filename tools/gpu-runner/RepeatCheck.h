//===-- RepeatCheck.h - Whether launches give the same bits ----*- C++ -*-===//

#ifndef TILE_TOOLS_GPURUNNER_REPEATCHECK_H
#define TILE_TOOLS_GPURUNNER_REPEATCHECK_H

#include "tools/gpu-runner/GuardedBuffer.h"

#include <optional>
#include <vector>

namespace gpurunner {

/// Compares what later launches leave in memory with what the first left, every
/// bit, guards and gaps too. All of it happens on the device, so that a
/// thousand launches follow each other with nothing but a copy and a comparison
/// between them. Functions throw tilert::Error.
class RepeatCheck {
public:
  /// `buffers` hold what the first launch left.
  RepeatCheck(const Device &device, std::vector<const GuardedBuffer *> buffers);
  RepeatCheck(const RepeatCheck &) = delete;
  ~RepeatCheck();

  /// In the device's stream: gives the buffers their first contents back.
  void reset() const;
  /// In the device's stream: compares the buffers after launch `number`.
  void compare(unsigned number) const;
  /// Waits, and gives for each buffer the first launch after which it held
  /// other bits.
  std::vector<std::optional<unsigned>> findDifferences() const;

private:
  struct Copies {
    const GuardedBuffer *buffer;
    CuPointer initial, first;
  };

  void copy(CuPointer to, CuPointer from, size_t bytes) const;

  const Device &device;
  tilert::detail::CuModule module = nullptr;
  tilert::detail::CuFunction kernel = nullptr;
  std::vector<Copies> copies;
  CuPointer records = 0; // a word for each buffer
};

} // namespace gpurunner

#endif // TILE_TOOLS_GPURUNNER_REPEATCHECK_H
