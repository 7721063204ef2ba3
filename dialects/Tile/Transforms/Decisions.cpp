//===- Decisions.cpp - Choices that a kernel may take from outside --------===//

#include "dialects/Tile/Transforms/Decisions.h"

using namespace mlir;
using namespace mlir::tile;

static constexpr StringLiteral setOutside = "set with --set or annotate";

using Kind = DecisionSpec::Kind;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Attribute tile::parseDecisionValue(MLIRContext *context, StringRef text) {
  Builder builder(context);
  int64_t integer;
  if (!text.getAsInteger(10, integer))
    return builder.getI64IntegerAttr(integer);
  if (text == "true" || text == "false")
    return builder.getBoolAttr(text == "true");
  return builder.getStringAttr(text);
}

/// An integer, but no bool.
static std::optional<int64_t> getInteger(Attribute value) {
  auto integer = dyn_cast<IntegerAttr>(value);
  if (!integer || integer.getType().isInteger(1) ||
      !integer.getValue().isSignedIntN(64))
    return std::nullopt;
  return integer.getValue().getSExtValue();
}

static std::optional<std::pair<int64_t, int64_t>> getWarpGrid(Attribute value) {
  auto text = dyn_cast<StringAttr>(value);
  return text ? parseWarpGrid(text.getValue()) : std::nullopt;
}

static std::string describeKind(const DecisionSpec &spec) {
  switch (spec.kind) {
  case Kind::Integer:
    return "a whole number from " + std::to_string(spec.least) + " to " +
           std::to_string(spec.most);
  case Kind::Boolean:
    return "true or false";
  case Kind::Word:
    return spec.words.empty() ? "a word" : spec.words.str();
  case Kind::WarpGrid:
    return "warps along M and N, such as 2x4,";
  }
  llvm_unreachable("every kind is described");
}

static bool fits(const DecisionSpec &spec, Attribute value) {
  switch (spec.kind) {
  case Kind::Integer: {
    std::optional<int64_t> integer = getInteger(value);
    return integer && *integer >= spec.least && *integer <= spec.most;
  }
  case Kind::Boolean:
    return isa<BoolAttr>(value);
  case Kind::Word: {
    auto word = dyn_cast<StringAttr>(value);
    SmallVector<StringRef> words;
    auto [first, last] = spec.words.split(" or ");
    first.split(words, ", ", /*MaxSplit=*/-1, /*KeepEmpty=*/false);
    if (!last.empty())
      words.push_back(last);
    return word &&
           (words.empty() || llvm::is_contained(words, word.getValue()));
  }
  case Kind::WarpGrid:
    return getWarpGrid(value).has_value();
  }
  llvm_unreachable("every kind is checked");
}

static std::string spell(Attribute value) {
  if (auto text = dyn_cast<StringAttr>(value))
    return text.getValue().str();
  std::string spelt;
  llvm::raw_string_ostream os(spelt);
  value.print(os, /*elideType=*/true);
  return spelt;
}

std::string tile::describeDecisionFault(const DecisionSpec &spec,
                                        Attribute value) {
  if (fits(spec, value))
    return "";
  std::string kind = describeKind(spec);
  return "takes " + kind + (StringRef(kind).ends_with(",") ? "" : ",") +
         " found '" + spell(value) + "'";
}

//===----------------------------------------------------------------------===//
// Decisions of a kernel
//===----------------------------------------------------------------------===//

static Attribute getDecided(KernelOp kernel, StringRef name) {
  auto decisions = kernel.getDecisions();
  return decisions ? decisions->get(name) : Attribute();
}

LogicalResult tile::checkDecisions(KernelOp kernel) {
  DictionaryAttr decisions = kernel.getDecisions().value_or(DictionaryAttr());
  if (!decisions)
    return success();
  for (NamedAttribute decision : decisions) {
    StringRef name = decision.getName();
    const DecisionSpec *spec = findDecisionSpec(name);
    if (!spec)
      return kernel.emitError("there is no decision '") << name << "'";
    std::string fault = describeDecisionFault(*spec, decision.getValue());
    if (!fault.empty())
      return kernel.emitError("decision '") << name << "' " << fault;
  }
  return success();
}

std::optional<int64_t> tile::getDecidedInteger(KernelOp kernel,
                                               StringRef name) {
  Attribute value = getDecided(kernel, name);
  return value ? getInteger(value) : std::nullopt;
}

std::optional<bool> tile::getDecidedFlag(KernelOp kernel, StringRef name) {
  auto flag = dyn_cast_or_null<BoolAttr>(getDecided(kernel, name));
  return flag ? std::optional(flag.getValue()) : std::nullopt;
}

std::optional<StringRef> tile::getDecidedWord(KernelOp kernel, StringRef name) {
  auto word = dyn_cast_or_null<StringAttr>(getDecided(kernel, name));
  return word ? std::optional(word.getValue()) : std::nullopt;
}

std::optional<std::pair<int64_t, int64_t>>
tile::getDecidedWarpGrid(KernelOp kernel) {
  Attribute value = getDecided(kernel, "warps");
  return value ? getWarpGrid(value) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

void tile::noteChoice(KernelOp kernel, Location loc, const Choice &choice) {
  Builder builder(kernel.getContext());
  int64_t line = 0;
  loc->walk([&](Location part) {
    auto place = dyn_cast<FileLineColLoc>(part);
    line = place ? place.getLine() : 0;
    return place ? WalkResult::interrupt() : WalkResult::advance();
  });
  bool isDecided = getDecided(kernel, choice.name) != nullptr;
  auto text = [&](StringRef name, StringRef value) {
    return builder.getNamedAttr(name, builder.getStringAttr(value));
  };
  SmallVector<Attribute> choices;
  if (auto earlier = kernel->getAttrOfType<ArrayAttr>(choicesAttrName))
    llvm::append_range(choices, earlier);
  choices.push_back(builder.getDictionaryAttr(
      {text("name", choice.name), text("value", choice.value),
       text("candidates", choice.candidates),
       text("reason", isDecided ? setOutside.str() : choice.reason),
       builder.getNamedAttr("line", builder.getI64IntegerAttr(line))}));
  kernel->setAttr(choicesAttrName, builder.getArrayAttr(choices));
}

int64_t tile::getPersistentGroup(KernelOp kernel, PersistentOp loop) {
  if (auto decided = getDecidedInteger(kernel, "raster"))
    return *decided;
  return loop.getGroup() ? int64_t(*loop.getGroup()) : defaultRaster;
}

void tile::noteLaunchChoices(KernelOp kernel) {
  Location loc = kernel.getLoc();
  for (auto loop : kernel.getBody().getOps<PersistentOp>())
    if (loop.getExtents().size() >= 2)
      noteChoice(kernel, loop.getLoc(),
                 {"raster", std::to_string(getPersistentGroup(kernel, loop)),
                  "any number of rows, 0 for none",
                  loop.getGroup() ? "the 'group' of the loop"
                                  : "the default: rows of tuples that share "
                                    "operands in L2"});
  if (kernel.getGrid().size() >= 2)
    noteChoice(
        kernel, loc,
        {"raster",
         std::to_string(
             getDecidedInteger(kernel, "raster").value_or(defaultRaster)),
         "any number of rows, 0 for none",
         "the default: rows of blocks that share operands in L2"});
  std::optional<int64_t> minBlocks = getDecidedInteger(kernel, "min_blocks");
  noteChoice(kernel, loc,
             {"min_blocks", minBlocks ? std::to_string(*minBlocks) : "1",
              "1 to 32", "the default: registers are not limited"});
  if (auto overlap = getDecidedWord(kernel, "overlap"))
    noteChoice(kernel, loc,
               {"overlap", overlap->str(), "none, wait, weights", ""});
}
