//===- CheckAtomics.cpp - Atomic additions, maxima and minima -------------===//
//
// The destination decides the form: an element with a scalar changes once and
// gives the old value; a tile of memory changes element by element and gives
// nothing.
//
//===----------------------------------------------------------------------===//
#include "compiler/Frontend/Sema/Checker.h"

using namespace tilec;
using llvm::StringRef;

/// True if the hardware has the operation on elements of the type.
static bool hasAtomic(Builtin builtin, ElementType element) {
  if (isInt(element))
    return getBits(element) >= 32;
  if (element == ElementType::F32)
    return true;
  bool isAdded = element == ElementType::F64 || element == ElementType::F16 ||
                 element == ElementType::BF16;
  return isAdded && builtin == Builtin::AtomicAdd;
}

/// `v` converts as the source of `copy` does.
Checker::ExprPtr Checker::convertForAtomic(const ast::CallExpr &call,
                                           ExprPtr value, ElementType element) {
  if (value->type.isUntyped())
    return convertTo(std::move(value), element);
  if (!checkCopyTypes(call.callee.text, value->range, value->type.getElement(),
                      element))
    return makeInvalid(value->range);
  return makeConvert(std::move(value), element);
}

Checker::ExprPtr Checker::checkAtomic(const ast::CallExpr &call,
                                      Builtin builtin, bool isStatement) {
  SourceRange range = call.getRange();
  StringRef callee = call.callee.text;
  std::optional<Arguments> arguments =
      matchArguments(call, 2, callee.str() + "(C[i, j], v)", {"acq_rel"});
  if (!arguments)
    return makeInvalid(range);
  const ast::Expr &target = *arguments->positional[0];
  ExprPtr destination = check(target);
  ExprPtr value = checkValue(*arguments->positional[1]);
  std::optional<bool> isAcqRel = checkFlag(*arguments, "acq_rel");
  if (destination->type.isInvalid() || value->type.isInvalid() || !isAcqRel)
    return makeInvalid(range);
  auto *memory = llvm::dyn_cast<checked::MemoryExpr>(destination.get());
  if (!memory) {
    error(destination->range,
          "'" + callee + "' changes a tensor or a shared tile, and '" +
              getQuotedText(destination->range) + "' is " +
              (destination->type.isFragment() ? "a fragment" : "a value"));
    return makeInvalid(range);
  }
  Place &place = memory->place;
  SourceRange nameRange = getBaseRange(target);
  if (!checkWritable(place, nameRange) || !checkReadable(place, nameRange))
    return makeInvalid(range);
  ElementType element = place.getElement();
  if (!hasAtomic(builtin, element)) {
    error(destination->range,
          "'" + callee + "' is for 32- and 64-bit integers" +
              (builtin == Builtin::AtomicAdd ? ", f16, bf16, f32 and f64"
                                             : " and f32") +
              ", and '" + getQuotedText(destination->range) + "' is " +
              getName(element));
    return makeInvalid(range);
  }
  value = convertForAtomic(call, std::move(value), element);
  if (value->type.isInvalid())
    return makeInvalid(range);

  if (!place.isAnchor || value->type.isFragment()) {
    if (isStatement)
      checkAtomicTile(call, builtin, std::move(place), destination->range,
                      std::move(value), *isAcqRel);
    else
      error(call.callee.range, "'" + callee +
                                   "' gives the old value of one "
                                   "element, and of a tile nothing")
          .withHelp("write it as a statement of its own");
    return makeInvalid(range);
  }
  auto result =
      std::make_unique<checked::AtomicExpr>(range, builtin, std::move(place));
  result->isAcqRel = *isAcqRel;
  result->known = parallel ? Known::PerIteration : Known::Uniform;
  result->operands.push_back(std::move(value));
  if (!isStatement)
    return result;
  emit(std::make_unique<checked::EvaluateStmt>(range, std::move(result)));
  return makeInvalid(range);
}

void Checker::checkAtomicTile(const ast::CallExpr &call, Builtin builtin,
                              Place place, SourceRange placeRange,
                              ExprPtr value, bool isAcqRel) {
  StringRef callee = call.callee.text;
  if (refuseInParallel(call))
    return;
  if (!place.isAnchor && place.root->type.isTensor() &&
      llvm::is_contained(place.getExtents(), dynamicExtent)) {
    error(placeRange, "'" + getQuotedText(placeRange) +
                          "' is a tensor, and a tile of it begins somewhere")
        .withHelp("write " +
                  writeAnchor(placeRange, place.getExtents().size()));
    return;
  }
  Extents extents(value->type.getExtents());
  if (place.isAnchor) {
    if (!resolveAnchor(place, placeRange, extents))
      return;
  } else if (place.getExtents() != extents) {
    Diagnostic &diagnostic =
        error(value->range,
              "'" + callee + "' needs equal shapes: '" +
                  getQuotedText(placeRange) + "' is " +
                  formatShape(place.getExtents()) + ", '" +
                  getQuotedText(value->range) + "' is " +
                  (extents.empty() ? "a scalar" : formatShape(extents)))
            .underline(placeRange);
    if (extents.empty())
      diagnostic.withHelp(
          "fill a tile: full(" +
          Type::getFragment(place.getElement(), place.getExtents()).describe() +
          ", " + getQuotedText(value->range) + ")");
    return;
  }
  auto stmt = std::make_unique<checked::AtomicTileStmt>(
      call.getRange(), builtin, std::move(place), std::move(value));
  stmt->isAcqRel = isAcqRel;
  emit(std::move(stmt));
}
