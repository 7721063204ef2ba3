//===- CheckPrepack.cpp - Tensors in the order of an instruction ----------===//
//
// Where the elements of a prepacked tensor lie is the compiler's secret, so a
// kernel can only hand tiles of them on to `gemm`.
//
//===----------------------------------------------------------------------===//
#include "compiler/Frontend/Sema/Checker.h"

using namespace tilec;
using llvm::StringRef;

bool Checker::checkPrepackQualifier(const ast::KernelParameter &parameter) {
  SourceRange range = parameter.prepack.range;
  std::string name = parameter.name.text.str();
  if (parameter.access != ast::Access::In) {
    error(range, "a prepacked tensor is only read, and '" + name + "' is '" +
                     ast::getSpelling(parameter.access) + "'");
    return false;
  }
  if (parameter.strided) {
    error(range, "a prepacked tensor has an order of its own, and '" + name +
                     "' is also strided")
        .underline(parameter.strided.range)
        .withHelp("remove 'strided'; the packer takes care of the order");
    return false;
  }
  if (parameter.type.extents.size() >= 2)
    return true;
  error(range, "a prepacked tensor is an operand of 'gemm' and has rank 2 or "
               "more, and '" +
                   name + "' has rank 1");
  return false;
}

bool Checker::checkNotPrepacked(const Place &place, SourceRange range) {
  Variable *tensor = place.root->getOrigin();
  if (!tensor->isPrepacked)
    return true;
  error(range, "'" + tensor->name +
                   "' is prepacked and can only be copied, "
                   "tile by tile, into a tile that feeds "
                   "'gemm'")
      .note(tensor->declared.Start,
            "parameter '" + tensor->name + "' is declared here")
      .withHelp("write copy(" +
                writeAnchor(tensor->declared, tensor->type.getRank()) +
                ", Bs), or remove 'prepack'");
  return false;
}

bool Checker::checkPrepackedCopy(const CopySide &source,
                                 const CopySide &destination,
                                 const ast::Expr *pad) {
  const Place *place = source.getPlace();
  if (!place || !place->root->getOrigin()->isPrepacked)
    return true;
  Variable *tensor = place->root->getOrigin();
  const Place *tile = destination.getPlace();
  Variable *target = destination.variable;
  if (!target && tile->root->role == Variable::Role::Shared && tile->isWhole())
    target = tile->root;
  if (!target || target->type.getElement() != tensor->type.getElement()) {
    error(destination.range,
          "prepacked '" + tensor->name +
              "' is copied into a whole shared tile or fragment of " +
              getName(tensor->type.getElement()) + ", and '" +
              getQuotedText(destination.range) + "' is none")
        .underline(source.range);
    return false;
  }
  if (pad) {
    error(pad->getRange(), "what lies outside prepacked '" + tensor->name +
                               "' is 0 and has no other 'pad'")
        .underline(source.range);
    return false;
  }
  prepackedTiles.insert({target, source.range});
  return true;
}

void Checker::recordGemmTiles(const Expr &operand) {
  if (const auto *read = llvm::dyn_cast<checked::ReadExpr>(&operand))
    gemmTiles.insert(read->variable);
  else if (const auto *memory = llvm::dyn_cast<checked::MemoryExpr>(&operand))
    gemmTiles.insert(memory->place.root->getOrigin());
  // Scales and zero-points are read with the numbers that they go with.
  else if (const auto *dequant = llvm::dyn_cast<checked::DequantExpr>(&operand))
    for (const checked::ExprPtr &part : dequant->operands)
      recordGemmTiles(*part);
}

/// At the end of a kernel all its products are known.
void Checker::reportUnfedTiles() {
  for (auto [tile, range] : prepackedTiles)
    if (!gemmTiles.contains(tile))
      error(range, "'" + tile->name +
                       "' holds prepacked elements and is no "
                       "operand of 'gemm'")
          .note(tile->declared.Start, "'" + tile->name + "' is declared here")
          .withHelp("pass it to gemm, by itself or in dequant(...)");
}
