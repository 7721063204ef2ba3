//===- MmaTable.cpp - The matrix instruction of a pair of types -----------===//

#include "dialects/Tile/Transforms/MmaTable.h"

using namespace mlir;
using namespace mlir::tile;

using Choices = SmallVector<MmaInstructionChoice, 2>;

unsigned tile::getComputeCapability(StringRef target) {
  unsigned capability = 0;
  if (!target.consume_front("sm_") || target.consumeInteger(10, capability))
    return 0;
  return capability;
}

static bool isHalf(Type type) { return type.isF16() || type.isBF16(); }

bool tile::isFloat8(Type type) {
  return isa<Float8E4M3FNType, Float8E5M2Type>(type);
}

static bool isSmallInteger(Type type) {
  return type.isInteger(4) || type.isInteger(8);
}

/// What 16-bit operands, and all that converts to them exactly, multiply as.
static Choices onHalves(Type type) { return {{type, type, 16, 8, 16}}; }

/// 4-bit operands have an instruction of their own up to sm_89; from sm_90 on
/// 8-bit ones take their place.
static Choices onIntegers(Type a, Type b, unsigned capability) {
  Type i4 = IntegerType::get(a.getContext(), 4),
       i8 = IntegerType::get(a.getContext(), 8);
  Choices choices;
  if (a == i4 && b == i4 && capability < 90)
    choices = {{i4, i4, 16, 8, 64}, {i4, i4, 16, 8, 32}};
  choices.append({{i8, i8, 16, 8, 32}, {i8, i8, 16, 8, 16}});
  return choices;
}

/// Each side keeps its 8-bit format; what is narrower is exact in e4m3.  Before
/// sm_89, for short steps of K, and on sm_90, where ptxas makes two f16
/// instructions and the conversions of each (docs/decisions/0008), both become
/// f16, which holds them all.
static Choices onByteFloats(Type a, Type b, unsigned capability) {
  Choices choices;
  auto widen = [](Type type) -> Type {
    return isFloat8(type) ? type : Float8E4M3FNType::get(type.getContext());
  };
  if (capability >= 89 && capability != 90)
    choices.push_back({widen(a), widen(b), 16, 8, 32});
  choices.append(onHalves(Float16Type::get(a.getContext())));
  return choices;
}

static Choices onTF32(MLIRContext *context) {
  Type tf32 = FloatTF32Type::get(context);
  return {{tf32, tf32, 16, 8, 8}, {tf32, tf32, 16, 8, 4}};
}

Choices tile::findInstructions(GemmOp gemm, unsigned capability) {
  Type a = gemm.getElementTypeA(), b = gemm.getElementTypeB();
  if (isHalf(a) || isHalf(b))
    return onHalves(isHalf(a) ? a : b);
  if (isSmallInteger(a) && isSmallInteger(b))
    return onIntegers(a, b, capability);
  if (isFloat8(a) || isFloat8(b) ||
      (isa<Float4E2M1FNType>(a) && isa<Float4E2M1FNType>(b)))
    return onByteFloats(a, b, capability);
  if (isa<FloatTF32Type>(a) || (a.isF32() && gemm.getTf32()))
    return onTF32(gemm.getContext());
  return {};
}

std::optional<MmaInstructionChoice>
tile::selectInstruction(GemmOp gemm, unsigned capability) {
  for (const MmaInstructionChoice &choice : findInstructions(gemm, capability))
    if (gemm.getTileM() % choice.m == 0 && gemm.getTileN() % choice.n == 0 &&
        gemm.getTileK() % choice.k == 0)
      return choice;
  return std::nullopt;
}

std::string tile::describeMisfit(GemmOp gemm,
                                 const MmaInstructionChoice &instruction) {
  struct Extent {
    const char *name;
    int64_t value, step;
  };
  for (Extent extent : {Extent{"M", gemm.getTileM(), instruction.m},
                        Extent{"N", gemm.getTileN(), instruction.n},
                        Extent{"K", gemm.getTileK(), instruction.k}})
    if (extent.value % extent.step != 0)
      return ("tile " + Twine(extent.name) + " " + Twine(extent.value) +
              " is not a multiple of the MMA " + extent.name + " step " +
              Twine(extent.step))
          .str();
  return "";
}

bool tile::needsPromotion(MmaAttr mma) { return isFloat8(mma.getTypeA()); }
