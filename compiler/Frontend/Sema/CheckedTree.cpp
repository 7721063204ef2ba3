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

bool Place::isWhole() const {
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
  for (const Place::Dim &dim : place.dims)
    if (dim.offset)
      visit(*dim.offset);
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
}
