//===- MathInstructions.cpp - Floating-point arithmetic -------------------===//
//
// Arithmetic and the approximations of the special function unit, for f64,
// f32 and packed or single 16-bit floats.  Operands become doubles, the result
// is rounded once.  Approximations are computed to full precision: the
// hardware's error (a few units in the last place) is not imitated.
//
//===----------------------------------------------------------------------===//

#include "compiler/Emulator/Instructions/Arithmetic.h"
#include "llvm/ADT/StringSwitch.h"

using namespace tilec;
using namespace tilec::emulator;

namespace {

enum class FloatFunction : uint32_t {
  Add,
  Sub,
  Mul,
  FusedMultiplyAdd,
  Div,
  Min,
  Max,
  Abs,
  Neg,
  Reciprocal,
  Sqrt,
  ReciprocalSqrt,
  Exp2,
  Log2,
  Sin,
  Cos,
  Tanh,
  Floor,
  Ceil,
  Trunc,
  Round,
  Saturate,
};

enum Modifier : uint32_t {
  FlushSubnormals = 1,
  ClampToUnit = 2,
  Relu = 4,
  PropagateNaN = 8,
  SignOfXor = 16,
  TowardZero = 32,
};

} // namespace

/// -0 < +0; the operand that is not NaN, unless NaN is to propagate.
static double selectExtreme(double a, double b, bool isMax,
                            bool propagatesNaN) {
  if (std::isnan(a) || std::isnan(b)) {
    if (propagatesNaN || (std::isnan(a) && std::isnan(b)))
      return std::nan("");
    return std::isnan(a) ? b : a;
  }
  if (a == b)
    return std::signbit(a) == isMax ? b : a;
  return (a < b) == isMax ? b : a;
}

static double evaluate(FloatFunction function, const double *x, bool isDouble,
                       uint32_t modifiers) {
  switch (function) {
  case FloatFunction::Add:
    return isDouble ? x[0] + x[1] : fuseMultiplyAddToOdd(x[0], 1.0, x[1]);
  case FloatFunction::Sub:
    return isDouble ? x[0] - x[1] : fuseMultiplyAddToOdd(x[0], 1.0, -x[1]);
  case FloatFunction::Mul:
    return x[0] * x[1];
  case FloatFunction::FusedMultiplyAdd:
    return isDouble ? std::fma(x[0], x[1], x[2])
                    : fuseMultiplyAddToOdd(x[0], x[1], x[2]);
  // Quotients and roots in double round correctly once more: double has more
  // than twice the bits of float.
  case FloatFunction::Div:
    return x[0] / x[1];
  case FloatFunction::Min:
  case FloatFunction::Max: {
    bool isMax = function == FloatFunction::Max;
    bool propagates = modifiers & PropagateNaN;
    if (!(modifiers & SignOfXor))
      return selectExtreme(x[0], x[1], isMax, propagates);
    bool isNegative = std::signbit(x[0]) != std::signbit(x[1]);
    double magnitude =
        selectExtreme(std::fabs(x[0]), std::fabs(x[1]), isMax, propagates);
    return std::copysign(magnitude, isNegative ? -1.0 : 1.0);
  }
  case FloatFunction::Abs:
    return std::fabs(x[0]);
  case FloatFunction::Neg:
    return -x[0];
  case FloatFunction::Reciprocal:
    return 1.0 / x[0];
  case FloatFunction::Sqrt:
    return std::sqrt(x[0]);
  case FloatFunction::ReciprocalSqrt:
    return 1.0 / std::sqrt(x[0]);
  case FloatFunction::Exp2:
    return std::exp2(x[0]);
  case FloatFunction::Log2:
    return std::log2(x[0]);
  case FloatFunction::Sin:
    return std::sin(x[0]);
  case FloatFunction::Cos:
    return std::cos(x[0]);
  case FloatFunction::Tanh:
    return std::tanh(x[0]);
  case FloatFunction::Floor:
    return std::floor(x[0]);
  case FloatFunction::Ceil:
    return std::ceil(x[0]);
  case FloatFunction::Trunc:
    return std::trunc(x[0]);
  case FloatFunction::Round:
    return std::nearbyint(x[0]);
  case FloatFunction::Saturate:
    return selectExtreme(selectExtreme(x[0], 0.0, /*isMax=*/true, false), 1.0,
                         /*isMax=*/false, false);
  }
  llvm_unreachable("all functions are evaluated");
}

/// Parameters: function, type, modifiers.
static void runFloat(Thread &, const Operation &operation, Slots slots) {
  auto function = static_cast<FloatFunction>(operation.parameters[0]);
  ScalarType type = ScalarType::unpack(operation.parameters[1]);
  uint32_t modifiers = operation.parameters[2];
  bool isDouble = type.scalar == Scalar::F64;
  bool flushes = (modifiers & FlushSubnormals) && !isDouble;
  uint64_t packed = 0;
  for (unsigned i = 0; i < type.count; ++i) {
    unsigned shift = i * type.bits;
    double x[3] = {};
    for (unsigned j = 0; j < operation.arguments; ++j) {
      x[j] = decodeScalar(type, slots[operation.results + j] >> shift);
      if (flushes)
        x[j] = flushSubnormal(formatOf(type.scalar), x[j]);
    }
    double value = evaluate(function, x, isDouble, modifiers);
    if (modifiers & Relu)
      value = selectExtreme(value, 0.0, /*isMax=*/true, /*propagates=*/true);
    if (modifiers & ClampToUnit)
      value = evaluate(FloatFunction::Saturate, &value, isDouble, 0);
    if (flushes)
      value = flushSubnormal(formatOf(type.scalar), value);
    uint64_t code = encodeScalar(
        type, value,
        modifiers & TowardZero ? Rounding::TowardZero : Rounding::NearestEven);
    packed |= (code & type.mask()) << shift;
  }
  slots[0] = packed;
}

std::optional<ScalarType>
tilec::emulator::findOperandType(const InstructionForm &form) {
  if (!form.overload.empty())
    return parseScalarType(form.overload);
  for (llvm::StringRef word : llvm::reverse(llvm::drop_begin(form.words)))
    if (auto type = parseScalarType(word))
      return type;
  return std::nullopt;
}

static std::optional<FloatFunction> parseFunction(llvm::StringRef word) {
  return llvm::StringSwitch<std::optional<FloatFunction>>(word)
      .Case("add", FloatFunction::Add)
      .Case("sub", FloatFunction::Sub)
      .Case("mul", FloatFunction::Mul)
      .Case("fma", FloatFunction::FusedMultiplyAdd)
      .Case("div", FloatFunction::Div)
      .Cases({"min", "fmin"}, FloatFunction::Min)
      .Cases({"max", "fmax"}, FloatFunction::Max)
      .Cases({"abs", "fabs"}, FloatFunction::Abs)
      .Case("neg", FloatFunction::Neg)
      .Case("rcp", FloatFunction::Reciprocal)
      .Case("sqrt", FloatFunction::Sqrt)
      .Case("rsqrt", FloatFunction::ReciprocalSqrt)
      .Case("ex2", FloatFunction::Exp2)
      .Case("lg2", FloatFunction::Log2)
      .Case("sin", FloatFunction::Sin)
      .Case("cos", FloatFunction::Cos)
      .Case("tanh", FloatFunction::Tanh)
      .Case("floor", FloatFunction::Floor)
      .Case("ceil", FloatFunction::Ceil)
      .Case("trunc", FloatFunction::Trunc)
      .Case("round", FloatFunction::Round)
      .Case("saturate", FloatFunction::Saturate)
      .Default(std::nullopt);
}

static unsigned countOperands(FloatFunction function) {
  switch (function) {
  case FloatFunction::FusedMultiplyAdd:
    return 3;
  case FloatFunction::Add:
  case FloatFunction::Sub:
  case FloatFunction::Mul:
  case FloatFunction::Div:
  case FloatFunction::Min:
  case FloatFunction::Max:
    return 2;
  default:
    return 1;
  }
}

std::optional<Operation>
tilec::emulator::bindFloatArithmetic(const InstructionForm &form) {
  auto function = parseFunction(form.words[0]);
  auto type = findOperandType(form);
  // The one intrinsic without a type in its name, "div.full".
  if (!type && form.has("full"))
    type = parseScalarType("f32");
  if (!function || !type || !type->isFloat() || form.results != 1 ||
      form.arguments != countOperands(*function))
    return std::nullopt;
  uint32_t modifiers = 0;
  for (llvm::StringRef word : llvm::drop_begin(form.words)) {
    auto modifier = llvm::StringSwitch<std::optional<uint32_t>>(word)
                        .Cases({"rn", "approx", "full", "noftz", "abs"}, 0)
                        .Case("ftz", FlushSubnormals)
                        .Case("sat", ClampToUnit)
                        .Case("relu", Relu)
                        .Cases({"nan", "NaN"}, PropagateNaN)
                        .Case("xorsign", SignOfXor)
                        .Case("rz", TowardZero)
                        .Default(std::nullopt);
    // Rounding up or down (rp, rm) is among what is not implemented.
    if (!modifier && !parseScalarType(word))
      return std::nullopt;
    modifiers |= modifier.value_or(0);
  }
  bool roundsTowardZero = modifiers & TowardZero;
  bool isExactBeforeRounding = *function == FloatFunction::Add ||
                               *function == FloatFunction::Sub ||
                               *function == FloatFunction::Mul ||
                               *function == FloatFunction::FusedMultiplyAdd;
  if (roundsTowardZero &&
      (!isExactBeforeRounding || type->scalar == Scalar::F64))
    return std::nullopt;
  Operation operation = makeThreadOperation(runFloat);
  operation.parameters[0] = static_cast<uint32_t>(*function);
  operation.parameters[1] = type->pack();
  operation.parameters[2] = modifiers;
  return operation;
}

static std::optional<Operation> bindArithmetic(const InstructionForm &form) {
  if (auto operation = bindFloatArithmetic(form))
    return operation;
  return bindIntegerArithmetic(form);
}

void tilec::emulator::registerMathInstructions(InstructionTable &table) {
  for (const char *name :
       {"add",   "sub",   "mul",   "fma",     "div", "min",  "fmin",
        "max",   "fmax",  "abs",   "fabs",    "neg", "rcp",  "sqrt",
        "rsqrt", "ex2",   "lg2",   "sin",     "cos", "tanh", "floor",
        "ceil",  "trunc", "round", "saturate"})
    table.add(name, bindArithmetic);
}
