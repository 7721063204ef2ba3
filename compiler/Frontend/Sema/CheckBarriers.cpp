//===- CheckBarriers.cpp - Barriers and what is done with them ------------===//
#include "compiler/Frontend/Sema/Checker.h"

using namespace tilec;
using llvm::StringRef;

/// What the hardware counts to.
static constexpr int64_t mostPending = (1 << 20) - 1;

void Checker::checkAllocBarrier(const ast::LetStmt &let,
                                const ast::CallExpr &call) {
  std::string advice = "write let " + let.name.text.str() +
                       " = alloc_barrier(count = 1);, or alloc_barrier(n, "
                       "count = 1) for several";
  Variable *variable = nullptr;
  auto declareAs = [&](Type type) {
    variable = declare(let.name, Variable::Role::Barrier, std::move(type));
    variable->allocated = call.getRange();
  };
  auto refuse = [&](SourceRange range, const llvm::Twine &message) {
    error(range, message).withHelp(advice);
    declareAs(Type::getInvalid());
  };
  if (let.isVar)
    return refuse(call.callee.range, "'alloc_barrier' is bound by 'let'");
  if (let.type)
    return refuse(let.type->range, "a barrier has no type to write");
  if (!isTopLevel()) {
    error(call.callee.range,
          "'alloc_barrier' stands at the top level of a kernel: a barrier is "
          "shared by the block and starts once, at its launch")
        .withHelp("move it in front of the statement around it");
    return declareAs(Type::getInvalid());
  }
  std::optional<Arguments> arguments =
      matchOptions("alloc_barrier", call.arguments, {"count"});
  if (!arguments)
    return declareAs(Type::getInvalid());
  if (arguments->positional.size() > 1)
    return refuse(arguments->positional[1]->getRange(),
                  "'alloc_barrier' takes the number of barriers and 'count', "
                  "and this is a further argument");
  Extents extents;
  if (!arguments->positional.empty()) {
    const ast::Expr &syntax = *arguments->positional[0];
    std::optional<int64_t> number =
        checkExtent(syntax, "the number of barriers");
    constexpr int64_t mostBarriers = 1024;
    if (number && *number > mostBarriers) {
      error(syntax.getRange(), "a block has at most 1,024 barriers in a row, "
                               "found " +
                                   llvm::Twine(*number));
      number = std::nullopt;
    }
    if (!number)
      return declareAs(Type::getInvalid());
    extents.push_back(*number);
  }
  const ast::Expr *countSyntax = arguments->getOption("count");
  if (!countSyntax)
    return refuse(call.callee.range,
                  "'alloc_barrier' needs 'count', the arrivals that end a "
                  "phase");
  std::optional<int64_t> count = checkExtent(*countSyntax, "'count'");
  if (count && *count > mostPending) {
    error(countSyntax->getRange(), "a phase has at most 1,048,575 arrivals, "
                                   "found " +
                                       llvm::Twine(*count));
    count = std::nullopt;
  }
  if (!count)
    return declareAs(Type::getInvalid());
  declareAs(Type::getBarrier(extents));
  emit(std::make_unique<checked::AllocBarrierStmt>(let.getRange(), variable,
                                                   *count));
}

std::optional<checked::BarrierPlace>
Checker::checkBarrier(const ast::Expr &syntax, StringRef callee) {
  SourceRange range = syntax.getRange();
  const auto *indexed = llvm::dyn_cast<ast::IndexExpr>(&syntax);
  const auto *name =
      llvm::dyn_cast<ast::NameExpr>(indexed ? indexed->base.get() : &syntax);
  Variable *variable = name ? lookup(name->name) : nullptr;
  if (name && !variable) {
    checkName(*name);
    return std::nullopt;
  }
  if (variable && variable->type.isInvalid())
    return std::nullopt;
  if (!variable || !variable->type.isBarrier()) {
    Diagnostic &diagnostic =
        error(range, "'" + callee + "' takes a barrier, and '" +
                         getQuotedText(range) + "' is none");
    if (variable)
      diagnostic.note(variable->declared.Start,
                      "'" + variable->name + "' is declared here");
    diagnostic.withHelp("write let b = alloc_barrier(count = 1);");
    return std::nullopt;
  }
  checked::BarrierPlace barrier;
  barrier.variable = variable;
  unsigned rank = variable->type.getRank();
  bool isPlain =
      !indexed || (indexed->indices.size() == 1 &&
                   indexed->indices.front().kind == ast::Index::Kind::Plain);
  if (!isPlain || rank != (indexed ? 1 : 0)) {
    error(range, rank == 0
                     ? "'" + variable->name +
                           "' is one barrier and has no "
                           "elements"
                     : "'" + variable->name + "' is a row of " +
                           std::to_string(variable->type.getExtents()[0]) +
                           " barriers, and one of them is needed here")
        .note(variable->declared.Start,
              "'" + variable->name + "' is declared here")
        .withHelp("write " + variable->name + (rank == 0 ? "" : "[i]"));
    return std::nullopt;
  }
  if (!indexed)
    return barrier;
  const ast::Index &index = indexed->indices.front();
  barrier.index = checkIndexValue(*index.first, "an index");
  if (barrier.index->type.isInvalid() ||
      !checkElementBounds(*barrier.index, index.range, 0,
                          variable->type.getExtents()[0], variable->name))
    return std::nullopt;
  return barrier;
}

/// `arrive(b)`, `expect_bytes(b, n)` and `wait(b, parity)`.
void Checker::checkBarrierCall(const ast::CallExpr &call, Builtin builtin) {
  StringRef callee = call.callee.text;
  StringRef signature = builtin == Builtin::Arrive        ? "arrive(b)"
                        : builtin == Builtin::ExpectBytes ? "expect_bytes(b, n)"
                                                          : "wait(b, parity)";
  std::optional<Arguments> arguments =
      matchArguments(call, builtin == Builtin::Arrive ? 1 : 2, signature);
  if (!arguments)
    return;
  std::optional<checked::BarrierPlace> barrier =
      checkBarrier(*arguments->positional[0], callee);
  ExprPtr operand;
  if (builtin != Builtin::Arrive) {
    bool isWait = builtin == Builtin::Wait;
    const ast::Expr &syntax = *arguments->positional[1];
    StringRef what = isWait ? "a parity" : "a number of bytes";
    operand = checkIndexValue(syntax, what);
    if (operand->type.isInvalid())
      return;
    const Integer highest = isWait ? 1 : mostPending;
    const auto *value =
        operand->constant ? std::get_if<Integer>(&*operand->constant) : nullptr;
    if (value && (*value < 0 || *value > highest)) {
      error(syntax.getRange(),
            what +
                (isWait ? " is 0 or 1, found " : " is 0 to 1,048,575, found ") +
                formatConstant(Constant(*value)));
      return;
    }
  }
  if (barrier)
    emit(std::make_unique<checked::BarrierStmt>(
        call.getRange(), builtin, std::move(*barrier), std::move(operand)));
}
