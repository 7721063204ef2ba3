//===- Memory.h - Global tensors and shared tiles -------------------------===//
//
// A global tensor is an array of the host, read and written as its bytes lie. A
// shared tile holds the values of its elements, with a note for each of whether
// it was ever written: how a GPU lays it out is no part of what it means.
//
//===----------------------------------------------------------------------===//
#ifndef TILEC_INTERPRETER_MEMORY_H
#define TILEC_INTERPRETER_MEMORY_H

#include "compiler/Numerics/NumberFormat.h"
#include "compiler/Numerics/PackedStorage.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/ArrayRef.h"
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace tilec {

struct GlobalTensor {
  std::string name;
  NumberFormat format;
  Extents shape;
  /// Of the stored array; bytes for 4-bit elements.
  Extents strides;
  /// Dimension along which 4-bit elements share bytes, else -1.
  int64_t packDim = -1;
  bool canRead = true;
  bool canWrite = false;
  uint8_t *storage = nullptr;
  uint8_t *written = nullptr;

  /// Reads `count` elements along the last dimension, the first at `index`; all
  /// lie inside.  T is double for floats and int64_t for integers.
  template <typename T>
  void readRow(llvm::ArrayRef<int64_t> index, int64_t count, T *values) const;

  /// Writes them; the values are of the format.
  template <typename T>
  void writeRow(llvm::ArrayRef<int64_t> index, int64_t count,
                const T *values) const;
};

/// What is known about an element of a shared tile.
enum class ElementState : uint8_t {
  Undefined,
  Written,
  InFlight, // an asynchronous copy is filling it
};

struct SharedTile {
  SharedTile(std::string name, mlir::Location location, NumberFormat format,
             Extents shape);

  std::string name;
  mlir::Location location; // of the allocation
  NumberFormat format;
  Extents shape;
  std::vector<int64_t> integers; // of an integer format
  std::vector<double> floats;    // of a float format
  std::vector<ElementState> states;

  template <typename T> std::vector<T> &getValues() {
    if constexpr (std::is_same_v<T, double>)
      return floats;
    else
      return integers;
  }
};

/// What a value of memory type names: a tensor or a shared tile, or a part of
/// one.  Part and whole (the *root*) may differ in rank.
struct MemoryView {
  MemoryView() = default;
  explicit MemoryView(const GlobalTensor &tensor);
  explicit MemoryView(std::shared_ptr<SharedTile> tile);

  NumberFormat getFormat() const {
    return global ? global->format : shared->format;
  }
  const Extents &getRootShape() const {
    return global ? global->shape : shared->shape;
  }

  /// The part from `offsets` on (one for each dimension of this view) of
  /// extents `sizes`, which are those of the dimensions `kept`.
  MemoryView narrow(llvm::ArrayRef<int64_t> offsets,
                    llvm::ArrayRef<int64_t> sizes,
                    llvm::ArrayRef<int64_t> kept) const;

  /// The place in the root of an index of the view, and back.
  Extents toRoot(llvm::ArrayRef<int64_t> index) const;
  Extents fromRoot(llvm::ArrayRef<int64_t> index) const;
  /// Whether a place in the root belongs to the view.
  bool contains(llvm::ArrayRef<int64_t> rootIndex) const;

  const GlobalTensor *global = nullptr;
  std::shared_ptr<SharedTile> shared;
  Extents shape;
  /// The root's dimension along which each dimension of the view runs, and the
  /// view's first element in the root.
  Extents dims, origin;
  /// The part of the root that the view covers, cut off at the root's bounds.
  Extents lower, upper;
};

} // namespace tilec

#endif // TILEC_INTERPRETER_MEMORY_H
