//===-- NpyTest.cpp - Reading and writing .npy files ----------------------===//

#include "compiler/Npy/Npy.h"

#include <gtest/gtest.h>
#include <unistd.h>

using npy::Array;

namespace {

/// A file with this version, header and number of zero bytes.
std::string makeFile(int version, std::string header, size_t bytes) {
  std::string file("\x93NUMPY", 6);
  file += char(version);
  file += '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i)
    file += char(header.size() >> 8 * i & 255);
  return file + header + std::string(bytes, '\0');
}

std::string parseError(const std::string &file) {
  Array array;
  std::string error;
  return npy::parse(file, "f.npy", array, error) ? "read" : error;
}

std::string headerError(const std::string &header, size_t bytes = 4) {
  return parseError(makeFile(1, header, bytes));
}

TEST(Npy, WritesWhatNumPyWrites) {
  Array array;
  array.kind = 'f';
  array.itemBytes = 4;
  array.shape = {2, 3};
  array.bytes.assign(24, 1);
  std::string file = npy::print(array);
  EXPECT_EQ(file.size(), 128u + 24u);
  EXPECT_EQ(file.substr(0, 10), std::string("\x93NUMPY\1\0\x76\0", 10));
  EXPECT_EQ(file.substr(10, 60),
            "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }" +
                std::string(1, ' '));
  EXPECT_EQ(file[127], '\n');
  EXPECT_EQ(file[128], '\1');
}

TEST(Npy, RoundTrips) {
  for (auto [kind, bytes] : {std::pair('b', 1),
                             {'i', 1},
                             {'u', 1},
                             {'i', 2},
                             {'u', 2},
                             {'f', 2},
                             {'i', 4},
                             {'f', 4},
                             {'f', 8}})
    for (const auto &shape : std::vector<std::vector<int64_t>>{
             {}, {7}, {0}, {3, 0, 5}, {2, 3, 4, 5, 6}}) {
      Array array;
      array.kind = kind;
      array.itemBytes = bytes;
      array.shape = shape;
      array.bytes.resize(size_t(array.count() * bytes));
      for (size_t i = 0; i < array.bytes.size(); ++i)
        array.bytes[i] = static_cast<unsigned char>(i * 7);
      Array copy;
      std::string error;
      ASSERT_TRUE(npy::parse(npy::print(array), "f.npy", copy, error)) << error;
      EXPECT_EQ(copy.kind, kind);
      EXPECT_EQ(copy.itemBytes, bytes);
      EXPECT_EQ(copy.shape, shape);
      EXPECT_EQ(copy.bytes, array.bytes);
    }
}

TEST(Npy, ReadsOtherVersionsAndSpellings) {
  std::string header =
      "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }\n";
  EXPECT_EQ(parseError(makeFile(1, header, 4)), "read");
  EXPECT_EQ(parseError(makeFile(2, header, 4)), "read");
  EXPECT_EQ(parseError(makeFile(3, header, 4)), "read");
  EXPECT_EQ(headerError(
                "{\"shape\":(1),\"fortran_order\":False,\"descr\":\"|u1\"}", 1),
            "read");
  // In one dimension both orders are the same.
  EXPECT_EQ(
      headerError("{'descr': '<f4', 'fortran_order': True, 'shape': (1,)}"),
      "read");
}

TEST(Npy, RefusesWhatItDoesNotRead) {
  EXPECT_EQ(parseError(""), "f.npy: it is no .npy file");
  EXPECT_EQ(parseError("PK\3\4 an archive of arrays"),
            "f.npy: it is no .npy file");
  EXPECT_EQ(parseError(makeFile(4, "{}", 0)),
            "f.npy: it has version 4, expected 1 to 3");
  EXPECT_EQ(
      headerError("{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }"),
      "f.npy: its element type is '>f4', expected a little-endian bool, "
      "integer or float");
  EXPECT_EQ(
      headerError("{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }"),
      "f.npy: its element type is '<c8', expected a little-endian bool, "
      "integer or float");
  EXPECT_EQ(
      headerError("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }"),
      "f.npy: its element type is '|O', expected a little-endian bool, "
      "integer or float");
  EXPECT_EQ(headerError("{'descr': [('a', '<f4')], 'fortran_order': False, "
                        "'shape': (1,), }"),
            "f.npy: it holds records, expected an array of numbers");
  EXPECT_EQ(
      headerError("{'descr': '<f4', 'fortran_order': True, 'shape': (1, 2), }"),
      "f.npy: it is in Fortran order, expected C order (save "
      "numpy.ascontiguousarray(x))");
}

TEST(Npy, RefusesDamagedFiles) {
  std::string header =
      "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }\n";
  std::string file = makeFile(1, header, 4);
  // Cut anywhere, the file is refused.
  for (size_t size = 0; size < file.size(); ++size)
    EXPECT_NE(parseError(file.substr(0, size)), "read") << size;
  EXPECT_EQ(parseError(file.substr(0, file.size() - 1)),
            "f.npy: its shape [1] of float32 takes 4 bytes, and it holds 3");
  EXPECT_EQ(parseError(file + "x"),
            "f.npy: its shape [1] of float32 takes 4 bytes, and it holds 5");
  for (const char *damaged :
       {"", "{", "{}", "{'descr': '<f4'}", "{'descr' '<f4'}",
        "{'descr': '<f4', 'fortran_order': None, 'shape': (1,), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': 1, }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1, }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': "
        "(99999999999999999999,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'more': 1, }"})
    EXPECT_EQ(headerError(damaged), "f.npy: its header is damaged") << damaged;
  EXPECT_EQ(
      headerError("{'descr': '<f4', 'fortran_order': False, 'shape': "
                  "(4611686018427387904, 4611686018427387904), }"),
      "f.npy: its shape [4611686018427387904, 4611686018427387904] is too "
      "large");
}

TEST(Npy, ReportsFilesThatCannotBeReadOrWritten) {
  Array array;
  array.shape = {0};
  std::string error;
  EXPECT_FALSE(npy::readFile("/nowhere/x.npy", array, error));
  EXPECT_EQ(error, "/nowhere/x.npy: No such file or directory");
  EXPECT_FALSE(npy::readFile("/", array, error));
  EXPECT_EQ(error, "/: Is a directory");
  EXPECT_FALSE(npy::writeFile("/nowhere/x.npy", array, error));
  EXPECT_EQ(error, "/nowhere/x.npy: No such file or directory");
  // A full disk.
  array.bytes.resize(1 << 20);
  array.shape = {1 << 18};
  EXPECT_FALSE(npy::writeFile("/dev/full", array, error));
  EXPECT_EQ(error, "/dev/full: No space left on device");
}

} // namespace
