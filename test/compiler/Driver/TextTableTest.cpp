//===- TextTableTest.cpp - Tests of tables --------------------------------===//
#include "compiler/Driver/Report/TextTable.h"

#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace tilec;

TEST(TextTable, AlignsWordsLeftAndNumbersRight) {
  TextTable table({"tile ", "bytes"});
  EXPECT_TRUE(table.isEmpty());
  table.addRow({"As", "8,192"});
  table.addRow({"scales", "4"});
  std::string text;
  llvm::raw_string_ostream os(text);
  table.print(os, 2);
  EXPECT_EQ(text, "  tile    bytes\n"
                  "  As      8,192\n"
                  "  scales      4\n");
}

TEST(TextTable, KeepsOneOfEqualRows) {
  TextTable table({"x"});
  table.addRow({"1"});
  table.addRow({"2"});
  table.addRow({"1"});
  std::string text;
  llvm::raw_string_ostream os(text);
  table.print(os, 0);
  EXPECT_EQ(text, "x\n1\n2\n");
}

TEST(TextTable, SeparatesThousands) {
  EXPECT_EQ(formatCount(0), "0");
  EXPECT_EQ(formatCount(999), "999");
  EXPECT_EQ(formatCount(1000), "1,000");
  EXPECT_EQ(formatCount(-1234567), "-1,234,567");
  EXPECT_EQ(formatCount(-123), "-123");
}
