//===- NumberCast.h - Conversion of numbers between element types ---------===//
//
// The casts of docs/language.md section 10, on values (see NumberFormat.h) and
// on codes.  Every cast rounds once, from the exact value.
//
//===----------------------------------------------------------------------===//
#ifndef TILEC_NUMERICS_NUMBERCAST_H
#define TILEC_NUMERICS_NUMBERCAST_H

#include "compiler/Numerics/NumberFormat.h"

namespace tilec {

/// What `cast<T, option>` names; `Default` where it names nothing.
enum class CastMode : uint8_t { Default, Saturate, NoSaturate, Up };

/// The mode of this spelling: "sat", "nosat", "up" or nothing.
std::optional<CastMode> findCastMode(std::string_view name);

/// The value of the float format `to` that a number casts to.  A NaN becomes
/// the positive NaN whose payload bits are all set, as GPU instructions give.
/// e2m1 always saturates.
double castToFloat(double value, NumberFormat to,
                   CastMode mode = CastMode::Default);

/// The value of the float format `to` nearest to an integer.
double castToFloat(int64_t value, bool isUnsigned, NumberFormat to,
                   CastMode mode = CastMode::Default);

/// The value of the integer format (or bool) `to` that a float casts to:
/// truncated and saturated.
int64_t castToInteger(double value, NumberFormat to);

/// The value of the integer format (or bool) `to` that an integer casts to: its
/// low bits, or under `Saturate` the nearest value.
int64_t castToInteger(int64_t value, bool isUnsigned, NumberFormat to,
                      CastMode mode = CastMode::Default);

/// The code in format `to` of the number that has `code` in format `from`.
uint64_t castCode(NumberFormat from, uint64_t code, NumberFormat to,
                  CastMode mode = CastMode::Default);

/// An integer rounded to a double: itself if it fits, else the one of its two
/// neighbours whose last bit is 1.  Rounding that again to a format of at most
/// 51 fraction bits gives what rounding the integer would.
double roundToOdd(uint64_t magnitude);

/// a * b + c rounded once to float format `format`, f64 excepted: for that,
/// std::fma is the operation.
double fuseMultiplyAdd(double a, double b, double c, NumberFormat format);

} // namespace tilec

#endif // TILEC_NUMERICS_NUMBERCAST_H
