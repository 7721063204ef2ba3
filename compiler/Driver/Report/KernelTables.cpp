//===- KernelTables.cpp - Decisions of the passes as tables
//----------------===//
#include "compiler/Driver/Report/KernelTables.h"

#include "compiler/Driver/PassDiagnostics.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace tilec;
using namespace mlir::tile;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

/// The language's spelling of an element type.
static std::string spellElement(mlir::Type type, bool isUnsigned) {
  if (type.isInteger(1))
    return "bool";
  if (auto integer = llvm::dyn_cast<mlir::IntegerType>(type))
    return (isUnsigned ? "uint" : "int") + std::to_string(integer.getWidth());
  if (llvm::isa<mlir::Float8E4M3FNType>(type))
    return "fp8_e4m3";
  if (llvm::isa<mlir::Float8E5M2Type>(type))
    return "fp8_e5m2";
  if (llvm::isa<mlir::Float4E2M1FNType>(type))
    return "fp4_e2m1";
  if (llvm::isa<mlir::Float8E8M0FNUType>(type))
    return "e8m0";
  std::string text;
  llvm::raw_string_ostream os(text);
  type.print(os);
  return text;
}

/// "bf16[128, 64]"
static std::string spellTile(mlir::Type element, llvm::ArrayRef<int64_t> shape,
                             bool isUnsigned = false) {
  std::string text = spellElement(element, isUnsigned) + "[";
  for (size_t dim = 0; dim < shape.size(); ++dim)
    text += (dim ? ", " : "") + std::to_string(shape[dim]);
  return text + "]";
}

static std::string spellTile(mlir::Type type, bool isUnsigned = false) {
  if (auto shared = llvm::dyn_cast<SharedType>(type))
    return spellTile(shared.getElementType(), shared.getShape(), isUnsigned);
  auto fragment = llvm::cast<mlir::RankedTensorType>(type);
  return spellTile(fragment.getElementType(), fragment.getShape(), isUnsigned);
}

/// The source's name of a tensor or shared tile, seen through views of it.
static std::string nameMemory(mlir::Value value) {
  while (true) {
    if (auto argument = llvm::dyn_cast<mlir::BlockArgument>(value)) {
      auto kernel =
          llvm::dyn_cast<KernelOp>(argument.getOwner()->getParentOp());
      return kernel ? kernel.getArgName(argument.getArgNumber()).str() : "?";
    }
    mlir::Operation *op = value.getDefiningOp();
    if (auto alloc = llvm::dyn_cast<AllocSharedOp>(op))
      return alloc.getName() ? alloc.getName()->str() : "(unnamed)";
    if (op->getNumOperands() == 0 ||
        !llvm::isa<GlobalType, SharedType>(op->getOperand(0).getType()))
      return "?";
    value = op->getOperand(0);
  }
}

static std::string nameLine(mlir::Operation *op) {
  mlir::FileLineColLoc place = findPlace(op->getLoc());
  return place ? std::to_string(place.getLine()) : "-";
}

//===----------------------------------------------------------------------===//
// Matrix products
//===----------------------------------------------------------------------===//

static std::string describeInstruction(GemmOp gemm) {
  std::optional<MmaAttr> mma = gemm.getMma();
  if (!mma)
    return "FMA";
  return "mma m" + std::to_string(mma->getM()) + "n" +
         std::to_string(mma->getN()) + "k" + std::to_string(mma->getK()) +
         " on " + spellElement(mma->getOperandType(), false);
}

/// Which operands change their type on the way to the instruction.
static std::string describeConversions(GemmOp gemm) {
  std::optional<MmaAttr> mma = gemm.getMma();
  if (!mma)
    return "-";
  llvm::SmallVector<StringRef, 2> converted;
  if (gemm.getElementTypeA() != mma->getOperandType())
    converted.push_back("A");
  if (gemm.getElementTypeB() != mma->getOperandType())
    converted.push_back("B");
  return converted.empty() ? "-" : llvm::join(converted, ", ");
}

/// How exact the sum is, where there is a choice.
static std::string describeSums(GemmOp gemm) {
  mlir::Type type = gemm.getElementTypeA();
  if (type.isF32())
    return gemm.getTf32() ? "tf32" : "exact f32";
  if (llvm::isa<mlir::Float8E4M3FNType, mlir::Float8E5M2Type>(type))
    return gemm.getFastAccum() ? "fast_accum" : "promoted to f32";
  return "-";
}

TextTable tilec::makeProductTable(KernelOp kernel) {
  TextTable table({"line", "A ", "B ", "acc ", "instruction ", "converts ",
                   "sums ", "warps "});
  kernel->walk([&](GemmOp gemm) {
    std::optional<MmaAttr> mma = gemm.getMma();
    table.addRow(
        {nameLine(gemm), spellTile(gemm.getA().getType(), gemm.getUnsignedA()),
         spellTile(gemm.getB().getType(), gemm.getUnsignedB()),
         spellTile(gemm.getAccumulator().getType()), describeInstruction(gemm),
         describeConversions(gemm), describeSums(gemm),
         mma ? std::to_string(mma->getWarpsM()) + "x" +
                   std::to_string(mma->getWarpsN())
             : "-"});
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

TextTable tilec::makeSharedLayoutTable(KernelOp kernel) {
  TextTable table(
      {"line", "tile ", "type ", "packed along ", "swizzle ", "padding"});
  kernel->walk([&](AllocSharedOp alloc) {
    SharedType type = alloc.getType();
    SharedLayoutAttr layout = type.getLayout();
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
    if (load && store->getLoc() == load->getLoc() &&
        llvm::isa<GlobalType>(load.getMemory().getType()) &&
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
