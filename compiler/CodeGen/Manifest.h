//===- Manifest.h - The JSON file beside a cubin --------------------------===//
//
// What the runtime must know to launch the kernels of a cubin, as plain
// structs, and the writer of the file.  docs/artifact-format.md describes the
// file; the runtime's reader is the other side of it.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_CODEGEN_MANIFEST_H
#define TILE_COMPILER_CODEGEN_MANIFEST_H

#include "nlohmann/json.hpp"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <vector>

namespace tilec {

struct PtxasReport;

/// An expression over symbols, scalars and facts: an integer, a name, or an
/// array [operator, operand...].
using ManifestExpr = nlohmann::ordered_json;

/// In which order a prepacked tensor is stored.
struct ManifestPacking {
  /// Extents along the last dimensions.
  std::vector<int64_t> tile;
  /// [dim, stride, count] of each digit of a position in a tile, lowest first.
  std::vector<std::vector<int64_t>> order;
  /// The dimension of a tile along which tiles are neighbours.
  int64_t along = 0;
  /// Elements in a row of memory, as boxes of tensor maps count them.
  int64_t row = 0;
  /// "0x..." with 16 digits; the same for equal orders only.
  std::string tag;
  /// Helpers: to packed memory and back.
  std::string packer, unpacker;
};

struct ManifestParameter {
  bool isTensor = false;
  std::string name;
  /// The language's spelling, "uint4".
  std::string dtype;

  // The rest is for tensors.
  /// "in", "out" or "inout".
  std::string access;
  std::vector<ManifestExpr> dims;
  /// The dimension along which two 4-bit elements share a byte.
  std::optional<int64_t> pack;
  enum class Strides { Dense, InnerUnit, All } strides = Strides::Dense;
  bool noalias = false;
  std::optional<ManifestPacking> packing;
};

struct ManifestSymbol {
  std::string name;
  /// The tensor parameter and dimension that bind it at launch.
  int64_t parameter = 0;
  int64_t dim = 0;
  /// The value it was compiled for.
  std::optional<int64_t> fixed;
};

/// A condition and the words that a message quotes.
struct ManifestFact {
  ManifestExpr expr;
  std::string text;
  /// Replaces "'text' does not hold" where it is not empty.
  std::string message;

  bool operator==(const ManifestFact &) const = default;
};

struct ManifestAxis {
  std::string name;
  ManifestExpr extent;

  bool operator==(const ManifestAxis &) const = default;
};

/// One parameter of the compiled function.
struct ManifestArgument {
  enum class Kind { Tensor, Symbol, Scalar, Stride, TensorMap, Workspace } kind;
  /// Empty for a tensor map and the workspace.
  std::string name;
  /// The dimension of a stride; which of the variant's tensor maps.
  int64_t number = 0;
};

/// What TMA needs to know of a tensor, encoded at launch.
struct ManifestTensorMap {
  std::string tensor;
  /// One extent for each dimension in the tensor's order, in elements as
  /// stored.
  std::vector<int64_t> box;
  /// Bytes, 0 for none.
  int64_t swizzle = 0;
  int64_t l2Promotion = 0;
};

/// The launches that variants are meant for: those whose `symbol` is at most
/// so much, of those that no class before takes.
struct ManifestSizeClass {
  std::string symbol;
  int64_t most = 0;

  bool operator==(const ManifestSizeClass &) const = default;
};

struct ManifestVariant {
  /// Its bound is among the guards.
  std::optional<ManifestSizeClass> sizeClass;
  /// Where they differ from those of the kernel; `config` is null if not.
  std::optional<std::vector<ManifestAxis>> axes;
  nlohmann::ordered_json config;
  std::string name;
  std::string symbol;
  std::vector<ManifestFact> guards;
  int64_t threads = 0;
  int64_t sharedBytes = 0;
  /// Known once ptxas has run.
  std::optional<int64_t> registers;
  std::optional<int64_t> spillBytes;
  std::vector<ManifestTensorMap> tensorMaps;
  /// The number of blocks where it is not the product of the axes, else null.
  ManifestExpr blocks;
  /// Whether the launch may overlap those before.
  bool overlaps = false;
  /// Blocks of a cluster.
  int64_t cluster = 1;
  /// Bytes of memory that the launch lends the kernel; null for none.
  ManifestExpr workspace;
  std::vector<ManifestArgument> arguments;
};

struct ManifestKernel {
  std::string name;
  std::vector<ManifestParameter> parameters;
  std::vector<ManifestSymbol> symbols;
  /// Those of all variants; others are guards of theirs.
  std::vector<ManifestFact> checks;
  std::vector<ManifestAxis> axes;
  nlohmann::ordered_json config = nlohmann::ordered_json::object();
  /// In the order in which the launch tries their guards.
  std::vector<ManifestVariant> variants;
};

struct ManifestModel {
  /// "sm_90a"
  std::string target;
  /// The cubin's file name without a folder; empty when there is none.
  std::string module;
  std::vector<ManifestKernel> kernels;
  /// Kernels that the compiler added to serve those.
  std::vector<ManifestKernel> helpers;
  /// As hashSha256 writes them; empty ones are left out.
  std::string sourceHash;
  std::string cubinHash;
  nlohmann::ordered_json options = nlohmann::ordered_json::object();
};

/// Fills in registers and spills of each variant from what ptxas reported.
void addResources(ManifestModel &model, const PtxasReport &report);

/// The text of the file, with a newline at its end.
std::string writeManifest(const ManifestModel &model);

} // namespace tilec

#endif // TILE_COMPILER_CODEGEN_MANIFEST_H
