//===- ElementwiseToNVVM.cpp - Arithmetic on scalars and fragments --------===//
//
// An elementwise op on fragments becomes the same op on each element, or on
// pairs of 16-bit floats: operands and result have one layout.
//
//===----------------------------------------------------------------------===//

#include "compiler/Conversion/TileToNVVM/Emitters.h"
#include "compiler/Conversion/TileToNVVM/MathFunctions.h"
#include "compiler/Conversion/TileToNVVM/PackedCast.h"
#include "dialects/Layout/Conversion.h"
#include "dialects/Tile/Transforms/GemmPlan.h"
#include "dialects/Tile/Transforms/ParallelLayout.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::tile;

/// The elements that a thread holds of a fragment whose elements, in row-major
/// order, are known in every thread: chosen along the thread's coordinates.
static SmallVector<Value> chooseElements(KernelEmitter &e,
                                         const layout::FragmentLayout &layout,
                                         ArrayRef<int64_t> shape,
                                         ArrayRef<Value> all) {
  SmallVector<Value> elements;
  for (int reg = 0; reg < layout.elementsPerThread(); ++reg) {
    // Number of the element in row-major order.
    Value place = e.i32(0);
    for (auto [d, extent] : llvm::enumerate(shape)) {
      Value coord =
          e.emitThreadCoord(layout.laneBases(), layout.warpBases(), int(d));
      coord = e.xori(coord, e.i32(layout.registerXor(reg)[d]));
      coord = e.add(coord, e.i32(layout.registerOffset(reg)[d]));
      place = e.add(e.mul(place, e.i32(extent)), coord);
    }
    Value element = all[0];
    for (auto [i, value] : llvm::enumerate(all.drop_front())) {
      Value isHere =
          e.compare(arith::CmpIPredicate::eq, place, e.i32(int64_t(i) + 1));
      element = e.select(isHere, value, element);
    }
    elements.push_back(element);
  }
  return elements;
}

/// A constant in its register type.
static LogicalResult emitConstant(KernelEmitter &e, arith::ConstantOp op) {
  auto toRegister = [&](Attribute value) -> Value {
    Type type = getRegisterType(cast<TypedAttr>(value).getType());
    if (cast<TypedAttr>(value).getType() == type)
      return arith::ConstantOp::create(e.builder, e.loc,
                                       cast<TypedAttr>(value));
    APInt bits = cast<FloatAttr>(value).getValue().bitcastToAPInt();
    if (type.isF32()) // tf32 lives in f32
      return arith::ConstantOp::create(
          e.builder, e.loc,
          e.builder.getF32FloatAttr(cast<FloatAttr>(value).getValueAsDouble()));
    return arith::ConstantOp::create(e.builder, e.loc,
                                     e.builder.getIntegerAttr(type, bits));
  };
  auto tensor = dyn_cast<RankedTensorType>(op.getType());
  if (!tensor) {
    e.setScalar(op, toRegister(op.getValue()));
    return success();
  }
  auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!dense)
    return op.emitError("this kind of constant is not supported yet");
  const layout::FragmentLayout &layout = e.getLayout(op.getResult());
  SmallVector<Value> elements;
  if (dense.isSplat()) {
    Value value = toRegister(cast<TypedAttr>(dense.getSplatValue<Attribute>()));
    elements.assign(layout.elementsPerThread(), value);
  } else {
    SmallVector<Value> all;
    for (Attribute value : dense.getValues<Attribute>())
      all.push_back(toRegister(cast<TypedAttr>(value)));
    elements = chooseElements(e, layout, tensor.getShape(), all);
  }
  e.setFragment(op,
                FragmentValue::ofElements(tensor.getElementType(), elements));
  return success();
}

/// The same op on register values.
static SmallVector<Value> cloneOnScalars(KernelEmitter &e, Operation *op,
                                         ValueRange operands) {
  OperationState state(e.loc, op->getName());
  state.addOperands(operands);
  for (Type type : op->getResultTypes())
    state.addTypes(getRegisterType(getTileElementType(type)));
  state.addAttributes(op->getAttrs());
  state.propertiesAttr = op->getPropertiesAsAttribute();
  return e.builder.create(state)->getResults();
}

/// The intrinsic for a minimum or maximum that takes the operand which is not
/// NaN, and -0 for less than +0, as the language and the instructions do; empty
/// for other ops.  Those of `arith` would become comparisons, which know no
/// order of zeros.
static StringRef getExtremeIntrinsic(Operation *op) {
  if (isa<arith::MinNumFOp>(op))
    return minimumNumberName;
  return isa<arith::MaxNumFOp>(op) ? StringRef(maximumNumberName) : StringRef();
}

/// The results of an op for one element; none after an error was reported.
static SmallVector<Value> emitOnScalars(KernelEmitter &e, Operation *op,
                                        ValueRange operands) {
  if (StringRef name = getExtremeIntrinsic(op); !name.empty())
    return {e.callIntrinsic(name, operands[0].getType(), operands)};
  if (!isMathFunction(op))
    return cloneOnScalars(e, op, operands);
  Value result = emitMathFunction(e, op, operands);
  return result ? SmallVector<Value>{result} : SmallVector<Value>{};
}

//===----------------------------------------------------------------------===//
// Pairs of 16-bit floats
//===----------------------------------------------------------------------===//

/// Whether an op on fragments is one that GPUs have for pairs of 16-bit floats.
static bool isPackedArithmetic(Operation *op, unsigned count) {
  if (!isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, math::FmaOp>(op))
    return false;
  Type element = getTileElementType(op->getResult(0).getType());
  return (element.isF16() || element.isBF16()) &&
         FragmentValue(element, count).elementsPerWord() == 2;
}

/// The op on one pair.  Only the fused multiply-add of bf16 exists on every
/// target; it gives the same numbers, signs of zero included.
static Value emitPair(KernelEmitter &e, Operation *op, ArrayRef<Value> pairs) {
  Type pair = pairs[0].getType();
  Type element = cast<VectorType>(pair).getElementType();
  auto splat = [&](double value) -> Value {
    return LLVM::ConstantOp::create(
        e.builder, e.loc, pair,
        DenseElementsAttr::get(cast<ShapedType>(pair),
                               e.builder.getFloatAttr(element, value)));
  };
  auto fma = [&](Value a, Value b, Value c) -> Value {
    return LLVM::FMAOp::create(e.builder, e.loc, a, b, c);
  };
  if (isa<math::FmaOp>(op))
    return fma(pairs[0], pairs[1], pairs[2]);
  if (isa<arith::MulFOp>(op))
    return element.isBF16()
               ? fma(pairs[0], pairs[1], splat(-0.0))
               : LLVM::FMulOp::create(e.builder, e.loc, pairs[0], pairs[1]);
  if (isa<arith::AddFOp>(op))
    return element.isBF16()
               ? fma(pairs[0], splat(1.0), pairs[1])
               : LLVM::FAddOp::create(e.builder, e.loc, pairs[0], pairs[1]);
  return element.isBF16()
             ? fma(pairs[1], splat(-1.0), pairs[0])
             : LLVM::FSubOp::create(e.builder, e.loc, pairs[0], pairs[1]);
}

static void emitOnPairs(KernelEmitter &e, Operation *op, unsigned count) {
  Type element = getTileElementType(op->getResult(0).getType());
  Type pair = VectorType::get(2, element), i32 = e.builder.getI32Type();
  SmallVector<SmallVector<Value>> operands;
  for (Value operand : op->getOperands())
    operands.push_back(e.getFragment(operand).getWords(e.builder, e.loc));
  SmallVector<Value> words;
  for (unsigned word = 0; word < count / 2; ++word) {
    SmallVector<Value> pairs;
    for (ArrayRef<Value> operand : operands)
      pairs.push_back(
          LLVM::BitcastOp::create(e.builder, e.loc, pair, operand[word]));
    words.push_back(
        LLVM::BitcastOp::create(e.builder, e.loc, i32, emitPair(e, op, pairs)));
  }
  e.setFragment(op->getResult(0),
                FragmentValue::ofWords(element, count, words));
}

/// Arithmetic that is cheaper together with the conversions of its operands.
static std::optional<FragmentValue> emitWithConversions(KernelEmitter &e,
                                                        Operation *op) {
  if (auto difference = dyn_cast<arith::SubFOp>(op))
    return emitNibbleDifference(e, difference);
  if (auto product = dyn_cast<arith::MulFOp>(op))
    return emitScaledFloatNibbles(e, product);
  return std::nullopt;
}

LogicalResult tile::emitElementwise(KernelEmitter &e, Operation *op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return emitConstant(e, constant);
  if (isa<math::MathDialect>(op->getDialect()) && !isMathFunction(op) &&
      !isa<math::AbsFOp, math::AbsIOp, math::FmaOp, math::FloorOp, math::CeilOp,
           math::TruncOp, math::RoundEvenOp>(op))
    return op->emitError("'")
           << op->getName().stripDialect() << "' is not supported yet";
  bool onFragments = isa<RankedTensorType>(op->getResult(0).getType());
  if (!onFragments) {
    SmallVector<Value> results =
        emitOnScalars(e, op, e.getScalars(op->getOperands()));
    if (results.empty())
      return failure();
    for (auto [from, to] : llvm::zip_equal(op->getResults(), results))
      e.setScalar(from, to);
    return success();
  }
  if (std::optional<FragmentValue> value = emitWithConversions(e, op)) {
    e.setFragment(op->getResult(0), *value);
    return success();
  }
  unsigned count = e.getLayout(op->getResult(0)).elementsPerThread();
  if (isPackedArithmetic(op, count)) {
    emitOnPairs(e, op, count);
    return success();
  }
  SmallVector<SmallVector<Value>> operands;
  for (Value operand : op->getOperands()) {
    if (isa<RankedTensorType>(operand.getType()))
      operands.push_back(e.getFragment(operand).getElements(e.builder, e.loc));
    else
      operands.push_back(SmallVector<Value>(count, e.getScalar(operand)));
  }
  SmallVector<Value> results;
  for (unsigned i = 0; i < count; ++i) {
    SmallVector<Value> values;
    for (ArrayRef<Value> operand : operands)
      values.push_back(operand[i]);
    SmallVector<Value> result = emitOnScalars(e, op, values);
    if (result.empty())
      return failure();
    results.push_back(result[0]);
  }
  e.setFragment(op->getResult(0),
                FragmentValue::ofElements(
                    getTileElementType(op->getResult(0).getType()), results));
  return success();
}

/// The words of the result, where they are words of the source.
static std::optional<FragmentValue> takeWords(KernelEmitter &e,
                                              const FragmentValue &source,
                                              ArrayRef<int> registerOf) {
  FragmentValue shape(source.getElementType(), registerOf.size());
  unsigned perWord = shape.elementsPerWord();
  if (perWord == 1 || source.isInPieces())
    return std::nullopt;
  SmallVector<Value> words = source.getWords(e.builder, e.loc), taken;
  for (unsigned at = 0; at < registerOf.size(); at += perWord) {
    int first = registerOf[at];
    for (unsigned i = 0; i < perWord; ++i)
      if (first % int(perWord) != 0 || registerOf[at + i] != first + int(i))
        return std::nullopt;
    taken.push_back(words[first / perWord]);
  }
  return FragmentValue::ofWords(source.getElementType(), registerOf.size(),
                                taken);
}

/// Registers of the result from those of the source.
static void emitPermutation(KernelEmitter &e, Value source, Value result,
                            ArrayRef<int> registerOf) {
  const FragmentValue &value = e.getFragment(source);
  bool identity = registerOf.size() == value.size();
  for (auto [i, reg] : llvm::enumerate(registerOf))
    identity &= reg == int(i);
  if (identity) {
    e.setFragment(result, FragmentValue(value));
    return;
  }
  if (std::optional<FragmentValue> words = takeWords(e, value, registerOf)) {
    e.setFragment(result, *words);
    return;
  }
  SmallVector<Value> elements = value.getElements(e.builder, e.loc), permuted;
  for (int reg : registerOf)
    permuted.push_back(elements[reg]);
  e.setFragment(result,
                FragmentValue::ofElements(value.getElementType(), permuted));
}

LogicalResult tile::emitBroadcast(KernelEmitter &e, BroadcastOp op) {
  SmallVector<Value> elements(e.getLayout(op.getResult()).elementsPerThread(),
                              e.getScalar(op.getValue()));
  e.setFragment(op,
                FragmentValue::ofElements(op.getValue().getType(), elements));
  return success();
}

LogicalResult tile::emitReindex(KernelEmitter &e, ReindexOp op) {
  // There is one, since a map names no dimension twice (reindex-c3).
  auto reindexed = e.getLayout(op.getResult())
                       .reindexSource(op.getDimMap(), op.getDivisors());
  // The source may hold the same elements in other registers of each thread.
  layout::ConversionPlan plan =
      layout::planConversion(e.getLayout(op.getSource()), reindexed->layout);
  if (plan.kind == layout::ConversionKind::Identical)
    plan.registerOf.clear();
  else if (plan.kind != layout::ConversionKind::RegisterPermutation)
    return op.emitError(
        "internal error: the source of an index map is in other threads");
  SmallVector<int> registerOf;
  for (int reg : reindexed->registerOf)
    registerOf.push_back(plan.registerOf.empty() ? reg : plan.registerOf[reg]);
  emitPermutation(e, op.getSource(), op.getResult(), registerOf);
  return success();
}

LogicalResult tile::emitRelabel(KernelEmitter &e, RelabelOp op) {
  e.setFragment(op.getResult(), FragmentValue(e.getFragment(op.getSource())));
  return success();
}

LogicalResult tile::emitConvertLayout(KernelEmitter &e, ConvertLayoutOp op) {
  layout::ConversionPlan plan = layout::planConversion(
      e.getLayout(op.getSource()), e.getLayout(op.getResult()));
  if (plan.kind == layout::ConversionKind::Identical) {
    e.setFragment(op.getResult(), FragmentValue(e.getFragment(op.getSource())));
    return success();
  }
  if (plan.kind != layout::ConversionKind::RegisterPermutation)
    return op.emitError("internal error: a conversion between threads was left "
                        "to the lowering");
  emitPermutation(e, op.getSource(), op.getResult(), plan.registerOf);
  return success();
}

/// By register of the part, the one of the whole that holds the element, in
/// every thread; none if a thread holds other elements.
static std::optional<SmallVector<int>>
findWholeRegisters(const layout::FragmentLayout &part,
                   const layout::FragmentLayout &whole,
                   ArrayRef<int64_t> offsets) {
  SmallVector<int32_t> shape(part.shape());
  auto own = whole.partLayout(shape);
  if (!own || *own != part)
    return std::nullopt;
  SmallVector<int> registers;
  for (int reg = 0; reg < part.elementsPerThread(); ++reg) {
    layout::Coords coords = part.coordsOf(reg, /*lane=*/0, /*warp=*/0);
    for (auto [coord, offset] : llvm::zip_equal(coords, offsets))
      coord += int32_t(offset);
    registers.push_back(*whole.findRegister(coords, /*lane=*/0, /*warp=*/0));
  }
  return registers;
}

LogicalResult tile::emitPart(KernelEmitter &e, PartOp op) {
  auto registers =
      findWholeRegisters(e.getLayout(op.getResult()),
                         e.getLayout(op.getSource()), op.getOffsets());
  if (!registers)
    return op.emitError(
        "internal error: a part of a fragment is in other threads");
  emitPermutation(e, op.getSource(), op.getResult(), *registers);
  return success();
}

LogicalResult tile::emitJoin(KernelEmitter &e, JoinOp op) {
  const layout::FragmentLayout &whole = e.getLayout(op.getResult());
  SmallVector<Value> elements(whole.elementsPerThread());
  SmallVector<int64_t> offsets(whole.rank(), 0);
  for (Value part : op.getParts()) {
    auto registers = findWholeRegisters(e.getLayout(part), whole, offsets);
    if (!registers)
      return op.emitError(
          "internal error: a part of a fragment is in other threads");
    SmallVector<Value> held = e.getFragment(part).getElements(e.builder, e.loc);
    for (auto [value, reg] : llvm::zip_equal(held, *registers))
      elements[reg] = value;
    offsets[op.getDim()] +=
        cast<RankedTensorType>(part.getType()).getDimSize(op.getDim());
  }
  e.setFragment(op.getResult(),
                FragmentValue::ofElements(
                    getTileElementType(op.getResult().getType()), elements));
  return success();
}
