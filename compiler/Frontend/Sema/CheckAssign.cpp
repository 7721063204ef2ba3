//===- CheckAssign.cpp - Assignment to variables and elements -------------===//
#include "compiler/Frontend/Sema/Checker.h"

using namespace tilec;
using llvm::StringRef;

void Checker::checkAssign(const ast::AssignStmt &assign) {
  if (const auto *name = llvm::dyn_cast<ast::NameExpr>(assign.target.get()))
    return assignVariable(assign, *name);
  assignElement(assign, llvm::cast<ast::IndexExpr>(*assign.target));
}

/// Reports a name that should be that of a variable and is something else.
void Checker::reportNoVariable(const ast::NameExpr &name) {
  // What has a value without being a variable is predeclared.
  if (!checkName(name)->type.isInvalid())
    error(name.getRange(),
          "'" + name.name + "' is a predeclared constant and cannot change");
}

/// False, and an error, if a name cannot be assigned to.
bool Checker::checkAssignable(Variable *variable, const ast::NameExpr &target) {
  SourceRange range = target.getRange();
  auto report = [&](const llvm::Twine &reason) -> Diagnostic & {
    return error(range, "'" + variable->name + "' " + reason);
  };
  switch (variable->role) {
  case Variable::Role::Var:
    if (!checkVisible(*variable, range) || !checkAssignedHere(*variable, range))
      return false;
    if (!parallel || variable->isPerIteration)
      return true;
    report("is declared outside 'parallel' and cannot be assigned in it")
        .note(variable->declared.Start,
              "'" + variable->name + "' is declared here")
        .withHelp("iterations are independent; reduce a tile instead");
    return false;
  case Variable::Role::Let:
    if (variable->isParameter) {
      report("is a parameter and cannot change")
          .withHelp("copy it: var x = " + variable->name +
                    ";, or declare it 'inout'");
      return false;
    }
    report("is declared with 'let' and cannot change")
        .withHelp("declare it as 'var " + variable->name + " = ...'");
    return false;
  case Variable::Role::LoopIndex:
  case Variable::Role::ParallelIndex:
    report("is a loop variable and cannot be assigned");
    return false;
  case Variable::Role::Symbol:
    report("is a size bound at launch and cannot change");
    return false;
  case Variable::Role::ScalarParameter:
    report("is a parameter and cannot change")
        .withHelp("copy it: var x = " + variable->name + ";");
    return false;
  case Variable::Role::Axis:
    report("is a block axis and cannot change");
    return false;
  case Variable::Role::Barrier:
    report("is a barrier and cannot change");
    return false;
  case Variable::Role::Constant:
    report("is a compile-time constant and cannot change");
    return false;
  case Variable::Role::Tensor:
  case Variable::Role::Shared:
  case Variable::Role::Alias:
    report("is memory: its elements change, the name does not")
        .withHelp("write copy(..., " + variable->name +
                  (variable->type.isTensor() ? "[...])" : ")"));
    return false;
  }
  llvm_unreachable("every role is decided");
}

void Checker::assignVariable(const ast::AssignStmt &assign,
                             const ast::NameExpr &target) {
  SourceRange range = target.getRange();
  Variable *variable = lookup(target.name);
  if (!variable) {
    reportNoVariable(target);
    checkValue(*assign.value);
    return;
  }
  if (variable->type.isInvalid() || !checkAssignable(variable, target)) {
    checkValue(*assign.value);
    return;
  }
  ExprPtr value;
  if (assign.op) {
    std::string reader = ast::getSpelling(*assign.op).str() + "=";
    if (!checkDefined(variable, range, reader))
      return;
    ExprPtr old = std::make_unique<checked::ReadExpr>(range, variable);
    ExprPtr operand = checkValue(*assign.value);
    if (operand->type.isInvalid())
      return;
    value = makeBinary(*assign.op, {range.Start, assign.value->getRange().End},
                       std::move(old), std::move(operand));
  } else {
    value = checkValue(*assign.value);
  }
  if (value->type.isInvalid())
    return;
  if (value->type.getExtents() != variable->type.getExtents()) {
    bool isScalarToTile =
        variable->type.isFragment() && !value->type.isFragment();
    Diagnostic &diagnostic =
        error(assign.value->getRange(),
              "'" + variable->name + "' is " + variable->type.describe() +
                  ", and the value is " + value->type.describe());
    if (isScalarToTile)
      diagnostic.withHelp("write fill(" + variable->name + ", " +
                          getQuotedText(assign.value->getRange()) + ");");
    return;
  }
  value = convertTo(std::move(value), variable->type.getElement());
  if (value->type.isInvalid())
    return;
  undefined.erase(variable);
  emit(std::make_unique<checked::AssignStmt>(assign.getRange(), variable,
                                             std::move(value)));
}

/// An expression that is evaluated here, once, under a name of its own; gives
/// another that reads it.
Checker::ExprPtr Checker::shareValue(ExprPtr &expr) {
  if (expr->constant) {
    return makeConstant(expr->type, expr->range, *expr->constant);
  }
  Variable *variable =
      createVariable("index", expr->range, Variable::Role::Let, expr->type);
  variable->known = expr->known;
  variable->range = getRange(*expr);
  variable->affine = getAffine(*expr);
  variable->dependence = getDependence(*expr);
  SourceRange range = expr->range;
  emit(std::make_unique<checked::DefineStmt>(range, variable, std::move(expr)));
  expr = std::make_unique<checked::ReadExpr>(range, variable);
  return std::make_unique<checked::ReadExpr>(range, variable);
}

/// A second place that is the same, so that what it takes to find it is
/// evaluated once.
Checker::Place Checker::sharePlace(Place &place) {
  Place other;
  other.root = place.root;
  other.isAnchor = place.isAnchor;
  other.isView = place.isView;
  if (place.base)
    other.base = std::make_unique<Place>(sharePlace(*place.base));
  for (Place::Dim &dim : place.dims) {
    Place::Dim &copy = other.dims.emplace_back();
    copy.isDropped = dim.isDropped;
    copy.extent = dim.extent;
    if (dim.offset)
      copy.offset = shareValue(dim.offset);
    if (dim.end)
      copy.end = shareValue(dim.end);
  }
  return other;
}

void Checker::assignElement(const ast::AssignStmt &assign,
                            const ast::IndexExpr &target) {
  SourceRange range = target.getRange();
  // The target of `x[i] = e` is not read, so a fragment is looked up by hand.
  const auto *name = llvm::dyn_cast<ast::NameExpr>(target.base.get());
  Variable *variable = name ? lookup(name->name) : nullptr;
  bool isFragment = variable && variable->type.isFragment();
  bool allPlain = llvm::all_of(target.indices, [](const ast::Index &index) {
    return index.kind == ast::Index::Kind::Plain;
  });
  if (!allPlain) {
    error(range, "an assignment writes one element")
        .withHelp("write a part by copy(" +
                  getQuotedText(assign.value->getRange()) + ", " +
                  getQuotedText(range) + ")");
    checkValue(*assign.value);
    return;
  }

  ExprPtr old, place;
  if (!isFragment)
    place = check(target);
  if (assign.op && isFragment)
    old = toValue(check(target));
  if (auto *read = llvm::dyn_cast_or_null<checked::MemoryExpr>(place.get());
      read && assign.op)
    old = toValue(std::make_unique<checked::MemoryExpr>(
        read->type, range, sharePlace(read->place)));
  ExprPtr value = checkValue(*assign.value);
  if (value->type.isInvalid() || (old && old->type.isInvalid()) ||
      (place && place->type.isInvalid()))
    return;
  auto *memory = llvm::dyn_cast_or_null<checked::MemoryExpr>(place.get());
  if (!isFragment && !memory) {
    error(range, "'" + getQuotedText(target.base->getRange()) +
                     "' is a value, and its elements cannot be assigned to");
    return;
  }
  if (old)
    value = makeBinary(*assign.op, {range.Start, assign.value->getRange().End},
                       std::move(old), std::move(value));
  if (value->type.isInvalid())
    return;
  if (value->type.isFragment()) {
    error(value->range,
          "an element is a scalar, and the value is " + value->type.describe());
    return;
  }
  ElementType element =
      isFragment ? variable->type.getElement() : memory->place.getElement();
  bool isTensor = memory && memory->place.root->type.isTensor();
  bool isElement = llvm::isa<checked::ElementExpr>(*value);
  std::string baseText = getQuotedText(target.base->getRange());
  std::string valueText = getQuotedText(value->range);
  value = convertTo(std::move(value), element, [&] {
    std::string help =
        "write cast<" + getName(element).str() + ">(" + valueText + ")";
    if (isTensor && isElement)
      help += ", or use copy(" + valueText.substr(0, valueText.find('[')) +
              ", " + baseText + "[...]), which rounds";
    return help;
  });
  if (value->type.isInvalid())
    return;
  if (isFragment)
    return writeFragmentElement(target, variable, std::move(value),
                                assign.getRange());
  Place &destination = memory->place;
  if (!checkWritable(destination, target.base->getRange()))
    return;
  if (parallel) {
    llvm::SmallVector<const Expr *> indices;
    for (const Place::Dim &dim : destination.dims)
      if (dim.offset)
        indices.push_back(dim.offset.get());
    checkDistinctElements(indices, target, *value);
    recordSharedAccess(destination, range, /*isWrite=*/true);
  }
  emit(std::make_unique<checked::StoreElementStmt>(
      assign.getRange(), std::move(destination), std::move(value)));
}
