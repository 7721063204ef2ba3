//===- ElementDecoder.cpp - Elements as doubles ---------------------------===//
#include "compiler/Numerics/ElementDecoder.h"

using namespace tilec;

static double decodeElement(NumberFormat format, uint64_t code) {
  if (isFloat(format))
    return decodeFloat(format, code);
  int64_t value = decodeInteger(format, code);
  return format == NumberFormat::UInt64 ? static_cast<double>(code)
                                        : static_cast<double>(value);
}

ElementDecoder::ElementDecoder(NumberFormat format) : format(format) {
  unsigned bits = getStorageBits(format);
  if (bits > 16)
    return;
  table.resize(size_t(1) << bits);
  for (uint64_t code = 0; code < table.size(); ++code)
    table[code] = decodeElement(format, code);
}

double ElementDecoder::decode(uint64_t code) const {
  return table.empty() ? decodeElement(format, code) : table[code];
}
