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

  bool contains(llvm::ArrayRef<int64_t> index) const;

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
             int64_t size);

  std::string name;
  mlir::Location location; // of the allocation
  NumberFormat format;
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

/// What a value of memory type names: a tensor, or a shared tile from one of
/// its elements on.
struct MemoryView {
  const GlobalTensor *global = nullptr;
  std::shared_ptr<SharedTile> shared;
  int64_t offset = 0;
  /// Extents of the tensor, or of this part of the tile.
  Extents shape;
};

} // namespace tilec

#endif // TILEC_INTERPRETER_MEMORY_H
