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
    return checkDequantCall(call);
  case Builtin::Iota:
    return checkIota(call);
  case Builtin::Reshape:
    return checkReshape(call);
  default:
    llvm_unreachable("not of the group Shape");
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

/// 0 .. n-1.
Checker::ExprPtr Checker::checkIota(const ast::CallExpr &call) {
  SourceRange range = call.getRange();
  std::optional<Arguments> arguments = matchArguments(call, 1, "iota(n)");
  if (!arguments || refuseInParallel(call))
    return makeInvalid(range);
  std::optional<int64_t> count = checkExtent(*arguments->positional[0]);
  if (!count || !checkTileSize({*count}, range))
    return makeInvalid(range);
  auto result = std::make_unique<checked::IotaExpr>(
      Type::getFragment(ElementType::Int32, {*count}), range);
  result->known = Known::Uniform;
  return result;
}

/// `reshape(x, n, m, ...)`.
Checker::ExprPtr Checker::checkReshape(const ast::CallExpr &call) {
  SourceRange range = call.getRange();
  std::optional<Arguments> arguments =
      matchOptions("reshape", call.arguments, {});
  if (!arguments || refuseInParallel(call))
    return makeInvalid(range);
  const auto &given = arguments->positional;
  if (given.size() < 2) {
    error(call.callee.range, "'reshape' takes a tile and its new extents")
        .withHelp("write reshape(x, n, m)");
    return makeInvalid(range);
  }
  ExprPtr operand = checkValue(*given[0]);
  Extents extents;
  bool isGood = !operand->type.isInvalid();
  for (const ast::Expr *syntax : llvm::drop_begin(given)) {
    std::optional<int64_t> extent = checkExtent(*syntax);
    isGood &= extent.has_value();
    extents.push_back(extent.value_or(1));
  }
  if (!isGood || !checkTileSize(extents, range))
    return makeInvalid(range);
  if (!operand->type.isFragment()) {
    error(operand->range, "'reshape' takes a tile, and '" +
                              getQuotedText(operand->range) + "' is " +
                              operand->type.describe());
    return makeInvalid(range);
  }
  auto count = [](llvm::ArrayRef<int64_t> shape) {
    int64_t product = 1;
    for (int64_t extent : shape)
      product *= extent;
    return product;
  };
  int64_t before = count(operand->type.getExtents()), after = count(extents);
  if (before != after) {
    error(range, "'reshape' keeps the number of elements: '" +
                     getQuotedText(operand->range) + "' is " +
                     formatShape(operand->type.getExtents()) + ", " +
                     formatWithSeparators(before) + " elements, and " +
                     formatShape(extents) + " has " +
                     formatWithSeparators(after))
        .underline(operand->range);
    return makeInvalid(range);
  }
  auto result = std::make_unique<checked::ReshapeExpr>(
      Type::getFragment(operand->type.getElement(), extents), range);
  result->known = operand->known;
  result->operands.push_back(std::move(operand));
  return result;
}
