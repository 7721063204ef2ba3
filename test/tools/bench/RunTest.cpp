//===-- RunTest.cpp - Rows measured on the fake driver --------------------===//

#include "FakeGpu.h"
#include "compiler/Numerics/NumberCast.h"
#include "runtime/lib/Sha256.h"
#include "test/runtime/TestManifest.h"
#include "tools/bench/Workers.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

using namespace tilebench;
using fakecuda::Launch;
using tilec::NumberFormat;

namespace {

/// C[M, N] = A[M, K] B[N, K] in bf16.
void multiply(const Launch &launch) {
  auto pointer = [&](size_t i) {
    return reinterpret_cast<uint16_t *>(launch.parameters[i]);
  };
  auto size = [&](size_t i) { return launch.parameters[i]; };
  uint16_t *a = pointer(0), *b = pointer(1), *c = pointer(2);
  uint64_t m = size(3), n = size(4), k = size(5);
  for (uint64_t i = 0; i < m; ++i)
    for (uint64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (uint64_t p = 0; p < k; ++p)
        sum += tilec::decodeFloat(NumberFormat::BF16, a[i * k + p]) *
               tilec::decodeFloat(NumberFormat::BF16, b[j * k + p]);
      c[i * n + j] = uint16_t(tilec::encodeFloat(
          NumberFormat::BF16, tilec::castToFloat(sum, NumberFormat::BF16)));
    }
}

tilert::test::Json makeGemm(const std::string &symbol) {
  auto kernel = tilert::test::Json::parse(R"json({
    "name": "gemm",
    "parameters": [
      {"kind": "tensor", "name": "A", "dtype": "bf16", "access": "in", "dims": ["M", "K"]},
      {"kind": "tensor", "name": "B", "dtype": "bf16", "access": "in", "dims": ["N", "K"]},
      {"kind": "tensor", "name": "C", "dtype": "bf16", "access": "out", "dims": ["M", "N"]}],
    "symbols": [
      {"name": "M", "bound_by": {"parameter": 0, "dim": 0}, "fixed": null},
      {"name": "N", "bound_by": {"parameter": 1, "dim": 0}, "fixed": null},
      {"name": "K", "bound_by": {"parameter": 0, "dim": 1}, "fixed": null}],
    "checks": [],
    "axes": [{"name": "b", "extent": ["ceildiv", "N", 128]}],
    "config": {},
    "variants": [
      {"name": "general", "guards": [], "threads": 128, "shared_bytes": 0,
       "registers": 16, "spill_bytes": 4,
       "arguments": [{"kind": "tensor", "name": "A"}, {"kind": "tensor", "name": "B"},
                     {"kind": "tensor", "name": "C"}, {"kind": "symbol", "name": "M"},
                     {"kind": "symbol", "name": "N"}, {"kind": "symbol", "name": "K"}]}]
  })json");
  kernel["variants"][0]["symbol"] = symbol;
  return kernel;
}

class Run : public testing::Test {
protected:
  Run() {
    char pattern[] = "/tmp/tile-bench-XXXXXX";
    options.artifacts = mkdtemp(pattern);
    options.cublasLt = TILE_FAKE_GPU;
    options.rounds = 1;
    options.isQuick = true;
    *gpu.lt = {};
    gpu.cuda->kernels.clear();
    gpu.cuda->failures.clear();
    row.name = "row";
    row.shape = {4, 140, 30};
    row.work.isBTransposed = true;
    row.required = {0.98, 1.0};
  }
  ~Run() override { std::filesystem::remove_all(options.artifacts); }

  void writeArtifact(const std::string &name,
                     const tilert::test::Json &kernel) {
    auto manifest = tilert::test::makeManifest(kernel);
    manifest["module"] = name + ".cubin";
    manifest["hashes"]["cubin"] = "sha256:" + tilert::detail::hashSha256(name);
    std::string base = options.artifacts + "/" + name;
    std::ofstream(base + ".json") << manifest.dump();
    std::ofstream(base + ".cubin") << name;
  }

  /// A kernel of the row that takes so long and then does `misdeed`.
  void addKernel(const std::string &name, double milliseconds,
                 std::function<void(const Launch &)> misdeed = {}) {
    row.kernels.push_back(name);
    writeArtifact(name, makeGemm(name + "__run"));
    gpu.cuda->parameterBytes[name + "__run"] = {8, 8, 8, 8, 8, 8};
    gpu.cuda->kernels[name + "__run"] = [=, this](const Launch &launch) {
      multiply(launch);
      gpu.cuda->clock += milliseconds;
      if (misdeed)
        misdeed(launch);
    };
  }

  /// Measures the row and gives its record.
  Json measure() {
    record = Json::object();
    std::vector<std::string> finished;
    measureRows(options, {row}, 5, record,
                [&](const Json &one) { finished.push_back(one["name"]); });
    EXPECT_EQ(finished, std::vector<std::string>{row.name});
    return record["rows"][0];
  }

  std::string failureOf(const Json &measured, const std::string &name) {
    for (const Json &contender : measured["contenders"])
      if (contender["name"] == name)
        return contender.value("failure", "");
    return "there is no such contender";
  }

  bool wasTimed(const Json &measured, const std::string &name) {
    for (const Json &contender : measured["contenders"])
      if (contender["name"] == name)
        return contender.contains("burst") || contender.contains("sustained");
    return false;
  }

  FakeGpu &gpu = FakeGpu::get();
  Options options;
  Row row;
  Json record;
};

TEST_F(Run, TheFastestOfEachSideCount) {
  gpu.lt->milliseconds = {3, 2, 2.2, 9};
  addKernel("slow", 5);
  addKernel("fast", 1.6);
  addKernel("middle", 1.7);
  Json measured = measure();
  EXPECT_EQ(listFailures(measured), std::vector<std::string>{});
  const Json &result = measured["result"];
  EXPECT_EQ(result["kernel"], "fast");
  EXPECT_EQ(result["peer"]["burst"], "cuBLASLt #1");
  EXPECT_EQ(result["peer"]["sustained"], "cuBLASLt #1");
  EXPECT_NEAR(result["ratio"]["burst"].get<double>(), 1.25, 1e-3);
  EXPECT_NEAR(result["ratio"]["sustained"].get<double>(), 1.25, 1e-3);
  EXPECT_EQ(result["verdict"], "ok");
  // The first proposal is timed too, however slow it is.
  EXPECT_NEAR(result["ratio_to_first"]["burst"].get<double>(), 1.875, 1e-3);
  EXPECT_TRUE(wasTimed(measured, "cuBLASLt #0"));
  // Two of each side are timed in full, and each was checked.
  EXPECT_TRUE(wasTimed(measured, "middle"));
  EXPECT_TRUE(wasTimed(measured, "cuBLASLt #2"));
  EXPECT_FALSE(wasTimed(measured, "slow"));
  EXPECT_FALSE(wasTimed(measured, "cuBLASLt #3"));
  const Json &fast = measured["contenders"][5];
  EXPECT_EQ(fast["name"], "fast");
  EXPECT_LT(fast["error"].get<double>(), 4e-3);
  EXPECT_EQ(fast["note"], "general, 16 registers, 4 B spilled");
  EXPECT_EQ(fast["facts"]["grid"], 2);
  EXPECT_EQ(fast["burst"]["samples_us"].size(), 1u);
  EXPECT_NEAR(fast["burst"]["median_us"].get<double>(), 1600, 1);
  EXPECT_EQ(measured["buffer_sets"], 16);
  EXPECT_EQ(record["device"]["name"], "Fake GPU");
  EXPECT_EQ(record["device"]["cublaslt"], "13.1.0");
  EXPECT_EQ(record["device"]["driver"], "unknown");
}

TEST_F(Run, RoundsGiveSamples) {
  options.rounds = 3;
  addKernel("kernel", 1);
  Json measured = measure();
  for (const char *state : {"burst", "sustained"})
    EXPECT_EQ(measured["contenders"][1][state]["samples_us"].size(), 3u);
}

TEST_F(Run, FlushesComeBetweenLaunchesAndDoNotCount) {
  options.flushesCache = true;
  addKernel("kernel", 0.5);
  Json measured = measure();
  EXPECT_EQ(measured["flush_l2"], true);
  EXPECT_NEAR(measured["result"]["ratio"]["burst"].get<double>(), 2, 1e-3);
}

TEST_F(Run, WrongKernelsAreNotTimed) {
  addKernel("right", 1);
  addKernel("wrong", 0.1, [](const Launch &launch) {
    reinterpret_cast<uint16_t *>(launch.parameters[2])[141] = 0x7f00;
  });
  addKernel("outside", 0.1, [](const Launch &launch) {
    auto *c = reinterpret_cast<uint16_t *>(launch.parameters[2]);
    c[launch.parameters[3] * launch.parameters[4] + 1] = 0;
  });
  addKernel("before", 0.1, [](const Launch &launch) {
    reinterpret_cast<uint8_t *>(launch.parameters[2])[-1] = 0;
  });
  addKernel("unstable", 0.1, [this](const Launch &launch) {
    auto *c = reinterpret_cast<uint16_t *>(launch.parameters[2]);
    c[0] = uint16_t(c[0] ^ (gpu.cuda->launches.size() & 1)); // half a unit
  });
  Json measured = measure();
  EXPECT_EQ(failureOf(measured, "wrong").find("C[1, 1] is 1.70141183e+38, not"),
            0u);
  EXPECT_EQ(failureOf(measured, "outside"),
            "it wrote outside of C: byte 2 after its end");
  EXPECT_EQ(failureOf(measured, "before"),
            "it wrote outside of C: byte -1 from its begin");
  EXPECT_NE(failureOf(measured, "unstable"), "");
  EXPECT_EQ(failureOf(measured, "right"), "");
  EXPECT_EQ(measured["result"]["kernel"], "right");
  for (const char *name : {"wrong", "outside", "before", "unstable"})
    EXPECT_FALSE(wasTimed(measured, name));
}

TEST_F(Run, KernelsThatGoWrongLaterAreFound) {
  int launches = 0;
  addKernel("late", 1, [&](const Launch &launch) {
    if (++launches > 20)
      reinterpret_cast<uint16_t *>(launch.parameters[2])[0] = 0;
  });
  Json measured = measure();
  EXPECT_EQ(failureOf(measured, "late"),
            "after timing: other bits than before, with set 0 of the buffers");
  EXPECT_EQ(measured["result"]["verdict"], "not measured");
}

TEST_F(Run, KernelsMustBeRightAtTheSmallProducts) {
  row.checks = {{3, 5, 7}};
  addKernel("kernel", 1, [](const Launch &launch) {
    if (launch.parameters[3] == 3)
      reinterpret_cast<uint16_t *>(launch.parameters[2])[14] = 0xffff;
  });
  Json measured = measure();
  EXPECT_EQ(failureOf(measured, "kernel").find("at 3x5x7: C[2, 4] is nan, not"),
            0u);
}

TEST_F(Run, WrongAlgorithmsOfThePeerDoNotCount) {
  gpu.lt->milliseconds = {2, 1};
  gpu.lt->wrong = 1;
  addKernel("kernel", 1);
  Json measured = measure();
  EXPECT_NE(failureOf(measured, "cuBLASLt #1"), "");
  EXPECT_EQ(measured["result"]["peer"]["burst"], "cuBLASLt #0");
}

TEST_F(Run, FaultsAndHangsEndTheirContenderOnly) {
  options.timeoutSeconds = 2;
  addKernel("faulty", 1,
            [this](const Launch &) { gpu.cuda->stickyError = 700; });
  addKernel("hanging", 1, [this](const Launch &) { gpu.cuda->hangs = true; });
  addKernel("aborting", 1, [](const Launch &) { std::abort(); });
  addKernel("right", 1);
  Json measured = measure();
  EXPECT_EQ(
      failureOf(measured, "faulty")
          .find("cuStreamSynchronize failed: CUDA_ERROR_ILLEGAL_ADDRESS (700)"),
      0u)
      << failureOf(measured, "faulty");
  EXPECT_EQ(failureOf(measured, "hanging"), "no end after 2 s");
  EXPECT_EQ(failureOf(measured, "aborting").find("it ended the process: "), 0u);
  EXPECT_EQ(failureOf(measured, "right"), "");
  EXPECT_EQ(measured["result"]["verdict"], "ok");
}

TEST_F(Run, FaultsWhileTimingEndTheirContenderOnly) {
  int launches = 0;
  addKernel("late", 1, [&](const Launch &) {
    if (++launches > 20)
      gpu.cuda->stickyError = 700;
  });
  addKernel("right", 2);
  Json measured = measure();
  EXPECT_NE(failureOf(measured, "late").find("CUDA_ERROR_ILLEGAL_ADDRESS"),
            std::string::npos);
  EXPECT_EQ(measured["result"]["kernel"], "right");
}

TEST_F(Run, RowsThatCannotBeMeasuredHaveAFailure) {
  addKernel("kernel", 1);
  options.hasPeers = false;
  gpu.cuda->failures["cuMemAlloc_v2"] = 2;
  Row second = row;
  second.name = "second";
  measureRows(options, {row, second}, 5, record, [](const Json &) {});
  ASSERT_EQ(record["rows"].size(), 2u);
  for (const Json &measured : record["rows"]) {
    ASSERT_EQ(listFailures(measured).size(), 1u);
    EXPECT_EQ(listFailures(measured)[0].find("cuMemAlloc_v2 failed"), 0u);
    EXPECT_EQ(measured["result"]["verdict"], "not measured");
  }
  EXPECT_EQ(record["rows"][1]["name"], "second");
}

TEST_F(Run, ARowWithTooManyDeathsIsGivenUp) {
  for (int i = 0; i < 7; ++i)
    addKernel("faulty" + std::to_string(i), 1,
              [this](const Launch &) { gpu.cuda->stickyError = 700; });
  Json measured = measure();
  EXPECT_EQ(measured["result"]["verdict"], "not measured");
  std::vector<std::string> failures = listFailures(measured);
  ASSERT_EQ(failures.size(), 7u);
  EXPECT_EQ(failures[6].find("the row was given up: cuStreamSynchronize"), 0u);
}

TEST_F(Run, KernelsThatDoNotFitAreFailures) {
  addKernel("present", 1);
  row.kernels.push_back("absent");
  auto gemm = makeGemm("present__run");
  gemm["parameters"][1]["name"] = gemm["variants"][0]["arguments"][1]["name"] =
      "W";
  writeArtifact("other", gemm);
  row.kernels.push_back("other");
  gemm = makeGemm("present__run");
  gemm["parameters"][2]["dtype"] = "f16";
  writeArtifact("half", gemm);
  row.kernels.push_back("half");
  Json measured = measure();
  EXPECT_EQ(failureOf(measured, "absent"),
            "there is no " + options.artifacts +
                "/absent.json: tools/bench/compile --table makes it");
  EXPECT_EQ(failureOf(measured, "other"),
            "there is no data for its parameter 'W'; A, B and C are known");
  EXPECT_NE(failureOf(measured, "half").find("f16"), std::string::npos);
  EXPECT_EQ(measured["result"]["kernel"], "present");
}

TEST_F(Run, KernelsForOtherSizesArePassedOver) {
  addKernel("general", 1);
  addKernel("fixed", 0.5);
  auto gemm = makeGemm("fixed__run");
  gemm["symbols"][2]["fixed"] = 31;
  writeArtifact("fixed", gemm);
  EXPECT_EQ(measure()["contenders"].size(), 2u);
  row.shape.k = 31;
  EXPECT_EQ(measure()["result"]["kernel"], "fixed");
}

TEST_F(Run, KernelsAndPeersCanBeLeftOut) {
  addKernel("general", 1);
  addKernel("other", 0.5);
  options.kernels = {"gen"};
  options.hasPeers = false;
  Json measured = measure();
  EXPECT_EQ(measured["contenders"].size(), 1u);
  EXPECT_EQ(measured["result"]["kernel"], "general");
  EXPECT_EQ(measured["result"]["verdict"], "no peer");
  EXPECT_FALSE(record["device"].contains("cublaslt"));
}

TEST_F(Run, MachinesThatCannotMeasureAreErrors) {
  auto message = [&]() -> std::string {
    try {
      measure();
      return "measured";
    } catch (const std::exception &error) {
      return error.what();
    }
  };
  options.cublasLt = options.artifacts;
  EXPECT_EQ(message().find("cannot load cuBLASLt:"), 0u);
  gpu.cuda->failures["cuDeviceGet"] = 100;
  EXPECT_EQ(message().find("cuDeviceGet failed: CUDA_ERROR_NO_DEVICE (100)"),
            0u)
      << message();
}

} // namespace
