//===- CheckLet.cpp - let, var and allocations ----------------------------===//
#include "compiler/Frontend/Sema/Checker.h"

using namespace tilec;
using llvm::StringRef;

void Checker::checkLet(const ast::LetStmt &let) {
  if (const auto *call = llvm::dyn_cast<ast::CallExpr>(let.value.get())) {
    std::optional<Builtin> builtin = findBuiltin(call->callee.text);
    if (builtin == Builtin::AllocShared)
      return checkAllocShared(let, *call);
    if (builtin == Builtin::AllocFragment)
      return checkAllocFragment(let, *call);
    if (builtin == Builtin::AllocBarrier)
      return checkAllocBarrier(let, *call);
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

Checker::Variable *Checker::emitAlias(const ast::Name &name, Place place,
                                      SourceRange range) {
  Extents extents = place.getExtents();
  Variable *alias = declare(name, Variable::Role::Alias,
                            place.root->type.isTensor()
                                ? Type::getTensor(place.getElement(), extents)
                                : Type::getShared(place.getElement(), extents));
  alias->aliased = place.root->getOrigin();
  int keptDim = 0;
  for (const auto &[dim, entry] : llvm::enumerate(place.dims)) {
    if (!entry.isDropped && int(dim) == place.root->packDim)
      alias->packDim = keptDim;
    keptDim += !entry.isDropped;
  }
  alias->access = place.root->access;
  alias->allocated = place.root->allocated;
  emit(std::make_unique<checked::AliasStmt>(range, alias, std::move(place)));
  return alias;
}

void Checker::bindValue(const ast::LetStmt &let, ExprPtr value) {
  // A second name for memory.
  auto *memory = llvm::dyn_cast<checked::MemoryExpr>(value.get());
  if (memory && !let.isVar && !let.type && !memory->place.isAnchor) {
    const Place &place = memory->place;
    bool isTensor = place.root->type.isTensor();
    if (!isTensor || place.isView || place.isWhole()) {
      if (isTensor && !checkNotPrepacked(place, value->range)) {
        declare(let.name, Variable::Role::Alias, Type::getInvalid());
        return;
      }
      emitAlias(let.name, std::move(memory->place), let.getRange());
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
    recordLaunchValue(variable, *value);
    if (value->constant) {
      variable->constant = value->constant;
      return;
    }
  }
  emit(std::make_unique<checked::DefineStmt>(let.getRange(), variable,
                                             std::move(value)));
}
