//===-- ManifestTest.cpp - Reading manifests ------------------------------===//

#include "TestManifest.h"

#include <gtest/gtest.h>

using namespace tilert;
using namespace tilert::test;

namespace {

/// The failure to load the w4a8 manifest after `change` to its kernel.
template <typename Change> std::string errorAfter(Change change) {
  Json kernel = makeW4A8Kernel();
  change(kernel);
  return loadError(makeManifest(kernel).dump());
}

TEST(Manifest, LoadsAndAnswersQuestions) {
  auto module = loadManifest(makeManifest(makeW4A8Kernel()).dump());
  EXPECT_STREQ(tilert_module_target(module.get()), "sm_90a");
  ASSERT_EQ(tilert_module_kernel_count(module.get()), 1u);
  const tilert_kernel *kernel = tilert_module_kernel(module.get(), 0);
  EXPECT_EQ(tilert_module_kernel(module.get(), 1), nullptr);
  EXPECT_STREQ(tilert_kernel_name(kernel), "w4a8");

  ASSERT_EQ(tilert_kernel_parameter_count(kernel), 5u);
  const tilert_parameter *b = tilert_kernel_parameter(kernel, 1);
  EXPECT_STREQ(b->name, "B");
  EXPECT_EQ(b->kind, TILERT_TENSOR);
  EXPECT_EQ(b->dtype, TILERT_UINT4);
  EXPECT_EQ(b->access, TILERT_IN);
  EXPECT_EQ(b->rank, 2);
  EXPECT_EQ(b->pack, 1);
  EXPECT_EQ(b->strided, TILERT_DENSE);
  EXPECT_EQ(tilert_kernel_parameter(kernel, 3)->access, TILERT_OUT);
  EXPECT_EQ(tilert_kernel_parameter(kernel, 4)->kind, TILERT_SCALAR);
  EXPECT_EQ(tilert_kernel_parameter(kernel, 5), nullptr);
  EXPECT_STREQ(tilert_kernel_dim_text(kernel, 2, 1), "K / 128");
  EXPECT_EQ(tilert_kernel_dim_text(kernel, 2, 2), nullptr);
  EXPECT_EQ(tilert_kernel_dim_text(kernel, 4, 0), nullptr);

  ASSERT_EQ(tilert_kernel_symbol_count(kernel), 3u);
  EXPECT_STREQ(tilert_kernel_symbol_name(kernel, 1), "K");
  EXPECT_EQ(tilert_kernel_symbol_fixed(kernel, 1, nullptr), 0);
  ASSERT_EQ(tilert_kernel_variant_count(kernel), 2u);
  const tilert_variant *aligned = tilert_kernel_variant(kernel, 0);
  EXPECT_STREQ(aligned->name, "aligned");
  EXPECT_STREQ(aligned->symbol, "w4a8__aligned");
  EXPECT_EQ(aligned->threads, 384);
  EXPECT_EQ(aligned->shared_bytes, 98304);
  EXPECT_EQ(aligned->registers, 128);
}

TEST(Manifest, FindsKernelsByName) {
  Json manifest = makeManifest(makeW4A8Kernel());
  auto find = [&](const char *name) -> std::string {
    auto module = loadManifest(manifest.dump());
    const tilert_kernel *kernel = nullptr;
    try {
      check([&](tilert_status **status) {
        return tilert_kernel_get(module.get(), name, &kernel, status);
      });
    } catch (const Error &error) {
      return error.what();
    }
    return tilert_kernel_name(kernel);
  };
  EXPECT_EQ(find("w4a8"), "w4a8");
  EXPECT_EQ(find(nullptr), "w4a8");
  EXPECT_EQ(find("w4a9"), "there is no kernel 'w4a9', only: w4a8");
  manifest["kernels"].push_back(makeScaleKernel());
  EXPECT_EQ(find("scale"), "scale");
  EXPECT_EQ(find(nullptr),
            "the module has 2 kernels, name one of: w4a8, scale");
}

TEST(Manifest, SaysWhereTheTextIsDamaged) {
  std::string text = makeManifest(makeW4A8Kernel()).dump(2);
  EXPECT_EQ(loadError(""),
            "manifest: line 1, column 1: syntax error while parsing value - "
            "unexpected end of input; expected '[', '{', or a literal");
  EXPECT_EQ(loadError("{\n  \"a\": 1,\n  oops }").substr(0, 38),
            "manifest: line 3, column 3: syntax err");
  // A file cut anywhere is one failure with a place, never a crash.
  for (size_t size = 0; size + 1 < text.size(); size += 7) {
    std::string message = loadError(text.substr(0, size));
    EXPECT_EQ(message.substr(0, 15), "manifest: line ") << size << message;
  }
}

TEST(Manifest, SurvivesAnyReplacedValue) {
  // Every value of the manifest is replaced in turn by values of other types:
  // each must load or give a failure with the path of the value or below it.
  Json manifest = makeManifest(makeW4A8Kernel());
  Json flat = manifest.flatten();
  int refused = 0;
  for (const auto &[path, value] : flat.items())
    for (const Json &other :
         {Json(), Json(-1), Json(1.5), Json("?"), Json(true), Json::array(),
          Json::object(), Json(UINT64_MAX), Json::parse("[[1]]")}) {
      Json changed = manifest;
      changed[Json::json_pointer(path)] = other;
      std::string message = loadError(changed.dump());
      refused += message != "loaded";
      if (message != "loaded") {
        EXPECT_EQ(message.substr(0, 11), "manifest: /") << path << other;
      }
    }
  EXPECT_GT(refused, 500);
}

TEST(Manifest, SurvivesMissingMembers) {
  Json manifest = makeManifest(makeW4A8Kernel());
  Json flat = manifest.flatten();
  for (const auto &[path, value] : flat.items()) {
    Json::json_pointer pointer(path);
    Json changed = manifest;
    Json &parent = changed[pointer.parent_pointer()];
    if (!parent.is_object())
      continue;
    parent.erase(pointer.back());
    std::string message = loadError(changed.dump());
    if (message != "loaded") {
      EXPECT_EQ(message.substr(0, 11), "manifest: /") << path;
      EXPECT_NE(message.find("missing"), std::string::npos) << path << message;
    }
  }
}

/// `depth` arrays within each other.
std::string nest(int depth) {
  return std::string(size_t(depth), '[') + std::string(size_t(depth), ']');
}

TEST(Manifest, SurvivesDeepNesting) {
  constexpr int deep = 100000;
  EXPECT_EQ(loadError(std::string(deep, '[')).substr(0, 32),
            "manifest: line 1, column 100001:");
  EXPECT_EQ(loadError(nest(deep)),
            "manifest: the document: expected an object, found an array");
  // In place of any value: refused where the value is used, else ignored.
  Json manifest = makeManifest(makeW4A8Kernel());
  Json flat = manifest.flatten();
  for (const auto &[path, value] : flat.items()) {
    Json changed = manifest;
    changed[Json::json_pointer(path)] = "HERE";
    std::string text = changed.dump();
    text.replace(text.find("\"HERE\""), 6, nest(deep));
    std::string message = loadError(text);
    if (message != "loaded") {
      EXPECT_EQ(message.substr(0, 11), "manifest: /") << path;
      EXPECT_LT(message.size(), 1000u) << path;
    }
  }
}

TEST(Manifest, SurvivesDeepNestingInFacts) {
  for (const char *fact : {"address", "stride_bytes", "overlap"}) {
    Json kernel = makeW4A8Kernel();
    kernel["checks"][0]["expr"] = {fact, "A", "HERE"};
    std::string text = makeManifest(kernel).dump();
    text.replace(text.find("\"HERE\""), 6, nest(100000));
    EXPECT_EQ(loadError(text).substr(0, 34),
              "manifest: /kernels/0/checks/0/expr");
  }
}

TEST(Manifest, RefusesNumbersBeyondInt64) {
  auto loadWith = [](const std::string &number) {
    Json kernel = makeW4A8Kernel();
    kernel["variants"][0]["threads"] = "HERE";
    std::string text = makeManifest(kernel).dump();
    return loadError(text.replace(text.find("\"HERE\""), 6, number));
  };
  EXPECT_EQ(loadWith("9223372036854775808"),
            "manifest: /kernels/0/variants/0/threads: 9223372036854775808 is "
            "not from 1 to 1024");
  EXPECT_EQ(loadWith("-9223372036854775808"),
            "manifest: /kernels/0/variants/0/threads: -9223372036854775808 is "
            "not from 1 to 1024");
  // Larger ones are floats in JSON.
  EXPECT_EQ(loadWith("99999999999999999999999999"),
            "manifest: /kernels/0/variants/0/threads: expected an integer, "
            "found a number with a fraction or exponent");
  EXPECT_EQ(loadWith("128.0"),
            "manifest: /kernels/0/variants/0/threads: expected an integer, "
            "found a number with a fraction or exponent");
  EXPECT_EQ(loadWith("1e999").substr(0, 15), "manifest: line ");
}

TEST(Manifest, RefusesTextThatIsNotUtf8) {
  std::string text = makeManifest(makeW4A8Kernel()).dump();
  text.replace(text.find("tilec"), 1, "\xff");
  EXPECT_EQ(loadError(text).substr(0, 15), "manifest: line ");
  EXPECT_EQ(loadError(std::string("\0{}", 3)).substr(0, 26),
            "manifest: line 1, column 1");
}

TEST(Manifest, RefusesOtherVersions) {
  Json manifest = makeManifest(makeW4A8Kernel());
  manifest["format_version"] = 2;
  EXPECT_EQ(
      loadError(manifest.dump()),
      "manifest: /format_version: version 2 is not known to this runtime, "
      "which reads version 1");
  manifest.erase("format_version");
  EXPECT_EQ(loadError(manifest.dump()), "manifest: /format_version: missing");
}

TEST(Manifest, RefusesWhatItMustNotIgnore) {
  EXPECT_EQ(errorAfter([](Json &kernel) {
              kernel["variants"][0]["requires"] = {"magic"};
            }),
            "manifest: /kernels/0/variants/0/requires/0: this runtime does not "
            "know 'magic'");
  EXPECT_EQ(
      errorAfter([](Json &kernel) { kernel["requires"] = Json::array(); }),
      "loaded");
  EXPECT_EQ(errorAfter([](Json &kernel) { kernel["note"] = "ignored"; }),
            "loaded");
}

TEST(Manifest, RefusesUnknownTargets) {
  Json manifest = makeManifest(makeW4A8Kernel());
  for (const char *target :
       {"", "sm_", "sm_9", "sm_90b", "sm_9a", "compute_90"}) {
    manifest["target"] = target;
    EXPECT_NE(loadError(manifest.dump()).find("manifest: /target: "),
              std::string::npos);
  }
  for (const char *target : {"sm_80", "sm_90a", "sm_100a", "sm_120"}) {
    manifest["target"] = target;
    EXPECT_EQ(loadError(manifest.dump()), "loaded");
  }
}

TEST(Manifest, RefusesPathsToTheCubin) {
  Json manifest = makeManifest(makeW4A8Kernel());
  manifest["module"] = "../other.cubin";
  EXPECT_EQ(
      loadError(manifest.dump()),
      "manifest: /module: '../other.cubin' is a path, expected the name of a "
      "file");
}

TEST(Manifest, RefusesDamagedHashes) {
  Json manifest = makeManifest(makeW4A8Kernel());
  manifest["hashes"]["cubin"] = "md5:00";
  EXPECT_EQ(
      loadError(manifest.dump()),
      "manifest: /hashes/cubin: expected 'sha256:' and 64 hex digits, found "
      "'md5:00'");
}

TEST(Manifest, ResolvesNames) {
  EXPECT_EQ(errorAfter([](Json &kernel) {
              kernel["axes"][0]["extent"] = {"ceildiv", "Q", 128};
            }),
            "manifest: /kernels/0/axes/0/extent/1: 'Q' is no symbol, scalar or "
            "config constant of kernel 'w4a8'");
  EXPECT_EQ(
      errorAfter([](Json &kernel) { kernel["axes"][0]["extent"] = "scale"; }),
      "manifest: /kernels/0/axes/0/extent: 'scale' is a scalar of f32, "
      "expected an integer");
  EXPECT_EQ(
      errorAfter([](Json &kernel) { kernel["axes"][0]["extent"] = "A"; }),
      "manifest: /kernels/0/axes/0/extent: 'A' is a tensor of int8, expected "
      "an integer");
  EXPECT_EQ(errorAfter([](Json &kernel) { kernel["axes"][0]["extent"] = "T"; }),
            "manifest: /kernels/0/axes/0/extent: config constant 'T' is bf16, "
            "expected an integer");
  EXPECT_EQ(
      errorAfter([](Json &kernel) { kernel["axes"][0]["extent"] = "BM"; }),
      "loaded");
  EXPECT_EQ(
      errorAfter([](Json &kernel) {
        kernel["axes"][0]["extent"] = {"address", "scale"};
      }),
      "manifest: /kernels/0/axes/0/extent/1: 'scale' is no tensor parameter "
      "of kernel 'w4a8'");
  EXPECT_EQ(errorAfter([](Json &kernel) {
              kernel["axes"][0]["extent"] = {"stride_bytes", "A", 2};
            }),
            "manifest: /kernels/0/axes/0/extent/2: 2 is not from 0 to 1");
  EXPECT_EQ(
      errorAfter([](Json &kernel) {
        kernel["parameters"][0]["dims"][0] = {"address", "A"};
      }),
      "manifest: /kernels/0/parameters/0/dims/0: 'address' is a fact of a "
      "launch, and a dimension is made of symbols and scalars");
}

TEST(Manifest, ChecksSymbols) {
  EXPECT_EQ(
      errorAfter([](Json &kernel) {
        kernel["symbols"][0]["bound_by"] = {{"parameter", 0}, {"dim", 1}};
      }),
      "manifest: /kernels/0/symbols/0/bound_by: dimension 1 of parameter 0 "
      "is not 'M'");
  EXPECT_EQ(errorAfter([](Json &kernel) {
              kernel["symbols"].push_back(
                  {{"name", "Z"}, {"bound_by", nullptr}});
            }),
            "manifest: /kernels/0/symbols/3: nothing gives 'Z' a value");
  EXPECT_EQ(errorAfter([](Json &kernel) {
              kernel["symbols"].push_back(
                  {{"name", "M"}, {"bound_by", nullptr}});
            }),
            "manifest: /kernels/0/symbols/3: a second symbol is called 'M'");
  EXPECT_EQ(
      errorAfter([](Json &kernel) { kernel["parameters"][0]["name"] = "K"; }),
      "manifest: /kernels/0/parameters/0: 'K' is the name of an earlier "
      "symbol or parameter");
}

TEST(Manifest, ChecksParameters) {
  EXPECT_EQ(
      errorAfter([](Json &kernel) { kernel["parameters"][0]["pack"] = 0; }),
      "manifest: /kernels/0/parameters/0/pack: 'pack' is for 4-bit types, "
      "and 'A' is int8");
  EXPECT_EQ(errorAfter([](Json &kernel) {
              kernel["parameters"][1]["strided"] = "all";
            }),
            "manifest: /kernels/0/parameters/1/strided: 'all' is not for 4-bit "
            "types");
  EXPECT_EQ(errorAfter([](Json &kernel) {
              kernel["parameters"][0]["dtype"] = "half";
            }),
            "manifest: /kernels/0/parameters/0/dtype: 'half' is no dtype");
  EXPECT_EQ(
      errorAfter([](Json &kernel) {
        kernel["parameters"][0]["dims"] = {1, 2, 3, 4, 5, 6};
      }),
      "manifest: /kernels/0/parameters/0/dims: rank 6 is not from 1 to 5");
}

TEST(Manifest, ChecksVariants) {
  EXPECT_EQ(
      errorAfter([](Json &kernel) { kernel["variants"] = Json::array(); }),
      "manifest: /kernels/0/variants: a kernel needs a variant");
  EXPECT_EQ(
      errorAfter([](Json &kernel) { kernel["variants"][1]["threads"] = 1025; }),
      "manifest: /kernels/0/variants/1/threads: 1025 is not from 1 to 1024");
  EXPECT_EQ(errorAfter([](Json &kernel) {
              kernel["variants"][1]["name"] = "aligned";
            }),
            "manifest: /kernels/0/variants: two variants are called 'aligned'");
  EXPECT_EQ(
      errorAfter([](Json &kernel) {
        kernel["variants"][0]["arguments"][0]["kind"] = "tensormap";
      }),
      "manifest: /kernels/0/variants/0/arguments/0/kind: no argument is of "
      "kind 'tensormap'");
  EXPECT_EQ(
      errorAfter([](Json &kernel) {
        kernel["variants"][0]["arguments"][4]["name"] = "A";
      }),
      "manifest: /kernels/0/variants/0/arguments/4/name: 'A' is no symbol");
}

} // namespace
