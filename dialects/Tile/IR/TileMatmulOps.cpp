//===- TileMatmulOps.cpp - Verifiers of the matmul family -----------------===//

#include "dialects/Tile/IR/TileOps.h"

using namespace mlir;
using namespace mlir::tile;

int64_t GemmOp::getTileM() {
  return getTileShape(getAccumulator().getType())[0];
}
int64_t GemmOp::getTileN() {
  return getTileShape(getAccumulator().getType())[1];
}
int64_t GemmOp::getTileK() {
  return getTileShape(getA().getType())[getTransposeA() ? 0 : 1];
}
Type GemmOp::getElementTypeA() { return getTileElementType(getA().getType()); }
Type GemmOp::getElementTypeB() { return getTileElementType(getB().getType()); }

void GemmOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  for (OpOperand *operand : {&getAMutable(), &getBMutable()})
    if (isa<SharedType>(operand->get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), operand);
}

LogicalResult GemmOp::verify() {
  ArrayRef<int64_t> a = getTileShape(getA().getType());
  ArrayRef<int64_t> b = getTileShape(getB().getType());
  ArrayRef<int64_t> acc = getTileShape(getAccumulator().getType());
  // gemm-c1: operands and accumulator are matrices.
  if (a.size() != 2 || b.size() != 2 || acc.size() != 2)
    return emitOpError("gemm-c1: operands and accumulator have rank 2");
  int64_t m = a[getTransposeA() ? 1 : 0], kA = a[getTransposeA() ? 0 : 1];
  int64_t n = b[getTransposeB() ? 0 : 1], kB = b[getTransposeB() ? 1 : 0];
  // gemm-c2: inner extents agree.
  if (kA != kB)
    return emitOpError("gemm-c2: inner extents differ: ")
           << kA << " and " << kB;
  // gemm-c3: the accumulator is [M, N].
  if (acc[0] != m || acc[1] != n)
    return emitOpError("gemm-c3: accumulator is ")
           << acc[0] << "x" << acc[1] << ", operands give " << m << "x" << n;
  return success();
}

LogicalResult MmaOp::verify() {
  ArrayRef<int64_t> a = getTileShape(getA().getType());
  ArrayRef<int64_t> b = getTileShape(getB().getType());
  ArrayRef<int64_t> acc = getTileShape(getAccumulator().getType());
  // mma-c1: shapes are [M, K], [K, N], [M, N].
  if (a.size() != 2 || b.size() != 2 || acc.size() != 2 || a[0] != acc[0] ||
      b[1] != acc[1] || a[1] != b[0])
    return emitOpError("mma-c1: shapes are [M, K], [K, N] and [M, N]");
  // mma-c2: K is a multiple of the instruction's.
  if (a[1] % getMma().getK() != 0)
    return emitOpError("mma-c2: K = ")
           << a[1] << " is not a multiple of " << getMma().getK();
  // mma-c3: every fragment has a layout.
  for (Value fragment : {getA(), getB(), getAccumulator()})
    if (!getFragmentLayout(fragment.getType()))
      return emitOpError("mma-c3: fragments carry layouts, found ")
             << fragment.getType();
  return success();
}
