//===-- FakeCuda.h - A CUDA driver that only keeps books -------*- C++ -*-===//
//
// A library with the entry points of libcuda that the runtime uses, over host
// memory. It runs kernels by name, remembers every call, and fails when
// told to. TILE_LIBCUDA makes the runtime load it.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TEST_RUNTIME_FAKECUDA_H
#define TILE_TEST_RUNTIME_FAKECUDA_H

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace fakecuda {

struct Context {
  int device = 0;
  unsigned long long id = 0;
};

struct Stream {
  Context *context = nullptr;
  /// What no other stream has, if not 0.
  unsigned long long id = 0;
  bool captures = false;
};

struct Module {
  Context *context = nullptr;
  const void *image = nullptr;
  bool isLoaded = true;
};

struct Function {
  Module *module = nullptr;
  std::string name;
  int dynamicShared = 48 * 1024; // what a launch may use
};

struct Device {
  int major = 9;
  int minor = 0;
  int smCount = 132;
  int retained = 0;
  Context primary;
};

/// What a tensor map was encoded from. Its 128 bytes begin with the index of
/// the encoding.
struct Encoding {
  int dataType = -1;
  uint64_t address = 0;
  std::vector<uint64_t> extents, strides;
  std::vector<uint32_t> box, steps;
  int interleave = -1, swizzle = -1, l2Promotion = -1, fill = -1;
};

/// CUlaunchConfig and CUlaunchAttribute of cuda.h.
struct LaunchAttribute {
  int id;
  char padding[4];
  union {
    char bytes[64];
    int flag;
  } value;
};
struct LaunchConfig {
  unsigned grid[3], block[3], sharedBytes;
  void *stream;
  LaunchAttribute *attributes;
  unsigned attributeCount;
};
static_assert(sizeof(LaunchAttribute) == 72 && sizeof(LaunchConfig) == 56);

struct Launch {
  std::string function;
  Context *context = nullptr;
  void *stream = nullptr;
  unsigned grid[3] = {};
  unsigned block[3] = {};
  unsigned sharedBytes = 0;
  /// Whether it may start before the launches before are done.
  bool overlaps = false;
  // As many as parameterBytes says; of a tensor map, its first 8 bytes.
  std::vector<uint64_t> parameters;
};

/// Values of n for which scale__run misbehaves, and numbers of functions that
/// always do.
enum Misdeed {
  faults = 101,
  neverEnds,
  endsTheProcess,
  writesPastTheEnd,
  changesItsInput,
  givesOtherBitsEachTime,
  givesWrongResults,
};

struct State {
  std::mutex mutex;
  Device devices[2];
  /// The name of each entry point called, in order.
  std::vector<std::string> calls;
  std::vector<Launch> launches;
  std::vector<Encoding> encodings;
  /// Entry points that fail, with the CUresult that they return.
  std::map<std::string, int> failures;
  /// Of each function that modules have: the sizes of its parameters.
  std::map<std::string, std::vector<int>> parameterBytes;
  /// The result of every call from now on: a kernel has faulted.
  int stickyError = 0;
  bool hangs = false;
  /// What functions do that the library does not know itself.
  std::map<std::string, std::function<void(const Launch &)>> kernels;
  /// The time that events read, in milliseconds. It stands still unless a
  /// kernel moves it.
  double clock = 0;

  std::vector<Module *> modules;
  int maxThreads = 1024;
  int staticShared = 0;
  int captureMode = 0;
  int captureModeWhileLoading = -1;
  int captureModeWhileAllocating = -1;
  unsigned long long nextContextId = 100;

  int count(const std::string &name) const {
    int found = 0;
    for (const std::string &call : calls)
      found += call == name;
    return found;
  }
};

} // namespace fakecuda

#endif // TILE_TEST_RUNTIME_FAKECUDA_H
