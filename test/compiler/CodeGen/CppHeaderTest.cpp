//===- CppHeaderTest.cpp - Tests of the C++ header of kernels -------------===//
//
// The header is compiled here against the runtime's own header; running it is
// left to a machine with a GPU.
//
//===----------------------------------------------------------------------===//
#include "compiler/CodeGen/CppHeader.h"
#include "compiler/CodeGen/ChildProcess.h"
#include "compiler/CodeGen/OutputFile.h"
#include "compiler/CodeGen/TemporaryFolder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace tilec;
using testing::HasSubstr;

static ManifestParameter makeTensor(llvm::StringRef name, llvm::StringRef dtype,
                                    llvm::StringRef access,
                                    std::vector<ManifestExpr> dims) {
  ManifestParameter parameter;
  parameter.isTensor = true;
  parameter.name = name.str();
  parameter.dtype = dtype.str();
  parameter.access = access.str();
  parameter.dims = std::move(dims);
  return parameter;
}

static ManifestParameter makeScalar(llvm::StringRef name,
                                    llvm::StringRef dtype) {
  ManifestParameter parameter;
  parameter.name = name.str();
  parameter.dtype = dtype.str();
  return parameter;
}

static ManifestModel makeModel() {
  ManifestKernel kernel;
  kernel.name = "sum";
  kernel.parameters = {makeTensor("A", "int4", "in", {"M", "K"}),
                       makeTensor("class", "f32", "out", {"M"}),
                       makeScalar("scale", "f32"), makeScalar("half", "bf16")};
  kernel.parameters[0].pack = 1;
  kernel.symbols = {{"M", 0, 0, {}}, {"K", 0, 1, {}}};
  ManifestVariant variant;
  variant.name = "general";
  variant.symbol = "sum";
  variant.threads = 128;
  kernel.variants = {variant};
  ManifestModel model;
  model.target = "sm_90a";
  model.kernels = {kernel};
  return model;
}

TEST(CppHeader, HasATypedFunctionPerKernel) {
  std::string text = writeCppHeader(makeModel(),
                                    "\x7f"
                                    "ELF\xff",
                                    "my-gemm.v2");
  EXPECT_THAT(text, HasSubstr("namespace my_gemm_v2 {"));
  EXPECT_THAT(text, HasSubstr("cubin[] = {\n127,69,76,70,255,};"));
  EXPECT_THAT(text, HasSubstr("///   A: int4[M, K] pack(1)\n"
                              "///   class: out f32[M]\n"
                              "///   scale: f32\n"));
  EXPECT_THAT(text,
              HasSubstr("inline void sum(tilert_stream stream, "
                        "const tilert::Tensor &A, const tilert::Tensor &class_,"
                        " float scale, const tilert::Scalar &half) {"));
}

TEST(CppHeader, PacksWhatAKernelTakesPrepacked) {
  ManifestModel model = makeModel();
  model.kernels[0].parameters[0].packing = ManifestPacking();
  std::string text = writeCppHeader(model, "", "kernels");
  EXPECT_THAT(text, HasSubstr("///   A: int4[M, K] pack(1) prepack\n"));
  EXPECT_THAT(text, HasSubstr("inline std::size_t sum_prepack_A_size(const "
                              "tilert::Tensor &plain) {"));
  EXPECT_THAT(text, HasSubstr("kernel.prepackOnHost(\"A\", plain, packed)"));
}

TEST(CppHeader, NamesWhatServesAKernelApartFromOthers) {
  ManifestModel model = makeModel();
  model.kernels.resize(1, model.kernels[0]);
  ManifestKernel other = model.kernels[0];
  model.kernels[0].variants = {ManifestVariant()};
  model.kernels[0].variants[0].workspace = 16384;
  model.kernels[0].parameters[0].packing = ManifestPacking();
  for (const char *name : {"sum_reserve", "sum_prepack_A_size"}) {
    other.name = name;
    model.kernels.push_back(other);
  }
  std::string text = writeCppHeader(model, "", "kernels");
  EXPECT_THAT(text, HasSubstr("inline void sum_reserve_("));
  EXPECT_THAT(text, HasSubstr("inline std::size_t sum_prepack_A__size("));
  EXPECT_THAT(text, HasSubstr("inline tilert::Tensor sum_prepack_A__host("));
  EXPECT_THAT(text, HasSubstr("inline void sum_reserve("));
  EXPECT_THAT(text, HasSubstr("inline void sum_prepack_A_size("));
}

TEST(CppHeader, TellsOfClassesOfSizes) {
  ManifestModel model = makeModel();
  model.kernels[0].variants.resize(4);
  model.kernels[0].variants[0].sizeClass = {"M", 16};
  model.kernels[0].variants[1].sizeClass = {"M", 16};
  model.kernels[0].variants[2].sizeClass = {"M", 64};
  EXPECT_THAT(writeCppHeader(model, "", "kernels"),
              HasSubstr("/// Has code of its own for M <= 16, M <= 64.\n"));
}

TEST(CppHeader, CompilesAgainstTheRuntime) {
  ManifestModel model = makeModel();
  model.kernels[0].parameters[0].packing = ManifestPacking();
  TemporaryFolder folder = llvm::cantFail(TemporaryFolder::create());
  llvm::cantFail(writeFileAtomically(folder.getPath("kernels.hpp"),
                                     writeCppHeader(model,
                                                    "\x7f"
                                                    "ELF",
                                                    "kernels")));
  llvm::cantFail(writeFileAtomically(
      folder.getPath("use.cpp"),
      "#include \"kernels.hpp\"\n#include \"kernels.hpp\"\n"
      "void use(void *data, tilert_stream stream) {\n"
      "  tilert::Tensor a(data, TILERT_INT4, {4, 8});\n"
      "  tilert::Tensor c(data, TILERT_F32, {4});\n"
      "  if (kernels::sum_prepack_A_size(a) == 0)\n"
      "    a = kernels::sum_prepack_A_host(a, data);\n"
      "  a = kernels::sum_prepack_A(stream, a, data);\n"
      "  kernels::sum(stream, a, c, 1.0f, tilert::Scalar(TILERT_BF16, 0));\n"
      "}\n"));
  ChildResult result = llvm::cantFail(
      runChild(TILE_CXX_COMPILER,
               {"-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only",
                "-I" TILE_RUNTIME_INCLUDE, folder.getPath("use.cpp")},
               /*secondsToWait=*/120));
  EXPECT_EQ(result.exitCode, 0) << result.standardError;
}
