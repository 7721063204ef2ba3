//===- Constant.h - Compile-time values -----------------------------------===//
//
// What the compiler knows while compiling: integers of 128 bits (untyped ones
// are unbounded in the language; a result that does not fit is an error),
// floats as f64, bools, types and strings.  A constant of a type holds a value
// of that type: the operations below wrap and round as the type does.
//
//===----------------------------------------------------------------------===//
#ifndef TILEC_FRONTEND_SEMA_CONSTANT_H
#define TILEC_FRONTEND_SEMA_CONSTANT_H

#include "compiler/Frontend/ElementType.h"
#include "compiler/Frontend/Syntax/ASTExpr.h"
#include "compiler/Numerics/NumberCast.h"
#include <string>
#include <variant>

namespace tilec {

using Integer = __int128;
using Constant = std::variant<bool, Integer, double, ElementType, std::string>;

/// As messages and reports show it: "64", "0.5", "true", "bf16".
std::string formatConstant(const Constant &constant);

/// True if an integer is a value of this integer type.
bool fitsInteger(Integer value, ElementType type);
/// True if a float type has this very value.
bool isExact(double value, ElementType type);

/// The value of an untyped number in `type`: integers must fit (or, in a float
/// type, be exact), floats round once.  None if it has none.
std::optional<Constant> convertUntyped(const Constant &value, ElementType type);

/// `cast<to, mode>` of a value of type `from`.
Constant castConstant(const Constant &value, ElementType from, ElementType to,
                      CastMode mode);

/// Value of `op` on two constants, either both untyped (`type` absent) or both
/// of `type`.  None if it has no value at compile time: division by zero, or an
/// untyped integer that leaves 128 bits.
std::optional<Constant> foldBinary(ast::BinaryOp op, const Constant &left,
                                   const Constant &right,
                                   std::optional<ElementType> type);
std::optional<Constant> foldUnary(ast::UnaryOp op, const Constant &operand,
                                  std::optional<ElementType> type);
/// Shift of a value of `type` (absent: untyped) by an amount of any integer
/// type: by the width or more gives 0, or the sign.
std::optional<Constant> foldShift(bool isLeft, Integer value, Integer amount,
                                  std::optional<ElementType> type);

/// The value of `type` with the low bits of `value`, as integer arithmetic of
/// that type gives it.
Integer wrapInteger(Integer value, ElementType type);
/// The value of float type `type` nearest to `value`, overflowing to infinity
/// where the type has one.
double roundFloat(double value, ElementType type);

/// The same type in the numerics library.
NumberFormat getNumberFormat(ElementType type);

} // namespace tilec

#endif // TILEC_FRONTEND_SEMA_CONSTANT_H
