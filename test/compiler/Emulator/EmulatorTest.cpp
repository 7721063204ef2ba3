//===- EmulatorTest.cpp - Kernels written as LLVM IR ----------------------===//
//
// Parsing, debug locations and running of test kernels.
//
//===----------------------------------------------------------------------===//

#include "EmulatorTest.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilec;
using namespace tilec::test;

std::unique_ptr<llvm::Module> TestKernel::parse(llvm::LLVMContext &context,
                                                llvm::StringRef text) {
  std::string full =
      "target datalayout = \"e-p6:32:32-i64:64-i128:128-i256:256-v16:16-"
      "v32:32-n16:32:64\"\n"
      "target triple = \"nvptx64-nvidia-cuda\"\n" +
      text.str();
  llvm::SMDiagnostic diagnostic;
  auto module = llvm::parseAssemblyString(full, diagnostic, context);
  if (!module) {
    std::string message;
    llvm::raw_string_ostream stream(message);
    diagnostic.print("test", stream);
    ADD_FAILURE() << message;
    abort();
  }
  return module;
}

static void addLocations(llvm::Module &module) {
  llvm::DIBuilder builder(module);
  llvm::DIFile *file = builder.createFile("test.tile", ".");
  builder.createCompileUnit(llvm::dwarf::DW_LANG_C, file, "test", true, "", 0);
  auto *type = builder.createSubroutineType(
      builder.getOrCreateTypeArray(llvm::ArrayRef<llvm::Metadata *>()));
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    auto *program = builder.createFunction(
        file, function.getName(), "", file, 1, type, 1, llvm::DINode::FlagZero,
        llvm::DISubprogram::SPFlagDefinition);
    function.setSubprogram(program);
    unsigned line = 0;
    for (llvm::BasicBlock &block : function)
      for (llvm::Instruction &instruction : block)
        instruction.setDebugLoc(
            llvm::DILocation::get(module.getContext(), ++line, 1, program));
  }
  module.addModuleFlag(llvm::Module::Warning, "Debug Info Version",
                       llvm::DEBUG_METADATA_VERSION);
  builder.finalize();
}

TestKernel::TestKernel(llvm::StringRef parameters, llvm::StringRef body,
                       llvm::StringRef globals) {
  context = std::make_unique<llvm::LLVMContext>();
  module = parse(*context, (globals + "\ndefine ptx_kernel void @kernel(" +
                            parameters + ") {\n" + body + "\n}\n")
                               .str());
  addLocations(*module);
  spec.symbol = "kernel";
  spec.threads = 32;
}

llvm::Expected<EmulatorCounters> TestKernel::launch() {
  if (!emulator) {
    auto created = Emulator::create(*module);
    if (!created)
      return created.takeError();
    emulator = std::move(*created);
  }
  return emulator->launch(spec);
}

EmulatorCounters TestKernel::run() {
  auto counters = launch();
  if (counters)
    return *counters;
  ADD_FAILURE() << llvm::toString(counters.takeError());
  return {};
}

EmulationReport TestKernel::fail() {
  auto counters = launch();
  if (counters) {
    ADD_FAILURE() << "the kernel should have failed";
    return {};
  }
  return takeReport(counters.takeError());
}

EmulationReport tilec::test::takeReport(llvm::Error error) {
  EmulationReport report;
  llvm::handleAllErrors(
      std::move(error),
      [&](const EmulationError &emulation) { report = emulation.getReport(); },
      [&](const llvm::ErrorInfoBase &other) {
        ADD_FAILURE() << "not an EmulationError: " << other.message();
      });
  return report;
}

std::string tilec::test::print(const EmulationReport &report) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  EmulationError(report).log(stream);
  return text;
}

std::vector<uint64_t>
tilec::test::compute(const std::string &code,
                     const std::vector<std::array<uint64_t, 3>> &inputs,
                     const std::string &declarations) {
  std::vector<std::array<uint64_t, 3>> in = inputs;
  std::vector<uint64_t> out(inputs.size());
  TestKernel kernel("ptr addrspace(1) %in, ptr addrspace(1) %out", R"(
    %tid = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
    %p = getelementptr [3 x i64], ptr addrspace(1) %in, i32 %tid
    %a = load i64, ptr addrspace(1) %p, align 8
    %pb = getelementptr i64, ptr addrspace(1) %p, i32 1
    %b = load i64, ptr addrspace(1) %pb, align 8
    %pc = getelementptr i64, ptr addrspace(1) %p, i32 2
    %c = load i64, ptr addrspace(1) %pc, align 8
    )" + code + R"(
    %q = getelementptr i64, ptr addrspace(1) %out, i32 %tid
    store i64 %r, ptr addrspace(1) %q, align 8
    ret void)",
                    "declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()\n" +
                        declarations);
  kernel.buffer("A", in, false)
      .buffer("C", out)
      .threads(1)
      .grid(static_cast<uint32_t>(inputs.size()))
      .run();
  return out;
}

uint64_t tilec::test::computeOne(const std::string &code, uint64_t a,
                                 uint64_t b, uint64_t c,
                                 const std::string &declarations) {
  return compute(code, {{a, b, c}}, declarations)[0];
}
