//===-- TestManifest.h - Manifests and plans for the tests -----*- C++ -*-===//

#ifndef TILE_TEST_RUNTIME_TESTMANIFEST_H
#define TILE_TEST_RUNTIME_TESTMANIFEST_H

#include "tilert/tilert.hpp"

#include <nlohmann/json.hpp>

namespace tilert::test {

using Json = nlohmann::ordered_json;

/// The kernel of the language reference: int8 activations, 4-bit weights with
/// scales for groups of G = 128 along K, bf16 result.
Json makeW4A8Kernel();

/// y = x * n for f32 x[N]; the grid is ceildiv(N, 128), one variant.
Json makeScaleKernel();

/// A kernel with one tensor A and what `dims`, `dtype` and further members say;
/// names alone in `dims` are its symbols. The strides are passed to it.
Json makeOneTensor(const Json &dims, const char *dtype, const Json &extra = {});

/// makeOneTensor with a variant that takes a tensor map of A.
Json makeMappedTensor(const Json &dims, const char *dtype, const Json &box,
                      int swizzle, const Json &extra = {});

/// A manifest of one kernel.
Json makeManifest(const Json &kernel);

/// A module made of a manifest alone.
std::shared_ptr<tilert_module> loadManifest(const std::string &text);

/// The message of the failure to load a manifest, or "loaded".
std::string loadError(const std::string &text);

/// The first kernel of a manifest, for plans.
class TestKernel {
public:
  explicit TestKernel(const Json &kernel);

  const tilert_kernel *get() const { return kernel; }

  /// The plan, or NULL with the failure in `message` and `code`.
  template <typename... Arguments>
  const tilert_plan *plan(const Arguments &...arguments) {
    return planList({toArgument(arguments)...});
  }
  const tilert_plan *planList(const std::vector<tilert_argument> &arguments);

  /// The name of the chosen variant, or the message of the failure.
  template <typename... Arguments>
  std::string variant(const Arguments &...arguments) {
    const tilert_plan *made = plan(arguments...);
    return made ? tilert_kernel_variant(kernel, tilert_plan_variant(made))->name
                : message;
  }

  /// The message of the failure, or "planned".
  template <typename... Arguments>
  std::string error(const Arguments &...arguments) {
    return plan(arguments...) ? "planned" : message;
  }

  /// Used by the next plans; NULL at first.
  const tilert_device_facts *facts = nullptr;
  const char *wantedVariant = nullptr;

  std::string message;
  tilert_code code = TILERT_OK;

private:
  std::shared_ptr<tilert_module> module;
  const tilert_kernel *kernel;
  std::shared_ptr<tilert_plan> current;
};

/// Memory that tests pass without touching it; aligned to 256 bytes.
inline void *memoryAt(uintptr_t offset) {
  return reinterpret_cast<void *>(uintptr_t(0x100000) + offset);
}

} // namespace tilert::test

#endif // TILE_TEST_RUNTIME_TESTMANIFEST_H
