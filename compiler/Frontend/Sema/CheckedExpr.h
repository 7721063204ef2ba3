//===- CheckedExpr.h - Expressions with types -----------------------------===//
//
// The checked tree is what semantic analysis makes of one kernel for one set of
// compile-time constants: names are resolved, constants folded, conversions and
// broadcasts explicit, functions inlined and unrolled loops written out.  It is
// a value by itself, independent of the syntax tree; MLIR generation walks it.
//
//===----------------------------------------------------------------------===//
#ifndef TILEC_FRONTEND_SEMA_CHECKEDEXPR_H
#define TILEC_FRONTEND_SEMA_CHECKEDEXPR_H

#include "compiler/Frontend/Sema/Builtins.h"
#include "compiler/Frontend/Sema/Constant.h"
#include "compiler/Frontend/Sema/Type.h"
#include "compiler/Frontend/Syntax/ASTDecl.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tilec::checked {

class Expr;
class Stmt;
using ExprPtr = std::unique_ptr<Expr>;
using StmtPtr = std::unique_ptr<Stmt>;

/// Smallest and largest value an integer can have.
struct IntegerRange {
  Integer low, high;
};

/// `scale * v + offset` for variable number `variable` of the enclosing
/// `parallel` loop, or a constant for none.
struct AffineIndex {
  int variable = -1;
  Integer scale = 0, offset = 0;
  bool operator==(const AffineIndex &) const = default;
};

/// Everything a name can stand for that exists at run time.
struct Variable {
  enum class Role : uint8_t {
    Let,
    Var,
    LoopIndex,
    ParallelIndex,
    Symbol,
    ScalarParameter,
    Axis,
    Tensor,
    Shared,
    /// Second name of a part of a tensor or shared tile.
    Alias,
    /// One barrier, or several.
    Barrier,
    /// A compile-time constant; no value at run time.
    Constant,
  };

  Role role;
  std::string name;
  Type type;
  /// The name where it is declared.
  SourceRange declared;
  /// The call that allocates it, if one does.
  SourceRange allocated;
  Known known = Known::Uniform;
  std::optional<Constant> constant;
  /// Number of the parameter, of the block axis or of the `parallel` variable.
  unsigned index = 0;
  /// An alias: the tensor or shared tile that it names a part of.
  Variable *aliased = nullptr;
  /// A tensor in the order that an instruction wants.
  bool isPrepacked = false;
  /// Rights of a tensor, and of aliases of one.
  ast::Access access = ast::Access::Inout;
  /// Packed dimension of tensors and shared tiles of 4-bit elements.
  int packDim = -1;
  /// Declared inside the enclosing `parallel` loop.
  bool isPerIteration = false;
  /// For what is declared in a `parallel` loop: the loop variables its value
  /// may depend on, one bit each.
  uint32_t dependence = 0;
  /// Of integers that do not change, if known.
  std::optional<IntegerRange> range;
  std::optional<AffineIndex> affine;
  /// A symbol: the tensor in whose type it first stands, and whether a
  /// dimension gives it its value.
  std::string firstUser;
  bool isBound = false;
  /// Of a function.
  bool isParameter = false;
  /// Number of the innermost `persistent` or `warpgroup` body around the
  /// declaration, 0 for none.  Bodies further in have higher numbers.
  unsigned region = 0;
  /// What `annotate` says: of a shared tile the swizzle and the padding in
  /// bytes, or the text of a layout attribute.
  std::optional<int64_t> swizzle, padding;
  std::string layout;

  bool isMutable() const { return role == Role::Var; }
  /// The variable whose memory this is.
  Variable *getOrigin() { return aliased ? aliased : this; }
};

/// A part of a tensor or shared tile: one entry for each dimension of `root`.
struct Place {
  struct Dim {
    /// First element; null for 0.
    ExprPtr offset;
    /// The dimension is gone: only the element at `offset` is meant.
    bool isDropped = false;
    /// Extent of a dimension that stays; `dynamicExtent` for all of a tensor's.
    /// Of a dimension that is gone 0, but in an anchor, which may get its
    /// dimensions back, the extent it had.
    int64_t extent = dynamicExtent;
    /// In a view with bounds, the element after the last one; null for the end
    /// of the tensor.
    ExprPtr end;
  };

  Variable *root = nullptr;
  /// A view with bounds that this is a part of; `dims` are then those that the
  /// view keeps.
  std::unique_ptr<Place> base;
  std::vector<Dim> dims;
  /// All indices are plain: an element, or an anchor where an extent comes from
  /// the other side.
  bool isAnchor = false;
  /// A tensor narrowed by `:` (not by `+:`): its extents are the tensor's.
  bool isView = false;

  Place();
  Place(Place &&);
  Place &operator=(Place &&);
  ~Place();

  bool isWhole() const;
  /// A view that ends before its tensor does.
  bool hasBounds() const;
  /// Extents of the dimensions that stay.
  Extents getExtents() const;
  ElementType getElement() const { return root->type.getElement(); }
};

enum class ExprKind : uint8_t {
  /// Something with an error that has been reported.
  Invalid,
  Constant,
  Read,
  Memory,
  Load,
  LoadElement,
  Element,
  Unary,
  Binary,
  Call,
  If,
  Convert,
  Reinterpret,
  Splat,
  Reindex,
  Part,
  Reshape,
  Iota,
  Reduce,
  Scan,
  Dequant,
  Atomic,
  Block,
  Extent,
};

class Expr {
public:
  virtual ~Expr() = default;

  ExprKind getKind() const { return kind; }

  Type type;
  SourceRange range;
  Known known = Known::CompileTime;
  /// The value, where it is known at compile time.
  std::optional<Constant> constant;
  std::vector<ExprPtr> operands;

protected:
  Expr(ExprKind kind, Type type, SourceRange range)
      : type(std::move(type)), range(range), kind(kind) {}

private:
  ExprKind kind;
};

template <typename Derived, ExprKind theKind> class ExprBase : public Expr {
public:
  static bool classof(const Expr *expr) { return expr->getKind() == theKind; }

protected:
  ExprBase(Type type, SourceRange range)
      : Expr(theKind, std::move(type), range) {}
};

class InvalidExpr : public ExprBase<InvalidExpr, ExprKind::Invalid> {
public:
  explicit InvalidExpr(SourceRange range)
      : ExprBase(Type::getInvalid(), range) {}
};

/// A number, bool, type or string; the value is in `constant`.
class ConstantExpr : public ExprBase<ConstantExpr, ExprKind::Constant> {
public:
  ConstantExpr(Type type, SourceRange range, Constant value)
      : ExprBase(std::move(type), range) {
    constant = std::move(value);
  }
};

/// The value of a scalar or fragment variable.
class ReadExpr : public ExprBase<ReadExpr, ExprKind::Read> {
public:
  ReadExpr(SourceRange range, Variable *variable)
      : ExprBase(variable->type, range), variable(variable) {
    known = variable->known;
    constant = variable->constant;
  }
  Variable *variable;
};

/// Memory by itself, neither read nor written yet.  Only operands of `gemm` and
/// `dequant` are left in a finished tree.
class MemoryExpr : public ExprBase<MemoryExpr, ExprKind::Memory> {
public:
  MemoryExpr(Type type, SourceRange range, Place place)
      : ExprBase(std::move(type), range), place(std::move(place)) {
    known = Known::Uniform;
  }
  Place place;
};

/// A tile read from memory; operand 0, if there is one, is the pad.
class LoadExpr : public ExprBase<LoadExpr, ExprKind::Load> {
public:
  LoadExpr(Type type, SourceRange range, Place place)
      : ExprBase(std::move(type), range), place(std::move(place)) {
    known = Known::Uniform;
  }
  Place place;
};

/// An element read from memory; operand 0, if there is one, is the pad.
class LoadElementExpr
    : public ExprBase<LoadElementExpr, ExprKind::LoadElement> {
public:
  LoadElementExpr(Type type, SourceRange range, Place place)
      : ExprBase(std::move(type), range), place(std::move(place)) {}
  Place place;
};

/// An element of a fragment variable, inside `parallel`; the operands are the
/// indices.
class ElementExpr : public ExprBase<ElementExpr, ExprKind::Element> {
public:
  ElementExpr(SourceRange range, Variable *variable)
      : ExprBase(Type::getScalar(variable->type.getElement()), range),
        variable(variable) {
    known = Known::PerIteration;
  }
  Variable *variable;
};

class UnaryExpr : public ExprBase<UnaryExpr, ExprKind::Unary> {
public:
  UnaryExpr(Type type, SourceRange range, ast::UnaryOp op)
      : ExprBase(std::move(type), range), op(op) {}
  ast::UnaryOp op;
};

/// Both operands have the same type, but the amount of a shift.
class BinaryExpr : public ExprBase<BinaryExpr, ExprKind::Binary> {
public:
  BinaryExpr(Type type, SourceRange range, ast::BinaryOp op)
      : ExprBase(std::move(type), range), op(op) {}
  ast::BinaryOp op;
  /// What is known about the right operand of a shift or division: `isProven`,
  /// that it is harmless (an amount within the width, a divisor above 0);
  /// `isNotNegative`, of a divisor, that 0 is the only harmful value.
  bool isProven = false;
  bool isNotNegative = false;
};

/// A builtin of the groups Math and Arithmetic.
class CallExpr : public ExprBase<CallExpr, ExprKind::Call> {
public:
  CallExpr(Type type, SourceRange range, Builtin builtin)
      : ExprBase(std::move(type), range), builtin(builtin) {}
  Builtin builtin;
};

/// Condition, then, else: scalars, of which one side is evaluated.
class IfExpr : public ExprBase<IfExpr, ExprKind::If> {
public:
  IfExpr(Type type, SourceRange range) : ExprBase(std::move(type), range) {}
};

/// Conversion by value to the element type of `type`.
class ConvertExpr : public ExprBase<ConvertExpr, ExprKind::Convert> {
public:
  ConvertExpr(Type type, SourceRange range, CastMode mode)
      : ExprBase(std::move(type), range), mode(mode) {}
  CastMode mode;
};

/// The same bits as another type; of a tile perhaps of another width, which
/// changes the last extent.
class ReinterpretExpr
    : public ExprBase<ReinterpretExpr, ExprKind::Reinterpret> {
public:
  ReinterpretExpr(Type type, SourceRange range)
      : ExprBase(std::move(type), range) {}
};

/// A fragment filled with a scalar.
class SplatExpr : public ExprBase<SplatExpr, ExprKind::Splat> {
public:
  SplatExpr(Type type, SourceRange range) : ExprBase(std::move(type), range) {}
};

/// A fragment whose dimensions are moved, added or repeated.
class ReindexExpr : public ExprBase<ReindexExpr, ExprKind::Reindex> {
public:
  ReindexExpr(Type type, SourceRange range, std::vector<int> sourceDims)
      : ExprBase(std::move(type), range), sourceDims(std::move(sourceDims)) {}
  /// For each dimension of the operand the dimension of the result that runs
  /// along it, or -1 if it has extent 1 and its only element is meant.
  std::vector<int> sourceDims;
};

/// A rectangular part of a fragment at compile-time offsets.
class PartExpr : public ExprBase<PartExpr, ExprKind::Part> {
public:
  struct Dim {
    int64_t offset;
    bool isDropped;
  };
  PartExpr(Type type, SourceRange range, std::vector<Dim> dims)
      : ExprBase(std::move(type), range), dims(std::move(dims)) {}
  std::vector<Dim> dims;
};

/// The elements of a fragment, in row-major order, in another shape.
class ReshapeExpr : public ExprBase<ReshapeExpr, ExprKind::Reshape> {
public:
  ReshapeExpr(Type type, SourceRange range)
      : ExprBase(std::move(type), range) {}
};

/// 0, 1, 2, ...
class IotaExpr : public ExprBase<IotaExpr, ExprKind::Iota> {
public:
  IotaExpr(Type type, SourceRange range) : ExprBase(std::move(type), range) {}
};

/// A reduction along one dimension, which is then gone, or of all elements.
class ReduceExpr : public ExprBase<ReduceExpr, ExprKind::Reduce> {
public:
  ReduceExpr(Type type, SourceRange range, Builtin builtin)
      : ExprBase(std::move(type), range), builtin(builtin) {}
  Builtin builtin;
  std::optional<unsigned> dim;
};

/// Running sums along one dimension.
class ScanExpr : public ExprBase<ScanExpr, ExprKind::Scan> {
public:
  ScanExpr(Type type, SourceRange range, unsigned dim, bool isReversed)
      : ExprBase(std::move(type), range), dim(dim), isReversed(isReversed) {}
  unsigned dim;
  bool isReversed;
};

/// (q - zero) * scale. The operands are q and what there is of the others, each
/// a fragment, a scalar or the MemoryExpr of a shared tile.
class DequantExpr : public ExprBase<DequantExpr, ExprKind::Dequant> {
public:
  DequantExpr(Type type, SourceRange range)
      : ExprBase(std::move(type), range) {}
  bool hasScale = false, hasZero = false;
  unsigned dim = 0;
  std::optional<int64_t> group;
  /// The type written by `to`, if one is.
  std::optional<ElementType> to;
  SourceRange toRange;

  const Expr &getSource() const { return *operands[0]; }
  const Expr *getScale() const {
    return hasScale ? operands[1].get() : nullptr;
  }
  const Expr *getZero() const {
    return hasZero ? operands.back().get() : nullptr;
  }
};

/// An atomic change of one element, operand 0 being the amount; gives the value
/// before it.
class AtomicExpr : public ExprBase<AtomicExpr, ExprKind::Atomic> {
public:
  AtomicExpr(SourceRange range, Builtin builtin, Place place)
      : ExprBase(Type::getScalar(place.getElement()), range), builtin(builtin),
        place(std::move(place)) {}
  Builtin builtin;
  Place place;
  /// Orders the block's other accesses, too.
  bool isAcqRel = false;
};

/// An inlined function: definitions, then the value in operand 0.
class BlockExpr : public ExprBase<BlockExpr, ExprKind::Block> {
public:
  BlockExpr(Type type, SourceRange range);
  ~BlockExpr() override;
  std::vector<StmtPtr> statements;
};

/// An extent of a tensor or view that is known at launch or later.
class ExtentExpr : public ExprBase<ExtentExpr, ExprKind::Extent> {
public:
  ExtentExpr(SourceRange range, Variable *variable, unsigned dim)
      : ExprBase(Type::getIndex(), range), variable(variable), dim(dim) {
    known = variable->role == Variable::Role::Tensor ? Known::Launch
                                                     : Known::Uniform;
  }
  Variable *variable;
  unsigned dim;
};

/// Calls `visit` on each expression directly below `expr`, in the order in
/// which they are evaluated: the offsets of places, then operands.  Statements
/// of a block are not visited.
void forEachOperand(const Expr &expr,
                    llvm::function_ref<void(const Expr &)> visit);
void forEachOperand(const Place &place,
                    llvm::function_ref<void(const Expr &)> visit);

/// True if evaluating an expression changes something, so that it must not be
/// left out.
bool hasEffects(const Expr &expr);

} // namespace tilec::checked

#endif // TILEC_FRONTEND_SEMA_CHECKEDEXPR_H
