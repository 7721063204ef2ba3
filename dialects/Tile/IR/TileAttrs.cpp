//===- TileAttrs.cpp - Attributes of the tile dialect ---------------------===//

#include "dialects/Tile/IR/TileDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tile;

#define GET_ATTRDEF_CLASSES
#include "dialects/Tile/IR/TileAttrs.cpp.inc"

void TileDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/Tile/IR/TileAttrs.cpp.inc"
      >();
}

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  std::string text, error;
  SMLoc loc;
  if (parser.parseLess() || parser.getCurrentLocation(&loc) ||
      parser.parseString(&text) || parser.parseGreater())
    return {};
  std::optional<layout::FragmentLayout> layout =
      layout::FragmentLayout::parse(text, &error);
  if (!layout) {
    parser.emitError(loc, "not a layout: ") << error;
    return {};
  }
  return LayoutAttr::get(parser.getContext(), *layout);
}

void LayoutAttr::print(AsmPrinter &printer) const {
  printer << "<\"" << getLayout().str() << "\">";
}

Attribute SharedLayoutAttr::parse(AsmParser &parser, Type) {
  int64_t bits = 0, base = 4, shift = 3, padding = 0;
  if (parser.parseLess())
    return {};
  do {
    StringRef keyword;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&keyword) || parser.parseEqual())
      return {};
    if (keyword == "swizzle") {
      if (parser.parseLSquare() || parser.parseInteger(bits) ||
          parser.parseComma() || parser.parseInteger(base) ||
          parser.parseComma() || parser.parseInteger(shift) ||
          parser.parseRSquare())
        return {};
    } else if (keyword == "padding") {
      if (parser.parseInteger(padding))
        return {};
    } else {
      parser.emitError(loc, "expected 'swizzle' or 'padding', found '")
          << keyword << "'";
      return {};
    }
  } while (succeeded(parser.parseOptionalComma()));
  if (parser.parseGreater())
    return {};
  return SharedLayoutAttr::get(parser.getContext(), bits, base, shift, padding);
}

void SharedLayoutAttr::print(AsmPrinter &printer) const {
  printer << "<swizzle = [" << getBits() << ", " << getBase() << ", "
          << getShift() << "]";
  if (getPadding() != 0)
    printer << ", padding = " << getPadding();
  printer << ">";
}

Attribute MmaAttr::parse(AsmParser &parser, Type) {
  StringRef shape;
  Type operandType;
  int64_t warpsM = 1, warpsN = 1;
  SMLoc loc;
  if (parser.parseLess() || parser.getCurrentLocation(&loc) ||
      parser.parseKeyword(&shape) || parser.parseComma() ||
      parser.parseKeyword("type") || parser.parseEqual() ||
      parser.parseType(operandType) || parser.parseComma() ||
      parser.parseKeyword("warps") || parser.parseEqual() ||
      parser.parseLSquare() || parser.parseInteger(warpsM) ||
      parser.parseComma() || parser.parseInteger(warpsN) ||
      parser.parseRSquare() || parser.parseGreater())
    return {};
  // The shape reads m16n8k16.
  int64_t m, n, k;
  StringRef rest = shape;
  if (!rest.consume_front("m") || rest.consumeInteger(10, m) ||
      !rest.consume_front("n") || rest.consumeInteger(10, n) ||
      !rest.consume_front("k") || rest.consumeInteger(10, k) || !rest.empty()) {
    parser.emitError(loc,
                     "expected an instruction shape such as m16n8k16, found '")
        << shape << "'";
    return {};
  }
  return MmaAttr::get(parser.getContext(), m, n, k, operandType, warpsM,
                      warpsN);
}

void MmaAttr::print(AsmPrinter &printer) const {
  printer << "<m" << getM() << "n" << getN() << "k" << getK()
          << ", type = " << getOperandType() << ", warps = [" << getWarpsM()
          << ", " << getWarpsN() << "]>";
}
