//===- CompileTuned.cpp - What a compilation takes from tuning ------------===//
#include "compiler/Driver/Compile.h"
#include "compiler/Driver/Failure.h"
#include "compiler/Driver/Settings.h"
#include "compiler/Driver/Tune/Fit.h"
#include "compiler/Frontend/Frontend.h"
#include "dialects/Tile/IR/TileOps.h"

using namespace tilec;

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
  if (hasFile) {
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
      fitKernels(options, target->name, kernels);
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

/// Puts what was tuned of the compiler's decisions into the kernels.
llvm::Error Compilation::applyTuned() {
  for (const TunedKernel &kernel : tuned)
    if (llvm::Error error =
            applySettings(kernel.settings, *tileModule, kernel.kernel))
      return llvm::joinErrors(makeFailure("the settings of " + kernel.summary),
                              std::move(error));
  return llvm::Error::success();
}
