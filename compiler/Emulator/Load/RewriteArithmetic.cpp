//===- RewriteArithmetic.cpp - Arithmetic as the GPU does it --------------===//
//
// Most arithmetic of the IR has one meaning everywhere.  The exceptions:
//   - division by zero faults on the host;
//   - a fused multiply-add of 16-bit floats would be computed in float and
//     rounded twice;
//   - minnum and maxnum leave the order of the zeros open, the GPU does not;
//   - canonicalize of vectors makes host code generation give up;
//   - integers too wide for a float of 16 bits would be rounded twice.
//
//===----------------------------------------------------------------------===//

#include "compiler/Emulator/Instructions/Arithmetic.h"
#include "compiler/Emulator/Load/RewriteModule.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace tilec;
using namespace tilec::emulator;

//===----------------------------------------------------------------------===//
// Divisions
//===----------------------------------------------------------------------===//

static void failDivision(const Site *site) {
  Thread &thread = currentThread();
  thread.block->fail(
      thread, EmulationErrorKind::DivisionByZero, *site,
      "'" + site->text +
          "': the divisor is zero, or the quotient does not fit");
}

/// Whether a constant divisor can do no harm.
static bool isHarmless(const llvm::BinaryOperator &division, bool isSigned) {
  const llvm::APInt *divisor;
  auto *constant = llvm::dyn_cast<llvm::Constant>(division.getOperand(1));
  if (!constant)
    return false;
  if (auto *splat = constant->getType()->isVectorTy()
                        ? constant->getSplatValue()
                        : constant)
    if (auto *number = llvm::dyn_cast<llvm::ConstantInt>(splat)) {
      divisor = &number->getValue();
      return !divisor->isZero() && !(isSigned && divisor->isAllOnes());
    }
  return false;
}

static void checkDivision(llvm::BinaryOperator &division,
                          LoadedModule &loaded) {
  bool isSigned = division.getOpcode() == llvm::Instruction::SDiv ||
                  division.getOpcode() == llvm::Instruction::SRem;
  if (isHarmless(division, isSigned))
    return;
  Site &site = makeSite<Site>(loaded, division, division.getOpcodeName());
  llvm::IRBuilder<> builder(&division);
  llvm::Type *type = division.getType();
  llvm::Value *divisor = division.getOperand(1);
  llvm::Value *isBad =
      builder.CreateICmpEQ(divisor, llvm::Constant::getNullValue(type));
  if (isSigned) {
    llvm::APInt lowest =
        llvm::APInt::getSignedMinValue(type->getScalarSizeInBits());
    llvm::Value *overflows = builder.CreateAnd(
        builder.CreateICmpEQ(divisor, llvm::Constant::getAllOnesValue(type)),
        builder.CreateICmpEQ(division.getOperand(0),
                             llvm::ConstantInt::get(type, lowest)));
    isBad = builder.CreateOr(isBad, overflows);
  }
  if (type->isVectorTy())
    isBad = builder.CreateOrReduce(isBad);
  llvm::Instruction *end = llvm::SplitBlockAndInsertIfThen(
      isBad, division.getIterator(), /*Unreachable=*/true);
  builder.SetInsertPoint(end);
  callEmulator(builder, reinterpret_cast<const void *>(failDivision),
               builder.getVoidTy(), {getAddress(builder.getContext(), &site)});
}

//===----------------------------------------------------------------------===//
// Functions of 16-bit floats
//===----------------------------------------------------------------------===//

static bool isSmallFloat(llvm::Type *type) {
  llvm::Type *scalar = type->getScalarType();
  return scalar->isHalfTy() || scalar->isBFloatTy();
}

/// Executes a bound operation on values of at most 64 bits each.
static llvm::Value *callOperation(llvm::IRBuilder<> &builder,
                                  llvm::Value *slots,
                                  const Operation &operation,
                                  llvm::Type *resultType,
                                  llvm::ArrayRef<llvm::Value *> arguments) {
  for (auto [index, argument] : llvm::enumerate(arguments))
    builder.CreateStore(
        builder.CreateZExtOrTrunc(argument, builder.getInt64Ty()),
        builder.CreateConstGEP1_64(builder.getInt64Ty(), slots, 1 + index));
  callEmulator(builder, reinterpret_cast<const void *>(runOperation),
               builder.getVoidTy(),
               {getAddress(builder.getContext(), &operation), slots});
  return builder.CreateLoad(resultType, slots);
}

/// Binds "name.type" for the emulator's own use.
static const Operation &makeOperation(LoadedModule &loaded,
                                      const llvm::Instruction &instruction,
                                      llvm::StringRef name,
                                      unsigned arguments) {
  InstructionForm form;
  name.split(form.words, '.');
  form.isPtx = true;
  form.results = 1;
  form.arguments = arguments;
  Operation operation = *InstructionTable::get().find(form.words)->binder(form);
  operation.site = &makeSite<Site>(loaded, instruction, name);
  operation.results = 1;
  operation.arguments = arguments;
  return loaded.operations.emplace_back(operation);
}

static llvm::AllocaInst *makeSlots(llvm::Function &function, unsigned count) {
  llvm::BasicBlock &entry = function.getEntryBlock();
  llvm::IRBuilder<> builder(&entry, entry.getFirstInsertionPt());
  llvm::AllocaInst *slots = builder.CreateAlloca(
      llvm::ArrayType::get(builder.getInt64Ty(), count), nullptr, "slots");
  slots->setAlignment(llvm::Align(16));
  return slots;
}

/// fma of half and bfloat, on as many elements as there are; pairs together.
static void rewriteFusedMultiplyAdd(llvm::IntrinsicInst &call,
                                    llvm::Value *slots, LoadedModule &loaded) {
  llvm::Type *type = call.getType();
  unsigned count = 1;
  if (auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type))
    count = vector->getNumElements();
  unsigned perChunk = count % 2 == 0 ? 2 : 1;
  unsigned chunks = count / perChunk;
  std::string name = std::string("fma.rn.") +
                     (type->getScalarType()->isHalfTy() ? "f16" : "bf16") +
                     (perChunk == 2 ? "x2" : "");
  const Operation &operation = makeOperation(loaded, call, name, 3);
  llvm::IRBuilder<> builder(&call);
  llvm::Type *chunkType = builder.getIntNTy(16 * perChunk);
  llvm::Type *packedType = llvm::FixedVectorType::get(chunkType, chunks);
  llvm::Value *packed[3];
  for (unsigned i = 0; i < 3; ++i)
    packed[i] = builder.CreateBitCast(call.getArgOperand(i), packedType);
  llvm::Value *result = llvm::PoisonValue::get(packedType);
  for (unsigned chunk = 0; chunk < chunks; ++chunk) {
    llvm::Value *arguments[3];
    for (unsigned i = 0; i < 3; ++i)
      arguments[i] = builder.CreateExtractElement(packed[i], chunk);
    result = builder.CreateInsertElement(
        result, callOperation(builder, slots, operation, chunkType, arguments),
        chunk);
  }
  call.replaceAllUsesWith(builder.CreateBitCast(result, type));
  call.eraseFromParent();
}

/// Integers of more than 24 bits to half or bfloat, rounded once.
static void rewriteIntegerToFloat(llvm::CastInst &cast, llvm::Value *slots,
                                  LoadedModule &loaded) {
  llvm::Type *from = cast.getSrcTy(), *to = cast.getDestTy();
  bool isSigned = cast.getOpcode() == llvm::Instruction::SIToFP;
  std::string name = std::string("cvt.rn.") +
                     (to->getScalarType()->isHalfTy() ? "f16" : "bf16") +
                     (isSigned ? ".s64" : ".u64");
  const Operation &operation = makeOperation(loaded, cast, name, 1);
  llvm::IRBuilder<> builder(&cast);
  auto convert = [&](llvm::Value *value) {
    value = isSigned ? builder.CreateSExt(value, builder.getInt64Ty())
                     : builder.CreateZExt(value, builder.getInt64Ty());
    return callOperation(builder, slots, operation, to->getScalarType(),
                         {value});
  };
  llvm::Value *result;
  if (auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(from)) {
    result = llvm::PoisonValue::get(to);
    for (unsigned i = 0; i < vector->getNumElements(); ++i)
      result = builder.CreateInsertElement(
          result, convert(builder.CreateExtractElement(cast.getOperand(0), i)),
          i);
  } else {
    result = convert(cast.getOperand(0));
  }
  cast.replaceAllUsesWith(result);
  cast.eraseFromParent();
}

//===----------------------------------------------------------------------===//
// Minima and maxima
//===----------------------------------------------------------------------===//

/// The operand that is not NaN, with -0 < +0.
static void rewriteExtreme(llvm::IntrinsicInst &call, bool isMax) {
  llvm::IRBuilder<> builder(&call);
  llvm::Value *a = call.getArgOperand(0), *b = call.getArgOperand(1);
  llvm::Value *ordered = builder.CreateBinaryIntrinsic(
      isMax ? llvm::Intrinsic::maximum : llvm::Intrinsic::minimum, a, b);
  llvm::Value *result =
      builder.CreateSelect(builder.CreateFCmpUNO(a, a), b, ordered);
  result = builder.CreateSelect(builder.CreateFCmpUNO(b, b), a, result);
  call.replaceAllUsesWith(result);
  call.eraseFromParent();
}

llvm::Error tilec::emulator::rewriteArithmetic(llvm::Function &function,
                                               LoadedModule &loaded) {
  llvm::SmallVector<llvm::BinaryOperator *> divisions;
  llvm::SmallVector<llvm::IntrinsicInst *> fused, minima, maxima, identities;
  llvm::SmallVector<llvm::CastInst *> conversions;
  for (llvm::Instruction &instruction : llvm::instructions(function)) {
    if (auto *binary = llvm::dyn_cast<llvm::BinaryOperator>(&instruction)) {
      if (binary->isIntDivRem())
        divisions.push_back(binary);
    } else if (auto *cast = llvm::dyn_cast<llvm::CastInst>(&instruction)) {
      bool isFromInteger = llvm::isa<llvm::SIToFPInst, llvm::UIToFPInst>(cast);
      if (isFromInteger && isSmallFloat(cast->getDestTy()) &&
          cast->getSrcTy()->getScalarSizeInBits() > 24 &&
          cast->getSrcTy()->getScalarSizeInBits() <= 64)
        conversions.push_back(cast);
    } else if (auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction)) {
      switch (call->getIntrinsicID()) {
      case llvm::Intrinsic::fma:
      case llvm::Intrinsic::fmuladd:
        if (isSmallFloat(call->getType()))
          fused.push_back(call);
        break;
      case llvm::Intrinsic::minnum:
      case llvm::Intrinsic::minimumnum:
        minima.push_back(call);
        break;
      case llvm::Intrinsic::maxnum:
      case llvm::Intrinsic::maximumnum:
        maxima.push_back(call);
        break;
      case llvm::Intrinsic::canonicalize:
        identities.push_back(call);
        break;
      default:
        break;
      }
    }
  }
  if (!fused.empty() || !conversions.empty()) {
    llvm::Value *slots = makeSlots(function, 4);
    for (llvm::IntrinsicInst *call : fused)
      rewriteFusedMultiplyAdd(*call, slots, loaded);
    for (llvm::CastInst *cast : conversions)
      rewriteIntegerToFloat(*cast, slots, loaded);
  }
  for (llvm::IntrinsicInst *call : identities) {
    call->replaceAllUsesWith(call->getArgOperand(0));
    call->eraseFromParent();
  }
  for (llvm::IntrinsicInst *call : minima)
    rewriteExtreme(*call, /*isMax=*/false);
  for (llvm::IntrinsicInst *call : maxima)
    rewriteExtreme(*call, /*isMax=*/true);
  for (llvm::BinaryOperator *division : divisions)
    checkDivision(*division, loaded);
  return llvm::Error::success();
}
