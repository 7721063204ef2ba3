//===- EmulatorTest.h - Kernels written as LLVM IR --------------*- C++ -*-===//
//
// A test writes a kernel as the text of its body, gives it buffers, runs it
// and looks at the buffers, the counters or the error.  Every instruction gets
// a debug location: the n-th instruction of the kernel stands on line n of
// "test.tile".
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TEST_COMPILER_EMULATOR_EMULATORTEST_H
#define TILE_TEST_COMPILER_EMULATOR_EMULATORTEST_H

#include "compiler/Emulator/Emulator.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "gtest/gtest.h"

#include <cstring>

namespace tilec::test {

/// One kernel, "kernel", of a module.
class TestKernel {
public:
  /// `parameters` and `body` are IR text; `globals` stands in front of the
  /// kernel.  Intrinsics need no declarations.
  TestKernel(llvm::StringRef parameters, llvm::StringRef body,
             llvm::StringRef globals = "");
  /// A module as it is.
  static std::unique_ptr<llvm::Module> parse(llvm::LLVMContext &context,
                                             llvm::StringRef text);

  /// The next parameter is a pointer to `data`.
  template <typename T>
  TestKernel &buffer(const char *name, std::vector<T> &data,
                     bool writable = true) {
    spec.buffers.push_back({name, data.data(), data.size() * sizeof(T),
                            writable,
                            static_cast<int>(spec.parameters.size())});
    return scalar(data.data());
  }
  /// The next parameter is a value.
  template <typename T> TestKernel &scalar(T value) {
    std::vector<uint8_t> bytes(sizeof value);
    std::memcpy(bytes.data(), &value, sizeof value);
    spec.parameters.push_back(bytes);
    return *this;
  }
  TestKernel &threads(uint32_t count) {
    spec.threads = count;
    return *this;
  }
  TestKernel &grid(uint32_t count) {
    spec.gridX = count;
    return *this;
  }
  TestKernel &shared(uint64_t bytes) {
    spec.sharedBytes = bytes;
    return *this;
  }
  EmulatorOptions &options() { return spec.options; }
  LaunchSpec &launchSpec() { return spec; }

  /// Runs the kernel, which must succeed.
  EmulatorCounters run();
  /// Runs the kernel, which must fail; loading counts too.
  EmulationReport fail();

private:
  llvm::Expected<EmulatorCounters> launch();

  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
  std::unique_ptr<Emulator> emulator;
  LaunchSpec spec;
};

/// Computes %r (i64) by IR text from %a, %b and %c (i64 each), for each row of
/// `inputs`.
std::vector<uint64_t>
compute(const std::string &code,
        const std::vector<std::array<uint64_t, 3>> &inputs,
        const std::string &declarations = "");

/// The same for one row.
uint64_t computeOne(const std::string &code, uint64_t a, uint64_t b = 0,
                    uint64_t c = 0, const std::string &declarations = "");

/// Takes an EmulationError out of an error.
EmulationReport takeReport(llvm::Error error);

/// The report as users see it.
std::string print(const EmulationReport &report);

} // namespace tilec::test

#endif // TILE_TEST_COMPILER_EMULATOR_EMULATORTEST_H
