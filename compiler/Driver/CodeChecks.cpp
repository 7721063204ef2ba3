//===- CodeChecks.cpp - What the checks of generated code tell the user ---===//
#include "compiler/Driver/CodeChecks.h"

#include "compiler/Driver/PassDiagnostics.h"
#include "dialects/Tile/IR/TileOps.h"

using namespace tilec;
using llvm::StringRef;
using mlir::tile::KernelOp;

namespace {
class SlowCodeReporter {
public:
  SlowCodeReporter(mlir::ModuleOp tileModule, const PtxasReport &assembled,
                   const PtxLintReport &lint, bool strict,
                   llvm::SourceMgr &sources, DiagnosticEngine &diagnostics)
      : tileModule(tileModule), assembled(assembled), lint(lint),
        strict(strict), sources(sources), diagnostics(diagnostics) {}

  void report(const ManifestKernel &kernel, const ManifestVariant &variant);

private:
  mlir::ModuleOp tileModule;
  const PtxasReport &assembled;
  const PtxLintReport &lint;
  bool strict;
  llvm::SourceMgr &sources;
  DiagnosticEngine &diagnostics;
};
} // namespace

void SlowCodeReporter::report(const ManifestKernel &kernel,
                              const ManifestVariant &variant) {
  SourceRange range;
  for (KernelOp op : tileModule.getOps<KernelOp>())
    if (op.getSourceName() == kernel.name)
      range = findRange(sources, op.getLoc());
  std::string subject =
      "variant '" + variant.name + "' of kernel '" + kernel.name + "'";

  bool holdsWgmma = lint.holdsWgmma(variant.symbol);
  auto add = [&](bool isError, const llvm::Twine &message) -> Diagnostic & {
    return isError ? diagnostics.error(range, message)
                   : diagnostics.warning(range, message);
  };

  int64_t spilled = variant.spillBytes.value_or(0);
  if (spilled > 0)
    add(strict && holdsWgmma, subject +
                                  " spills registers: " + llvm::Twine(spilled) +
                                  " bytes a thread go to memory and back")
        .withHelp("use smaller tiles or more threads");

  const KernelResources *resources = assembled.find(variant.symbol);
  if (resources && spilled == 0 && resources->stackBytes > 0 && holdsWgmma)
    add(strict, subject + " keeps " + llvm::Twine(resources->stackBytes) +
                    " bytes a thread in local memory (ptxas: " +
                    llvm::Twine(resources->stackBytes) + " bytes stack frame)");

  for (const std::string &line : assembled.lostPerformance)
    if (StringRef(line).contains("'" + variant.symbol + "'"))
      add(strict, subject + " waits more than it was meant to: " + line);

  for (const PtxFinding &finding : lint.drift)
    if (finding.kernel == variant.symbol)
      diagnostics.warning(range, subject +
                                     " may keep the tensor cores waiting; in "
                                     "the PTX, line " +
                                     llvm::Twine(finding.line) + ", " +
                                     finding.message);
}

void tilec::reportSlowCode(mlir::ModuleOp tileModule,
                           const ManifestModel &manifest,
                           const PtxasReport &assembled,
                           const PtxLintReport &lint, bool strict,
                           llvm::SourceMgr &sources,
                           DiagnosticEngine &diagnostics) {
  SlowCodeReporter reporter(tileModule, assembled, lint, strict, sources,
                            diagnostics);
  for (const ManifestKernel &kernel : manifest.kernels)
    for (const ManifestVariant &variant : kernel.variants)
      reporter.report(kernel, variant);

  // What is said of no function of ours is not lost.
  for (const std::string &line : assembled.lostPerformance) {
    bool isNamed = llvm::any_of(manifest.kernels, [&](const auto &kernel) {
      return llvm::any_of(kernel.variants, [&](const auto &variant) {
        return StringRef(line).contains("'" + variant.symbol + "'");
      });
    });
    if (!isNamed)
      diagnostics.warning({}, line);
  }
  for (const std::string &warning : assembled.warnings)
    diagnostics.warning({}, warning);
}
