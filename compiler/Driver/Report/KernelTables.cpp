//===- KernelTables.cpp - Decisions of the passes as tables ---------------===//
#include "compiler/Driver/Report/KernelTables.h"

#include "compiler/Driver/Report/Words.h"
#include "dialects/Tile/Transforms/GemmPlan.h"
#include "dialects/Tile/Transforms/MmaTable.h"
#include "dialects/Tile/Transforms/StagedLoop.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace tilec;
using namespace mlir::tile;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Matrix products
//===----------------------------------------------------------------------===//

/// The tile, and whether more is done to its numbers than converting them.
static std::string describeOperand(mlir::Value operand, bool isUnsigned) {
  if (!operand.getDefiningOp<OperandOp>())
    return spellTile(operand.getType(), isUnsigned);
  return spellTile(getStoredType(operand), isUnsigned) + ", computed";
}

/// "bf16", or both types where they differ.
static std::string spellOperands(MmaAttr mma, bool unsignedA, bool unsignedB) {
  std::string a = spellElementType(mma.getTypeA(), unsignedA),
              b = spellElementType(mma.getTypeB(), unsignedB);
  return a == b ? a : a + " and " + b;
}

static std::string describeInstruction(GemmOp gemm) {
  std::optional<MmaAttr> mma = gemm.getMma();
  if (!mma)
    return "FMA";
  return (mma->isWgmma() ? "wgmma m" : "mma m") + std::to_string(mma->getM()) +
         "n" + std::to_string(mma->getN()) + "k" + std::to_string(mma->getK()) +
         " on " + spellOperands(*mma, gemm.getUnsignedA(), gemm.getUnsignedB());
}

/// Which operands change their type on the way to the instruction.
static std::string describeConversions(GemmOp gemm) {
  std::optional<MmaAttr> mma = gemm.getMma();
  if (!mma)
    return "-";
  llvm::SmallVector<StringRef, 2> converted;
  if (getStoredType(gemm.getA()).getElementType() != mma->getTypeA())
    converted.push_back("A");
  if (getStoredType(gemm.getB()).getElementType() != mma->getTypeB())
    converted.push_back("B");
  return converted.empty() ? "-" : llvm::join(converted, ", ");
}

/// How exact the sum is, where there is a choice.
static std::string describeSums(GemmOp gemm) {
  std::optional<MmaAttr> mma = gemm.getMma();
  if (gemm.getElementTypeA().isF32())
    return gemm.getTf32() ? "tf32" : "exact f32";
  if (mma && needsPromotion(*mma))
    return gemm.getFastAccum()
               ? "fast_accum"
               : "promoted to f32 every " + std::to_string(promotionInterval) +
                     " of K";
  if (isFloat8(gemm.getElementTypeA()) || isFloat8(gemm.getElementTypeB()))
    return "f32 in each step";
  return getTileElementType(gemm.getAccumulator().getType()).isF16() ? "f16"
                                                                     : "-";
}

TextTable tilec::makeProductTable(KernelOp kernel) {
  TextTable table({"line", "A ", "B ", "acc ", "instruction ", "converts ",
                   "sums ", "warps "});
  kernel->walk([&](GemmOp gemm) {
    std::optional<MmaAttr> mma = gemm.getMma();
    table.addRow(
        {nameLine(gemm), describeOperand(gemm.getA(), gemm.getUnsignedA()),
         describeOperand(gemm.getB(), gemm.getUnsignedB()),
         spellTile(gemm.getAccumulator().getType()), describeInstruction(gemm),
         describeConversions(gemm), describeSums(gemm),
         mma ? std::to_string(mma->getWarpsM()) + "x" +
                   std::to_string(mma->getWarpsN())
             : "-"});
  });
  return table;
}

/// "2x4", with the free orders of columns and K where they are not natural.
static std::string describeSharing(MmaAttr mma) {
  std::string text =
      std::to_string(mma.getWarpsM()) + "x" + std::to_string(mma.getWarpsN());
  auto add = [&](StringRef name, llvm::ArrayRef<int64_t> order) {
    if (order.empty())
      return;
    text += (", " + name + " {").str();
    for (size_t i = 0; i < order.size(); ++i)
      text += (i ? "," : "") + std::to_string(order[i]);
    text += "}";
  };
  add("N", mma.getNOrder());
  add("K", mma.getKOrder());
  return text;
}

TextTable tilec::makeCandidateTable(KernelOp kernel) {
  static constexpr StringRef counts[] = {
      "clocks",    "products",    "loads",  "wavefronts",
      "conflicts", "conversions", "stores", "registers"};
  std::vector<std::string> titles = {"line", "way ", "warps and orders "};
  titles.insert(titles.end(), std::begin(counts), std::end(counts));
  TextTable table(titles);
  kernel->walk([&](GemmOp gemm) {
    auto candidates = gemm->getAttrOfType<mlir::ArrayAttr>("tile.candidates");
    if (!candidates)
      return;
    for (auto [i, candidate] :
         llvm::enumerate(candidates.getAsRange<mlir::DictionaryAttr>())) {
      auto mma = candidate.getAs<MmaAttr>("mma");
      if (!mma)
        return;
      std::vector<std::string> row = {nameLine(gemm),
                                      i == 0 ? "chosen" : "runner-up",
                                      describeSharing(mma)};
      for (StringRef count : counts) {
        auto number = candidate.getAs<mlir::IntegerAttr>(count);
        row.push_back(number ? formatCount(number.getInt()) : "-");
      }
      table.addRow(row);
    }
  });
  return table;
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

static std::string describeSwizzle(SharedLayoutAttr layout) {
  if (!layout || layout.getBits() == 0)
    return "-";
  // The span of the XORed offset: 2^(base + bits) bytes.
  return std::to_string(int64_t(1) << (layout.getBase() + layout.getBits())) +
         " bytes [" + std::to_string(layout.getBits()) + ", " +
         std::to_string(layout.getBase()) + ", " +
         std::to_string(layout.getShift()) + "]";
}

UnpackedOp tilec::findUnpacked(AllocSharedOp alloc) {
  for (mlir::Operation *user : alloc->getUsers())
    if (auto unpacked = llvm::dyn_cast<UnpackedOp>(user))
      return unpacked;
  return {};
}

/// "4 of dimension 1, 8 apart", lowest digit first.
static std::string describeOrder(const layout::PackedOrder &order) {
  std::string text;
  for (const layout::PackedOrder::Digit &digit : order.digits())
    text +=
        (text.empty() ? "" : "; ") + std::to_string(digit.count) +
        " along dimension " + std::to_string(digit.dim) +
        (digit.stride == 1 ? ""
                           : ", " + std::to_string(digit.stride) + " apart");
  return text;
}

TextTable tilec::makePackedTensorTable(KernelOp kernel) {
  TextTable table(
      {"tensor ", "tile ", "bytes", "tiles along ", "elements side by side "});
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i) {
    mlir::DictionaryAttr packing = kernel.getArgPacking(i);
    if (!packing)
      continue;
    const layout::PackedOrder &order =
        packing.getAs<PackedOrderAttr>("order").getOrder();
    auto type = llvm::cast<GlobalType>(kernel.getArgumentTypes()[i]);
    table.addRow(
        {kernel.getArgName(i).str(),
         spellTile(type.getElementType(),
                   llvm::SmallVector<int64_t>(order.shape())),
         formatCount(order.bytes()),
         "dimension " +
             std::to_string(packing.getAs<mlir::IntegerAttr>("along").getInt()),
         describeOrder(order)});
  }
  return table;
}

TextTable tilec::makeSharedLayoutTable(KernelOp kernel) {
  TextTable table(
      {"line", "tile ", "type ", "packed along ", "swizzle ", "padding"});
  kernel->walk([&](AllocSharedOp alloc) {
    SharedType type = alloc.getType();
    SharedLayoutAttr layout = type.getLayout();
    if (UnpackedOp unpacked = findUnpacked(alloc)) {
      table.addRow({nameLine(alloc), nameMemory(alloc),
                    spellTile(unpacked.getType()), "prepacked", "-", "-"});
      return;
    }
    table.addRow({nameLine(alloc), nameMemory(alloc), spellTile(type),
                  type.getPackDim() < 0
                      ? "-"
                      : "dimension " + std::to_string(type.getPackDim()),
                  describeSwizzle(layout),
                  layout && layout.getPadding()
                      ? std::to_string(layout.getPadding())
                      : "-"});
  });
  return table;
}

TextTable tilec::makeFragmentTable(KernelOp kernel) {
  TextTable table({"line", "accumulator ", "a thread holds", "layout "});
  kernel->walk([&](GemmOp gemm) {
    auto type = llvm::cast<mlir::RankedTensorType>(gemm.getResult().getType());
    auto layout = llvm::dyn_cast_or_null<LayoutAttr>(type.getEncoding());
    if (layout)
      table.addRow({nameLine(gemm), spellTile(type),
                    std::to_string(layout.getLayout().elementsPerThread()),
                    layout.getLayout().str()});
  });
  return table;
}

//===----------------------------------------------------------------------===//
// Copies and buffers
//===----------------------------------------------------------------------===//

static std::string describeEngine(std::optional<CopyPlanAttr> plan) {
  if (!plan)
    return "-";
  switch (plan->getEngine()) {
  case CopyEngine::Scalar:
    return "element by element";
  case CopyEngine::Vector:
    return "vector";
  case CopyEngine::CpAsync:
    return "cp.async";
  }
  llvm_unreachable("every engine has a name");
}

TextTable tilec::makeCopyTable(KernelOp kernel) {
  TextTable table({"line", "from ", "to ", "engine ", "bytes"});
  auto add = [&](mlir::Operation *op, mlir::Value source,
                 mlir::Value destination, std::optional<CopyPlanAttr> plan) {
    table.addRow({nameLine(op), nameMemory(source), nameMemory(destination),
                  describeEngine(plan),
                  plan ? std::to_string(plan->getBytes()) : "-"});
  };
  // A copy that runs ahead through registers is a load and a store, in the loop
  // and once in front of it.
  auto addTransit = [&](StoreOp store) {
    auto load = store.getValue().getDefiningOp<LoadOp>();
    if (load && store->hasAttr(mlir::tile::transitAttrName) &&
        llvm::isa<mlir::scf::ForOp>(store->getParentOp()))
      table.addRow({nameLine(store), nameMemory(load.getMemory()),
                    nameMemory(store.getMemory()), "through registers",
                    std::to_string(getElementBits(getTileElementType(
                                       load.getMemory().getType())) /
                                   8)});
  };
  kernel->walk([&](mlir::Operation *op) {
    if (auto copy = llvm::dyn_cast<CopyOp>(op))
      add(copy, copy.getSource(), copy.getDestination(), copy.getPlan());
    else if (auto copy = llvm::dyn_cast<AsyncCopyOp>(op))
      add(copy, copy.getSource(), copy.getDestination(), copy.getPlan());
    else if (auto store = llvm::dyn_cast<StoreOp>(op))
      addTransit(store);
  });
  return table;
}

TextTable tilec::makeBufferTable(KernelOp kernel) {
  TextTable table({"line", "tile ", "stages", "offset", "bytes"});
  kernel->walk([&](AllocSharedOp alloc) {
    auto stages = alloc->getAttrOfType<mlir::IntegerAttr>("tile.stages");
    table.addRow({nameLine(alloc), nameMemory(alloc),
                  std::to_string(stages ? stages.getInt() : 1),
                  alloc.getOffset() ? formatCount(*alloc.getOffset()) : "-",
                  formatCount(alloc.getType().getStorage().bytes())});
  });
  return table;
}

int64_t tilec::countBarriers(KernelOp kernel) {
  int64_t count = 0;
  kernel->walk([&](BarrierOp) { ++count; });
  return count;
}
