//===-- Arguments.cpp - Data for the parameters of a kernel ---------------===//

#include "tools/gpu-runner/Arguments.h"
#include "compiler/Numerics/NumberCast.h"
#include "compiler/Numerics/PackedStorage.h"
#include "tilert/tilert.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <stdexcept>

using tilec::NumberFormat;

namespace gpurunner {
namespace {

// What fills guards and outputs before the launch. As floats of any size the
// first is NaN; the second is neither that nor a likely result.
constexpr unsigned char inputPattern = 0xFF;
constexpr unsigned char outputPattern = 0xA5;

[[noreturn]] void fail(const std::string &message) {
  throw std::runtime_error(message);
}

/// Every name of the command line must be one of the kernel's.
template <typename Map>
void checkNames(const Map &map, const std::vector<Operand> &operands,
                const char *option, bool onlyTensors) {
  for (const auto &[name, value] : map) {
    auto isIt = [&](const Operand &operand) {
      return name == operand.parameter->name &&
             (operand.isTensor() || !onlyTensors);
    };
    if (std::none_of(operands.begin(), operands.end(), isIt))
      fail(std::string(option) + ": the kernel has no " +
           (onlyTensors ? "tensor" : "parameter") + " '" + name + "'");
  }
}

uint64_t parseScalar(const std::string &name, NumberFormat format,
                     const std::string &text) {
  char *end = nullptr;
  errno = 0;
  bool isRight = !text.empty();
  uint64_t bits = 0;
  if (format == NumberFormat::Bool && (text == "true" || text == "false"))
    return text == "true";
  if (tilec::isFloat(format)) {
    double value = std::strtod(text.c_str(), &end);
    bits = tilec::encodeFloat(format, tilec::castToFloat(value, format));
  } else {
    int64_t value = tilec::isUnsignedInteger(format)
                        ? int64_t(std::strtoull(text.c_str(), &end, 0))
                        : std::strtoll(text.c_str(), &end, 0);
    bits = tilec::encodeInteger(format, value);
    isRight &= errno == 0 && tilec::decodeInteger(format, bits) == value;
  }
  if (!isRight || *end)
    fail("--in " + name + ": '" + text + "' is no " +
         std::string(tilec::getSpelling(format)));
  return bits;
}

npy::Array readInput(const Operand &operand, const std::string &path) {
  npy::Array array;
  std::string error;
  if (!npy::readFile(path, array, error))
    fail(error);
  NumberFormat format = formatOf(operand.parameter->dtype);
  if (!holds(array, format))
    fail(path + ": it holds " + array.typeName() + ", expected " +
         describeStorage(format) + " for '" + operand.parameter->name + "'");
  return array;
}

/// What the given files and scalars tell about symbols. Packed arrays are
/// passed as their storage, of which the even extent is taken if nothing else
/// decides.
std::vector<int64_t> solveSymbols(const Job &job, const tilert_kernel *kernel,
                                  const std::vector<Operand> &operands) {
  size_t symbols = tilert_kernel_symbol_count(kernel);
  std::vector<int64_t> values(symbols);
  std::vector<unsigned char> known(symbols);
  for (const auto &[name, value] : job.sizes) {
    size_t i = 0;
    while (i < symbols && name != tilert_kernel_symbol_name(kernel, i))
      ++i;
    if (i == symbols)
      fail("--size: the kernel has no symbol '" + name + "'");
    values[i] = value;
    known[i] = 1;
  }
  std::vector<tilert_argument> arguments(operands.size());
  for (size_t i = 0; i < operands.size(); ++i) {
    const Operand &operand = operands[i];
    const tilert_parameter &parameter = *operand.parameter;
    if (!operand.isTensor()) {
      arguments[i] = tilert_scalar_argument(parameter.dtype, &operand.bits);
    } else if (!operand.initial.shape.empty()) {
      bool isPacked = parameter.pack >= 0;
      arguments[i] = tilert_tensor_argument(
          {nullptr, isPacked ? TILERT_UINT8 : parameter.dtype,
           int32_t(operand.initial.shape.size()), operand.initial.shape.data(),
           nullptr, TILERT_DEVICE_ANY, TILERT_ORDER_UNKNOWN});
    }
  }
  tilert::check([&](tilert_status **status) {
    return tilert_kernel_solve_symbols(kernel, arguments.data(),
                                       arguments.size(), values.data(),
                                       known.data(), status);
  });
  for (size_t i = 0; i < symbols; ++i)
    if (!known[i])
      fail(std::string("nothing gives '") +
           tilert_kernel_symbol_name(kernel, i) + "' a value: use --size " +
           tilert_kernel_symbol_name(kernel, i) + "=...");
  return values;
}

std::vector<int64_t> findSizes(const tilert_kernel *kernel, size_t index,
                               const std::vector<int64_t> &symbols,
                               const std::vector<Operand> &operands) {
  std::vector<tilert_argument> scalars(operands.size());
  for (size_t i = 0; i < operands.size(); ++i)
    if (!operands[i].isTensor())
      scalars[i] = tilert_scalar_argument(operands[i].parameter->dtype,
                                          &operands[i].bits);
  std::vector<int64_t> sizes(size_t(operands[index].parameter->rank));
  tilert::check([&](tilert_status **status) {
    return tilert_kernel_parameter_sizes(kernel, index, symbols.data(),
                                         scalars.data(), scalars.size(),
                                         sizes.data(), status);
  });
  return sizes;
}

/// Data of a tensor that no file gives: random, or the pattern for results.
npy::Array makeData(const Job &job, size_t index, const Operand &operand) {
  if (operand.parameter->access != TILERT_OUT)
    return makeRandom(operand.type, job.seed * 64 + index);
  npy::Array array = makeArray(operand.type);
  std::fill(array.bytes.begin(), array.bytes.end(), outputPattern);
  return array;
}

void describePassing(const Job &job, Operand &operand) {
  const tilert_parameter &parameter = *operand.parameter;
  auto strides = job.strides.find(parameter.name);
  operand.passedDtype = parameter.dtype;
  operand.passedSizes = operand.type.sizes;
  if (strides == job.strides.end())
    return;
  operand.strides = &strides->second;
  // Strides on the command line are those of the stored array.
  if (parameter.pack >= 0) {
    operand.passedDtype = TILERT_UINT8;
    operand.passedSizes = operand.initial.shape;
  }
}

/// Packs what is given plain, as `tilec run` does.
void packOperand(const tilert_kernel *kernel, Operand &operand) {
  const char *name = operand.parameter->name;
  operand.plain = std::move(operand.initial);
  tilert_tensor plain = {operand.plain.bytes.data(),
                         operand.passedDtype,
                         int32_t(operand.passedSizes.size()),
                         operand.passedSizes.data(),
                         nullptr,
                         TILERT_DEVICE_HOST,
                         TILERT_ORDER_PLAIN};
  size_t bytes = 0;
  tilert::check([&](tilert_status **status) {
    return tilert_prepack_size(kernel, name, &plain, &bytes, status);
  });
  operand.initial = {'u', 1, {int64_t(bytes)}, {}};
  operand.initial.bytes.resize(bytes);
  tilert::check([&](tilert_status **status) {
    return tilert_prepack_host(kernel, name, &plain,
                               operand.initial.bytes.data(), status);
  });
}

} // namespace

tilert_argument Operand::argument(int device) const {
  if (!isTensor())
    return tilert_scalar_argument(parameter->dtype, &bits);
  return tilert_tensor_argument(
      {reinterpret_cast<void *>(address), passedDtype,
       int32_t(passedSizes.size()), passedSizes.data(),
       strides ? strides->data() : nullptr, device, parameter->order});
}

std::vector<Operand> makeOperands(const Job &job, const tilert_kernel *kernel) {
  std::vector<Operand> operands(tilert_kernel_parameter_count(kernel));
  for (size_t i = 0; i < operands.size(); ++i)
    operands[i].parameter = tilert_kernel_parameter(kernel, i);
  checkNames(job.inputs, operands, "--in", false);
  checkNames(job.outputs, operands, "--out", true);
  checkNames(job.expected, operands, "--expect", true);
  checkNames(job.offsets, operands, "--offset", true);
  checkNames(job.strides, operands, "--strides", true);
  checkNames(job.aliases, operands, "--alias", true);

  for (Operand &operand : operands) {
    auto input = job.inputs.find(operand.parameter->name);
    if (operand.isTensor() && input != job.inputs.end())
      operand.initial = readInput(operand, input->second);
    if (!operand.isTensor())
      operand.bits = parseScalar(
          operand.parameter->name, formatOf(operand.parameter->dtype),
          input == job.inputs.end() ? "1" : input->second);
  }
  std::vector<int64_t> symbols = solveSymbols(job, kernel, operands);
  for (size_t i = 0; i < operands.size(); ++i) {
    Operand &operand = operands[i];
    if (!operand.isTensor())
      continue;
    operand.type = {formatOf(operand.parameter->dtype),
                    findSizes(kernel, i, symbols, operands),
                    operand.parameter->pack};
    if (operand.initial.shape.empty())
      operand.initial = makeData(job, i, operand);
    operand.isWritten = operand.parameter->access != TILERT_IN;
    describePassing(job, operand);
    if (operand.isPrepacked())
      packOperand(kernel, operand);
  }
  return operands;
}

void placeOperands(const Job &job, const Device &device,
                   std::vector<Operand> &operands) {
  for (Operand &operand : operands) {
    if (!operand.isTensor() || job.aliases.count(operand.parameter->name))
      continue;
    auto offset = job.offsets.find(operand.parameter->name);
    operand.buffer = std::make_unique<GuardedBuffer>(
        device, operand.initial,
        operand.strides ? *operand.strides : std::vector<int64_t>(),
        offset == job.offsets.end() ? 0 : offset->second,
        operand.isWritten ? outputPattern : inputPattern);
    operand.address = operand.buffer->address();
  }
  for (const auto &[name, alias] : job.aliases) {
    Operand &operand = findOperand(operands, name);
    Operand &owner = findOperand(operands, alias.of);
    if (!owner.buffer)
      fail("--alias " + name + ": '" + alias.of + "' has no memory of its own");
    operand.address = owner.address + CuPointer(alias.bytes);
    owner.isWritten |= operand.isWritten;
  }
}

Operand &findOperand(std::vector<Operand> &operands, const std::string &name) {
  for (Operand &operand : operands)
    if (name == operand.parameter->name)
      return operand;
  fail("the kernel has no parameter '" + name + "'");
}

} // namespace gpurunner
