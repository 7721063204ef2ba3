//===- ManifestTest.cpp - Tests of the manifest's text and contents -------===//
#include "compiler/CodeGen/Manifest.h"
#include "compiler/CodeGen/KernelManifest.h"
#include "compiler/CodeGen/PtxasReport.h"
#include "dialects/Tile/IR/TileOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace tilec;
using Json = nlohmann::ordered_json;

// One kernel in two variants, with a symbol that is fixed, a scalar, a strided
// tensor and a packed one; the first variant uses TMA and chooses its blocks.
static constexpr llvm::StringLiteral gemmKernels = R"mlir(
tile.kernel @gemm__aligned(
    %A: !tile.global<?x4096xbf16> {tile.name = "A", tile.dtype = "bf16", tile.access = "in", tile.dims = ["M", "K"], tile.strided},
    %B: !tile.global<4096x?xi4, pack = 0> {tile.name = "B", tile.dtype = "uint4", tile.access = "in", tile.dims = ["K", "N"], tile.noalias},
    %C: !tile.global<?x?xbf16> {tile.name = "C", tile.dtype = "bf16", tile.access = "out", tile.dims = ["M", "N"], tile.strided_all},
    %scale: f32 {tile.name = "scale", tile.dtype = "f32"})
    attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "K", param = 0 : i64, dim = 1 : i64, value = 4096 : i64}, {name = "N", param = 1 : i64, dim = 1 : i64}],
                checks = [{expr = ["==", ["%", "K", 128 : i64], 0 : i64], text = "K % G == 0"}],
                grid = [["ceildiv", "N", 128 : i64], ["ceildiv", "M", 64 : i64]], axes = ["bx", "by"], threads = 256 : i64,
                config = {BM = 64 : i64, CAUSAL = false}, variant = "aligned", origin = "gemm", shared_bytes = 49152 : i64,
                tensor_maps = [{param = 0 : i64, box = [64, 64], swizzle = 128 : i64}, {param = 1 : i64, box = [32, 128], swizzle = 0 : i64, l2_promotion = 128 : i64}],
                blocks = ["min", 7 : i64, "sm_count"],
                guards = [{expr = ["==", ["%", ["address", "A"], 16 : i64], 0 : i64], text = "A is 16-byte aligned"}]} {
  tile.return
}
tile.kernel @gemm(
    %A: !tile.global<?x4096xbf16> {tile.name = "A", tile.dtype = "bf16", tile.access = "in", tile.dims = ["M", "K"], tile.strided},
    %B: !tile.global<4096x?xi4, pack = 0> {tile.name = "B", tile.dtype = "uint4", tile.access = "in", tile.dims = ["K", "N"], tile.noalias},
    %C: !tile.global<?x?xbf16> {tile.name = "C", tile.dtype = "bf16", tile.access = "out", tile.dims = ["M", "N"], tile.strided_all},
    %scale: f32 {tile.name = "scale", tile.dtype = "f32"})
    attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "K", param = 0 : i64, dim = 1 : i64, value = 4096 : i64}, {name = "N", param = 1 : i64, dim = 1 : i64}],
                checks = [{expr = ["==", ["%", "K", 128 : i64], 0 : i64], text = "K % G == 0"}],
                grid = [["ceildiv", "N", 128 : i64], ["ceildiv", "M", 64 : i64]], axes = ["bx", "by"], threads = 256 : i64,
                config = {BM = 64 : i64, CAUSAL = false}} {
  tile.return
}
)mlir";

namespace {
class KernelManifest : public testing::Test {
protected:
  KernelManifest() { context.loadDialect<mlir::tile::TileDialect>(); }

  std::vector<ManifestKernel> describe(llvm::StringRef text) {
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context, "test");
    EXPECT_TRUE(module);
    return describeKernels(*module);
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};
} // namespace

TEST_F(KernelManifest, HoldsBothVariantsOfAKernel) {
  std::vector<ManifestKernel> kernels = describe(gemmKernels);
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0].name, "gemm");
  ASSERT_EQ(kernels[0].variants.size(), 2u);
  const ManifestVariant &aligned = kernels[0].variants[0];
  EXPECT_EQ(aligned.name, "aligned");
  EXPECT_EQ(aligned.symbol, "gemm__aligned");
  EXPECT_EQ(aligned.sharedBytes, 49152);
  ASSERT_EQ(aligned.guards.size(), 1u);
  EXPECT_EQ(aligned.guards[0].expr,
            Json::parse(R"(["==", ["%", ["address", "A"], 16], 0])"));
  const ManifestVariant &general = kernels[0].variants[1];
  EXPECT_EQ(general.name, "general");
  EXPECT_TRUE(general.guards.empty());
  EXPECT_EQ(general.threads, 256);
}

TEST_F(KernelManifest, TellsOfPackedTensorsAndHelpers) {
  std::vector<ManifestKernel> kernels = describe(R"mlir(
tile.kernel @k(%B: !tile.global<?x?x32xi4, pack = 2> {tile.name = "B", tile.dtype = "int4", tile.access = "in", tile.dims = [["ceildiv", "N", 4 : i64], ["ceildiv", "K", 8 : i64], 32 : i64],
               tile.packing = {along = 1, order = #tile.packed_order<"4x8 bits=4 order=[[0,1,2],[1,1,8],[0,2,2]]">, dims = ["N", "K"], pack = 0 : i64}})
    attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64} {
  tile.return
}
tile.kernel @helper() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64, tile.helper} {
  tile.return
}
)mlir");
  ASSERT_EQ(kernels.size(), 1u);
  const ManifestParameter &parameter = kernels[0].parameters[0];
  EXPECT_EQ(Json(parameter.dims), Json({"N", "K"}));
  EXPECT_EQ(parameter.pack, 0);
  ASSERT_TRUE(parameter.packing);
  EXPECT_EQ(parameter.packing->tile, (std::vector<int64_t>{4, 8}));
  EXPECT_EQ(parameter.packing->order, (std::vector<std::vector<int64_t>>{
                                          {0, 1, 2}, {1, 1, 8}, {0, 2, 2}}));
  EXPECT_EQ(parameter.packing->along, 1);
  EXPECT_EQ(parameter.packing->row, 32);
  EXPECT_EQ(parameter.packing->packer, "k__pack_B");
  EXPECT_EQ(parameter.packing->tag.size(), 18u);
  std::vector<ManifestKernel> helpers = describeHelpers(*module);
  ASSERT_EQ(helpers.size(), 1u);
  EXPECT_EQ(helpers[0].name, "helper");

  ManifestModel model;
  model.kernels = kernels;
  model.helpers = helpers;
  Json manifest = Json::parse(writeManifest(model));
  EXPECT_EQ(manifest["kernels"][0]["requires"], Json::array({"prepack"}));
  EXPECT_EQ(manifest["kernels"][0]["parameters"][0]["prepack"]["row"], 32);
  EXPECT_EQ(manifest["kernels"][0]["parameters"][0]["prepack"]["along"], 1);
  EXPECT_EQ(manifest["helpers"][0]["name"], "helper");

  // What does not know `along` must not take the last dimension for it.
  model.kernels[0].parameters[0].packing->along = 0;
  manifest = Json::parse(writeManifest(model));
  EXPECT_EQ(manifest["kernels"][0]["requires"],
            Json::array({"prepack", "along"}));
}

TEST_F(KernelManifest, ListsArgumentsInTheOrderOfTheFunction) {
  std::vector<ManifestKernel> kernels = describe(gemmKernels);
  std::string order;
  static constexpr const char *letters[] = {"t", "y", "c", "s", "m"};
  for (const ManifestArgument &argument : kernels[0].variants[0].arguments) {
    order += letters[static_cast<int>(argument.kind)];
    order += ":" + argument.name;
    if (argument.kind >= ManifestArgument::Kind::Stride)
      order += "." + std::to_string(argument.number);
    order += " ";
  }
  // Tensors, symbols that are not fixed, scalars, strides, tensor maps.
  EXPECT_EQ(order, "t:A t:B t:C y:M y:N c:scale s:A.0 s:C.0 s:C.1 m:.0 m:.1 ");
  EXPECT_EQ(kernels[0].variants[1].arguments.size(), 9u);
}

TEST_F(KernelManifest, DescribesParametersAndSymbols) {
  ManifestKernel kernel = describe(gemmKernels)[0];
  ASSERT_EQ(kernel.parameters.size(), 4u);
  EXPECT_EQ(kernel.parameters[0].strides,
            ManifestParameter::Strides::InnerUnit);
  EXPECT_FALSE(kernel.parameters[0].pack);
  EXPECT_EQ(kernel.parameters[1].pack, 0);
  EXPECT_EQ(kernel.parameters[1].dtype, "uint4");
  EXPECT_TRUE(kernel.parameters[1].noalias);
  EXPECT_EQ(kernel.parameters[2].strides, ManifestParameter::Strides::All);
  EXPECT_FALSE(kernel.parameters[3].isTensor);
  ASSERT_EQ(kernel.symbols.size(), 3u);
  EXPECT_EQ(kernel.symbols[1].fixed, 4096);
  EXPECT_EQ(kernel.symbols[2].parameter, 1);
  EXPECT_EQ(kernel.symbols[2].dim, 1);
  EXPECT_EQ(kernel.config, Json::parse(R"({"BM": 64, "CAUSAL": false})"));
}

TEST_F(KernelManifest, WritesTheFormatThatTheRuntimeReads) {
  ManifestModel model;
  model.target = "sm_90a";
  model.module = "gemm.cubin";
  model.kernels = describe(gemmKernels);
  model.cubinHash = "sha256:00";
  PtxasReport report;
  report.kernels.push_back({.symbol = "gemm__aligned",
                            .registers = 128,
                            .spillStoreBytes = 8,
                            .spillLoadBytes = 12});
  addResources(model, report);

  std::string text = writeManifest(model);
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  ASSERT_FALSE(json.is_discarded()) << text;
  EXPECT_EQ(json["format_version"], 1);
  EXPECT_EQ(json["compiler"].get<std::string>().substr(0, 6), "tilec ");
  EXPECT_EQ(json["module"], "gemm.cubin");
  EXPECT_EQ(json["hashes"], Json::parse(R"({"cubin": "sha256:00"})"));
  const Json &kernel = json["kernels"][0];
  EXPECT_EQ(kernel["parameters"][0],
            Json::parse(R"({"kind": "tensor", "name": "A", "dtype": "bf16",
                            "access": "in", "dims": ["M", "K"], "pack": null,
                            "strided": true, "noalias": false})"));
  EXPECT_EQ(kernel["parameters"][2]["strided"], "all");
  EXPECT_EQ(kernel["parameters"][3],
            Json::parse(R"({"kind": "scalar", "name": "scale",
                            "dtype": "f32"})"));
  EXPECT_EQ(kernel["symbols"][1], Json::parse(R"({"name": "K", "bound_by":
                            {"parameter": 0, "dim": 1}, "fixed": 4096})"));
  EXPECT_EQ(kernel["checks"][0],
            Json::parse(R"({"expr": ["==", ["%", "K", 128], 0],
                            "text": "K % G == 0"})"));
  EXPECT_EQ(kernel["axes"][1],
            Json::parse(R"({"name": "by", "extent": ["ceildiv", "M", 64]})"));
  EXPECT_EQ(kernel["variants"][0]["registers"], 128);
  EXPECT_EQ(kernel["variants"][0]["spill_bytes"], 20);
  EXPECT_EQ(kernel["variants"][1]["registers"], nullptr);
  EXPECT_EQ(kernel["variants"][0]["arguments"][6],
            Json::parse(R"({"kind": "stride", "name": "A", "dim": 0})"));
  EXPECT_EQ(kernel["variants"][0]["arguments"][10],
            Json::parse(R"({"kind": "tensor_map", "index": 1})"));
  EXPECT_EQ(kernel["variants"][0]["tensor_maps"],
            Json::parse(R"([{"tensor": "A", "box": [64, 64], "swizzle": 128,
                             "l2_promotion": 256},
                            {"tensor": "B", "box": [32, 128], "swizzle": 0,
                             "l2_promotion": 128}])"));
  EXPECT_EQ(kernel["variants"][0]["blocks"],
            Json::parse(R"(["min", 7, "sm_count"])"));
  EXPECT_EQ(kernel["variants"][0]["requires"],
            Json::parse(R"(["tensor_maps", "blocks"])"));
  for (const char *member : {"tensor_maps", "blocks", "requires"})
    EXPECT_FALSE(kernel["variants"][1].contains(member)) << member;
  // Expressions stay on one line.
  EXPECT_NE(text.find(R"("extent":["ceildiv","M",64])"), std::string::npos)
      << text;
}

TEST(Manifest, SurvivesTextThatIsNotUtf8) {
  ManifestModel model;
  model.target = "sm_\xff";
  EXPECT_NE(writeManifest(model).find("sm_\xef\xbf\xbd"), std::string::npos);
}
