//===- CheckKernel.cpp - A kernel and its clauses -------------------------===//
//
// Order matters little to the reader of a kernel (clauses and types may use
// config names before they are written) but here it does: config first, then
// parameters with their symbols, facts, which may fix symbols, and only then
// what uses them all.
//
//===----------------------------------------------------------------------===//
#include "compiler/Frontend/Sema/Checker.h"
#include "compiler/Frontend/Syntax/Lexer.h"
#include "compiler/Frontend/Syntax/Parser.h"

using namespace tilec;
using llvm::StringRef;

checked::Kernel Checker::checkKernel(const ast::KernelDecl &decl) {
  kernel.name = decl.name.text.str();
  kernel.range = decl.name.range;
  Scope scope(*this);
  unsigned errorsBefore = diagnostics.getErrorCount();
  checkConfig(decl);
  // Everything below is made of these constants.
  if (diagnostics.getErrorCount() != errorsBefore)
    return std::move(kernel);
  checkParameters(decl);
  checkFacts(decl);
  finishParameters();
  checkGrid(decl);
  checkThreads(decl);
  checkBlock(*decl.body);
  structureReturns();
  checkDepth(kernel.body);
  if (diagnostics.getErrorCount() == errorsBefore)
    reportUnfedTiles();
  return std::move(kernel);
}

//===----------------------------------------------------------------------===//
// config
//===----------------------------------------------------------------------===//

const Define *Checker::findDefine(StringRef name) {
  // The last one wins, as with any command line option.
  for (const Define &define : llvm::reverse(defines))
    if (define.name == name) {
      usedDefines.insert(name);
      return &define;
    }
  return nullptr;
}

/// The value of `-D NAME=VALUE`, which is an expression of constants.
Checker::ExprPtr Checker::evaluateDefine(const Define &define) {
  std::string head = "-D " + define.name + "=" + define.value + ": ";
  // Positions in an option mean little, so only the message is kept.
  DiagnosticEngine inner;
  std::vector<Token> tokens = lex(define.value, inner);
  ast::ExprPtr syntax = parseLoneExpr(tokens, inner);
  ExprPtr value;
  if (syntax && !inner.hasErrors()) {
    llvm::StringSet<> used;
    Checker checker(program, {}, used, inner);
    Scope scope(checker);
    value = checker.check(*syntax);
  }
  if (value && !inner.hasErrors() && value->constant)
    return makeConstant(value->type, SourceRange(), *value->constant);
  diagnostics.error(SourceRange(),
                    head + (inner.hasErrors() ? inner.getFirstMessage()
                                              : "this is not a constant"));
  return makeInvalid(SourceRange());
}

std::optional<Constant>
Checker::getOverride(const ast::Name &name, const Constant &value, Type &type) {
  const Define *define = findDefine(name.text);
  if (!define)
    return value;
  ExprPtr override = evaluateDefine(*define);
  if (override->type.isInvalid())
    return std::nullopt;
  // An integer may stand for a float.
  if (type.getKind() == Type::Kind::UntypedFloat &&
      override->type.getKind() == Type::Kind::UntypedInt)
    return static_cast<double>(std::get<Integer>(*override->constant));
  if (override->constant->index() == value.index()) {
    type = override->type;
    return override->constant;
  }
  auto describe = [](const Constant &constant) -> StringRef {
    static constexpr StringRef kinds[] = {"a bool", "an integer", "a float",
                                          "a type", "a string"};
    return kinds[constant.index()];
  };
  diagnostics
      .error(SourceRange(), "-D " + define->name + "=" + define->value + ": '" +
                                define->name + "' is " + describe(value) +
                                ", and this is " +
                                describe(*override->constant))
      .note(name.range.Start, "'" + name.text + "' is declared here");
  return std::nullopt;
}

void Checker::checkChoices(const ast::ConfigConstant &constant,
                           checked::ConfigValue &value) {
  for (const auto &choice : constant.choices) {
    ExprPtr expr = check(*choice);
    if (expr->type.isInvalid())
      continue;
    if (!expr->constant || expr->constant->index() != value.value.index())
      error(choice->getRange(),
            "'" + getQuotedText(choice->getRange()) + "' is not a value for '" +
                constant.name.text + "' = " + formatConstant(value.value));
    else
      value.choices.push_back(*expr->constant);
  }
}

void Checker::checkConfig(const ast::KernelDecl &decl) {
  for (const ast::ConfigConstant &constant : decl.config) {
    ExprPtr value = check(*constant.value);
    Type type = value->type;
    bool isGood = !type.isInvalid();
    if (isGood && (!value->constant || type.getKind() == Type::Kind::String)) {
      if (value->constant)
        error(value->range, "a config constant is a number, a bool or a type");
      else
        reportNotConstant(*constant.value, "a config constant");
      isGood = false;
    }
    std::optional<Constant> result;
    if (isGood)
      result = getOverride(constant.name, *value->constant, type);
    if (!result)
      type = Type::getInvalid();
    Variable *variable = declare(constant.name, Variable::Role::Constant, type);
    if (!result)
      continue;
    variable->constant = result;
    variable->known = Known::CompileTime;
    if (!findDefine(constant.name.text))
      configDefaults.insert(constant.name.text);
    checked::ConfigValue entry{constant.name.text.str(), *result, {}};
    checkChoices(constant, entry);
    kernel.config.push_back(std::move(entry));
  }
}

//===----------------------------------------------------------------------===//
// where, grid and threads
//===----------------------------------------------------------------------===//

/// The symbol and value of a fact `SYMBOL == constant`, either way round.
static std::optional<std::pair<checked::Variable *, int64_t>>
matchFixing(const checked::Expr &fact) {
  const auto *binary = llvm::dyn_cast<checked::BinaryExpr>(&fact);
  if (!binary || binary->op != ast::BinaryOp::Equal)
    return std::nullopt;
  for (unsigned i = 0; i < 2; ++i) {
    const auto *read =
        llvm::dyn_cast<checked::ReadExpr>(binary->operands[i].get());
    const checked::Expr &other = *binary->operands[1 - i];
    if (!read || read->variable->role != checked::Variable::Role::Symbol ||
        !other.constant)
      continue;
    return std::pair(read->variable,
                     static_cast<int64_t>(std::get<Integer>(*other.constant)));
  }
  return std::nullopt;
}

/// "K = 200, G = 128": the values that a fact is about.
std::string Checker::listValues(const ast::Expr &fact) {
  llvm::SmallVector<const ast::NameExpr *> names;
  collectNames(&fact, names);
  std::string text;
  llvm::StringSet<> seen;
  for (const ast::NameExpr *name : names) {
    Variable *variable = lookup(name->name);
    if (!variable || !variable->constant || !seen.insert(name->name).second)
      continue;
    text += (text.empty() ? "" : ", ") + name->name.str() + " = " +
            formatConstant(*variable->constant);
  }
  return text;
}

void Checker::checkFacts(const ast::KernelDecl &decl) {
  struct LaunchFact {
    std::optional<checked::Fact> fact;
    /// The compiler takes it for granted, so that the launch checks it.
    bool isAssumed = false;
  };
  // First what fixes symbols, whatever order the facts are in: others may show
  // to hold, or not to, once sizes are known.
  llvm::SmallVector<LaunchFact> launchFacts;
  for (const ast::ExprPtr &syntax : decl.facts) {
    LaunchFact &launchFact = launchFacts.emplace_back();
    ExprPtr fact = checkCondition(*syntax, "a fact");
    if (fact->type.isInvalid() || fact->constant)
      continue;
    std::optional<checked::LaunchExpr> condition =
        makeLaunchExpr(*fact, "a fact");
    if (!condition)
      continue;
    launchFact.fact = checked::Fact{std::move(*condition),
                                    getOneLineText(syntax->getRange())};
    if (auto fixing = matchFixing(*fact)) {
      launchFact.isAssumed = true;
      fixSymbol(fixing->first, fixing->second, syntax->getRange());
    }
  }
  for (auto [syntax, launchFact] : llvm::zip_equal(decl.facts, launchFacts)) {
    ExprPtr fact = checkCondition(*syntax, "a fact");
    if (fact->type.isInvalid())
      continue;
    if (fact->constant && !std::get<bool>(*fact->constant)) {
      std::string values = listValues(*syntax);
      error(syntax->getRange(), "'" + getQuotedText(syntax->getRange()) +
                                    "' does not hold" +
                                    (values.empty() ? "" : ": " + values));
      continue;
    }
    bool isOpen = !fact->constant || launchFact.isAssumed;
    if (launchFact.fact && isOpen)
      kernel.facts.push_back(std::move(*launchFact.fact));
  }
}

void Checker::checkGrid(const ast::KernelDecl &decl) {
  constexpr unsigned mostAxes = 5;
  hasGrid = decl.hasGrid;
  if (decl.axes.size() > mostAxes)
    error(decl.axes[mostAxes].name.range,
          "a grid has at most " + llvm::Twine(mostAxes) +
              " axes, this one has " + llvm::Twine(decl.axes.size()));
  for (const auto &[index, axis] : llvm::enumerate(decl.axes)) {
    ExprPtr extent = checkScalar(*axis.extent, "an extent of the grid");
    bool isInteger =
        !extent->type.isInvalid() &&
        (extent->type.getKind() == Type::Kind::UntypedInt ||
         (extent->type.isScalar() && isInt(extent->type.getElement())));
    if (!extent->type.isInvalid() && !isInteger)
      error(axis.extent->getRange(), "an extent of the grid is an integer, "
                                     "found " +
                                         extent->type.describe());
    Variable *variable =
        declare(axis.name, Variable::Role::Axis,
                isInteger ? Type::getIndex() : Type::getInvalid());
    variable->index = index;
    variable->range = {{0, INT32_MAX}};
    if (!isInteger)
      continue;
    if (extent->constant && std::get<Integer>(*extent->constant) < 0) {
      error(axis.extent->getRange(), "an extent of the grid is negative: " +
                                         formatConstant(*extent->constant));
      continue;
    }
    std::optional<checked::LaunchExpr> launch =
        makeLaunchExpr(*extent, "an extent of the grid");
    if (launch)
      kernel.axes.push_back({axis.name.text.str(), std::move(*launch)});
  }
}

void Checker::checkThreads(const ast::KernelDecl &decl) {
  // Enough for one tensor core instruction of any kind, and never too many.
  constexpr int64_t defaultThreads = 128;
  kernel.threads = defaultThreads;
  if (!decl.threads)
    return;
  hasThreads = true;
  std::optional<Integer> threads =
      checkConstantInteger(*decl.threads, "'threads'");
  if (!threads)
    return;
  if (*threads > 0 && *threads <= 1024 && *threads % 32 == 0) {
    kernel.threads = static_cast<int64_t>(*threads);
    return;
  }
  Diagnostic &diagnostic =
      error(decl.threads->getRange(),
            "'threads' is a multiple of 32 up to 1024, found " +
                formatConstant(Constant(*threads)));
  if (*threads < 32)
    diagnostic.withHelp("use 32");
  else if (*threads > 1024)
    diagnostic.withHelp("use 1024");
  else
    diagnostic.withHelp(
        "use " + formatConstant(Constant(Integer(*threads / 32 * 32))) +
        " or " + formatConstant(Constant(Integer(*threads / 32 * 32 + 32))));
}
