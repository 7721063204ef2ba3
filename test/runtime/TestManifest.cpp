//===-- TestManifest.cpp - Manifests and plans for the tests --------------===//

#include "TestManifest.h"

namespace tilert::test {

Json makeW4A8Kernel() {
  return Json::parse(R"json({
    "name": "w4a8",
    "parameters": [
      {"kind": "tensor", "name": "A", "dtype": "int8", "access": "in",
       "dims": ["M", "K"], "pack": null, "strided": false, "noalias": false},
      {"kind": "tensor", "name": "B", "dtype": "uint4", "access": "in",
       "dims": ["N", "K"], "pack": 1, "strided": false, "noalias": false},
      {"kind": "tensor", "name": "S", "dtype": "f16", "access": "in",
       "dims": ["N", ["/", "K", 128]], "pack": null, "strided": false,
       "noalias": false},
      {"kind": "tensor", "name": "C", "dtype": "bf16", "access": "out",
       "dims": ["M", "N"], "pack": null, "strided": false, "noalias": false},
      {"kind": "scalar", "name": "scale", "dtype": "f32"}
    ],
    "symbols": [
      {"name": "M", "bound_by": {"parameter": 0, "dim": 0}, "fixed": null},
      {"name": "K", "bound_by": {"parameter": 0, "dim": 1}, "fixed": null},
      {"name": "N", "bound_by": {"parameter": 1, "dim": 0}, "fixed": null}
    ],
    "checks": [{"expr": ["==", ["%", "K", 128], 0], "text": "K % G == 0"}],
    "axes": [
      {"name": "bx", "extent": ["ceildiv", "N", 128]},
      {"name": "by", "extent": ["ceildiv", "M", 64]}
    ],
    "config": {"BM": 64, "BN": 128, "G": 128, "T": "bf16", "CAUSAL": false},
    "variants": [
      {"name": "aligned", "symbol": "w4a8__aligned", "guards": [
         {"expr": ["==", ["%", ["address", "A"], 16], 0],
          "text": "A is 16-byte aligned"},
         {"expr": ["==", ["%", ["stride_bytes", "B", 0], 16], 0],
          "text": "rows of B are 16-byte aligned"}],
       "threads": 384, "shared_bytes": 98304, "registers": 128, "spill_bytes": 0,
       "arguments": [
         {"kind": "tensor", "name": "A"}, {"kind": "tensor", "name": "B"},
         {"kind": "tensor", "name": "S"}, {"kind": "tensor", "name": "C"},
         {"kind": "symbol", "name": "M"}, {"kind": "symbol", "name": "K"},
         {"kind": "symbol", "name": "N"}, {"kind": "scalar", "name": "scale"}]},
      {"name": "general", "symbol": "w4a8__general", "guards": [],
       "threads": 256, "shared_bytes": 32768, "registers": 128, "spill_bytes": 0,
       "arguments": [
         {"kind": "tensor", "name": "A"}, {"kind": "tensor", "name": "B"},
         {"kind": "tensor", "name": "S"}, {"kind": "tensor", "name": "C"},
         {"kind": "symbol", "name": "M"}, {"kind": "symbol", "name": "K"},
         {"kind": "symbol", "name": "N"}, {"kind": "scalar", "name": "scale"}]}
    ]
  })json");
}

Json makeScaleKernel() {
  return Json::parse(R"json({
    "name": "scale",
    "parameters": [
      {"kind": "tensor", "name": "x", "dtype": "f32", "access": "in",
       "dims": ["N"]},
      {"kind": "tensor", "name": "y", "dtype": "f32", "access": "out",
       "dims": ["N"]},
      {"kind": "scalar", "name": "n", "dtype": "int32"}
    ],
    "symbols": [
      {"name": "N", "bound_by": {"parameter": 0, "dim": 0}, "fixed": null}
    ],
    "checks": [],
    "axes": [{"name": "b", "extent": ["ceildiv", "N", 128]}],
    "config": {},
    "variants": [
      {"name": "general", "symbol": "scale__general", "guards": [],
       "threads": 128, "shared_bytes": 0, "registers": 16,
       "arguments": [{"kind": "tensor", "name": "x"},
                     {"kind": "tensor", "name": "y"},
                     {"kind": "symbol", "name": "N"},
                     {"kind": "scalar", "name": "n"}]}
    ]
  })json");
}

Json makeOneTensor(const Json &dims, const char *dtype, const Json &extra) {
  Json parameter = {{"kind", "tensor"},
                    {"name", "A"},
                    {"dtype", dtype},
                    {"access", "in"},
                    {"dims", dims}};
  if (!extra.is_null())
    parameter.update(extra);
  Json symbols = Json::array(),
       arguments = {{{"kind", "tensor"}, {"name", "A"}}};
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i].is_string())
      symbols.push_back({{"name", dims[i]}, {"bound_by", nullptr}});
    arguments.push_back({{"kind", "stride"}, {"name", "A"}, {"dim", i}});
  }
  return {{"name", "one"},
          {"parameters", {parameter}},
          {"symbols", symbols},
          {"checks", Json::array()},
          {"axes", Json::array()},
          {"variants",
           {{{"name", "general"},
             {"symbol", "one"},
             {"guards", Json::array()},
             {"threads", 128},
             {"shared_bytes", 0},
             {"arguments", arguments}}}}};
}

Json makeMappedTensor(const Json &dims, const char *dtype, const Json &box,
                      int swizzle, const Json &extra) {
  Json kernel = makeOneTensor(dims, dtype, extra);
  Json &variant = kernel["variants"][0];
  variant["requires"] = {"tensor_maps"};
  variant["tensor_maps"] = {{{"tensor", "A"},
                             {"box", box},
                             {"swizzle", swizzle},
                             {"l2_promotion", 256}}};
  variant["arguments"] = {{{"kind", "tensor_map"}, {"index", 0}},
                          {{"kind", "tensor"}, {"name", "A"}}};
  return kernel;
}

Json makeManifest(const Json &kernel) {
  return {{"format_version", 1},      {"compiler", "tilec 0.1.0"},
          {"target", "sm_90a"},       {"kernels", Json::array({kernel})},
          {"hashes", Json::object()}, {"options", Json::object()}};
}

std::shared_ptr<tilert_module> loadManifest(const std::string &text) {
  tilert_module *module = nullptr;
  check([&](tilert_status **status) {
    return tilert_module_from_manifest(text.data(), text.size(), &module,
                                       status);
  });
  return {module, tilert_module_destroy};
}

std::string loadError(const std::string &text) {
  try {
    loadManifest(text);
    return "loaded";
  } catch (const Error &error) {
    return error.what();
  }
}

TestKernel::TestKernel(const Json &json)
    : module(loadManifest(makeManifest(json).dump())),
      kernel(tilert_module_kernel(module.get(), 0)) {}

const tilert_plan *
TestKernel::planList(const std::vector<tilert_argument> &arguments) {
  tilert_plan *made = nullptr;
  tilert_status *status = nullptr;
  code = tilert_plan_create(kernel, arguments.data(), arguments.size(), facts,
                            wantedVariant, &made, &status);
  message = tilert_status_message(status);
  tilert_status_destroy(status);
  current.reset(made, tilert_plan_destroy);
  return made;
}

} // namespace tilert::test
