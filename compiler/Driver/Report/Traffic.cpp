//===- Traffic.cpp - Bytes that a kernel moves ----------------------------===//
#include "compiler/Driver/Report/Traffic.h"

#include "compiler/Driver/Report/Words.h"
#include "dialects/Tile/IR/TileShareOps.h"
#include "dialects/Tile/Transforms/AccessFacts.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Format.h"

using namespace tilec;
using namespace mlir::tile;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// What a block moves
//===----------------------------------------------------------------------===//

/// The value of an index if it is known, in the first of the blocks that share
/// a loop: it has the most iterations.
static std::optional<llvm::APInt> evaluate(mlir::Value value) {
  llvm::APInt constant;
  if (mlir::matchPattern(value, mlir::m_ConstantInt(&constant)))
    return constant;
  mlir::Operation *op = value.getDefiningOp();
  if (!op || op->getNumResults() != 1)
    return std::nullopt;
  if (mlir::isa<BlockRankOp>(op))
    return llvm::APInt(64, 0);
  if (op->getNumRegions() != 0 || !mlir::isMemoryEffectFree(op))
    return std::nullopt;
  llvm::SmallVector<mlir::Attribute> operands;
  for (mlir::Value operand : op->getOperands()) {
    std::optional<llvm::APInt> known = evaluate(operand);
    if (!known)
      return std::nullopt;
    operands.push_back(mlir::IntegerAttr::get(operand.getType(), *known));
  }
  llvm::SmallVector<mlir::OpFoldResult> folded;
  if (mlir::failed(op->fold(operands, folded)) || folded.size() != 1)
    return std::nullopt;
  if (auto other = mlir::dyn_cast<mlir::Value>(folded[0]))
    return evaluate(other);
  auto attribute = mlir::dyn_cast<mlir::Attribute>(folded[0]);
  auto number = mlir::dyn_cast_or_null<mlir::IntegerAttr>(attribute);
  return number ? std::optional(number.getValue()) : std::nullopt;
}

static std::optional<int64_t> getConstant(mlir::Value value) {
  std::optional<llvm::APInt> number = evaluate(value);
  return number ? std::optional(number->getSExtValue()) : std::nullopt;
}

static std::optional<int64_t> countIterations(mlir::Value lower,
                                              mlir::Value upper, int64_t step) {
  std::optional<int64_t> from = getConstant(lower), to = getConstant(upper);
  if (!from || !to || step < 1)
    return std::nullopt;
  return *to <= *from ? 0 : (*to - *from + step - 1) / step;
}

/// How often a loop runs what is in it, if that is known.
static std::optional<int64_t> countIterations(mlir::Operation *loop) {
  if (auto pipelined = mlir::dyn_cast<PipelinedOp>(loop))
    return countIterations(pipelined.getLower(), pipelined.getUpper(),
                           pipelined.getStep());
  if (auto plain = mlir::dyn_cast<mlir::scf::ForOp>(loop))
    return countIterations(plain.getLowerBound(), plain.getUpperBound(),
                           getConstant(plain.getStep()).value_or(0));
  if (mlir::isa<mlir::scf::WhileOp, PersistentOp>(loop))
    return std::nullopt;
  return 1;
}

double tilec::countIterationsOf(PipelinedOp loop) {
  return double(countIterations(loop.getOperation()).value_or(1));
}

double tilec::countTimes(mlir::Operation *op) {
  double times = 1;
  for (mlir::Operation *parent = op->getParentOp();
       !mlir::isa<KernelOp>(parent); parent = parent->getParentOp())
    times *= double(countIterations(parent).value_or(1));
  return times;
}

/// "64", or "the iterations of line 11", or both.
static std::string describeTimes(mlir::Operation *op) {
  int64_t times = 1;
  std::string loops;
  for (mlir::Operation *parent = op->getParentOp();
       !mlir::isa<KernelOp>(parent); parent = parent->getParentOp()) {
    std::optional<int64_t> count = countIterations(parent);
    if (mlir::isa<mlir::scf::IfOp>(parent))
      loops += "; if line " + nameLine(parent) + " says so";
    if (count)
      times *= *count;
    else
      loops += "; each iteration of line " + nameLine(parent);
  }
  StringRef text(loops);
  text.consume_front("; ");
  if (loops.empty() || times != 1)
    return std::to_string(times) + (loops.empty() ? "" : " x " + text.str());
  return text.str();
}

static int64_t countBytes(llvm::ArrayRef<int64_t> shape, mlir::Type element) {
  int64_t bits = getElementBits(element);
  for (int64_t extent : shape)
    bits *= extent;
  return (bits + 7) / 8;
}

/// Calls visit(op, tensor, bytes, direction) for each access to a tensor.
static void forEachTensorAccess(
    mlir::Operation *root,
    llvm::function_ref<void(mlir::Operation *, mlir::Value, int64_t, StringRef)>
        visit) {
  auto add = [&](mlir::Operation *op, mlir::Value memory, mlir::Type tile,
                 StringRef direction) {
    if (auto global = mlir::dyn_cast<GlobalType>(memory.getType()))
      visit(op, memory, countBytes(getTileShape(tile), global.getElementType()),
            direction);
  };
  root->walk([&](mlir::Operation *op) {
    if (auto copy = mlir::dyn_cast<CopyOp>(op)) {
      add(op, copy.getSource(), copy.getDestination().getType(), "read");
      add(op, copy.getDestination(), copy.getSource().getType(), "written");
    } else if (auto copy = mlir::dyn_cast<AsyncCopyOp>(op)) {
      add(op, copy.getSource(), copy.getDestination().getType(), "read");
    } else if (auto load = mlir::dyn_cast<LoadOp>(op)) {
      add(op, load.getMemory(), load.getResult().getType(), "read");
    } else if (auto store = mlir::dyn_cast<StoreOp>(op)) {
      add(op, store.getMemory(), store.getValue().getType(), "written");
    }
  });
}

TextTable tilec::makeTrafficTable(KernelOp kernel) {
  TextTable table({"line", "tensor ", "direction ", "bytes", "times a block "});
  forEachTensorAccess(kernel, [&](mlir::Operation *op, mlir::Value memory,
                                  int64_t bytes, StringRef direction) {
    table.addRow({nameLine(op), nameMemory(memory), direction.str(),
                  formatCount(bytes), describeTimes(op)});
  });
  return table;
}

double tilec::countBlockTraffic(KernelOp kernel) {
  double sum = 0;
  forEachTensorAccess(
      kernel, [&](mlir::Operation *op, mlir::Value, int64_t bytes, StringRef) {
        sum += double(bytes) * countTimes(op);
      });
  return sum;
}

double tilec::countLoopTraffic(PipelinedOp loop) {
  double sum = 0;
  forEachTensorAccess(loop, [&](mlir::Operation *op, mlir::Value, int64_t bytes,
                                StringRef direction) {
    if (direction == "read")
      sum += double(bytes);
  });
  return sum;
}

//===----------------------------------------------------------------------===//
// What no kernel can avoid
//===----------------------------------------------------------------------===//

namespace {
/// A GPU that stands for a target.
struct Bandwidth {
  StringRef device;
  double terabytes;
};
} // namespace

static Bandwidth getBandwidth(StringRef target) {
  return llvm::StringSwitch<Bandwidth>(target)
      .Case("sm_80", {"A100", 2.0})
      .Case("sm_86", {"A40", 0.7})
      .Case("sm_89", {"L40S", 0.86})
      .Case("sm_90a", {"H200", 4.8})
      .Case("sm_100a", {"B200", 8.0})
      .Default({"RTX PRO 6000", 1.8});
}

std::optional<int64_t> tilec::countTensorBytes(KernelOp kernel) {
  int64_t bytes = 0;
  for (unsigned i = 0; i < kernel.getArgumentTypes().size(); ++i) {
    auto type = mlir::dyn_cast<GlobalType>(kernel.getArgumentTypes()[i]);
    if (!type)
      continue;
    llvm::SmallVector<int64_t> shape;
    for (mlir::Attribute dim : kernel.getArgDims(i)) {
      std::optional<int64_t> extent = evaluateExpression(kernel, dim);
      if (!extent)
        return std::nullopt;
      shape.push_back(*extent);
    }
    // Read and written, each once.
    bytes += countBytes(shape, type.getElementType()) *
             (kernel.getArgAccess(i) == "inout" ? 2 : 1);
  }
  return bytes;
}

std::string tilec::describeBandwidthFloor(KernelOp kernel, StringRef target) {
  std::optional<int64_t> bytes = countTensorBytes(kernel);
  if (!bytes)
    return "";
  Bandwidth bandwidth = getBandwidth(target);
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "the tensors hold " << formatCount(*bytes)
     << " bytes: no launch takes less than "
     << llvm::format("%.1f", double(*bytes) / bandwidth.terabytes / 1e6)
     << " us at " << llvm::format("%.3g", bandwidth.terabytes) << " TB/s ("
     << bandwidth.device << ")";
  return text;
}
