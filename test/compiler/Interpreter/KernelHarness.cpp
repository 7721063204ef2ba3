//===- KernelHarness.cpp - Small kernels for tests of the interpreter -----===//
#include "test/compiler/Interpreter/KernelHarness.h"

#include "compiler/Numerics/NumberCast.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tilec;

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

static uint64_t encodeNumber(NumberFormat format, double value) {
  return isFloat(format) ? encodeFloat(format, castToFloat(value, format))
                         : encodeInteger(format, int64_t(value));
}

Array tilec::makeInput(std::string name, std::string dtype, Extents shape,
                       std::vector<double> values, int64_t packDim) {
  NumberFormat format = *findNumberFormat(dtype);
  Array array = {name, dtype, shape, {}};
  if (isPacked(format)) {
    array.packDim = packDim < 0 ? int64_t(shape.size()) - 1 : packDim;
    std::vector<uint8_t> codes;
    for (double value : values)
      codes.push_back(encodeNumber(format, value));
    array.storage = packNibbles(codes, shape, array.packDim);
    return array;
  }
  int64_t bytes = getStorageBits(format) / 8;
  array.storage.resize(values.size() * bytes);
  for (size_t i = 0; i < values.size(); ++i)
    writeCode(format, &array.storage[i * bytes],
              encodeNumber(format, values[i]));
  return array;
}

Array tilec::makeIota(std::string name, std::string dtype, Extents shape,
                      int64_t packDim) {
  std::vector<double> values(countElements(shape));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = i;
  return makeInput(name, dtype, shape, values, packDim);
}

Array tilec::makeOutput(std::string name, std::string dtype, Extents shape,
                        int64_t packDim) {
  Array array = makeIota(name, dtype, shape, packDim);
  array.storage.assign(array.storage.size(), 0xaa);
  array.access = "out";
  return array;
}

std::vector<uint64_t> Array::getCodes() const {
  NumberFormat format = *findNumberFormat(dtype);
  std::vector<uint64_t> codes;
  if (isPacked(format)) {
    for (uint8_t code : unpackNibbles(storage.data(), shape, packDim))
      codes.push_back(code);
    return codes;
  }
  int64_t bytes = getStorageBits(format) / 8;
  for (size_t i = 0; i < storage.size(); i += bytes)
    codes.push_back(readCode(format, &storage[i]));
  return codes;
}

std::vector<double> Array::getValues() const {
  NumberFormat format = *findNumberFormat(dtype);
  std::vector<double> values;
  for (uint64_t code : getCodes())
    values.push_back(isFloat(format) ? decodeFloat(format, code)
                                     : double(decodeInteger(format, code)));
  return values;
}

//===----------------------------------------------------------------------===//
// The text of a kernel
//===----------------------------------------------------------------------===//

static std::string getElementType(StringRef dtype) {
  NumberFormat format =
      *findNumberFormat(std::string_view(dtype.data(), dtype.size()));
  if (!isFloat(format))
    return format == NumberFormat::Bool
               ? "i1"
               : "i" + std::to_string(getStorageBits(format));
  return llvm::StringSwitch<std::string>(dtype)
      .Case("fp8_e4m3", "f8E4M3FN")
      .Case("fp8_e5m2", "f8E5M2")
      .Case("fp4_e2m1", "f4E2M1FN")
      .Case("e8m0", "f8E8M0FNU")
      .Default(dtype.str());
}

static std::vector<std::string> getDims(const Array &array) {
  std::vector<std::string> dims = array.dims;
  for (size_t d = dims.size(); d < array.shape.size(); ++d)
    dims.push_back(array.name + std::to_string(d));
  return dims;
}

static std::string writeTensorParameter(const Array &array) {
  std::string type = "!tile.global<";
  for (size_t d = 0; d < array.shape.size(); ++d)
    type += "?x";
  type += getElementType(array.dtype);
  if (array.packDim >= 0)
    type += ", pack = " + std::to_string(array.packDim);
  std::string dims;
  for (const std::string &dim : getDims(array))
    dims += (dims.empty() ? "\"" : ", \"") + dim + "\"";
  return "%" + array.name + ": " + type + "> {tile.name = \"" + array.name +
         "\", tile.dtype = \"" + array.dtype + "\", tile.access = \"" +
         array.access + "\", tile.dims = [" + dims + "]}";
}

static std::string writeSymbols(ArrayRef<Array *> arrays) {
  std::vector<std::string> symbols;
  std::vector<std::string> seen;
  for (auto [index, array] : llvm::enumerate(arrays))
    for (auto [d, dim] : llvm::enumerate(getDims(*array))) {
      if (llvm::is_contained(seen, dim))
        continue;
      seen.push_back(dim);
      symbols.push_back("{name = \"" + dim +
                        "\", param = " + std::to_string(index) +
                        " : i64, dim = " + std::to_string(d) + " : i64}");
    }
  return "[" + llvm::join(symbols, ", ") + "]";
}

/// The text of the kernel; its body begins in line 2, a leading empty line
/// aside.
static std::string writeKernel(const KernelText &text, ArrayRef<Array *> arrays,
                               ArrayRef<Scalar> scalars) {
  std::vector<std::string> parameters;
  for (const Array *array : arrays)
    parameters.push_back(writeTensorParameter(*array));
  for (const Scalar &scalar : scalars)
    parameters.push_back("%" + scalar.name + ": " +
                         getElementType(scalar.dtype) + " {tile.name = \"" +
                         scalar.name + "\", tile.dtype = \"" + scalar.dtype +
                         "\"}");
  return "tile.kernel @k(" + llvm::join(parameters, ", ") +
         ") attributes {symbols = " + writeSymbols(arrays) +
         ", checks = " + text.checks + ", grid = " + text.grid +
         ", axes = " + text.axes +
         ", threads = " + std::to_string(text.threads) + " : i64} {\n" +
         StringRef(text.body).ltrim('\n').str() + "\ntile.return\n}\n";
}

//===----------------------------------------------------------------------===//
// KernelHarness
//===----------------------------------------------------------------------===//

KernelHarness::KernelHarness() {
  context.loadDialect<tile::TileDialect, arith::ArithDialect, math::MathDialect,
                      scf::SCFDialect, cf::ControlFlowDialect>();
}

OwningOpRef<ModuleOp> KernelHarness::parse(const KernelText &text,
                                           std::vector<Array *> arrays,
                                           std::vector<Scalar> scalars) {
  std::string source = writeKernel(text, arrays, scalars);
  auto module = parseSourceString<ModuleOp>(source, &context, "k.mlir");
  if (!module)
    ADD_FAILURE() << "the kernel does not parse:\n" << source;
  return module;
}

std::string KernelHarness::interpret(ModuleOp module,
                                     std::vector<Array *> arrays,
                                     std::vector<Scalar> scalars,
                                     const InterpreterOptions &options) {
  InterpreterArguments arguments;
  for (Array *array : arrays)
    arguments.tensors.push_back({array->name, *findNumberFormat(array->dtype),
                                 array->shape, array->strides,
                                 array->storage.data(), array->storage.size()});
  if (!written.empty())
    arguments.tensors.back().written = written.data();
  for (const Scalar &scalar : scalars) {
    NumberFormat format = *findNumberFormat(scalar.dtype);
    arguments.scalars.push_back(
        {scalar.name, format, encodeNumber(format, scalar.value)});
  }
  auto result = interpretKernel(*module.getOps<tile::KernelOp>().begin(),
                                arguments, options);
  if (!result)
    return llvm::toString(result.takeError());
  report = *result;
  return "";
}

std::string KernelHarness::run(const KernelText &text,
                               std::vector<Array *> arrays,
                               std::vector<Scalar> scalars,
                               const InterpreterOptions &options) {
  OwningOpRef<ModuleOp> module = parse(text, arrays, scalars);
  return module ? interpret(*module, arrays, scalars, options)
                : "does not parse";
}
