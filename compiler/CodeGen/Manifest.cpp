//===- Manifest.cpp - The JSON file beside a cubin ------------------------===//
#include "compiler/CodeGen/Manifest.h"
#include "compiler/CodeGen/PtxasReport.h"
#include "compiler/CodeGen/Version.h"
#include "llvm/ADT/STLExtras.h"

using namespace tilec;
using Json = nlohmann::ordered_json;

static constexpr int formatVersion = 1;

void tilec::addResources(ManifestModel &model, const PtxasReport &report) {
  for (auto *kernels : {&model.kernels, &model.helpers})
    for (ManifestKernel &kernel : *kernels)
      for (ManifestVariant &variant : kernel.variants)
        if (const KernelResources *resources = report.find(variant.symbol)) {
          variant.registers = resources->registers;
          variant.spillBytes =
              resources->spillStoreBytes + resources->spillLoadBytes;
        }
}

static Json toJson(const std::optional<int64_t> &value) {
  return value ? Json(*value) : Json(nullptr);
}

static Json toJson(const ManifestPacking &packing) {
  return {{"tile", packing.tile},        {"order", packing.order},
          {"along", packing.along},      {"row", packing.row},
          {"tag", packing.tag},          {"packer", packing.packer},
          {"unpacker", packing.unpacker}};
}

static Json toJson(const ManifestParameter &parameter) {
  Json json = {{"kind", parameter.isTensor ? "tensor" : "scalar"},
               {"name", parameter.name},
               {"dtype", parameter.dtype}};
  if (!parameter.isTensor)
    return json;
  json["access"] = parameter.access;
  json["dims"] = parameter.dims;
  json["pack"] = toJson(parameter.pack);
  using Strides = ManifestParameter::Strides;
  if (parameter.strides == Strides::All)
    json["strided"] = "all";
  else
    json["strided"] = parameter.strides == Strides::InnerUnit;
  json["noalias"] = parameter.noalias;
  if (parameter.packing)
    json["prepack"] = toJson(*parameter.packing);
  return json;
}

static Json toJson(const ManifestSymbol &symbol) {
  return {{"name", symbol.name},
          {"bound_by", {{"parameter", symbol.parameter}, {"dim", symbol.dim}}},
          {"fixed", toJson(symbol.fixed)}};
}

static Json toJson(const ManifestFact &fact) {
  Json json = {{"expr", fact.expr}, {"text", fact.text}};
  if (!fact.message.empty())
    json["message"] = fact.message;
  return json;
}

static Json toJson(const ManifestAxis &axis) {
  return {{"name", axis.name}, {"extent", axis.extent}};
}

static Json toJson(const ManifestArgument &argument) {
  using Kind = ManifestArgument::Kind;
  static constexpr const char *kinds[] = {"tensor", "symbol",     "scalar",
                                          "stride", "tensor_map", "workspace"};
  Json json = {{"kind", kinds[static_cast<int>(argument.kind)]}};
  if (argument.kind == Kind::TensorMap) {
    json["index"] = argument.number;
    return json;
  }
  if (argument.kind == Kind::Workspace)
    return json;
  json["name"] = argument.name;
  if (argument.kind == Kind::Stride)
    json["dim"] = argument.number;
  return json;
}

static Json toJson(const ManifestTensorMap &map) {
  return {{"tensor", map.tensor},
          {"box", map.box},
          {"swizzle", map.swizzle},
          {"l2_promotion", map.l2Promotion}};
}

static Json toJson(const ManifestVariant &variant);
static Json toJson(const ManifestKernel &kernel);

template <typename Element>
static Json toJson(const std::vector<Element> &list) {
  Json json = Json::array();
  for (const Element &element : list)
    json.push_back(toJson(element));
  return json;
}

static Json toJson(const ManifestVariant &variant) {
  Json json = {{"name", variant.name}, {"symbol", variant.symbol}};
  // A runtime that knew nothing of these would launch the variant wrongly.
  Json words = Json::array();
  if (!variant.tensorMaps.empty())
    words.push_back("tensor_maps");
  if (!variant.blocks.is_null())
    words.push_back("blocks");
  if (variant.cluster > 1)
    words.push_back("cluster");
  if (!variant.workspace.is_null())
    words.push_back("workspace");
  if (variant.axes)
    words.push_back("axes");
  if (!variant.config.is_null())
    words.push_back("config");
  if (!words.empty())
    json["requires"] = words;
  json["guards"] = toJson(variant.guards);
  if (variant.axes)
    json["axes"] = toJson(*variant.axes);
  if (!variant.config.is_null())
    json["config"] = variant.config;
  if (!variant.blocks.is_null())
    json["blocks"] = variant.blocks;
  if (variant.overlaps)
    json["overlaps"] = true;
  if (variant.cluster > 1)
    json["cluster"] = variant.cluster;
  if (!variant.workspace.is_null())
    json["workspace"] = variant.workspace;
  json["threads"] = variant.threads;
  json["shared_bytes"] = variant.sharedBytes;
  json["registers"] = toJson(variant.registers);
  json["spill_bytes"] = toJson(variant.spillBytes);
  if (!variant.tensorMaps.empty())
    json["tensor_maps"] = toJson(variant.tensorMaps);
  json["arguments"] = toJson(variant.arguments);
  return json;
}

static Json toJson(const ManifestKernel &kernel) {
  Json json = {{"name", kernel.name}};
  auto isPacked = [](const ManifestParameter &parameter) {
    return parameter.packing.has_value();
  };
  // A runtime that knew nothing of them would pass plain tensors.
  if (llvm::any_of(kernel.parameters, isPacked))
    json["requires"].push_back("prepack");
  // One that took the last dimension for it would pack in another order.
  if (llvm::any_of(kernel.parameters, [](const ManifestParameter &parameter) {
        return parameter.packing && parameter.packing->along + 1 !=
                                        int64_t(parameter.packing->tile.size());
      }))
    json["requires"].push_back("along");
  json["parameters"] = toJson(kernel.parameters);
  json["symbols"] = toJson(kernel.symbols);
  json["checks"] = toJson(kernel.checks);
  json["axes"] = toJson(kernel.axes);
  json["config"] = kernel.config;
  json["variants"] = toJson(kernel.variants);
  return json;
}

/// On one line; names from a source file that is not UTF-8 must not end the
/// program.
static std::string writeCompact(const Json &json) {
  return json.dump(/*indent=*/-1, ' ', /*ensure_ascii=*/false,
                   Json::error_handler_t::replace);
}

/// Writes what fits on a line there, and opens up what does not, so that an
/// expression stays readable.
static void write(const Json &json, unsigned indent, std::string &text) {
  constexpr unsigned width = 100;
  std::string compact = writeCompact(json);
  if (!json.is_structured() || json.empty() ||
      compact.size() + indent <= width) {
    text += compact;
    return;
  }
  bool isFirst = true;
  text += json.is_object() ? "{" : "[";
  for (const auto &item : json.items()) {
    text += (isFirst ? "\n" : ",\n") + std::string(indent + 2, ' ');
    isFirst = false;
    if (json.is_object())
      text += writeCompact(item.key()) + ": ";
    write(item.value(), indent + 2, text);
  }
  text += "\n" + std::string(indent, ' ') + (json.is_object() ? "}" : "]");
}

std::string tilec::writeManifest(const ManifestModel &model) {
  Json hashes = Json::object();
  if (!model.sourceHash.empty())
    hashes["source"] = model.sourceHash;
  if (!model.cubinHash.empty())
    hashes["cubin"] = model.cubinHash;
  Json json = {{"format_version", formatVersion},
               {"compiler", getCompilerName()},
               {"target", model.target}};
  if (!model.module.empty())
    json["module"] = model.module;
  json["kernels"] = toJson(model.kernels);
  if (!model.helpers.empty())
    json["helpers"] = toJson(model.helpers);
  json["hashes"] = hashes;
  json["options"] = model.options;
  std::string text;
  write(json, /*indent=*/0, text);
  return text + "\n";
}
