//===- RunArguments.cpp - The arguments of a run --------------------------===//
//
// Files come first, then the sizes that they and --size give (the runtime
// solves for those), then the arrays of all tensors, filled from the files or
// with random data.
//
//===----------------------------------------------------------------------===//
#include "compiler/Driver/Run/RunArguments.h"

#include "compiler/Driver/Failure.h"
#include "compiler/Driver/Run/ElementValue.h"
#include "compiler/Driver/Run/NpyFile.h"
#include "compiler/Driver/Run/RandomData.h"
#include "compiler/Numerics/NumberCast.h"
#include "llvm/ADT/STLExtras.h"
#include <cstring>

using namespace tilec;
using llvm::StringRef;

tilert_argument tilec::makeTensorArgument(const TensorShape &shape, void *data,
                                          int32_t device) {
  tilert_tensor tensor = {};
  tensor.data = data;
  tensor.dtype = getRuntimeType(shape.format);
  tensor.rank = static_cast<int32_t>(shape.sizes.size());
  tensor.sizes = shape.sizes.data();
  tensor.device = device;
  return tilert_tensor_argument(tensor);
}

static tilert_argument makeScalarArgument(const RunArgument &argument) {
  tilert_argument result = {};
  result.kind = TILERT_SCALAR;
  result.value.scalar = {argument.declaration.dtype, argument.scalarCode};
  return result;
}

namespace {

/// Makes the arguments of one kernel, step by step.
class ArgumentBuilder {
public:
  ArgumentBuilder(const tilert_kernel &kernel, const RunOptions &options)
      : kernel(kernel), options(options),
        arguments(tilert_kernel_parameter_count(&kernel)),
        files(arguments.size()) {}

  llvm::Expected<std::vector<RunArgument>> build();

private:
  void declare();
  llvm::Error checkNames() const;
  llvm::Error checkInputName(StringRef name) const;
  llvm::Error checkOutputNames(StringRef option,
                               llvm::ArrayRef<NamedText> list) const;
  llvm::Error checkOffset(const NamedSize &offset) const;
  llvm::Error readInputs();
  llvm::Error readScalar(RunArgument &argument, StringRef text);
  llvm::Error solveSizes();
  llvm::Error describeUnknownSizes(llvm::ArrayRef<unsigned char> known) const;
  llvm::Error makeTensors();
  llvm::Error makeTensor(size_t index);
  llvm::Error packTensor(RunArgument &argument);
  int64_t getOffset(StringRef name) const;
  std::vector<tilert_argument> getKnownArguments() const;

  std::string quoteKernel() const {
    return "kernel '" + std::string(tilert_kernel_name(&kernel)) + "'";
  }
  llvm::SmallVector<StringRef>
  getNames(llvm::function_ref<bool(const RunArgument &)> isWanted) const;
  const RunArgument *find(StringRef name) const;

  const tilert_kernel &kernel;
  const RunOptions &options;
  std::vector<RunArgument> arguments;
  /// The arrays given, by parameter.
  std::vector<std::optional<NpyArray>> files;
  /// Values of the symbols.
  std::vector<int64_t> symbols;
};

} // namespace

void ArgumentBuilder::declare() {
  for (size_t i = 0; i < arguments.size(); ++i) {
    arguments[i].declaration = *tilert_kernel_parameter(&kernel, i);
    arguments[i].name = arguments[i].declaration.name;
  }
}

const RunArgument *ArgumentBuilder::find(StringRef name) const {
  auto found = llvm::find_if(
      arguments, [&](const RunArgument &a) { return a.name == name; });
  return found == arguments.end() ? nullptr : &*found;
}

llvm::SmallVector<StringRef> ArgumentBuilder::getNames(
    llvm::function_ref<bool(const RunArgument &)> isWanted) const {
  llvm::SmallVector<StringRef> names;
  for (const RunArgument &argument : arguments)
    if (isWanted(argument))
      names.push_back(argument.name);
  return names;
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

llvm::Error ArgumentBuilder::checkInputName(StringRef name) const {
  const RunArgument *argument = find(name);
  auto isInput = [](const RunArgument &candidate) {
    return !candidate.isTensor() || candidate.declaration.access != TILERT_OUT;
  };
  if (!argument)
    return makeUsageError("'--in " + name + "': " + quoteKernel() +
                              " has no parameter '" + name + "'",
                          suggestFrom(name, getNames(isInput)));
  if (!isInput(*argument))
    return makeUsageError("'--in " + name + "': '" + name +
                              "' is 'out', which the kernel does not read",
                          "use --out " + name + "=FILE.npy to keep it");
  return llvm::Error::success();
}

llvm::Error
ArgumentBuilder::checkOutputNames(StringRef option,
                                  llvm::ArrayRef<NamedText> list) const {
  for (const NamedText &named : list) {
    const RunArgument *argument = find(named.name);
    auto isWritten = [](const RunArgument &a) { return a.isWritten(); };
    std::string head = ("'" + option + " " + named.name + "': ").str();
    if (!argument)
      return makeUsageError(head + quoteKernel() + " has no parameter '" +
                                named.name + "'",
                            suggestFrom(named.name, getNames(isWritten)));
    if (!argument->isWritten())
      return makeUsageError(head + "'" + named.name +
                                "' is an input, which the kernel does not "
                                "change",
                            suggestFrom(named.name, getNames(isWritten)));
  }
  return llvm::Error::success();
}

llvm::Error ArgumentBuilder::checkOffset(const NamedSize &offset) const {
  auto isTensor = [](const RunArgument &a) { return a.isTensor(); };
  const RunArgument *argument = find(offset.name);
  std::string head = "'--offset " + offset.name + "': ";
  if (!argument || !argument->isTensor())
    return makeUsageError(head + quoteKernel() + " has no tensor '" +
                              offset.name + "'",
                          suggestFrom(offset.name, getNames(isTensor)));
  if (offset.value >= HostTensor::alignment)
    return makeUsageError(head + llvm::Twine(offset.value) +
                          " bytes are not from 0 to " +
                          llvm::Twine(HostTensor::alignment - 1));
  return llvm::Error::success();
}

llvm::Error ArgumentBuilder::checkNames() const {
  for (const NamedText &input : options.inputs)
    if (llvm::Error error = checkInputName(input.name))
      return error;
  if (llvm::Error error = checkOutputNames("--out", options.outputs))
    return error;
  if (llvm::Error error = checkOutputNames("--expect", options.expected))
    return error;

  for (const NamedSize &offset : options.offsets)
    if (llvm::Error error = checkOffset(offset))
      return error;

  llvm::SmallVector<StringRef> symbolNames;
  for (size_t i = 0; i < tilert_kernel_symbol_count(&kernel); ++i)
    symbolNames.push_back(tilert_kernel_symbol_name(&kernel, i));
  for (const NamedSize &size : options.sizes)
    if (!llvm::is_contained(symbolNames, size.name))
      return makeUsageError("'--size " + size.name + "': " + quoteKernel() +
                                " has no size '" + size.name + "'",
                            suggestFrom(size.name, symbolNames));
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Inputs and sizes
//===----------------------------------------------------------------------===//

llvm::Error ArgumentBuilder::readScalar(RunArgument &argument, StringRef text) {
  NumberFormat format = getFormat(argument.declaration.dtype);
  std::optional<uint64_t> code = parseElement(format, text);
  if (!code)
    return makeUsageError("'--in " + argument.name + "': '" + text +
                          "' is not a value of type " + getSpelling(format));
  argument.scalarCode = *code;
  return llvm::Error::success();
}

llvm::Error ArgumentBuilder::readInputs() {
  for (size_t i = 0; i < arguments.size(); ++i) {
    RunArgument &argument = arguments[i];
    NumberFormat format = getFormat(argument.declaration.dtype);
    auto given = llvm::find_if(options.inputs, [&](const NamedText &in) {
      return in.name == argument.name;
    });
    bool isGiven = given != options.inputs.end();
    if (!argument.isTensor()) {
      if (llvm::Error error = readScalar(argument, isGiven ? given->text : "1"))
        return error;
    } else if (isGiven) {
      llvm::Expected<NpyArray> array =
          readNpyFile(given->text, format, argument.name);
      if (!array)
        return array.takeError();
      if (array->sizes.size() != size_t(argument.declaration.rank))
        return makeFailure("'" + given->text + "' has " +
                           llvm::Twine(array->sizes.size()) +
                           " dimensions, but '" + argument.name + "' has " +
                           llvm::Twine(argument.declaration.rank));
      files[i] = std::move(*array);
    }
  }
  return llvm::Error::success();
}

/// What is there before the arrays are made: scalars and files, the latter as
/// they are stored.
std::vector<tilert_argument> ArgumentBuilder::getKnownArguments() const {
  std::vector<tilert_argument> known(arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i].isTensor()) {
      known[i] = makeScalarArgument(arguments[i]);
    } else if (files[i]) {
      NumberFormat format = getFormat(arguments[i].declaration.dtype);
      TensorShape stored{
          isPacked(format) ? NumberFormat::UInt8 : format, -1, {}};
      known[i] = makeTensorArgument(stored, nullptr, TILERT_DEVICE_HOST);
      known[i].value.tensor.rank = arguments[i].declaration.rank;
      known[i].value.tensor.sizes = files[i]->sizes.data();
    }
  }
  return known;
}

llvm::Error ArgumentBuilder::describeUnknownSizes(
    llvm::ArrayRef<unsigned char> known) const {
  llvm::SmallVector<std::string> unknown;
  for (size_t i = 0; i < known.size(); ++i)
    if (!known[i])
      unknown.push_back(tilert_kernel_symbol_name(&kernel, i));
  if (unknown.empty())
    return llvm::Error::success();
  // The parameters in which the first of them stands alone.
  std::string binding;
  for (size_t i = 0; i < arguments.size() && binding.empty(); ++i)
    for (int dim = 0; dim < arguments[i].declaration.rank; ++dim)
      if (arguments[i].isTensor() &&
          arguments[i].declaration.access != TILERT_OUT &&
          tilert_kernel_dim_text(&kernel, i, dim) == unknown.front())
        binding = arguments[i].name;
  // The list says for which sizes code is made, not which one this launch has.
  bool hasList = llvm::any_of(options.sizeLists, [&](const NamedSizes &list) {
    return list.name == unknown.front();
  });
  std::string help =
      hasList ? "add --size " + unknown.front() +
                    "=... with the one value that this launch has"
              : "bind it with --size " + unknown.front() +
                    "=..., fix it with -D " + unknown.front() + "=...";
  if (!binding.empty())
    help += ", or give an array that has it with --in " + binding + "=FILE.npy";
  return makeFailure(quoteKernel() + ": nothing gives '" +
                         llvm::join(unknown, "', '") + "' a value",
                     help);
}

llvm::Error ArgumentBuilder::solveSizes() {
  size_t count = tilert_kernel_symbol_count(&kernel);
  symbols.resize(count);
  std::vector<unsigned char> known(count);
  for (size_t i = 0; i < count; ++i)
    for (const NamedSize &size : options.sizes)
      if (size.name == tilert_kernel_symbol_name(&kernel, i)) {
        symbols[i] = size.value;
        known[i] = 1;
      }
  std::vector<tilert_argument> present = getKnownArguments();
  tilert_status *status = nullptr;
  tilert_kernel_solve_symbols(&kernel, present.data(), present.size(),
                              symbols.data(), known.data(), &status);
  if (llvm::Error error = takeStatus(status))
    return error;
  return describeUnknownSizes(known);
}

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

static bool isPrepacked(const RunArgument &argument) {
  return argument.declaration.order != TILERT_ORDER_PLAIN;
}

/// What --offset says of a tensor.
int64_t ArgumentBuilder::getOffset(StringRef name) const {
  for (const NamedSize &offset : options.offsets)
    if (offset.name == name)
      return offset.value;
  return 0;
}

llvm::Error ArgumentBuilder::makeTensor(size_t index) {
  RunArgument &argument = arguments[index];
  TensorShape shape{getFormat(argument.declaration.dtype),
                    argument.declaration.pack,
                    Extents(argument.declaration.rank)};
  std::vector<tilert_argument> present = getKnownArguments();
  tilert_status *status = nullptr;
  tilert_kernel_parameter_sizes(&kernel, index, symbols.data(), present.data(),
                                present.size(), shape.sizes.data(), &status);
  if (llvm::Error error = takeStatus(status))
    return error;

  llvm::Expected<HostTensor> tensor = HostTensor::create(
      std::move(shape), isPrepacked(argument) ? 0 : getOffset(argument.name));
  if (!tensor)
    return tensor.takeError();
  argument.tensor = std::move(*tensor);
  if (files[index]) {
    // Solving for the sizes has compared every extent with the kernel's.
    std::vector<uint8_t> &bytes = files[index]->bytes;
    if (bytes.size() != argument.tensor->getBytes().size())
      return makeFailure("the array given for '" + argument.name + "' has " +
                         llvm::Twine(bytes.size()) + " bytes, but " +
                         argument.tensor->getShape().getSizeText() +
                         " elements take " +
                         llvm::Twine(argument.tensor->getBytes().size()));
    llvm::copy(bytes, argument.tensor->getBytes().begin());
    bytes = {};
  } else if (argument.declaration.access == TILERT_OUT) {
    fillUnwritten(*argument.tensor);
  } else {
    fillRandom(*argument.tensor, options.seed, argument.name);
  }
  return packTensor(argument);
}

/// Packs what is given plain, if the kernel takes it so.
llvm::Error ArgumentBuilder::packTensor(RunArgument &argument) {
  if (!isPrepacked(argument))
    return llvm::Error::success();
  tilert_tensor plain =
      makeTensorArgument(argument.tensor->getShape(),
                         argument.tensor->getBytes().data(), TILERT_DEVICE_HOST)
          .value.tensor;
  size_t bytes = 0;
  tilert_status *status = nullptr;
  tilert_prepack_size(&kernel, argument.declaration.name, &plain, &bytes,
                      &status);
  if (llvm::Error error = takeStatus(status))
    return error;
  // The kernel sees the packed memory only, which is what --offset moves.
  llvm::Expected<HostTensor> packed = HostTensor::create(
      {NumberFormat::UInt8, -1, {static_cast<int64_t>(bytes)}},
      getOffset(argument.name));
  if (!packed)
    return packed.takeError();
  argument.packed = std::move(*packed);
  tilert_prepack_host(&kernel, argument.declaration.name, &plain,
                      argument.packed->getBytes().data(), &status);
  return takeStatus(status);
}

llvm::Expected<std::vector<RunArgument>> ArgumentBuilder::build() {
  declare();
  if (llvm::Error error = checkNames())
    return error;
  if (llvm::Error error = readInputs())
    return error;
  if (llvm::Error error = solveSizes())
    return error;
  for (size_t i = 0; i < arguments.size(); ++i)
    if (arguments[i].isTensor())
      if (llvm::Error error = makeTensor(i))
        return error;
  return std::move(arguments);
}

//===----------------------------------------------------------------------===//
// RunArguments
//===----------------------------------------------------------------------===//

llvm::Expected<RunArguments> RunArguments::create(const tilert_kernel &kernel,
                                                  const RunOptions &options) {
  llvm::Expected<std::vector<RunArgument>> arguments =
      ArgumentBuilder(kernel, options).build();
  if (!arguments)
    return arguments.takeError();
  RunArguments result;
  result.arguments = std::move(*arguments);
  return result;
}

const RunArgument *RunArguments::find(StringRef name) const {
  auto found = llvm::find_if(
      arguments, [&](const RunArgument &a) { return a.name == name; });
  return found == arguments.end() ? nullptr : &*found;
}

std::vector<tilert_argument> RunArguments::getRuntimeArguments() const {
  std::vector<tilert_argument> result;
  for (const RunArgument &argument : arguments) {
    if (!argument.isTensor()) {
      result.push_back(makeScalarArgument(argument));
      continue;
    }
    // The runtime does not write through the pointer; kernels do.
    auto *data = const_cast<uint8_t *>(argument.getMemory().getBytes().data());
    result.push_back(makeTensorArgument(argument.tensor->getShape(), data,
                                        TILERT_DEVICE_HOST));
    result.back().value.tensor.order = argument.declaration.order;
  }
  return result;
}
