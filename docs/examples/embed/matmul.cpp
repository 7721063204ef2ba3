// Multiplies bf16 by int4 on a GPU, with a kernel that tilec compiled:
//   tilec ../matmul_bf16_int4.tile -o matmul.cubin    (writes matmul.json too)
//   ./matmul matmul.cubin
#include "cuda.hpp"
#include <tilert/tilert.hpp>

#include <cstdio>
#include <cstring>

constexpr int64_t m = 300, n = 200, k = 100;

static int aAt(int64_t row, int64_t column) { return (row + column) % 3 - 1; }
static int bAt(int64_t row, int64_t column) { return (row + column) % 4 - 2; }

/// bf16 is the upper half of a float; exact for these small integers.
static uint16_t toBf16(int value) {
  float number = float(value);
  uint32_t bits;
  std::memcpy(&bits, &number, sizeof bits);
  return uint16_t(bits >> 16);
}

static bool multiply(const char *path) {
  std::vector<uint16_t> a(m * k);
  std::vector<uint8_t> b(k / 2 * n); // rows 2i and 2i + 1 share row i
  for (int64_t i = 0; i < m * k; ++i)
    a[i] = toBf16(aAt(i / k, i % k));
  for (int64_t i = 0; i < k / 2 * n; ++i)
    b[i] = (bAt(i / n * 2, i % n) & 15) | (bAt(i / n * 2 + 1, i % n) & 15) << 4;

  tilert::Module module(path); // checks that cubin and manifest belong together
  cuda::Device device(0);
  cuda::Stream stream;
  cuda::Array<uint16_t> onDeviceA(a), onDeviceC(m * n);
  cuda::Array<uint8_t> onDeviceB(b);

  // Checks the arguments and chooses the variant; launch(stream, ...) of the
  // kernel does this and the launch in one call.
  const tilert_device_facts facts = tilert::deviceFacts(0);
  tilert::Plan plan =
      module.kernel("matmul_bf16_int4")
          .plan(&facts, tilert::Tensor(onDeviceA.get(), TILERT_BF16, {m, k}),
                tilert::Tensor(onDeviceB.get(), TILERT_INT4, {k, n}),
                tilert::Tensor(onDeviceC.get(), TILERT_BF16, {m, n}));
  std::fputs(plan.text(), stdout);
  plan.launch(stream.get());
  stream.synchronize();

  std::vector<uint16_t> c = onDeviceC.download();
  int64_t wrong = 0;
  for (int64_t i = 0; i < m * n; ++i) {
    int sum = 0;
    for (int64_t j = 0; j < k; ++j)
      sum += aAt(i / n, j) * bAt(j, i % n);
    wrong += c[i] != toBf16(sum);
  }
  std::printf("%ld of %ld elements are wrong\n", long(wrong), long(m * n));
  return wrong == 0;
}

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fputs("usage: matmul FILE.cubin\n", stderr);
    return 2;
  }
  try {
    return multiply(argv[1]) ? 0 : 1;
  } catch (const tilert::Error &error) { // what() holds the driver's words too
    std::fprintf(stderr, "%s: %s\n", tilert_code_name(error.code()),
                 error.what());
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
  return 1;
}
