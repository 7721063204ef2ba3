//===- CheckFunctions.cpp - Inlining of functions -------------------------===//
//
// A function is checked anew in each call, with the types of its arguments.
// Functions of scalars whose body is `let`s and a `return` become expressions;
// applied to tiles they work element by element, since every operator does.
//
//===----------------------------------------------------------------------===//
#include "compiler/Frontend/Sema/Checker.h"

using namespace tilec;
using llvm::StringRef;

/// False, and an error, if a function does not end as its result says.
bool Checker::checkReturns(const ast::FunctionDecl &function) {
  const auto &statements = function.body->statements;
  const auto *last =
      statements.empty()
          ? nullptr
          : llvm::dyn_cast<ast::ReturnStmt>(statements.back().get());
  bool hasValue = last && last->value;
  if (hasValue == function.result.has_value())
    return true;
  if (hasValue)
    error(last->value->getRange(),
          "'" + function.name.text + "' gives no value, and this is one")
        .note(function.name.range.Start,
              "'" + function.name.text + "' is declared here")
        .withHelp("write the type of the result after '->'");
  else
    error(function.name.range,
          "'" + function.name.text + "' gives a value but does not return one")
        .withHelp("end it with 'return e;'");
  return false;
}

/// True for a function of scalars that is one expression: it applies to tiles,
/// too.
static bool isElementwise(const ast::FunctionDecl &function) {
  if (!function.result || function.result->hasExtents)
    return false;
  bool takesScalars = llvm::all_of(
      function.parameters, [](const ast::FunctionParameter &parameter) {
        return parameter.mode == ast::FunctionParameter::Mode::Value &&
               !parameter.type.hasExtents;
      });
  return takesScalars &&
         llvm::all_of(llvm::drop_end(function.body->statements),
                      [](const ast::StmtPtr &stmt) {
                        const auto *let =
                            llvm::dyn_cast<ast::LetStmt>(stmt.get());
                        return let && !let->isVar;
                      });
}

Checker::ExprPtr Checker::checkFunctionCall(const ast::CallExpr &call,
                                            const ast::FunctionDecl &function) {
  SourceRange range = call.getRange();
  StringRef name = call.callee.text;
  for (const Inlining &frame : inlining) {
    if (frame.function != &function)
      continue;
    error(call.callee.range, "'" + name + "' calls itself")
        .withHelp("functions are inlined and cannot recurse; use a loop");
    return makeInvalid(range);
  }
  std::string signature = name.str() + "(";
  for (const auto &[index, parameter] : llvm::enumerate(function.parameters))
    signature += (index ? ", " : "") + parameter.name.text.str();
  signature += ")";
  std::optional<Arguments> arguments =
      matchArguments(call, function.parameters.size(), signature);
  if (!arguments || !checkReturns(function))
    return makeInvalid(range);
  if (!isElementwise(function))
    return inlineStatements(call, function, *arguments);

  llvm::SmallVector<ExprPtr> values;
  for (const ast::Expr *argument : arguments->positional) {
    values.push_back(checkValue(*argument));
    if (values.back()->type.isInvalid())
      return makeInvalid(range);
  }
  // Convert as assignment does, then bring all tiles to one shape.
  for (const auto &[index, parameter] : llvm::enumerate(function.parameters)) {
    std::optional<ElementType> element = resolveParameterType(parameter.type);
    if (!element)
      return makeInvalid(range);
    values[index] = convertTo(std::move(values[index]), *element);
    if (values[index]->type.isInvalid())
      return makeInvalid(range);
  }
  ExprPtr *first = llvm::find_if(
      values, [](const ExprPtr &value) { return value->type.isFragment(); });
  // Twice, so that the last one's extents reach all others.
  for (int pass = 0; pass < 2; ++pass)
    for (ExprPtr &value : values)
      if (&value != first && value->type.isFragment() &&
          !unifyShapes(name, *first, value))
        return makeInvalid(range);
  return inlineFunction(function, range, std::move(values));
}

Checker::ExprPtr Checker::inlineFunction(const ast::FunctionDecl &function,
                                         SourceRange call,
                                         llvm::SmallVector<ExprPtr> arguments) {
  Inlining frame{&function, call, {}};
  for (const ExprPtr &argument : arguments)
    if (argument->type.isFragment())
      frame.extents.assign(argument->type.getExtents().begin(),
                           argument->type.getExtents().end());
  inlining.push_back(std::move(frame));
  unsigned outerFirst = firstVisibleScope;
  firstVisibleScope = scopes.size();
  checked::StmtList statements;
  checked::StmtList *outerOutput = std::exchange(output, &statements);

  ExprPtr result;
  {
    Scope scope(*this);
    for (auto [parameter, argument] :
         llvm::zip_equal(function.parameters, arguments)) {
      Variable *variable =
          declare(parameter.name, Variable::Role::Let, argument->type);
      variable->isParameter = true;
      variable->known = argument->known;
      variable->constant = argument->constant;
      variable->range = getRange(*argument);
      variable->affine = getAffine(*argument);
      variable->dependence = getDependence(*argument);
      if (!variable->constant)
        emit(std::make_unique<checked::DefineStmt>(
            parameter.name.range, variable, std::move(argument)));
    }
    for (const ast::StmtPtr &stmt : llvm::drop_end(function.body->statements))
      checkStmt(*stmt);
    const auto &last =
        llvm::cast<ast::ReturnStmt>(*function.body->statements.back());
    result = checkValue(*last.value);
    std::optional<ElementType> element = resolveType(*function.result->element);
    result =
        element ? convertTo(std::move(result), *element) : makeInvalid(call);
    // Even a value that does not depend on the elements has their shape.
    result = broadcastTo(std::move(result), inlining.back().extents);
  }

  output = outerOutput;
  firstVisibleScope = outerFirst;
  inlining.pop_back();
  if (result->type.isInvalid())
    return makeInvalid(call);
  if (result->constant || statements.empty()) {
    result->range = call;
    return result;
  }
  auto block = std::make_unique<checked::BlockExpr>(result->type, call);
  block->known = result->known;
  block->statements = std::move(statements);
  block->operands.push_back(std::move(result));
  return block;
}

void Checker::checkFunctionAlone(const ast::FunctionDecl &decl) {
  if (!checkReturns(decl))
    return;
  isAlone = true;
  maxWork = 10000;
  Scope scope(*this);
  llvm::SmallVector<ExprPtr> values;
  llvm::SmallVector<BoundArgument> arguments;
  bool isPlain = true;
  for (const ast::FunctionParameter &parameter : decl.parameters) {
    std::optional<ElementType> element = resolveType(*parameter.type.element);
    if (!element)
      return;
    // What depends on shapes is checked in calls.
    isPlain &= parameter.mode == ast::FunctionParameter::Mode::Value &&
               !parameter.type.hasExtents;
    Variable *variable = createVariable(
        parameter.name.text, parameter.name.range,
        Variable::Role::ScalarParameter, Type::getScalar(*element));
    ExprPtr value =
        std::make_unique<checked::ReadExpr>(parameter.name.range, variable);
    if (isElementwise(decl))
      values.push_back(std::move(value));
    else
      arguments.emplace_back().value = std::move(value);
  }
  if (!isPlain)
    return;
  if (isElementwise(decl))
    inlineFunction(decl, SourceRange(), std::move(values));
  else
    inlineBody(decl, SourceRange(), arguments);
}
