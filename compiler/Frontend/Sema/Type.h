//===- Type.h - Types of values -------------------------------------------===//
//
// The kinds of value of section 3 of the language reference, by where they
// live, and the untyped constants of section 8.
//
//===----------------------------------------------------------------------===//
#ifndef TILEC_FRONTEND_SEMA_TYPE_H
#define TILEC_FRONTEND_SEMA_TYPE_H

#include "compiler/Frontend/ElementType.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <string>

namespace tilec {

using Extents = llvm::SmallVector<int64_t, 3>;

/// "128x64", as messages show a shape.
std::string formatShape(llvm::ArrayRef<int64_t> extents);
/// "245,760".
std::string formatWithSeparators(int64_t value);

/// Extent of a tensor that is known at launch only.
inline constexpr int64_t dynamicExtent = -1;

/// Extent of a dimension that an index took away: it is no part of the tile,
/// and unlike an extent of 0 it cannot come back as an anchor's.
inline constexpr int64_t goneExtent = -2;

class Type {
public:
  enum class Kind : uint8_t {
    /// Of an expression with an error that has been reported.
    Invalid,
    /// Of a call that gives nothing.
    Void,
    /// A compile-time number without a type of its own.
    UntypedInt,
    UntypedFloat,
    Scalar,
    /// A value of fixed shape, held in registers.
    Fragment,
    /// Memory of fixed shape.
    Shared,
    /// Global memory; extents may be `dynamicExtent`.
    Tensor,
    /// A barrier, or a row of them.
    Barrier,
    /// The name of an element type, as a value.
    TypeName,
    String,
  };

  Type() = default;
  static Type getInvalid() { return {}; }
  static Type getVoid() { return {Kind::Void}; }
  static Type getUntypedInt() { return {Kind::UntypedInt}; }
  static Type getUntypedFloat() { return {Kind::UntypedFloat}; }
  static Type getTypeName() { return {Kind::TypeName}; }
  static Type getString() { return {Kind::String}; }
  static Type getBool() { return getScalar(ElementType::Bool); }
  static Type getIndex() { return getScalar(ElementType::Int64); }
  static Type getScalar(ElementType element) { return {Kind::Scalar, element}; }
  static Type getFragment(ElementType element,
                          llvm::ArrayRef<int64_t> extents) {
    return {Kind::Fragment, element, extents};
  }
  static Type getShared(ElementType element, llvm::ArrayRef<int64_t> extents) {
    return {Kind::Shared, element, extents};
  }
  static Type getTensor(ElementType element, llvm::ArrayRef<int64_t> extents) {
    return {Kind::Tensor, element, extents};
  }
  /// No extents for a single barrier.
  static Type getBarrier(llvm::ArrayRef<int64_t> extents) {
    return {Kind::Barrier, ElementType::Bool, extents};
  }
  /// A fragment of this shape, or a scalar for none.
  static Type getValue(ElementType element, llvm::ArrayRef<int64_t> extents) {
    return extents.empty() ? getScalar(element) : getFragment(element, extents);
  }

  Kind getKind() const { return kind; }
  bool isInvalid() const { return kind == Kind::Invalid; }
  bool isUntyped() const {
    return kind == Kind::UntypedInt || kind == Kind::UntypedFloat;
  }
  bool isScalar() const { return kind == Kind::Scalar; }
  bool isBool() const { return isScalar() && element == ElementType::Bool; }
  bool isFragment() const { return kind == Kind::Fragment; }
  bool isShared() const { return kind == Kind::Shared; }
  bool isTensor() const { return kind == Kind::Tensor; }
  bool isBarrier() const { return kind == Kind::Barrier; }
  bool isMemory() const { return isShared() || isTensor(); }
  /// A number or bool, or a tile of them, that operators apply to.
  bool isValue() const { return isUntyped() || isScalar() || isFragment(); }

  /// Element type; of scalars their own.
  ElementType getElement() const { return element; }
  llvm::ArrayRef<int64_t> getExtents() const { return extents; }
  unsigned getRank() const { return extents.size(); }

  Type withElement(ElementType other) const { return {kind, other, extents}; }

  /// What a message calls the type: "f32", "f32[128, 64]", "an integer
  /// constant".
  std::string describe() const;

  bool operator==(const Type &other) const {
    return kind == other.kind && element == other.element &&
           extents == other.extents;
  }

private:
  Type(Kind kind, ElementType element = ElementType::Bool,
       llvm::ArrayRef<int64_t> extents = {})
      : kind(kind), element(element), extents(extents) {}

  Kind kind = Kind::Invalid;
  ElementType element = ElementType::Bool;
  Extents extents;
};

/// When a value is known (section 4). Later kinds include what may depend on
/// earlier ones.
enum class Known : uint8_t { CompileTime, Launch, Uniform, PerIteration };

} // namespace tilec

#endif // TILEC_FRONTEND_SEMA_TYPE_H
