//===- LaunchSetup.cpp - From arguments to a launch -----------------------===//
//
// The launch's own checks (see the runtime's) come before this; what is held
// against the kernel here again is what could make a block access memory that
// is not there, or compute with sizes that contradict each other.
//
//===----------------------------------------------------------------------===//
#include "compiler/Interpreter/LaunchSetup.h"

#include "compiler/Interpreter/Expression.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace tilec;

namespace {
class LaunchBuilder {
public:
  LaunchBuilder(tile::KernelOp kernel, const InterpreterArguments &arguments,
                Launch &launch)
      : kernel(kernel), arguments(arguments), launch(launch) {}

  llvm::Error build();

private:
  llvm::Error fail(const llvm::Twine &text) {
    return llvm::make_error<InterpreterError>(kernel.getLoc(), text.str());
  }
  const TensorArgument *findTensor(StringRef name) const;
  const ScalarArgument *findScalar(StringRef name) const;
  llvm::Error bindSymbols();
  llvm::Error bindTensor(unsigned index, tile::GlobalType type);
  llvm::Error checkExtents(unsigned index, const TensorArgument &tensor);
  llvm::Error checkStorage(const TensorArgument &tensor,
                           const GlobalTensor &global);
  llvm::Error bindScalar(unsigned index, Type type);
  llvm::Error checkFacts();
  llvm::Error findGrid();
  std::optional<int64_t> lookUp(StringRef name);
  llvm::Expected<int64_t> evaluate(Attribute expression,
                                   const llvm::Twine &role);

  tile::KernelOp kernel;
  const InterpreterArguments &arguments;
  Launch &launch;
};
} // namespace

const TensorArgument *LaunchBuilder::findTensor(StringRef name) const {
  auto found =
      llvm::find_if(arguments.tensors, [&](const TensorArgument &tensor) {
        return tensor.name == name;
      });
  return found == arguments.tensors.end() ? nullptr : &*found;
}

const ScalarArgument *LaunchBuilder::findScalar(StringRef name) const {
  auto found =
      llvm::find_if(arguments.scalars, [&](const ScalarArgument &scalar) {
        return scalar.name == name;
      });
  return found == arguments.scalars.end() ? nullptr : &*found;
}

//===----------------------------------------------------------------------===//
// Symbols and expressions
//===----------------------------------------------------------------------===//

llvm::Error LaunchBuilder::bindSymbols() {
  for (auto symbol : kernel.getSymbols().getAsRange<DictionaryAttr>()) {
    StringRef name = symbol.getAs<StringAttr>("name").getValue();
    if (auto given = arguments.symbols.find(name);
        given != arguments.symbols.end()) {
      launch.symbols[name] = given->second;
      continue;
    }
    if (auto value = symbol.getAs<IntegerAttr>("value")) {
      launch.symbols[name] = value.getInt();
      continue;
    }
    auto parameter = symbol.getAs<IntegerAttr>("param"),
         dim = symbol.getAs<IntegerAttr>("dim");
    if (!parameter || !dim || parameter.getInt() < 0 ||
        parameter.getInt() >= int64_t(kernel.getNumArguments()))
      return fail("symbol '" + name + "' has no value");
    const TensorArgument *tensor =
        findTensor(kernel.getArgName(parameter.getInt()));
    if (!tensor || dim.getInt() < 0 ||
        dim.getInt() >= int64_t(tensor->shape.size()))
      return fail("no argument gives symbol '" + name + "' a value");
    launch.symbols[name] = tensor->shape[dim.getInt()];
  }
  return llvm::Error::success();
}

std::optional<int64_t> LaunchBuilder::lookUp(StringRef name) {
  if (auto symbol = launch.symbols.find(name); symbol != launch.symbols.end())
    return symbol->second;
  if (const ScalarArgument *scalar = findScalar(name);
      scalar && !isFloat(scalar->format))
    return decodeInteger(scalar->format, scalar->code);
  // Other names that the caller gave a value, such as "sm_count".
  if (auto given = arguments.symbols.find(name);
      given != arguments.symbols.end())
    return given->second;
  if (DictionaryAttr config = kernel.getConfigAttr())
    if (auto constant = config.getAs<IntegerAttr>(name))
      return constant.getInt();
  return std::nullopt;
}

llvm::Expected<int64_t> LaunchBuilder::evaluate(Attribute expression,
                                                const llvm::Twine &role) {
  llvm::Expected<int64_t> value = evaluateExpression(
      expression, [&](StringRef name) { return lookUp(name); });
  if (value)
    return value;
  return fail(role + ": " + llvm::toString(value.takeError()));
}

llvm::Error LaunchBuilder::checkFacts() {
  for (auto fact : kernel.getChecks().getAsRange<DictionaryAttr>()) {
    StringRef text = fact.getAs<StringAttr>("text").getValue();
    llvm::Expected<int64_t> holds =
        evaluate(fact.get("expr"), "'" + text + "'");
    if (!holds)
      return holds.takeError();
    if (!*holds)
      return fail("'" + text + "' does not hold");
  }
  return llvm::Error::success();
}

llvm::Error LaunchBuilder::findGrid() {
  int64_t blocks = 1;
  for (auto [extent, axis] :
       llvm::zip_equal(kernel.getGrid(), kernel.getAxes())) {
    std::string name =
        isa<StringAttr>(axis) ? cast<StringAttr>(axis).getValue().str() : "";
    llvm::Expected<int64_t> value =
        evaluate(extent, "grid axis '" + name + "'");
    if (!value)
      return value.takeError();
    if (*value < 0)
      return fail("grid axis '" + name + "' has the extent " +
                  llvm::Twine(*value));
    std::optional<int64_t> product = llvm::checkedMul(blocks, *value);
    if (!product)
      return fail("the number of blocks has no value in int64");
    blocks = *product;
    launch.grid.push_back(*value);
  }
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Tensors and scalars
//===----------------------------------------------------------------------===//

/// The IR's integers have no sign, so they take arguments of either signedness.
static bool accepts(std::optional<NumberFormat> expected, NumberFormat given) {
  if (!expected || !isSignedInteger(*expected) || !isUnsignedInteger(given))
    return expected == given;
  return getStorageBits(*expected) == getStorageBits(given);
}

llvm::Error LaunchBuilder::checkExtents(unsigned index,
                                        const TensorArgument &tensor) {
  ArrayAttr dims = kernel.getArgDims(index);
  auto type = cast<tile::GlobalType>(kernel.getArgumentTypes()[index]);
  if (int64_t(tensor.shape.size()) != type.getRank())
    return fail("argument '" + tensor.name + "' has " +
                llvm::Twine(tensor.shape.size()) +
                " dimensions, the kernel's parameter " +
                llvm::Twine(type.getRank()));
  for (size_t d = 0; d < tensor.shape.size(); ++d) {
    std::string role =
        "argument '" + tensor.name + "' dimension " + std::to_string(d);
    llvm::Expected<int64_t> expected = evaluate(dims[d], role);
    if (!expected)
      return expected.takeError();
    int64_t fixed = type.getShape()[d];
    bool isFixed = !ShapedType::isDynamic(fixed);
    if (tensor.shape[d] != *expected || (isFixed && tensor.shape[d] != fixed))
      return fail(
          role + " is " + llvm::Twine(tensor.shape[d]) +
          ", the kernel expects " +
          llvm::Twine(tensor.shape[d] != *expected ? *expected : fixed));
    if (tensor.shape[d] < 0)
      return fail(role + " is " + llvm::Twine(tensor.shape[d]));
  }
  return llvm::Error::success();
}

/// Makes sure that every element lies in the storage.
llvm::Error LaunchBuilder::checkStorage(const TensorArgument &tensor,
                                        const GlobalTensor &global) {
  Extents stored = global.packDim < 0
                       ? global.shape
                       : getPackedShape(global.shape, global.packDim);
  if (llvm::is_contained(stored, 0))
    return llvm::Error::success();
  std::optional<int64_t> last = 0;
  for (auto [extent, stride] : llvm::zip_equal(stored, global.strides)) {
    if (stride < 0)
      return fail("argument '" + tensor.name + "' has a stride of " +
                  llvm::Twine(stride));
    std::optional<int64_t> span = llvm::checkedMul(extent - 1, stride);
    last = last && span ? llvm::checkedAdd(*last, *span) : std::nullopt;
  }
  int64_t unitBytes =
      global.packDim < 0 ? getStorageBits(global.format) / 8 : 1;
  std::optional<int64_t> bytes =
      last ? llvm::checkedMul(*last + 1, unitBytes) : std::nullopt;
  if (!bytes || uint64_t(*bytes) > tensor.storageBytes || !tensor.storage)
    return fail("the storage of argument '" + tensor.name + "' has " +
                llvm::Twine(tensor.storageBytes) +
                " bytes, too few for its shape and strides");
  return llvm::Error::success();
}

llvm::Error LaunchBuilder::bindTensor(unsigned index, tile::GlobalType type) {
  StringRef name = kernel.getArgName(index);
  const TensorArgument *tensor = findTensor(name);
  if (!tensor)
    return fail("argument '" + name + "' is missing");
  std::optional<NumberFormat> format = findFormat(type.getElementType());
  if (!accepts(format, tensor->format))
    return fail("argument '" + name + "' is " +
                llvm::Twine(getSpelling(tensor->format)) +
                ", the kernel expects " + kernel.getArgDtype(index));
  if (llvm::Error error = checkExtents(index, *tensor))
    return error;

  GlobalTensor &global = launch.tensors.emplace_back();
  global.name = tensor->name;
  global.format = *format;
  global.shape = tensor->shape;
  if (isPacked(*format))
    global.packDim =
        type.getPackDim() < 0 ? type.getRank() - 1 : type.getPackDim();
  Extents stored = global.packDim < 0
                       ? global.shape
                       : getPackedShape(global.shape, global.packDim);
  global.strides =
      tensor->strides.empty() ? getDenseStrides(stored) : tensor->strides;
  if (global.strides.size() != global.shape.size())
    return fail("argument '" + name + "' has " +
                llvm::Twine(global.strides.size()) + " strides for " +
                llvm::Twine(global.shape.size()) + " dimensions");
  global.canRead = kernel.getArgAccess(index) != "out";
  global.canWrite = kernel.getArgAccess(index) != "in";
  global.storage = static_cast<uint8_t *>(tensor->storage);
  global.written = tensor->written;
  launch.arguments.push_back(MemoryView(global));
  return checkStorage(*tensor, global);
}

llvm::Error LaunchBuilder::bindScalar(unsigned index, Type type) {
  StringRef name = kernel.getArgName(index);
  const ScalarArgument *scalar = findScalar(name);
  if (!scalar)
    return fail("argument '" + name + "' is missing");
  std::optional<NumberFormat> format = findFormat(type);
  if (!accepts(format, scalar->format))
    return fail("argument '" + name + "' is " +
                llvm::Twine(getSpelling(scalar->format)) +
                ", the kernel expects " + kernel.getArgDtype(index));
  if (isFloat(*format))
    launch.arguments.push_back(Floats(decodeFloat(*format, scalar->code)));
  else
    launch.arguments.push_back(Integers(decodeInteger(*format, scalar->code)));
  return llvm::Error::success();
}

llvm::Error LaunchBuilder::build() {
  launch.kernel = kernel;
  if (llvm::Error error = bindSymbols())
    return error;
  for (auto [index, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    auto global = dyn_cast<tile::GlobalType>(type);
    if (llvm::Error error =
            global ? bindTensor(index, global) : bindScalar(index, type))
      return error;
  }
  if (llvm::Error error = checkFacts())
    return error;
  return findGrid();
}

llvm::Error tilec::setUpLaunch(tile::KernelOp kernel,
                               const InterpreterArguments &arguments,
                               Launch &launch) {
  return LaunchBuilder(kernel, arguments, launch).build();
}
