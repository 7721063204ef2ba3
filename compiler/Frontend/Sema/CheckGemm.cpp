//===- CheckGemm.cpp - Matrix products and expert copies ------------------===//
#include "compiler/Frontend/Sema/Checker.h"

using namespace tilec;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// gemm
//===----------------------------------------------------------------------===//

/// A shared tile stays where it is; everything else is a fragment.
Checker::ExprPtr Checker::checkGemmOperand(const ast::Expr &syntax) {
  SourceRange range = syntax.getRange();
  ExprPtr operand = check(syntax);
  if (operand->type.isInvalid())
    return operand;
  auto *memory = llvm::dyn_cast<checked::MemoryExpr>(operand.get());
  bool isShared = memory && memory->place.root->type.isShared();
  if (!isShared || memory->place.isAnchor)
    operand = toValue(std::move(operand));
  if (operand->type.isInvalid())
    return operand;
  if (operand->type.getExtents().size() == 2)
    return operand;
  error(range, "operands of 'gemm' have rank 2, and '" + getQuotedText(range) +
                   "' is " + operand->type.describe());
  return makeInvalid(range);
}

Checker::Variable *Checker::checkAccumulator(const ast::Expr &syntax) {
  SourceRange range = syntax.getRange();
  const auto *name = llvm::dyn_cast<ast::NameExpr>(&syntax);
  Variable *variable = name ? lookup(name->name) : nullptr;
  if (name && !variable) {
    checkName(*name);
    return nullptr;
  }
  if (!variable || !variable->type.isFragment()) {
    if (!variable || !variable->type.isInvalid())
      error(range, "'gemm' adds to a 'var' fragment, and '" +
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
      !checkDefined(variable, range, "gemm"))
    return nullptr;
  if (variable->type.getRank() == 2)
    return variable;
  error(range, "the accumulator of 'gemm' has rank 2, and '" +
                   getQuotedText(range) + "' is " + variable->type.describe());
  return nullptr;
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
    for (const checked::StmtPtr &stmt : block->statements)
      if (const auto *define = llvm::dyn_cast<checked::DefineStmt>(stmt.get()))
        found |= define->value && reads(*define->value, variable);
  return found;
}

void Checker::checkGemm(const ast::CallExpr &call) {
  std::optional<Arguments> arguments =
      matchArguments(call, 3, "gemm(A, B, acc)",
                     {"transpose_a", "transpose_b", "fast_accum", "tf32"});
  if (!arguments)
    return;
  // `dequant` belongs to its gemm: which dimension is grouped depends on it.
  bool hasDequant = false;
  for (unsigned i = 0; i < 2; ++i) {
    const auto *inner = llvm::dyn_cast<ast::CallExpr>(arguments->positional[i]);
    if (!inner || inner->callee.text != "dequant")
      continue;
    hasDequant = true;
    const ast::Expr *option =
        arguments->getOption(i == 0 ? "transpose_a" : "transpose_b");
    std::optional<bool> transposed =
        option ? checkConstantBool(*option, "an option of 'gemm'") : false;
    if (!transposed)
      return;
    unsigned errors = diagnostics.getErrorCount();
    checkDequantShapes(*inner, (i == 0) != *transposed ? 1 : 0);
    if (errors == diagnostics.getErrorCount())
      reportUnsupported(inner->callee.range, "dequant");
  }
  if (hasDequant)
    return;

  ExprPtr a = checkGemmOperand(*arguments->positional[0]);
  ExprPtr b = checkGemmOperand(*arguments->positional[1]);
  Variable *accumulator = checkAccumulator(*arguments->positional[2]);
  bool flags[4] = {};
  unsigned next = 0;
  for (StringRef name : {"transpose_a", "transpose_b", "fast_accum", "tf32"}) {
    bool &flag = flags[next++];
    const ast::Expr *option = arguments->getOption(name);
    if (!option)
      continue;
    std::optional<bool> value =
        checkConstantBool(*option, "the option '" + name.str() + "'");
    if (!value)
      return;
    flag = *value;
  }
  if (a->type.isInvalid() || b->type.isInvalid() || !accumulator)
    return;
  for (const ExprPtr *operand : {&a, &b})
    if (reads(**operand, accumulator)) {
      error((*operand)->range, "this operand of 'gemm' reads '" +
                                   accumulator->name +
                                   "', the tile that is added to")
          .withHelp("copy it first: let x = " + accumulator->name + ";");
      return;
    }
  auto stmt = std::make_unique<checked::GemmStmt>(call.getRange(), std::move(a),
                                                  std::move(b), accumulator);
  stmt->transposeA = flags[0];
  stmt->transposeB = flags[1];
  stmt->fastAccum = flags[2];
  stmt->tf32 = flags[3];
  if (!checkGemmTypes(call, *stmt->a, *stmt->b, *accumulator) ||
      !checkGemmShapes(call, *stmt))
    return;
  bool isF32 = stmt->a->type.getElement() == ElementType::F32;
  if (stmt->tf32 && !isF32) {
    error(arguments->getOption("tf32")->getRange(),
          "'tf32' is for f32 operands, and '" + getQuotedText(stmt->a->range) +
              "' is " + getName(stmt->a->type.getElement()));
    return;
  }
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

bool Checker::checkGemmTypes(const ast::CallExpr &call, const Expr &a,
                             const Expr &b, const Variable &accumulator) {
  ElementType typeA = a.type.getElement(), typeB = b.type.getElement();
  std::string nameA = getQuotedText(a.range), nameB = getQuotedText(b.range);
  std::optional<ElementType> sum = getAccumulatorType(typeA, typeB);
  if (!sum) {
    // The advice keeps the call as it stands but for the operand.
    std::string advice;
    for (const auto &[index, argument] : llvm::enumerate(call.arguments)) {
      advice += index ? ", " : "";
      if (argument.name)
        advice += argument.name.text.str() + " = ";
      std::string text = getQuotedText(argument.value->getRange());
      bool isA = argument.value->getRange().Start == a.range.Start;
      advice += isA ? "cast<" + getName(typeB).str() + ">(" + text + ")" : text;
    }
    bool helps = getAccumulatorType(typeB, typeB).has_value();
    Diagnostic &diagnostic =
        error(b.range, "'gemm' has no common type for " + getName(typeA) +
                           " '" + nameA + "' and " + getName(typeB) + " '" +
                           nameB + "'")
            .underline(a.range);
    diagnostic.withHelp(helps ? "cast one operand: gemm(" + advice + ")"
                              : "cast both operands, e.g. to bf16");
    return false;
  }
  ElementType found = accumulator.type.getElement();
  SourceRange range;
  for (const ast::Argument &argument : call.arguments)
    if (!argument.name)
      range = argument.value->getRange();
  if (found == ElementType::F16 && typeA == ElementType::F16 &&
      typeB == ElementType::F16) {
    reportUnsupported(range, "gemm with an f16 accumulator");
    return false;
  }
  if (found != *sum) {
    std::string extents;
    for (int64_t extent : accumulator.type.getExtents())
      extents += (extents.empty() ? "" : ", ") + std::to_string(extent);
    error(range, "'gemm' of " + getName(typeA) + " and " + getName(typeB) +
                     " adds up in " + getName(*sum) + ", but '" +
                     accumulator.name + "' is " + getName(found))
        .underline({a.range.Start, b.range.End})
        .withHelp("allocate '" + accumulator.name + "' as " + getName(*sum) +
                  "[" + extents + "] and cast it after the loop");
    return false;
  }
  if (typeA == ElementType::F64) {
    reportUnsupported(call.callee.range, "gemm of f64");
    return false;
  }
  return true;
}

bool Checker::checkGemmShapes(const ast::CallExpr &call,
                              const checked::GemmStmt &stmt) {
  const Expr &a = *stmt.a, &b = *stmt.b;
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
        error(b.range, "inner dimensions of 'gemm' differ: '" + nameA +
                           "' has K = " + llvm::Twine(kA) + ", '" + nameB +
                           "' has K = " + llvm::Twine(kB))
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
  SourceRange range;
  for (const ast::Argument &argument : call.arguments)
    if (!argument.name)
      range = argument.value->getRange();
  bool isRowWrong = m != sum[0];
  if (isRowWrong || n != sum[1]) {
    const Expr &operand = isRowWrong ? a : b;
    StringRef letter = isRowWrong ? "M" : "N";
    Diagnostic &diagnostic =
        error(range, (isRowWrong ? "rows" : "columns") +
                         llvm::Twine(" of 'gemm' differ: '") +
                         getQuotedText(operand.range) + "' has " + letter +
                         " = " + llvm::Twine(isRowWrong ? m : n) + ", '" +
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

//===----------------------------------------------------------------------===//
// Expert level
//===----------------------------------------------------------------------===//

void Checker::checkAsyncCopy(const ast::CallExpr &call) {
  std::optional<Arguments> arguments = matchArguments(
      call, 2, "async_copy(source, destination)", {"num_elems", "pred"});
  if (!arguments)
    return;
  ExprPtr destination = check(*arguments->positional[1]);
  if (destination->type.isInvalid())
    return;
  if (const ast::Expr *syntax = arguments->getOption("num_elems")) {
    std::optional<int64_t> count = checkExtent(*syntax, "'num_elems'");
    auto *memory = llvm::dyn_cast<checked::MemoryExpr>(destination.get());
    if (!count || !memory)
      return;
    ElementType element = memory->place.getElement();
    int64_t bits = *count * getBits(element);
    if (bits != 32 && bits != 64 && bits != 128) {
      error(syntax->getRange(),
            "an async copy moves 4, 8 or 16 bytes, but " + llvm::Twine(*count) +
                " elements of " + getName(element) + " are " +
                (bits % 8 == 0 ? llvm::Twine(bits / 8) + " bytes"
                               : llvm::Twine(bits) + " bits"))
          .withHelp("num_elems counts elements: use " +
                    llvm::Twine(128 / getBits(element)) + " for 16 bytes");
      return;
    }
  }
  reportUnsupported(call.callee.range, "async_copy");
}

void Checker::checkAssert(const ast::CallExpr &call) {
  std::optional<Arguments> arguments =
      matchArguments(call, 2, "assert(condition, \"text\")");
  if (!arguments)
    return;
  ExprPtr condition = checkCondition(*arguments->positional[0], "a condition");
  const auto *text = llvm::dyn_cast<ast::StringExpr>(arguments->positional[1]);
  if (!text) {
    error(arguments->positional[1]->getRange(),
          "the second argument of 'assert' is a string");
    return;
  }
  if (condition->type.isInvalid())
    return;
  if (!condition->constant)
    return reportUnsupported(call.callee.range, "assert");
  if (!std::get<bool>(*condition->constant))
    error(condition->range, "assertion failed: " + text->value);
}
