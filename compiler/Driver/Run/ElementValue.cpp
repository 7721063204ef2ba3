//===- ElementValue.cpp - Elements as numbers and as text -----------------===//
#include "compiler/Driver/Run/ElementValue.h"

#include "compiler/Numerics/NumberCast.h"
#include "llvm/Support/MathExtras.h"
#include <charconv>
#include <cmath>

using namespace tilec;

static std::optional<uint64_t> parseInteger(NumberFormat format,
                                            llvm::StringRef text) {
  unsigned bits = getStorageBits(format);
  if (isSignedInteger(format)) {
    int64_t value;
    if (text.getAsInteger(0, value) || !llvm::isIntN(bits, value))
      return std::nullopt;
    return encodeInteger(format, value);
  }
  uint64_t value;
  uint64_t largest =
      format == NumberFormat::Bool ? 1 : llvm::maskTrailingOnes<uint64_t>(bits);
  if (text.getAsInteger(0, value) || value > largest)
    return std::nullopt;
  return value;
}

std::optional<uint64_t> tilec::parseElement(NumberFormat format,
                                            llvm::StringRef text) {
  text = text.trim();
  if (format == NumberFormat::Bool && (text == "true" || text == "false"))
    return text == "true";
  if (!isFloat(format))
    return parseInteger(format, text);
  double value;
  if (text == "inf")
    value = HUGE_VAL;
  else if (text == "-inf")
    value = -HUGE_VAL;
  else if (text == "nan")
    value = std::nan("");
  else if (text.empty() || text.getAsDouble(value))
    return std::nullopt;
  return encodeFloat(format, castToFloat(value, format));
}

std::string tilec::formatElement(NumberFormat format, uint64_t code) {
  if (format == NumberFormat::UInt64)
    return std::to_string(code);
  if (!isFloat(format))
    return std::to_string(decodeInteger(format, code));
  double value = decodeFloat(format, code);
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  // Types of up to 32 bits are exact as a float, which needs fewer digits.
  char text[32];
  std::to_chars_result result =
      format == NumberFormat::F64
          ? std::to_chars(std::begin(text), std::end(text), value)
          : std::to_chars(std::begin(text), std::end(text),
                          static_cast<float>(value));
  return std::string(text, result.ptr);
}
