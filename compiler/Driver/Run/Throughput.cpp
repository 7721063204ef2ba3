//===- Throughput.cpp - Work of a launch, for rates -----------------------===//
//
// A product C = A B does 2 * |C| * K operations.  |C| is the size of the
// largest tensor that the kernel writes, batches included; K is the extent of
// the tensor from which an operand's tile is copied, along the dimension that
// the product adds up.
//
//===----------------------------------------------------------------------===//
#include "compiler/Driver/Run/Throughput.h"

#include "llvm/Support/Format.h"

using namespace tilec;
using namespace mlir::tile;

static double countElements(llvm::ArrayRef<int64_t> sizes) {
  double count = 1;
  for (int64_t size : sizes)
    count *= double(size);
  return count;
}

/// The parameter that a tensor value is, or is a view of; none for others.
static std::optional<unsigned> findParameter(mlir::Value value) {
  while (mlir::isa<GlobalType>(value.getType())) {
    if (auto argument = mlir::dyn_cast<mlir::BlockArgument>(value))
      return argument.getArgNumber();
    mlir::Operation *op = value.getDefiningOp();
    if (!op || op->getNumOperands() == 0)
      break;
    value = op->getOperand(0);
  }
  return std::nullopt;
}

/// The memory of which a shared tile is a part.
static mlir::Value findAllocation(mlir::Value tile) {
  while (mlir::Operation *op = tile.getDefiningOp()) {
    if (op->getNumOperands() == 0 ||
        !mlir::isa<SharedType>(op->getOperand(0).getType()))
      break;
    tile = op->getOperand(0);
  }
  return tile;
}

/// The parameter that fills an operand of a product: through conversions of one
/// tile, and the copies into its shared memory.
static std::optional<unsigned> findSource(KernelOp kernel,
                                          mlir::Value operand) {
  while (!mlir::isa<SharedType>(operand.getType())) {
    mlir::Operation *op = operand.getDefiningOp();
    if (!mlir::isa_and_present<CastOp, DequantOp, LoadOp>(op))
      return std::nullopt;
    if (auto load = mlir::dyn_cast<LoadOp>(op))
      if (auto parameter = findParameter(load.getMemory()))
        return parameter;
    operand = op->getOperand(0);
  }
  mlir::Value memory = findAllocation(operand);
  std::optional<unsigned> found;
  kernel->walk([&](CopyOp copy) {
    if (mlir::isa<SharedType>(copy.getDestination().getType()) &&
        findAllocation(copy.getDestination()) == memory)
      found = findParameter(copy.getSource());
  });
  return found;
}

/// The extent that a product adds up.  K is the last dimension of A and of a
/// transposed B.
static std::optional<int64_t>
findK(KernelOp kernel, llvm::ArrayRef<llvm::SmallVector<int64_t>> sizes,
      mlir::Value a, bool transposeA, mlir::Value b, bool transposeB) {
  for (auto [operand, isLast] :
       {std::pair(a, !transposeA), std::pair(b, transposeB)}) {
    std::optional<unsigned> parameter = findSource(kernel, operand);
    if (!parameter || sizes[*parameter].size() < 2)
      continue;
    return sizes[*parameter].end()[isLast ? -1 : -2];
  }
  return std::nullopt;
}

Work tilec::countWork(KernelOp kernel,
                      llvm::ArrayRef<llvm::SmallVector<int64_t>> sizes) {
  Work work;
  double written = 0;
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i) {
    auto type = mlir::dyn_cast<GlobalType>(kernel.getArgumentTypes()[i]);
    if (!type)
      continue;
    double elements = countElements(sizes[i]);
    llvm::StringRef access = kernel.getArgAccess(i);
    work.bytes += elements * getElementBits(type.getElementType()) / 8 *
                  (access == "inout" ? 2 : 1);
    if (access != "in")
      written = std::max(written, elements);
  }

  unsigned products = 0;
  std::optional<int64_t> k;
  kernel->walk([&](mlir::Operation *op) {
    mlir::Value accumulator;
    if (auto gemm = mlir::dyn_cast<GemmOp>(op)) {
      k = findK(kernel, sizes, gemm.getA(), gemm.getTransposeA(), gemm.getB(),
                gemm.getTransposeB());
      accumulator = gemm.getAccumulator();
    } else if (auto gemm = mlir::dyn_cast<GemmScaledOp>(op)) {
      k = findK(kernel, sizes, gemm.getA(), gemm.getTransposeA(), gemm.getB(),
                gemm.getTransposeB());
      accumulator = gemm.getAccumulator();
    } else {
      return;
    }
    ++products;
    work.isInteger =
        mlir::getElementTypeOrSelf(accumulator.getType()).isInteger();
  });
  if (products == 1 && k)
    work.operations = 2 * written * double(*k);
  return work;
}

std::string tilec::describeRates(const Work &work, double microseconds) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (work.operations)
    os << llvm::format("%.4g", *work.operations / microseconds / 1e6)
       << (work.isInteger ? " TOP/s, " : " TFLOP/s, ");
  os << llvm::format("%.4g", work.bytes / microseconds / 1e3) << " GB/s";
  return text;
}
