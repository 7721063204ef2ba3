//===-- Npy.h - Reads and writes NumPy's .npy files ------------*- C++ -*-===//
//
// Versions 1 to 3 of the format; C order and little endian only, which is also
// all that is written. Functions return false and set `error`, a message that
// begins with the path.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_COMPILER_NPY_NPY_H
#define TILE_COMPILER_NPY_NPY_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace npy {

struct Array {
  char kind = 'f';   // 'b' bool, 'i' signed, 'u' unsigned, 'f' float
  int itemBytes = 4; // 1, 2, 4 or 8
  std::vector<int64_t> shape;
  std::vector<unsigned char> bytes;

  /// The product of the shape, 1 for a scalar.
  int64_t count() const;
  /// NumPy's name of the type, as "float32".
  std::string typeName() const;
};

bool readFile(const std::string &path, Array &array, std::string &error);
bool writeFile(const std::string &path, const Array &array, std::string &error);

/// The same on the bytes of a file; `title` begins the messages.
bool parse(std::string_view file, const std::string &title, Array &array,
           std::string &error);
std::string print(const Array &array);

/// "[3, 4]".
std::string showShape(const std::vector<int64_t> &shape);

} // namespace npy

#endif // TILE_COMPILER_NPY_NPY_H
