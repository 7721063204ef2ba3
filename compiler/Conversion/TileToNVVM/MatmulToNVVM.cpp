//===- MatmulToNVVM.cpp - tile.mma to mma.sync ----------------------------===//

#include "compiler/Conversion/TileToNVVM/Emitters.h"
#include "dialects/Layout/MmaLayout.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include <map>

using namespace mlir;
using namespace mlir::tile;

/// Splits the registers of a fragment into the `size` consecutive ones that one
/// instruction takes.  Repeats and further tiles are outside them
/// (MmaLayout.h).
static SmallVector<int> splitTiles(const layout::FragmentLayout &layout,
                                   int size) {
  SmallVector<int> firsts;
  for (int first = 0; first < layout.elementsPerThread(); first += size)
    firsts.push_back(first);
  return firsts;
}

/// Where a register's element lies along a dimension, apart from the thread's
/// share: the same in every thread.
static int getStart(const layout::FragmentLayout &layout, int reg, int dim) {
  return layout.registerXor(reg)[dim] + layout.registerOffset(reg)[dim];
}

StringRef tile::getPtxType(Type type, bool isUnsigned) {
  return llvm::TypeSwitch<Type, StringRef>(type)
      .Case([](BFloat16Type) { return "bf16"; })
      .Case([](Float16Type) { return "f16"; })
      .Case([](FloatTF32Type) { return "tf32"; })
      .Case([](Float8E4M3FNType) { return "e4m3"; })
      .Case([](Float8E5M2Type) { return "e5m2"; })
      .Case([&](IntegerType type) -> StringRef {
        if (type.getWidth() == 8)
          return isUnsigned ? "u8" : "s8";
        return type.getWidth() == 4 ? (isUnsigned ? "u4" : "s4") : "";
      })
      .Default(StringRef());
}

namespace {
/// An operand as the left or the right one of the instruction: which dimensions
/// of its fragment are K and the other.
struct Side {
  Value fragment;
  Type type;
  bool isUnsigned;
  int dim, kDim;
};
} // namespace

/// The left and the right operand of the instruction, which multiplies the
/// transposes where operands are swapped.
static std::pair<Side, Side> getSides(MmaOp op) {
  MmaAttr mma = op.getMma();
  Side a{op.getA(), mma.getTypeA(), op.getUnsignedA(), /*dim=*/0, /*kDim=*/1},
      b{op.getB(), mma.getTypeB(), op.getUnsignedB(), /*dim=*/1, /*kDim=*/0};
  return mma.getSwap() ? std::pair(b, a) : std::pair(a, b);
}

/// Name of the intrinsic; empty if there is none.
static std::string getIntrinsic(MmaOp op, Type accumulator) {
  MmaAttr mma = op.getMma();
  auto [left, right] = getSides(op);
  StringRef a = getPtxType(left.type, left.isUnsigned),
            b = getPtxType(right.type, right.isUnsigned);
  if (a.empty() || b.empty())
    return {};
  std::string types = a.str();
  StringRef sums = accumulator.isF16() ? "f16" : "f32";
  // Names tell apart only what the shape does not.
  if (a == "f16")
    types = (sums + "." + sums).str();
  else if (isa<Float8E4M3FNType, Float8E5M2Type>(mma.getTypeA()))
    types = (sums + "." + a + "." + b + "." + sums).str();
  else if (a != b)
    types += "." + b.str();
  return llvm::formatv("llvm.nvvm.mma.m{0}n{1}k{2}.row.col.{3}", mma.getM(),
                       mma.getN(), mma.getK(), types);
}

namespace {
/// The registers of one kind of fragment as the instruction takes them.
struct OperandRegisters {
  /// Elements of one instruction in each thread, and in each register.
  int elements, perRegister;
  /// What the intrinsic takes for a register.
  Type type;
  SmallVector<Value> registers;

  int count() const { return elements / perRegister; }
};
} // namespace

/// Words of a fragment, or its elements where each fills a register.
static SmallVector<Value> getRegisters(KernelEmitter &e, Value fragment,
                                       int perRegister) {
  const FragmentValue &value = e.getFragment(fragment);
  return perRegister > 1 ? value.getWords(e.builder, e.loc)
                         : value.getElements(e.builder, e.loc);
}

static Value bitcastTo(KernelEmitter &e, Value value, Type type) {
  return value.getType() == type
             ? value
             : LLVM::BitcastOp::create(e.builder, e.loc, type, value)
                   .getResult();
}

/// Appends the registers of one instruction, which start at element `first`.
static void appendOperands(KernelEmitter &e, const OperandRegisters &operand,
                           int first, SmallVectorImpl<Value> &operands) {
  for (int i = 0; i < operand.count(); ++i)
    operands.push_back(bitcastTo(
        e, operand.registers[first / operand.perRegister + i], operand.type));
}

LogicalResult tile::emitMma(KernelEmitter &e, MmaOp op) {
  MmaAttr mma = op.getMma();
  Type sumType = getTileElementType(op.getResult().getType());
  std::string intrinsic = getIntrinsic(op, sumType);
  if (intrinsic.empty())
    return op.emitError("mma.sync on ")
           << mma.getTypeA() << " is not supported yet";
  auto [left, right] = getSides(op);
  const layout::FragmentLayout &layoutA = e.getLayout(left.fragment);
  const layout::FragmentLayout &layoutB = e.getLayout(right.fragment);
  const layout::FragmentLayout &layoutC = e.getLayout(op.getAccumulator());
  layout::MmaInstruction shape{int(mma.getM()), int(mma.getN()),
                               int(mma.getK()), int(mma.getOperandBits())};
  Type i32 = e.builder.getI32Type();
  Type operandType =
      mma.getTypeA().isF16() ? VectorType::get(2, mma.getTypeA()) : i32;
  int perRegister = shape.elementsPerRegister();
  OperandRegisters a{shape.elementsA(), perRegister, operandType,
                     getRegisters(e, left.fragment, perRegister)};
  OperandRegisters b{shape.elementsB(), perRegister, operandType,
                     getRegisters(e, right.fragment, perRegister)};
  // Sums of 16 bits are in pairs.
  int sumsPerRegister = sumType.isF16() ? 2 : 1;
  OperandRegisters c{shape.elementsC(), sumsPerRegister,
                     sumType.isF16() ? VectorType::get(2, sumType) : sumType,
                     getRegisters(e, op.getAccumulator(), sumsPerRegister)};

  // A tile of the left operand belongs to the accumulators of its rows, one of
  // the right to those of its columns, and they meet where they start at the
  // same K.
  std::map<std::pair<int, int>, int> findA, findB;
  llvm::SmallSetVector<int, 8> steps;
  for (int first : splitTiles(layoutA, a.elements)) {
    int k = getStart(layoutA, first, left.kDim);
    findA[{getStart(layoutA, first, left.dim), k}] = first;
    steps.insert(k);
  }
  for (int first : splitTiles(layoutB, b.elements))
    findB[{getStart(layoutB, first, right.dim),
           getStart(layoutB, first, right.kDim)}] = first;

  Type resultType = LLVM::LLVMStructType::getLiteral(
      op.getContext(), SmallVector<Type>(c.count(), c.type));
  for (int k : steps) {
    for (int first : splitTiles(layoutC, c.elements)) {
      SmallVector<Value> operands;
      appendOperands(e, a, findA.at({getStart(layoutC, first, left.dim), k}),
                     operands);
      appendOperands(e, b, findB.at({getStart(layoutC, first, right.dim), k}),
                     operands);
      appendOperands(e, c, first, operands);
      Value result = e.callIntrinsic(intrinsic, resultType, operands);
      for (int64_t i = 0; i < c.count(); ++i)
        c.registers[first / c.perRegister + i] = LLVM::ExtractValueOp::create(
            e.builder, e.loc, result, ArrayRef<int64_t>{i});
    }
  }
  if (sumsPerRegister == 1) {
    e.setFragment(op.getResult(),
                  FragmentValue::ofElements(sumType, c.registers));
    return success();
  }
  for (Value &word : c.registers)
    word = bitcastTo(e, word, i32);
  e.setFragment(op.getResult(),
                FragmentValue::ofWords(sumType, layoutC.elementsPerThread(),
                                       c.registers));
  return success();
}
