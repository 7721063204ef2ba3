//===- CheckDequant.cpp - dequant -----------------------------------------===//
//
// `dequant(q, scale, zero)` means (q - zero) * scale.  Its options and shapes
// are the same everywhere; its type is that of the other operand inside `gemm`
// and that of `to` elsewhere, so it is settled last.
//
//===----------------------------------------------------------------------===//
#include "compiler/Frontend/Sema/Checker.h"

using namespace tilec;
using checked::DequantExpr;
using llvm::StringRef;

/// A scale or a zero.
struct Checker::DequantTile {
  StringRef role;
  const Expr *value;
  /// The options that it depends on; null if they are not given.
  const ast::Expr *group;
  /// Set inside `gemm`.
  bool isContracted;
};

/// Types that are stored for the sake of their size.
static bool isQuantized(ElementType element) {
  return (isInt(element) && getBits(element) <= 8) || isFP8(element) ||
         element == ElementType::FP4E2M1;
}

static bool isScaleType(ElementType element) {
  return element == ElementType::F16 || element == ElementType::BF16 ||
         element == ElementType::F32 || element == ElementType::E8M0 ||
         element == ElementType::FP8E4M3;
}

std::unique_ptr<DequantExpr>
Checker::checkDequant(const ast::CallExpr &call,
                      std::optional<unsigned> contraction) {
  std::optional<Arguments> arguments =
      matchArguments(call, 1, "dequant(q, scale = s, zero = z, group = g)",
                     {"scale", "zero", "group", "dim", "to"});
  if (!arguments)
    return nullptr;
  ExprPtr q = checkTileOrValue(*arguments->positional[0]);
  if (q->type.isInvalid())
    return nullptr;
  bool isTile = !q->type.getExtents().empty();
  if (!isTile || !isQuantized(q->type.getElement())) {
    error(q->range, "'dequant' takes a tile of 4- or 8-bit numbers, and '" +
                        getQuotedText(q->range) + "' is " + q->type.describe());
    return nullptr;
  }
  Extents extents(q->type.getExtents());
  if (contraction && extents.size() != 2) {
    error(q->range, "operands of 'gemm' have rank 2, and '" +
                        getQuotedText(q->range) + "' is " + q->type.describe());
    return nullptr;
  }
  auto result = std::make_unique<DequantExpr>(
      Type::getFragment(q->type.getElement(), extents), call.getRange());
  result->known = Known::Uniform;
  result->dim = contraction.value_or(extents.size() - 1);
  if (const ast::Expr *syntax = arguments->getOption("dim")) {
    std::optional<unsigned> dim = checkDim(*syntax, *q);
    if (!dim)
      return nullptr;
    result->dim = *dim;
  }
  const ast::Expr *group = arguments->getOption("group");
  if (group) {
    result->group = checkExtent(*group, "'group'");
    if (!result->group)
      return nullptr;
  }
  if (const ast::Expr *syntax = arguments->getOption("to")) {
    result->to = resolveType(*syntax);
    result->toRange = syntax->getRange();
    if (!result->to)
      return nullptr;
    if (!isFloat(*result->to)) {
      error(result->toRange,
            "'dequant' gives floats, and 'to' is " + getName(*result->to))
          .withHelp("write cast<" + getName(*result->to) + ">(dequant(...))");
      return nullptr;
    }
  }
  result->operands.push_back(std::move(q));
  for (StringRef role : {"scale", "zero"}) {
    const ast::Expr *syntax = arguments->getOption(role);
    if (!syntax)
      continue;
    ExprPtr value = checkTileOrValue(*syntax);
    // A zero without a point is an integer.
    bool isInteger =
        role == "zero" && value->type.getKind() == Type::Kind::UntypedInt;
    if (value->type.isUntyped())
      value = convertTo(std::move(value),
                        isInteger ? ElementType::Int32 : ElementType::F32);
    if (value->type.isInvalid() ||
        !checkDequantTile(*result,
                          {role, value.get(), group, contraction.has_value()}))
      return nullptr;
    (role == "scale" ? result->hasScale : result->hasZero) = true;
    result->operands.push_back(std::move(value));
  }
  return result;
}

bool Checker::checkDequantTile(const DequantExpr &dequant,
                               const DequantTile &tile) {
  const Expr &value = *tile.value;
  ElementType element = value.type.getElement();
  bool isScale = tile.role == "scale";
  if (isScale ? !isScaleType(element) : !isNumeric(element)) {
    error(value.range,
          "a " + tile.role + " of 'dequant' is " +
              (isScale ? "f16, bf16, f32, e8m0 or fp8_e4m3" : "a number") +
              ", and '" + getQuotedText(value.range) + "' is " +
              value.type.describe());
    return false;
  }
  return value.type.getExtents().empty() || checkDequantShape(dequant, tile);
}

/// A tile of factors has the rank of q, with one element for each group, or is
/// of rank 1 and runs along the other dimension.
bool Checker::checkDequantShape(const DequantExpr &dequant,
                                const DequantTile &tile) {
  const Expr &q = dequant.getSource(), &value = *tile.value;
  std::string role = tile.role.str(), name = getQuotedText(value.range),
              qName = getQuotedText(q.range);
  llvm::ArrayRef<int64_t> extents = q.type.getExtents(),
                          shape = value.type.getExtents();
  unsigned dim = dequant.dim;
  if (shape.size() != extents.size()) {
    bool isPerChannel = shape.size() == 1 && extents.size() == 2;
    if (!isPerChannel) {
      error(value.range, "a " + role + " of 'dequant' has the rank of '" +
                             qName + "', " + llvm::Twine(extents.size()) +
                             ", and '" + name + "' is " + formatShape(shape))
          .underline(q.range);
      return false;
    }
    int64_t channels = extents[1 - dim];
    if (shape[0] == channels)
      return true;
    error(value.range, "'dequant' needs a " + role + " of " +
                           llvm::Twine(channels) +
                           ", one for each element along dimension " +
                           llvm::Twine(1 - dim) + " of '" + qName + "', but '" +
                           name + "' is " + formatShape(shape))
        .underline(q.range);
    return false;
  }

  int64_t count = extents[dim];
  if (!dequant.group) {
    Diagnostic &diagnostic =
        error(value.range,
              "a " + role + " of rank " + llvm::Twine(shape.size()) +
                  " needs 'group', the number of elements along "
                  "dimension " +
                  llvm::Twine(dim) + " of '" + qName + "' that share one");
    if (count % shape[dim] == 0)
      diagnostic.withHelp("pass group = " + llvm::Twine(count / shape[dim]));
    return false;
  }
  int64_t group = *dequant.group;
  if (count % group != 0 && group % count != 0) {
    error(tile.group->getRange(),
          "'group' is " + llvm::Twine(group) + ", and dimension " +
              llvm::Twine(dim) + " of '" + qName + "' has " +
              llvm::Twine(count) + ": one divides the other")
        .underline(q.range);
    return false;
  }
  int64_t wanted = (count + group - 1) / group;
  if (shape[dim] != wanted) {
    // The extent as the program spells it, where the allocation shows it.
    std::string extentText = std::to_string(count);
    if (const auto *memory = llvm::dyn_cast<checked::MemoryExpr>(&q))
      if (auto found = allocationExtents.find(memory->place.root);
          found != allocationExtents.end() && found->second.size() > dim)
        extentText = found->second[dim];
    std::string help = "allocate '" + name + "' as [";
    for (unsigned i = 0; i < extents.size(); ++i)
      help += (i ? ", " : "") + (i == dim ? "ceildiv(" + extentText + ", " +
                                                std::to_string(group) + ")"
                                          : std::to_string(shape[i]));
    error(value.range, "'dequant' with " +
                           llvm::Twine(tile.isContracted ? "K = " : "extent ") +
                           llvm::Twine(count) + " and group " +
                           llvm::Twine(group) + " needs a " + role + " of " +
                           llvm::Twine(wanted) + " along dimension " +
                           llvm::Twine(dim) + ", but '" + name + "' is " +
                           formatShape(shape))
        .underline(tile.group->getRange())
        .withHelp(help + "]");
    return false;
  }
  for (unsigned i = 0; i < extents.size(); ++i) {
    if (i == dim || shape[i] == extents[i] || shape[i] == 1)
      continue;
    error(value.range, "'dequant' needs a " + role + " of " +
                           llvm::Twine(extents[i]) + " or 1 along dimension " +
                           llvm::Twine(i) + ", as '" + qName + "' is " +
                           formatShape(extents) + ", but '" + name + "' is " +
                           formatShape(shape))
        .underline(q.range);
    return false;
  }
  return true;
}

/// A `dequant` outside `gemm`: a fragment, computed in f32.
Checker::ExprPtr Checker::checkDequantCall(const ast::CallExpr &call) {
  SourceRange range = call.getRange();
  if (refuseInParallel(call))
    return makeInvalid(range);
  std::unique_ptr<DequantExpr> dequant = checkDequant(call, std::nullopt);
  if (!dequant)
    return makeInvalid(range);
  ElementType to = dequant->to.value_or(ElementType::F32);
  bool isPlain = to == ElementType::F16 || to == ElementType::BF16;
  dequant->type = dequant->type.withElement(isPlain ? to : ElementType::F32);
  return makeConvert(std::move(dequant), to);
}

//===----------------------------------------------------------------------===//
// Inside gemm
//===----------------------------------------------------------------------===//

ElementType tilec::getStoredElement(const checked::Expr &operand) {
  const auto *dequant = llvm::dyn_cast<DequantExpr>(&operand);
  return (dequant ? dequant->getSource() : operand).type.getElement();
}

/// A `dequant` as an operand; settleDequants gives it its type.
Checker::ExprPtr Checker::checkDequantOperand(const ast::CallExpr &call,
                                              unsigned contraction) {
  SourceRange range = call.getRange();
  std::unique_ptr<DequantExpr> dequant = checkDequant(call, contraction);
  if (!dequant)
    return makeInvalid(range);
  return dequant;
}

bool Checker::settleDequants(ExprPtr &a, ExprPtr &b) {
  // Each looks at the other as it was written.
  ElementType storedA = getStoredElement(*a), storedB = getStoredElement(*b);
  bool isDequantA = llvm::isa<DequantExpr>(*a),
       isDequantB = llvm::isa<DequantExpr>(*b);
  SourceRange rangeA = a->range, rangeB = b->range;
  if (isDequantA && !settleDequant(a, storedB, rangeB))
    return false;
  return !isDequantB || settleDequant(b, storedA, rangeA);
}

/// Beside a 16-bit float T the value is a T.  Beside an 8-bit operand products
/// are summed exactly, and what is not an integer follows in f32.
bool Checker::settleDequant(ExprPtr &operand, ElementType other,
                            SourceRange otherRange) {
  auto &dequant = llvm::cast<DequantExpr>(*operand);
  const Expr &q = dequant.getSource();
  std::optional<ElementType> type;
  if (other == ElementType::F16 || other == ElementType::BF16) {
    type = other;
  } else if (isQuantized(other)) {
    bool keepsInteger =
        isInt(q.type.getElement()) && isInt(other) && !dequant.hasScale &&
        (!dequant.hasZero || isInt(dequant.getZero()->type.getElement()));
    type = keepsInteger ? ElementType::Int32 : ElementType::F32;
  } else {
    error(operand->range,
          "'dequant' in 'gemm' goes with a 16-bit float or an 8-bit operand, "
          "and '" +
              getQuotedText(otherRange) + "' is " + getName(other))
        .underline(otherRange)
        .withHelp("cast that one, e.g. to bf16, or name the value before: let "
                  "x = dequant(...);");
    return false;
  }
  if (dequant.to && *dequant.to != *type) {
    error(dequant.toRange, "'to' is for 'dequant' outside 'gemm'; beside " +
                               getName(other) + " '" +
                               getQuotedText(otherRange) + "' the value is " +
                               getName(*type))
        .underline(otherRange)
        .withHelp("leave it out, or name the value before: let x = "
                  "dequant(...);");
    return false;
  }
  // Without a scale and a zero it is q itself.
  bool isPlain = !dequant.hasScale && !dequant.hasZero;
  if (isPlain) {
    ExprPtr source = std::move(dequant.operands[0]);
    operand = std::move(source);
    return true;
  }
  dequant.type = dequant.type.withElement(*type);
  return true;
}
