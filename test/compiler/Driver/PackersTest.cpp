//===- PackersTest.cpp - Packing by kernel and by the runtime -------------===//
//
// The packer that is compiled beside a kernel and that of the runtime know the
// order from the same manifest and nothing else of each other.
//
//===----------------------------------------------------------------------===//
#include "compiler/Driver/Compile.h"
#include "compiler/Driver/RuntimeObjects.h"
#include "compiler/Emulator/Emulator.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace tilec;

using Bytes = std::vector<uint8_t>;

namespace {
/// A tensor parameter B of a product, in a kernel that is compiled once.
class Packed {
public:
  /// `type` is that of B, `b` its declaration, `tile` the extents of its tiles,
  /// `at` their places, and `product` the statement.
  Packed(llvm::StringRef a, llvm::StringRef b, llvm::StringRef tile,
         llvm::StringRef at, llvm::StringRef product, llvm::StringRef target) {
    auto [type, rest] = b.split('[');
    std::string text =
        ("kernel k(A: " + a + "[M, K], B: " + b +
         " prepack, C: out f32[M, N]) threads(64) {\n"
         "    let As = alloc_shared(" +
         a +
         "[32, 64]);\n"
         "    let Bs = alloc_shared(" +
         type + "[" + tile +
         "]);\n"
         "    var acc = alloc_fragment(f32[32, 48]);\n"
         "    clear(acc);\n"
         "    copy(A[0, 0], As);\n    copy(B[" +
         at + "], Bs);\n    " + product + "\n    copy(acc, C[0, 0]);\n}\n")
            .str();
    llvm::SmallString<128> path;
    int file;
    if (llvm::sys::fs::createTemporaryFile("packers", "tile", file, path))
      return;
    llvm::raw_fd_ostream(file, /*shouldClose=*/true) << text;
    CompileOptions options;
    options.inputFile = path.str().str();
    options.target = target.str();
    compilation.emplace(options);
    error = llvm::toString(compileAndReport(*compilation, Stage::LLVM));
    llvm::sys::fs::remove(path);
    if (!error.empty())
      return;
    std::string manifest = writeManifest(compilation->getManifest());
    tilert_module *loaded = nullptr;
    tilert_status *status = nullptr;
    tilert_module_from_manifest(manifest.data(), manifest.size(), &loaded,
                                &status);
    module.reset(loaded);
    error = llvm::toString(takeStatus(status));
    if (error.empty())
      kernel = tilert_module_kernel(loaded, 0);
  }

  const tilert_parameter &getParameter() const {
    return *tilert_kernel_parameter(kernel, 1);
  }

  /// Runs a helper on the emulator.
  std::string emulate(const char *name, llvm::ArrayRef<int64_t> sizes,
                      Bytes &plain, Bytes &packed, bool packs);

  std::string error;
  const tilert_kernel *kernel = nullptr;

private:
  std::optional<Compilation> compilation;
  RuntimeModule module;
};
} // namespace

static tilert_argument makeArray(Bytes &bytes, tilert_dtype dtype,
                                 llvm::ArrayRef<int64_t> sizes) {
  return tilert_tensor_argument(
      {bytes.data(), dtype, static_cast<int32_t>(sizes.size()), sizes.data(),
       nullptr, TILERT_DEVICE_HOST, TILERT_ORDER_UNKNOWN});
}

std::string Packed::emulate(const char *name, llvm::ArrayRef<int64_t> sizes,
                            Bytes &plain, Bytes &packed, bool packs) {
  const tilert_kernel *helper = nullptr;
  tilert_status *status = nullptr;
  tilert_kernel_get(module.get(), name, &helper, &status);
  if (llvm::Error failure = takeStatus(status))
    return llvm::toString(std::move(failure));
  // The arrays as the helper declares them: solve for their extents.
  std::vector<tilert_argument> arguments;
  for (int64_t size : sizes)
    arguments.push_back(tilert_int64_argument(size));
  arguments.resize(sizes.size() + 2);
  Bytes *arrays[] = {packs ? &plain : &packed, packs ? &packed : &plain};
  std::vector<std::vector<int64_t>> extents(2);
  for (size_t i = 0; i < 2; ++i) {
    size_t index = sizes.size() + i;
    const tilert_parameter *parameter = tilert_kernel_parameter(helper, index);
    extents[i].resize(parameter->rank);
    tilert_kernel_parameter_sizes(helper, index, nullptr, arguments.data(),
                                  arguments.size(), extents[i].data(), &status);
    if (llvm::Error failure = takeStatus(status))
      return llvm::toString(std::move(failure));
  }
  for (size_t i = 0; i < 2; ++i)
    arguments[sizes.size() + i] = makeArray(
        *arrays[i], tilert_kernel_parameter(helper, sizes.size() + i)->dtype,
        extents[i]);
  tilert_plan *made = nullptr;
  tilert_plan_create(helper, arguments.data(), arguments.size(), nullptr,
                     nullptr, &made, &status);
  RuntimePlan plan(made);
  if (llvm::Error failure = takeStatus(status))
    return llvm::toString(std::move(failure));

  LaunchSpec launch;
  launch.symbol =
      tilert_kernel_variant(helper, tilert_plan_variant(made))->symbol;
  launch.gridX = static_cast<uint32_t>(tilert_plan_grid(made));
  launch.threads = tilert_plan_threads(made);
  launch.sharedBytes = tilert_plan_shared_bytes(made);
  const tilert_value *values = tilert_plan_values(made);
  for (size_t i = 0; i < tilert_plan_value_count(made); ++i) {
    const auto *bytes = static_cast<const uint8_t *>(values[i].value);
    launch.parameters.push_back({bytes, bytes + values[i].bytes});
  }
  for (size_t i = 0; i < 2; ++i)
    launch.buffers.push_back({i ? "to" : "from", arrays[i]->data(),
                              arrays[i]->size(), i == 1, int(i)});
  launch.options.hostThreads = 1;
  llvm::Expected<std::unique_ptr<Emulator>> emulator =
      Emulator::create(compilation->getLLVMModule());
  if (!emulator)
    return llvm::toString(emulator.takeError());
  return llvm::toString((*emulator)->launch(launch).takeError());
}

/// Packs and unpacks both ways; both agree on every byte.
static void checkPackers(Packed &packed, llvm::ArrayRef<int64_t> sizes) {
  ASSERT_EQ(packed.error, "");
  const tilert_parameter &parameter = packed.getParameter();
  ASSERT_NE(parameter.order, TILERT_ORDER_PLAIN);
  int64_t count = 1;
  for (size_t dim = 0; dim < sizes.size(); ++dim)
    count *= int(dim) == parameter.pack ? (sizes[dim] + 1) / 2 : sizes[dim];
  count *= std::max(tilert_dtype_bits(parameter.dtype), 8) / 8;
  Bytes plain(count);
  for (size_t i = 0; i < plain.size(); ++i)
    plain[i] = static_cast<uint8_t>(i * 13 + 7 + i / 256);
  tilert_tensor tensor = makeArray(plain, parameter.dtype, sizes).value.tensor;
  size_t bytes = 0;
  ASSERT_EQ(tilert_prepack_size(packed.kernel, "B", &tensor, &bytes, nullptr),
            TILERT_OK);
  Bytes onHost(bytes, 0xAA), onDevice(bytes, 0x55);
  ASSERT_EQ(
      tilert_prepack_host(packed.kernel, "B", &tensor, onHost.data(), nullptr),
      TILERT_OK);
  ASSERT_EQ(packed.emulate("k__pack_B", sizes, plain, onDevice, true), "");
  EXPECT_EQ(onHost, onDevice);

  Bytes backOnHost(count, 0xFF), backOnDevice(count, 0xFE);
  tilert_tensor back =
      makeArray(backOnHost, parameter.dtype, sizes).value.tensor;
  ASSERT_EQ(
      tilert_unpack_host(packed.kernel, "B", onHost.data(), &back, nullptr),
      TILERT_OK);
  ASSERT_EQ(packed.emulate("k__unpack_B", sizes, backOnDevice, onDevice, false),
            "");
  EXPECT_EQ(backOnHost, backOnDevice);
  Bytes again(bytes);
  ASSERT_EQ(
      tilert_prepack_host(packed.kernel, "B", &back, again.data(), nullptr),
      TILERT_OK);
  EXPECT_EQ(again, onHost);
  bool isOdd = parameter.pack >= 0 && sizes[parameter.pack] % 2;
  if (!isOdd) {
    EXPECT_EQ(backOnHost, plain);
  }
}

TEST(Packers, AgreeForEveryWidth) {
  for (const char *b : {"int4[N, K]", "uint4[N, K]", "fp4_e2m1[N, K]",
                        "int8[N, K]", "fp8_e4m3[N, K]", "bf16[N, K]"}) {
    Packed packed("bf16", b, "48, 64", "0, 0",
                  "gemm(As, Bs, acc, transpose_b = true);", "sm_80");
    for (std::vector<int64_t> sizes :
         std::vector<std::vector<int64_t>>{{1, 1}, {49, 131}})
      checkPackers(packed, sizes);
  }
}

TEST(Packers, AgreeForEveryPacking) {
  for (const char *b : {"int4[K, N] pack(0)", "int4[K, N] pack(1)"}) {
    Packed packed("bf16", b, "64, 48", "0, 0", "gemm(As, Bs, acc);", "sm_90a");
    for (std::vector<int64_t> sizes :
         std::vector<std::vector<int64_t>>{{65, 47}, {3, 97}})
      checkPackers(packed, sizes);
  }
}

TEST(Packers, AgreeBehindLeadingExtents) {
  Packed packed("f16", "uint4[E, N, K]", "48, 64", "1, 0, 0",
                "gemm(As, Bs, acc, transpose_b = true);", "sm_89");
  checkPackers(packed, {3, 50, 65});
}
