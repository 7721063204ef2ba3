//===- CheckParallel.cpp - Element loops and their indices ----------------===//
//
// Iterations of `parallel` are independent.  What can be proven about indices
// is proven from two small analyses of the checked tree: which loop variables
// a value may depend on, and whether an index is affine in one of them.
//
//===----------------------------------------------------------------------===//
#include "compiler/Frontend/Sema/Checker.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace tilec;
using checked::AffineIndex;
using checked::IntegerRange;
using llvm::StringRef;

void Checker::checkParallel(const ast::ForStmt &loop) {
  if (parallel) {
    error(loop.loopRange, "'parallel' cannot be used inside 'parallel'")
        .withHelp("give one loop all the variables, or use 'range' inside");
    return;
  }
  std::optional<Arguments> arguments =
      matchOptions("parallel", loop.arguments, {});
  if (!arguments)
    return;
  const auto &given = arguments->positional;
  if (given.size() != loop.variables.size()) {
    error(loop.loopRange,
          "'parallel' has " + llvm::Twine(loop.variables.size()) +
              (loop.variables.size() == 1 ? " loop variable and "
                                          : " loop variables and ") +
              llvm::Twine(given.size()) +
              (given.size() == 1 ? " extent" : " extents"));
    return;
  }
  auto stmt = std::make_unique<checked::ParallelStmt>(loop.getRange());
  bool isGood = true;
  for (const ast::Expr *syntax : given) {
    std::optional<int64_t> extent =
        checkExtent(*syntax, "an extent of 'parallel'");
    isGood &= extent.has_value();
    stmt->extents.push_back(extent.value_or(1));
  }
  isGood = isGood && checkTileSize(stmt->extents, loop.loopRange);

  ParallelContext context;
  context.stmt = stmt.get();
  context.syntax = &loop;
  parallel = &context;
  {
    Scope scope(*this);
    for (const auto &[index, name] : llvm::enumerate(loop.variables)) {
      Variable *variable =
          declare(name, Variable::Role::ParallelIndex, Type::getIndex());
      variable->index = index;
      variable->known = Known::PerIteration;
      variable->dependence = 1u << std::min<size_t>(index, 31);
      variable->range = {{0, stmt->extents[index] - 1}};
      variable->affine = AffineIndex{int(index), 1, 0};
      stmt->variables.push_back(variable);
    }
    if (isGood) {
      nesting.push_back({Nesting::Kind::Parallel, loop.loopRange});
      stmt->body = checkBody(*loop.body);
      nesting.pop_back();
      checkElementReads();
      checkSharedAccesses();
    }
  }
  parallel = nullptr;
  if (isGood)
    emit(std::move(stmt));
}

bool Checker::refuseInParallel(const ast::CallExpr &call) {
  if (!parallel)
    return false;
  StringRef name = call.callee.text;
  Diagnostic &diagnostic = error(
      call.callee.range, "'" + name + "' cannot be used inside 'parallel'");
  if (name == "copy" && call.arguments.size() >= 2) {
    auto getBase = [](const ast::Argument &argument) {
      const ast::Expr *expr = argument.value.get();
      if (const auto *indexed = llvm::dyn_cast<ast::IndexExpr>(expr))
        expr = indexed->base.get();
      return getQuotedText(expr->getRange());
    };
    std::string indices;
    for (const ast::Name &variable : parallel->syntax->variables)
      indices += (indices.empty() ? "" : ", ") + variable.text.str();
    diagnostic.withHelp("assign elements, " + getBase(call.arguments[1]) + "[" +
                        indices + "] = " + getBase(call.arguments[0]) +
                        "[...], or move the copy out of the loop");
  } else {
    diagnostic.withHelp("move it out of the loop");
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Writes
//===----------------------------------------------------------------------===//

/// All iterations that differ only in loop variable `unused` write one element.
void Checker::reportSameElement(const ast::IndexExpr &target, const Expr &value,
                                unsigned unused) {
  const ast::Name &variable = parallel->syntax->variables[unused];
  std::string base = getQuotedText(target.base->getRange());
  std::string help =
      "loop over '" + variable.text.str() + "' with 'range' inside";
  if (const auto *element = llvm::dyn_cast<checked::ElementExpr>(&value))
    help = "reduce instead: " + base + " = reduce_max(" +
           element->variable->name + ", dim = " + std::to_string(unused) +
           "), or " + help;
  error(target.getRange(),
        "iterations of 'parallel' write the same element: the index of '" +
            base + "' does not use '" + variable.text + "'")
      .underline(variable.range)
      .withHelp(help);
}

/// Reports a write to memory whose element does not depend on a loop variable.
void Checker::checkDistinctElements(llvm::ArrayRef<const Expr *> indices,
                                    const ast::IndexExpr &target,
                                    const Expr &value) {
  // Under a condition perhaps one iteration writes.
  if (parallel->conditions != 0)
    return;
  uint32_t used = 0;
  for (const Expr *index : indices)
    used |= getDependence(*index);
  for (auto [dim, extent] : llvm::enumerate(parallel->stmt->extents))
    if (extent > 1 && !(used >> dim & 1))
      return reportSameElement(target, value, dim);
}

void Checker::writeFragmentElement(const ast::IndexExpr &target,
                                   Variable *variable, ExprPtr value,
                                   SourceRange range) {
  SourceRange targetRange = target.getRange();
  if (!parallel) {
    error(targetRange,
          "an element of a fragment is written inside 'parallel' only")
        .withHelp("write for i in parallel(n) { ... }");
    return;
  }
  if (!variable->isMutable()) {
    error(target.base->getRange(),
          "'" + variable->name + "' is declared with 'let' and cannot change")
        .withHelp("declare it as 'var " + variable->name + " = ...'");
    return;
  }
  if (!checkVisible(*variable, target.base->getRange()) ||
      !checkAssignedHere(*variable, target.base->getRange()))
    return;
  if (!checkIndexCount(target, variable->name, variable->type.getRank()))
    return;
  checked::ParallelStmt::Write write{variable, {}, targetRange};
  uint32_t used = 0;
  for (const auto &[dim, index] : llvm::enumerate(target.indices)) {
    ExprPtr expr = checkIndexValue(*index.first, "an index");
    if (expr->type.isInvalid() ||
        !checkElementBounds(*expr, index.range, dim,
                            variable->type.getExtents()[dim], variable->name))
      return;
    std::optional<AffineIndex> affine = getAffine(*expr);
    bool isRepeated =
        affine && affine->variable >= 0 && (used >> affine->variable & 1);
    if (!affine || affine->variable < 0 || isRepeated) {
      error(index.range,
            "a fragment is written at indices a * i + c, each with "
            "a loop variable of its own")
          .withHelp("use the loop variables themselves, or write to a shared "
                    "tile");
      return;
    }
    used |= 1u << affine->variable;
    write.indices.push_back(*affine);
  }
  for (auto [dim, extent] : llvm::enumerate(parallel->stmt->extents))
    if (extent > 1 && !(used >> dim & 1))
      return reportSameElement(target, *value, dim);

  if (const auto *earlier = parallel->stmt->findWrite(variable)) {
    if (earlier->indices != write.indices) {
      error(targetRange, "writing two elements of '" + variable->name +
                             "' in one iteration is not supported yet")
          .underline(earlier->range)
          .withHelp("use two loops, or a shared tile");
      return;
    }
  } else {
    parallel->stmt->writes.push_back(std::move(write));
  }
  undefined.erase(variable);
  emit(std::make_unique<checked::WriteElementStmt>(range, variable,
                                                   std::move(value)));
}

/// A fragment that the loop writes is read only where the iteration writes it.
void Checker::checkElementReads() {
  for (const ParallelContext::Read &read : parallel->reads) {
    const auto *write = parallel->stmt->findWrite(read.variable);
    if (!write)
      continue;
    bool isSame = llvm::all_of(
        llvm::zip_equal(read.indices, write->indices), [](auto pair) {
          return std::get<0>(pair) && *std::get<0>(pair) == std::get<1>(pair);
        });
    if (isSame)
      continue;
    error(read.range, "'" + getQuotedText(read.range) +
                          "' may be written by another iteration")
        .underline(write->range)
        .note(write->range.Start,
              "'" + read.variable->name + "' is written here")
        .withHelp("read from a copy: let x = " + read.variable->name +
                  "; before the loop");
  }
}

/// Notes an element of a shared tile at indices a * i + c; others are not
/// looked into.
void Checker::recordSharedAccess(const Place &place, SourceRange range,
                                 bool isWrite) {
  // Under a condition perhaps one iteration comes here.
  if (!parallel || parallel->conditions != 0 || place.base ||
      !place.root->type.isShared())
    return;
  ParallelContext::SharedAccess access{place.root, {}, range, isWrite};
  for (const Place::Dim &dim : place.dims) {
    std::optional<AffineIndex> index =
        dim.offset ? getAffine(*dim.offset) : AffineIndex();
    if (!index)
      return;
    access.indices.push_back(*index);
  }
  parallel->sharedAccesses.push_back(std::move(access));
}

/// True if an iteration provably comes to an element by `a` and another one to
/// the same element by `b`.
static bool doMeet(llvm::ArrayRef<AffineIndex> a, llvm::ArrayRef<AffineIndex> b,
                   llvm::ArrayRef<int64_t> extents) {
  // How far the other iteration is away, along each loop variable.
  llvm::SmallDenseMap<int, Integer> distances;
  bool areDistinct = false;
  for (auto [left, right] : llvm::zip_equal(a, b)) {
    if (left.variable != right.variable || left.scale != right.scale)
      return false;
    Integer difference = left.offset - right.offset;
    if (left.variable < 0 || left.scale == 0) {
      if (difference != 0)
        return false;
      continue;
    }
    Integer distance = difference / left.scale;
    Integer extent = extents[left.variable];
    bool isReached =
        difference % left.scale == 0 && distance < extent && -distance < extent;
    auto [known, isNew] = distances.try_emplace(left.variable, distance);
    if (!isReached || (!isNew && known->second != distance))
      return false;
    areDistinct |= distance != 0;
  }
  return areDistinct;
}

/// Reports elements of shared tiles that one iteration writes and another reads
/// or writes.
void Checker::checkSharedAccesses() {
  const auto &accesses = parallel->sharedAccesses;
  // Each pair is compared; nobody writes more by hand.
  constexpr size_t mostAccesses = 256;
  if (accesses.size() > mostAccesses)
    return;
  for (const auto &[number, write] : llvm::enumerate(accesses)) {
    if (!write.isWrite)
      continue;
    for (const auto &[other, access] : llvm::enumerate(accesses)) {
      // Two writes are one pair.
      if (access.tile != write.tile || (access.isWrite && other <= number) ||
          !doMeet(write.indices, access.indices, parallel->stmt->extents))
        continue;
      error(access.range, "'" + getQuotedText(access.range) + "' is " +
                              (access.isWrite ? "also " : "") +
                              "written by another iteration of 'parallel'")
          .underline(write.range)
          .note(write.range.Start,
                "as '" + getQuotedText(write.range) + "' here")
          .withHelp("use two loops, or another tile");
      return;
    }
  }
}

//===----------------------------------------------------------------------===//
// Analyses of index expressions
//===----------------------------------------------------------------------===//

uint32_t Checker::getDependence(const Expr &expr) {
  if (!parallel || expr.constant)
    return 0;
  uint32_t dependence = 0;
  if (const auto *read = llvm::dyn_cast<checked::ReadExpr>(&expr))
    if (read->variable->isPerIteration)
      dependence = read->variable->dependence;
  // An element that the iteration itself may have written, or that each finds
  // in turn.
  if (llvm::isa<checked::ElementExpr, checked::LoadElementExpr,
                checked::AtomicExpr, checked::BlockExpr>(expr))
    return ~0u;
  checked::forEachOperand(
      expr, [&](const Expr &operand) { dependence |= getDependence(operand); });
  return dependence;
}

/// Value of an integer constant.
static std::optional<Integer> getInteger(const checked::Expr &expr) {
  if (!expr.constant)
    return std::nullopt;
  const auto *value = std::get_if<Integer>(&*expr.constant);
  return value ? std::optional(*value) : std::nullopt;
}

std::optional<AffineIndex> Checker::getAffine(const Expr &expr) {
  if (std::optional<Integer> value = getInteger(expr))
    return AffineIndex{-1, 0, *value};
  if (const auto *read = llvm::dyn_cast<checked::ReadExpr>(&expr))
    return read->variable->affine;
  const auto *binary = llvm::dyn_cast<checked::BinaryExpr>(&expr);
  if (!binary || !binary->type.isScalar() ||
      binary->type.getElement() != ElementType::Int64)
    return std::nullopt;
  std::optional<AffineIndex> left = getAffine(*binary->operands[0]),
                             right = getAffine(*binary->operands[1]);
  if (!left || !right)
    return std::nullopt;
  // Indices are small; what is not is no index.
  constexpr Integer limit = Integer(1) << 62;
  for (const AffineIndex &side : {*left, *right})
    if (side.scale > limit || side.scale < -limit || side.offset > limit ||
        side.offset < -limit)
      return std::nullopt;
  switch (binary->op) {
  case ast::BinaryOp::Add:
  case ast::BinaryOp::Subtract: {
    Integer sign = binary->op == ast::BinaryOp::Add ? 1 : -1;
    if (left->variable >= 0 && right->variable >= 0)
      return std::nullopt;
    return AffineIndex{std::max(left->variable, right->variable),
                       left->scale + sign * right->scale,
                       left->offset + sign * right->offset};
  }
  case ast::BinaryOp::Multiply: {
    const AffineIndex &factor = left->variable < 0 ? *left : *right;
    const AffineIndex &other = left->variable < 0 ? *right : *left;
    if (factor.variable >= 0 || factor.offset == 0)
      return std::nullopt;
    if (factor.offset > INT32_MAX || factor.offset < INT32_MIN ||
        other.scale > INT32_MAX || other.scale < INT32_MIN ||
        other.offset > INT32_MAX || other.offset < INT32_MIN)
      return std::nullopt;
    return AffineIndex{other.variable, other.scale * factor.offset,
                       other.offset * factor.offset};
  }
  default:
    return std::nullopt;
  }
}

/// Range of a binary operation on ranges; none where it could wrap.
static std::optional<IntegerRange> combine(ast::BinaryOp op, IntegerRange a,
                                           IntegerRange b) {
  switch (op) {
  case ast::BinaryOp::Add:
    return IntegerRange{a.low + b.low, a.high + b.high};
  case ast::BinaryOp::Subtract:
    return IntegerRange{a.low - b.high, a.high - b.low};
  case ast::BinaryOp::Multiply: {
    constexpr Integer limit = Integer(1) << 62;
    for (Integer bound : {a.low, a.high, b.low, b.high})
      if (bound > limit || bound < -limit)
        return std::nullopt;
    Integer products[] = {a.low * b.low, a.low * b.high, a.high * b.low,
                          a.high * b.high};
    return IntegerRange{*llvm::min_element(products),
                        *llvm::max_element(products)};
  }
  case ast::BinaryOp::Divide:
    if (a.low < 0 || b.low <= 0)
      return std::nullopt;
    return IntegerRange{a.low / b.high, a.high / b.low};
  case ast::BinaryOp::Remainder:
    if (a.low < 0 || b.low <= 0)
      return std::nullopt;
    return IntegerRange{a.high < b.low ? a.low : 0,
                        std::min(a.high, b.high - 1)};
  case ast::BinaryOp::BitAnd:
    if (a.low < 0 || b.low < 0)
      return std::nullopt;
    return IntegerRange{0, std::min(a.high, b.high)};
  case ast::BinaryOp::ShiftRight:
    if (a.low < 0 || b.low < 0)
      return std::nullopt;
    return IntegerRange{0, a.high >> unsigned(std::min<Integer>(b.low, 64))};
  default:
    return std::nullopt;
  }
}

std::optional<IntegerRange> Checker::getRange(const Expr &expr) {
  if (std::optional<Integer> value = getInteger(expr))
    return IntegerRange{*value, *value};
  if (!expr.type.isScalar() || !isInt(expr.type.getElement()))
    return std::nullopt;
  ElementType element = expr.type.getElement();
  auto clip = [&](std::optional<IntegerRange> range) {
    bool fits = range && fitsInteger(range->low, element) &&
                fitsInteger(range->high, element);
    return fits ? range : std::nullopt;
  };
  return llvm::TypeSwitch<const Expr *, std::optional<IntegerRange>>(&expr)
      .Case<checked::ReadExpr>(
          [&](const auto *read) { return read->variable->range; })
      .Case<checked::ConvertExpr>([&](const auto *convert) {
        return clip(getRange(*convert->operands[0]));
      })
      .Case<checked::BinaryExpr>(
          [&](const auto *binary) -> std::optional<IntegerRange> {
            std::optional<IntegerRange> a = getRange(*binary->operands[0]),
                                        b = getRange(*binary->operands[1]);
            if (!a || !b)
              return std::nullopt;
            return clip(combine(binary->op, *a, *b));
          })
      .Default(std::nullopt);
}
