//===- CompileTuned.cpp - What a compilation takes from tuning ------------===//
#include "compiler/Driver/Compile.h"
#include "compiler/Driver/Failure.h"
#include "compiler/Driver/Settings.h"
#include "compiler/Driver/Tune/Fit.h"
#include "compiler/Frontend/Frontend.h"
#include "dialects/Tile/IR/TileOps.h"

using namespace tilec;
using mlir::tile::KernelOp;

/// The class that a kernel was made for; null if nothing was tuned.
static const TunedClass *
findClass(const TunedKernel &tuned,
          std::optional<mlir::DictionaryAttr> sizeClass) {
  if (tuned.classes.empty() || !sizeClass)
    return tuned.classes.empty() ? nullptr : &tuned.classes.back();
  int64_t most = sizeClass->getAs<mlir::IntegerAttr>("most").getInt();
  for (const TunedClass &one : tuned.classes)
    if (one.most && one.most->value == most)
      return &one;
  return nullptr;
}

/// Looks up the kernels in the tune file for each of several values of a size.
llvm::Error Compilation::findMeasured(llvm::ArrayRef<TunableKernel> kernels,
                                      std::vector<MeasuredSize> &measured) {
  for (int64_t value : options.fitSizes->values) {
    CompileOptions one = options;
    llvm::erase_if(one.tuneFile.sizes, [&](const NamedSize &size) {
      return size.name == options.fitSizes->name;
    });
    one.tuneFile.sizes.push_back({options.fitSizes->name, value});
    llvm::Expected<std::vector<TunedKernel>> entries =
        findTunedValues(one, target->name, kernels, diagnostics);
    if (!entries)
      return entries.takeError();
    for (TunedKernel &entry : *entries)
      if (entry.isTaken)
        measured.push_back({entry.kernel, value, entry.classes.front()});
  }
  return llvm::Error::success();
}

/// Looks up the kernels in the tune file, if there is one, and fits those that
/// it has nothing for if that was asked for.
llvm::Error Compilation::findTuned() {
  bool hasFile = mayHaveTuneFile(options);
  if (!hasFile && !options.fits)
    return llvm::Error::success();
  std::vector<TunableKernel> kernels;
  if (isMlir()) {
    kernels = listTunableKernels(*tileModule);
  } else {
    // The sources that this reads are read again below: imports are added once
    // for each reading.
    llvm::SourceMgr own;
    DiagnosticEngine ignored;
    unsigned main = sources.getMainFileID();
    own.AddNewSourceBuffer(
        llvm::MemoryBuffer::getMemBuffer(
            sources.getMemoryBuffer(main)->getMemBufferRef()),
        {});
    ast::File file = parseProgram(own, ignored);
    // The frontend reports the same, with the user's own sources.
    if (ignored.hasErrors())
      return llvm::Error::success();
    kernels = listTunableKernels(own, file);
  }
  std::vector<MeasuredSize> measured;
  if (hasFile && options.fitSizes) {
    if (llvm::Error error = findMeasured(kernels, measured))
      return error;
  } else if (hasFile) {
    llvm::Expected<std::vector<TunedKernel>> found =
        findTunedValues(options, target->name, kernels, diagnostics);
    if (!found)
      return found.takeError();
    tuned = std::move(*found);
    llvm::erase_if(kernels, [&](const TunableKernel &kernel) {
      return llvm::any_of(tuned, [&](const TunedKernel &one) {
        return one.isTaken && one.kernel == kernel.name;
      });
    });
  }
  if (!options.fits)
    return llvm::Error::success();
  llvm::Expected<std::vector<TunedKernel>> fitted =
      fitKernels(options, target->name, kernels, measured);
  if (!fitted)
    return fitted.takeError();
  for (TunedKernel &one : *fitted) {
    llvm::erase_if(tuned, [&](const TunedKernel &other) {
      return other.kernel == one.kernel;
    });
    tuned.push_back(std::move(one));
  }
  return llvm::Error::success();
}

/// For the kernels as -D and tuning make them: those of a class of sizes, or of
/// the last of each kernel, which has no bound.
FrontendOptions
Compilation::makeFrontendOptions(std::optional<size_t> sizeClass) {
  FrontendOptions frontend;
  for (const TunedKernel &kernel : tuned) {
    if (kernel.classes.empty())
      continue;
    size_t last = kernel.classes.size() - 1;
    frontend.tuned.push_back({kernel.kernel, {}});
    for (const NamedText &definition :
         kernel.classes[std::min(sizeClass.value_or(last), last)].definitions)
      frontend.tuned.back().defines.push_back(
          {definition.name, definition.text});
  }
  for (const NamedText &definition : options.definitions)
    frontend.defines.push_back({definition.name, definition.text});
  frontend.kernel = options.kernel;
  return frontend;
}

/// Compiles the kernels that have a class of sizes of that number once more,
/// and puts them in front of what they are for all sizes.
llvm::Error Compilation::addSizeClasses() {
  size_t most = 1;
  for (const TunedKernel &kernel : tuned)
    most = std::max(most, kernel.classes.size());
  for (size_t i = 0; i + 1 < most; ++i) {
    llvm::SourceMgr own;
    own.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(
                               sources.getMemoryBuffer(sources.getMainFileID())
                                   ->getMemBufferRef()),
                           {});
    DiagnosticEngine found;
    mlir::OwningOpRef<mlir::ModuleOp> made =
        parseTileFile(own, makeFrontendOptions(i), context, found);
    if (!made || found.hasErrors()) {
      // Warnings are those of the other class.
      printDiagnostics(llvm::errs(), own, found);
      return makeReportedFailure();
    }
    if (llvm::Error error = adoptSizeClass(i, *made))
      return error;
  }
  return llvm::Error::success();
}

llvm::Error Compilation::adoptSizeClass(size_t sizeClass, mlir::ModuleOp made) {
  mlir::Builder builder(&context);
  for (const TunedKernel &kernel : tuned) {
    auto isOfKernel = [&](KernelOp op) {
      return op.getSourceName() == kernel.kernel && !op.getSizeClass();
    };
    auto theirs = made.getOps<KernelOp>();
    auto ours = tileModule->getOps<KernelOp>();
    auto found = llvm::find_if(theirs, isOfKernel);
    auto last = llvm::find_if(ours, isOfKernel);
    if (sizeClass + 1 >= kernel.classes.size() || found == theirs.end() ||
        last == ours.end())
      continue;
    KernelOp copy = *found;
    const NamedSize &most = *kernel.classes[sizeClass].most;
    copy.setOriginAttr(builder.getStringAttr(kernel.kernel));
    copy.setSizeClassAttr(builder.getDictionaryAttr(
        {builder.getNamedAttr("symbol", builder.getStringAttr(most.name)),
         builder.getNamedAttr("most", builder.getI64IntegerAttr(most.value))}));
    if (tileModule->lookupSymbol(copy.getFunctionStem()))
      return makeUsageError("kernel '" + copy.getFunctionStem() +
                                "' has the name that the code "
                                "of '" +
                                kernel.kernel + "' for " + most.name +
                                " <= " + std::to_string(most.value) + " gets",
                            "rename the kernel");
    copy.setSymName(copy.getFunctionStem());
    copy->moveBefore(*last);
  }
  return llvm::Error::success();
}

/// A launch of any class gives the same arguments.
mlir::LogicalResult Compilation::verifySizeClasses() {
  llvm::StringMap<KernelOp> rest;
  for (KernelOp kernel : tileModule->getOps<KernelOp>())
    if (!kernel.getSizeClass())
      rest[kernel.getSourceName()] = kernel;
  for (KernelOp kernel : tileModule->getOps<KernelOp>()) {
    KernelOp other = rest.lookup(kernel.getSourceName());
    if (!kernel.getSizeClass() || !other)
      continue;
    unsigned count = kernel.getArgumentTypes().size();
    bool isSame = count == other.getArgumentTypes().size();
    for (unsigned i = 0; isSame && i < count; ++i)
      isSame =
          kernel.getArgDtype(i) == other.getArgDtype(i) &&
          kernel.getArgAttr(i, "tile.dims") == other.getArgAttr(i, "tile.dims");
    if (!isSame)
      return kernel.emitError("the code of '")
             << kernel.getSourceName() << "' for the sizes of "
             << *kernel.getSizeClass()
             << " takes other parameters than that for larger ones";
  }
  return mlir::success();
}

/// Puts what was tuned of the compiler's decisions into the kernels.
llvm::Error Compilation::applyTuned() {
  for (const TunedKernel &tunedKernel : tuned)
    for (KernelOp kernel : tileModule->getOps<KernelOp>()) {
      if (kernel.getSourceName() != tunedKernel.kernel)
        continue;
      const TunedClass *own = findClass(tunedKernel, kernel.getSizeClass());
      if (!own)
        continue;
      if (llvm::Error error = applySettings(own->settings, kernel))
        return llvm::joinErrors(
            makeFailure("the settings of " + tunedKernel.summary),
            std::move(error));
    }
  return llvm::Error::success();
}
