//===- ContractProducts.cpp - Fused multiply-adds as on the GPU -----------===//
//
// Where the IR allows it, GPU code generation fuses a product into the sum that
// uses it, also when the product has other uses, and host code generation
// mostly does so.  Fusing here by the GPU's rule gives the same roundings on
// both.  The rule sees one basic block at a time; of two products in one sum it
// fuses the one with fewer uses, of equals the first.
//
//===----------------------------------------------------------------------===//

#include "compiler/Emulator/Load/RewriteModule.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace tilec;
using namespace tilec::emulator;

/// The product behind an operand of `sum`, if it may be fused.
static llvm::BinaryOperator *findProduct(const llvm::BinaryOperator &sum,
                                         unsigned operand) {
  auto *product = llvm::dyn_cast<llvm::BinaryOperator>(sum.getOperand(operand));
  if (!product || product->getOpcode() != llvm::Instruction::FMul ||
      !product->hasAllowContract() || product->getParent() != sum.getParent())
    return nullptr;
  return product;
}

static void contract(llvm::BinaryOperator &sum) {
  llvm::BinaryOperator *first = findProduct(sum, 0);
  llvm::BinaryOperator *second = findProduct(sum, 1);
  if (!first && !second)
    return;
  bool usesSecond =
      !first || (second && second->getNumUses() < first->getNumUses());
  llvm::BinaryOperator *product = usesSecond ? second : first;
  llvm::IRBuilder<> builder(&sum);
  llvm::Value *a = product->getOperand(0), *b = product->getOperand(1);
  llvm::Value *addend = sum.getOperand(usesSecond ? 0 : 1);
  if (sum.getOpcode() == llvm::Instruction::FSub) {
    if (usesSecond)
      a = builder.CreateFNeg(a);
    else
      addend = builder.CreateFNeg(addend);
  }
  llvm::CallInst *fused = builder.CreateIntrinsic(
      llvm::Intrinsic::fma, {sum.getType()}, {a, b, addend});
  fused->setDebugLoc(sum.getDebugLoc());
  sum.replaceAllUsesWith(fused);
  sum.eraseFromParent();
}

void tilec::emulator::contractProducts(llvm::Function &function) {
  llvm::SmallVector<llvm::BinaryOperator *> sums, products;
  for (llvm::Instruction &instruction : llvm::instructions(function)) {
    auto *binary = llvm::dyn_cast<llvm::BinaryOperator>(&instruction);
    if (!binary)
      continue;
    if (binary->getOpcode() == llvm::Instruction::FMul)
      products.push_back(binary);
    else if ((binary->getOpcode() == llvm::Instruction::FAdd ||
              binary->getOpcode() == llvm::Instruction::FSub) &&
             binary->hasAllowContract())
      sums.push_back(binary);
  }
  for (llvm::BinaryOperator *sum : sums)
    contract(*sum);
  for (llvm::BinaryOperator *product : products)
    if (product->use_empty())
      product->eraseFromParent();
  // The host is not to fuse anything else.
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (llvm::isa<llvm::FPMathOperator>(instruction))
      instruction.setHasAllowContract(false);
}
