//===-- Npy.cpp - Reads and writes NumPy's .npy files ---------------------===//
//
// A file is the magic "\x93NUMPY", a version, the length of the header, the
// header, which is a Python dictionary, and the elements:
//   {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
//
//===----------------------------------------------------------------------===//

#include "compiler/Npy/Npy.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace npy {
namespace {

constexpr std::string_view magic("\x93NUMPY", 6);

/// Reads the dictionary. Each function leaves the position behind what it read,
/// or returns false.
class HeaderParser {
public:
  HeaderParser(std::string_view text, Array &array)
      : text(text), array(array) {}

  /// Sets `reason` on failure.
  bool parse(std::string &reason) {
    bool hasType = false, hasOrder = false, hasShape = false;
    reason = "its header is damaged";
    if (!accept('{'))
      return false;
    while (!accept('}')) {
      std::string key;
      if (!parseString(key) || !accept(':'))
        return false;
      if (key == "descr") {
        std::string type;
        if (!parseString(type)) {
          reason = "it holds records, expected an array of numbers";
          return false;
        }
        if (!readType(type, reason))
          return false;
        hasType = true;
      } else if (key == "fortran_order") {
        hasOrder = parseOrder();
        if (!hasOrder)
          return false;
      } else if (key == "shape") {
        hasShape = parseShape();
        if (!hasShape)
          return false;
      } else {
        return false;
      }
      if (!accept(',') && peek() != '}')
        return false;
    }
    if (!hasType || !hasOrder || !hasShape)
      return false;
    if (isFortran && array.shape.size() > 1) {
      reason = "it is in Fortran order, expected C order "
               "(save numpy.ascontiguousarray(x))";
      return false;
    }
    return true;
  }

private:
  char peek() {
    while (position < text.size() && std::strchr(" \t\n\r", text[position]))
      ++position;
    return position < text.size() ? text[position] : '\0';
  }

  bool accept(char expected) {
    if (peek() != expected)
      return false;
    ++position;
    return true;
  }

  bool parseString(std::string &value) {
    char quote = peek();
    if (quote != '\'' && quote != '"')
      return false;
    size_t end = text.find(quote, position + 1);
    if (end == text.npos)
      return false;
    value = text.substr(position + 1, end - position - 1);
    position = end + 1;
    return true;
  }

  bool parseWord(std::string_view word) {
    peek();
    if (text.substr(position, word.size()) != word)
      return false;
    position += word.size();
    return true;
  }

  bool parseOrder() {
    isFortran = parseWord("True");
    return isFortran || parseWord("False");
  }

  bool parseShape() {
    if (!accept('('))
      return false;
    while (!accept(')')) {
      if (peek() < '0' || peek() > '9')
        return false;
      int64_t extent = 0;
      for (; position < text.size() && text[position] >= '0' &&
             text[position] <= '9';
           ++position)
        if (__builtin_mul_overflow(extent, int64_t(10), &extent) ||
            __builtin_add_overflow(extent, int64_t(text[position] - '0'),
                                   &extent))
          return false;
      array.shape.push_back(extent);
      if (!accept(',') && peek() != ')')
        return false;
    }
    return true;
  }

  /// "<f4", "|b1": byte order, kind, bytes.
  bool readType(const std::string &type, std::string &reason) {
    auto isOneOf = [](char c, std::string_view set) {
      return set.find(c) != set.npos;
    };
    bool isKnown = type.size() == 3 && isOneOf(type[0], "<|=>") &&
                   isOneOf(type[1], "biuf") && isOneOf(type[2], "1248");
    if (isKnown) {
      array.kind = type[1];
      array.itemBytes = type[2] - '0';
      isKnown = (array.kind != 'b' || array.itemBytes == 1) &&
                (array.kind != 'f' || array.itemBytes > 1) &&
                (type[0] != '>' || array.itemBytes == 1);
    }
    if (!isKnown)
      reason = "its element type is '" + type +
               "', expected a little-endian bool, integer or float";
    return isKnown;
  }

  std::string_view text;
  Array &array;
  size_t position = 0;
  bool isFortran = false;
};

/// Splits a file in header and elements.
bool findHeader(std::string_view file, std::string_view &header,
                std::string_view &elements, std::string &reason) {
  if (file.substr(0, magic.size()) != magic || file.size() < 10) {
    reason = "it is no .npy file";
    return false;
  }
  int version = file[6];
  if (version < 1 || version > 3) {
    reason = "it has version " + std::to_string(version) + ", expected 1 to 3";
    return false;
  }
  size_t lengthBytes = version == 1 ? 2 : 4;
  size_t length = 0;
  for (size_t i = 0; i < lengthBytes && 8 + i < file.size(); ++i)
    length |= size_t(static_cast<unsigned char>(file[8 + i])) << (8 * i);
  size_t begin = 8 + lengthBytes;
  if (file.size() < begin || file.size() - begin < length) {
    reason = "it ends within its header";
    return false;
  }
  header = file.substr(begin, length);
  elements = file.substr(begin + length);
  return true;
}

bool readElements(std::string_view elements, Array &array,
                  std::string &reason) {
  size_t needed = size_t(array.itemBytes);
  for (int64_t extent : array.shape)
    if (__builtin_mul_overflow(needed, size_t(extent), &needed)) {
      reason = "its shape " + showShape(array.shape) + " is too large";
      return false;
    }
  if (elements.size() != needed) {
    reason = "its shape " + showShape(array.shape) + " of " + array.typeName() +
             " takes " + std::to_string(needed) + " bytes, and it holds " +
             std::to_string(elements.size());
    return false;
  }
  array.bytes.assign(elements.begin(), elements.end());
  return true;
}

} // namespace

int64_t Array::count() const {
  int64_t product = 1;
  for (int64_t extent : shape)
    product *= extent;
  return product;
}

std::string Array::typeName() const {
  if (kind == 'b')
    return "bool";
  const char *name = kind == 'i' ? "int" : kind == 'u' ? "uint" : "float";
  return name + std::to_string(itemBytes * 8);
}

std::string showShape(const std::vector<int64_t> &shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

bool parse(std::string_view file, const std::string &title, Array &array,
           std::string &error) {
  array = Array();
  std::string_view header, elements;
  std::string reason;
  if (findHeader(file, header, elements, reason) &&
      HeaderParser(header, array).parse(reason) &&
      readElements(elements, array, reason))
    return true;
  error = title + ": " + reason;
  return false;
}

std::string print(const Array &array) {
  std::string shape;
  for (int64_t extent : array.shape)
    shape += std::to_string(extent) + ", ";
  // A tuple of one is written (3,).
  if (array.shape.size() > 1)
    shape.resize(shape.size() - 2);
  else if (!shape.empty())
    shape.pop_back();
  std::string header = std::string("{'descr': '") +
                       (array.itemBytes == 1 ? '|' : '<') + array.kind +
                       std::to_string(array.itemBytes) +
                       "', 'fortran_order': False, 'shape': (" + shape + "), }";
  // The elements begin at a multiple of 64 bytes.
  header.resize((header.size() + 1 + 10 + 63) / 64 * 64 - 10 - 1, ' ');
  header += '\n';
  std::string file(magic);
  file += {'\1', '\0', char(header.size() & 255), char(header.size() >> 8)};
  file += header;
  file.append(reinterpret_cast<const char *>(array.bytes.data()),
              array.bytes.size());
  return file;
}

bool readFile(const std::string &path, Array &array, std::string &error) {
  std::unique_ptr<FILE, int (*)(FILE *)> file(std::fopen(path.c_str(), "rb"),
                                              std::fclose);
  std::string bytes;
  if (file) {
    std::vector<char> buffer(1 << 20);
    while (size_t count =
               std::fread(buffer.data(), 1, buffer.size(), file.get()))
      bytes.append(buffer.data(), count);
  }
  if (!file || std::ferror(file.get())) {
    error = path + ": " + std::strerror(errno);
    return false;
  }
  return parse(bytes, path, array, error);
}

bool writeFile(const std::string &path, const Array &array,
               std::string &error) {
  std::string bytes = print(array);
  FILE *file = std::fopen(path.c_str(), "wb");
  bool isWritten =
      file && std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  // Closing writes what is buffered: a full disk shows here at the latest.
  isWritten = file && std::fclose(file) == 0 && isWritten;
  if (!isWritten)
    error = path + ": " + std::strerror(errno);
  return isWritten;
}

} // namespace npy
