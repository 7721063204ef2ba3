//===-- PeersTest.cpp - cuBLASLt as a peer --------------------------------===//

#include "FakeGpu.h"
#include "tools/bench/Contender.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

using namespace tilebench;
using tilec::NumberFormat;

namespace {

class Peer : public testing::Test {
protected:
  Peer() { *gpu.lt = {}; }

  FakeGpu &gpu = FakeGpu::get();
  Device device{0};
};

/// What cuBLASLt is told must mean the product that the table asks for.
TEST_F(Peer, EveryWorkIsDescribed) {
  Peers peers(device, TILE_FAKE_GPU);
  EXPECT_EQ(peers.library().version(), "13.1.0");
  struct {
    NumberFormat in, out;
    Scales scales;
  } kinds[] = {{NumberFormat::BF16, NumberFormat::BF16, Scales::None},
               {NumberFormat::F16, NumberFormat::F16, Scales::None},
               {NumberFormat::TF32, NumberFormat::F32, Scales::None},
               {NumberFormat::Int8, NumberFormat::Int32, Scales::None},
               {NumberFormat::FP8E4M3, NumberFormat::BF16, Scales::Tensor},
               {NumberFormat::FP8E5M2, NumberFormat::BF16, Scales::None},
               {NumberFormat::FP8E4M3, NumberFormat::BF16, Scales::Block128}};
  for (auto kind : kinds)
    for (int layout = 0; layout < 4; ++layout) {
      Work work{kind.in,
                kind.in,
                kind.out,
                bool(layout & 2),
                bool(layout & 1),
                kind.scales,
                kind.scales == Scales::Tensor};
      // All extents differ, and blocks are not full.
      Shape shape{19, 140, 300};
      Problem problem(device, work, shape, 3, /*isTimed=*/true);
      EXPECT_GT(problem.sets().size(), 8u);
      Reference reference(work, shape, problem.inputs(), 1000, 1);
      Contender contender = peers.list(problem)[0];
      EXPECT_EQ(contender.name, "cuBLASLt #0");
      EXPECT_TRUE(contender.isPeer);
      for (size_t set : {0, 7}) {
        problem.poison(problem.sets()[set]);
        contender.launch(set);
        HostMatrix result = problem.readResult(problem.sets()[set]);
        EXPECT_EQ(reference.check(result).failure, "") << layout;
      }
    }
}

TEST_F(Peer, AlgorithmsAreListedWithTheirConfiguration) {
  gpu.lt->milliseconds = {3, 1, 2};
  Peers peers(device, TILE_FAKE_GPU);
  Problem problem(device, {}, {4, 4, 4}, 1, /*isTimed=*/false);
  std::vector<Contender> list = peers.list(problem);
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(list[2].name, "cuBLASLt #2");
  EXPECT_EQ(list[2].note, "algorithm 2, tile 102");
  EXPECT_EQ(list[2].facts["cluster"], 802);
  list[2].launch(0);
  EXPECT_EQ(gpu.lt->runs, std::vector<int>{2});
}

TEST_F(Peer, WorkWithoutAlgorithmIsRefused) {
  gpu.lt->milliseconds = {};
  Peers peers(device, TILE_FAKE_GPU);
  Problem problem(device, {}, {4, 4, 4}, 1, /*isTimed=*/false);
  try {
    peers.list(problem);
    FAIL();
  } catch (const std::exception &error) {
    EXPECT_STREQ(error.what(), "cuBLASLt has no algorithm for this product");
  }
}

TEST_F(Peer, FailuresOfTheLibraryAreNamed) {
  CublasLt lt(TILE_FAKE_GPU);
  for (auto [status, message] :
       {std::pair(7, "cublasLtMatmul failed: CUBLAS_STATUS_INVALID_VALUE (7)"),
        std::pair(99, "cublasLtMatmul failed: a status without a name (99)")})
    try {
      lt.check(status, "cublasLtMatmul");
      FAIL();
    } catch (const std::exception &error) {
      EXPECT_STREQ(error.what(), message);
    }
}

class Search : public testing::Test {
protected:
  Search() {
    char pattern[] = "/tmp/tile-bench-XXXXXX";
    folder = mkdtemp(pattern);
  }
  ~Search() override { std::filesystem::remove_all(folder); }

  std::string touch(const std::string &path) {
    std::filesystem::path file = folder + "/" + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << "no library";
    return file.string();
  }

  std::string folder;
};

TEST_F(Search, AFolderIsSearchedForTheNewestFirst) {
  std::string old = touch("libcublasLt.so.12"),
              recent = touch("libcublasLt.so.13");
  EXPECT_EQ(listCublasLtFiles(folder), (std::vector<std::string>{recent, old}));
  EXPECT_EQ(listCublasLtFiles(old), std::vector<std::string>{old});
}

TEST_F(Search, ToolkitsAndPythonPackagesAreSearched) {
  std::string toolkit = touch("cuda/lib64/libcublasLt.so.13");
  std::string wheel = touch("packages/nvidia/cu13/lib/libcublasLt.so.13");
  std::string older = touch("packages/nvidia/cublas/lib/libcublasLt.so.12");
  setenv("CUDA_HOME", (folder + "/cuda").c_str(), 1);
  setenv("PYTHONPATH", (folder + "/packages").c_str(), 1);
  std::vector<std::string> files = listCublasLtFiles("");
  unsetenv("CUDA_HOME");
  unsetenv("PYTHONPATH");
  EXPECT_EQ(files[0], "libcublasLt.so.13");
  EXPECT_EQ(files[1], "libcublasLt.so.12");
  EXPECT_EQ(files[2], toolkit);
  auto found = std::find(files.begin(), files.end(), wheel);
  ASSERT_NE(found, files.end());
  EXPECT_EQ(found[1], older);
}

TEST_F(Search, FailuresTellAllThatWasTried) {
  std::string file = touch("libcublasLt.so.13");
  auto message = [](const std::string &chosen) -> std::string {
    try {
      CublasLt lt(chosen);
      return "loaded";
    } catch (const std::exception &error) {
      return error.what();
    }
  };
  const std::string end =
      "\nname it with --cublaslt=PATH, or measure without it "
      "by --no-cublaslt";
  EXPECT_EQ(message(folder),
            "cannot load cuBLASLt:\n  " + file + ": file too short" + end);
  std::filesystem::remove(file);
  EXPECT_EQ(message(folder), "cannot load cuBLASLt:\n  " + folder +
                                 " holds neither libcublasLt.so.13 nor "
                                 "libcublasLt.so.12" +
                                 end);
  EXPECT_EQ(message("libm.so.6"),
            "cannot load cuBLASLt:\n  libm.so.6: there is "
            "no cublasLtMatmul in it" +
                end);
}

} // namespace
