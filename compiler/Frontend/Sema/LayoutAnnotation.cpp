//===- LayoutAnnotation.cpp - Layouts written in the source ---------------===//
#include "compiler/Frontend/Sema/LayoutAnnotation.h"

#include "dialects/Tile/IR/TileOps.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"

using namespace tilec;
using namespace mlir;

static std::string explainShared(tile::SharedLayoutAttr layout) {
  auto isWithin = [](int64_t value, int64_t low, int64_t high) {
    return value >= low && value <= high;
  };
  // Bits of a byte offset in shared memory, of which there are 18 at most.
  if (!isWithin(layout.getBits(), 0, 5) || !isWithin(layout.getBase(), 0, 8) ||
      !isWithin(layout.getShift(), layout.getBits(), 8))
    return "a swizzle [bits, base, shift] has 0 to 5 bits, a base of 0 to 8 "
           "and a shift from the number of bits to 8";
  if (!isWithin(layout.getPadding(), 0, 1024))
    return "the padding is 0 to 1,024 bytes";
  return "";
}

std::string tilec::explainLayout(llvm::StringRef text,
                                 const tilec::Type &type) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<tile::TileDialect>();
  std::string reason;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (reason.empty())
      reason = diagnostic.str();
    return success();
  });
  Attribute attribute = parseAttribute(text, &context);
  if (!attribute)
    return reason.empty() ? "it is no attribute" : reason;
  if (type.isShared()) {
    auto shared = dyn_cast<tile::SharedLayoutAttr>(attribute);
    return shared ? explainShared(shared)
                  : "a shared tile takes a #tile.shared_layout";
  }
  auto fragment = dyn_cast<tile::LayoutAttr>(attribute);
  if (!fragment)
    return "a fragment takes a #tile.layout";
  llvm::ArrayRef<int32_t> shape = fragment.getLayout().shape();
  if (llvm::equal(shape, type.getExtents()))
    return "";
  tilec::Extents extents(shape.begin(), shape.end());
  return "it is of " + formatShape(extents) + ", and the fragment is " +
         formatShape(type.getExtents());
}
