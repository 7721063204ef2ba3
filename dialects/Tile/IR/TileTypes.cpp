//===- TileTypes.cpp - Types of the tile dialect --------------------------===//

#include "dialects/Tile/IR/TileDialect.h"
#include "dialects/Tile/IR/TileOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tile;

#define GET_TYPEDEF_CLASSES
#include "dialects/Tile/IR/TileTypes.cpp.inc"

void TileDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/Tile/IR/TileTypes.cpp.inc"
      >();
}

/// Parses `DIMxDIMx...xTYPE`.
static ParseResult parseShapedBody(AsmParser &parser,
                                   SmallVectorImpl<int64_t> &shape,
                                   Type &elementType, bool allowDynamic) {
  return failure(parser.parseDimensionList(shape, allowDynamic) ||
                 parser.parseType(elementType));
}

static void printShapedBody(AsmPrinter &printer, ArrayRef<int64_t> shape,
                            Type elementType) {
  for (int64_t extent : shape) {
    if (ShapedType::isDynamic(extent))
      printer << '?';
    else
      printer << extent;
    printer << 'x';
  }
  printer << elementType;
}

/// What both memory types require of their elements and packed dimension.
static LogicalResult
verifyElements(function_ref<InFlightDiagnostic()> emitError,
               ArrayRef<int64_t> shape, Type elementType, int64_t packDim) {
  if (shape.empty())
    return emitError() << "needs at least one dimension";
  if (!isElementType(elementType))
    return emitError() << "element type is a number of the language, found "
                       << elementType;
  bool fourBit = elementType.getIntOrFloatBitWidth() == 4;
  if (fourBit && (packDim < 0 || packDim >= int64_t(shape.size())))
    return emitError() << "4-bit elements need 'pack', a dimension below "
                       << shape.size();
  if (!fourBit && packDim != -1)
    return emitError() << "'pack' is for 4-bit elements, found " << elementType;
  return success();
}

/// The storage of a shared tile, or none with the reason in `error`.
static std::optional<layout::SharedLayout>
createStorage(ArrayRef<int64_t> shape, Type elementType, int64_t packDim,
              SharedLayoutAttr attr, std::string *error) {
  layout::Coords extents(shape.begin(), shape.end());
  layout::Swizzle swizzle;
  int padding = 0, panel = 0;
  if (attr) {
    swizzle = {int(attr.getBits()), int(attr.getBase()), int(attr.getShift())};
    padding = int(attr.getPadding());
    panel = int(attr.getPanel());
  }
  return layout::SharedLayout::create(extents, getElementBits(elementType),
                                      int(packDim), swizzle, padding, error,
                                      panel);
}

Type GlobalType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type elementType;
  int64_t packDim = -1;
  if (parser.parseLess() ||
      parseShapedBody(parser, shape, elementType, /*allowDynamic=*/true))
    return {};
  if (succeeded(parser.parseOptionalComma()) &&
      (parser.parseKeyword("pack") || parser.parseEqual() ||
       parser.parseInteger(packDim)))
    return {};
  if (parser.parseGreater())
    return {};
  return parser.getChecked<GlobalType>(parser.getContext(), shape, elementType,
                                       packDim);
}

void GlobalType::print(AsmPrinter &printer) const {
  printer << '<';
  printShapedBody(printer, getShape(), getElementType());
  if (getPackDim() >= 0)
    printer << ", pack = " << getPackDim();
  printer << '>';
}

LogicalResult GlobalType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<int64_t> shape, Type elementType,
                                 int64_t packDim) {
  return verifyElements(emitError, shape, elementType, packDim);
}

Type SharedType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type elementType;
  int64_t packDim = -1;
  SharedLayoutAttr layout;
  if (parser.parseLess() ||
      parseShapedBody(parser, shape, elementType, /*allowDynamic=*/false))
    return {};
  while (succeeded(parser.parseOptionalComma())) {
    if (succeeded(parser.parseOptionalKeyword("pack"))) {
      if (parser.parseEqual() || parser.parseInteger(packDim))
        return {};
    } else if (parser.parseAttribute(layout)) {
      return {};
    }
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<SharedType>(parser.getContext(), shape, elementType,
                                       packDim, layout);
}

void SharedType::print(AsmPrinter &printer) const {
  printer << '<';
  printShapedBody(printer, getShape(), getElementType());
  if (getPackDim() >= 0)
    printer << ", pack = " << getPackDim();
  if (getLayout())
    printer << ", " << getLayout();
  printer << '>';
}

LogicalResult SharedType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<int64_t> shape, Type elementType,
                                 int64_t packDim, SharedLayoutAttr layout) {
  for (int64_t extent : shape)
    if (extent <= 0)
      return emitError() << "extents of a shared tile are positive, found "
                         << extent;
  if (failed(verifyElements(emitError, shape, elementType, packDim)))
    return failure();
  // Offsets in shared memory are 32-bit numbers.
  int64_t bits = getElementBits(elementType);
  for (int64_t extent : shape)
    if (llvm::MulOverflow(bits, extent, bits) || bits / 8 > INT32_MAX)
      return emitError() << "no such storage: a shared tile has less than "
                            "2,147,483,648 bytes";
  std::string error;
  if (!createStorage(shape, elementType, packDim, layout, &error))
    return emitError() << "no such storage: " << error;
  return success();
}

LogicalResult BarrierType::verify(function_ref<InFlightDiagnostic()> emitError,
                                  int64_t count) {
  if (count <= 0)
    return emitError() << "the number of barriers is positive, found " << count;
  return success();
}

SharedType SharedType::withLayout(SharedLayoutAttr layout) const {
  return get(getContext(), getShape(), getElementType(), getPackDim(), layout);
}

layout::SharedLayout SharedType::getStorage() const {
  // The type's verifier accepted the same arguments.
  return *createStorage(getShape(), getElementType(), getPackDim(), getLayout(),
                        nullptr);
}

std::optional<layout::SharedLayout>
tile::getSubTileStorage(SharedType type, ArrayRef<int64_t> shape) {
  layout::SharedLayout whole = type.getStorage();
  if (type.getShape() == shape)
    return whole;
  if (shape.size() != type.getShape().size() || shape.size() > 2)
    return std::nullopt;
  if (int panel = whole.panelBytes()) {
    // Whole panels of all rows lie as a tile of them would.
    int64_t rowBytes = shape[1] * whole.elementBits() / 8;
    if (shape[0] != type.getShape()[0] || whole.packDim() >= 0 ||
        rowBytes % panel != 0)
      return std::nullopt;
    return layout::SharedLayout::create(
        layout::Coords(shape.begin(), shape.end()), whole.elementBits(),
        whole.packDim(), whole.swizzle(), /*padBytes=*/0, /*error=*/nullptr,
        rowBytes == panel ? 0 : panel);
  }
  // A shorter row of the same pitch is a row with more padding.
  layout::Coords extents(shape.begin(), shape.end());
  auto bare = layout::SharedLayout::create(extents, whole.elementBits(),
                                           whole.packDim());
  if (!bare)
    return std::nullopt;
  return layout::SharedLayout::create(extents, whole.elementBits(),
                                      whole.packDim(), whole.swizzle(),
                                      whole.rowPitch() - bare->rowPitch());
}

std::string tile::spellElementType(Type type, bool isUnsigned) {
  if (type.isInteger(1))
    return "bool";
  if (auto integer = dyn_cast<IntegerType>(type))
    return (isUnsigned ? "uint" : "int") + std::to_string(integer.getWidth());
  if (isa<Float8E4M3FNType>(type))
    return "fp8_e4m3";
  if (isa<Float8E5M2Type>(type))
    return "fp8_e5m2";
  if (isa<Float4E2M1FNType>(type))
    return "fp4_e2m1";
  if (isa<Float8E8M0FNUType>(type))
    return "e8m0";
  std::string text;
  llvm::raw_string_ostream os(text);
  type.print(os);
  return text;
}
