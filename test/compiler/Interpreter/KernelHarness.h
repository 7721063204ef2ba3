//===- KernelHarness.h - Small kernels for tests of the interpreter -------===//
//
// A test writes the body of a kernel and gives its arrays as numbers; the
// harness writes the rest of the kernel, parses it and runs it.
//
//===----------------------------------------------------------------------===//
#ifndef TEST_COMPILER_INTERPRETER_KERNELHARNESS_H
#define TEST_COMPILER_INTERPRETER_KERNELHARNESS_H

#include "compiler/Interpreter/Interpreter.h"
#include "mlir/IR/BuiltinOps.h"
#include <gtest/gtest.h>

namespace tilec {

/// A tensor parameter and the array it is called with.
struct Array {
  std::string name;
  std::string dtype;
  Extents shape;
  std::vector<uint8_t> storage;
  std::string access = "in";
  int64_t packDim = -1;
  /// Names of the dimensions; a symbol of its own for each if absent.
  std::vector<std::string> dims = {};
  Extents strides = {};

  /// The elements in row-major order.
  std::vector<double> getValues() const;
  /// Their codes.
  std::vector<uint64_t> getCodes() const;
};

/// A dense array with these elements; 4-bit ones are packed along the last
/// dimension unless said otherwise.
Array makeInput(std::string name, std::string dtype, Extents shape,
                std::vector<double> values, int64_t packDim = -1);
/// An array whose elements are the numbers 0, 1, 2, ...
Array makeIota(std::string name, std::string dtype, Extents shape,
               int64_t packDim = -1);
/// An array to write; every byte of it is 0xAA before.
Array makeOutput(std::string name, std::string dtype, Extents shape,
                 int64_t packDim = -1);

struct Scalar {
  std::string name;
  std::string dtype;
  double value;
};

/// What surrounds the body.
struct KernelText {
  std::string body;
  std::string grid = "[1]";
  std::string axes = "[\"bx\"]";
  std::string checks = "[]";
  int threads = 32;
};

class KernelHarness : public ::testing::Test {
protected:
  KernelHarness();
  /// Runs the kernel.  Gives "" or the text of the error.
  std::string run(const KernelText &text, std::vector<Array *> arrays,
                  std::vector<Scalar> scalars = {},
                  const InterpreterOptions &options = {});
  std::string run(const std::string &body, std::vector<Array *> arrays,
                  std::vector<Scalar> scalars = {}) {
    return run(KernelText{body}, std::move(arrays), std::move(scalars));
  }

  /// The two steps of a run: the kernel's text is made for some arrays, and it
  /// is called with those or others.
  mlir::OwningOpRef<mlir::ModuleOp> parse(const KernelText &text,
                                          std::vector<Array *> arrays,
                                          std::vector<Scalar> scalars = {});
  std::string interpret(mlir::ModuleOp module, std::vector<Array *> arrays,
                        std::vector<Scalar> scalars = {},
                        const InterpreterOptions &options = {});

  mlir::MLIRContext context;
  /// Filled in by a run if not empty: one byte for each element of the last
  /// array.
  std::vector<uint8_t> written;
  InterpreterReport report;
};

} // namespace tilec

#endif // TEST_COMPILER_INTERPRETER_KERNELHARNESS_H
