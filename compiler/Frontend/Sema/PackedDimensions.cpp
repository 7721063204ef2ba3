//===- PackedDimensions.cpp - Along which dimension 4-bit tiles are packed ===//
//
// A shared tile of 4-bit elements is packed along the dimension along which the
// tensor it is copied from, or to, is packed, so that bytes move as they are.
//
//===----------------------------------------------------------------------===//
#include "compiler/Frontend/Sema/Dataflow.h"

#include "compiler/Frontend/Diagnostics/Diagnostics.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace tilec;
using namespace tilec::checked;

/// Calls `visit` on every statement, also of functions called in expressions.
static void forEachStmt(const StmtList &list,
                        llvm::function_ref<void(Stmt &)> visit);

static void forEachStmt(const Expr &expr,
                        llvm::function_ref<void(Stmt &)> visit) {
  if (const auto *block = llvm::dyn_cast<BlockExpr>(&expr))
    forEachStmt(block->statements, visit);
  forEachOperand(expr,
                 [&](const Expr &operand) { forEachStmt(operand, visit); });
}

static void forEachStmt(const StmtList &list,
                        llvm::function_ref<void(Stmt &)> visit) {
  for (const StmtPtr &stmt : list) {
    visit(*stmt);
    forEachExpr(*stmt, [&](const Expr &expr) { forEachStmt(expr, visit); });
    forEachList(*stmt,
                [&](const StmtList &inner) { forEachStmt(inner, visit); });
  }
}

/// The dimension of a tile along which a tensor of the same copy is packed;
/// none if the tile does not run along it.
static std::optional<int> getTilePackDim(const Place &tensor) {
  int tileDim = 0;
  for (const auto &[dim, entry] : llvm::enumerate(tensor.dims)) {
    if (int(dim) == tensor.root->packDim)
      return entry.isDropped ? std::nullopt : std::optional(tileDim);
    tileDim += !entry.isDropped;
  }
  return std::nullopt;
}

namespace {
/// The tile that a place is a part of, and which of its dimensions the place
/// has.
struct TilePart {
  Variable *tile = nullptr;
  llvm::SmallVector<int> kept;
};

/// Follows the second names of parts.
class PartFinder {
public:
  void record(const AliasStmt &alias) {
    parts[alias.variable] = find(alias.place);
  }
  TilePart find(const Place &place) const;

private:
  llvm::DenseMap<const Variable *, TilePart> parts;
};
} // namespace

TilePart PartFinder::find(const Place &place) const {
  if (place.base)
    return {};
  TilePart whole;
  if (place.root->role == Variable::Role::Shared) {
    whole.tile = place.root;
    for (int dim = 0, rank = place.dims.size(); dim < rank; ++dim)
      whole.kept.push_back(dim);
  } else {
    whole = parts.lookup(place.root);
  }
  TilePart part{whole.tile, {}};
  if (whole.tile)
    for (const auto &[dim, entry] : llvm::enumerate(place.dims))
      if (!entry.isDropped)
        part.kept.push_back(whole.kept[dim]);
  return part;
}

void checked::inferPackedDimensions(Kernel &kernel) {
  llvm::DenseMap<Variable *, int> fromElements, fromSource, fromDestination;
  PartFinder parts;
  auto record = [&](const Place &tile, const Place &tensor,
                    llvm::DenseMap<Variable *, int> &found) {
    TilePart part = parts.find(tile);
    bool isPackedCopy = part.tile && part.tile->packDim >= 0 &&
                        tensor.root->role == Variable::Role::Tensor &&
                        !tensor.base;
    if (!isPackedCopy)
      return;
    std::optional<int> dim = getTilePackDim(tensor);
    if (dim && *dim < int(part.kept.size()))
      found.try_emplace(part.tile, part.kept[*dim]);
  };
  forEachStmt(kernel.body, [&](Stmt &stmt) {
    llvm::TypeSwitch<Stmt *>(&stmt)
        .Case<AliasStmt>([&](AliasStmt *alias) { parts.record(*alias); })
        .Case<CopyStmt, TmaCopyStmt>([&](auto *copy) {
          record(copy->destination, copy->source, fromSource);
          record(copy->source, copy->destination, fromDestination);
        })
        .Case<AsyncCopyStmt>([&](AsyncCopyStmt *copy) {
          record(copy->destination, copy->source, fromSource);
        })
        .Case<AsyncCopyElementsStmt>([&](AsyncCopyElementsStmt *copy) {
          // Its bytes lie along the last dimension, whatever other copies do.
          Variable *tile = copy->destination.root->getOrigin();
          if (tile->packDim >= 0)
            fromElements[tile] = tile->type.getRank() - 1;
        });
  });
  for (auto *found : {&fromDestination, &fromSource, &fromElements})
    for (auto [variable, dim] : *found)
      variable->packDim = dim;
}

void checked::checkPackedParts(const Kernel &kernel,
                               DiagnosticEngine &diagnostics) {
  PartFinder parts;
  auto check = [&](const Place &place, const Stmt &stmt) {
    TilePart part = parts.find(place);
    if (!part.tile || part.tile->packDim < 0 ||
        llvm::is_contained(part.kept, part.tile->packDim))
      return;
    diagnostics
        .error(stmt.range, "an asynchronous copy moves whole bytes, and '" +
                               part.tile->name +
                               "' has two elements of a byte along dimension " +
                               llvm::Twine(part.tile->packDim) +
                               ", which is indexed here")
        .note(part.tile->declared.Start,
              "'" + part.tile->name + "' is declared here")
        .withHelp("use 'copy'");
  };
  forEachStmt(kernel.body, [&](Stmt &stmt) {
    llvm::TypeSwitch<Stmt *>(&stmt)
        .Case<AliasStmt>([&](AliasStmt *alias) { parts.record(*alias); })
        .Case<TmaCopyStmt, AsyncCopyStmt>([&](auto *copy) {
          check(copy->source, stmt);
          check(copy->destination, stmt);
        });
  });
}
