//===- CheckedTree.cpp - Helpers of the checked tree ----------------------===//
#include "compiler/Frontend/Sema/CheckedModule.h"

using namespace tilec;
using namespace tilec::checked;

Place::Place() = default;
Place::Place(Place &&) = default;
Place &Place::operator=(Place &&) = default;
Place::~Place() = default;

BlockExpr::BlockExpr(Type type, SourceRange range)
    : ExprBase(std::move(type), range) {}
BlockExpr::~BlockExpr() = default;

bool Place::hasBounds() const {
  return llvm::any_of(dims, [](const Dim &dim) { return dim.end != nullptr; });
}

bool Place::isWhole() const {
  if (base)
    return false;
  return llvm::all_of(llvm::enumerate(dims), [&](auto entry) {
    const Dim &dim = entry.value();
    int64_t whole = root->type.getExtents()[entry.index()];
    return !dim.isDropped && !dim.offset && dim.extent == whole;
  });
}

Extents Place::getExtents() const {
  Extents extents;
  for (const Dim &dim : dims)
    if (!dim.isDropped)
      extents.push_back(dim.extent);
  return extents;
}

void checked::forEachOperand(const Place &place,
                             llvm::function_ref<void(const Expr &)> visit) {
  if (place.base)
    forEachOperand(*place.base, visit);
  for (const Place::Dim &dim : place.dims) {
    if (dim.offset)
      visit(*dim.offset);
    if (dim.end)
      visit(*dim.end);
  }
}

void checked::forEachOperand(const Expr &expr,
                             llvm::function_ref<void(const Expr &)> visit) {
  for (const ExprPtr &operand : expr.operands)
    if (operand)
      visit(*operand);
  if (const auto *memory = llvm::dyn_cast<MemoryExpr>(&expr))
    forEachOperand(memory->place, visit);
  else if (const auto *load = llvm::dyn_cast<LoadExpr>(&expr))
    forEachOperand(load->place, visit);
  else if (const auto *element = llvm::dyn_cast<LoadElementExpr>(&expr))
    forEachOperand(element->place, visit);
  else if (const auto *atomic = llvm::dyn_cast<AtomicExpr>(&expr))
    forEachOperand(atomic->place, visit);
}

bool checked::hasEffects(const Expr &expr) {
  bool found = llvm::isa<AtomicExpr>(expr);
  // A function that does more than define values is not looked into.
  if (const auto *block = llvm::dyn_cast<BlockExpr>(&expr))
    for (const StmtPtr &stmt : block->statements) {
      const auto *define = llvm::dyn_cast<DefineStmt>(stmt.get());
      found |= !define || (define->value && hasEffects(*define->value));
    }
  forEachOperand(expr,
                 [&](const Expr &operand) { found |= hasEffects(operand); });
  return found;
}
