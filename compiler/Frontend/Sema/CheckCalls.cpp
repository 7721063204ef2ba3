//===- CheckCalls.cpp - Calls of builtins that give a value ---------------===//
#include "compiler/Frontend/Sema/Checker.h"

#include <cmath>

using namespace tilec;
using llvm::StringRef;

std::optional<Checker::Arguments>
Checker::matchOptions(StringRef callee,
                      const std::vector<ast::Argument> &arguments,
                      llvm::ArrayRef<StringRef> options) {
  Arguments matched;
  for (const ast::Argument &argument : arguments) {
    if (!argument.name) {
      matched.positional.push_back(argument.value.get());
      continue;
    }
    if (!llvm::is_contained(options, argument.name.text)) {
      Diagnostic &diagnostic =
          error(argument.name.range,
                "'" + callee + "' has no option '" + argument.name.text + "'");
      if (std::optional<std::string> similar =
              findSimilar(argument.name.text, options))
        diagnostic.withHelp("did you mean '" + *similar + "'?");
      return std::nullopt;
    }
    if (!matched.options.try_emplace(argument.name.text, argument.value.get())
             .second) {
      error(argument.name.range,
            "the option '" + argument.name.text + "' is given twice");
      return std::nullopt;
    }
  }
  return matched;
}

std::optional<Checker::Arguments>
Checker::matchArguments(const ast::CallExpr &call, unsigned count,
                        StringRef signature,
                        std::initializer_list<StringRef> options) {
  std::optional<Arguments> matched =
      matchOptions(call.callee.text, call.arguments,
                   llvm::ArrayRef(options.begin(), options.size()));
  if (!matched)
    return std::nullopt;
  size_t given = matched->positional.size();
  if (given == count)
    return matched;
  SourceRange range = given > count ? matched->positional[count]->getRange()
                                    : call.callee.range;
  error(range, "'" + call.callee.text + "' takes " + llvm::Twine(count) +
                   (count == 1 ? " argument, found " : " arguments, found ") +
                   llvm::Twine(given))
      .withHelp("write " + signature);
  return std::nullopt;
}

Checker::ExprPtr Checker::checkCall(const ast::CallExpr &call) {
  SourceRange range = call.getRange();
  std::optional<Builtin> builtin = findBuiltin(call.callee.text);
  if (!builtin) {
    if (const ast::FunctionDecl *function =
            program.functions.lookup(call.callee.text))
      return checkFunctionCall(call, *function);
    if (Variable *variable = lookup(call.callee.text)) {
      error(call.callee.range, "'" + call.callee.text + "' is not a function")
          .note(variable->declared.Start,
                "'" + call.callee.text + "' is declared here");
      return makeInvalid(range);
    }
    return reportUndeclared(call.callee.text, call.callee.range,
                            /*isCall=*/true);
  }
  switch (getGroup(*builtin)) {
  case BuiltinGroup::Math:
    return checkMath(call, *builtin);
  case BuiltinGroup::Arithmetic:
    return checkArithmetic(call, *builtin);
  case BuiltinGroup::Shape:
    return checkShapeCall(call, *builtin);
  case BuiltinGroup::Reduction:
    return checkReduction(call, *builtin);
  case BuiltinGroup::Atomic:
    return checkAtomic(call, *builtin, /*isStatement=*/false);
  case BuiltinGroup::Allocation:
    if (refuseInParallel(call))
      return makeInvalid(range);
    error(call.callee.range,
          "'" + call.callee.text + "' stands alone after '='")
        .withHelp(
            "write " +
            llvm::Twine(*builtin == Builtin::AllocFragment ? "var" : "let") +
            " x = " + call.callee.text + "(...);");
    return makeInvalid(range);
  case BuiltinGroup::Statement:
    error(call.callee.range,
          "'" + call.callee.text + "' is a statement and gives no value");
    return makeInvalid(range);
  }
  llvm_unreachable("every group of builtins is checked");
}

//===----------------------------------------------------------------------===//
// Math and arithmetic
//===----------------------------------------------------------------------===//

static std::optional<double> foldMath(Builtin builtin, double x) {
  switch (builtin) {
  case Builtin::Exp:
    return std::exp(x);
  case Builtin::Exp2:
    return std::exp2(x);
  case Builtin::Log:
    return std::log(x);
  case Builtin::Log2:
    return std::log2(x);
  case Builtin::Sqrt:
    return std::sqrt(x);
  case Builtin::Rsqrt:
    return 1.0 / std::sqrt(x);
  case Builtin::Rcp:
    return 1.0 / x;
  case Builtin::Sin:
    return std::sin(x);
  case Builtin::Cos:
    return std::cos(x);
  case Builtin::Tanh:
  case Builtin::TanhApprox:
    return std::tanh(x);
  case Builtin::Erf:
    return std::erf(x);
  case Builtin::Floor:
    return std::floor(x);
  case Builtin::Ceil:
    return std::ceil(x);
  case Builtin::Trunc:
    return std::trunc(x);
  case Builtin::Round:
    return std::nearbyint(x); // Ties to even: nobody changes the mode.
  case Builtin::Abs:
    return std::abs(x);
  default:
    return std::nullopt;
  }
}

/// The operand that is not NaN; -0 is below 0.
static double foldMinMax(bool isMin, double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) ? b : a;
  bool takesLeft = a < b || (a == b && std::signbit(a));
  return takesLeft == isMin ? a : b;
}

/// Value of a builtin on constants of one type; none if it is not folded.
static std::optional<Constant> foldCall(Builtin builtin,
                                        llvm::ArrayRef<Constant> operands,
                                        std::optional<ElementType> element) {
  auto round = [&](double value) -> Constant {
    return element ? roundFloat(value, *element) : value;
  };
  if (const auto *x = std::get_if<double>(&operands[0])) {
    if (builtin == Builtin::IsNan)
      return Constant(std::isnan(*x));
    if (builtin == Builtin::IsInf)
      return Constant(std::isinf(*x));
    if (operands.size() == 1) {
      std::optional<double> value = foldMath(builtin, *x);
      return value ? std::optional(round(*value)) : std::nullopt;
    }
    auto y = std::get<double>(operands[1]);
    if (builtin == Builtin::Min || builtin == Builtin::Max)
      return Constant(foldMinMax(builtin == Builtin::Min, *x, y));
    if (builtin == Builtin::Fma) {
      auto z = std::get<double>(operands[2]);
      if (!element || *element == ElementType::F64)
        return Constant(std::fma(*x, y, z));
      return Constant(fuseMultiplyAdd(*x, y, z, getNumberFormat(*element)));
    }
    return std::nullopt;
  }
  const auto *a = std::get_if<Integer>(&operands[0]);
  if (!a)
    return std::nullopt;
  auto wrap = [&](Integer value) -> Constant {
    return element ? wrapInteger(value, *element) : value;
  };
  if (builtin == Builtin::Abs)
    return wrap(*a < 0 ? -*a : *a);
  if (operands.size() < 2)
    return std::nullopt;
  auto b = std::get<Integer>(operands[1]);
  switch (builtin) {
  case Builtin::Min:
    return Constant(std::min(*a, b));
  case Builtin::Max:
    return Constant(std::max(*a, b));
  case Builtin::CeilDiv:
    // Rounds up, and C++ toward zero.
    return wrap(*a / b + (*a % b > 0));
  default:
    return std::nullopt;
  }
}

Checker::ExprPtr Checker::makeCall(Builtin builtin, Type type,
                                   SourceRange range,
                                   std::vector<ExprPtr> operands) {
  Known known = Known::CompileTime;
  std::vector<Constant> constants;
  for (const ExprPtr &operand : operands) {
    known = std::max(known, operand->known);
    if (operand->constant)
      constants.push_back(*operand->constant);
  }
  if (constants.size() == operands.size()) {
    std::optional<ElementType> element;
    if (!operands[0]->type.isUntyped())
      element = operands[0]->type.getElement();
    if (std::optional<Constant> value = foldCall(builtin, constants, element))
      return makeConstant(type, range, *value);
  }
  // What the compiler could not fold has a type.
  for (ExprPtr &operand : operands) {
    operand = giveType(std::move(operand));
    if (operand->type.isInvalid())
      return makeInvalid(range);
  }
  if (type.isUntyped())
    type = operands[0]->type;
  auto result = std::make_unique<checked::CallExpr>(type, range, builtin);
  result->known = known;
  result->operands = std::move(operands);
  return result;
}

/// An untyped integer as a float, for functions of floats only.
static bool isFloatType(const Type &type) {
  return type.getKind() == Type::Kind::UntypedFloat ||
         (!type.isUntyped() && isFloat(type.getElement()));
}

Checker::ExprPtr Checker::checkMath(const ast::CallExpr &call,
                                    Builtin builtin) {
  SourceRange range = call.getRange();
  std::string signature = call.callee.text.str() + "(x)";
  std::optional<Arguments> arguments = matchArguments(call, 1, signature);
  if (!arguments)
    return makeInvalid(range);
  ExprPtr operand = checkValue(*arguments->positional[0]);
  if (operand->type.isInvalid())
    return makeInvalid(range);
  if (operand->type.getKind() == Type::Kind::UntypedInt)
    operand = makeConstant(
        Type::getUntypedFloat(), operand->range,
        static_cast<double>(std::get<Integer>(*operand->constant)));
  if (!isFloatType(operand->type)) {
    error(operand->range, "'" + call.callee.text + "' is for floats, and '" +
                              getQuotedText(operand->range) + "' is " +
                              operand->type.describe())
        .withHelp("write cast<f32>(" + getQuotedText(operand->range) + ")");
    return makeInvalid(range);
  }
  operand = promote(std::move(operand));
  Type type = operand->type;
  std::vector<ExprPtr> operands;
  operands.push_back(std::move(operand));
  return makeCall(builtin, type, range, std::move(operands));
}

namespace {
/// What a function of the group Arithmetic takes.
struct ArithmeticRule {
  unsigned operands;
  llvm::StringLiteral signature;
  bool takesIntegers, takesFloats;
};
} // namespace

static ArithmeticRule getRule(Builtin builtin) {
  switch (builtin) {
  case Builtin::Min:
    return {2, "min(a, b)", true, true};
  case Builtin::Max:
    return {2, "max(a, b)", true, true};
  case Builtin::Clamp:
    return {3, "clamp(x, lo, hi)", true, true};
  case Builtin::Abs:
    return {1, "abs(x)", true, true};
  case Builtin::CeilDiv:
    return {2, "ceildiv(a, b)", true, false};
  case Builtin::Fma:
    return {3, "fma(a, b, c)", false, true};
  case Builtin::Floor:
    return {1, "floor(x)", false, true};
  case Builtin::Ceil:
    return {1, "ceil(x)", false, true};
  case Builtin::Trunc:
    return {1, "trunc(x)", false, true};
  case Builtin::Round:
    return {1, "round(x)", false, true};
  case Builtin::IsNan:
    return {1, "isnan(x)", false, true};
  default:
    return {1, "isinf(x)", false, true};
  }
}

Checker::ExprPtr Checker::checkArithmetic(const ast::CallExpr &call,
                                          Builtin builtin) {
  if (builtin == Builtin::Select)
    return checkSelect(call);
  SourceRange range = call.getRange();
  ArithmeticRule rule = getRule(builtin);
  std::optional<Arguments> arguments =
      matchArguments(call, rule.operands, rule.signature);
  if (!arguments)
    return makeInvalid(range);

  std::vector<ExprPtr> operands;
  for (const ast::Expr *argument : arguments->positional) {
    ExprPtr operand = checkValue(*argument);
    if (operand->type.isInvalid())
      return makeInvalid(range);
    bool isUntypedInt = operand->type.getKind() == Type::Kind::UntypedInt;
    bool isFloating = isFloatType(operand->type);
    bool isInteger = isUntypedInt || (!operand->type.isUntyped() &&
                                      isInt(operand->type.getElement()));
    bool isTaken = (isInteger && rule.takesIntegers) ||
                   (isFloating && rule.takesFloats) || isUntypedInt;
    if (!isTaken) {
      StringRef wanted = !rule.takesFloats     ? "integers"
                         : !rule.takesIntegers ? "floats"
                                               : "numbers";
      error(operand->range, "'" + call.callee.text + "' is for " + wanted +
                                ", and '" + getQuotedText(operand->range) +
                                "' is " + operand->type.describe());
      return makeInvalid(range);
    }
    if (isUntypedInt && !rule.takesIntegers)
      operand = makeConstant(
          Type::getUntypedFloat(), operand->range,
          static_cast<double>(std::get<Integer>(*operand->constant)));
    operands.push_back(promote(std::move(operand)));
  }
  // Every pair, so that the last operand's type reaches the first.
  for (int pass = 0; pass < 2; ++pass)
    for (unsigned i = 1; i < operands.size(); ++i)
      if (!unifyElements(call.callee.text, operands[i - 1], operands[i]) ||
          !unifyShapes(call.callee.text, operands[i - 1], operands[i]))
        return makeInvalid(range);
  if (operands.size() == 3 &&
      (!unifyElements(call.callee.text, operands[0], operands[2]) ||
       !unifyShapes(call.callee.text, operands[0], operands[2])))
    return makeInvalid(range);

  if (builtin == Builtin::CeilDiv && operands[1]->constant &&
      std::get<Integer>(*operands[1]->constant) <= 0) {
    error(operands[1]->range, "'ceildiv' takes a positive divisor, found " +
                                  formatConstant(*operands[1]->constant));
    return makeInvalid(range);
  }
  Type type = operands[0]->type;
  if (builtin == Builtin::IsNan || builtin == Builtin::IsInf)
    type = Type::getValue(ElementType::Bool, type.getExtents());
  if (builtin != Builtin::Clamp)
    return makeCall(builtin, type, range, std::move(operands));
  std::vector<ExprPtr> lower, upper;
  lower.push_back(std::move(operands[0]));
  lower.push_back(std::move(operands[1]));
  upper.push_back(makeCall(Builtin::Max, type, range, std::move(lower)));
  upper.push_back(std::move(operands[2]));
  return makeCall(Builtin::Min, type, range, std::move(upper));
}

Checker::ExprPtr Checker::checkSelect(const ast::CallExpr &call) {
  SourceRange range = call.getRange();
  std::optional<Arguments> arguments =
      matchArguments(call, 3, "select(c, a, b)");
  if (!arguments)
    return makeInvalid(range);
  ExprPtr condition = checkValue(*arguments->positional[0]);
  ExprPtr left = checkValue(*arguments->positional[1]);
  ExprPtr right = checkValue(*arguments->positional[2]);
  if (condition->type.isInvalid() || left->type.isInvalid() ||
      right->type.isInvalid())
    return makeInvalid(range);
  if (condition->type.isUntyped() ||
      condition->type.getElement() != ElementType::Bool) {
    error(condition->range, "the condition of 'select' is a bool, found " +
                                condition->type.describe());
    return makeInvalid(range);
  }
  return makeSelect(range, std::move(condition), std::move(left),
                    std::move(right));
}

Checker::ExprPtr Checker::makeSelect(SourceRange range, ExprPtr condition,
                                     ExprPtr left, ExprPtr right) {
  left = promote(std::move(left));
  right = promote(std::move(right));
  if (!unifyElements("select", left, right) ||
      !unifyShapes("select", left, right))
    return makeInvalid(range);
  // Both sides are evaluated, so one that does something stays.
  bool foldsAway =
      condition->constant && !hasEffects(*left) && !hasEffects(*right);
  if (foldsAway) {
    bool takesLeft = std::get<bool>(*condition->constant);
    ExprPtr taken = std::move(takesLeft ? left : right);
    taken->range = range;
    return taken;
  }
  left = giveType(std::move(left));
  right = giveType(std::move(right));
  if (left->type.isInvalid() || right->type.isInvalid())
    return makeInvalid(range);
  if (condition->type.isFragment()) {
    if (!unifyShapes("select", condition, left) ||
        !unifyShapes("select", condition, right) ||
        !unifyShapes("select", left, right))
      return makeInvalid(range);
  }
  Type type = left->type;
  std::vector<ExprPtr> operands;
  operands.push_back(std::move(condition));
  operands.push_back(std::move(left));
  operands.push_back(std::move(right));
  auto result =
      std::make_unique<checked::CallExpr>(type, range, Builtin::Select);
  for (const ExprPtr &operand : operands)
    result->known = std::max(result->known, operand->known);
  result->operands = std::move(operands);
  return result;
}
