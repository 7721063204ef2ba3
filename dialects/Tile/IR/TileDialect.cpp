//===- TileDialect.cpp - Registration of the tile dialect -----------------===//

#include "dialects/Tile/IR/TileDialect.h"
#include "dialects/Tile/IR/TileOps.h"
#include "dialects/Tile/IR/TileShareOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tile;

#include "dialects/Tile/IR/TileDialect.cpp.inc"
#include "dialects/Tile/IR/TileEnums.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/Tile/IR/TileOps.cpp.inc"

void TileDialect::initialize() {
  registerTypes();
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "dialects/Tile/IR/TileOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/Tile/IR/TileShareOps.cpp.inc"
      >();
}

/// What the folders of this dialect give are numbers and splats.
Operation *TileDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                            Type type, Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

bool tile::isElementType(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.isSignless() &&
           llvm::is_contained({1u, 4u, 8u, 16u, 32u, 64u}, integer.getWidth());
  return isa<Float16Type, BFloat16Type, FloatTF32Type, Float32Type, Float64Type,
             Float8E4M3FNType, Float8E5M2Type, Float4E2M1FNType,
             Float8E8M0FNUType>(type);
}

bool tile::isFragment(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getRank() >= 1 && tensor.getRank() <= 5 &&
         llvm::all_of(tensor.getShape(),
                      [](int64_t size) { return size > 0; }) &&
         isElementType(tensor.getElementType());
}

ArrayRef<int64_t> tile::getTileShape(Type type) {
  return TypeSwitch<Type, ArrayRef<int64_t>>(type)
      .Case<GlobalType, SharedType>([](auto t) { return t.getShape(); })
      .Case<RankedTensorType>([](auto t) { return t.getShape(); })
      .Default([](Type) { return ArrayRef<int64_t>(); });
}

Type tile::getTileElementType(Type type) {
  return TypeSwitch<Type, Type>(type)
      .Case<GlobalType, SharedType>([](auto t) { return t.getElementType(); })
      .Case<RankedTensorType>([](auto t) { return t.getElementType(); })
      .Default([](Type t) { return t; });
}

unsigned tile::getElementBits(Type elementType) {
  unsigned bits = elementType.getIntOrFloatBitWidth();
  if (isa<FloatTF32Type>(elementType))
    return 32;
  return bits == 1 ? 8 : bits;
}

LayoutAttr tile::getFragmentLayout(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (auto flying = dyn_cast<InFlightType>(type))
    tensor = flying.getFragment();
  return tensor ? dyn_cast_or_null<LayoutAttr>(tensor.getEncoding())
                : LayoutAttr();
}
