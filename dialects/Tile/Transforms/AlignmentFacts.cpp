//===- AlignmentFacts.cpp - What a launch checks of alignment -------------===//

#include "dialects/Tile/Transforms/AlignmentFacts.h"
#include "dialects/Tile/Transforms/AccessFacts.h"

using namespace mlir;
using namespace mlir::tile;

std::optional<int64_t> tile::getStaticPitch(KernelOp kernel, unsigned index,
                                            int64_t dim) {
  auto type = cast<GlobalType>(kernel.getArgumentTypes()[index]);
  if (kernel.isArgStrided(index))
    return std::nullopt;
  int64_t bits = getElementBits(type.getElementType());
  int64_t pitch = std::max<int64_t>(bits / 8, 1);
  for (int64_t d = type.getRank() - 1; d > dim; --d) {
    auto extent = evaluateExpression(kernel, kernel.getArgDims(index)[d]);
    if (!extent)
      return std::nullopt;
    pitch *= d == type.getPackDim() ? (*extent + 1) / 2 : *extent;
  }
  return pitch;
}

AlignmentFacts::AlignmentFacts(KernelOp kernel, ArrayAttr facts)
    : kernel(kernel), builder(kernel) {
  if (facts)
    this->facts.assign(facts.begin(), facts.end());
}

void AlignmentFacts::addMultiple(Attribute value, int64_t divisor,
                                 const Twine &text) {
  Attribute remainder = builder.getArrayAttr(
      {builder.getStringAttr("%"), value, builder.getI64IntegerAttr(divisor)});
  Attribute fact = builder.getArrayAttr(
      {builder.getStringAttr("=="), remainder, builder.getI64IntegerAttr(0)});
  addFact(fact, text);
}

void AlignmentFacts::addFact(Attribute expression, const Twine &text) {
  facts.push_back(builder.getDictionaryAttr(
      {builder.getNamedAttr("expr", expression),
       builder.getNamedAttr("text", builder.getStringAttr(text))}));
}

void AlignmentFacts::addInt32Extents(unsigned index) {
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  for (auto [dim, extent] : llvm::enumerate(kernel.getArgDims(index))) {
    auto fixed = evaluateExpression(kernel, extent);
    if (fixed && *fixed <= most)
      continue;
    addFact(builder.getArrayAttr({builder.getStringAttr("<="), extent,
                                  builder.getI64IntegerAttr(most)}),
            "dimension " + Twine(dim) + " of '" + kernel.getArgName(index) +
                "' has fewer than 2^31 elements");
  }
}

void AlignmentFacts::addEvenPack(unsigned index) {
  auto type = cast<GlobalType>(kernel.getArgumentTypes()[index]);
  int64_t pack = type.getPackDim();
  if (pack < 0)
    return;
  Attribute extent = kernel.getArgDims(index)[pack];
  if (evaluateExpression(kernel, extent).value_or(1) % 2 != 0)
    addMultiple(extent, 2,
                "the packed dimension of '" + kernel.getArgName(index) +
                    "' is even");
}

void AlignmentFacts::addArgument(unsigned index, int64_t bytes) {
  auto type = cast<GlobalType>(kernel.getArgumentTypes()[index]);
  StringAttr name = builder.getStringAttr(kernel.getArgName(index));
  std::string quoted = ("'" + name.getValue() + "'").str();
  addEvenPack(index);
  for (int64_t dim = 0; dim + 1 < type.getRank(); ++dim) {
    auto pitch = getStaticPitch(kernel, index, dim);
    if (!pitch || *pitch % bytes != 0)
      addMultiple(builder.getArrayAttr({builder.getStringAttr("stride_bytes"),
                                        name, builder.getI64IntegerAttr(dim)}),
                  bytes,
                  "the pitch of " + quoted + " is a multiple of " +
                      Twine(bytes) + " bytes");
  }
  addBase(index, bytes);
}

void AlignmentFacts::addBase(unsigned index, int64_t bytes) {
  StringRef name = kernel.getArgName(index);
  addMultiple(builder.getArrayAttr({builder.getStringAttr("address"),
                                    builder.getStringAttr(name)}),
              bytes,
              "'" + name + "' starts at a multiple of " + Twine(bytes) +
                  " bytes");
}
