//===- KernelNames.h - What names in a kernel's expressions are -----------===//

#ifndef TILERT_LIB_KERNELNAMES_H
#define TILERT_LIB_KERNELNAMES_H

#include "Manifest.h"

#include <map>

namespace tilert::detail {

template <typename Named>
int findByName(const std::vector<Named> &list, std::string_view name) {
  for (size_t i = 0; i < list.size(); ++i)
    if (list[i].name == name)
      return static_cast<int>(i);
  return -1;
}

/// A constant of `config`: its text, and its value if it is an integer or bool.
struct ConfigConstant {
  std::string text;
  std::optional<int64_t> value;
};

/// Resolves the names and facts of a kernel while it is read, and gives those
/// that a launch fills their slots.
class KernelNames final : public LeafResolver {
public:
  explicit KernelNames(KernelInfo &kernel) : kernel(kernel) {}

  /// Reads the constants of a kernel, or of a variant that has its own.
  void readConfig(JsonReader &reader, const Place &owner);
  /// What follows is of a variant: its constants are those of the kernel unless
  /// it has its own.
  void enterVariant(JsonReader &reader, const Place &variantPlace);
  const ConfigConstant *findConstant(std::string_view name) const;

  /// The slot of this meaning, added if it is new.
  Leaf addSlot(Slot slot);

  /// Dimensions are made of symbols and scalars only; what is read after this
  /// call may use facts of a launch, too.
  void allowFacts() { factsAreKnown = true; }

  Leaf resolveName(JsonReader &reader, const Place &place) override;
  bool isFact(std::string_view head) const override {
    return head == "address" || head == "stride_bytes" || head == "overlap";
  }
  Leaf resolveFact(JsonReader &reader, const Place &place) override;

private:
  int readTensorName(JsonReader &reader, const Place &place);

  KernelInfo &kernel;
  using Constants = std::map<std::string, ConfigConstant, std::less<>>;
  /// In force, and those of the kernel once it has been read.
  Constants config;
  std::optional<Constants> kernelConfig;
  bool factsAreKnown = false;
};

} // namespace tilert::detail

#endif // TILERT_LIB_KERNELNAMES_H
