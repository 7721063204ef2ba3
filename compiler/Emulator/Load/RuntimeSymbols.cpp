//===- RuntimeSymbols.cpp - Functions that compiled kernels need ----------===//
//
// The conversions of 16-bit floats are written here: each rounds once.  Their
// values travel in the low 16 bits of a floating-point register, where a float
// with those bits puts them, so no compiler support for the types is needed.
//
//===----------------------------------------------------------------------===//

#include "compiler/Emulator/Load/RuntimeSymbols.h"

#include "compiler/Emulator/Instructions/NumberFormats.h"

#include <cmath>
#include <cstring>

using namespace tilec::emulator;

/// A 16-bit float on its way through a register.
using Carrier = float;

static Carrier carry(uint32_t code) { return llvm::bit_cast<float>(code); }
static uint16_t uncarry(Carrier value) {
  return static_cast<uint16_t>(llvm::bit_cast<uint32_t>(value));
}

static Carrier truncateFloatToHalf(float value) {
  return carry(encodeF16(value));
}
static Carrier truncateDoubleToHalf(double value) {
  return carry(encodeF16(value));
}
static float extendHalf(Carrier value) { return decodeF16(uncarry(value)); }
static Carrier truncateFloatToBFloat(float value) {
  return carry(encodeBF16(value));
}
static Carrier truncateDoubleToBFloat(double value) {
  return carry(encodeBF16(value));
}

extern "C" {
__int128 __divti3(__int128, __int128);
__int128 __modti3(__int128, __int128);
unsigned __int128 __udivti3(unsigned __int128, unsigned __int128);
unsigned __int128 __umodti3(unsigned __int128, unsigned __int128);
}

template <typename Function> static const void *addressOf(Function *function) {
  return reinterpret_cast<const void *>(function);
}

#define LIBM(name)                                                             \
  {#name, addressOf<double(double)>(std::name)}, {                             \
    #name "f", addressOf<float(float)>(std::name)                              \
  }
#define LIBM2(name)                                                            \
  {#name, addressOf<double(double, double)>(std::name)}, {                     \
    #name "f", addressOf<float(float, float)>(std::name)                       \
  }

llvm::ArrayRef<RuntimeSymbol> tilec::emulator::getRuntimeSymbols() {
  static const RuntimeSymbol symbols[] = {
      LIBM(exp),
      LIBM(exp2),
      LIBM(log),
      LIBM(log2),
      LIBM(log10),
      LIBM(sin),
      LIBM(cos),
      LIBM(tan),
      LIBM(sinh),
      LIBM(cosh),
      LIBM(tanh),
      LIBM(asin),
      LIBM(acos),
      LIBM(atan),
      LIBM(sqrt),
      LIBM(floor),
      LIBM(ceil),
      LIBM(trunc),
      LIBM(round),
      LIBM(rint),
      LIBM(nearbyint),
      LIBM2(pow),
      LIBM2(fmod),
      LIBM2(atan2),
      LIBM2(fmin),
      LIBM2(fmax),
      {"fma", addressOf<double(double, double, double)>(std::fma)},
      {"fmaf", addressOf<float(float, float, float)>(std::fma)},
      {"ldexp", addressOf<double(double, int)>(std::ldexp)},
      {"ldexpf", addressOf<float(float, int)>(std::ldexp)},
      {"memcpy", addressOf(std::memcpy)},
      {"memmove", addressOf(std::memmove)},
      {"memset", addressOf(std::memset)},
      {"__truncsfhf2", addressOf(truncateFloatToHalf)},
      {"__truncdfhf2", addressOf(truncateDoubleToHalf)},
      {"__extendhfsf2", addressOf(extendHalf)},
      {"__truncsfbf2", addressOf(truncateFloatToBFloat)},
      {"__truncdfbf2", addressOf(truncateDoubleToBFloat)},
      {"__divti3", addressOf(__divti3)},
      {"__modti3", addressOf(__modti3)},
      {"__udivti3", addressOf(__udivti3)},
      {"__umodti3", addressOf(__umodti3)},
  };
  return symbols;
}
