//===- PtxEmission.cpp - From LLVM IR to PTX ------------------------------===//
#include "compiler/CodeGen/PtxEmission.h"
#include "compiler/CodeGen/CrashGuard.h"
#include "compiler/CodeGen/Ptxas.h"
#include "compiler/CodeGen/RequiredPtx.h"
#include "compiler/CodeGen/TargetMachine.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/OptBisect.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include <mutex>

using namespace tilec;

namespace {
/// Keeps straight-line strength reduction from long functions and blocks.  Its
/// time grows with the square of their length, because ScalarEvolution looks
/// for poison in all that follows each addition: it took half of the time to
/// compile gemm_bf16, in the variant that copies element by element, and
/// changed nothing there.
class StrengthReductionGate : public llvm::OptPassGate {
public:
  explicit StrengthReductionGate(llvm::Module &module)
      : module(module), previous(module.getContext().getOptPassGate()) {
    for (const llvm::Function &function : module)
      if (function.getInstructionCount() > mostInstructions ||
          llvm::any_of(function, [](const llvm::BasicBlock &block) {
            return block.size() > mostInstructionsOfBlock;
          }))
        longFunctions.insert(("function (" + function.getName() + ")").str());
    module.getContext().setOptPassGate(*this);
  }
  ~StrengthReductionGate() override {
    module.getContext().setOptPassGate(previous);
  }

  bool shouldRunPass(llvm::StringRef pass,
                     llvm::StringRef description) const override {
    if (pass == "slsr" && longFunctions.contains(description))
      return false;
    return !previous.isEnabled() || previous.shouldRunPass(pass, description);
  }
  bool isEnabled() const override {
    return !longFunctions.empty() || previous.isEnabled();
  }

private:
  static constexpr unsigned mostInstructions = 3000;
  static constexpr unsigned mostInstructionsOfBlock = 900;

  llvm::Module &module;
  llvm::OptPassGate &previous;
  llvm::StringSet<> longFunctions;
};

/// Collects the errors that the code generator reports through the context,
/// and gives the context its handler back at the end.
class ScopedErrorCollector {
public:
  explicit ScopedErrorCollector(llvm::LLVMContext &context)
      : context(context), previous(context.getDiagnosticHandlerCallBack()),
        previousContext(context.getDiagnosticContext()) {
    context.setDiagnosticHandlerCallBack(collect, &messages);
  }
  ~ScopedErrorCollector() {
    context.setDiagnosticHandlerCallBack(previous, previousContext);
  }
  llvm::StringRef getMessages() const { return messages; }

private:
  static void collect(const llvm::DiagnosticInfo *diagnostic, void *messages) {
    if (diagnostic->getSeverity() != llvm::DS_Error)
      return;
    llvm::raw_string_ostream stream(*static_cast<std::string *>(messages));
    llvm::DiagnosticPrinterRawOStream printer(stream);
    diagnostic->print(printer);
    stream << "\n";
  }

  llvm::LLVMContext &context;
  llvm::DiagnosticHandler::DiagnosticHandlerTy previous;
  void *previousContext;
  std::string messages;
};
} // namespace

template <typename Value>
static void setOption(llvm::StringRef name, Value value) {
  auto &options = llvm::cl::getRegisteredOptions();
  if (auto option = options.find(name); option != options.end())
    static_cast<llvm::cl::opt<Value> *>(option->second)->setValue(value);
}

/// Keeps arithmetic where it is.  Machine sinking would move what scales a
/// group's sum of a block-scaled product behind the last barrier of the loop,
/// since its result is used there, and the sums of all groups would wait for it
/// (seen on gemm_mxfp8: 2,088 bytes a thread spilled).
static void disableMachineSinking() { setOption("disable-machine-sink", true); }

/// Has one register for a sum all through a long row of products.  Where a
/// value is written 100 times LLVM would give up joining its registers, and
/// copy sums between two products, one of which is in flight (seen on 24
/// products of warpgroups in turn).
static void joinLongIntervals() {
  setOption("large-interval-size-threshold", ~0u);
}

/// LLVM keeps these for all threads.
static void setBackEndOptions() {
  static std::once_flag once;
  std::call_once(once, [] {
    disableMachineSinking();
    joinLongIntervals();
  });
}

static llvm::Expected<std::string> generateCode(llvm::Module &module,
                                                llvm::TargetMachine &machine) {
  llvm::SmallString<0> text;
  bool canEmit = true;
  StrengthReductionGate gate(module);
  ScopedErrorCollector errors(module.getContext());
  llvm::Error failure = runGuarded("the code generation of PTX", [&] {
    llvm::raw_svector_ostream stream(text);
    llvm::legacy::PassManager passes;
    canEmit = !machine.addPassesToEmitFile(passes, stream, /*DwoOut=*/nullptr,
                                           llvm::CodeGenFileType::AssemblyFile);
    if (canEmit)
      passes.run(module);
  });
  if (failure)
    return failure;
  if (!canEmit)
    return llvm::createStringError("this LLVM cannot write PTX");
  if (!errors.getMessages().empty())
    return llvm::createStringError(
        "internal error in the code generation of PTX:\n" +
        errors.getMessages());
  return text.str().str();
}

/// Generates the code of a copy: it rewrites the module, which the emulator
/// still wants.
static llvm::Expected<std::string>
generateCodeOfWhole(const llvm::Module &module, const Target &target,
                    PtxVersion version, const PtxOptions &options) {
  auto machine = createTargetMachine(target, version);
  if (!machine)
    return machine.takeError();
  std::unique_ptr<llvm::Module> working = llvm::CloneModule(module);
  if (!options.lineInfo)
    llvm::StripDebugInfo(*working);
  llvm::Expected<std::string> ptx = generateCode(*working, **machine);
  // The guard may have left the module half rewritten: do not walk it again.
  if (!ptx)
    working.release();
  return ptx;
}

/// Generates the code of kernel after kernel, in threads.
static llvm::Expected<std::string> generateCodeOfParts(KernelParts &kernels,
                                                       const Target &target,
                                                       PtxVersion version) {
  std::vector<std::string> texts(kernels.size());
  if (llvm::Error error =
          kernels.forEach([&](size_t index, llvm::Module &part) -> llvm::Error {
            auto machine = createTargetMachine(target, version);
            if (!machine)
              return machine.takeError();
            llvm::StripDebugInfo(part);
            llvm::Expected<std::string> text = generateCode(part, **machine);
            if (!text)
              return text.takeError();
            texts[index] = std::move(*text);
            return llvm::Error::success();
          }))
    return error;
  // Each part begins like the first, up to the size of an address, and declares
  // the shared memory of all.
  std::string joined = std::move(texts.front());
  constexpr llvm::StringLiteral lastOfHeader = "\n.address_size 64\n";
  for (llvm::StringRef text : llvm::ArrayRef(texts).drop_front()) {
    llvm::SmallVector<llvm::StringRef> lines;
    text.substr(text.find(lastOfHeader) + lastOfHeader.size())
        .split(lines, '\n');
    lines.pop_back(); // behind the last end of a line
    for (llvm::StringRef line : lines)
      if (!line.starts_with(".extern .shared"))
        (joined += line) += '\n';
  }
  return joined;
}

/// An assembler knows the PTX versions up to its own.
static llvm::Error checkAssembler(const Ptxas &assembler,
                                  const RequiredPtx &required,
                                  const Target &target) {
  if (required.version <= assembler.ptx)
    return llvm::Error::success();
  return llvm::createStringError(
      "'" + required.reason + "' needs PTX " + required.version.str() +
      " for target " + target.name + ", but ptxas " +
      assembler.getVersionText() + " at '" + assembler.path +
      "' knows PTX up to " + assembler.ptx.str() + "; " + Ptxas::howToGet());
}

/// The text must not hold what its version line does not cover: the tables
/// would then miss an instruction, and an assembler would say so obscurely.
static llvm::Error checkVersionLine(llvm::StringRef ptx,
                                    const RequiredPtx &declared,
                                    const Target &target) {
  if (!ptx.contains("\n.version " + declared.version.str() + "\n"))
    return llvm::createStringError(
        "internal error: the PTX has no line '.version " +
        declared.version.str() + "'");
  RequiredPtx needed = findRequiredPtx(ptx, target);
  if (needed.version > declared.version)
    return llvm::createStringError("internal error: '" + needed.reason +
                                   "' needs PTX " + needed.version.str() +
                                   ", but the PTX is of version " +
                                   declared.version.str());
  return llvm::Error::success();
}

/// The PTX of `generate`, which is given the version that it is to be of.
static llvm::Expected<std::string>
emitChecked(const RequiredPtx &required, const Target &target,
            const Ptxas *assembler,
            llvm::function_ref<llvm::Expected<std::string>()> generate) {
  if (assembler)
    if (llvm::Error error = checkAssembler(*assembler, required, target))
      return error;
  setBackEndOptions();
  llvm::Expected<std::string> ptx = generate();
  if (!ptx)
    return ptx.takeError();
  if (llvm::Error error = checkVersionLine(*ptx, required, target))
    return error;
  return ptx;
}

llvm::Expected<std::string> tilec::emitPTX(const llvm::Module &module,
                                           const Target &target,
                                           const Ptxas *assembler,
                                           const PtxOptions &options) {
  // Kernels of one text share the table of their source files.
  if (canShareKernels(module) && !options.lineInfo) {
    KernelParts kernels(module);
    return emitPTX(kernels, target, assembler);
  }
  RequiredPtx required = findRequiredPtx(module, target);
  return emitChecked(required, target, assembler, [&]() {
    return generateCodeOfWhole(module, target, required.version, options);
  });
}

llvm::Expected<std::string> tilec::emitPTX(KernelParts &kernels,
                                           const Target &target,
                                           const Ptxas *assembler) {
  std::vector<RequiredPtx> needs(kernels.size());
  if (llvm::Error error =
          kernels.forEach([&](size_t index, llvm::Module &part) {
            needs[index] = findRequiredPtx(part, target);
            return llvm::Error::success();
          }))
    return error;
  RequiredPtx required = needs.front();
  for (const RequiredPtx &other : needs)
    if (required.version < other.version)
      required = other;
  return emitChecked(required, target, assembler, [&]() {
    return generateCodeOfParts(kernels, target, required.version);
  });
}
