//===-- Peers.cpp - Algorithms of cuBLASLt as contenders ------------------===//
//
// cuBLASLt counts columns first. What is C[M, N] row by row is C^T[N, M] column
// by column, and C^T = B^T A^T: our B is its first operand and our A its
// second. A matrix that is stored [N, K] row by row is K x N to it, with K
// rows.
//
//===----------------------------------------------------------------------===//

#include "runtime/lib/Text.h"
#include "tools/bench/Contender.h"

#include <stdexcept>

using tilec::NumberFormat;
using tilert::detail::join;

namespace tilebench {
namespace {

constexpr size_t workspaceBytes = size_t(64) << 20;
constexpr int mostAlgorithms = 64;
constexpr int cannotDo = 15; // CUBLAS_STATUS_NOT_SUPPORTED

lt::DataType dataTypeOf(NumberFormat format) {
  switch (format) {
  case NumberFormat::F16:
    return lt::R16F;
  case NumberFormat::BF16:
    return lt::R16BF;
  case NumberFormat::TF32:
  case NumberFormat::F32:
    return lt::R32F;
  case NumberFormat::FP8E4M3:
    return lt::R8FE4M3;
  case NumberFormat::FP8E5M2:
    return lt::R8FE5M2;
  case NumberFormat::Int8:
    return lt::R8I;
  case NumberFormat::Int32:
    return lt::R32I;
  default:
    throw std::runtime_error(join("cuBLASLt does not multiply ",
                                  std::string(tilec::getSpelling(format))));
  }
}

lt::ComputeType computeTypeOf(const Work &work) {
  if (!tilec::isFloat(work.a))
    return lt::Compute32I;
  return work.a == NumberFormat::TF32 ? lt::Compute32FFastTF32 : lt::Compute32F;
}

/// The objects that describe one product to cuBLASLt.
class Matmul {
public:
  Matmul(const CublasLt &lt, const Problem &problem)
      : lt(lt), scale(problem.inputs().scale) {
    const Work &work = problem.work();
    isInteger = !tilec::isFloat(work.a);
    TILEBENCH_LT(lt, cublasLtMatmulDescCreate, &desc, computeTypeOf(work),
                 isInteger ? lt::R32I : lt::R32F);
    set(lt::DescTransA, work.isBTransposed ? lt::OpT : lt::OpN);
    set(lt::DescTransB, work.isATransposed ? lt::OpT : lt::OpN);
    if (work.isFastAccumulation)
      set(lt::DescFastAccum, int8_t(1));
    if (work.scales == Scales::Block128) {
      set(lt::DescAScaleMode, lt::ScaleBlock128x128);
      set(lt::DescBScaleMode, lt::ScaleVec128);
      setScales(problem.sets()[0]);
    }
    first = makeLayout(problem.inputs().b);
    second = makeLayout(problem.inputs().a);
    const Shape &shape = problem.shape();
    TILEBENCH_LT(lt, cublasLtMatrixLayoutCreate, &result, dataTypeOf(work.c),
                 uint64_t(shape.n), uint64_t(shape.m), shape.n);
  }
  Matmul(const Matmul &) = delete;
  ~Matmul() {
    for (lt::MatrixLayout layout : {first, second, result})
      if (layout)
        lt.cublasLtMatrixLayoutDestroy(layout);
    if (desc)
      lt.cublasLtMatmulDescDestroy(desc);
  }

  std::vector<lt::HeuristicResult> recommend(lt::Handle handle) const {
    lt::Preference preference = nullptr;
    TILEBENCH_LT(lt, cublasLtMatmulPreferenceCreate, &preference);
    size_t bytes = workspaceBytes;
    lt.cublasLtMatmulPreferenceSetAttribute(
        preference, lt::PrefMaxWorkspaceBytes, &bytes, sizeof bytes);
    std::vector<lt::HeuristicResult> results(mostAlgorithms);
    int count = 0;
    int status = lt.cublasLtMatmulAlgoGetHeuristic(
        handle, desc, first, second, result, result, preference, mostAlgorithms,
        results.data(), &count);
    lt.cublasLtMatmulPreferenceDestroy(preference);
    if (status == cannotDo)
      count = 0;
    else
      lt.check(status, "cublasLtMatmulAlgoGetHeuristic");
    results.resize(size_t(count));
    std::erase_if(results, [](const auto &one) { return one.state != 0; });
    return results;
  }

  /// Not from several threads: scales of blocks are part of the description.
  void launch(lt::Handle handle, const Problem::Set &operands,
              const lt::Algorithm &algorithm, CuPointer workspace,
              void *stream) {
    if (operands.ltScalesOfA.address())
      setScales(operands);
    const float one = scale, zero = 0;
    const int32_t intOne = 1, intZero = 0;
    const void *alpha = isInteger ? static_cast<const void *>(&intOne) : &one;
    const void *beta = isInteger ? static_cast<const void *>(&intZero) : &zero;
    auto *c = reinterpret_cast<void *>(operands.addressOfC());
    TILEBENCH_LT(lt, cublasLtMatmul, handle, desc, alpha,
                 reinterpret_cast<void *>(operands.b.address()), first,
                 reinterpret_cast<void *>(operands.a.address()), second, beta,
                 c, result, c, result, &algorithm,
                 reinterpret_cast<void *>(workspace), workspaceBytes, stream);
  }

private:
  template <typename Value> void set(lt::DescAttribute attribute, Value value) {
    TILEBENCH_LT(lt, cublasLtMatmulDescSetAttribute, desc, attribute, &value,
                 sizeof value);
  }

  void setScales(const Problem::Set &operands) {
    set(lt::DescAScalePointer, operands.ltScalesOfB.address());
    set(lt::DescBScalePointer, operands.ltScalesOfA.address());
  }

  lt::MatrixLayout makeLayout(const HostMatrix &matrix) const {
    lt::MatrixLayout layout = nullptr;
    TILEBENCH_LT(lt, cublasLtMatrixLayoutCreate, &layout,
                 dataTypeOf(matrix.format), uint64_t(matrix.columns),
                 uint64_t(matrix.rows), matrix.columns);
    return layout;
  }

  const CublasLt &lt;
  float scale;
  bool isInteger = false;
  lt::MatmulDesc desc = nullptr;
  lt::MatrixLayout first = nullptr, second = nullptr, result = nullptr;
};

Json describeAlgorithm(const CublasLt &lt, const lt::HeuristicResult &found) {
  Json facts;
  const std::pair<const char *, lt::ConfigAttribute> attributes[] = {
      {"id", lt::ConfigId},
      {"tile", lt::ConfigTileId},
      {"stages", lt::ConfigStagesId},
      {"split_k", lt::ConfigSplitKNum},
      {"cluster", lt::ConfigClusterShapeId}};
  for (auto [name, attribute] : attributes) {
    // The cluster's shape has 16 bits, the others 32.
    uint32_t value = 0;
    size_t bytes = attribute == lt::ConfigClusterShapeId ? 2 : 4, written = 0;
    if (lt.cublasLtMatmulAlgoConfigGetAttribute(&found.algorithm, attribute,
                                                &value, bytes, &written) == 0)
      facts[name] = value;
  }
  facts["workspace_bytes"] = found.workspaceBytes;
  facts["waves"] = found.wavesCount;
  return facts;
}

} // namespace

Peers::Peers(const Device &device, const std::string &chosenLibrary)
    : lt(chosenLibrary), workspace(device, workspaceBytes) {
  TILEBENCH_LT(lt, cublasLtCreate, &handle);
}

Peers::~Peers() {
  if (handle)
    lt.cublasLtDestroy(handle);
}

std::vector<Contender> Peers::list(const Problem &problem) const {
  auto matmul = std::make_shared<Matmul>(lt, problem);
  std::vector<Contender> contenders;
  for (const lt::HeuristicResult &found : matmul->recommend(handle)) {
    Contender contender;
    contender.name = join("cuBLASLt #", contenders.size());
    contender.isPeer = true;
    contender.facts = describeAlgorithm(lt, found);
    contender.note = join("algorithm ", contender.facts.value("id", -1),
                          ", tile ", contender.facts.value("tile", -1));
    void *stream = problem.device().stream();
    contender.launch = [matmul, found, stream, handle = handle, &problem,
                        memory = workspace.address()](size_t set) {
      matmul->launch(handle, problem.sets()[set], found.algorithm, memory,
                     stream);
    };
    contenders.push_back(std::move(contender));
  }
  if (contenders.empty())
    throw std::runtime_error("cuBLASLt has no algorithm for this product");
  return contenders;
}

} // namespace tilebench
