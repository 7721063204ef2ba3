//===- MathFunctions.h - Elementary functions of one float ----------------===//
//
// exp, log, sin and their like as arithmetic of one thread.  There is no math
// library on the device: each function starts from the instruction that
// approximates it, where there is one, and makes up what the instruction lacks
// (section 9 of the language reference has the bounds).  Operands are f32 or
// f64 as stated.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_CONVERSION_TILETONVVM_MATHFUNCTIONS_H
#define TILE_COMPILER_CONVERSION_TILETONVVM_MATHFUNCTIONS_H

#include "compiler/Conversion/TileToNVVM/KernelEmitter.h"

namespace mlir::tile {

/// Of any float type: one instruction.
inline constexpr llvm::StringLiteral minimumNumberName = "llvm.minimumnum",
                                     maximumNumberName = "llvm.maximumnum";

/// Float arithmetic in the notation of formulas.
class FloatMath {
public:
  FloatMath(KernelEmitter &emitter, Type type)
      : e(emitter), builder(emitter.builder), type(type) {}

  Value constant(double value);
  Value add(Value a, Value b);
  Value sub(Value a, Value b);
  Value mul(Value a, Value b);
  Value div(Value a, Value b);
  /// a * b + c, rounded once.
  Value fma(Value a, Value b, Value c);
  Value neg(Value a);
  Value abs(Value a);
  Value copySign(Value magnitude, Value sign);
  Value roundEven(Value a);
  Value truncate(Value a);
  Value floor(Value a);
  /// The operand that is not NaN.
  Value minimumNumber(Value a, Value b);
  Value maximumNumber(Value a, Value b);
  /// NaN if an operand is.
  Value minimum(Value a, Value b);
  Value compare(arith::CmpFPredicate predicate, Value a, Value b);
  /// Coefficients from the constant term up.
  Value polynomial(Value x, ArrayRef<double> coefficients);
  /// The bits as an integer of the same width, and back.
  Value toBits(Value a);
  Value fromBits(Value bits);
  /// An instruction of one f32 operand, by its intrinsic's name.
  Value approximate(StringRef intrinsic, Value a);

  KernelEmitter &e;
  OpBuilder &builder;
  Type type;
};

// ExponentialFunctions.cpp, f32
Value emitExp(FloatMath &m, Value x);
Value emitExp2(FloatMath &m, Value x);
Value emitLog(FloatMath &m, Value x);
Value emitLog2(FloatMath &m, Value x);
Value emitTanh(FloatMath &m, Value x);
Value emitErf(FloatMath &m, Value x);
// TrigonometricFunctions.cpp, f32
Value emitSin(FloatMath &m, Value x);
Value emitCos(FloatMath &m, Value x);
// DoubleFunctions.cpp, f64
Value emitDoubleExp(FloatMath &m, Value x);
Value emitDoubleExp2(FloatMath &m, Value x);
Value emitDoubleLog(FloatMath &m, Value x);
Value emitDoubleLog2(FloatMath &m, Value x);
Value emitDoubleTanh(FloatMath &m, Value x);
Value emitDoubleErf(FloatMath &m, Value x);
Value emitDoubleSin(FloatMath &m, Value x);
Value emitDoubleCos(FloatMath &m, Value x);
// FloatRemainder.cpp, f32 and f64: exact, with the sign of the dividend.
Value emitRemainder(FloatMath &m, Value dividend, Value divisor);

} // namespace mlir::tile

#endif // TILE_COMPILER_CONVERSION_TILETONVVM_MATHFUNCTIONS_H
