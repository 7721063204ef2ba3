//===-- FakeCublasLt.cpp - cuBLASLt on the fake driver --------------------===//

#include "FakeCublasLt.h"
#include "compiler/Numerics/NumberCast.h"
#include "test/runtime/FakeCuda.h"
#include "tools/bench/CublasLt.h"

#include <cstring>
#include <map>

using namespace tilebench;
using tilec::NumberFormat;

extern "C" fakecuda::State *fakeCudaState();

namespace {

constexpr int success = 0, invalidValue = 7, notSupported = 15;

fakecublaslt::State &state() {
  static auto &instance = *new fakecublaslt::State;
  return instance;
}

NumberFormat formatOf(int type) {
  static const std::map<int, NumberFormat> formats = {
      {lt::R32F, NumberFormat::F32},       {lt::R16F, NumberFormat::F16},
      {lt::R8I, NumberFormat::Int8},       {lt::R32I, NumberFormat::Int32},
      {lt::R16BF, NumberFormat::BF16},     {lt::R8FE4M3, NumberFormat::FP8E4M3},
      {lt::R8FE5M2, NumberFormat::FP8E5M2}};
  return formats.at(type);
}

struct Desc {
  int computeType, scaleType;
  std::map<int, std::vector<char>> attributes;

  template <typename Value> Value get(int attribute, Value otherwise) const {
    auto found = attributes.find(attribute);
    if (found != attributes.end())
      std::memcpy(&otherwise, found->second.data(), sizeof otherwise);
    return otherwise;
  }
};

struct Layout {
  NumberFormat format;
  int64_t rows, columns, ld;

  double read(const void *memory, int64_t row, int64_t column) const {
    auto bytes = int64_t(tilec::getStorageBits(format) / 8);
    uint64_t code =
        tilec::readCode(format, static_cast<const uint8_t *>(memory) +
                                    (column * ld + row) * bytes);
    return tilec::isFloat(format) ? tilec::decodeFloat(format, code)
                                  : double(tilec::decodeInteger(format, code));
  }

  void write(void *memory, int64_t row, int64_t column, double value) const {
    auto bytes = int64_t(tilec::getStorageBits(format) / 8);
    uint64_t code =
        tilec::isFloat(format)
            ? tilec::encodeFloat(format, tilec::castToFloat(value, format))
            : tilec::encodeInteger(format, int64_t(value));
    tilec::writeCode(
        format, static_cast<uint8_t *>(memory) + (column * ld + row) * bytes,
        code);
  }
};

Desc *get(lt::MatmulDesc desc) { return reinterpret_cast<Desc *>(desc); }
Layout *get(lt::MatrixLayout layout) {
  return reinterpret_cast<Layout *>(layout);
}

/// Rows and columns of an operand after its transposition.
struct Operand {
  Operand(const Desc &desc, int attribute, const Layout &layout,
          const void *memory)
      : isTransposed(desc.get<int>(attribute, lt::OpN) == lt::OpT),
        layout(layout), memory(memory) {}

  int64_t rows() const { return isTransposed ? layout.columns : layout.rows; }
  int64_t columns() const {
    return isTransposed ? layout.rows : layout.columns;
  }
  double at(int64_t row, int64_t column) const {
    return isTransposed ? layout.read(memory, column, row)
                        : layout.read(memory, row, column);
  }

  bool isTransposed;
  const Layout &layout;
  const void *memory;
};

/// The scale of an element of the first operand [m, k], or of the second, whose
/// columns stand for m.
double findScale(const Desc &desc, bool isFirst, int64_t m, int64_t k,
                 int64_t rows, int64_t depth) {
  auto *scales = desc.get<const float *>(
      isFirst ? lt::DescAScalePointer : lt::DescBScalePointer, nullptr);
  if (!scales)
    return 1;
  int64_t groups = (depth + 127) / 128;
  int mode =
      desc.get<int>(isFirst ? lt::DescAScaleMode : lt::DescBScaleMode, 0);
  if (mode == lt::ScaleVec128)
    return scales[k / 128 * rows + m];
  if (mode == lt::ScaleBlock128x128)
    return scales[m / 128 * ((groups + 3) / 4 * 4) + k / 128];
  return *scales;
}

} // namespace

extern "C" {

fakecublaslt::State *fakeCublasLtState() { return &state(); }

int cublasLtCreate(lt::Handle *handle) {
  *handle = reinterpret_cast<lt::Handle>(&state());
  return success;
}
int cublasLtDestroy(lt::Handle) { return success; }
size_t cublasLtGetVersion() { return 130100; }
const char *cublasLtGetStatusName(int status) {
  return status == invalidValue   ? "CUBLAS_STATUS_INVALID_VALUE"
         : status == notSupported ? "CUBLAS_STATUS_NOT_SUPPORTED"
                                  : nullptr;
}

int cublasLtMatmulDescCreate(lt::MatmulDesc *desc, int computeType,
                             int scaleType) {
  *desc =
      reinterpret_cast<lt::MatmulDesc>(new Desc{computeType, scaleType, {}});
  return success;
}
int cublasLtMatmulDescDestroy(lt::MatmulDesc desc) {
  delete get(desc);
  return success;
}
int cublasLtMatmulDescSetAttribute(lt::MatmulDesc desc, int attribute,
                                   const void *value, size_t bytes) {
  // The sizes that the library demands.
  size_t wanted =
      attribute == lt::DescFastAccum ? 1
      : attribute == lt::DescAScalePointer || attribute == lt::DescBScalePointer
          ? 8
          : 4;
  if (bytes != wanted)
    return invalidValue;
  auto *begin = static_cast<const char *>(value);
  get(desc)->attributes[attribute] = {begin, begin + bytes};
  return success;
}

int cublasLtMatrixLayoutCreate(lt::MatrixLayout *layout, int type,
                               uint64_t rows, uint64_t columns, int64_t ld) {
  *layout = reinterpret_cast<lt::MatrixLayout>(
      new Layout{formatOf(type), int64_t(rows), int64_t(columns), ld});
  return success;
}
int cublasLtMatrixLayoutDestroy(lt::MatrixLayout layout) {
  delete get(layout);
  return success;
}

int cublasLtMatmulPreferenceCreate(lt::Preference *preference) {
  *preference = reinterpret_cast<lt::Preference>(&state());
  return success;
}
int cublasLtMatmulPreferenceDestroy(lt::Preference) { return success; }
int cublasLtMatmulPreferenceSetAttribute(lt::Preference, int, const void *,
                                         size_t bytes) {
  return bytes == 8 ? success : invalidValue;
}

int cublasLtMatmulAlgoGetHeuristic(lt::Handle, lt::MatmulDesc desc,
                                   lt::MatrixLayout, lt::MatrixLayout,
                                   lt::MatrixLayout, lt::MatrixLayout,
                                   lt::Preference, int most,
                                   lt::HeuristicResult *results, int *count) {
  const Desc &d = *get(desc);
  bool isInteger = d.computeType == lt::Compute32I;
  if ((d.scaleType == lt::R32I) != isInteger)
    return invalidValue;
  *count = 0;
  for (size_t i = 0; i < state().milliseconds.size() && *count < most; ++i) {
    lt::HeuristicResult &result = results[(*count)++];
    result = {};
    result.algorithm.data[0] = i;
  }
  return *count ? success : notSupported;
}

int cublasLtMatmulAlgoConfigGetAttribute(const lt::Algorithm *algorithm,
                                         int attribute, void *value,
                                         size_t bytes, size_t *written) {
  auto number = uint32_t(algorithm->data[0] + uint64_t(attribute) * 100);
  std::memcpy(value, &number, bytes);
  *written = bytes;
  return success;
}

int cublasLtMatmul(lt::Handle, lt::MatmulDesc desc, const void *alpha,
                   const void *a, lt::MatrixLayout aLayout, const void *b,
                   lt::MatrixLayout bLayout, const void *, const void *,
                   lt::MatrixLayout, void *d, lt::MatrixLayout dLayout,
                   const lt::Algorithm *algorithm, void *, size_t, void *) {
  const Desc &matmul = *get(desc);
  const Layout &result = *get(dLayout);
  Operand first(matmul, lt::DescTransA, *get(aLayout), a);
  Operand second(matmul, lt::DescTransB, *get(bLayout), b);
  int64_t depth = first.columns();
  if (first.rows() != result.rows || second.columns() != result.columns ||
      second.rows() != depth)
    return invalidValue;
  bool isInteger = matmul.computeType == lt::Compute32I;
  double factor = isInteger ? *static_cast<const int32_t *>(alpha)
                            : *static_cast<const float *>(alpha);
  auto number = int(algorithm->data[0]);
  for (int64_t i = 0; i < result.rows; ++i)
    for (int64_t j = 0; j < result.columns; ++j) {
      double sum = 0;
      for (int64_t k = 0; k < depth; ++k)
        sum += first.at(i, k) *
               findScale(matmul, true, i, k, result.rows, depth) *
               second.at(k, j) *
               findScale(matmul, false, j, k, result.columns, depth);
      result.write(d, i, j, number == state().wrong ? 1e3 : factor * sum);
    }
  state().runs.push_back(number);
  fakeCudaState()->clock += state().milliseconds[size_t(number)];
  return success;
}

} // extern "C"
