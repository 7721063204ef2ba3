//===-- RunnerTest.cpp - tile-gpu-runner on the fake driver ---------------===//

#include "compiler/Npy/Npy.h"
#include "runtime/lib/Sha256.h"
#include "test/runtime/FakeCuda.h"
#include "test/runtime/TestManifest.h"

#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace tilert;
using namespace tilert::test;

namespace {

class Runner : public testing::Test {
protected:
  Runner() {
    char pattern[] = "/tmp/tile-gpu-runner-XXXXXX";
    folder = mkdtemp(pattern);
    Json kernel = makeScaleKernel();
    kernel["variants"][0]["symbol"] = "scale__run";
    writeArtifact("scale", kernel, "sm_90a");
    writeArtifact("other", kernel, "sm_80");
    for (const char *name : {"lent", "counts"}) {
      Json lent = kernel;
      Json &variant = lent["variants"][0];
      variant["symbol"] = std::string("scale__") + name;
      variant["requires"] = {"workspace"};
      variant["workspace"] = {"+", 65536, "N"};
      variant["arguments"].push_back({{"kind", "workspace"}});
      writeArtifact(name, lent, "sm_90a");
    }
    kernel["parameters"][0]["noalias"] = true;
    writeArtifact("apart", kernel, "sm_90a");
    kernel["parameters"][0]["noalias"] = false;
    kernel["parameters"][0]["strided"] = "all";
    kernel["checks"] = {{{"expr", {"==", {"%", {"address", "x"}, 16}, 0}},
                         {"text", "x is aligned"}}};
    writeArtifact("checked", kernel, "sm_90a");
    writeArray("x.npy", {1, 2, 3, 4, 5});
    writeArray("y3.npy", {3, 6, 9, 12, 15});
    writeArray("wrong.npy", {3, 6, 9, 12, 16});
  }
  ~Runner() override {
    std::string command = "rm -r '" + folder + "'";
    EXPECT_EQ(system(command.c_str()), 0);
  }

  void writeArtifact(const std::string &name, const Json &kernel,
                     const char *target) {
    Json manifest = makeManifest(kernel);
    manifest["target"] = target;
    manifest["module"] = name + ".cubin";
    manifest["hashes"]["cubin"] = "sha256:" + detail::hashSha256(name);
    std::ofstream(folder + "/" + name + ".json") << manifest.dump();
    std::ofstream(folder + "/" + name + ".cubin") << name;
  }

  void writeArray(const char *name, std::vector<float> values) {
    npy::Array array;
    array.shape = {int64_t(values.size())};
    array.bytes.resize(values.size() * sizeof(float));
    memcpy(array.bytes.data(), values.data(), array.bytes.size());
    std::string error;
    ASSERT_TRUE(npy::writeFile(folder + "/" + name, array, error)) << error;
  }

  /// Runs the tool in the folder; sets `status`, returns what it prints.
  std::string run(const std::string &arguments,
                  const std::string &library = TILE_FAKE_CUDA) {
    std::string command = "cd " + folder + " && TILE_LIBCUDA=" + library + " " +
                          TILE_GPU_RUNNER + " " + arguments + " 2>&1";
    FILE *pipe = popen(command.c_str(), "r");
    std::string text;
    char buffer[4096];
    while (size_t count = fread(buffer, 1, sizeof buffer, pipe))
      text.append(buffer, count);
    status = WEXITSTATUS(pclose(pipe));
    return text;
  }

  /// Without the line about the device.
  std::string runJob(const std::string &arguments) {
    std::string text = run(arguments);
    EXPECT_EQ(text.compare(0, 34, "device 0: Fake GPU, sm_90, 132 SMs"), 0)
        << text;
    return text.substr(text.find('\n') + 1);
  }

  std::string folder;
  int status = -1;
};

TEST_F(Runner, LendsAWorkspace) {
  EXPECT_EQ(runJob("lent.json --in x=x.npy --in n=3 --expect y=y3.npy "
                   "--repeat 3"),
            "PASS lent.json: variant general; 3 launches; 'y' max_abs_err=0 "
            "rel_err=0\n1 passed, 0 failed, 0 skipped\n");
  std::string text = runJob("counts.json --in x=x.npy --in n=3");
  EXPECT_NE(text.find("FAIL counts.json"), std::string::npos) << text;
  EXPECT_NE(text.find("the workspace: its counters are not zero after the "
                      "launches"),
            std::string::npos)
      << text;
}

TEST_F(Runner, RunsAndCompares) {
  EXPECT_EQ(runJob("scale.json --in x=x.npy --in n=3 --expect y=y3.npy"),
            "PASS scale.json: variant general; 'y' max_abs_err=0 rel_err=0\n"
            "1 passed, 0 failed, 0 skipped\n");
  EXPECT_EQ(status, 0);
  EXPECT_EQ(runJob("scale.cubin --name=mine --in x=x.npy --in n=3 "
                   "--expect y=wrong.npy"),
            "FAIL mine: variant general\n"
            "  'y': 1 of 5 elements are wrong, max_abs_err=1 rel_err=0.0436\n"
            "    [4]: got 15 (0x41700000), want 16 (0x41800000)\n"
            "0 passed, 1 failed, 0 skipped\n");
  EXPECT_EQ(status, 1);
  runJob("scale.json --in x=x.npy --in n=3 --expect y=wrong.npy --tol=0,1");
  EXPECT_EQ(status, 0);
  runJob("scale.json --in x=x.npy --in n=3 --expect y=wrong.npy --tol=0.01");
  EXPECT_EQ(status, 1);
}

TEST_F(Runner, WritesResults) {
  runJob("scale.json --in x=x.npy --in n=3 --out y=out.npy");
  EXPECT_EQ(status, 0);
  npy::Array out, want;
  std::string error;
  ASSERT_TRUE(npy::readFile(folder + "/out.npy", out, error)) << error;
  ASSERT_TRUE(npy::readFile(folder + "/y3.npy", want, error)) << error;
  EXPECT_EQ(out.bytes, want.bytes);
}

TEST_F(Runner, MakesData) {
  runJob("scale.json --size N=300 --seed 5 --out x=a.npy --out y=b.npy");
  EXPECT_EQ(status, 0);
  npy::Array a, b;
  std::string error;
  ASSERT_TRUE(npy::readFile(folder + "/a.npy", a, error)) << error;
  ASSERT_TRUE(npy::readFile(folder + "/b.npy", b, error)) << error;
  EXPECT_EQ(a.shape, std::vector<int64_t>{300});
  // Scalars are 1, so the result is the random input.
  EXPECT_EQ(a.bytes, b.bytes);
  EXPECT_EQ(runJob("scale.json"),
            "FAIL scale.json\n"
            "  nothing gives 'N' a value: use --size N=...\n"
            "0 passed, 1 failed, 0 skipped\n");
}

TEST_F(Runner, FindsStrayWrites) {
  std::string n = std::to_string(fakecuda::writesPastTheEnd);
  EXPECT_EQ(
      runJob("scale.json --size N=5 --in n=" + n),
      "FAIL scale.json N=5: variant general\n"
      "  'y': 4 bytes outside of it were written, the first at byte 20 from "
      "its start\n"
      "0 passed, 1 failed, 0 skipped\n");
}

TEST_F(Runner, FindsChangedInputs) {
  std::string n = std::to_string(fakecuda::changesItsInput);
  EXPECT_EQ(runJob("scale.json --size N=5 --in n=" + n),
            "FAIL scale.json N=5: variant general\n"
            "  'x' is an input and was changed\n"
            "0 passed, 1 failed, 0 skipped\n");
}

TEST_F(Runner, FindsResultsThatChange) {
  std::string n = std::to_string(fakecuda::givesOtherBitsEachTime);
  runJob("scale.json --size N=5 --in n=" + n);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(runJob("scale.json --size N=5 --repeat 3 --in n=" + n),
            "FAIL scale.json N=5: variant general; 3 launches\n"
            "  'y': launch 2 gave other bits than the first\n"
            "0 passed, 1 failed, 0 skipped\n");
}

TEST_F(Runner, LaunchesAgainFromTheSameData) {
  EXPECT_EQ(runJob("scale.json --in x=x.npy --in n=3 --expect y=y3.npy "
                   "--repeat=1000"),
            "PASS scale.json: variant general; 1000 launches; 'y' "
            "max_abs_err=0 rel_err=0\n"
            "1 passed, 0 failed, 0 skipped\n");
  EXPECT_EQ(status, 0);
}

TEST_F(Runner, OutlivesFaultsCrashesAndHangs) {
  auto job = [](int n) {
    return "scale.json --size N=5 --name n=" + std::to_string(n) +
           " --in n=" + std::to_string(n) + "\n";
  };
  std::ofstream(folder + "/jobs.txt")
      << job(1) << job(fakecuda::faults) << "  # a comment\n\n"
      << job(fakecuda::endsTheProcess) << job(fakecuda::neverEnds) << job(2);
  EXPECT_EQ(
      runJob("--timeout 1 --list jobs.txt"),
      "PASS n=1: variant general\n"
      "FAIL n=101: variant general\n"
      "  cuStreamSynchronize failed: CUDA_ERROR_ILLEGAL_ADDRESS (700), what "
      "happened\n"
      "FAIL n=103\n"
      "  ended the process: Aborted\n"
      "FAIL n=102\n"
      "  did not end in time\n"
      "PASS n=2: variant general\n"
      "2 passed, 3 failed, 0 skipped\n");
  EXPECT_EQ(status, 1);
}

TEST_F(Runner, FindsFilesBesideTheList) {
  std::ofstream(folder + "/jobs.txt")
      << "scale.json --in x=x.npy --in n=3 --expect 'y=y3.npy' --name 'a "
         "name'\n";
  std::string text = run("--list " + folder + "/jobs.txt", TILE_FAKE_CUDA);
  EXPECT_NE(text.find("PASS a name: "), std::string::npos) << text;
  std::ofstream(folder + "/jobs.txt") << "scale.json\nscale.json --fast\n";
  EXPECT_EQ(run("--list jobs.txt"),
            "tile-gpu-runner: error: jobs.txt:2: unknown "
            "option '--fast'\n");
  EXPECT_EQ(status, 2);
}

TEST_F(Runner, ExpectsErrors) {
  std::string text = runJob(
      "checked.json --size N=5 --offset x=4 --expect-error 'is aligned'");
  std::string begin =
      "PASS checked.json N=5: refused as expected: kernel 'scale': "
      "'x is aligned' does not hold: address of x = 0x";
  EXPECT_EQ(text.substr(0, begin.size()), begin);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(runJob("checked.json --size N=5 --expect-error 'is aligned'"),
            "FAIL checked.json N=5: variant general\n"
            "  the launch was accepted, expected an error with 'is aligned'\n"
            "0 passed, 1 failed, 0 skipped\n");
  EXPECT_EQ(status, 1);
  runJob("checked.json --size N=5 --offset x=4 --expect-error 'is red'");
  EXPECT_EQ(status, 1);
}

TEST_F(Runner, SkipsOtherArchitectures) {
  EXPECT_EQ(
      runJob("other.json --size N=5"),
      "SKIP other.json N=5: kernel 'scale': built for sm_80, device is sm_90\n"
      "0 passed, 0 failed, 1 skipped\n");
  EXPECT_EQ(status, 0);
  runJob("other.json --size N=5 --expect-error 'built for sm_80, device is "
         "sm_90'");
  EXPECT_EQ(status, 0);
}

TEST_F(Runner, SharesMemory) {
  EXPECT_EQ(
      runJob("scale.json --in x=x.npy --in n=3 --alias y=x --expect y=y3.npy"),
      "PASS scale.json: variant general; 'y' max_abs_err=0 rel_err=0\n"
      "1 passed, 0 failed, 0 skipped\n");
  runJob("apart.json --in x=x.npy --alias y=x+8 --expect-error \"overlaps "
         "argument "
         "'y'\"");
  EXPECT_EQ(status, 0);
}

TEST_F(Runner, LaysOutStrides) {
  // The fake kernel knows no strides, so only the lay-out is seen: with stride
  // 1 the result is right, and gaps count as outside.
  runJob("checked.json --in x=x.npy --strides x=1 --in n=3 --expect y=y3.npy");
  EXPECT_EQ(status, 0);
  EXPECT_EQ(
      runJob("scale.json --size N=5 --strides x=2"),
      "FAIL scale.json N=5\n"
      "  kernel 'scale': argument 'x' is declared dense, but has shape [5] and "
      "strides [2], dense strides are [1]\n"
      "0 passed, 1 failed, 0 skipped\n");
}

TEST_F(Runner, Measures) {
  EXPECT_EQ(
      runJob("scale.json --size N=5 --bench"),
      "PASS scale.json N=5: variant general; median 250.00 us, least 250.00 us "
      "of 51 launches, L2 flushed\n"
      "1 passed, 0 failed, 0 skipped\n");
}

TEST_F(Runner, RefusesWrongData) {
  auto failure = [&](const std::string &arguments) {
    std::string text = runJob(arguments);
    EXPECT_EQ(status, 1);
    size_t begin = text.find("\n  ") + 3;
    return text.substr(begin, text.find('\n', begin) - begin);
  };
  EXPECT_EQ(failure("scale.json --in x=none.npy"),
            "none.npy: No such file or directory");
  EXPECT_EQ(failure("scale.json --in z=x.npy"),
            "--in: the kernel has no parameter 'z'");
  EXPECT_EQ(failure("scale.json --out n=x.npy"),
            "--out: the kernel has no tensor 'n'");
  EXPECT_EQ(failure("scale.json --in n=3.5 --size N=5"),
            "--in n: '3.5' is no int32");
  EXPECT_EQ(failure("scale.json --in n=3000000000 --size N=5"),
            "--in n: '3000000000' is no int32");
  EXPECT_EQ(failure("scale.json --in x=x.npy --size N=6"),
            "kernel 'scale': argument 'x' dimension 0 (N) is 5, but N was "
            "given as 6");
  EXPECT_EQ(failure("scale.json --size M=6"),
            "--size: the kernel has no symbol 'M'");
  EXPECT_EQ(failure("scale.json --size N=4 --expect y=y3.npy"),
            "y3.npy: it holds float32 [5], and 'y' is float32 [4]");
}

TEST_F(Runner, RefusesWrongCommandLines) {
  auto error = [&](const std::string &arguments) {
    std::string text = run(arguments);
    EXPECT_EQ(status, 2);
    return text.substr(strlen("tile-gpu-runner: error: "));
  };
  EXPECT_EQ(error(""),
            "nothing to run: name an artifact, or a list with --list\n");
  EXPECT_EQ(error("a.json b.json"), "a second artifact: 'b.json'\n");
  EXPECT_EQ(error("a.json --fast"), "unknown option '--fast'\n");
  EXPECT_EQ(error("a.json --size M"),
            "--size: expected NAME=VALUE, found 'M'\n");
  EXPECT_EQ(error("a.json --size M=x"),
            "--size: expected an integer, found 'x'\n");
  EXPECT_EQ(error("a.json --tol x"), "--tol: expected R or R,A, found 'x'\n");
  EXPECT_EQ(error("a.json --kernel"), "--kernel: a value is missing\n");
  EXPECT_EQ(error("--list none.txt"), "none.txt: No such file or directory\n");
  EXPECT_EQ(run("--help").compare(0, 7, "Usage: "), 0);
  EXPECT_EQ(status, 0);
}

TEST_F(Runner, NeedsADevice) {
  std::string text = run("scale.json --size N=5", "/nowhere/libcuda.so");
  EXPECT_NE(text.find("tile-gpu-runner: error: no CUDA driver: /nowhere"),
            text.npos);
  EXPECT_NE(text.find("1 were not run\n0 passed, 0 failed, 0 skipped\n"),
            text.npos);
  EXPECT_EQ(status, 2);
}

} // namespace
