//===- MatmulToNVVM.cpp - tile.mma to mma.sync ----------------------------===//

#include "compiler/Conversion/TileToNVVM/Emitters.h"
#include "dialects/Layout/MmaLayout.h"
#include "llvm/ADT/SetVector.h"
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

/// Name of the intrinsic for an operand type, with f32 accumulators.
static StringRef getIntrinsic(Type operandType) {
  if (operandType.isBF16())
    return "llvm.nvvm.mma.m16n8k16.row.col.bf16";
  if (operandType.isF16())
    return "llvm.nvvm.mma.m16n8k16.row.col.f32.f32";
  return {};
}

LogicalResult tile::emitMma(KernelEmitter &e, MmaOp op) {
  Type operandType = op.getMma().getOperandType();
  StringRef intrinsic = getIntrinsic(operandType);
  if (intrinsic.empty())
    return op.emitError("mma.sync on ")
           << operandType << " is not supported yet";
  MLIRContext *context = op.getContext();
  const layout::FragmentLayout &layoutA = e.getLayout(op.getA());
  const layout::FragmentLayout &layoutB = e.getLayout(op.getB());
  const layout::FragmentLayout &layoutC = e.getLayout(op.getAccumulator());
  SmallVector<Value> wordsA =
      e.getFragment(op.getA()).getWords(e.builder, e.loc);
  SmallVector<Value> wordsB =
      e.getFragment(op.getB()).getWords(e.builder, e.loc);
  SmallVector<Value> values =
      e.getFragment(op.getAccumulator()).getElements(e.builder, e.loc);

  // Elements of one instruction in each thread.
  const int sizeA = 8, sizeB = 4, sizeC = 4;
  // A tile of A belongs to the accumulators of its rows, one of B to those of
  // its columns, and they meet where they start at the same K.
  std::map<std::pair<int, int>, int> findA, findB;
  llvm::SmallSetVector<int, 8> steps;
  for (int first : splitTiles(layoutA, sizeA)) {
    int k = getStart(layoutA, first, 1);
    findA[{getStart(layoutA, first, 0), k}] = first;
    steps.insert(k);
  }
  for (int first : splitTiles(layoutB, sizeB))
    findB[{getStart(layoutB, first, 1), getStart(layoutB, first, 0)}] = first;

  Type pair = VectorType::get(2, operandType);
  Type wordType = operandType.isF16() ? pair : Type(e.builder.getI32Type());
  auto toOperand = [&](Value word) {
    return wordType == word.getType()
               ? word
               : LLVM::BitcastOp::create(e.builder, e.loc, wordType, word)
                     .getResult();
  };
  Type f32 = e.builder.getF32Type();
  Type resultType =
      LLVM::LLVMStructType::getLiteral(context, SmallVector<Type>(4, f32));
  for (int k : steps) {
    for (int c : splitTiles(layoutC, sizeC)) {
      int a = findA.at({getStart(layoutC, c, 0), k}),
          b = findB.at({getStart(layoutC, c, 1), k});
      SmallVector<Value> operands;
      for (int i = 0; i < 4; ++i)
        operands.push_back(toOperand(wordsA[a / 2 + i]));
      for (int i = 0; i < 2; ++i)
        operands.push_back(toOperand(wordsB[b / 2 + i]));
      for (int i = 0; i < 4; ++i)
        operands.push_back(values[c + i]);
      Value result = e.callIntrinsic(intrinsic, resultType, operands);
      for (int64_t i = 0; i < 4; ++i)
        values[c + i] = LLVM::ExtractValueOp::create(e.builder, e.loc, result,
                                                     ArrayRef<int64_t>{i});
    }
  }
  e.setFragment(op.getResult(), FragmentValue::ofElements(f32, values));
  return success();
}
