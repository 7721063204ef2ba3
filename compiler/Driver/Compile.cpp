//===- Compile.cpp - From a source file to a cubin ------------------------===//
#include "compiler/Driver/Compile.h"

#include "compiler/CodeGen/KernelManifest.h"
#include "compiler/Driver/CodeChecks.h"
#include "compiler/Driver/Failure.h"
#include "compiler/Driver/MlirSource.h"
#include "compiler/Driver/PackerSource.h"
#include "compiler/Driver/PassDiagnostics.h"
#include "compiler/Driver/PassObserver.h"
#include "compiler/Driver/RuntimeObjects.h"
#include "compiler/Driver/Settings.h"
#include "compiler/Frontend/Frontend.h"
#include "compiler/Pipeline/Pipeline.h"
#include "dialects/Tile/IR/TileOps.h"
#include "dialects/Tile/Transforms/Decisions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilec;
using llvm::StringRef;
using mlir::tile::KernelOp;

Compilation::Compilation(CompileOptions options) : options(std::move(options)) {
  mlir::DialectRegistry registry;
  registry.insert<mlir::tile::TileDialect, mlir::arith::ArithDialect,
                  mlir::math::MathDialect, mlir::scf::SCFDialect>();
  registerLoweringInterfaces(registry);
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
  // Users wrote .tile text; the op it became says nothing to them.
  context.printOpOnDiagnostic(false);
}

Compilation::~Compilation() = default;

bool Compilation::isMlir() const {
  return StringRef(options.inputFile).ends_with(".mlir");
}

llvm::Error Compilation::stop(StringRef phase) {
  timer.end();
  if (diagnostics.hasErrors())
    return makeReportedFailure();
  return makeFailure("internal error in " + phase +
                         ": it failed without saying why",
                     "this is a bug of tilec; please report it with the source "
                     "file and the command");
}

//===----------------------------------------------------------------------===//
// Source to tile dialect
//===----------------------------------------------------------------------===//

llvm::Error Compilation::chooseTarget() {
  if (!options.target.empty()) {
    llvm::Expected<const Target *> parsed = parseTarget(options.target);
    if (!parsed)
      return makeUsageError("'--target': " +
                            llvm::toString(parsed.takeError()));
    target = *parsed;
    return llvm::Error::success();
  }
  // No device, or one that no target fits, is no failure: code can be made for
  // another machine.
  tilert_device_facts facts = {};
  tilert_status *status = nullptr;
  tilert_device_facts_query(0, &facts, &status);
  if (!status)
    target = findTargetForDevice(facts.sm_major * 10 + facts.sm_minor);
  tilert_status_destroy(status);
  if (!target)
    target = llvm::cantFail(parseTarget("sm_90a"));
  return llvm::Error::success();
}

llvm::Error Compilation::readSource() {
  timer.begin("read");
  if (isMlir() && !options.definitions.empty())
    return makeUsageError("'-D' needs a .tile file: the constants of '" +
                          options.inputFile + "' are in the text already");
  auto buffer = llvm::MemoryBuffer::getFile(options.inputFile, /*IsText=*/true);
  if (!buffer)
    return makeFailure("cannot read '" + options.inputFile +
                       "': " + buffer.getError().message());
  sources.AddNewSourceBuffer(std::move(*buffer), {});
  return llvm::Error::success();
}

llvm::Error Compilation::printSyntaxTree() {
  if (isMlir())
    return makeUsageError("'--emit=ast' needs a .tile file: '" +
                          options.inputFile + "' has no syntax tree");
  timer.begin("parser");
  ast::File file = parseSource(sources, diagnostics);
  if (diagnostics.hasErrors())
    return stop("the parser");
  llvm::raw_string_ostream os(ast);
  printAST(os, sources, file);
  timer.end();
  return llvm::Error::success();
}

llvm::Error Compilation::makeTileModule() {
  timer.begin("frontend");
  if (isMlir()) {
    tileModule = parseMlirFile(sources, context, diagnostics);
    if (tileModule && !diagnostics.hasErrors())
      if (llvm::Error error = findTuned())
        return error;
  } else {
    if (llvm::Error error = findTuned())
      return error;
    tileModule = parseTileFile(sources, makeFrontendOptions(std::nullopt),
                               context, diagnostics);
    if (tileModule && !diagnostics.hasErrors())
      if (llvm::Error error = addSizeClasses())
        return error;
  }
  if (!tileModule || diagnostics.hasErrors())
    return stop("the frontend");
  if (llvm::Error error = keepOneKernel())
    return error;
  for (KernelOp kernel : tileModule->getOps<KernelOp>()) {
    if (mlir::failed(mlir::tile::verifyLaunch(kernel)))
      return stop("the frontend");
    // Written by the passes, and believed by the report.
    kernel->removeAttr(mlir::tile::choicesAttrName);
  }
  if (mlir::failed(verifySizeClasses()))
    return stop("the frontend");
  if (llvm::Error error = applyTuned())
    return error;
  llvm::SmallVector<KernelOp> kernels(tileModule->getOps<KernelOp>());
  if (llvm::Error error = applySettings(options.settings, kernels))
    return error;
  manifest.kernels = describeKernels(*tileModule);
  manifest.target = target->name.str();
  describeOptions();
  timer.end();
  return llvm::Error::success();
}

/// Checks that there is something to compile, and under --kernel drops the
/// rest.
llvm::Error Compilation::keepOneKernel() {
  llvm::SmallVector<KernelOp> kernels(tileModule->getOps<KernelOp>());
  if (kernels.empty()) {
    unsigned main = sources.getMainFileID();
    llvm::SMLoc start = llvm::SMLoc::getFromPointer(
        sources.getMemoryBuffer(main)->getBufferStart());
    diagnostics.error({start, start}, "the file has no kernel");
    return makeReportedFailure();
  }
  if (options.kernel.empty())
    return llvm::Error::success();
  llvm::SmallVector<StringRef> names;
  for (KernelOp kernel : kernels)
    names.push_back(kernel.getSourceName());
  if (!llvm::is_contained(names, options.kernel))
    return makeFailure("'" + options.inputFile + "' has no kernel '" +
                           options.kernel + "'",
                       suggestFrom(options.kernel, names));
  for (KernelOp kernel : kernels)
    if (kernel.getSourceName() != options.kernel)
      kernel.erase();
  return llvm::Error::success();
}

/// "M <= 16", or "else".
static std::string nameClass(const TunedClass &one) {
  return one.most ? one.most->name + " <= " + std::to_string(one.most->value)
                  : "else";
}

/// Null if nothing differs from the default.
static nlohmann::ordered_json describeValues(const TunedClass &one) {
  nlohmann::ordered_json result;
  for (const auto *values : {&one.definitions, &one.settings})
    for (const NamedText &value : *values)
      result[value.name] = value.text;
  return result;
}

/// What the manifest says about where it came from.
void Compilation::describeOptions() {
  std::string text;
  for (unsigned id = 1; id <= sources.getNumBuffers(); ++id)
    text += sources.getMemoryBuffer(id)->getBuffer();
  manifest.sourceHash = hashSha256(text);
  auto definitions = nlohmann::ordered_json::object();
  for (const NamedText &definition : options.definitions)
    definitions[definition.name] = definition.text;
  manifest.options["definitions"] = std::move(definitions);
  for (const TunedKernel &kernel : tuned)
    if (kernel.classes.size() == 1) {
      nlohmann::ordered_json values = describeValues(kernel.classes.front());
      if (!values.is_null())
        manifest.options["tuned"][kernel.kernel] = std::move(values);
    } else {
      for (const TunedClass &one : kernel.classes)
        manifest.options["tuned"][kernel.kernel][nameClass(one)] =
            describeValues(one);
    }
  if (options.settings.empty())
    return;
  auto settings = nlohmann::ordered_json::object();
  for (const NamedText &setting : options.settings)
    settings[setting.name] = setting.text;
  manifest.options["settings"] = std::move(settings);
}

//===----------------------------------------------------------------------===//
// Tile dialect to LLVM dialect
//===----------------------------------------------------------------------===//

llvm::Error Compilation::lower(bool stopsAtDecisions) {
  mlir::PassManager decisions(&context), threads(&context), lowering(&context);
  addTilePasses(decisions, *target);
  addThreadPasses(threads, *target);
  addLLVMPasses(lowering);
  // What comes out is verified as LLVM IR; between these passes of MLIR's it
  // would cost a tenth of the time to compile.
  threads.enableVerifier(false);
  lowering.enableVerifier(false);
  if (llvm::Error error = checkPassName(options.printIRAfter,
                                        {&decisions, &threads, &lowering}))
    return error;

  std::string lastPass = "the passes";
  auto observe = [&](std::vector<PassSnapshot> *kept) {
    return std::make_unique<PassObserver>(
        timer, PassObserver::Wishes{options.printIRAfter, kept}, lastPass);
  };
  decisions.addInstrumentation(observe(wantsSnapshots ? &snapshots : nullptr));
  threads.addInstrumentation(observe(nullptr));
  lowering.addInstrumentation(observe(nullptr));

  auto run = [&](mlir::PassManager &manager) -> llvm::Error {
    llvm::Expected<bool> succeeded =
        runPasses(manager, loweredModule, lastPass);
    if (!succeeded)
      return succeeded.takeError();
    return *succeeded ? llvm::Error::success() : stop(lastPass);
  };
  loweredModule = tileModule->clone();
  if (llvm::Error error = run(decisions))
    return error;
  manifest.kernels = describeKernels(*loweredModule);
  if (stopsAtDecisions)
    return llvm::Error::success();
  if (llvm::Error error = addPackers())
    return error;
  manifest.helpers = describeHelpers(*loweredModule);
  for (const std::string &decision : listIdleDecisions(*loweredModule))
    diagnostics.warning({}, "decision " + decision + " had nothing to decide");
  if (llvm::Error error = run(threads))
    return error;
  if (chooseFunction)
    if (llvm::Error error = dropOtherFunctions())
      return error;
  return run(lowering);
}

llvm::Error Compilation::dropOtherFunctions() {
  timer.end();
  llvm::Expected<StringRef> chosen = chooseFunction();
  if (!chosen)
    return chosen.takeError();
  auto functions = loweredModule->getOps<mlir::LLVM::LLVMFuncOp>();
  for (mlir::LLVM::LLVMFuncOp function : llvm::make_early_inc_range(functions))
    if (!function.isDeclaration() && function.getName() != *chosen)
      function.erase();
  return llvm::Error::success();
}

/// Compiles the kernels that pack prepacked tensors beside those that take
/// them.
llvm::Error Compilation::addPackers() {
  llvm::Expected<std::vector<PackedTensor>> tensors =
      findPackedTensors(*loweredModule);
  if (!tensors)
    return tensors.takeError();
  std::string text;
  for (const PackedTensor &tensor : *tensors)
    text += writePackers(tensor);
  if (text.empty())
    return llvm::Error::success();
  timer.begin("packers");
  llvm::SourceMgr packerSources;
  packerSources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(text, "packers.tile"), {});
  DiagnosticEngine found;
  mlir::OwningOpRef<mlir::ModuleOp> packers =
      parseTileFile(packerSources, FrontendOptions(), context, found);
  if (!packers || found.hasErrors()) {
    printDiagnostics(llvm::errs(), packerSources, found);
    return stop("the packers");
  }
  for (KernelOp kernel : packers->getOps<KernelOp>())
    kernel->setAttr(helperAttrName, mlir::UnitAttr::get(&context));
  mlir::PassManager passes(&context);
  addTilePasses(passes, *target);
  std::string lastPass = "the packers";
  llvm::Expected<bool> succeeded = runPasses(passes, packers, lastPass);
  if (!succeeded)
    return succeeded.takeError();
  if (!*succeeded)
    return stop(lastPass);
  mlir::Block *body = loweredModule->getBody();
  body->getOperations().splice(body->end(),
                               packers->getBody()->getOperations());
  timer.end();
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// LLVM dialect to cubin
//===----------------------------------------------------------------------===//

llvm::Error Compilation::makeLLVMModule(bool isForPtx) {
  timer.begin("translation to LLVM IR");
  auto translated = translateToLLVM(*loweredModule, llvmContext, *target);
  if (!translated)
    return translated.takeError();
  llvmModule = std::move(*translated);
  timer.begin("optimisation");
  kernelParts.reset();
  if (isForPtx && canShareKernels(*llvmModule)) {
    kernelParts = std::make_unique<KernelParts>(*llvmModule);
    if (llvm::Error error = optimize(*kernelParts, *target))
      return error;
  } else if (llvm::Error error = optimize(*llvmModule, *target)) {
    return error;
  }
  timer.end();
  return llvm::Error::success();
}

llvm::Expected<std::string> Compilation::emitOptimised(const Ptxas *assembler) {
  return kernelParts ? emitPTX(*kernelParts, *target, assembler)
                     : emitPTX(*llvmModule, *target, assembler);
}

llvm::Error Compilation::makePtx() {
  timer.begin("PTX");
  llvm::Expected<std::string> text = emitOptimised(/*assembler=*/nullptr);
  if (!text)
    return text.takeError();
  ptx = std::move(*text);
  // A text with hazards is for those who look for them.
  if (llvm::Error hazards = lintCode())
    diagnostics.warning({}, llvm::toString(std::move(hazards)));
  timer.end();
  return llvm::Error::success();
}

/// Fails if the PTX uses registers before or after their time.
llvm::Error Compilation::lintCode() {
  timer.begin("PTX lint");
  lint = lintPtx(ptx);
  if (lint.hazards.empty())
    return llvm::Error::success();
  // The same code once more, for the lines of the source.
  if (kernelParts)
    if (llvm::Error error = makeLLVMModule(/*isForPtx=*/false))
      return error;
  PtxOptions withLines;
  withLines.lineInfo = true;
  llvm::Expected<std::string> text =
      emitPTX(*llvmModule, *target, /*assembler=*/nullptr, withLines);
  if (!text)
    return text.takeError();
  PtxLintReport located = lintPtx(*text);
  return makeHazardError(located.hazards.empty() ? lint.hazards
                                                 : located.hazards);
}

llvm::Error Compilation::makeCubin() {
  timer.begin("search for ptxas");
  llvm::Expected<Ptxas> ptxas = findPtxas();
  if (!ptxas)
    return ptxas.takeError();
  timer.begin("PTX");
  // Again, for an assembler that may be too old for it.
  llvm::Expected<std::string> text = emitOptimised(&*ptxas);
  if (!text)
    return text.takeError();
  ptx = std::move(*text);
  if (llvm::Error error = lintCode())
    return error;
  timer.begin("ptxas");
  llvm::Expected<Cubin> assembled = assemble(ptx, *target, *ptxas);
  if (!assembled)
    return assembled.takeError();
  timer.end();
  cubin = std::move(*assembled);

  addResources(manifest, cubin.report);
  manifest.cubinHash = hashSha256(cubin.bytes);
  reportSlowCode(*tileModule, manifest, cubin.report, lint, options.strictPtxas,
                 sources, diagnostics);
  return diagnostics.hasErrors() ? makeReportedFailure()
                                 : llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// All of it
//===----------------------------------------------------------------------===//

llvm::Error Compilation::compileToDecisions() {
  if (llvm::Error error = chooseTarget())
    return error;
  if (llvm::Error error = readSource())
    return error;
  PassDiagnostics passDiagnostics(context, sources, diagnostics);
  if (llvm::Error error = makeTileModule())
    return error;
  return lower(/*stopsAtDecisions=*/true);
}

llvm::Error Compilation::compileTo(Stage stage) {
  if (llvm::Error error = chooseTarget())
    return error;
  if (llvm::Error error = readSource())
    return error;
  if (stage == Stage::Ast)
    return printSyntaxTree();

  // What MLIR reports from here on reads like the rest.
  PassDiagnostics passDiagnostics(context, sources, diagnostics);

  // What the kernels mean.
  if (llvm::Error error = makeTileModule())
    return error;
  if (stage == Stage::Tile)
    return llvm::Error::success();

  // What each thread does.
  if (llvm::Error error = lower(/*stopsAtDecisions=*/false))
    return error;
  if (stage == Stage::Nvvm)
    return llvm::Error::success();
  if (llvm::Error error = makeLLVMModule(/*isForPtx=*/stage != Stage::LLVM))
    return error;
  if (stage == Stage::LLVM)
    return llvm::Error::success();

  // What the GPU executes.
  if (stage == Stage::Ptx)
    return makePtx();
  return makeCubin();
}

llvm::Error tilec::compileAndReport(Compilation &compilation, Stage stage) {
  llvm::Error error = compilation.compileTo(stage);
  // A user who gave no values wonders about errors that speak of them.
  if (error)
    for (const TunedKernel &kernel : compilation.getTunedKernels())
      if (kernel.isTaken)
        compilation.getDiagnostics()
            .warning({}, "kernel '" + kernel.kernel + "' was compiled with " +
                             kernel.summary)
            .withHelp("--no-tune compiles without it");
  compilation.getTimer().end();
  printDiagnostics(llvm::errs(), compilation.getSources(),
                   compilation.getDiagnostics());
  if (compilation.getOptions().time)
    compilation.getTimer().print(llvm::errs());
  return error;
}
