//===- GenerateTileOps.cpp - Reductions, shapes, atomics, dequant ---------===//
#include "compiler/Frontend/MLIRGen/Generator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace tilec;
using namespace mlir;

//===----------------------------------------------------------------------===//
// Reductions and shapes
//===----------------------------------------------------------------------===//

static tile::ReductionKind getReductionKind(Builtin builtin) {
  switch (builtin) {
  case Builtin::ReduceMax:
    return tile::ReductionKind::Max;
  case Builtin::ReduceMin:
    return tile::ReductionKind::Min;
  case Builtin::ReduceAbsMax:
    return tile::ReductionKind::AbsMax;
  default:
    return tile::ReductionKind::Sum;
  }
}

Value Generator::generateReduce(const checked::ReduceExpr &reduce) {
  const Expr &operand = *reduce.operands[0];
  Value source = generate(operand);
  IntegerAttr dim =
      reduce.dim ? builder.getI64IntegerAttr(*reduce.dim) : IntegerAttr();
  return tile::ReduceOp::create(builder, getLocation(reduce.range),
                                getType(reduce.type),
                                getReductionKind(reduce.builtin), source, dim,
                                isUnsignedInt(operand.type.getElement()));
}

Value Generator::generateScan(const checked::ScanExpr &scan) {
  const Expr &operand = *scan.operands[0];
  Value source = generate(operand);
  return tile::ScanOp::create(builder, getLocation(scan.range),
                              getType(scan.type), tile::ReductionKind::Sum,
                              source, scan.dim, scan.isReversed,
                              isUnsignedInt(operand.type.getElement()));
}

Value Generator::generateReshape(const checked::ReshapeExpr &reshape) {
  Value source = generate(*reshape.operands[0]);
  return tile::ReshapeOp::create(builder, getLocation(reshape.range),
                                 getType(reshape.type), source);
}

Value Generator::generateIota(const checked::IotaExpr &iota) {
  return tile::IotaOp::create(builder, getLocation(iota.range),
                              getType(iota.type));
}

/// A part keeps the rank; dimensions that are dropped go away afterwards.
Value Generator::generatePart(const checked::PartExpr &part) {
  Location location = getLocation(part.range);
  Value source = generate(*part.operands[0]);
  llvm::SmallVector<int64_t> offsets, shape;
  llvm::SmallVector<AffineExpr> kept;
  unsigned next = 0;
  for (const checked::PartExpr::Dim &dim : part.dims) {
    offsets.push_back(dim.offset);
    shape.push_back(dim.isDropped ? 1 : part.type.getExtents()[next]);
    kept.push_back(dim.isDropped ? builder.getAffineConstantExpr(0)
                                 : builder.getAffineDimExpr(next));
    next += !dim.isDropped;
  }
  auto type =
      RankedTensorType::get(shape, getElementType(part.type.getElement()));
  Value result = tile::PartOp::create(builder, location, type, source, offsets);
  if (shape.size() == next)
    return result;
  AffineMap map = AffineMap::get(next, 0, kept, builder.getContext());
  return tile::ReindexOp::create(builder, location, getType(part.type), result,
                                 map);
}

//===----------------------------------------------------------------------===//
// Quantised tiles
//===----------------------------------------------------------------------===//

Value Generator::generateDequant(const checked::DequantExpr &dequant) {
  const Expr &q = dequant.getSource();
  Value source = generateTileOperand(q);
  Value scale, zero;
  bool isZeroUnsigned = false;
  if (dequant.hasScale)
    scale = generateTileOperand(*dequant.getScale());
  if (dequant.hasZero) {
    zero = generateTileOperand(*dequant.getZero());
    isZeroUnsigned = isUnsignedInt(dequant.getZero()->type.getElement());
  }
  IntegerAttr group =
      dequant.group ? builder.getI64IntegerAttr(*dequant.group) : IntegerAttr();
  return tile::DequantOp::create(
      builder, getLocation(dequant.range), getType(dequant.type), source, scale,
      zero, dequant.dim, group, isUnsignedInt(q.type.getElement()),
      isZeroUnsigned);
}

void Generator::generateGemmScaled(const checked::GemmStmt &gemm) {
  Value a = generateTileOperand(*gemm.a), b = generateTileOperand(*gemm.b);
  Value scaleA = generateTileOperand(*gemm.scaleA),
        scaleB = generateTileOperand(*gemm.scaleB);
  Value accumulator = getValue(gemm.accumulator);
  auto op = tile::GemmScaledOp::create(
      builder, getLocation(gemm.range), accumulator.getType(), a, b,
      accumulator, scaleA, scaleB, gemm.granularityK, gemm.granularityM,
      gemm.granularityN, gemm.transposeA, gemm.transposeB, gemm.fastAccum);
  values[gemm.accumulator] = annotate(*gemm.accumulator, op.getResult());
}

//===----------------------------------------------------------------------===//
// Atomics
//===----------------------------------------------------------------------===//

static tile::AtomicKind getAtomicKind(Builtin builtin) {
  switch (builtin) {
  case Builtin::AtomicMax:
    return tile::AtomicKind::Max;
  case Builtin::AtomicMin:
    return tile::AtomicKind::Min;
  default:
    return tile::AtomicKind::Add;
  }
}

Value Generator::generateAtomic(const checked::AtomicExpr &atomic) {
  Location location = getLocation(atomic.range);
  Memory memory = evaluate(atomic.place, location);
  Value value = generate(*atomic.operands[0]);
  return tile::AtomicElementOp::create(
      builder, location, value.getType(), getAtomicKind(atomic.builtin), value,
      memory.root, getIndices(memory, location),
      isUnsignedInt(atomic.type.getElement()), atomic.isAcqRel);
}

void Generator::generateAtomicTile(const checked::AtomicTileStmt &atomic) {
  Location location = getLocation(atomic.range);
  Memory memory = evaluate(atomic.place, location);
  Value value = generate(*atomic.value);
  tile::AtomicKind kind = getAtomicKind(atomic.builtin);
  bool isUnsigned = isUnsignedInt(atomic.value->type.getElement());
  if (memory.isWhole || memory.isTrailing()) {
    llvm::SmallVector<Value> indices;
    if (!memory.isWhole)
      indices = getIndices(memory, location);
    tile::AtomicOp::create(builder, location, kind, value, memory.root, indices,
                           isUnsigned, atomic.isAcqRel);
    return;
  }
  storeElements(
      location, memory, value, [&](Value element, ValueRange indices) {
        tile::AtomicElementOp::create(builder, location, element.getType(),
                                      kind, element, memory.root, indices,
                                      isUnsigned, atomic.isAcqRel);
      });
}

//===----------------------------------------------------------------------===//
// print
//===----------------------------------------------------------------------===//

void Generator::generatePrint(const checked::PrintStmt &print) {
  llvm::SmallVector<Value> operands;
  llvm::SmallVector<bool> areUnsigned;
  for (const checked::ExprPtr &value : print.values) {
    operands.push_back(generate(*value));
    // A bool is 0 or 1.
    ElementType element = value->type.getElement();
    areUnsigned.push_back(isUnsignedInt(element) ||
                          element == ElementType::Bool);
  }
  DenseBoolArrayAttr unsignedValues;
  if (llvm::is_contained(areUnsigned, true))
    unsignedValues = builder.getDenseBoolArrayAttr(areUnsigned);
  tile::PrintOp::create(builder, getLocation(print.range), print.label,
                        operands, unsignedValues);
}
