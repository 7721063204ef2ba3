//===- SelectMma.cpp - Choose the instruction of each product -------------===//
//
// The table of design choices: 16-bit floats multiply as they are; a narrow
// integer beside one is converted to it in registers, exactly.
//
//===----------------------------------------------------------------------===//

#include "dialects/Tile/Transforms/GemmPlan.h"
#include "dialects/Tile/Transforms/Passes.h"

namespace mlir::tile {
#define GEN_PASS_DEF_SELECTMMAPASS
#include "dialects/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

/// How the language spells an element type.
static std::string spell(Type type, bool isUnsigned) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return (isUnsigned ? "uint" : "int") + std::to_string(integer.getWidth());
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// The type both operands have at the instruction; null if there is none yet.
static Type getInstructionType(GemmOp gemm) {
  Type a = gemm.getElementTypeA(), b = gemm.getElementTypeB();
  if (!getTileElementType(gemm.getAccumulator().getType()).isF32())
    return {};
  auto isWide = [](Type t) { return t.isBF16() || t.isF16(); };
  auto isPacked = [](Type t) { return t.isInteger(4); };
  if (isWide(a) && (a == b || isPacked(b)))
    return a;
  if (isWide(b) && isPacked(a))
    return b;
  return {};
}

/// Puts a fragment operand in a shared tile, from which the instruction's own
/// fragments are read.
static void stageOperand(OpOperand &operand) {
  auto tensor = dyn_cast<RankedTensorType>(operand.get().getType());
  if (!tensor)
    return;
  OpBuilder builder(operand.getOwner());
  Location loc = operand.getOwner()->getLoc();
  int64_t packDim =
      tensor.getElementTypeBitWidth() == 4 ? tensor.getRank() - 1 : -1;
  auto type =
      SharedType::get(builder.getContext(), tensor.getShape(),
                      tensor.getElementType(), packDim, SharedLayoutAttr());
  auto alloc = AllocSharedOp::create(
      builder, loc, type, builder.getStringAttr("operand"), IntegerAttr());
  StoreOp::create(builder, loc, operand.get(), alloc, ValueRange());
  operand.set(alloc);
}

/// Sets the instruction of one gemm, or says why there is none.
static LogicalResult selectMma(GemmOp gemm, int64_t warps) {
  Type operandType = getInstructionType(gemm);
  if (!operandType) {
    return gemm.emitError("'gemm' of ")
           << spell(gemm.getElementTypeA(), gemm.getUnsignedA()) << " and "
           << spell(gemm.getElementTypeB(), gemm.getUnsignedB())
           << " with an accumulator of "
           << getTileElementType(gemm.getAccumulator().getType())
           << " is not supported yet";
  }
  const int64_t m = 16, n = 8, k = 16;
  struct Extent {
    const char *name;
    int64_t value, step;
  };
  for (Extent extent :
       {Extent{"M", gemm.getTileM(), m}, Extent{"N", gemm.getTileN(), n},
        Extent{"K", gemm.getTileK(), k}})
    if (extent.value % extent.step != 0)
      return gemm.emitError("tile ") << extent.name << " " << extent.value
                                     << " is not a multiple of the MMA "
                                     << extent.name << " step " << extent.step;
  auto [warpsM, warpsN] =
      chooseWarpGrid(gemm.getTileM(), gemm.getTileN(), warps, m, n,
                     getElementBits(gemm.getElementTypeA()),
                     getElementBits(gemm.getElementTypeB()));
  gemm.setMmaAttr(
      MmaAttr::get(gemm.getContext(), m, n, k, operandType, warpsM, warpsN));
  stageOperand(gemm.getAMutable());
  stageOperand(gemm.getBMutable());
  return success();
}

namespace {
struct SelectMma : tile::impl::SelectMmaPassBase<SelectMma> {
  using SelectMmaPassBase::SelectMmaPassBase;

  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<KernelOp>()) {
      if (!llvm::isPowerOf2_64(kernel.getThreads())) {
        kernel.emitError("'threads' of ")
            << kernel.getThreads() << " is not supported yet";
        kernel.emitRemark("help: use a power of two, such as ")
            << getNumWarps(kernel) * 32;
        return signalPassFailure();
      }
      int64_t warps = getNumWarps(kernel);
      bool failedAny = false;
      kernel.walk(
          [&](GemmOp gemm) { failedAny |= failed(selectMma(gemm, warps)); });
      if (failedAny)
        return signalPassFailure();
    }
  }
};
} // namespace
