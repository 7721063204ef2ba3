//===- CheckExpert.cpp - Asynchronous copies and register limits ----------===//
//
// Section 12 of the language reference.  What needs facts about addresses, such
// as alignment, is proven when copies are lowered; here shapes, types and
// places are.
//
//===----------------------------------------------------------------------===//
#include "compiler/Frontend/Sema/Checker.h"

using namespace tilec;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Guards
//===----------------------------------------------------------------------===//

/// Makes `predicate` also demand `guard`.  Null demands nothing.
void Checker::addGuard(ExprPtr &predicate, ExprPtr guard) {
  bool isTrue = guard->constant && std::get<bool>(*guard->constant);
  if (isTrue)
    return;
  if (!predicate) {
    predicate = std::move(guard);
    return;
  }
  auto both = std::make_unique<checked::BinaryExpr>(
      Type::getBool(), guard->range, ast::BinaryOp::LogicalAnd);
  both->known = std::max(predicate->known, guard->known);
  both->operands.push_back(std::move(predicate));
  both->operands.push_back(std::move(guard));
  predicate = std::move(both);
}

static bool isZero(const checked::Expr &expr) {
  if (!expr.constant)
    return false;
  if (const auto *integer = std::get_if<Integer>(&*expr.constant))
    return *integer == 0;
  const auto *number = std::get_if<double>(&*expr.constant);
  return number && *number == 0.0;
}

const ast::Expr *Checker::checkGuards(const ast::Expr &source,
                                      ExprPtr &predicate) {
  const ast::Expr *inner = &source;
  while (const auto *branch = llvm::dyn_cast<ast::IfExpr>(inner)) {
    ExprPtr guard = checkCondition(*branch->condition, "a guard");
    ExprPtr other = checkValue(*branch->elseValue);
    if (guard->type.isInvalid() || other->type.isInvalid())
      return nullptr;
    if (!isZero(*other)) {
      error(other->range, "a guard of 'async_copy' ends in 'else { 0 }', and "
                          "this is '" +
                              getQuotedText(other->range) + "'")
          .withHelp("where a guard is false zeros are written, nothing else");
      return nullptr;
    }
    addGuard(predicate, std::move(guard));
    inner = branch->thenValue.get();
  }
  return inner;
}

//===----------------------------------------------------------------------===//
// async_copy
//===----------------------------------------------------------------------===//

void Checker::checkAsyncCopy(const ast::CallExpr &call) {
  std::optional<Arguments> arguments = matchArguments(
      call, 2, "async_copy(source, destination)", {"num_elems", "pred"});
  if (!arguments)
    return;
  ExprPtr predicate;
  const ast::Expr *source = checkGuards(*arguments->positional[0], predicate);
  if (!source)
    return;
  if (const ast::Expr *syntax = arguments->getOption("pred")) {
    ExprPtr condition = checkCondition(*syntax, "'pred'");
    if (condition->type.isInvalid())
      return;
    addGuard(predicate, std::move(condition));
  }
  const ast::Expr *count = arguments->getOption("num_elems");
  if (parallel)
    return checkAsyncElements(call, *source, *arguments->positional[1], count,
                              std::move(predicate));
  if (count) {
    error(count->getRange(),
          "'num_elems' is for elements, inside 'parallel'; here the shape says "
          "how much is copied")
        .withHelp("leave it out");
    return;
  }
  checkAsyncTile(call, *source, *arguments->positional[1],
                 std::move(predicate));
}

void Checker::reportNotGlobalToShared(StringRef callee, SourceRange wrong,
                                      StringRef what) {
  error(wrong, "'" + callee + "' moves from a tensor to a shared tile, and '" +
                   getQuotedText(wrong) + "' is " + what)
      .withHelp("use 'copy'");
}

/// False, and an error, unless memory moves from a tensor to a shared tile as
/// it is.
bool Checker::checkGlobalToShared(StringRef callee, const CopySide &source,
                                  const CopySide &destination) {
  const Place *from = source.getPlace(), *to = destination.getPlace();
  bool isFromTensor = from && from->root->type.isTensor();
  bool isToShared = to && to->root->type.isShared();
  if (!isFromTensor || !isToShared) {
    const CopySide &wrong = isFromTensor ? destination : source;
    reportNotGlobalToShared(callee, wrong.range,
                            !wrong.getPlace() ? "a value"
                            : isFromTensor    ? "a tensor"
                                              : "a shared tile");
    return false;
  }
  return checkNotPrepacked(*from, source.range) &&
         checkSameElement(callee, source, destination);
}

bool Checker::checkSameElement(StringRef callee, const CopySide &source,
                               const CopySide &destination) {
  const Place *from = source.getPlace(), *to = destination.getPlace();
  if (from->getElement() == to->getElement())
    return true;
  error(source.range, "'" + callee + "' does not convert, and '" +
                          getQuotedText(source.range) + "' is " +
                          getName(from->getElement()) + ", '" +
                          getQuotedText(destination.range) + "' " +
                          getName(to->getElement()))
      .underline(destination.range)
      .withHelp("use 'copy', or tiles of equal types");
  return false;
}

void Checker::checkAsyncTile(const ast::CallExpr &call,
                             const ast::Expr &sourceSyntax,
                             const ast::Expr &destinationSyntax,
                             ExprPtr predicate) {
  // Copies the wrong way are no question of who may write.
  const auto *indexed = llvm::dyn_cast<ast::IndexExpr>(&destinationSyntax);
  const auto *name = llvm::dyn_cast<ast::NameExpr>(
      indexed ? indexed->base.get() : &destinationSyntax);
  Variable *variable = name ? lookup(name->name) : nullptr;
  if (variable && variable->type.isTensor()) {
    reportNotGlobalToShared("async_copy", destinationSyntax.getRange(),
                            "a tensor");
    return;
  }
  std::optional<CopySide> source = checkCopySource(sourceSyntax, "async_copy");
  std::optional<CopySide> destination =
      checkCopyDestination(destinationSyntax, "async_copy");
  if (!source || !destination ||
      !checkGlobalToShared("async_copy", *source, *destination) ||
      !matchCopyShapes(*source, *destination, "async_copy"))
    return;
  auto takePlace = [](CopySide &side) {
    return std::move(llvm::cast<checked::MemoryExpr>(*side.value).place);
  };
  emit(std::make_unique<checked::AsyncCopyStmt>(
      call.getRange(), takePlace(*source), takePlace(*destination),
      std::move(predicate)));
}

bool Checker::checkElementCount(SourceRange range, int64_t count,
                                ElementType element) {
  int64_t bits = count * getBits(element);
  if (bits == 32 || bits == 64 || bits == 128)
    return true;
  error(range,
        "an async copy moves 4, 8 or 16 bytes, but " + llvm::Twine(count) +
            (count == 1 ? " element of " : " elements of ") + getName(element) +
            (count == 1 ? " is " : " are ") +
            (bits % 8 != 0
                 ? llvm::Twine(bits) + " bits"
                 : llvm::Twine(bits / 8) + (bits == 8 ? " byte" : " bytes")))
      .withHelp("num_elems counts elements: use " +
                llvm::Twine(128 / getBits(element)) + " for 16 bytes");
  return false;
}

/// False, and an error, if elements of a tensor provably start where no access
/// of their size can.
bool Checker::checkElementStart(const Place &place, const ast::Expr &syntax,
                                int64_t count) {
  const auto *indexed = llvm::dyn_cast<ast::IndexExpr>(&syntax);
  bool isPlain = indexed && !place.base &&
                 place.root->role == Variable::Role::Tensor &&
                 place.dims.back().offset;
  if (!isPlain)
    return true;
  std::optional<checked::AffineIndex> start =
      getAffine(*place.dims.back().offset);
  if (!start || start->scale % count != 0 || start->offset % count == 0)
    return true;
  SourceRange range = indexed->indices.back().range;
  error(range, "an async copy of " + llvm::Twine(count) +
                   " elements starts at a multiple of " + llvm::Twine(count) +
                   ", and '" + getQuotedText(range) + "' is none")
      .withHelp("start at a multiple of " + llvm::Twine(count) +
                ", or use 'copy'");
  return false;
}

void Checker::checkAsyncElements(const ast::CallExpr &call,
                                 const ast::Expr &sourceSyntax,
                                 const ast::Expr &destinationSyntax,
                                 const ast::Expr *countSyntax,
                                 ExprPtr predicate) {
  auto checkElement = [&](const ast::Expr &syntax) {
    CopySide side;
    side.range = syntax.getRange();
    side.value = check(syntax);
    if (side.value->type.isInvalid())
      return std::optional<CopySide>();
    const Place *place = side.getPlace();
    if (place && place->isAnchor)
      return std::optional(std::move(side));
    error(side.range, "inside 'parallel' an async copy moves elements, and '" +
                          getQuotedText(side.range) + "' is " +
                          (place ? "a tile" : side.value->type.describe()))
        .withHelp("give one index for each dimension");
    return std::optional<CopySide>();
  };
  std::optional<CopySide> source = checkElement(sourceSyntax);
  std::optional<CopySide> destination = checkElement(destinationSyntax);
  std::optional<int64_t> count = 1;
  if (countSyntax)
    count = checkExtent(*countSyntax, "'num_elems'");
  if (!source || !destination || !count ||
      !checkGlobalToShared("async_copy", *source, *destination))
    return;
  Place &from = llvm::cast<checked::MemoryExpr>(*source->value).place;
  Place &to = llvm::cast<checked::MemoryExpr>(*destination->value).place;
  SourceRange countRange =
      countSyntax ? countSyntax->getRange() : call.callee.range;
  const auto *indexed = llvm::dyn_cast<ast::IndexExpr>(&destinationSyntax);
  if (!indexed || !checkReadable(from, source->range) ||
      !checkElementCount(countRange, *count, to.getElement()))
    return;

  // Consecutive elements of 4 bits share bytes along the packed dimension only.
  for (const CopySide *side : {&*source, &*destination}) {
    const Place &place = *side->getPlace();
    // The packed dimension is numbered in the root.
    const Place &numbered = place.base ? *place.base : place;
    bool isLast = place.root->packDim + 1 == int(numbered.dims.size()) &&
                  (!place.base || !numbered.dims.back().isDropped);
    if (getBits(place.getElement()) >= 8 || isLast)
      continue;
    error(side->range, "an async copy of elements moves the bytes of the last "
                       "dimension, and '" +
                           place.root->name + "' is packed along another")
        .note(place.root->declared.Start,
              "'" + place.root->name + "' is declared here")
        .withHelp("use the tile form of 'async_copy', outside of 'parallel'");
    return;
  }

  if (!checkElementStart(from, sourceSyntax, *count))
    return;

  // The last of the elements has to lie inside the tile, too.
  const ast::Index &last = indexed->indices.back();
  Place::Dim &lastDim = to.dims.back();
  int64_t whole = to.root->type.getExtents().back();
  if (lastDim.offset && *count > 1) {
    std::optional<checked::IntegerRange> values = getRange(*lastDim.offset);
    bool isReached = lastDim.offset->constant ||
                     (getAffine(*lastDim.offset) && parallel->conditions == 0);
    if (values && isReached && values->high + *count > whole) {
      error(last.range,
            "elements " + formatConstant(Constant(values->high)) + " to " +
                formatConstant(Constant(values->high + *count)) +
                " lie outside dimension " + llvm::Twine(to.dims.size() - 1) +
                " of '" + to.root->name + "', which has " + llvm::Twine(whole))
          .withHelp("shared tiles and fragments are not bounds-masked; only "
                    "tensors are");
      return;
    }
  }
  llvm::SmallVector<const Expr *> indices;
  for (const Place::Dim &dim : to.dims)
    if (dim.offset)
      indices.push_back(dim.offset.get());
  checkDistinctElements(indices, *indexed, *source->value);
  emit(std::make_unique<checked::AsyncCopyElementsStmt>(
      call.getRange(), std::move(from), std::move(to), *count,
      std::move(predicate)));
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

void Checker::checkCommitGroup(const ast::CallExpr &call) {
  if (matchArguments(call, 0, "commit_group()"))
    emit(std::make_unique<checked::CommitGroupStmt>(call.getRange()));
}

void Checker::checkWaitGroup(const ast::CallExpr &call) {
  std::optional<Arguments> arguments = matchArguments(call, 1, "wait_group(n)");
  if (!arguments)
    return;
  const ast::Expr &syntax = *arguments->positional[0];
  std::optional<Integer> pending =
      checkConstantInteger(syntax, "the number of groups");
  if (!pending)
    return;
  constexpr Integer mostGroups = 64;
  if (*pending < 0 || *pending > mostGroups) {
    error(syntax.getRange(), "'wait_group' leaves 0 to 64 groups unfinished, "
                             "found " +
                                 formatConstant(Constant(*pending)));
    return;
  }
  emit(std::make_unique<checked::WaitGroupStmt>(
      call.getRange(), static_cast<int64_t>(*pending)));
}

//===----------------------------------------------------------------------===//
// tma_copy
//===----------------------------------------------------------------------===//

void Checker::checkTmaCopy(const ast::CallExpr &call) {
  std::optional<Arguments> arguments = matchArguments(
      call, 2, "tma_copy(source, destination, barrier = b)", {"barrier"});
  if (!arguments)
    return;
  std::optional<CopySide> source =
      checkCopySource(*arguments->positional[0], "tma_copy");
  std::optional<CopySide> destination =
      checkCopyDestination(*arguments->positional[1], "tma_copy");
  const ast::Expr *barrierSyntax = arguments->getOption("barrier");
  std::optional<checked::BarrierPlace> barrier;
  if (barrierSyntax) {
    barrier = checkBarrier(*barrierSyntax, "tma_copy");
    if (!barrier)
      return;
  }
  if (!source || !destination)
    return;
  // A store is a load the other way round.
  bool isStore =
      source->getPlace() && source->getPlace()->root->type.isShared() &&
      destination->getPlace() && destination->getPlace()->root->type.isTensor();
  if (isStore ? !checkSameElement("tma_copy", *source, *destination)
              : !checkGlobalToShared("tma_copy", *source, *destination))
    return;
  if (isStore && barrier) {
    error(barrierSyntax->getRange(),
          "a store by 'tma_copy' takes no barrier: it belongs to a group")
        .withHelp("write commit_group(); after it, and wait_group(0); where it "
                  "has to be done");
    return;
  }
  if (!isStore && !barrier) {
    error(call.callee.range, "a load by 'tma_copy' ends on a barrier")
        .withHelp("write let b = alloc_barrier(count = 1); and pass "
                  "barrier = b");
    return;
  }
  if (!matchCopyShapes(*source, *destination, "tma_copy"))
    return;
  auto takePlace = [](CopySide &side) {
    return std::move(llvm::cast<checked::MemoryExpr>(*side.value).place);
  };
  auto stmt = std::make_unique<checked::TmaCopyStmt>(
      call.getRange(), takePlace(*source), takePlace(*destination));
  stmt->barrier = std::move(barrier);
  emit(std::move(stmt));
}

//===----------------------------------------------------------------------===//
// set_max_registers
//===----------------------------------------------------------------------===//

void Checker::checkSetMaxRegisters(const ast::CallExpr &call) {
  std::optional<Arguments> arguments =
      matchArguments(call, 1, "set_max_registers(n)");
  if (!arguments)
    return;
  const auto *first = llvm::dyn_cast_or_null<ast::CallStmt>(firstOfTeam);
  if (!first || first->call.get() != &call) {
    error(call.callee.range,
          "'set_max_registers' is the first statement of a 'warpgroup' body");
    return;
  }
  const ast::Expr &syntax = *arguments->positional[0];
  std::optional<Integer> count =
      checkConstantInteger(syntax, "the number of registers");
  if (!count)
    return;
  if (*count < 24 || *count > 256 || *count % 8 != 0) {
    error(syntax.getRange(),
          "'set_max_registers' takes a multiple of 8 from 24 to 256, found " +
              formatConstant(Constant(*count)));
    return;
  }
  emit(std::make_unique<checked::SetMaxRegistersStmt>(
      call.getRange(), static_cast<int64_t>(*count)));
}
