//===- GenerateConversions.cpp - Casts and reinterpretation ---------------===//
#include "compiler/Frontend/MLIRGen/Generator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace tilec;
using namespace mlir;

Value Generator::generateConvert(const checked::ConvertExpr &convert) {
  const Expr &operand = *convert.operands[0];
  return createCast(getLocation(convert.range), generate(operand),
                    operand.type.getElement(), convert.type.getElement(),
                    convert.mode);
}

/// `type` with another element type: the same shape.
static mlir::Type withElement(mlir::Type type, mlir::Type element) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? mlir::Type(tensor.clone(element)) : element;
}

static StringAttr getModeAttr(OpBuilder &builder, CastMode mode) {
  switch (mode) {
  case CastMode::Default:
    return nullptr;
  case CastMode::Saturate:
    return builder.getStringAttr("sat");
  case CastMode::NoSaturate:
    return builder.getStringAttr("nosat");
  case CastMode::Up:
    return builder.getStringAttr("up");
  }
  llvm_unreachable("every mode has a name");
}

Value Generator::createCast(Location location, Value value, ElementType from,
                            ElementType to, CastMode mode) {
  if (from == to)
    return value;
  mlir::Type type = withElement(value.getType(), getElementType(to));
  if (to == ElementType::Bool) {
    // Not zero; NaN is not zero either.
    if (isInt(from))
      return arith::CmpIOp::create(builder, location, arith::CmpIPredicate::ne,
                                   value,
                                   createZero(location, value.getType()));
    ElementType wide = getComputeType(from);
    value = createCast(location, value, from, wide, CastMode::Default);
    return arith::CmpFOp::create(builder, location, arith::CmpFPredicate::UNE,
                                 value, createZero(location, value.getType()));
  }
  if (from == ElementType::Bool) {
    if (isInt(to))
      return arith::ExtUIOp::create(builder, location, type, value);
    value = createCast(location, value, from, ElementType::Int32,
                       CastMode::Default);
    return createCast(location, value, ElementType::Int32, to, mode);
  }
  bool isPlainInteger = isInt(from) && isInt(to) && mode == CastMode::Default;
  if (isPlainInteger) {
    unsigned fromBits = getBits(from), toBits = getBits(to);
    if (fromBits == toBits)
      return value; // Signedness is not in the type.
    if (fromBits > toBits)
      return arith::TruncIOp::create(builder, location, type, value);
    if (isSignedInt(from))
      return arith::ExtSIOp::create(builder, location, type, value);
    return arith::ExtUIOp::create(builder, location, type, value);
  }
  return tile::CastOp::create(
      builder, location, type, value, getModeAttr(builder, mode),
      isUnsignedInt(from) ? builder.getUnitAttr() : UnitAttr(),
      isUnsignedInt(to) ? builder.getUnitAttr() : UnitAttr());
}

Value Generator::generateReinterpret(
    const checked::ReinterpretExpr &reinterpret) {
  Value value = generate(*reinterpret.operands[0]);
  mlir::Type type = getType(reinterpret.type);
  if (type == value.getType())
    return value; // Signedness is not in the type.
  Location location = getLocation(reinterpret.range);
  if (getBits(reinterpret.type.getElement()) !=
      getBits(reinterpret.operands[0]->type.getElement()))
    return tile::ReinterpretOp::create(builder, location, type, value);
  return arith::BitcastOp::create(builder, location, type, value);
}
