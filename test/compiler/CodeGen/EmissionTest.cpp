//===- EmissionTest.cpp - Tests from the LLVM dialect to a cubin ----------===//
#include "compiler/CodeGen/CodeGen.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Parser/Parser.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/SourceMgr.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace tilec;
using testing::HasSubstr;
using testing::Not;

static const Target &get(llvm::StringRef name) {
  return *llvm::cantFail(parseTarget(name));
}

/// Reads shared memory at an index and stores the value; lines 7 and 8 of a
/// kernel file.
static constexpr llvm::StringLiteral sharedCopy = R"mlir(
#source = loc("k.tile":3:1)
#load = loc("k.tile":7:5)
#store = loc("k.tile":8:5)
module {
  llvm.mlir.global external @tile_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
  llvm.func @copy(%out: !llvm.ptr<1>, %i: i64) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
    %base = llvm.mlir.addressof @tile_shared : !llvm.ptr<3>
    %from = llvm.getelementptr %base[%i] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f32
    %value = llvm.load %from : !llvm.ptr<3> -> f32 loc(#load)
    llvm.store %value, %out : f32, !llvm.ptr<1> loc(#store)
    llvm.return
  } loc(#source)
} loc(#source)
)mlir";

namespace {
class Emission : public testing::Test {
protected:
  Emission() {
    mlirContext.loadDialect<mlir::LLVM::LLVMDialect, mlir::NVVM::NVVMDialect>();
  }

  /// Translates MLIR text; optimises it too.
  std::unique_ptr<llvm::Module> compile(llvm::StringRef text,
                                        const Target &target) {
    auto parsed =
        mlir::parseSourceString<mlir::ModuleOp>(text, &mlirContext, "test");
    EXPECT_TRUE(parsed);
    auto module = llvm::cantFail(translateToLLVM(*parsed, context, target));
    llvm::cantFail(optimize(*module, target));
    return module;
  }

  std::unique_ptr<llvm::Module> parseIR(llvm::StringRef text,
                                        const Target &target) {
    llvm::SMDiagnostic error;
    auto module = llvm::parseAssemblyString(text, error, context);
    EXPECT_TRUE(module) << error.getMessage().str();
    llvm::cantFail(setTargetLayout(*module, target));
    return module;
  }

  mlir::MLIRContext mlirContext;
  llvm::LLVMContext context;
};
} // namespace

TEST_F(Emission, SetsTripleAndShortSharedPointers) {
  auto module = compile(sharedCopy, get("sm_90a"));
  EXPECT_EQ(module->getTargetTriple().str(), "nvptx64-nvidia-cuda");
  EXPECT_EQ(module->getDataLayout().getPointerSizeInBits(/*AS=*/3), 32u);
  EXPECT_EQ(module->getDataLayout().getPointerSizeInBits(/*AS=*/1), 64u);
}

TEST_F(Emission, KeepsSourceLinesThroughOptimisation) {
  auto module = compile(sharedCopy, get("sm_90a"));
  std::string lines;
  for (llvm::Instruction &instruction :
       llvm::instructions(*module->getFunction("copy")))
    if (llvm::isa<llvm::LoadInst, llvm::StoreInst>(instruction)) {
      const llvm::DebugLoc &location = instruction.getDebugLoc();
      ASSERT_TRUE(location);
      lines += location->getFilename().str() + ":" +
               std::to_string(location.getLine()) + " ";
    }
  EXPECT_EQ(lines, "k.tile:7 k.tile:8 ");
}

TEST_F(Emission, WritesCleanPtxOfTheLowestVersion) {
  auto module = compile(sharedCopy, get("sm_80"));
  std::string ptx = llvm::cantFail(emitPTX(*module, get("sm_80")));
  EXPECT_THAT(ptx, HasSubstr("\n.version 7.0\n.target sm_80\n"));
  EXPECT_THAT(ptx, HasSubstr(".visible .entry copy("));
  EXPECT_THAT(ptx, HasSubstr(".reqntid 128"));
  EXPECT_THAT(ptx, Not(HasSubstr(".loc")));
  EXPECT_THAT(ptx, HasSubstr("ld.shared.b32"));
  // The shared address is computed in 32 bits.
  EXPECT_THAT(ptx, Not(HasSubstr("add.s64")));
}

TEST_F(Emission, KeepsLineInfoWhenAsked) {
  auto module = compile(sharedCopy, get("sm_80"));
  PtxOptions options;
  options.lineInfo = true;
  EXPECT_THAT(llvm::cantFail(emitPTX(*module, get("sm_80"), nullptr, options)),
              HasSubstr(".loc\t1 7 5"));
}

TEST_F(Emission, LeavesTheModuleAsItWas) {
  auto module = compile(sharedCopy, get("sm_90a"));
  std::string before, after;
  llvm::raw_string_ostream(before) << *module;
  llvm::cantFail(emitPTX(*module, get("sm_90a")));
  llvm::raw_string_ostream(after) << *module;
  EXPECT_EQ(before, after);
}

TEST_F(Emission, RaisesTheVersionForAnIntrinsic) {
  auto module = parseIR(R"(
    declare void @llvm.nvvm.fence.proxy.tensormap_generic.release.gpu()
    define ptx_kernel void @k() {
      call void @llvm.nvvm.fence.proxy.tensormap_generic.release.gpu()
      ret void
    })",
                        get("sm_90a"));
  EXPECT_THAT(llvm::cantFail(emitPTX(*module, get("sm_90a"))),
              HasSubstr("\n.version 8.3\n"));
}

// The version does not follow the assembler: it is the lowest that the code
// needs, or an error.
TEST_F(Emission, TakesTheSameVersionForEveryAssemblerThatIsNewEnough) {
  auto module = parseIR(R"(
    declare i16 @llvm.nvvm.ff.to.e4m3x2.rn(float, float)
    define ptx_kernel void @k(ptr addrspace(1) %p, float %x) {
      %r = call i16 @llvm.nvvm.ff.to.e4m3x2.rn(float %x, float 1.0)
      store i16 %r, ptr addrspace(1) %p
      ret void
    })",
                        get("sm_89"));
  Ptxas ptxas;
  ptxas.path = "/opt/cuda/bin/ptxas";
  for (auto [major, minor] :
       {std::pair(12u, 1u), {12u, 3u}, {12u, 5u}, {12u, 9u}, {13u, 0u}}) {
    ptxas.major = major;
    ptxas.minor = minor;
    ptxas.ptx = getPtxOfToolkit(major, minor);
    EXPECT_THAT(llvm::cantFail(emitPTX(*module, get("sm_89"), &ptxas)),
                HasSubstr("\n.version 8.1\n"));
  }
  ptxas.minor = ptxas.patch = 0;
  ptxas.major = 12;
  ptxas.ptx = getPtxOfToolkit(12, 0);
  EXPECT_THAT(
      llvm::toString(emitPTX(*module, get("sm_89"), &ptxas).takeError()),
      HasSubstr("'ff.to.e4m3x2.rn' needs PTX 8.1 for target sm_89, but ptxas "
                "12.0.0 at '/opt/cuda/bin/ptxas' knows PTX up to 8.0"));
}

// LLVM ends the process here when it is not kept from it.
TEST_F(Emission, ReportsAnInstructionThatTheTargetLacks) {
  auto module = parseIR(R"(
    declare void @llvm.nvvm.wgmma.fence.sync.aligned()
    define ptx_kernel void @k() {
      call void @llvm.nvvm.wgmma.fence.sync.aligned()
      ret void
    })",
                        get("sm_80"));
  llvm::Expected<std::string> ptx = emitPTX(*module, get("sm_80"));
  ASSERT_FALSE(static_cast<bool>(ptx));
  std::string message = llvm::toString(ptx.takeError());
  EXPECT_THAT(message, HasSubstr("internal error in the code generation"));
  EXPECT_THAT(message, HasSubstr("wgmma"));
}

TEST_F(Emission, RefusesAModuleThatDoesNotVerify) {
  auto module = parseIR("define void @f() { ret void }", get("sm_80"));
  module->getFunction("f")->getEntryBlock().getTerminator()->eraseFromParent();
  EXPECT_THAT(llvm::toString(optimize(*module, get("sm_80"))),
              HasSubstr("does not verify before optimisation"));
}

TEST_F(Emission, AssemblesForEveryTarget) {
  llvm::Expected<Ptxas> ptxas = findPtxas();
  if (!ptxas) {
    llvm::consumeError(ptxas.takeError());
    GTEST_SKIP() << "no ptxas";
  }
  for (const Target &target : getTargets()) {
    auto module = compile(sharedCopy, target);
    std::string ptx = llvm::cantFail(emitPTX(*module, target, &*ptxas));
    Cubin cubin = llvm::cantFail(assemble(ptx, target, *ptxas));
    ASSERT_EQ(cubin.report.kernels.size(), 1u) << target.name.str();
    EXPECT_EQ(cubin.report.kernels[0].symbol, "copy");
    EXPECT_GT(cubin.report.kernels[0].registers, 0u);
    EXPECT_EQ(cubin.report.kernels[0].spillStoreBytes, 0u);
  }
}
