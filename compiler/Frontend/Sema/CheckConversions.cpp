//===- CheckConversions.cpp - Conversion, promotion, broadcasting, reading ===//
//
// Section 8 of the language reference: untyped constants take the type they
// meet, narrow types are promoted where something is computed, and everything
// else converts by itself only towards a type that holds every value.
//
//===----------------------------------------------------------------------===//
#include "compiler/Frontend/Sema/Checker.h"

using namespace tilec;
using llvm::StringRef;

Checker::ExprPtr Checker::makeConvert(ExprPtr expr, ElementType element,
                                      CastMode mode) {
  if (expr->type.isInvalid() || expr->type.getElement() == element)
    return expr;
  Type type = expr->type.withElement(element);
  SourceRange range = expr->range;
  if (expr->constant)
    return makeConstant(
        type, range,
        castConstant(*expr->constant, expr->type.getElement(), element, mode));
  auto convert = std::make_unique<checked::ConvertExpr>(type, range, mode);
  convert->known = expr->known;
  convert->operands.push_back(std::move(expr));
  return convert;
}

/// Why an untyped constant has no value in `element`.
static std::string describeMisfit(const Constant &value, ElementType element) {
  std::string text = formatConstant(value);
  if (std::holds_alternative<double>(value))
    return text + " is a float and does not convert to " +
           getName(element).str() + " by itself";
  if (isInt(element))
    return text + " does not fit " + getName(element).str();
  if (isFloat(element))
    return text + " is not exact in " + getName(element).str();
  return text + " is a number and not a bool";
}

Checker::ExprPtr Checker::convertTo(ExprPtr expr, ElementType element,
                                    ConversionHelp help) {
  if (expr->type.isInvalid())
    return expr;
  SourceRange range = expr->range;
  std::string target = getName(element).str();
  if (expr->type.isUntyped()) {
    if (std::optional<Constant> value =
            convertUntyped(*expr->constant, element))
      return makeConstant(Type::getScalar(element), range, *value);
    Diagnostic &diagnostic =
        error(range, describeMisfit(*expr->constant, element));
    if (element != ElementType::Bool)
      diagnostic.withHelp("write cast<" + target + ">(" + getQuotedText(range) +
                          ")");
    return makeInvalid(range);
  }
  ElementType from = expr->type.getElement();
  if (convertsImplicitly(from, element))
    return makeConvert(std::move(expr), element);
  bool isOneKind =
      (isInt(from) && isInt(element)) || (isFloat(from) && isFloat(element));
  error(range, getName(from) + " does not convert to " + target +
                   (isOneKind ? " without loss" : " by itself"))
      .withHelp(help ? help()
                     : "write cast<" + target + ">(" + getQuotedText(range) +
                           ")");
  return makeInvalid(range);
}

Checker::ExprPtr Checker::giveType(ExprPtr expr) {
  if (expr->type.getKind() == Type::Kind::UntypedInt)
    return convertTo(std::move(expr), ElementType::Int64);
  if (expr->type.getKind() == Type::Kind::UntypedFloat)
    return convertTo(std::move(expr), ElementType::F32);
  return expr;
}

Checker::ExprPtr Checker::promote(ExprPtr expr) {
  if (!expr->type.isScalar() && !expr->type.isFragment())
    return expr;
  ElementType element = getComputeType(expr->type.getElement());
  return makeConvert(std::move(expr), element);
}

/// Which of two operands a message advises to cast, and to what: integers to
/// the float they meet, otherwise the right one to the type of the left.
static std::string adviseCast(const checked::Expr &left,
                              const checked::Expr &right) {
  ElementType a = left.type.getElement(), b = right.type.getElement();
  bool castsLeft = isFloat(b) && !isFloat(a) && a != ElementType::Bool;
  const checked::Expr &operand = castsLeft ? left : right;
  return "write cast<" + getName(castsLeft ? b : a).str() + ">(" +
         getQuotedText(operand.range) + ")";
}

void Checker::reportMixedTypes(StringRef op, const Expr &left,
                               const Expr &right) {
  error(right.range, "'" + op + "' mixes " + getName(left.type.getElement()) +
                         " and " + getName(right.type.getElement()))
      .underline(left.range)
      .withHelp(adviseCast(left, right));
}

bool Checker::unifyElements(StringRef op, ExprPtr &left, ExprPtr &right) {
  if (left->type.isUntyped() && right->type.isUntyped()) {
    // A float constant makes the other one a float.
    ExprPtr &integer =
        left->type.getKind() == Type::Kind::UntypedInt ? left : right;
    const ExprPtr &other = &integer == &left ? right : left;
    if (other->type.getKind() == Type::Kind::UntypedFloat &&
        integer->type.getKind() == Type::Kind::UntypedInt)
      integer = makeConstant(
          Type::getUntypedFloat(), integer->range,
          static_cast<double>(std::get<Integer>(*integer->constant)));
    return true;
  }
  if (left->type.isUntyped() || right->type.isUntyped()) {
    ExprPtr &constant = left->type.isUntyped() ? left : right;
    ElementType element =
        (left->type.isUntyped() ? right : left)->type.getElement();
    constant = convertTo(std::move(constant), element);
    return !constant->type.isInvalid();
  }
  ElementType a = left->type.getElement(), b = right->type.getElement();
  if (convertsImplicitly(a, b)) {
    left = makeConvert(std::move(left), b);
    return true;
  }
  if (convertsImplicitly(b, a)) {
    right = makeConvert(std::move(right), a);
    return true;
  }
  reportMixedTypes(op, *left, *right);
  return false;
}

Checker::ExprPtr Checker::broadcastTo(ExprPtr expr,
                                      llvm::ArrayRef<int64_t> extents) {
  if (extents.empty() || expr->type.isInvalid() ||
      expr->type.getExtents() == extents)
    return expr;
  Type type = Type::getFragment(expr->type.getElement(), extents);
  SourceRange range = expr->range;
  ExprPtr result;
  if (!expr->type.isFragment()) {
    result = std::make_unique<checked::SplatExpr>(type, range);
  } else {
    std::vector<int> sourceDims;
    for (auto [dim, extent] : llvm::enumerate(expr->type.getExtents()))
      sourceDims.push_back(extent == extents[dim] ? int(dim) : -1);
    result = std::make_unique<checked::ReindexExpr>(type, range,
                                                    std::move(sourceDims));
  }
  result->known = expr->known;
  result->operands.push_back(std::move(expr));
  return result;
}

bool Checker::unifyShapes(StringRef op, ExprPtr &left, ExprPtr &right) {
  Extents a(left->type.getExtents()), b(right->type.getExtents());
  if (left->type.isFragment() && right->type.isFragment()) {
    std::string leftText = getQuotedText(left->range),
                rightText = getQuotedText(right->range);
    if (a.size() != b.size()) {
      bool isRightShorter = b.size() < a.size();
      const std::string &shorter = isRightShorter ? rightText : leftText;
      Diagnostic &diagnostic =
          error(right->range, "'" + op + "' needs equal ranks: '" + leftText +
                                  "' is " + formatShape(a) + ", '" + rightText +
                                  "' is " + formatShape(b))
              .underline(left->range);
      if (std::min(a.size(), b.size()) == 1 &&
          std::max(a.size(), b.size()) == 2)
        diagnostic.withHelp("write " + shorter +
                            "[:, _] for one value per row, " + shorter +
                            "[_, :] for one per column");
      else
        diagnostic.withHelp("add dimensions of extent 1 with '_'");
      return false;
    }
    Extents common;
    for (unsigned dim = 0; dim < a.size(); ++dim) {
      if (a[dim] != b[dim] && a[dim] != 1 && b[dim] != 1) {
        error(right->range,
              "'" + op + "' cannot broadcast " + formatShape(a) + " with " +
                  formatShape(b) + ": dimension " + llvm::Twine(dim) + " has " +
                  llvm::Twine(a[dim]) + " and " + llvm::Twine(b[dim]))
            .underline(left->range)
            .withHelp("extents must be equal or 1");
        return false;
      }
      common.push_back(std::max(a[dim], b[dim]));
    }
    if (!checkTileSize(common, right->range))
      return false;
    a = b = common;
  }
  Extents extents = a.empty() ? b : a;
  left = broadcastTo(std::move(left), extents);
  right = broadcastTo(std::move(right), extents);
  return true;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

bool Checker::checkReadable(const Place &place, SourceRange range) {
  if (place.root->access != ast::Access::Out)
    return true;
  error(range, "'" + place.root->name + "' is 'out' and cannot be read")
      .withHelp("declare it 'inout'");
  return false;
}

bool Checker::checkWritable(const Place &place, SourceRange range) {
  if (place.root->access != ast::Access::In)
    return true;
  const Variable &root = *place.root;
  Diagnostic &diagnostic = error(range, "'" + root.name + "' is read-only");
  bool isParameter = root.role == Variable::Role::Tensor;
  diagnostic.note(root.declared.Start, (isParameter ? "parameter '" : "'") +
                                           root.name + "' is declared here");
  for (const ParameterSyntax &parameter : tensorSyntax)
    if (parameter.syntax->name.text == root.name && isParameter)
      diagnostic.withHelp("declare it '" + root.name + ": out " +
                          getQuotedText(parameter.syntax->type.range) +
                          "', or 'inout' if it is also read");
  return false;
}

Checker::ExprPtr Checker::makeDefaultPad(ElementType element,
                                         SourceRange range) {
  // e8m0 has no zero.
  if (element != ElementType::E8M0)
    return nullptr;
  return makeConstant(Type::getScalar(element), range, 1.0);
}

Checker::ExprPtr Checker::makeLoad(Place place, SourceRange range,
                                   ExprPtr pad) {
  bool isTensor = place.root->type.isTensor();
  ElementType element = place.getElement();
  if (!pad && isTensor)
    pad = makeDefaultPad(element, range);
  ExprPtr load;
  if (place.isAnchor) {
    recordSharedAccess(place, range, /*isWrite=*/false);
    load = std::make_unique<checked::LoadElementExpr>(Type::getScalar(element),
                                                      range, std::move(place));
    load->known = parallel ? Known::PerIteration : Known::Uniform;
  } else {
    Extents extents = place.getExtents();
    load = std::make_unique<checked::LoadExpr>(Type::getValue(element, extents),
                                               range, std::move(place));
  }
  if (pad)
    load->operands.push_back(std::move(pad));
  return load;
}

Checker::ExprPtr Checker::readMemory(ExprPtr expr) {
  auto *memory = llvm::dyn_cast<checked::MemoryExpr>(expr.get());
  if (!memory)
    return expr;
  SourceRange range = expr->range;
  Place &place = memory->place;
  StringRef name = place.root->name;
  SourceRange nameRange = {
      range.Start,
      llvm::SMLoc::getFromPointer(range.Start.getPointer() + name.size())};
  if (!checkReadable(place, nameRange) || !checkNotPrepacked(place, nameRange))
    return makeInvalid(range);
  if (place.isAnchor)
    return makeLoad(std::move(place), range, nullptr);
  if (llvm::is_contained(place.getExtents(), dynamicExtent)) {
    error(range, "'" + getQuotedText(range) +
                     "' is a tensor, whose extents are known at launch")
        .withHelp("name the part that is meant, e.g. " + name + "[" +
                  (place.dims.size() == 1 ? "i +: 64" : "i +: 64, ...") + "]");
    return makeInvalid(range);
  }
  if (llvm::is_contained(place.getExtents(), 0)) {
    error(range, "'" + getQuotedText(range) + "' is " +
                     formatShape(place.getExtents()) + " and has no elements");
    return makeInvalid(range);
  }
  if (!checkTileSize(place.getExtents(), range))
    return makeInvalid(range);
  return makeLoad(std::move(place), range, nullptr);
}
