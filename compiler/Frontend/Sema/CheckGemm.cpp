//===- CheckGemm.cpp - Matrix products and expert copies ------------------===//
#include "compiler/Frontend/Sema/Checker.h"

using namespace tilec;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// gemm
//===----------------------------------------------------------------------===//

Checker::ExprPtr Checker::checkTileOrValue(const ast::Expr &syntax) {
  ExprPtr operand = check(syntax);
  if (operand->type.isInvalid())
    return operand;
  auto *memory = llvm::dyn_cast<checked::MemoryExpr>(operand.get());
  bool isShared = memory && memory->place.root->type.isShared();
  return isShared && !memory->place.isAnchor ? std::move(operand)
                                             : toValue(std::move(operand));
}

/// An operand of `gemm` or `gemm_scaled`.
Checker::ExprPtr Checker::checkGemmOperand(const ast::CallExpr &call,
                                           unsigned index) {
  const ast::Expr &syntax = *call.arguments[index].value;
  SourceRange range = syntax.getRange();
  ExprPtr operand = checkTileOrValue(syntax);
  if (operand->type.isInvalid() || operand->type.getRank() == 2)
    return operand;
  error(range, "operands of '" + call.callee.text + "' have rank 2, and '" +
                   getQuotedText(range) + "' is " + operand->type.describe());
  return makeInvalid(range);
}

Checker::Variable *Checker::checkAccumulator(const ast::CallExpr &call,
                                             unsigned index) {
  const ast::Expr &syntax = *call.arguments[index].value;
  StringRef callee = call.callee.text;
  SourceRange range = syntax.getRange();
  const auto *name = llvm::dyn_cast<ast::NameExpr>(&syntax);
  Variable *variable = name ? lookup(name->name) : nullptr;
  if (name && !variable) {
    checkName(*name);
    return nullptr;
  }
  if (!variable || !variable->type.isFragment()) {
    if (!variable || !variable->type.isInvalid())
      error(range, "'" + callee + "' adds to a 'var' fragment, and '" +
                       getQuotedText(range) + "' is " +
                       (variable ? variable->type.isShared() ? "a shared tile"
                                   : variable->type.isTensor()
                                       ? "a tensor"
                                       : variable->type.describe()
                                 : "an expression"))
          .withHelp("declare var acc = alloc_fragment(f32[...]); and copy it "
                    "where it belongs");
    return nullptr;
  }
  if (!checkAssignable(variable, *name) ||
      !checkDefined(variable, range, callee))
    return nullptr;
  if (variable->type.getRank() == 2)
    return variable;
  error(range, "the accumulator of '" + callee + "' has rank 2, and '" +
                   getQuotedText(range) + "' is " + variable->type.describe());
  return nullptr;
}

static bool reads(const checked::Expr &expr, const checked::Variable *variable);

/// True if statements read the variable.
static bool reads(const checked::StmtList &list,
                  const checked::Variable *variable) {
  bool found = false;
  for (const checked::StmtPtr &stmt : list) {
    checked::forEachExpr(*stmt, [&](const checked::Expr &expr) {
      found |= reads(expr, variable);
    });
    checked::forEachList(*stmt, [&](const checked::StmtList &inner) {
      found |= reads(inner, variable);
    });
    checked::forEachAssigned(*stmt, [&](checked::Variable *assigned) {
      found |= assigned == variable;
    });
  }
  return found;
}

/// True if an expression reads the variable.
static bool reads(const checked::Expr &expr,
                  const checked::Variable *variable) {
  if (const auto *read = llvm::dyn_cast<checked::ReadExpr>(&expr))
    if (read->variable == variable)
      return true;
  bool found = false;
  checked::forEachOperand(expr, [&](const checked::Expr &operand) {
    found |= reads(operand, variable);
  });
  if (const auto *block = llvm::dyn_cast<checked::BlockExpr>(&expr))
    found |= reads(block->statements, variable);
  return found;
}

std::optional<bool> Checker::checkFlag(const Arguments &arguments,
                                       StringRef name, bool fallback) {
  const ast::Expr *option = arguments.getOption(name);
  if (!option)
    return fallback;
  return checkConstantBool(*option, "the option '" + name.str() + "'");
}

/// False, and an error, if an operand reads the tile that is added to.
bool Checker::checkAccumulatorUnread(const ast::CallExpr &call,
                                     const checked::GemmStmt &stmt) {
  for (const ExprPtr *operand : {&stmt.a, &stmt.b, &stmt.scaleA, &stmt.scaleB})
    if (*operand && reads(**operand, stmt.accumulator)) {
      error((*operand)->range, "this operand of '" + call.callee.text +
                                   "' reads '" + stmt.accumulator->name +
                                   "', the tile that is added to")
          .withHelp("copy it first: let x = " + stmt.accumulator->name + ";");
      return false;
    }
  return true;
}

void Checker::checkGemm(const ast::CallExpr &call) {
  std::optional<Arguments> arguments =
      matchArguments(call, 3, "gemm(A, B, acc)",
                     {"transpose_a", "transpose_b", "fast_accum", "tf32"});
  if (!arguments)
    return;
  bool flags[4] = {};
  bool isGood = true;
  unsigned next = 0;
  for (StringRef name : {"transpose_a", "transpose_b", "fast_accum", "tf32"}) {
    std::optional<bool> value = checkFlag(*arguments, name);
    isGood &= value.has_value();
    flags[next++] = value.value_or(false);
  }
  ExprPtr operands[2];
  for (unsigned i = 0; i < 2; ++i) {
    // `dequant` belongs to its gemm: which dimension is grouped depends on it.
    const auto *inner = llvm::dyn_cast<ast::CallExpr>(arguments->positional[i]);
    if (inner && inner->callee.text == "dequant")
      operands[i] = checkDequantOperand(*inner, (i == 0) != flags[i] ? 1 : 0);
    else
      operands[i] = checkGemmOperand(call, i);
    isGood &= !operands[i]->type.isInvalid();
  }
  Variable *accumulator = checkAccumulator(call, 2);
  if (!isGood || !accumulator)
    return;
  auto stmt = std::make_unique<checked::GemmStmt>(
      call.getRange(), std::move(operands[0]), std::move(operands[1]),
      accumulator);
  stmt->transposeA = flags[0];
  stmt->transposeB = flags[1];
  stmt->fastAccum = flags[2];
  stmt->tf32 = flags[3];
  if (!checkAccumulatorUnread(call, *stmt) ||
      !settleDequants(stmt->a, stmt->b) ||
      !checkGemmTypes(call, *stmt->a, *stmt->b, *accumulator) ||
      !checkGemmShapes(call, *stmt))
    return;
  bool isF32 = stmt->a->type.getElement() == ElementType::F32;
  if (stmt->tf32 && !isF32) {
    error(arguments->getOption("tf32")->getRange(),
          "'tf32' is for f32 operands, and '" + getQuotedText(stmt->a->range) +
              "' is " + getName(stmt->a->type.getElement()));
    return;
  }
  recordGemmTiles(*stmt->a);
  recordGemmTiles(*stmt->b);
  emit(std::move(stmt));
}

/// The type in which `gemm` of two element types adds up; none if it has no
/// such product.
static std::optional<ElementType> getAccumulatorType(ElementType a,
                                                     ElementType b) {
  auto is16 = [](ElementType type) {
    return type == ElementType::F16 || type == ElementType::BF16;
  };
  auto isByteInt = [](ElementType type) {
    return isInt(type) && getBits(type) <= 8;
  };
  auto isSmall = [&](ElementType type) {
    return isByteInt(type) || isFP8(type) || type == ElementType::FP4E2M1;
  };
  auto isNibble = [](ElementType type) {
    return type == ElementType::Int4 || type == ElementType::UInt4 ||
           type == ElementType::FP4E2M1;
  };
  if (isByteInt(a) && isByteInt(b))
    return ElementType::Int32;
  if ((is16(a) && (a == b || isSmall(b))) || (is16(b) && isSmall(a)))
    return ElementType::F32;
  if ((isFP8(a) && (isFP8(b) || isNibble(b))) || (isFP8(b) && isNibble(a)))
    return ElementType::F32;
  if (a != b)
    return std::nullopt;
  if (a == ElementType::FP4E2M1 || a == ElementType::F32 ||
      a == ElementType::TF32)
    return ElementType::F32;
  return a == ElementType::F64 ? std::optional(a) : std::nullopt;
}

/// The operand as the program names it: q of `dequant`.
static const checked::Expr &getNamed(const checked::Expr &operand) {
  const auto *dequant = llvm::dyn_cast<checked::DequantExpr>(&operand);
  return dequant ? dequant->getSource() : operand;
}

/// The type in which a product adds up.  An operand that is no integer because
/// of its scale or zero makes the sum f32.
static std::optional<ElementType> getSumElement(const checked::Expr &a,
                                                const checked::Expr &b) {
  std::optional<ElementType> sum =
      getAccumulatorType(getStoredElement(a), getStoredElement(b));
  bool isScaled = false;
  for (const checked::Expr *operand : {&a, &b})
    isScaled |= llvm::isa<checked::DequantExpr>(operand) &&
                isFloat(operand->type.getElement());
  return sum && isScaled ? ElementType::F32 : sum;
}

/// "int4", or "scaled int4" of a `dequant`.
static std::string describeElement(const checked::Expr &operand) {
  const auto *dequant = llvm::dyn_cast<checked::DequantExpr>(&operand);
  return (dequant && dequant->hasScale ? "scaled " : "") +
         getName(getStoredElement(operand)).str();
}

namespace {
/// A cast of one operand that gives a product.
struct OperandCast {
  bool ofA;
  ElementType to;
};
} // namespace

/// The cast to advise: one that keeps every value, if there is one.
static OperandCast findOperandCast(ElementType a, ElementType b) {
  constexpr ElementType wider[] = {ElementType::F16, ElementType::BF16,
                                   ElementType::F32, ElementType::F64};
  auto helps = [](ElementType from, ElementType to, ElementType other) {
    return holdsEveryValue(from, to) && getAccumulatorType(to, other);
  };
  if (helps(a, b, b))
    return {true, b};
  if (helps(b, a, a))
    return {false, a};
  for (ElementType to : wider) {
    if (helps(a, to, b))
      return {true, to};
    if (helps(b, to, a))
      return {false, to};
  }
  return {true, b};
}

bool Checker::checkGemmTypes(const ast::CallExpr &call, const Expr &a,
                             const Expr &b, const Variable &accumulator) {
  ElementType typeA = getStoredElement(a), typeB = getStoredElement(b);
  std::optional<ElementType> sum = getSumElement(a, b);
  if (!sum) {
    // The advice keeps the call as it stands but for the operand.
    std::string advice;
    OperandCast cast = findOperandCast(typeA, typeB);
    const Expr &castOperand = cast.ofA ? a : b;
    for (const auto &[index, argument] : llvm::enumerate(call.arguments)) {
      advice += index ? ", " : "";
      if (argument.name)
        advice += argument.name.text.str() + " = ";
      std::string text = getQuotedText(argument.value->getRange());
      bool isCast = argument.value->getRange().Start == castOperand.range.Start;
      advice +=
          isCast ? "cast<" + getName(cast.to).str() + ">(" + text + ")" : text;
    }
    bool helps = getAccumulatorType(cast.to, cast.ofA ? typeB : typeA) &&
                 !llvm::isa<checked::DequantExpr>(a) &&
                 !llvm::isa<checked::DequantExpr>(b);
    Diagnostic &diagnostic =
        error(b.range, "'gemm' has no common type for " + getName(typeA) +
                           " '" + getQuotedText(getNamed(a).range) + "' and " +
                           getName(typeB) + " '" +
                           getQuotedText(getNamed(b).range) + "'")
            .underline(a.range);
    diagnostic.withHelp(helps ? "cast one operand: gemm(" + advice + ")"
                              : "cast both operands, e.g. to bf16");
    return false;
  }
  ElementType found = accumulator.type.getElement();
  // f16 may add up in f16, at the price of rounding every sum.
  bool isHalf = found == ElementType::F16 &&
                a.type.getElement() == ElementType::F16 &&
                b.type.getElement() == ElementType::F16 && typeA == typeB;
  if (found == *sum || isHalf)
    return true;
  std::string extents;
  for (int64_t extent : accumulator.type.getExtents())
    extents += (extents.empty() ? "" : ", ") + std::to_string(extent);
  error(call.arguments[2].value->getRange(),
        "'gemm' of " + describeElement(a) + " and " + describeElement(b) +
            " adds up in " + getName(*sum) + ", but '" + accumulator.name +
            "' is " + getName(found))
      .underline({a.range.Start, b.range.End})
      .withHelp("allocate '" + accumulator.name + "' as " + getName(*sum) +
                "[" + extents + "] and cast it after the loop");
  return false;
}

bool Checker::checkGemmShapes(const ast::CallExpr &call,
                              const checked::GemmStmt &stmt) {
  const Expr &a = getNamed(*stmt.a), &b = getNamed(*stmt.b);
  StringRef callee = call.callee.text;
  std::string nameA = getQuotedText(a.range), nameB = getQuotedText(b.range);
  llvm::ArrayRef<int64_t> extentsA = a.type.getExtents(),
                          extentsB = b.type.getExtents(),
                          sum = stmt.accumulator->type.getExtents();
  int64_t m = extentsA[stmt.transposeA], kA = extentsA[!stmt.transposeA];
  int64_t n = extentsB[!stmt.transposeB], kB = extentsB[stmt.transposeB];
  auto addAllocationNote = [&](Diagnostic &diagnostic, const Expr &operand) {
    const Variable *variable = nullptr;
    if (const auto *memory = llvm::dyn_cast<checked::MemoryExpr>(&operand))
      variable = memory->place.isWhole() ? memory->place.root : nullptr;
    else if (const auto *read = llvm::dyn_cast<checked::ReadExpr>(&operand))
      variable = read->variable;
    if (variable && variable->allocated.isValid())
      diagnostic.note(variable->allocated.Start,
                      "'" + variable->name + "' is " +
                          formatShape(operand.type.getExtents()) +
                          " because of this allocation");
  };
  if (kA != kB) {
    Diagnostic &diagnostic =
        error(b.range, "inner dimensions of '" + callee + "' differ: '" +
                           nameA + "' has K = " + llvm::Twine(kA) + ", '" +
                           nameB + "' has K = " + llvm::Twine(kB))
            .underline(a.range);
    addAllocationNote(diagnostic, b);
    std::string wanted = stmt.transposeB
                             ? std::to_string(n) + ", " + std::to_string(kA)
                             : std::to_string(kA) + ", " + std::to_string(n);
    std::string help = "allocate '" + nameB + "' as [" + wanted + "]";
    if (!stmt.transposeB)
      help += ", or pass transpose_b = true if it is stored [N, K]";
    diagnostic.withHelp(help);
    return false;
  }
  SourceRange range = call.arguments[2].value->getRange();
  bool isRowWrong = m != sum[0];
  if (isRowWrong || n != sum[1]) {
    const Expr &operand = isRowWrong ? a : b;
    StringRef letter = isRowWrong ? "M" : "N";
    Diagnostic &diagnostic =
        error(range, (isRowWrong ? "rows" : "columns") + llvm::Twine(" of '") +
                         callee + "' differ: '" + getQuotedText(operand.range) +
                         "' has " + letter + " = " +
                         llvm::Twine(isRowWrong ? m : n) + ", '" +
                         stmt.accumulator->name + "' has " + letter + " = " +
                         llvm::Twine(sum[isRowWrong ? 0 : 1]))
            .underline(operand.range);
    addAllocationNote(diagnostic, operand);
    diagnostic.withHelp("allocate '" + stmt.accumulator->name + "' as [" +
                        std::to_string(m) + ", " + std::to_string(n) + "]");
    return false;
  }
  return true;
}
