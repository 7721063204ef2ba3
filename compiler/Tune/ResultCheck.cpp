//===-- ResultCheck.cpp - Compares results with a bundle's ----------------===//

#include "compiler/Tune/ResultCheck.h"
#include "compiler/Numerics/Closeness.h"
#include "compiler/Numerics/ElementDecoder.h"
#include "compiler/Tune/WholeFile.h"
#include "runtime/lib/Text.h"

#include <cmath>
#include <cstdio>
#include <cstring>

using tilert::detail::join;

namespace tilec::tune {

StoredArray describeArray(const BundleArgument &argument) {
  StoredArray array;
  array.format = findNumberFormat(argument.dtype).value_or(NumberFormat::F32);
  array.sizes = argument.sizes;
  array.packDim = argument.pack;
  Extents stored = argument.pack < 0
                       ? argument.sizes
                       : getPackedShape(argument.sizes, argument.pack);
  array.byteCount =
      size_t(countElements(stored)) *
      (isPacked(array.format) ? 1 : getStorageBits(array.format) / 8);
  return array;
}

uint64_t readElement(const StoredArray &array, int64_t position) {
  if (!isPacked(array.format))
    return readCode(array.format,
                    array.bytes +
                        position * int64_t(getStorageBits(array.format) / 8));
  // position = (outer * extent + index) * inner + last, where index counts
  // along the packed dimension.
  int64_t inner = 1;
  for (size_t dim = size_t(array.packDim) + 1; dim < array.sizes.size(); ++dim)
    inner *= array.sizes[dim];
  int64_t extent = array.sizes[size_t(array.packDim)];
  int64_t last = position % inner, index = position / inner % extent;
  int64_t outer = position / inner / extent;
  int64_t byte = (outer * ((extent + 1) / 2) + index / 2) * inner + last;
  return getNibble(array.bytes[byte], index % 2);
}

static size_t getCodeBytes(NumberFormat format) {
  return isPacked(format) ? 1 : getStorageBits(format) / 8;
}

std::string writeReferenceFile(const std::string &path,
                               const StoredArray &array,
                               const std::vector<ElementRange> &ranges) {
  size_t bytes = getCodeBytes(array.format);
  std::string text;
  for (const ElementRange &range : ranges)
    for (int64_t i = 0; i < range.count; ++i) {
      uint64_t code = readElement(array, range.first + i);
      text.append(reinterpret_cast<const char *>(&code), bytes);
    }
  return writeWholeFile(path, text);
}

namespace {

/// A reference with its codes.
class LoadedReference {
public:
  std::string load(const std::string &folder, const Reference &reference,
                   const StoredArray &array);

  /// Calls visit(position, code) for each element.
  template <typename Visit> void forEach(Visit visit) const {
    size_t next = 0;
    for (const ElementRange &range : *ranges)
      for (int64_t i = 0; i < range.count; ++i) {
        uint64_t code = 0;
        std::memcpy(&code, text.data() + next, bytes);
        next += bytes;
        visit(range.first + i, code);
      }
  }

private:
  const std::vector<ElementRange> *ranges = nullptr;
  size_t bytes = 1;
  std::string text;
};

} // namespace

std::string LoadedReference::load(const std::string &folder,
                                  const Reference &reference,
                                  const StoredArray &array) {
  bool isThere = false;
  std::string path = folder + "/" + reference.file;
  if (std::string error = readWholeFile(path, text, isThere); !error.empty())
    return error;
  ranges = &reference.ranges;
  bytes = getCodeBytes(array.format);
  int64_t elements = countElements(array.sizes), count = 0;
  for (const ElementRange &range : reference.ranges) {
    if (range.first > elements || range.count > elements - range.first)
      return join("'", path, "' is of a larger array");
    count += range.count;
  }
  if (!isThere || text.size() != size_t(count) * bytes)
    return join("'", path, "' is not whole");
  return "";
}

std::string compareWithReference(const std::string &folder,
                                 const Reference &reference,
                                 const StoredArray &array) {
  LoadedReference wanted;
  if (std::string error = wanted.load(folder, reference, array); !error.empty())
    return error;
  ElementDecoder decoder(array.format);
  double squares = 0;
  int64_t finite = 0, count = 0, wrong = 0, firstWrong = -1;
  wanted.forEach([&](int64_t, uint64_t code) {
    double value = decoder.decode(code);
    if (std::isfinite(value)) {
      squares += value * value;
      ++finite;
    }
  });
  double rms = finite ? std::sqrt(squares / double(finite)) : 0;
  bool isFloatElement = isFloat(array.format);
  wanted.forEach([&](int64_t position, uint64_t code) {
    uint64_t got = readElement(array, position);
    ElementPair pair{got, code, decoder.decode(got), decoder.decode(code)};
    ++count;
    if (pair.isEqual(isFloatElement) ||
        (reference.tolerance > 0 &&
         pair.isWithin(reference.tolerance * (std::fabs(pair.want) + rms))))
      return;
    if (wrong++ == 0)
      firstWrong = position;
  });
  if (wrong == 0)
    return "";
  return join("'", reference.argument, "' is wrong: ", wrong, " of ", count,
              " elements that were compared differ too much, the first at ",
              firstWrong);
}

} // namespace tilec::tune
