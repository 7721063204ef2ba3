//===- CheckLoops.cpp - range, pipelined and unrolled loops ---------------===//
#include "compiler/Frontend/Sema/Checker.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace tilec;
using llvm::StringRef;

void Checker::checkFor(const ast::ForStmt &loop) {
  StringRef word = ast::getSpelling(loop.loop);
  bool takesMany = loop.loop == ast::LoopKind::Parallel ||
                   loop.loop == ast::LoopKind::Persistent;
  if (!takesMany && loop.variables.size() != 1) {
    error(loop.variables[1].range, "'" + word + "' has one loop variable")
        .withHelp("only 'parallel' and 'persistent' have several; nest the "
                  "loops instead");
    return;
  }
  switch (loop.loop) {
  case ast::LoopKind::Range:
    return checkSequential(loop);
  case ast::LoopKind::Pipelined:
    if (!parallel)
      return checkSequential(loop);
    error(loop.loopRange, "'pipelined' cannot be used inside 'parallel'")
        .withHelp("use 'range'");
    return;
  case ast::LoopKind::Unrolled:
    return checkUnrolled(loop);
  case ast::LoopKind::Parallel:
    return checkParallel(loop);
  case ast::LoopKind::Persistent:
    return checkPersistent(loop);
  }
}

/// `(n)`, `(lo, hi)` or `(lo, hi, step)`.
std::optional<Checker::Bounds>
Checker::checkBounds(const ast::ForStmt &loop, const Arguments &arguments) {
  StringRef word = ast::getSpelling(loop.loop);
  const auto &given = arguments.positional;
  if (given.empty() || given.size() > 3) {
    error(loop.loopRange, "'" + word + "' takes 1 to 3 bounds, found " +
                              llvm::Twine(given.size()))
        .withHelp("write " + word + "(n), " + word + "(lo, hi) or " + word +
                  "(lo, hi, step)");
    return std::nullopt;
  }
  Bounds bounds;
  if (given.size() == 1)
    bounds.lower =
        makeConstant(Type::getIndex(), given[0]->getRange(), Integer(0));
  else
    bounds.lower =
        convertTo(checkScalar(*given[0], "a bound"), ElementType::Int64);
  bounds.upper =
      convertTo(checkScalar(*given[given.size() == 1 ? 0 : 1], "a bound"),
                ElementType::Int64);
  if (given.size() == 3) {
    std::optional<int64_t> step = checkExtent(*given[2], "a step");
    if (!step)
      return std::nullopt;
    bounds.step = *step;
  }
  if (bounds.lower->type.isInvalid() || bounds.upper->type.isInvalid())
    return std::nullopt;
  return bounds;
}

void Checker::checkSequential(const ast::ForStmt &loop) {
  bool isPipelined = loop.loop == ast::LoopKind::Pipelined;
  static constexpr StringRef pipelineOptions[] = {"stages", "split"};
  llvm::ArrayRef<StringRef> options;
  if (isPipelined)
    options = pipelineOptions;
  std::optional<Arguments> arguments =
      matchOptions(ast::getSpelling(loop.loop), loop.arguments, options);
  std::optional<Bounds> bounds;
  if (arguments)
    bounds = checkBounds(loop, *arguments);

  Scope scope(*this);
  Variable *variable = declare(loop.variables[0], Variable::Role::LoopIndex,
                               bounds ? Type::getIndex() : Type::getInvalid());
  auto stmt = std::make_unique<checked::LoopStmt>(loop.getRange(), variable);
  stmt->isPipelined = isPipelined;
  bool isGood =
      bounds && (!isPipelined || checkPipelineOptions(*arguments, *stmt));
  if (bounds) {
    std::optional<checked::IntegerRange> low = getRange(*bounds->lower),
                                         high = getRange(*bounds->upper);
    if (low && high)
      variable->range = {{low->low, std::max(low->low, high->high - 1)}};
    if (parallel) {
      variable->known = Known::PerIteration;
      variable->dependence =
          getDependence(*bounds->lower) | getDependence(*bounds->upper);
    }
    stmt->lower = std::move(bounds->lower);
    stmt->upper = std::move(bounds->upper);
    stmt->step = bounds->step;
  }

  Nesting jumps = checkLoopBody(
      *loop.body,
      {isPipelined ? Nesting::Kind::Pipelined : Nesting::Kind::Range,
       loop.loopRange},
      stmt->body);
  if (isGood)
    emitLoop(std::move(stmt), jumps);
}

/// True if the value comes from a config default: the compiler may then lower
/// it. A number in the loop, or one set by `-D`, is meant.
bool Checker::usesConfigDefault(const ast::Expr &syntax) {
  return llvm::TypeSwitch<const ast::Expr *, bool>(&syntax)
      .Case<ast::NameExpr>(
          [&](const auto *name) { return configDefaults.contains(name->name); })
      .Case<ast::UnaryExpr>(
          [&](const auto *unary) { return usesConfigDefault(*unary->operand); })
      .Case<ast::BinaryExpr>([&](const auto *binary) {
        return usesConfigDefault(*binary->left) ||
               usesConfigDefault(*binary->right);
      })
      .Case<ast::CallExpr>([&](const auto *call) {
        return llvm::any_of(call->arguments, [&](const ast::Argument &arg) {
          return usesConfigDefault(*arg.value);
        });
      })
      .Default(false);
}

bool Checker::checkPipelineOptions(const Arguments &arguments,
                                   checked::LoopStmt &stmt) {
  // As many as `--set stages` takes.
  constexpr Integer mostStages = 32;
  if (const ast::Expr *syntax = arguments.getOption("stages")) {
    std::optional<Integer> stages = checkConstantInteger(*syntax, "'stages'");
    if (!stages)
      return false;
    if (*stages < 0 || *stages > mostStages) {
      error(syntax->getRange(),
            "'stages' is 0 to 32, found " + formatConstant(Constant(*stages)));
      return false;
    }
    stmt.stages = static_cast<int64_t>(*stages);
    stmt.areStagesFixed = !usesConfigDefault(*syntax);
  }
  if (const ast::Expr *syntax = arguments.getOption("split")) {
    std::optional<int64_t> split = checkExtent(*syntax, "'split'");
    if (!split)
      return false;
    bool isPersistent = llvm::any_of(nesting, [](const Nesting &around) {
      return around.kind == Nesting::Kind::Persistent;
    });
    if (*split > 1 && isPersistent) {
      error(syntax->getRange(), "'split' cannot be used inside 'persistent', "
                                "where one block runs each tuple");
      return false;
    }
    stmt.split = *split;
    stmt.splitRange = syntax->getRange();
  }
  return true;
}

/// Checks the body once for each value of the variable.
void Checker::checkUnrolled(const ast::ForStmt &loop) {
  std::optional<Arguments> arguments =
      matchOptions("unrolled", loop.arguments, {});
  std::optional<Bounds> bounds;
  if (arguments)
    bounds = checkBounds(loop, *arguments);
  if (!bounds)
    return;
  const auto &given = arguments->positional;
  for (const ExprPtr *bound : {&bounds->lower, &bounds->upper}) {
    if ((*bound)->constant)
      continue;
    bool isLower = bound == &bounds->lower && given.size() > 1;
    reportNotConstant(*given[isLower || given.size() == 1 ? 0 : 1],
                      "a bound of 'unrolled'");
    return;
  }
  auto lower = std::get<Integer>(*bounds->lower->constant);
  auto upper = std::get<Integer>(*bounds->upper->constant);
  constexpr Integer mostCopies = 1024;
  Integer copies =
      lower < upper ? (upper - lower + bounds->step - 1) / bounds->step : 0;
  if (copies > mostCopies) {
    bool fits = copies <= INT64_MAX;
    error(loop.loopRange,
          "'unrolled' makes at most 1,024 copies, and this loop has " +
              (fits ? formatWithSeparators(static_cast<int64_t>(copies))
                    : "more"))
        .withHelp("use 'range'");
    return;
  }
  for (Integer value = lower; value < upper; value += bounds->step) {
    unsigned errorsBefore = diagnostics.getErrorCount();
    Scope scope(*this);
    Variable *variable =
        declare(loop.variables[0], Variable::Role::LoopIndex, Type::getIndex());
    variable->constant = value;
    variable->known = Known::CompileTime;
    nesting.push_back({Nesting::Kind::Unrolled, loop.loopRange});
    checkBlock(*loop.body);
    nesting.pop_back();
    // Further copies would repeat what is wrong with this one.
    if (diagnostics.getErrorCount() != errorsBefore)
      return;
  }
}
