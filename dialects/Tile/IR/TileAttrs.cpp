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

Attribute PackedOrderAttr::parse(AsmParser &parser, Type) {
  std::string text, error;
  SMLoc loc;
  if (parser.parseLess() || parser.getCurrentLocation(&loc) ||
      parser.parseString(&text) || parser.parseGreater())
    return {};
  std::optional<layout::PackedOrder> order =
      layout::PackedOrder::parse(text, &error);
  if (!order) {
    parser.emitError(loc, "not an order: ") << error;
    return {};
  }
  return PackedOrderAttr::get(parser.getContext(), *order);
}

void PackedOrderAttr::print(AsmPrinter &printer) const {
  printer << "<\"" << getOrder().str() << "\">";
}

/// layout-c1: a fragment has the shape of its layout.
LogicalResult
LayoutAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                           function_ref<InFlightDiagnostic()> emitError) const {
  if (llvm::equal(getLayout().shape(), shape))
    return success();
  auto spell = [](const auto &extents) {
    std::string text;
    for (int64_t extent : extents)
      text += (text.empty() ? "" : "x") + std::to_string(extent);
    return text;
  };
  return emitError() << "layout-c1: the layout is one of "
                     << spell(getLayout().shape()) << ", but the fragment is "
                     << spell(shape);
}

Attribute SharedLayoutAttr::parse(AsmParser &parser, Type) {
  int64_t bits = 0, base = 4, shift = 3, padding = 0, panel = 0;
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
    } else if (keyword == "panel") {
      if (parser.parseInteger(panel))
        return {};
    } else {
      parser.emitError(loc, "expected 'swizzle', 'padding' or 'panel', found '")
          << keyword << "'";
      return {};
    }
  } while (succeeded(parser.parseOptionalComma()));
  if (parser.parseGreater())
    return {};
  return SharedLayoutAttr::get(parser.getContext(), bits, base, shift, padding,
                               panel);
}

void SharedLayoutAttr::print(AsmPrinter &printer) const {
  printer << "<swizzle = [" << getBits() << ", " << getBase() << ", "
          << getShift() << "]";
  if (getPadding() != 0)
    printer << ", padding = " << getPadding();
  if (getPanel() != 0)
    printer << ", panel = " << getPanel();
  printer << ">";
}

Attribute MmaAttr::parse(AsmParser &parser, Type) {
  StringRef shape;
  Type typeA, typeB;
  int64_t warpsM = 1, warpsN = 1;
  SMLoc loc;
  if (parser.parseLess() || parser.getCurrentLocation(&loc) ||
      parser.parseKeyword(&shape) || parser.parseComma() ||
      parser.parseKeyword("type") || parser.parseEqual() ||
      parser.parseType(typeA) || parser.parseComma())
    return {};
  typeB = typeA;
  if (succeeded(parser.parseOptionalKeyword("type_b")) &&
      (parser.parseEqual() || parser.parseType(typeB) || parser.parseComma()))
    return {};
  if (parser.parseKeyword("warps") || parser.parseEqual() ||
      parser.parseLSquare() || parser.parseInteger(warpsM) ||
      parser.parseComma() || parser.parseInteger(warpsN) ||
      parser.parseRSquare())
    return {};
  SmallVector<int64_t> nOrder, kOrder;
  bool swap = false;
  while (succeeded(parser.parseOptionalComma())) {
    StringRef keyword;
    SMLoc keywordLoc = parser.getCurrentLocation();
    if (succeeded(parser.parseOptionalKeyword("swap"))) {
      swap = true;
      continue;
    }
    if (parser.parseKeyword(&keyword) || parser.parseEqual())
      return {};
    if (keyword != "columns" && keyword != "k") {
      parser.emitError(keywordLoc, "expected 'columns', 'k' or 'swap', found '")
          << keyword << "'";
      return {};
    }
    SmallVector<int64_t> &order = keyword == "k" ? kOrder : nOrder;
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() {
          return parser.parseInteger(order.emplace_back());
        }))
      return {};
  }
  if (parser.parseGreater())
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
  return parser.getChecked<MmaAttr>(parser.getContext(), m, n, k, typeA, typeB,
                                    warpsM, warpsN, nOrder, kOrder, swap);
}

unsigned MmaAttr::getOperandBits() const {
  return tile::getElementBits(getTypeA());
}

void MmaAttr::print(AsmPrinter &printer) const {
  printer << "<m" << getM() << "n" << getN() << "k" << getK()
          << ", type = " << getTypeA();
  if (getTypeB() != getTypeA())
    printer << ", type_b = " << getTypeB();
  printer << ", warps = [" << getWarpsM() << ", " << getWarpsN() << "]";
  auto printOrder = [&](StringRef keyword, ArrayRef<int64_t> order) {
    if (order.empty())
      return;
    printer << ", " << keyword << " = [";
    llvm::interleaveComma(order, printer);
    printer << "]";
  };
  printOrder("columns", getNOrder());
  printOrder("k", getKOrder());
  printer << (getSwap() ? ", swap>" : ">");
}

LogicalResult MmaAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                              int64_t m, int64_t n, int64_t k, Type typeA,
                              Type typeB, int64_t warpsM, int64_t warpsN,
                              ArrayRef<int64_t> nOrder,
                              ArrayRef<int64_t> kOrder, bool swap) {
  if (swap && m != 64 && m != 16)
    return emitError() << "only instructions of 16 or 64 rows swap their "
                          "operands";
  if (m <= 0 || n <= 0 || k <= 0 || !typeA.isIntOrFloat() ||
      !typeB.isIntOrFloat())
    return emitError() << "an instruction has a positive shape, and numbers";
  if (tile::getElementBits(typeA) != tile::getElementBits(typeB))
    return emitError() << "an instruction takes operands of one width, found "
                       << typeA << " and " << typeB;
  if (warpsM < 1 || warpsN < 1 || warpsM * warpsN > 32 ||
      (!llvm::isPowerOf2_64(warpsM) && !llvm::isPowerOf2_64(warpsN)))
    return emitError() << "warps are up to 32 in all, a power of two along one "
                          "dimension at least, found "
                       << warpsM << "x" << warpsN;
  for (ArrayRef<int64_t> order : {nOrder, kOrder}) {
    SmallVector<int64_t> sorted(order);
    llvm::sort(sorted);
    for (auto [index, bit] : llvm::enumerate(sorted))
      if (bit != int64_t(index))
        return emitError() << "an order is a permutation of 0 to "
                           << order.size() - 1;
    if (order.size() > 16)
      return emitError() << "an order has up to 16 bits, found "
                         << order.size();
  }
  return success();
}

LogicalResult ScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   ScheduleKind kind, int64_t teams,
                                   int64_t groups) {
  bool isPingPong = kind == ScheduleKind::PingPong;
  // schedule-c1: there is somebody to multiply.
  if (teams < 1 || groups < 1 || (!isPingPong && teams != 1))
    return emitError() << "schedule-c1: 'teams' and 'groups' are positive, and "
                          "'cooperative' has one team";
  // schedule-c2: who takes turns needs somebody to take them with.
  if (isPingPong && (teams < 2 || groups != 1))
    return emitError() << "schedule-c2: 'pingpong' has two teams or more, of "
                          "one warpgroup each";
  return success();
}
