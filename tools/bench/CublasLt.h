//===-- CublasLt.h - cuBLASLt, loaded at run time --------------*- C++ -*-===//
//
// What this program uses of NVIDIA's cublasLt.h, cublas_api.h and
// library_types.h (CUDA 13.0; the values are the same since 12.9), so that no
// CUDA toolkit is needed to build.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TOOLS_BENCH_CUBLASLT_H
#define TILE_TOOLS_BENCH_CUBLASLT_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tilebench {

namespace lt {

using Handle = struct HandleObject *;
using MatmulDesc = struct MatmulDescObject *;
using MatrixLayout = struct MatrixLayoutObject *;
using Preference = struct PreferenceObject *;

// cudaDataType.
enum DataType : int {
  R32F = 0,
  R16F = 2,
  R8I = 3,
  R32I = 10,
  R16BF = 14,
  R8FE4M3 = 28,
  R8FE5M2 = 29,
};

// cublasComputeType_t.
enum ComputeType : int {
  Compute32F = 68,
  Compute32I = 72,
  Compute32FFastTF32 = 77,
};

// cublasOperation_t.
enum Operation : int { OpN = 0, OpT = 1 };

// cublasLtMatmulDescAttributes_t.
enum DescAttribute : int {
  DescTransA = 3,
  DescTransB = 4,
  DescAScalePointer = 17,
  DescBScalePointer = 18,
  DescFastAccum = 25,
  DescAScaleMode = 31,
  DescBScaleMode = 32,
};

// cublasLtMatmulMatrixScale_t.
enum ScaleMode : int { ScaleVec128 = 4, ScaleBlock128x128 = 5 };

// cublasLtMatmulPreferenceAttributes_t.
enum PreferenceAttribute : int { PrefMaxWorkspaceBytes = 1 };

// cublasLtMatmulAlgoConfigAttributes_t.
enum ConfigAttribute : int {
  ConfigId = 0,
  ConfigTileId = 1,
  ConfigSplitKNum = 2,
  ConfigStagesId = 6,
  ConfigClusterShapeId = 8,
};

struct Algorithm {
  uint64_t data[8];
};

// cublasLtMatmulHeuristicResult_t.
struct HeuristicResult {
  Algorithm algorithm;
  size_t workspaceBytes;
  int state;
  float wavesCount;
  int reserved[4];
};
static_assert(sizeof(HeuristicResult) == 96, "the layout of cublasLt.h");

} // namespace lt

// Name, result and parameters.
#define TILEBENCH_CUBLASLT(X)                                                  \
  X(cublasLtCreate, int, lt::Handle *)                                         \
  X(cublasLtDestroy, int, lt::Handle)                                          \
  X(cublasLtGetVersion, size_t)                                                \
  X(cublasLtGetStatusName, const char *, int)                                  \
  X(cublasLtMatmulDescCreate, int, lt::MatmulDesc *, int, int)                 \
  X(cublasLtMatmulDescDestroy, int, lt::MatmulDesc)                            \
  X(cublasLtMatmulDescSetAttribute, int, lt::MatmulDesc, int, const void *,    \
    size_t)                                                                    \
  X(cublasLtMatrixLayoutCreate, int, lt::MatrixLayout *, int, uint64_t,        \
    uint64_t, int64_t)                                                         \
  X(cublasLtMatrixLayoutDestroy, int, lt::MatrixLayout)                        \
  X(cublasLtMatmulPreferenceCreate, int, lt::Preference *)                     \
  X(cublasLtMatmulPreferenceDestroy, int, lt::Preference)                      \
  X(cublasLtMatmulPreferenceSetAttribute, int, lt::Preference, int,            \
    const void *, size_t)                                                      \
  X(cublasLtMatmulAlgoGetHeuristic, int, lt::Handle, lt::MatmulDesc,           \
    lt::MatrixLayout, lt::MatrixLayout, lt::MatrixLayout, lt::MatrixLayout,    \
    lt::Preference, int, lt::HeuristicResult *, int *)                         \
  X(cublasLtMatmulAlgoConfigGetAttribute, int, const lt::Algorithm *, int,     \
    void *, size_t, size_t *)                                                  \
  X(cublasLtMatmul, int, lt::Handle, lt::MatmulDesc, const void *,             \
    const void *, lt::MatrixLayout, const void *, lt::MatrixLayout,            \
    const void *, const void *, lt::MatrixLayout, void *, lt::MatrixLayout,    \
    const lt::Algorithm *, void *, size_t, void *)

class CublasLt {
public:
  /// Loads the library `chosen`, a file or a folder with it; if empty, the
  /// first that is found where it is usually installed. Throws
  /// std::runtime_error that tells all that was tried.
  explicit CublasLt(const std::string &chosen);

#define X(name, result, ...) result (*name)(__VA_ARGS__) = nullptr;
  TILEBENCH_CUBLASLT(X)
#undef X

  /// The file that was loaded.
  const std::string &path() const { return loadedPath; }
  /// As "13.1.0".
  std::string version() const;
  /// Throws std::runtime_error if the status of `call` is a failure.
  void check(int status, const char *call) const;

private:
  bool load(const std::string &path, std::string &reasons);

  std::string loadedPath;
};

/// Calls a function of the library and throws if it fails.
#define TILEBENCH_LT(library, name, ...)                                       \
  (library).check((library).name(__VA_ARGS__), #name)

/// The files that CublasLt tries for `chosen`, in order.
std::vector<std::string> listCublasLtFiles(const std::string &chosen);

} // namespace tilebench

#endif // TILE_TOOLS_BENCH_CUBLASLT_H
