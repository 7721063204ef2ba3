//===- AsyncKernel.h - Texts of asynchronous instructions -------*- C++ -*-===//
//
// IR text for the inline PTX of mbarriers and tensor copies, and tensor maps
// to go with it, for tests that write kernels of them.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TEST_COMPILER_EMULATOR_ASYNCKERNEL_H
#define TILE_TEST_COMPILER_EMULATOR_ASYNCKERNEL_H

#include "EmulatorTest.h"
#include "compiler/Emulator/TensorMap.h"

namespace tilec::test {

/// Declarations that such kernels need: `@tile_shared` and intrinsics.
extern const char *const asyncGlobals;

/// One statement of PTX with memory effects; `operands` are typed IR values,
/// "i32 %x, i64 %y", with the constraints r, l and b (for i1).
std::string ptx(const std::string &text, const std::string &operands = "");

// Statements on the mbarrier at the i32 address `barrier`.
std::string initBarrier(const std::string &barrier, unsigned count);
std::string expectBytes(const std::string &barrier, unsigned bytes);
std::string arrive(const std::string &barrier);
/// Waits in a loop for the phase of parity `parity`, an i32 value.
std::string waitFor(const std::string &barrier, const std::string &parity);

extern const std::string initFence;
extern const std::string proxyFence;
extern const std::string blockBarrier;
extern const std::string commitStores;
std::string waitStores(unsigned groups);

/// Copies by the map `%map`; all are i32 values, coordinates innermost first.
std::string loadBox(const std::string &destination,
                    const std::vector<std::string> &coordinates,
                    const std::string &barrier,
                    const std::string &map = "%map");
std::string storeBox(const std::vector<std::string> &coordinates,
                     const std::string &source,
                     const std::string &map = "%map");

/// `%name` = shared address as i32, at `offset`.
std::string sharedAddress(const std::string &name, unsigned offset);

/// Runs `body` in thread `thread` only (`%tid` is the thread).
std::string onlyIn(unsigned thread, const std::string &body);

/// A parameter that is a tensor map.
using TensorMapParameter = std::array<uint8_t, 128>;
constexpr const char *mapParameter = "ptr byval([128 x i8]) align 64 %map";

/// A dense tensor; extents and box innermost first.
TensorMapParameter makeMap(const void *data, unsigned elementBytes,
                           const std::vector<uint64_t> &extents,
                           const std::vector<uint16_t> &box,
                           unsigned swizzle = 0);

} // namespace tilec::test

#endif // TILE_TEST_COMPILER_EMULATOR_ASYNCKERNEL_H
