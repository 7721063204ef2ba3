//===- AccessFacts.cpp - What is known about addresses --------------------===//

#include "dialects/Tile/Transforms/AccessFacts.h"
#include "dialects/Tile/IR/TileShareOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace mlir::tile;

/// Stands for "divisible by everything": 0 is.
static constexpr int64_t maxDivisor = int64_t(1) << 30;

static int64_t multiplyDivisors(int64_t a, int64_t b) {
  int64_t product;
  return llvm::MulOverflow(a, b, product) || product > maxDivisor
             ? std::max(a, b)
             : product;
}

int64_t tile::getKnownDivisor(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant))) {
    int64_t magnitude = std::abs(constant.getSExtValue());
    return magnitude == 0 ? maxDivisor : magnitude;
  }
  if (auto arg = dyn_cast<BlockArgument>(value)) {
    Operation *parent = arg.getOwner()->getParentOp();
    if (auto loop = dyn_cast<scf::ForOp>(parent);
        loop && arg == loop.getInductionVar())
      return std::gcd(getKnownDivisor(loop.getLowerBound()),
                      getKnownDivisor(loop.getStep()));
    if (auto loop = dyn_cast<PipelinedOp>(parent);
        loop && arg == loop.getInductionVar())
      return std::gcd(getKnownDivisor(loop.getLower()),
                      int64_t(loop.getStep()));
    return 1;
  }
  Operation *op = value.getDefiningOp();
  if (isa<arith::MulIOp>(op))
    return multiplyDivisors(getKnownDivisor(op->getOperand(0)),
                            getKnownDivisor(op->getOperand(1)));
  if (isa<arith::AddIOp, arith::SubIOp>(op))
    return std::gcd(getKnownDivisor(op->getOperand(0)),
                    getKnownDivisor(op->getOperand(1)));
  if (isa<arith::ExtSIOp, arith::ExtUIOp>(op))
    return getKnownDivisor(op->getOperand(0));
  if (isa<arith::ShLIOp>(op) &&
      matchPattern(op->getOperand(1), m_ConstantInt(&constant)) &&
      constant.ult(30))
    return multiplyDivisors(getKnownDivisor(op->getOperand(0)),
                            int64_t(1) << constant.getZExtValue());
  if (isa<arith::ShRSIOp, arith::ShRUIOp>(op) &&
      matchPattern(op->getOperand(1), m_ConstantInt(&constant)) &&
      constant.ult(30)) {
    int64_t divisor = getKnownDivisor(op->getOperand(0));
    int64_t scale = int64_t(1) << constant.getZExtValue();
    return divisor % scale == 0 ? divisor / scale : 1;
  }
  // Exact, so that what is left of the divisor divides the quotient.
  if (isa<arith::DivSIOp>(op) &&
      matchPattern(op->getOperand(1), m_ConstantInt(&constant)) &&
      constant.isStrictlyPositive()) {
    int64_t divisor = getKnownDivisor(op->getOperand(0));
    int64_t scale = constant.getSExtValue();
    return divisor % scale == 0 ? divisor / scale : 1;
  }
  if (isa<arith::SelectOp>(op))
    return std::gcd(getKnownDivisor(op->getOperand(1)),
                    getKnownDivisor(op->getOperand(2)));
  return 1;
}

std::optional<int64_t> tile::evaluateExpression(KernelOp kernel,
                                                Attribute expression) {
  if (auto integer = dyn_cast<IntegerAttr>(expression))
    return integer.getInt();
  if (auto name = dyn_cast<StringAttr>(expression))
    return kernel.getSymbolValue(name.getValue());
  auto array = cast<ArrayAttr>(expression);
  if (array.size() != 3)
    return std::nullopt;
  auto a = evaluateExpression(kernel, array[1]),
       b = evaluateExpression(kernel, array[2]);
  if (!a || !b)
    return std::nullopt;
  StringRef op = cast<StringAttr>(array[0]).getValue();
  int64_t result;
  if (op == "+")
    return llvm::AddOverflow(*a, *b, result) ? std::nullopt
                                             : std::optional(result);
  if (op == "-")
    return llvm::SubOverflow(*a, *b, result) ? std::nullopt
                                             : std::optional(result);
  if (op == "*")
    return llvm::MulOverflow(*a, *b, result) ? std::nullopt
                                             : std::optional(result);
  if (*b <= 0)
    return std::nullopt;
  if (op == "/")
    return *a / *b;
  if (op == "%")
    return *a % *b;
  if (op == "ceildiv" && *a >= 0)
    return *a / *b + (*a % *b != 0);
  return std::nullopt;
}

int64_t tile::getKnownDivisor(KernelOp kernel, Attribute expression) {
  if (auto value = evaluateExpression(kernel, expression))
    return *value == 0 ? maxDivisor : std::abs(*value);
  auto array = dyn_cast<ArrayAttr>(expression);
  if (!array || array.size() != 3)
    return 1;
  StringRef op = cast<StringAttr>(array[0]).getValue();
  int64_t a = getKnownDivisor(kernel, array[1]),
          b = getKnownDivisor(kernel, array[2]);
  if (op == "*")
    return multiplyDivisors(a, b);
  return op == "+" || op == "-" ? std::gcd(a, b) : 1;
}

BlockArgument tile::getTensorArgument(Value global) {
  while (auto bytes = global.getDefiningOp<BytesOp>())
    global = bytes.getSource();
  auto argument = dyn_cast<BlockArgument>(global);
  return argument && isa<KernelOp>(argument.getOwner()->getParentOp())
             ? argument
             : BlockArgument();
}

int64_t tile::getArgAlignment(KernelOp kernel, BlockArgument argument) {
  if (auto aligned = kernel.getArgAttrOfType<IntegerAttr>(
          argument.getArgNumber(), alignedAttrName))
    return aligned.getInt();
  return std::max<int64_t>(
      getElementBits(getTileElementType(argument.getType())) / 8, 1);
}

int64_t tile::getCopyBytes(Value global, ValueRange indices,
                           ArrayRef<int64_t> shape) {
  auto type = cast<GlobalType>(global.getType());
  BlockArgument argument = getTensorArgument(global);
  auto kernel = argument ? cast<KernelOp>(argument.getOwner()->getParentOp())
                         : KernelOp();
  int64_t bits = getElementBits(type.getElementType());
  int64_t last = type.getRank() - 1, dropped = type.getRank() - shape.size();
  // Along the packed dimension the tile holds whole bytes.
  if (int64_t pack = type.getPackDim(); pack >= 0) {
    int64_t extent = pack < dropped ? 1 : shape[pack - dropped];
    if (!argument || extent % 2 != 0 || getKnownDivisor(indices[pack]) % 2 != 0)
      return 0;
  }
  int64_t unitBytes = std::max<int64_t>(bits / 8, 1);
  int64_t perByte = type.getPackDim() == last ? 2 : 1;
  // Rows end on a multiple of the pitch's alignment if they are dense; a vector
  // of elements has no pitch that would say so.
  bool rowsEndAligned = kernel && type.getRank() > 1 &&
                        !kernel.isArgStrided(argument.getArgNumber());
  int64_t bytes = kernel ? getArgAlignment(kernel, argument) : unitBytes;
  if (!rowsEndAligned)
    bytes = unitBytes;
  // Arrays of the workspace begin where any access may.
  if (global.getDefiningOp<WorkspaceOp>())
    bytes = type.getShape()[last] * unitBytes;
  bytes = std::gcd(bytes, shape.back() / perByte * unitBytes);
  bytes = std::gcd(
      bytes, multiplyDivisors(
                 std::max<int64_t>(getKnownDivisor(indices[last]) / perByte, 1),
                 unitBytes));
  return std::min<int64_t>(bytes & -bytes, 16);
}

layout::VectorPlan
tile::planGlobalAccess(Value global, ValueRange indices,
                       const layout::FragmentLayout &layout) {
  auto type = cast<GlobalType>(global.getType());
  int64_t bits = getElementBits(type.getElementType());
  SmallVector<int64_t> shape(layout.shape());
  int64_t bytes =
      std::max(getCopyBytes(global, indices, shape), int64_t(bits / 8));
  // What lies along a dimension that the fragment lacks is not packed in it.
  int64_t dropped = type.getRank() - layout.rank();
  if (bits < 8 && type.getPackDim() < dropped)
    bytes = 0;
  return layout::planGlobalVector(
      layout, bits, std::max<int64_t>(type.getPackDim() - dropped, -1), bytes);
}

bool tile::movesWholeBytes(Value source, ValueRange indices,
                           Value destination) {
  auto from = dyn_cast<GlobalType>(source.getType());
  auto to = dyn_cast<SharedType>(destination.getType());
  if (!from || !to || from.getPackDim() < 0)
    return false;
  return from.getPackDim() - (from.getRank() - to.getRank()) ==
             to.getPackDim() &&
         getCopyBytes(source, indices, to.getShape()) > 0;
}

SmallVector<Value> tile::getByteIndices(OpBuilder &builder, Location loc,
                                        Value source, ValueRange indices) {
  SmallVector<Value> result(indices);
  int64_t pack = cast<GlobalType>(source.getType()).getPackDim();
  Value one =
      arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(1));
  // The index is even, so that the shift is exact, for negative ones too.
  result[pack] = arith::ShRSIOp::create(builder, loc, indices[pack], one);
  return result;
}
