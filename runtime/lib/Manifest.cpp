//===-- Manifest.cpp - Reads the manifest beside a cubin ------------------===//

#include "Manifest.h"
#include "KernelReader.h"
#include "Text.h"

#include <algorithm>

namespace tilert::detail {
namespace {

constexpr int64_t formatVersion = 1;

void readVersion(JsonReader &reader) {
  Place root = reader.root();
  Place place = reader.field(root, "format_version");
  int64_t version = reader.readInteger(place);
  if (version != formatVersion)
    reader.fail(place,
                join("version ", version,
                     " is not known to this runtime, which reads version ",
                     formatVersion));
}

void readTarget(JsonReader &reader, Manifest &manifest) {
  Place root = reader.root();
  Place place = reader.field(root, "target");
  manifest.targetName = reader.readName(place);
  if (std::optional<Target> target = parseTarget(manifest.targetName))
    manifest.target = *target;
  else
    reader.fail(place, join(quote(manifest.targetName),
                            " is not a target like sm_80 or sm_90a"));
}

/// The cubin lies beside its manifest: a path would let a manifest name files
/// elsewhere, and break when both are moved.
void readCubinName(JsonReader &reader, Manifest &manifest) {
  Place root = reader.root();
  std::optional<Place> place = reader.optionalField(root, "module");
  if (!place)
    return;
  manifest.cubinName = reader.readName(*place);
  if (manifest.cubinName.find('/') != std::string::npos)
    reader.fail(*place, join(quote(manifest.cubinName),
                             " is a path, expected the name of a file"));
}

void readHash(JsonReader &reader, Manifest &manifest) {
  Place root = reader.root();
  std::optional<Place> hashes = reader.optionalField(root, "hashes");
  std::optional<Place> place;
  if (hashes)
    place = reader.optionalField(*hashes, "cubin");
  if (!place)
    return;
  constexpr std::string_view prefix = "sha256:";
  std::string text = reader.readString(*place);
  auto isHexDigit = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
  };
  bool isHash =
      text.size() == prefix.size() + 64 &&
      text.compare(0, prefix.size(), prefix) == 0 &&
      std::all_of(text.begin() + prefix.size(), text.end(), isHexDigit);
  if (isHash)
    manifest.cubinHash = text.substr(prefix.size());
  else
    reader.fail(*place, join("expected 'sha256:' and 64 hex digits, found ",
                             quote(text)));
}

/// Adds the kernels of a list; names are those of one kernel in all lists.
void readKernels(JsonReader &reader, const Place &list,
                 const Manifest &manifest,
                 std::vector<std::unique_ptr<KernelInfo>> &kernels) {
  for (size_t i = 0; i < reader.count(list) && !reader.hasFailed(); ++i) {
    Place place = reader.element(list, i);
    auto kernel = std::make_unique<KernelInfo>();
    readKernel(reader, place, *kernel);
    for (const auto *known : {&manifest.kernels, &manifest.helpers})
      for (const auto &earlier : *known)
        if (earlier->name == kernel->name)
          reader.fail(place,
                      join("a second kernel is called ", quote(kernel->name)));
    kernels.push_back(std::move(kernel));
  }
}

void readAllKernels(JsonReader &reader, Manifest &manifest) {
  Place root = reader.root();
  Place kernels = reader.field(root, "kernels");
  readKernels(reader, kernels, manifest, manifest.kernels);
  if (std::optional<Place> helpers = reader.optionalField(root, "helpers"))
    readKernels(reader, *helpers, manifest, manifest.helpers);
}

} // namespace

std::string Parameter::shapeText() const {
  std::string text = "[";
  for (const Expr &dim : dims)
    text += join(text.size() > 1 ? ", " : "", dim.text());
  return text + ']';
}

Status readManifest(std::string_view text, std::string title,
                    Manifest &manifest) {
  JsonReader reader(std::move(title), text);
  if (!reader.hasFailed())
    readVersion(reader);
  if (!reader.hasFailed()) {
    readRequirements(reader, reader.root());
    readTarget(reader, manifest);
    readCubinName(reader, manifest);
    readHash(reader, manifest);
    readAllKernels(reader, manifest);
  }
  return reader.takeFailure();
}

} // namespace tilert::detail
