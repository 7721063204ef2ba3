//===- BlockInterpreter.cpp - One block of a kernel -----------------------===//
#include "compiler/Interpreter/BlockInterpreter.h"

#include "compiler/Numerics/NumberCast.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilec;

std::optional<NumberFormat> tilec::findFormat(Type type, bool isUnsigned) {
  if (isa<IndexType>(type))
    return isUnsigned ? NumberFormat::UInt64 : NumberFormat::Int64;
  if (auto integer = dyn_cast<IntegerType>(type)) {
    switch (integer.getWidth()) {
    case 1:
      return NumberFormat::Bool;
    case 4:
      return isUnsigned ? NumberFormat::UInt4 : NumberFormat::Int4;
    case 8:
      return isUnsigned ? NumberFormat::UInt8 : NumberFormat::Int8;
    case 16:
      return isUnsigned ? NumberFormat::UInt16 : NumberFormat::Int16;
    case 32:
      return isUnsigned ? NumberFormat::UInt32 : NumberFormat::Int32;
    case 64:
      return isUnsigned ? NumberFormat::UInt64 : NumberFormat::Int64;
    default:
      return std::nullopt;
    }
  }
  return llvm::TypeSwitch<Type, std::optional<NumberFormat>>(type)
      .Case<Float16Type>([](Type) { return NumberFormat::F16; })
      .Case<BFloat16Type>([](Type) { return NumberFormat::BF16; })
      .Case<FloatTF32Type>([](Type) { return NumberFormat::TF32; })
      .Case<Float32Type>([](Type) { return NumberFormat::F32; })
      .Case<Float64Type>([](Type) { return NumberFormat::F64; })
      .Case<Float8E4M3FNType>([](Type) { return NumberFormat::FP8E4M3; })
      .Case<Float8E5M2Type>([](Type) { return NumberFormat::FP8E5M2; })
      .Case<Float4E2M1FNType>([](Type) { return NumberFormat::FP4E2M1; })
      .Case<Float8E8M0FNUType>([](Type) { return NumberFormat::E8M0; })
      .Default([](Type) { return std::nullopt; });
}

const HandlerTable &HandlerTable::getAll() {
  static const HandlerTable table = [] {
    HandlerTable all;
    addStructureHandlers(all);
    addControlFlowHandlers(all);
    addMemoryHandlers(all);
    addElementHandlers(all);
    addAsyncHandlers(all);
    addAtomicHandlers(all);
    addTeamHandlers(all);
    addScaledHandlers(all);
    addReductionHandlers(all);
    addDebugHandlers(all);
    addMatmulHandlers(all);
    addShapeHandlers(all);
    addCastHandlers(all);
    addIntegerHandlers(all);
    addFloatHandlers(all);
    return all;
  }();
  return table;
}

LogicalResult BlockInterpreter::run() {
  tile::KernelOp kernel = launch.kernel;
  return success(succeeded(runRegion(kernel.getBody(), launch.arguments)));
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

const RuntimeValue &BlockInterpreter::get(Value value) const {
  auto found = values.find(value);
  assert(found != values.end() && "operands are executed before their users");
  return found->second;
}

RuntimeValue BlockInterpreter::getNarrow(Value value) const {
  const RuntimeValue &content = get(value);
  if (!content.isWide())
    return content;
  std::optional<NumberFormat> format =
      findFormat(tile::getTileElementType(value.getType()));
  return mapElements<double>([&](double x) { return castToFloat(x, *format); },
                             content.getFloats());
}

Floats BlockInterpreter::getRounded(Value value) const {
  return getNarrow(value).getFloats();
}

FailureOr<int64_t> BlockInterpreter::getUniform(Operation *op, Value value) {
  const Integers &elements = getIntegers(value);
  if (!elements.isUniform())
    return fail(
        op,
        "'" + op->getName().getStringRef() +
            "' needs a value that is the same in all iterations of 'parallel'");
  return elements[0];
}

FailureOr<std::vector<int64_t>>
BlockInterpreter::getUniform(Operation *op, ValueRange values) {
  std::vector<int64_t> numbers;
  for (Value value : values) {
    FailureOr<int64_t> number = getUniform(op, value);
    if (failed(number))
      return failure();
    numbers.push_back(*number);
  }
  return numbers;
}

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

LogicalResult BlockInterpreter::execute(Operation *op) {
  Handler handler = HandlerTable::getAll().find(op);
  if (!handler)
    return fail(op, "the interpreter does not know '" +
                        op->getName().getStringRef() + "'");
  for (Type type : op->getResultTypes())
    if (!isa<tile::GlobalType, tile::SharedType, tile::BarrierType>(type) &&
        !findFormat(tile::getTileElementType(type)))
      return fail(op, "the interpreter has no values of the result's type");
  return handler(*this, op);
}

FailureOr<std::vector<RuntimeValue>>
BlockInterpreter::runRegion(Region &region, ArrayRef<RuntimeValue> arguments) {
  if (!region.hasOneBlock()) {
    (void)fail(region.getParentOp(),
               "the interpreter runs structured control flow only");
    return failure();
  }
  Block &body = region.front();
  for (auto [argument, content] :
       llvm::zip_equal(body.getArguments(), arguments))
    set(argument, content);
  for (Operation &op : body.without_terminator())
    if (failed(execute(&op)))
      return failure();
  std::vector<RuntimeValue> results;
  for (Value operand : body.getTerminator()->getOperands())
    results.push_back(get(operand));
  return results;
}

LogicalResult BlockInterpreter::fail(Location location,
                                     const llvm::Twine &text) {
  reason = Failure{location, text.str()};
  return failure();
}

LogicalResult BlockInterpreter::requireWholeBlock(Operation *op) {
  if (mask.inParallel)
    return fail(op,
                "'" + op->getName().getStringRef() +
                    "' works on a whole tile and cannot run inside 'parallel'");
  return success();
}
