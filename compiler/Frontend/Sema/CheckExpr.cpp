//===- CheckExpr.cpp - Expressions, and what must be constant -------------===//
#include "compiler/Frontend/Sema/Checker.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace tilec;
using llvm::StringRef;

Checker::ExprPtr Checker::check(const ast::Expr &syntax) {
  SourceRange range = syntax.getRange();
  if (!spend(range))
    return makeInvalid(range);
  // The parser bounds the depth of one expression; inlined functions add
  // theirs.
  ++depth;
  llvm::scope_exit leave([&] { --depth; });
  if (depth > maxDepth) {
    error(range, "functions and expressions nest too deep here");
    return makeInvalid(range);
  }
  switch (syntax.getKind()) {
  case ast::ExprKind::Integer:
    return makeConstant(Type::getUntypedInt(), range,
                        llvm::cast<ast::IntegerExpr>(syntax).value);
  case ast::ExprKind::Float:
    return makeConstant(Type::getUntypedFloat(), range,
                        llvm::cast<ast::FloatExpr>(syntax).value);
  case ast::ExprKind::Bool:
    return makeConstant(Type::getBool(), range,
                        llvm::cast<ast::BoolExpr>(syntax).value);
  case ast::ExprKind::String:
    return makeConstant(Type::getString(), range,
                        llvm::cast<ast::StringExpr>(syntax).value);
  case ast::ExprKind::TypeName:
    return makeConstant(Type::getTypeName(), range,
                        llvm::cast<ast::TypeNameExpr>(syntax).type);
  case ast::ExprKind::Name:
    return checkName(llvm::cast<ast::NameExpr>(syntax));
  case ast::ExprKind::Unary:
    return checkUnary(llvm::cast<ast::UnaryExpr>(syntax));
  case ast::ExprKind::Binary:
    return checkBinary(llvm::cast<ast::BinaryExpr>(syntax));
  case ast::ExprKind::Index:
    return checkIndex(llvm::cast<ast::IndexExpr>(syntax));
  case ast::ExprKind::Call:
    return checkCall(llvm::cast<ast::CallExpr>(syntax));
  case ast::ExprKind::Cast:
    return checkCast(llvm::cast<ast::CastExpr>(syntax));
  case ast::ExprKind::If:
    return checkIf(llvm::cast<ast::IfExpr>(syntax));
  }
  llvm_unreachable("every kind of expression is checked");
}

Checker::ExprPtr Checker::checkValue(const ast::Expr &syntax) {
  return toValue(check(syntax));
}

Checker::ExprPtr Checker::toValue(ExprPtr expr) {
  SourceRange range = expr->range;
  expr = readMemory(std::move(expr));
  if (expr->type.isInvalid())
    return expr;
  if (!expr->type.isValue()) {
    if (expr->type.getKind() == Type::Kind::Void)
      error(range, "this call gives no value");
    else
      error(range, "'" + getQuotedText(range) + "' is " +
                       expr->type.describe() + "; a number is needed here");
    return makeInvalid(range);
  }
  if (!parallel || !expr->type.isFragment())
    return expr;
  std::string indices;
  for (Variable *variable : parallel->stmt->variables)
    indices += (indices.empty() ? "" : ", ") + variable->name;
  std::string text = getQuotedText(range);
  error(range,
        "'" + text + "' is a tile; inside 'parallel' its elements are read")
      .withHelp("index it: " + text + "[" + indices + "]");
  return makeInvalid(range);
}

Checker::ExprPtr Checker::checkScalar(const ast::Expr &syntax, StringRef what) {
  ExprPtr expr = checkValue(syntax);
  if (!expr->type.isFragment())
    return expr;
  error(syntax.getRange(), what + " is a scalar, and '" +
                               getQuotedText(syntax.getRange()) + "' is " +
                               formatShape(expr->type.getExtents()));
  return makeInvalid(syntax.getRange());
}

Checker::ExprPtr Checker::checkIndexValue(const ast::Expr &syntax,
                                          StringRef what) {
  ExprPtr expr = checkScalar(syntax, what);
  if (expr->type.isInvalid())
    return expr;
  bool isInteger = expr->type.getKind() == Type::Kind::UntypedInt ||
                   (expr->type.isScalar() && isInt(expr->type.getElement()));
  if (!isInteger) {
    error(syntax.getRange(),
          what + " is an integer, found " + expr->type.describe());
    return makeInvalid(syntax.getRange());
  }
  // A uint64 index beyond int64 wraps to a negative one, which lies outside
  // just as well.
  if (expr->type.isScalar())
    return makeConvert(std::move(expr), ElementType::Int64);
  return convertTo(std::move(expr), ElementType::Int64);
}

Checker::ExprPtr Checker::checkCondition(const ast::Expr &syntax,
                                         StringRef what) {
  ExprPtr expr = checkValue(syntax);
  if (expr->type.isInvalid() || expr->type.isBool())
    return expr;
  Diagnostic &diagnostic = error(
      syntax.getRange(), what + " is a bool, found " + expr->type.describe());
  if (expr->type.isFragment())
    diagnostic.withHelp("use select(c, a, b) for tiles");
  else
    diagnostic.withHelp("compare it, e.g. " + getQuotedText(syntax.getRange()) +
                        " != 0");
  return makeInvalid(syntax.getRange());
}

//===----------------------------------------------------------------------===//
// Compile-time values
//===----------------------------------------------------------------------===//

void tilec::collectNames(const ast::Expr *syntax,
                         llvm::SmallVectorImpl<const ast::NameExpr *> &names) {
  if (!syntax)
    return;
  llvm::TypeSwitch<const ast::Expr *>(syntax)
      .Case<ast::NameExpr>([&](const auto *name) { names.push_back(name); })
      .Case<ast::UnaryExpr>(
          [&](const auto *unary) { collectNames(unary->operand.get(), names); })
      .Case<ast::BinaryExpr>([&](const auto *binary) {
        collectNames(binary->left.get(), names);
        collectNames(binary->right.get(), names);
      })
      .Case<ast::IndexExpr>([&](const auto *indexed) {
        collectNames(indexed->base.get(), names);
        for (const ast::Index &index : indexed->indices) {
          collectNames(index.first.get(), names);
          collectNames(index.second.get(), names);
        }
      })
      .Case<ast::CallExpr>([&](const auto *call) {
        for (const ast::Argument &argument : call->arguments)
          collectNames(argument.value.get(), names);
      })
      .Case<ast::CastExpr>(
          [&](const auto *cast) { collectNames(cast->operand.get(), names); })
      .Case<ast::IfExpr>([&](const auto *branch) {
        collectNames(branch->condition.get(), names);
        collectNames(branch->thenValue.get(), names);
        collectNames(branch->elseValue.get(), names);
      });
}

/// Says what makes an expression unknown at compile time.
void Checker::reportNotConstant(const ast::Expr &syntax, StringRef what) {
  llvm::SmallVector<const ast::NameExpr *> names;
  collectNames(&syntax, names);
  std::string known = what.str() + " is known at compile time, but ";
  for (const ast::NameExpr *name : names) {
    Variable *variable = lookup(name->name);
    if (!variable || variable->constant)
      continue;
    auto report = [&](const llvm::Twine &reason) -> Diagnostic & {
      return error(name->getRange(), known + "'" + name->name + "' " + reason);
    };
    switch (variable->role) {
    case Variable::Role::Symbol:
      report("is a symbol bound at launch")
          .note(variable->declared.Start, "'" + name->name +
                                              "' is a dimension of '" +
                                              variable->firstUser + "'")
          .withHelp("fix it with -D " + name->name + "=128, with `where " +
                    name->name + " == 128`, or make it a config constant");
      return;
    case Variable::Role::ScalarParameter:
      report("is a parameter given at launch")
          .withHelp("make it a config constant");
      return;
    case Variable::Role::Axis:
      report("is a block axis");
      return;
    case Variable::Role::LoopIndex:
    case Variable::Role::ParallelIndex:
      report("is a loop variable")
          .withHelp("'unrolled' makes the variable of a loop a compile-time "
                    "constant");
      return;
    default:
      report("is computed at run time");
      return;
    }
  }
  error(syntax.getRange(), known + "'" + getQuotedText(syntax.getRange()) +
                               "' is computed at run time");
}

std::optional<Integer> Checker::checkConstantInteger(const ast::Expr &syntax,
                                                     StringRef what) {
  ExprPtr expr = checkScalar(syntax, what);
  if (expr->type.isInvalid())
    return std::nullopt;
  if (!expr->constant) {
    reportNotConstant(syntax, what);
    return std::nullopt;
  }
  if (const auto *value = std::get_if<Integer>(&*expr->constant))
    return *value;
  error(syntax.getRange(),
        what + " is an integer, found " + formatConstant(*expr->constant));
  return std::nullopt;
}

std::optional<int64_t> Checker::checkExtent(const ast::Expr &syntax,
                                            StringRef what) {
  std::optional<Integer> value = checkConstantInteger(syntax, what);
  if (!value)
    return std::nullopt;
  if (*value <= 0) {
    error(syntax.getRange(),
          what + " is positive, found " + formatConstant(Constant(*value)));
    return std::nullopt;
  }
  if (*value > INT32_MAX) {
    error(syntax.getRange(), what + " is at most 2,147,483,647, found " +
                                 formatConstant(Constant(*value)));
    return std::nullopt;
  }
  return static_cast<int64_t>(*value);
}

bool Checker::checkTileSize(llvm::ArrayRef<int64_t> extents,
                            SourceRange range) {
  // No block can hold more; counting on would only overflow somewhere.
  constexpr int64_t mostElements = 1 << 24;
  constexpr unsigned highestRank = 5;
  if (extents.size() > highestRank) {
    error(range, "a tile has rank 1 to 5, this one has " +
                     llvm::Twine(extents.size()));
    return false;
  }
  int64_t count = 1;
  for (int64_t extent : extents) {
    // Extents of tensors may be beyond all measure, and products further still.
    count *= std::min(extent, mostElements + 1);
    if (count > mostElements) {
      error(range, "a tile has at most " + formatWithSeparators(mostElements) +
                       " elements, and " + formatShape(extents) + " has more");
      return false;
    }
  }
  return true;
}

std::optional<bool> Checker::checkConstantBool(const ast::Expr &syntax,
                                               StringRef what) {
  ExprPtr expr = checkCondition(syntax, what);
  if (expr->type.isInvalid())
    return std::nullopt;
  if (!expr->constant) {
    reportNotConstant(syntax, what);
    return std::nullopt;
  }
  return std::get<bool>(*expr->constant);
}

//===----------------------------------------------------------------------===//
// if, cast, reinterpret
//===----------------------------------------------------------------------===//

Checker::ExprPtr Checker::checkIf(const ast::IfExpr &branch) {
  SourceRange range = branch.getRange();
  ExprPtr condition = checkValue(*branch.condition);
  if (condition->type.isInvalid())
    return makeInvalid(range);
  bool appliesToTiles = !inlining.empty() && !inlining.back().extents.empty();
  bool isTileCondition = condition->type.isFragment() && appliesToTiles &&
                         condition->type.getElement() == ElementType::Bool;
  if (!condition->type.isBool() && !isTileCondition) {
    error(branch.condition->getRange(),
          "a condition is a bool, found " + condition->type.describe())
        .withHelp(condition->type.isFragment()
                      ? "use select(c, a, b) for tiles"
                      : "compare it, e.g. " +
                            getQuotedText(branch.condition->getRange()) +
                            " != 0");
    return makeInvalid(range);
  }
  if (condition->constant)
    return check(std::get<bool>(*condition->constant) ? *branch.thenValue
                                                      : *branch.elseValue);

  if (parallel)
    ++parallel->conditions;
  // Functions may write to variables on one side only.
  VariableSet before = undefined;
  ExprPtr left = checkValue(*branch.thenValue);
  VariableSet afterLeft = std::exchange(undefined, before);
  ExprPtr right = checkValue(*branch.elseValue);
  undefined.insert_range(afterLeft);
  if (parallel)
    --parallel->conditions;
  if (left->type.isInvalid() || right->type.isInvalid())
    return makeInvalid(range);
  // A function applied to tiles chooses element by element.
  if (appliesToTiles &&
      (isTileCondition || left->type.isFragment() || right->type.isFragment()))
    return makeSelect(range, std::move(condition), std::move(left),
                      std::move(right));
  if (left->type.isFragment() || right->type.isFragment()) {
    const ExprPtr &tile = left->type.isFragment() ? left : right;
    error(tile->range, "'if' chooses between scalars, and '" +
                           getQuotedText(tile->range) + "' is " +
                           tile->type.describe())
        .withHelp("use select(c, a, b) for tiles, or the statement 'if'");
    return makeInvalid(range);
  }
  if (!unifyElements("if", left, right))
    return makeInvalid(range);
  left = giveType(std::move(left));
  right = giveType(std::move(right));
  if (left->type.isInvalid() || right->type.isInvalid())
    return makeInvalid(range);
  auto result = std::make_unique<checked::IfExpr>(left->type, range);
  result->known = std::max({condition->known, left->known, right->known});
  result->operands.push_back(std::move(condition));
  result->operands.push_back(std::move(left));
  result->operands.push_back(std::move(right));
  return result;
}

/// Why a cast from one type to another has no such option; empty if it has.
static std::string explainOption(ElementType from, ElementType to,
                                 CastMode mode) {
  bool isSmallFloat = isFP8(to) || to == ElementType::FP4E2M1;
  switch (mode) {
  case CastMode::Default:
    return "";
  case CastMode::Saturate:
    if (isInt(from) && isInt(to))
      return "";
    if (isFloat(from) && isFloat(to) && !isSmallFloat &&
        to != ElementType::E8M0)
      return "";
    return isFloat(from) && isSmallFloat ? "it always saturates"
                                         : "only integers to integers and "
                                           "floats to floats of 16 bits or "
                                           "more have it";
  case CastMode::NoSaturate:
    if (isFloat(from) && isFP8(to))
      return "";
    return to == ElementType::FP4E2M1
               ? "fp4 has no value beyond 6 to overflow to"
               : "only floats to fp8_e4m3 and fp8_e5m2 have it";
  case CastMode::Up:
    return isFloat(from) && to == ElementType::E8M0 ? ""
                                                    : "only e8m0 rounds up";
  }
  llvm_unreachable("every option is explained");
}

Checker::ExprPtr Checker::checkCast(const ast::CastExpr &cast) {
  if (cast.isReinterpret)
    return checkReinterpret(cast);
  SourceRange range = cast.getRange();
  std::optional<ElementType> element = resolveType(*cast.type);
  ExprPtr operand = checkValue(*cast.operand);
  std::optional<CastMode> mode = CastMode::Default;
  if (cast.option) {
    mode = findCastMode({cast.option.text.data(), cast.option.text.size()});
    if (!mode) {
      error(cast.option.range, "there is no option '" + cast.option.text + "'")
          .withHelp("the options of 'cast' are sat, nosat and up");
      return makeInvalid(range);
    }
  }
  if (!element || operand->type.isInvalid())
    return makeInvalid(range);

  if (operand->type.isUntyped()) {
    // A constant that the type has needs no conversion, so that cast<uint64>
    // reaches beyond int64; others convert as int64 or f64 do.
    bool isInteger = operand->type.getKind() == Type::Kind::UntypedInt;
    std::optional<Constant> exact =
        *mode == CastMode::Default && isInteger == isInt(*element)
            ? convertUntyped(*operand->constant, *element)
            : std::nullopt;
    bool roundsPlainly = isInteger || *element == ElementType::F64;
    if (exact && roundsPlainly)
      return makeConstant(Type::getScalar(*element), range, *exact);
    operand = convertTo(std::move(operand),
                        isInteger ? ElementType::Int64 : ElementType::F64);
    if (operand->type.isInvalid())
      return makeInvalid(range);
  }
  ElementType from = operand->type.getElement();
  std::string reason = explainOption(from, *element, *mode);
  if (!reason.empty()) {
    error(cast.option.range, "a cast from " + getName(from) + " to " +
                                 getName(*element) + " has no option '" +
                                 cast.option.text + "': " + reason);
    return makeInvalid(range);
  }
  ExprPtr result = makeConvert(std::move(operand), *element, *mode);
  result->range = range;
  return result;
}

Checker::ExprPtr Checker::checkReinterpret(const ast::CastExpr &cast) {
  SourceRange range = cast.getRange();
  std::optional<ElementType> element = resolveType(*cast.type);
  ExprPtr operand = checkValue(*cast.operand);
  if (!element || operand->type.isInvalid())
    return makeInvalid(range);
  operand = giveType(std::move(operand));
  if (operand->type.isInvalid())
    return makeInvalid(range);
  ElementType from = operand->type.getElement();
  if (from == ElementType::Bool || *element == ElementType::Bool) {
    error(range, "'reinterpret' is for numbers, and bool has one bit");
    return makeInvalid(range);
  }
  // The low bits of tf32 are ignored, so that it has those of an f32 that is
  // cut off; as bits it is read and written as one.
  constexpr int64_t ignoredBits = 0x1FFF;
  bool fromTF32 = from == ElementType::TF32,
       toTF32 = *element == ElementType::TF32;
  if (fromTF32 && toTF32)
    return operand;
  if (fromTF32) {
    operand = makeConvert(std::move(operand), ElementType::F32);
    return makeReinterpret(std::move(operand), *element, range);
  }
  if (!toTF32)
    return makeReinterpret(std::move(operand), *element, range);
  operand = makeReinterpret(std::move(operand), ElementType::Int32, range);
  if (operand->type.isInvalid())
    return operand;
  operand = makeBinary(ast::BinaryOp::BitAnd, range, std::move(operand),
                       makeConstant(Type::getScalar(ElementType::Int32), range,
                                    Integer(~ignoredBits)));
  operand = makeReinterpret(std::move(operand), ElementType::F32, range);
  return makeConvert(std::move(operand), ElementType::TF32);
}

Checker::ExprPtr Checker::makeReinterpret(ExprPtr operand, ElementType element,
                                          SourceRange range) {
  if (operand->type.isInvalid())
    return operand;
  ElementType from = operand->type.getElement();
  if (from == element)
    return operand;
  int64_t fromBits = getBits(from), toBits = getBits(element);
  Type type = operand->type.withElement(element);
  if (fromBits != toBits) {
    if (!operand->type.isFragment()) {
      error(range, "'reinterpret' keeps the bits, but " + getName(from) +
                       " has " + llvm::Twine(fromBits) + " and " +
                       getName(element) + " has " + llvm::Twine(toBits));
      return makeInvalid(range);
    }
    Extents extents(operand->type.getExtents());
    int64_t rowBits = extents.back() * fromBits;
    if (rowBits % toBits != 0) {
      error(range, "'reinterpret' keeps the bits, but a row of " +
                       operand->type.describe() + " has " +
                       llvm::Twine(rowBits) +
                       ", which are no whole number of " + getName(element));
      return makeInvalid(range);
    }
    extents.back() = rowBits / toBits;
    if (!checkTileSize(extents, range))
      return makeInvalid(range);
    type = Type::getFragment(element, extents);
  }
  bool isFolded = operand->constant && isInt(from) && isInt(element);
  if (isFolded)
    return makeConstant(
        type, range,
        wrapInteger(std::get<Integer>(*operand->constant), element));
  auto result = std::make_unique<checked::ReinterpretExpr>(type, range);
  result->known = operand->known;
  result->operands.push_back(std::move(operand));
  return result;
}
