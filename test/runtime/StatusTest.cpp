//===-- StatusTest.cpp - Statuses, types and hashes -----------------------===//

#include "runtime/lib/Sha256.h"
#include "tilert/tilert.hpp"

#include <gtest/gtest.h>

using tilert::detail::hashSha256;

namespace {

TEST(Status, AcceptsNull) {
  EXPECT_EQ(tilert_status_code(nullptr), TILERT_OK);
  EXPECT_STREQ(tilert_status_message(nullptr), "");
  EXPECT_STREQ(tilert_status_driver_error(nullptr), "");
  EXPECT_STREQ(tilert_status_call(nullptr), "");
  tilert_status_destroy(nullptr);
  tilert_module_destroy(nullptr);
  tilert_plan_destroy(nullptr);
}

TEST(Status, ReportsNullArguments) {
  tilert_status *status = nullptr;
  EXPECT_EQ(tilert_module_load(nullptr, nullptr, &status),
            TILERT_INVALID_ARGUMENT);
  EXPECT_STREQ(tilert_status_message(status), "path is NULL");
  tilert_status_destroy(status);
  EXPECT_EQ(tilert_module_load("x.json", nullptr, nullptr),
            TILERT_INVALID_ARGUMENT);
  EXPECT_EQ(tilert_launch(nullptr, nullptr, 0, nullptr, nullptr),
            TILERT_INVALID_ARGUMENT);
  EXPECT_EQ(tilert_plan_create(nullptr, nullptr, 0, nullptr, nullptr, nullptr,
                               nullptr),
            TILERT_INVALID_ARGUMENT);
  EXPECT_EQ(tilert_plan_launch(nullptr, nullptr, nullptr),
            TILERT_INVALID_ARGUMENT);
  EXPECT_EQ(tilert_kernel_parameter_count(nullptr), 0u);
  EXPECT_EQ(tilert_plan_grid(nullptr), 0);
}

TEST(Status, NamesCodes) {
  EXPECT_STREQ(tilert_code_name(TILERT_OK), "TILERT_OK");
  EXPECT_STREQ(tilert_code_name(TILERT_WRONG_TARGET), "TILERT_WRONG_TARGET");
  EXPECT_STREQ(tilert_code_name(tilert_code(99)), "unknown");
}

TEST(Version, IsThatOfTheHeader) {
  EXPECT_EQ(tilert_version(), TILERT_VERSION);
  EXPECT_NO_THROW(tilert::checkVersion());
}

TEST(Dtype, RoundTripsNames) {
  int count = 0;
  for (int i = 0; i <= TILERT_E8M0; ++i) {
    const char *name = tilert_dtype_name(tilert_dtype(i));
    ASSERT_NE(name, nullptr);
    tilert_dtype found;
    ASSERT_TRUE(tilert_dtype_from_name(name, &found)) << name;
    EXPECT_EQ(found, i);
    ++count;
  }
  EXPECT_EQ(count, 20);
  EXPECT_EQ(tilert_dtype_name(tilert_dtype(20)), nullptr);
  EXPECT_EQ(tilert_dtype_name(tilert_dtype(-1)), nullptr);
  tilert_dtype unchanged = TILERT_F64;
  EXPECT_FALSE(tilert_dtype_from_name("float", &unchanged));
  EXPECT_FALSE(tilert_dtype_from_name(nullptr, &unchanged));
  EXPECT_EQ(unchanged, TILERT_F64);
}

TEST(Dtype, KnowsBits) {
  EXPECT_EQ(tilert_dtype_bits(TILERT_FP4_E2M1), 4);
  EXPECT_EQ(tilert_dtype_bits(TILERT_BOOL), 8);
  EXPECT_EQ(tilert_dtype_bits(TILERT_E8M0), 8);
  EXPECT_EQ(tilert_dtype_bits(TILERT_BF16), 16);
  EXPECT_EQ(tilert_dtype_bits(TILERT_TF32), 32);
  EXPECT_EQ(tilert_dtype_bits(TILERT_F64), 64);
  EXPECT_EQ(tilert_dtype_bits(tilert_dtype(99)), 0);
}

TEST(Sha256, MatchesKnownHashes) {
  // FIPS 180-4 examples, and lengths around the padding's edges (sha256sum).
  EXPECT_EQ(hashSha256(""),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hashSha256("abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(
      hashSha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hashSha256(std::string(55, 'a')),
            "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318");
  EXPECT_EQ(hashSha256(std::string(64, 'a')),
            "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
  EXPECT_EQ(hashSha256(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

} // namespace
