//===-- ModuleTest.cpp - Loading artifacts from files ---------------------===//

#include "TestManifest.h"
#include "runtime/lib/Sha256.h"

#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace tilert;
using namespace tilert::test;

namespace {

class ModuleFiles : public testing::Test {
protected:
  ModuleFiles() {
    char pattern[] = "/tmp/tilert-module-XXXXXX";
    folder = mkdtemp(pattern);
    manifest = makeManifest(makeScaleKernel());
    manifest["module"] = "scale.cubin";
    manifest["hashes"]["cubin"] = "sha256:" + detail::hashSha256(cubin);
  }
  ~ModuleFiles() override {
    for (const char *name : {"scale.json", "scale.cubin", "moved.cubin"})
      unlink((folder + "/" + name).c_str());
    rmdir(folder.c_str());
  }

  void write(const char *name, const std::string &bytes) {
    std::ofstream(folder + "/" + name, std::ios::binary) << bytes;
  }
  void writeBoth() {
    write("scale.json", manifest.dump());
    write("scale.cubin", cubin);
  }

  /// "loaded", or the failure with the folder left out.
  std::string load(const std::string &name) {
    try {
      Module module(folder + "/" + name);
      return "loaded";
    } catch (const Error &error) {
      code = error.code();
      call = error.call();
      std::string message = error.what();
      for (size_t at; (at = message.find(folder + "/")) != message.npos;)
        message.erase(at, folder.size() + 1);
      return message;
    }
  }

  std::string folder;
  std::string cubin = std::string("\x7f"
                                  "ELF\0with a zero",
                                  16);
  Json manifest;
  tilert_code code = TILERT_OK;
  std::string call;
};

TEST_F(ModuleFiles, LoadsByEitherName) {
  writeBoth();
  EXPECT_EQ(load("scale.json"), "loaded");
  EXPECT_EQ(load("scale.cubin"), "loaded");
}

TEST_F(ModuleFiles, ReportsMissingFiles) {
  EXPECT_EQ(load("scale.json"), "scale.json: No such file or directory");
  EXPECT_EQ(code, TILERT_NOT_FOUND);
  EXPECT_EQ(call, "fopen");
  EXPECT_EQ(load("scale.cubin"), "scale.json: No such file or directory");
  write("scale.json", manifest.dump());
  EXPECT_EQ(load("scale.json"), "scale.cubin: No such file or directory");
  EXPECT_EQ(load("scale.txt").substr(0, 1), "'");
  EXPECT_EQ(code, TILERT_INVALID_ARGUMENT);
}

TEST_F(ModuleFiles, ReportsAFolder) {
  mkdir((folder + "/scale.json").c_str(), 0700);
  EXPECT_EQ(load("scale.json"), "scale.json: Is a directory");
  EXPECT_EQ(code, TILERT_IO_ERROR);
  rmdir((folder + "/scale.json").c_str());
}

TEST_F(ModuleFiles, RefusesACubinOfAnotherCompilation) {
  writeBoth();
  write("scale.cubin", cubin + "x");
  EXPECT_EQ(load("scale.json").substr(0, 65),
            "manifest scale.json: the cubin of 17 bytes has sha256 " +
                detail::hashSha256(cubin + "x").substr(0, 11));
  EXPECT_EQ(code, TILERT_HASH_MISMATCH);
  EXPECT_EQ(load("scale.cubin").substr(0, 20), "manifest scale.json:");
  write("scale.cubin", cubin.substr(0, 5));
  EXPECT_NE(load("scale.json").find("the cubin of 5 bytes"), std::string::npos);
}

TEST_F(ModuleFiles, RefusesATruncatedCubin) {
  writeBoth();
  for (size_t size = 0; size < cubin.size(); ++size) {
    write("scale.cubin", cubin.substr(0, size));
    std::string start =
        "manifest scale.json: the cubin of " + std::to_string(size) + " bytes";
    EXPECT_EQ(load("scale.json").substr(0, start.size()), start);
    EXPECT_EQ(code, TILERT_HASH_MISMATCH);
  }
}

TEST_F(ModuleFiles, NeedsAHashAndACubin) {
  manifest["hashes"].erase("cubin");
  writeBoth();
  EXPECT_EQ(load("scale.json"), "manifest scale.json: /hashes/cubin: missing");
  manifest.erase("module");
  writeBoth();
  EXPECT_EQ(load("scale.json"), "manifest scale.json: /module: names no cubin");
}

TEST_F(ModuleFiles, NamesTheFileOfADamagedManifest) {
  writeBoth();
  write("scale.json", manifest.dump().substr(0, 100));
  EXPECT_EQ(load("scale.json").substr(0, 41),
            "manifest scale.json: line 1, column 101: ");
  EXPECT_EQ(code, TILERT_INVALID_MANIFEST);
}

} // namespace
