//===- CheckAnnotate.cpp - Decisions made in the source -------------------===//
#include "compiler/Frontend/Sema/Checker.h"
#include "compiler/Frontend/Sema/LayoutAnnotation.h"
#include "dialects/Tile/Transforms/DecisionTable.h"

using namespace tilec;
using llvm::StringRef;
using mlir::tile::DecisionSpec;

void Checker::checkAnnotate(const ast::CallExpr &call) {
  if (call.arguments.empty()) {
    error(call.callee.range, "'annotate' says what to decide")
        .withHelp("write annotate(x, swizzle = 128), or annotate(cluster = 2)");
    return;
  }
  const ast::Argument &first = call.arguments.front();
  if (first.name)
    return annotateKernel(call);
  if (const auto *name = llvm::dyn_cast<ast::NameExpr>(first.value.get()))
    return annotateTile(call, *name);
  error(first.value->getRange(), "'annotate' takes the name of a tile, and '" +
                                     getQuotedText(first.value->getRange()) +
                                     "' is an expression")
      .withHelp("an annotation is about a whole tile");
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

void Checker::annotateKernel(const ast::CallExpr &call) {
  if (!isTopLevel()) {
    error(call.callee.range, "an annotation of the kernel stands at its top "
                             "level");
    return;
  }
  for (const ast::Argument &argument : call.arguments) {
    SourceRange range = argument.value->getRange();
    StringRef name = argument.name.text;
    const DecisionSpec *spec = mlir::tile::findDecisionSpec(name);
    if (!spec) {
      llvm::SmallVector<StringRef> names = {"swizzle", "padding", "layout"};
      for (const DecisionSpec &other : mlir::tile::getDecisionSpecs())
        names.push_back(other.name);
      bool isOfTile =
          llvm::is_contained({"swizzle", "padding", "layout"}, name);
      Diagnostic &diagnostic =
          error(argument.name.range,
                isOfTile ? "'" + name + "' is decided for a tile"
                         : "there is no decision '" + name + "'");
      if (isOfTile)
        diagnostic.withHelp("write annotate(x, " + name + " = " +
                            getQuotedText(range) + ")");
      else if (std::optional<std::string> similar = findSimilar(name, names))
        diagnostic.withHelp("did you mean '" + *similar + "'?");
      else
        diagnostic.withHelp("'tilec report' shows the decisions that have a "
                            "name");
      return;
    }
    bool isTwice =
        llvm::any_of(kernel.decisions, [&](const checked::Decision &decision) {
          return decision.name == name;
        });
    if (isTwice) {
      error(argument.name.range, "'" + name + "' is decided already");
      return;
    }
    std::optional<Constant> value;
    switch (spec->kind) {
    case DecisionSpec::Kind::Integer: {
      std::optional<Integer> number =
          checkConstantInteger(*argument.value, "'" + name.str() + "'");
      if (!number)
        return;
      if (*number < spec->least || *number > spec->most) {
        error(range, "'" + name + "' is " + llvm::Twine(spec->least) + " to " +
                         formatWithSeparators(spec->most) + ", found " +
                         formatConstant(Constant(*number)));
        return;
      }
      value = *number;
      break;
    }
    case DecisionSpec::Kind::Boolean: {
      std::optional<bool> flag =
          checkConstantBool(*argument.value, "'" + name.str() + "'");
      if (!flag)
        return;
      value = *flag;
      break;
    }
    case DecisionSpec::Kind::Word:
    case DecisionSpec::Kind::WarpGrid: {
      const auto *word = llvm::dyn_cast<ast::StringExpr>(argument.value.get());
      if (!word) {
        error(range, "'" + name + "' is a string, found '" +
                         getQuotedText(range) + "'");
        return;
      }
      if (spec->kind == DecisionSpec::Kind::WarpGrid &&
          !mlir::tile::parseWarpGrid(word->value)) {
        error(range, "'" + name + "' is warps along M and N, found " +
                         getQuotedText(range))
            .withHelp("write e.g. annotate(" + name + " = \"2x4\")");
        return;
      }
      value = word->value;
      break;
    }
    }
    kernel.decisions.push_back({name.str(), std::move(*value)});
  }
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

void Checker::annotateTile(const ast::CallExpr &call,
                           const ast::NameExpr &name) {
  SourceRange range = name.getRange();
  std::optional<Arguments> arguments = matchArguments(
      call, 1, "annotate(x, swizzle = 128)", {"swizzle", "padding", "layout"});
  if (!arguments)
    return;
  // An annotation is no use, so that the name is looked up by hand.
  Variable *variable = nullptr;
  for (unsigned i = firstVisibleScope; i < scopes.size(); ++i)
    if (Variable *found = scopes[i].lookup(name.name))
      variable = found;
  if (!variable) {
    checkName(name);
    return;
  }
  if (variable->type.isInvalid())
    return;
  bool isTile =
      variable->role == Variable::Role::Shared || variable->type.isFragment();
  if (!isTile) {
    error(range, "'annotate' takes a shared tile or fragment, and '" +
                     name.name + "' is " +
                     (variable->role == Variable::Role::Alias
                          ? "a second name for memory"
                          : variable->type.describe()));
    return;
  }
  if (used.contains(variable)) {
    error(range, "'annotate' comes before the first use of '" + name.name + "'")
        .note(variable->declared.Start,
              "'" + variable->name + "' is declared here")
        .withHelp("move it next to the declaration");
    return;
  }
  if (arguments->options.empty()) {
    error(call.callee.range,
          "'annotate' says what to decide about '" + name.name + "'")
        .withHelp(variable->type.isShared()
                      ? "write annotate(x, swizzle = 128)"
                      : "write annotate(x, layout = \"...\")");
    return;
  }
  for (const ast::Argument &argument : llvm::drop_begin(call.arguments)) {
    StringRef option = argument.name.text;
    if (option == "layout")
      annotateLayout(*variable, *argument.value);
    else
      annotateShared(*variable, option, *argument.value);
  }
}

/// `swizzle` and `padding`, both in bytes.
void Checker::annotateShared(Variable &variable, StringRef option,
                             const ast::Expr &syntax) {
  SourceRange range = syntax.getRange();
  if (!variable.type.isShared()) {
    error(range, "'" + option + "' is for shared tiles, and '" + variable.name +
                     "' is a fragment")
        .withHelp("a fragment has a layout: annotate(x, layout = \"...\")");
    return;
  }
  std::optional<int64_t> &decided =
      option == "swizzle" ? variable.swizzle : variable.padding;
  if (decided || !variable.layout.empty()) {
    error(range, "the layout of '" + variable.name + "' is decided already");
    return;
  }
  std::optional<Integer> value =
      checkConstantInteger(syntax, "'" + option.str() + "'");
  if (!value)
    return;
  constexpr Integer mostPadding = 1024;
  bool isGood = option == "swizzle" ? *value == 0 || *value == 32 ||
                                          *value == 64 || *value == 128
                                    : *value >= 0 && *value <= mostPadding;
  if (isGood)
    decided = static_cast<int64_t>(*value);
  else
    error(range,
          "'" + option + "' is " +
              (option == "swizzle" ? "0, 32, 64 or 128" : "0 to 1,024 bytes") +
              ", found " + formatConstant(Constant(*value)));
}

void Checker::annotateLayout(Variable &variable, const ast::Expr &syntax) {
  SourceRange range = syntax.getRange();
  const auto *text = llvm::dyn_cast<ast::StringExpr>(&syntax);
  if (!text) {
    error(range, "a layout is a string, found '" + getQuotedText(range) + "'");
    return;
  }
  if (!variable.layout.empty() || variable.swizzle || variable.padding) {
    error(range, "the layout of '" + variable.name + "' is decided already");
    return;
  }
  std::string reason = explainLayout(text->value, variable.type);
  if (reason.empty())
    variable.layout = text->value;
  else
    error(range, "this layout does not fit '" + variable.name + "': " + reason)
        .withHelp(variable.type.isShared()
                      ? "write e.g. #tile.shared_layout<swizzle = [3, 4, 3]>"
                      : "write it as 'tilec report' and --emit=nvvm print it: "
                        "#tile.layout<...>");
}
