//===- CheckCopy.cpp - copy, clear and fill -------------------------------===//
#include "compiler/Frontend/Sema/Checker.h"

using namespace tilec;
using llvm::StringRef;

const checked::Place *Checker::CopySide::getPlace() const {
  const auto *memory = llvm::dyn_cast_or_null<checked::MemoryExpr>(value.get());
  return memory ? &memory->place : nullptr;
}

SourceRange tilec::getBaseRange(const ast::Expr &syntax) {
  const ast::Expr *base = &syntax;
  while (const auto *indexed = llvm::dyn_cast<ast::IndexExpr>(base))
    base = indexed->base.get();
  return base->getRange();
}

void Checker::checkCopy(const ast::CallExpr &call) {
  std::optional<Arguments> arguments =
      matchOptions("copy", call.arguments, {"pad"});
  if (!arguments)
    return;
  const auto &given = arguments->positional;
  if (given.size() > 2) {
    error(given[2]->getRange(), "'copy' takes a source and a destination; this "
                                "is a third argument")
        .withHelp("use one 'copy' per tile");
    return;
  }
  if (given.size() < 2) {
    error(call.callee.range,
          "'copy' takes a source and a destination, found " +
              llvm::Twine(given.size()) +
              (given.size() == 1 ? " argument" : " arguments"))
        .withHelp("write copy(source, destination)");
    return;
  }
  std::optional<CopySide> source = checkCopySource(*given[0]);
  std::optional<CopySide> destination = checkCopyDestination(*given[1]);
  if (!source || !destination || !matchCopyShapes(*source, *destination))
    return;

  ElementType from = source->getPlace() ? source->getPlace()->getElement()
                                        : source->value->type.getElement();
  ElementType to = destination->variable
                       ? destination->variable->type.getElement()
                       : destination->getPlace()->getElement();
  ExprPtr pad;
  if (const ast::Expr *syntax = arguments->getOption("pad")) {
    bool isTensor =
        source->getPlace() && source->getPlace()->root->type.isTensor();
    if (!isTensor) {
      error(syntax->getRange(),
            "'pad' fills what lies outside a source tensor, and '" +
                getQuotedText(source->range) + "' is none");
      return;
    }
    pad = convertTo(checkScalar(*syntax, "a pad"), from);
    if (pad->type.isInvalid())
      return;
  }
  if (!checkCopyTypes("copy", source->range, from, to) ||
      !checkPrepackedCopy(*source, *destination, arguments->getOption("pad")))
    return;
  if (destination->variable)
    undefined.erase(destination->variable);
  emitCopy(call, std::move(*source), std::move(*destination), std::move(pad));
}

/// A tensor by its bare name does not say which part is meant.
static bool isBareTensor(const checked::Place &place) {
  return !place.isAnchor && place.root->type.isTensor() &&
         llvm::is_contained(place.getExtents(), dynamicExtent);
}

std::string tilec::writeAnchor(SourceRange range, unsigned rank) {
  std::string text = getQuotedText(range) + "[";
  for (unsigned i = 0; i < rank; ++i)
    text += i ? ", 0" : "0";
  return text + "]";
}

std::optional<Checker::CopySide>
Checker::checkCopySource(const ast::Expr &syntax, StringRef callee) {
  CopySide side;
  side.range = syntax.getRange();
  ExprPtr value = check(syntax);
  if (value->type.isInvalid())
    return std::nullopt;
  if (auto *memory = llvm::dyn_cast<checked::MemoryExpr>(value.get())) {
    const Place &place = memory->place;
    if (!checkReadable(place, getBaseRange(syntax)))
      return std::nullopt;
    if (isBareTensor(place)) {
      error(side.range, "'" + getQuotedText(side.range) +
                            "' is a tensor, and a tile of it begins somewhere")
          .withHelp("write " +
                    writeAnchor(side.range, place.getExtents().size()));
      return std::nullopt;
    }
    side.isAnchor = place.isAnchor;
    if (!side.isAnchor)
      side.extents = place.getExtents();
    side.value = std::move(value);
    return side;
  }
  value = toValue(std::move(value));
  if (value->type.isInvalid())
    return std::nullopt;
  if (!value->type.isFragment()) {
    error(side.range, "'" + callee + "' reads a tile, and '" +
                          getQuotedText(side.range) + "' is " +
                          value->type.describe())
        .withHelp("use fill(x, v) to set every element to one value");
    return std::nullopt;
  }
  side.extents.assign(value->type.getExtents().begin(),
                      value->type.getExtents().end());
  side.value = std::move(value);
  return side;
}

std::optional<Checker::CopySide>
Checker::checkCopyDestination(const ast::Expr &syntax, StringRef callee) {
  CopySide side;
  side.range = syntax.getRange();
  // A destination is not read, so that an undefined fragment is fine.
  if (const auto *name = llvm::dyn_cast<ast::NameExpr>(&syntax)) {
    Variable *variable = lookup(name->name);
    if (variable && variable->type.isFragment()) {
      if (!checkAssignable(variable, *name))
        return std::nullopt;
      side.variable = variable;
      side.extents.assign(variable->type.getExtents().begin(),
                          variable->type.getExtents().end());
      return side;
    }
  }
  ExprPtr value = check(syntax);
  if (value->type.isInvalid())
    return std::nullopt;
  auto *memory = llvm::dyn_cast<checked::MemoryExpr>(value.get());
  if (!memory) {
    error(side.range,
          "'" + callee +
              "' writes a tensor, a shared tile or a 'var' "
              "fragment, and '" +
              getQuotedText(side.range) + "' is " +
              (value->type.isFragment() ? "a value" : value->type.describe()));
    return std::nullopt;
  }
  const Place &place = memory->place;
  if (!checkWritable(place, getBaseRange(syntax)))
    return std::nullopt;
  if (isBareTensor(place)) {
    error(side.range, "'" + getQuotedText(side.range) +
                          "' is a tensor, and a tile of it begins somewhere")
        .withHelp("write " +
                  writeAnchor(side.range, place.getExtents().size()));
    return std::nullopt;
  }
  side.isAnchor = place.isAnchor;
  if (!side.isAnchor)
    side.extents = place.getExtents();
  side.value = std::move(value);
  return side;
}

/// The text of an expression, in parentheses unless `[` may follow it as it is.
static std::string quoteForIndexing(SourceRange range) {
  std::string text = getQuotedText(range);
  int nesting = 0;
  for (char c : text) {
    nesting += (c == '(' || c == '[') - (c == ')' || c == ']');
    bool isPartOfName = llvm::isAlnum(c) || c == '_';
    if (nesting == 0 && !isPartOfName && c != ')' && c != ']')
      return "(" + text + ")";
  }
  return text;
}

/// "acc[:, 0 +: 64]": the part of a tile with the extents of another.
static std::string writePart(SourceRange range, llvm::ArrayRef<int64_t> whole,
                             llvm::ArrayRef<int64_t> part) {
  std::string text = quoteForIndexing(range) + "[";
  for (unsigned i = 0; i < whole.size(); ++i) {
    text += i ? ", " : "";
    text += whole[i] > part[i] ? "0 +: " + std::to_string(part[i]) : ":";
  }
  return text + "]";
}

bool Checker::matchCopyShapes(CopySide &source, CopySide &destination,
                              StringRef callee) {
  auto getMemory = [](CopySide &side) -> Place & {
    return llvm::cast<checked::MemoryExpr>(*side.value).place;
  };
  if (source.isAnchor && destination.isAnchor) {
    error(source.range, "'" + callee +
                            "' needs a shape: both sides say only where the "
                            "tile begins")
        .underline(destination.range)
        .withHelp("give one side extents, e.g. " +
                  getQuotedText(getMemory(source).root->declared) +
                  "[i +: 64, j +: 64]");
    return false;
  }
  if (source.isAnchor) {
    source.extents = destination.extents;
    return resolveAnchor(getMemory(source), source.range, source.extents);
  }
  if (destination.isAnchor) {
    destination.extents = source.extents;
    return resolveAnchor(getMemory(destination), destination.range,
                         destination.extents);
  }
  if (source.extents == destination.extents)
    return true;

  Diagnostic &diagnostic =
      error(destination.range, "'" + callee + "' needs equal shapes: '" +
                                   getQuotedText(source.range) + "' is " +
                                   formatShape(source.extents) + ", '" +
                                   getQuotedText(destination.range) + "' is " +
                                   formatShape(destination.extents))
          .underline(source.range);
  bool sameRank = source.extents.size() == destination.extents.size();
  auto pairs = llvm::zip(source.extents, destination.extents);
  bool covers = sameRank && llvm::all_of(pairs, [](auto pair) {
                  return std::get<0>(pair) >= std::get<1>(pair);
                });
  bool isCovered = sameRank && llvm::all_of(pairs, [](auto pair) {
                     return std::get<0>(pair) <= std::get<1>(pair);
                   });
  std::string part;
  if (covers)
    part = writePart(source.range, source.extents, destination.extents);
  else if (isCovered)
    part = writePart(destination.range, destination.extents, source.extents);
  if (part.empty())
    diagnostic.withHelp(sameRank ? "change one of the tiles"
                                 : "shapes have equal ranks too; '_' adds a "
                                   "dimension of extent 1 to a tile");
  else
    diagnostic.withHelp("copy a part, e.g. " + part + ", or change the tile");
  return false;
}

/// `copy` converts where every value is kept, and rounds floats to fewer bits.
bool Checker::checkCopyTypes(StringRef callee, SourceRange source,
                             ElementType from, ElementType to) {
  bool rounds = isFloat(from) && isFloat(to) && getBits(to) < getBits(from) &&
                to != ElementType::E8M0;
  if (rounds || holdsEveryValue(from, to))
    return true;
  error(source, "'" + callee + "' does not convert " + getName(from) + " to " +
                    getName(to))
      .withHelp("say how: cast<" + getName(to) + ">(" + getQuotedText(source) +
                ")");
  return false;
}

void Checker::emitCopy(const ast::CallExpr &call, CopySide source,
                       CopySide destination, ExprPtr pad) {
  auto takePlace = [](CopySide &side) {
    return std::move(llvm::cast<checked::MemoryExpr>(*side.value).place);
  };
  SourceRange range = call.getRange();
  bool readsMemory = source.getPlace();
  ElementType from = readsMemory ? source.getPlace()->getElement()
                                 : source.value->type.getElement();
  ElementType to = destination.variable
                       ? destination.variable->type.getElement()
                       : destination.getPlace()->getElement();
  // Memory to memory as it is: how the bytes move is the compiler's choice.
  if (readsMemory && !destination.variable && from == to) {
    if (!pad && source.getPlace()->root->type.isTensor())
      pad = makeDefaultPad(from, source.range);
    emit(std::make_unique<checked::CopyStmt>(
        range, takePlace(source), takePlace(destination), std::move(pad)));
    return;
  }
  ExprPtr value =
      readsMemory ? makeLoad(takePlace(source), source.range, std::move(pad))
                  : std::move(source.value);
  value = makeConvert(std::move(value), to);
  if (destination.variable)
    emit(std::make_unique<checked::AssignStmt>(range, destination.variable,
                                               std::move(value)));
  else
    emit(std::make_unique<checked::StoreTileStmt>(range, takePlace(destination),
                                                  std::move(value)));
}

//===----------------------------------------------------------------------===//
// clear and fill
//===----------------------------------------------------------------------===//

void Checker::checkFill(const ast::CallExpr &call, bool isClear) {
  std::optional<Arguments> arguments = matchArguments(
      call, isClear ? 1 : 2, isClear ? "clear(x)" : "fill(x, v)");
  if (!arguments)
    return;
  const ast::Expr &target = *arguments->positional[0];
  SourceRange range = target.getRange();
  std::string name = call.callee.text.str();

  Variable *variable = nullptr;
  ExprPtr memoryExpr;
  if (const auto *named = llvm::dyn_cast<ast::NameExpr>(&target)) {
    variable = lookup(named->name);
    if (variable && !variable->type.isFragment())
      variable = nullptr;
    if (variable && !checkAssignable(variable, *named))
      return;
  }
  if (!variable) {
    memoryExpr = check(target);
    if (memoryExpr->type.isInvalid())
      return;
  }
  auto *memory = llvm::dyn_cast_or_null<checked::MemoryExpr>(memoryExpr.get());
  bool isTile = variable || (memory && memory->place.root->type.isShared() &&
                             !memory->place.isAnchor);
  if (!isTile) {
    bool isTensor = memory && memory->place.root->type.isTensor();
    error(range, "'" + name +
                     "' takes a 'var' fragment or a shared tile, and '" +
                     getQuotedText(range) + "' is " +
                     (isTensor ? "a tensor"
                      : memory ? "an element"
                               : memoryExpr->type.describe()));
    return;
  }
  if (memory && !checkWritable(memory->place, getBaseRange(target)))
    return;

  ElementType element =
      variable ? variable->type.getElement() : memory->place.getElement();
  ExprPtr value;
  if (!isClear)
    value = checkScalar(*arguments->positional[1], "the value of 'fill'");
  else if (isFloat(element))
    value = makeConstant(Type::getUntypedFloat(), call.getRange(), 0.0);
  else if (element == ElementType::Bool)
    value = makeConstant(Type::getBool(), call.getRange(), false);
  else
    value = makeConstant(Type::getUntypedInt(), call.getRange(), Integer(0));
  if (isClear && element == ElementType::E8M0) {
    error(range, "'" + getQuotedText(range) + "' is e8m0, which has no zero")
        .withHelp("write fill(" + getQuotedText(range) + ", 1.0)");
    return;
  }
  value = convertTo(std::move(value), element);
  if (value->type.isInvalid())
    return;
  Extents extents = variable ? Extents(variable->type.getExtents())
                             : memory->place.getExtents();
  value = broadcastTo(std::move(value), extents);
  if (variable) {
    undefined.erase(variable);
    emit(std::make_unique<checked::AssignStmt>(call.getRange(), variable,
                                               std::move(value)));
  } else {
    auto store = std::make_unique<checked::StoreTileStmt>(
        call.getRange(), std::move(memory->place), std::move(value));
    store->isPlaceFirst = true;
    emit(std::move(store));
  }
}
