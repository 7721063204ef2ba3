//===- CheckStmt.cpp - let, assignment, if, while and blocks --------------===//
#include "compiler/Frontend/Sema/Checker.h"

#include "llvm/ADT/ScopeExit.h"

using namespace tilec;
using llvm::StringRef;

void Checker::checkStmt(const ast::Stmt &stmt) {
  SourceRange range = stmt.getRange();
  if (!spend(range))
    return;
  SourceRange word = {range.Start, range.Start};
  switch (stmt.getKind()) {
  case ast::StmtKind::Let:
    return checkLet(llvm::cast<ast::LetStmt>(stmt));
  case ast::StmtKind::Assign:
    return checkAssign(llvm::cast<ast::AssignStmt>(stmt));
  case ast::StmtKind::Call:
    return checkCallStmt(
        llvm::cast<ast::CallExpr>(*llvm::cast<ast::CallStmt>(stmt).call));
  case ast::StmtKind::If:
    return checkIfStmt(llvm::cast<ast::IfStmt>(stmt));
  case ast::StmtKind::While:
    return checkWhile(llvm::cast<ast::WhileStmt>(stmt));
  case ast::StmtKind::For:
    return checkFor(llvm::cast<ast::ForStmt>(stmt));
  case ast::StmtKind::Break:
    return reportUnsupported(range, "break");
  case ast::StmtKind::Continue:
    return reportUnsupported(range, "continue");
  case ast::StmtKind::Return:
    return reportUnsupported(word, "return");
  case ast::StmtKind::Warpgroup:
    return reportUnsupported(llvm::cast<ast::WarpgroupStmt>(stmt).wordRange,
                             "warpgroup");
  case ast::StmtKind::Block:
    return checkBlock(llvm::cast<ast::BlockStmt>(stmt));
  }
}

void Checker::checkBlock(const ast::BlockStmt &block) {
  Scope scope(*this);
  for (const ast::StmtPtr &stmt : block.statements)
    checkStmt(*stmt);
}

checked::StmtList Checker::checkBody(const ast::BlockStmt &block) {
  checked::StmtList body;
  checked::StmtList *outer = std::exchange(output, &body);
  checkBlock(block);
  output = outer;
  return body;
}

//===----------------------------------------------------------------------===//
// let and var
//===----------------------------------------------------------------------===//

void Checker::checkLet(const ast::LetStmt &let) {
  if (const auto *call = llvm::dyn_cast<ast::CallExpr>(let.value.get())) {
    std::optional<Builtin> builtin = findBuiltin(call->callee.text);
    if (builtin == Builtin::AllocShared)
      return checkAllocShared(let, *call);
    if (builtin == Builtin::AllocFragment)
      return checkAllocFragment(let, *call);
  }
  bindValue(let, check(*let.value));
}

std::optional<Type> Checker::checkAllocation(const ast::LetStmt &let,
                                             const ast::CallExpr &call,
                                             StringRef word) {
  if (refuseInParallel(call))
    return std::nullopt;
  if (let.isVar != (word == "var")) {
    error(call.callee.range,
          "'" + call.callee.text + "' is bound by '" + word + "'")
        .withHelp("write " + word + " " + let.name.text + " = ...");
    return std::nullopt;
  }
  if (let.type) {
    error(let.type->range,
          "the type of '" + let.name.text + "' is that of its allocation")
        .withHelp("leave it out");
    return std::nullopt;
  }
  std::optional<Arguments> arguments =
      matchArguments(call, 1, call.callee.text.str() + "(f32[128, 64])");
  if (!arguments)
    return std::nullopt;
  return resolveTileType(*arguments->positional[0], call.callee.text);
}

void Checker::checkAllocShared(const ast::LetStmt &let,
                               const ast::CallExpr &call) {
  std::optional<Type> type = checkAllocation(let, call, "let");
  Variable *variable =
      declare(let.name, Variable::Role::Shared,
              type ? Type::getShared(type->getElement(), type->getExtents())
                   : Type::getInvalid());
  variable->allocated = call.getRange();
  if (!type)
    return;
  if (getBits(type->getElement()) == 4)
    variable->packDim = type->getRank() - 1;
  recordAllocation(variable, call);
  emit(std::make_unique<checked::AllocSharedStmt>(let.getRange(), variable));
}

void Checker::checkAllocFragment(const ast::LetStmt &let,
                                 const ast::CallExpr &call) {
  std::optional<Type> type = checkAllocation(let, call, "var");
  Variable *variable =
      declare(let.name, Variable::Role::Var, type.value_or(Type::getInvalid()));
  variable->allocated = call.getRange();
  if (!type)
    return;
  recordAllocation(variable, call);
  undefined.insert(variable);
  emit(
      std::make_unique<checked::DefineStmt>(let.getRange(), variable, nullptr));
}

/// Keeps the extents as the program spells them, for advice.
void Checker::recordAllocation(Variable *variable, const ast::CallExpr &call) {
  const auto *type =
      llvm::dyn_cast<ast::IndexExpr>(call.arguments[0].value.get());
  if (!type)
    return;
  for (const ast::Index &index : type->indices)
    allocationExtents[variable].push_back(getQuotedText(index.range));
}

/// Implicit conversion to the type written after a name.
Checker::ExprPtr Checker::convertToWritten(ExprPtr value, const Type &written) {
  if (value->type.isInvalid())
    return value;
  SourceRange range = value->range;
  // A scalar function applied to tiles: its types are those of the elements.
  bool appliesToTiles = !inlining.empty() && !inlining.back().extents.empty();
  bool isShapeWrong = written.isFragment()
                          ? value->type.getExtents() != written.getExtents()
                          : value->type.isFragment() && !appliesToTiles;
  if (isShapeWrong) {
    Diagnostic &diagnostic = error(
        range, "'" + getQuotedText(range) + "' is " + value->type.describe() +
                   ", and the written type is " + written.describe());
    if (written.isFragment() && !value->type.isFragment())
      diagnostic.withHelp("write full(" + written.describe() + ", " +
                          getQuotedText(range) + ")");
    return makeInvalid(range);
  }
  return convertTo(std::move(value), written.getElement());
}

void Checker::bindValue(const ast::LetStmt &let, ExprPtr value) {
  // A second name for memory.
  auto *memory = llvm::dyn_cast<checked::MemoryExpr>(value.get());
  if (memory && !let.isVar && !let.type && !memory->place.isAnchor) {
    const Place &place = memory->place;
    bool isTensor = place.root->type.isTensor();
    if (!isTensor || place.isView || place.isWhole()) {
      Extents extents = place.getExtents();
      Variable *alias =
          declare(let.name, Variable::Role::Alias,
                  isTensor ? Type::getTensor(place.getElement(), extents)
                           : Type::getShared(place.getElement(), extents));
      alias->access = place.root->access;
      alias->allocated = place.root->allocated;
      emit(std::make_unique<checked::AliasStmt>(let.getRange(), alias,
                                                std::move(memory->place)));
      return;
    }
  }

  std::optional<Type> written;
  if (let.type)
    written = resolveWrittenType(*let.type);
  bool isType = value->type.getKind() == Type::Kind::TypeName && !let.isVar;
  if (!isType)
    value = toValue(std::move(value));
  if (written)
    value = convertToWritten(std::move(value), *written);
  else if (let.type)
    value = makeInvalid(let.getRange());
  if (let.isVar)
    value = giveType(std::move(value));

  Variable *variable =
      declare(let.name, let.isVar ? Variable::Role::Var : Variable::Role::Let,
              value->type);
  if (value->type.isInvalid())
    return;
  variable->dependence = getDependence(*value);
  if (let.isVar) {
    // Its values change, so only what every value shares is recorded.
    variable->known = parallel ? Known::PerIteration : Known::Uniform;
    if (parallel)
      variable->dependence = ~0u;
  } else {
    variable->known = value->known;
    variable->range = getRange(*value);
    variable->affine = getAffine(*value);
    if (value->constant) {
      variable->constant = value->constant;
      return;
    }
  }
  emit(std::make_unique<checked::DefineStmt>(let.getRange(), variable,
                                             std::move(value)));
}

//===----------------------------------------------------------------------===//
// Assignment
//===----------------------------------------------------------------------===//

void Checker::checkAssign(const ast::AssignStmt &assign) {
  if (const auto *name = llvm::dyn_cast<ast::NameExpr>(assign.target.get()))
    return assignVariable(assign, *name);
  assignElement(assign, llvm::cast<ast::IndexExpr>(*assign.target));
}

/// False, and an error, if a name cannot be assigned to.
bool Checker::checkAssignable(Variable *variable, const ast::NameExpr &target) {
  SourceRange range = target.getRange();
  auto report = [&](const llvm::Twine &reason) -> Diagnostic & {
    return error(range, "'" + variable->name + "' " + reason);
  };
  switch (variable->role) {
  case Variable::Role::Var:
    if (!parallel || variable->isPerIteration)
      return true;
    report("is declared outside 'parallel' and cannot be assigned in it")
        .note(variable->declared.Start,
              "'" + variable->name + "' is declared here")
        .withHelp("iterations are independent; reduce a tile instead");
    return false;
  case Variable::Role::Let:
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
    checkName(target);
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
    value = makeBinary(*assign.op, assign.opRange,
                       {range.Start, assign.value->getRange().End},
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
  if (assign.op)
    old = toValue(check(target));
  if (!isFragment)
    place = check(target);
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
    value = makeBinary(*assign.op, assign.opRange,
                       {range.Start, assign.value->getRange().End},
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
  }
  emit(std::make_unique<checked::StoreElementStmt>(
      assign.getRange(), std::move(destination), std::move(value)));
}

//===----------------------------------------------------------------------===//
// if and while
//===----------------------------------------------------------------------===//

void Checker::checkIfStmt(const ast::IfStmt &branch) {
  ExprPtr condition = checkCondition(*branch.condition, "a condition");
  auto checkElse = [&] {
    if (const auto *block =
            llvm::dyn_cast_or_null<ast::BlockStmt>(branch.elseBranch.get()))
      checkBlock(*block);
    else if (branch.elseBranch)
      checkStmt(*branch.elseBranch);
  };
  if (condition->constant) {
    if (std::get<bool>(*condition->constant))
      checkBlock(*branch.thenBlock);
    else
      checkElse();
    return;
  }
  bool isGood = !condition->type.isInvalid();
  auto stmt = std::make_unique<checked::IfStmt>(branch.getRange(),
                                                std::move(condition));
  if (parallel)
    ++parallel->conditions;
  VariableSet before = undefined;
  stmt->thenBody = checkBody(*branch.thenBlock);
  VariableSet afterThen = std::exchange(undefined, before);
  checked::StmtList *outer = std::exchange(output, &stmt->elseBody);
  checkElse();
  output = outer;
  // What either side leaves unwritten may be unwritten.
  undefined.insert_range(afterThen);
  if (parallel)
    --parallel->conditions;
  if (isGood)
    emit(std::move(stmt));
}

void Checker::checkWhile(const ast::WhileStmt &loop) {
  ExprPtr condition = checkCondition(*loop.condition, "a condition");
  bool isGood = !condition->type.isInvalid();
  if (condition->constant && std::get<bool>(*condition->constant)) {
    error(loop.condition->getRange(), "this loop never ends");
    isGood = false;
  }
  auto stmt = std::make_unique<checked::WhileStmt>(loop.getRange(),
                                                   std::move(condition));
  VariableSet before = undefined;
  if (parallel)
    ++parallel->conditions;
  ++loopDepth;
  stmt->body = checkBody(*loop.body);
  --loopDepth;
  if (parallel)
    --parallel->conditions;
  undefined = before;
  if (isGood)
    emit(std::move(stmt));
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

void Checker::checkCallStmt(const ast::CallExpr &call) {
  std::optional<Builtin> builtin = findBuiltin(call.callee.text);
  if (!builtin) {
    ExprPtr value = checkCall(call);
    if (!value->type.isInvalid())
      error(call.getRange(), "the value of this call is not used");
    return;
  }
  bool isStatement = getGroup(*builtin) == BuiltinGroup::Statement;
  bool isAllowedInParallel = *builtin == Builtin::Assert ||
                             *builtin == Builtin::Print ||
                             *builtin == Builtin::AsyncCopy ||
                             getGroup(*builtin) == BuiltinGroup::Atomic;
  if (isStatement && !isAllowedInParallel && refuseInParallel(call))
    return;
  switch (*builtin) {
  case Builtin::Copy:
    return checkCopy(call);
  case Builtin::Clear:
    return checkFill(call, /*isClear=*/true);
  case Builtin::Fill:
    return checkFill(call, /*isClear=*/false);
  case Builtin::Gemm:
    return checkGemm(call);
  case Builtin::Assert:
    return checkAssert(call);
  case Builtin::AsyncCopy:
    return checkAsyncCopy(call);
  default:
    break;
  }
  if (isStatement || getGroup(*builtin) == BuiltinGroup::Atomic)
    return reportUnsupported(call.callee.range, call.callee.text);
  ExprPtr value = checkCall(call);
  if (!value->type.isInvalid())
    error(call.getRange(), "the value of this call is not used")
        .withHelp("write let x = " + getQuotedText(call.getRange()) + ";");
}
