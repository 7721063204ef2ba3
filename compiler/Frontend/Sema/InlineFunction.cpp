//===- InlineFunction.cpp - Functions with statements, tiles and memory ---===//
//
// A call is replaced by the body of the function.  `inout` and whole memory
// need no copy: the parameter is one more name of the caller's variable.  Names
// that stand alone in a dimension are bound to the extents of the arguments
// before anything else is checked, those of fixed shapes first.
//
//===----------------------------------------------------------------------===//
#include "compiler/Frontend/Sema/Checker.h"

using namespace tilec;
using checked::LaunchExpr;
using llvm::StringRef;
using Mode = ast::FunctionParameter::Mode;

/// "parameter 'x' of 'f'".
static std::string describe(const ast::FunctionParameter &parameter,
                            StringRef function) {
  return "parameter '" + parameter.name.text.str() + "' of '" + function.str() +
         "'";
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

std::optional<Checker::BoundArgument>
Checker::bindArgument(const ast::FunctionDecl &function,
                      const ast::FunctionParameter &parameter,
                      const ast::Expr &syntax) {
  std::string role = describe(parameter, function.name.text);
  std::optional<ElementType> element = resolveParameterType(parameter.type);
  if (!element)
    return std::nullopt;
  std::optional<BoundArgument> bound;
  if (parameter.mode == Mode::Value) {
    ExprPtr value = checkValue(syntax);
    bool isTile = value->type.isFragment();
    if (value->type.isInvalid())
      return std::nullopt;
    if (isTile != parameter.type.hasExtents) {
      error(syntax.getRange(),
            role + (isTile ? " is a scalar, and '" : " is a tile, and '") +
                getQuotedText(syntax.getRange()) + "' is " +
                value->type.describe())
          .note(parameter.name.range.Start,
                "'" + parameter.name.text + "' is declared here");
      return std::nullopt;
    }
    bound.emplace();
    bound->value = convertTo(std::move(value), *element);
    if (bound->value->type.isInvalid())
      return std::nullopt;
    bound->extents = Extents(bound->value->type.getExtents());
  } else {
    bound = parameter.mode == Mode::Inout ? bindInout(parameter, role, syntax)
                                          : bindMemory(parameter, role, syntax);
    if (!bound)
      return std::nullopt;
    ElementType found = bound->variable ? bound->variable->type.getElement()
                                        : bound->place->getElement();
    if (found != *element) {
      error(syntax.getRange(), role + " is " + getName(*element) + ", and '" +
                                   getQuotedText(syntax.getRange()) + "' is " +
                                   getName(found))
          .note(parameter.name.range.Start,
                "'" + parameter.name.text + "' is declared here");
      return std::nullopt;
    }
  }
  bound->range = syntax.getRange();
  size_t rank = parameter.type.extents.size();
  if (bound->extents.size() == rank)
    return bound;
  error(syntax.getRange(), role + " has rank " + llvm::Twine(rank) + ", and '" +
                               getQuotedText(syntax.getRange()) +
                               "' has rank " +
                               llvm::Twine(bound->extents.size()))
      .note(parameter.name.range.Start,
            "'" + parameter.name.text + "' is declared here");
  return std::nullopt;
}

std::optional<Checker::BoundArgument>
Checker::bindInout(const ast::FunctionParameter &parameter,
                   const std::string &role, const ast::Expr &syntax) {
  const auto *name = llvm::dyn_cast<ast::NameExpr>(&syntax);
  Variable *variable = name ? lookup(name->name) : nullptr;
  if (name && !variable) {
    reportNoVariable(*name);
    return std::nullopt;
  }
  if (variable && variable->type.isInvalid())
    return std::nullopt;
  if (!variable || variable->type.isMemory()) {
    error(syntax.getRange(),
          role + " is 'inout' and takes a 'var', and '" +
              getQuotedText(syntax.getRange()) + "' is " +
              (variable
                   ? variable->type.isTensor() ? "a tensor" : "a shared tile"
                   : "an expression"))
        .note(parameter.name.range.Start,
              "'" + parameter.name.text + "' is declared here")
        .withHelp(variable ? "declare the parameter 'shared' or 'global'"
                           : "name the value with 'var' first");
    return std::nullopt;
  }
  if (!checkAssignable(variable, *name))
    return std::nullopt;
  BoundArgument bound;
  bound.variable = variable;
  bound.extents = Extents(variable->type.getExtents());
  return bound;
}

std::optional<Checker::BoundArgument>
Checker::bindMemory(const ast::FunctionParameter &parameter,
                    const std::string &role, const ast::Expr &syntax) {
  bool wantsShared = parameter.mode == Mode::Shared;
  SourceRange range = syntax.getRange();
  ExprPtr expr = check(syntax);
  if (expr->type.isInvalid())
    return std::nullopt;
  auto *memory = llvm::dyn_cast<checked::MemoryExpr>(expr.get());
  bool isElement = memory && memory->place.isAnchor;
  bool isShared = memory && memory->place.root->type.isShared();
  bool isRegion =
      memory && !isShared && !memory->place.isView && !memory->place.isWhole();
  if (!memory || isElement || isShared != wantsShared || isRegion) {
    StringRef kind = isElement                 ? "an element"
                     : memory && isShared      ? "a shared tile"
                     : memory && isRegion      ? "a region, which is read here"
                     : memory                  ? "a tensor"
                     : expr->type.isFragment() ? "a value"
                                               : "a scalar";
    Diagnostic &diagnostic = error(
        range, role + " takes " +
                   (wantsShared ? "a shared tile" : "a tensor or a view") +
                   ", and '" + getQuotedText(range) + "' is " + kind);
    diagnostic.note(parameter.name.range.Start,
                    "'" + parameter.name.text + "' is declared here");
    if (isRegion && !isElement)
      diagnostic.withHelp("write lo : hi for a view, or pass the tensor and "
                          "where the region begins");
    return std::nullopt;
  }
  if (!memory->place.isWhole() && !checkNotPrepacked(memory->place, range))
    return std::nullopt;
  BoundArgument bound;
  bound.extents = memory->place.getExtents();
  bound.place = std::move(memory->place);
  return bound;
}

/// A function sees file-level names only, also in the types of its parameters.
std::optional<ElementType>
Checker::resolveParameterType(const ast::TypeSyntax &type) {
  unsigned outer = std::exchange(firstVisibleScope, scopes.size());
  std::optional<ElementType> element = resolveType(*type.element);
  firstVisibleScope = outer;
  return element;
}

//===----------------------------------------------------------------------===//
// Extents
//===----------------------------------------------------------------------===//

Checker::ExprPtr Checker::makeExtentValue(const BoundArgument &argument,
                                          unsigned dim) {
  if (argument.extents[dim] != dynamicExtent)
    return makeConstant(Type::getIndex(), argument.range,
                        Integer(argument.extents[dim]));
  return std::make_unique<checked::ExtentExpr>(argument.range, argument.memory,
                                               dim);
}

/// Binds a name that stands alone in a dimension to an extent.
void Checker::declareExtent(const ast::NameExpr &syntax,
                            const BoundArgument &argument, unsigned dim) {
  ast::Name name{syntax.name, syntax.getRange()};
  ExprPtr value = makeExtentValue(argument, dim);
  Variable *variable = declare(
      name, value->constant ? Variable::Role::Constant : Variable::Role::Let,
      value->type);
  variable->known = value->known;
  variable->constant = value->constant;
  variable->range = {{0, INT64_MAX}};
  if (value->constant)
    return;
  recordLaunchValue(variable, *value);
  emit(std::make_unique<checked::DefineStmt>(name.range, variable,
                                             std::move(value)));
}

void Checker::bindExtents(const ast::FunctionDecl &function,
                          llvm::ArrayRef<BoundArgument> arguments) {
  for (bool isGlobal : {false, true})
    for (auto [parameter, argument] :
         llvm::zip_equal(function.parameters, arguments)) {
      if ((parameter.mode == Mode::Global) != isGlobal)
        continue;
      for (const auto &[dim, syntax] :
           llvm::enumerate(parameter.type.extents)) {
        const auto *name = llvm::dyn_cast<ast::NameExpr>(syntax.get());
        if (name && !lookup(name->name))
          declareExtent(*name, argument, dim);
      }
    }
}

static bool areEqual(const LaunchExpr &a, const LaunchExpr &b) {
  return a.kind == b.kind && a.value == b.value && a.text == b.text &&
         a.operands.size() == b.operands.size() &&
         llvm::all_of(llvm::zip(a.operands, b.operands), [](auto pair) {
           return areEqual(std::get<0>(pair), std::get<1>(pair));
         });
}

/// Compares each extent with what the parameter says.
bool Checker::checkExtents(const ast::FunctionDecl &function,
                           llvm::ArrayRef<BoundArgument> arguments) {
  bool isGood = true;
  for (auto [parameter, argument] :
       llvm::zip_equal(function.parameters, arguments))
    for (const auto &[dim, syntax] : llvm::enumerate(parameter.type.extents)) {
      ExprPtr wanted = checkIndexValue(*syntax, "a dimension");
      if (wanted->type.isInvalid()) {
        isGood = false;
        continue;
      }
      int64_t extent = argument.extents[dim];
      bool isFixed = parameter.mode != Mode::Global;
      if (isFixed && !wanted->constant) {
        reportNotConstant(*syntax, "a tile extent");
        isGood = false;
        continue;
      }
      if (wanted->constant && extent != dynamicExtent) {
        if (std::get<Integer>(*wanted->constant) == extent)
          continue;
        std::string text = getQuotedText(syntax->getRange());
        std::string value = formatConstant(*wanted->constant);
        error(argument.range,
              "dimension " + llvm::Twine(dim) + " of " +
                  describe(parameter, function.name.text) + " is " +
                  (text == value ? text : "'" + text + "' = " + value) +
                  ", and '" + getQuotedText(argument.range) + "' has " +
                  llvm::Twine(extent))
            .note(syntax->getRange().Start, "the dimension is declared here");
        isGood = false;
        continue;
      }
      // Sizes known at launch are compared then.
      ExprPtr found = makeExtentValue(argument, dim);
      std::optional<LaunchExpr> left = findLaunchExpr(*wanted),
                                right = findLaunchExpr(*found);
      if (!left || !right || areEqual(*left, *right))
        continue;
      std::string text = "'" + getQuotedText(syntax->getRange()) + "' of '" +
                         function.name.text.str() + "' is dimension " +
                         std::to_string(dim) + " of '" +
                         getQuotedText(argument.range) + "'";
      LaunchExpr condition{LaunchExpr::Kind::Operation,
                           0,
                           "==",
                           {std::move(*left), std::move(*right)}};
      bool isKnown = llvm::any_of(kernel.facts, [&](const checked::Fact &fact) {
        return fact.text == text && areEqual(fact.condition, condition);
      });
      if (!isKnown)
        kernel.facts.push_back({std::move(condition), std::move(text)});
    }
  return isGood;
}

//===----------------------------------------------------------------------===//
// The body
//===----------------------------------------------------------------------===//

/// Gives a parameter its name.  Statements that this needs go to `output`.
void Checker::declareParameter(const ast::FunctionParameter &parameter,
                               BoundArgument &argument) {
  if (argument.variable) {
    checkNewName(parameter.name);
    scopes.back()[parameter.name.text] = argument.variable;
    return;
  }
  if (argument.place && argument.place->isWhole()) {
    checkNewName(parameter.name);
    argument.memory = argument.place->root;
    scopes.back()[parameter.name.text] = argument.memory;
    return;
  }
  if (argument.place) {
    argument.memory =
        emitAlias(parameter.name, std::move(*argument.place), argument.range);
    return;
  }
  Variable *variable =
      declare(parameter.name, Variable::Role::Let, argument.value->type);
  variable->isParameter = true;
  variable->known = argument.value->known;
  variable->constant = argument.value->constant;
  variable->range = getRange(*argument.value);
  variable->affine = getAffine(*argument.value);
  variable->dependence = getDependence(*argument.value);
  recordLaunchValue(variable, *argument.value);
  if (!variable->constant)
    emit(std::make_unique<checked::DefineStmt>(parameter.name.range, variable,
                                               std::move(argument.value)));
}

Checker::ExprPtr Checker::checkFunctionResult(const ast::FunctionDecl &function,
                                              SourceRange call) {
  const auto &last =
      llvm::cast<ast::ReturnStmt>(*function.body->statements.back());
  ExprPtr result = checkValue(*last.value);
  std::optional<Type> written = resolveWrittenType(*function.result);
  if (!written)
    return makeInvalid(call);
  return convertToWritten(std::move(result), *written);
}

Checker::ExprPtr Checker::inlineStatements(const ast::CallExpr &call,
                                           const ast::FunctionDecl &function,
                                           const Arguments &arguments) {
  SourceRange range = call.getRange();
  llvm::SmallVector<BoundArgument> bound;
  bool isGood = true;
  for (auto [parameter, syntax] :
       llvm::zip_equal(function.parameters, arguments.positional)) {
    std::optional<BoundArgument> argument =
        bindArgument(function, parameter, *syntax);
    if (!argument) {
      isGood = false;
      continue;
    }
    bool isTwice = argument->variable &&
                   llvm::any_of(bound, [&](const BoundArgument &other) {
                     return other.variable == argument->variable;
                   });
    if (isTwice) {
      error(syntax->getRange(),
            "'" + argument->variable->name +
                "' is given to two 'inout' parameters of '" +
                function.name.text + "'");
      isGood = false;
    }
    bound.push_back(std::move(*argument));
  }
  if (!isGood)
    return makeInvalid(range);
  return inlineBody(function, range, bound);
}

Checker::ExprPtr
Checker::inlineBody(const ast::FunctionDecl &function, SourceRange call,
                    llvm::MutableArrayRef<BoundArgument> arguments) {
  // Statements of a function without a result stand where the call stands.
  checked::StmtList statements;
  checked::StmtList *outerOutput = output;
  if (function.result)
    output = &statements;
  inlining.push_back({&function, call, {}});
  nesting.push_back({Nesting::Kind::Function});
  unsigned outerFirst = std::exchange(firstVisibleScope, scopes.size());
  ExprPtr result;
  {
    Scope scope(*this);
    for (auto [parameter, argument] :
         llvm::zip_equal(function.parameters, arguments))
      declareParameter(parameter, argument);
    bindExtents(function, arguments);
    bool isGood = checkExtents(function, arguments);
    if (isGood) {
      llvm::ArrayRef<ast::StmtPtr> body = function.body->statements;
      bool endsInReturn =
          !body.empty() && llvm::isa<ast::ReturnStmt>(body.back().get());
      checkStatements(endsInReturn ? body.drop_back() : body);
      if (function.result)
        result = checkFunctionResult(function, call);
    }
  }
  firstVisibleScope = outerFirst;
  nesting.pop_back();
  inlining.pop_back();
  output = outerOutput;
  if (!function.result) {
    auto nothing = makeInvalid(call);
    nothing->type = Type::getVoid();
    return nothing;
  }
  if (!result || result->type.isInvalid())
    return makeInvalid(call);
  result = giveType(std::move(result));
  if (statements.empty()) {
    result->range = call;
    return result;
  }
  auto block = std::make_unique<checked::BlockExpr>(result->type, call);
  block->known = result->known;
  block->statements = std::move(statements);
  block->operands.push_back(std::move(result));
  return block;
}
