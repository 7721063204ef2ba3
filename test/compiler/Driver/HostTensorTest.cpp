//===- HostTensorTest.cpp - Tests of arrays in host memory ----------------===//
#include "compiler/Driver/Run/HostTensor.h"

#include "compiler/Driver/Run/RandomData.h"
#include "gtest/gtest.h"
#include <cstring>

using namespace tilec;

static HostTensor make(NumberFormat format, Extents sizes,
                       int64_t packDim = -1) {
  return llvm::cantFail(HostTensor::create({format, packDim, sizes}));
}

TEST(HostTensor, RoundsAPackedExtentUpToWholeBytes) {
  HostTensor rows = make(NumberFormat::Int4, {3, 17}, 1);
  EXPECT_EQ(rows.getBytes().size(), 3u * 9);
  HostTensor columns = make(NumberFormat::Int4, {33, 5}, 0);
  EXPECT_EQ(columns.getBytes().size(), 17u * 5);
}

TEST(HostTensor, ReadsTheLowNibbleFirstAlongThePackedDimension) {
  HostTensor tensor = make(NumberFormat::UInt4, {3, 2}, 0);
  // Rows 0 and 1 share the first two bytes, row 2 the low nibbles of the rest.
  const uint8_t bytes[] = {0x21, 0x43, 0xB5, 0xB6};
  std::memcpy(tensor.getBytes().data(), bytes, sizeof bytes);
  const uint64_t want[] = {1, 3, 2, 4, 5, 6};
  for (int position = 0; position < 6; ++position)
    EXPECT_EQ(tensor.getCode(position), want[position]) << position;
}

TEST(HostTensor, ReadsWideElementsInRowMajorOrder) {
  HostTensor tensor = make(NumberFormat::UInt16, {2, 2});
  const uint16_t elements[] = {1, 2, 3, 65535};
  std::memcpy(tensor.getBytes().data(), elements, sizeof elements);
  EXPECT_EQ(tensor.getCode(3), 65535u);
}

TEST(HostTensor, HoldsNoBytesWhenAnExtentIsZero) {
  HostTensor tensor = make(NumberFormat::F32, {0, 1000});
  EXPECT_EQ(tensor.getBytes().size(), 0u);
  EXPECT_EQ(tensor.describeGuardDamage(), "");
}

TEST(HostTensor, FailsWhenTheArrayCannotBeAddressed) {
  auto tensor = HostTensor::create(
      {NumberFormat::F32, -1, {int64_t(1) << 40, int64_t(1) << 40}});
  ASSERT_FALSE(static_cast<bool>(tensor));
  EXPECT_EQ(llvm::toString(tensor.takeError()),
            "an array of 1099511627776x1099511627776 elements of f32 does not "
            "fit the memory of this machine");
}

TEST(HostTensor, BeginsBehindAnAlignedAddressByItsOffset) {
  HostTensor tensor =
      llvm::cantFail(HostTensor::create({NumberFormat::UInt8, -1, {10}}, 6));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor.getBytes().data()) %
                HostTensor::alignment,
            6u);
  EXPECT_EQ(tensor.describeGuardDamage(), "");
  tensor.getBytes().data()[-1] = 0;
  EXPECT_EQ(tensor.describeGuardDamage(),
            "1 byte before it, the nearest at offset -1");
  tensor.getBytes().data()[10] = 0;
  EXPECT_EQ(tensor.describeGuardDamage(),
            "1 byte before it, the nearest at offset -1 and 1 byte after it, "
            "the nearest at offset 10");
}

TEST(HostTensor, NamesTheChangedGuardByteThatIsNearest) {
  HostTensor tensor = make(NumberFormat::UInt8, {10});
  EXPECT_EQ(tensor.describeGuardDamage(), "");
  uint8_t *data = tensor.getBytes().data();
  data[-1] = 0;
  data[-5] = 0;
  EXPECT_EQ(tensor.describeGuardDamage(),
            "2 bytes before it, the nearest at offset -1");
  data[12] = 0;
  EXPECT_EQ(tensor.describeGuardDamage(),
            "2 bytes before it, the nearest at offset -1 and 1 byte after it, "
            "the nearest at offset 12");
}
