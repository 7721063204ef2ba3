//===-- Manifest.h - What a manifest says, ready for launches --*- C++ -*-===//
//
// docs/artifact-format.md describes the file. Here every name is resolved to an
// index and every expression is compiled.
//
//===----------------------------------------------------------------------===//

#ifndef TILERT_LIB_MANIFEST_H
#define TILERT_LIB_MANIFEST_H

#include "Expr.h"
#include "Packing.h"
#include "Target.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tilert::detail {

/// A number that expressions of a kernel read. The symbols come first, in their
/// order, so a symbol's number is that of its slot.
struct Slot {
  enum class Kind : uint8_t {
    Symbol,
    Scalar,     // an integer parameter
    Address,    // of a tensor
    ByteStride, // of a tensor along a dimension
    Overlap,    // 1 if two tensors share memory
    SmCount,
  };
  Kind kind;
  int parameter = -1;
  int other = -1;   // the dimension of ByteStride, the second tensor of Overlap
  std::string text; // what messages call it
};

struct Symbol {
  std::string name;
  bool isFixed = false;
  int64_t fixedValue = 0;
  /// Dimensions that are the symbol alone, the binding one first.
  struct Use {
    int parameter;
    int dim;
  };
  std::vector<Use> uses;
};

struct Parameter {
  std::string name;
  tilert_parameter facts{}; // `facts.name` points at `name`
  std::vector<Expr> dims;
  /// Of a prepacked tensor.
  std::optional<Packing> packing;

  bool isTensor() const { return facts.kind == TILERT_TENSOR; }
  /// As "[M, K / 128]".
  std::string shapeText() const;
};

/// A name and value that a message about a check gives: a slot, or a config
/// constant.
struct ShownValue {
  int slot = -1;
  std::string name;
  std::string constant;
};

/// A fact that must hold, with the words of the source.
struct Check {
  Expr expr;
  std::string text;
  std::string message; // replaces "'text' does not hold" if not empty
  std::vector<ShownValue> shown;
  bool usesAddresses = false;
};

struct Axis {
  std::string name;
  Expr extent;
};

struct KernelArgument {
  tilert_value_kind kind;
  int index; // of the parameter, symbol or tensor map
  int dim;   // of a stride
};

/// What a variant wants of a tensor map; the rest is known at launch.
struct TensorMapSpec {
  int parameter = -1;
  int32_t box[TILERT_MAX_RANK] = {}; // in the tensor's order
  int32_t swizzle = 0;
  int32_t l2Promotion = 0;
};

struct Variant {
  std::string name;
  std::string symbol;
  tilert_variant facts{}; // points at the names
  std::vector<Check> guards;
  std::vector<TensorMapSpec> tensorMaps;
  /// Its own block axes, where they are not those of the kernel.
  std::optional<std::vector<Axis>> axes;
  /// The number of blocks, where it is not the product of the axes.
  std::optional<Expr> blocks;
  /// It waits for the kernels before by itself, so that it may start earlier.
  bool overlaps = false;
  /// Blocks of a cluster, as the code was compiled for.
  int32_t cluster = 1;
  /// Bytes of the workspace, where there is one.
  std::optional<Expr> workspace;
  std::vector<KernelArgument> arguments;
};

struct KernelInfo {
  std::string name;
  std::vector<Symbol> symbols;
  std::vector<Parameter> parameters;
  std::vector<Slot> slots;
  std::vector<Check> checks;
  std::vector<Axis> axes;
  std::vector<Variant> variants;
  bool usesSmCount = false;

  const std::vector<Axis> &axesOf(const Variant &variant) const {
    return variant.axes ? *variant.axes : axes;
  }
};

struct Manifest {
  std::string targetName;
  Target target;
  std::string cubinName; // empty if there is none
  std::string cubinHash; // 64 hex digits
  std::vector<std::unique_ptr<KernelInfo>> kernels;
  /// Kernels that serve those: packers of tensors.
  std::vector<std::unique_ptr<KernelInfo>> helpers;
};

/// Reads a manifest; `title` begins the messages, as "manifest gemm.json".
Status readManifest(std::string_view text, std::string title,
                    Manifest &manifest);

} // namespace tilert::detail

#endif // TILERT_LIB_MANIFEST_H
