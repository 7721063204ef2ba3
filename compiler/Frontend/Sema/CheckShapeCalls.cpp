//===- CheckShapeCalls.cpp - Builtins that make or measure tiles ----------===//
#include "compiler/Frontend/Sema/Checker.h"

using namespace tilec;
using llvm::StringRef;

Checker::ExprPtr Checker::checkShapeCall(const ast::CallExpr &call,
                                         Builtin builtin) {
  switch (builtin) {
  case Builtin::Load:
    return checkLoad(call);
  case Builtin::Full:
    return checkFull(call);
  case Builtin::Transpose:
    return checkTranspose(call);
  case Builtin::SizeBytes:
    return checkSizeBytes(call);
  case Builtin::Dequant:
    checkDequantShapes(call, std::nullopt);
    reportUnsupported(call.callee.range, call.callee.text);
    return makeInvalid(call.getRange());
  default:
    reportUnsupported(call.callee.range, call.callee.text);
    return makeInvalid(call.getRange());
  }
}

/// `load(x, pad = v)` reads a part of memory, as its use as a value would.
Checker::ExprPtr Checker::checkLoad(const ast::CallExpr &call) {
  SourceRange range = call.getRange();
  std::optional<Arguments> arguments =
      matchArguments(call, 1, "load(X[i +: n], pad = v)", {"pad"});
  if (!arguments)
    return makeInvalid(range);
  ExprPtr source = check(*arguments->positional[0]);
  if (source->type.isInvalid())
    return makeInvalid(range);
  auto *memory = llvm::dyn_cast<checked::MemoryExpr>(source.get());
  if (!memory) {
    error(source->range, "'load' reads memory, and '" +
                             getQuotedText(source->range) + "' is " +
                             source->type.describe());
    return makeInvalid(range);
  }
  bool isTensor = memory->place.root->type.isTensor();
  ElementType element = memory->place.getElement();
  ExprPtr pad;
  if (const ast::Expr *syntax = arguments->getOption("pad")) {
    if (!isTensor) {
      error(syntax->getRange(),
            "'pad' fills what lies outside a tensor, and '" +
                getQuotedText(source->range) + "' is a shared tile");
      return makeInvalid(range);
    }
    pad = convertTo(checkScalar(*syntax, "a pad"), element);
    if (pad->type.isInvalid())
      return makeInvalid(range);
  }
  ExprPtr load = toValue(std::move(source));
  if (load->type.isInvalid())
    return makeInvalid(range);
  load->range = range;
  if (pad) {
    load->operands.clear();
    load->operands.push_back(std::move(pad));
  }
  return load;
}

Checker::ExprPtr Checker::checkFull(const ast::CallExpr &call) {
  SourceRange range = call.getRange();
  std::optional<Arguments> arguments =
      matchArguments(call, 2, "full(f32[n, m], v)");
  if (!arguments)
    return makeInvalid(range);
  std::optional<Type> type = resolveTileType(*arguments->positional[0], "full");
  ExprPtr value = checkScalar(*arguments->positional[1], "the value of 'full'");
  if (!type || value->type.isInvalid())
    return makeInvalid(range);
  value = convertTo(std::move(value), type->getElement());
  if (value->type.isInvalid())
    return makeInvalid(range);
  ExprPtr result = broadcastTo(std::move(value), type->getExtents());
  result->range = range;
  return result;
}

Checker::ExprPtr Checker::checkTranspose(const ast::CallExpr &call) {
  SourceRange range = call.getRange();
  std::optional<Arguments> arguments = matchArguments(call, 1, "transpose(x)");
  if (!arguments)
    return makeInvalid(range);
  ExprPtr operand = checkValue(*arguments->positional[0]);
  if (operand->type.isInvalid())
    return makeInvalid(range);
  if (!operand->type.isFragment() || operand->type.getRank() != 2) {
    error(operand->range, "'transpose' takes a tile of rank 2, and '" +
                              getQuotedText(operand->range) + "' is " +
                              operand->type.describe());
    return makeInvalid(range);
  }
  llvm::ArrayRef<int64_t> extents = operand->type.getExtents();
  auto result = std::make_unique<checked::ReindexExpr>(
      Type::getFragment(operand->type.getElement(), {extents[1], extents[0]}),
      range, std::vector<int>{1, 0});
  result->known = operand->known;
  result->operands.push_back(std::move(operand));
  return result;
}

/// Bytes of a tile, each row padded to whole bytes.
Checker::ExprPtr Checker::checkSizeBytes(const ast::CallExpr &call) {
  SourceRange range = call.getRange();
  std::optional<Arguments> arguments =
      matchArguments(call, 1, "size_bytes(tile)");
  if (!arguments)
    return makeInvalid(range);
  ExprPtr operand = check(*arguments->positional[0]);
  if (operand->type.isInvalid())
    return makeInvalid(range);
  Extents extents(operand->type.getExtents());
  bool isTile = (operand->type.isMemory() || operand->type.isFragment()) &&
                !extents.empty() && !llvm::is_contained(extents, dynamicExtent);
  if (!isTile) {
    error(operand->range, "'size_bytes' takes a tile, and '" +
                              getQuotedText(operand->range) + "' is " +
                              operand->type.describe());
    return makeInvalid(range);
  }
  Integer bytes =
      (Integer(extents.back()) * getBits(operand->type.getElement()) + 7) / 8;
  for (int64_t extent : llvm::drop_end(extents))
    bytes *= extent;
  return makeConstant(Type::getUntypedInt(), range, bytes);
}

//===----------------------------------------------------------------------===//
// dequant
//===----------------------------------------------------------------------===//

/// Checks the scale and zero tiles of a `dequant`. `contraction` is the
/// dimension of q that `gemm` contracts; without it the last one is grouped.
void Checker::checkDequantShapes(const ast::CallExpr &call,
                                 std::optional<unsigned> contraction) {
  std::optional<Arguments> arguments =
      matchArguments(call, 1, "dequant(q, scale = s, zero = z, group = g)",
                     {"scale", "zero", "group", "dim", "to"});
  if (!arguments)
    return;
  ExprPtr q = check(*arguments->positional[0]);
  if (q->type.isInvalid())
    return;
  Extents extents(q->type.getExtents());
  if (extents.empty() || llvm::is_contained(extents, dynamicExtent)) {
    error(q->range, "'dequant' takes a tile, and '" + getQuotedText(q->range) +
                        "' is " + q->type.describe());
    return;
  }
  unsigned dim = contraction.value_or(extents.size() - 1);
  if (const ast::Expr *syntax = arguments->getOption("dim")) {
    std::optional<Integer> value = checkConstantInteger(*syntax, "'dim'");
    if (!value)
      return;
    if (*value < 0 || *value >= Integer(extents.size())) {
      error(syntax->getRange(), "'" + getQuotedText(q->range) + "' has rank " +
                                    llvm::Twine(extents.size()) +
                                    ", and 'dim' is " +
                                    formatConstant(Constant(*value)));
      return;
    }
    dim = static_cast<unsigned>(*value);
  }
  const ast::Expr *groupSyntax = arguments->getOption("group");
  std::optional<int64_t> group;
  if (groupSyntax) {
    group = checkExtent(*groupSyntax, "'group'");
    if (!group)
      return;
  }
  for (StringRef role : {"scale", "zero"}) {
    const ast::Expr *syntax = arguments->getOption(role);
    if (!syntax)
      continue;
    ExprPtr tile = check(*syntax);
    llvm::ArrayRef<int64_t> shape = tile->type.getExtents();
    if (tile->type.isInvalid() || shape.size() != extents.size() || !group)
      continue;
    int64_t wanted = (extents[dim] + *group - 1) / *group;
    if (shape[dim] == wanted)
      continue;
    std::string name = getQuotedText(tile->range);
    const auto *qIndexed = llvm::dyn_cast<checked::MemoryExpr>(q.get());
    // The extent as the program spells it, where the allocation shows it.
    std::string extentText = std::to_string(extents[dim]);
    if (qIndexed)
      if (auto found = allocationExtents.find(qIndexed->place.root);
          found != allocationExtents.end() && found->second.size() > dim)
        extentText = found->second[dim];
    std::string help = "allocate '" + name + "' as [";
    for (unsigned i = 0; i < extents.size(); ++i)
      help += (i ? ", " : "") + (i == dim ? "ceildiv(" + extentText + ", " +
                                                std::to_string(*group) + ")"
                                          : std::to_string(shape[i]));
    error(tile->range,
          "'dequant' with " + llvm::Twine(contraction ? "K = " : "extent ") +
              llvm::Twine(extents[dim]) + " and group " + llvm::Twine(*group) +
              " needs a " + role + " of " + llvm::Twine(wanted) +
              " along dimension " + llvm::Twine(dim) + ", but '" + name +
              "' is " + formatShape(shape))
        .underline(groupSyntax->getRange())
        .withHelp(help + "]");
  }
}
