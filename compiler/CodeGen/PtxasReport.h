//===- PtxasReport.h - What ptxas says about the kernels ------------------===//
//
// Registers, spills and remarks, parsed from the text of `ptxas -v`.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_CODEGEN_PTXASREPORT_H
#define TILE_COMPILER_CODEGEN_PTXASREPORT_H

#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace tilec {

/// What one kernel takes.
struct KernelResources {
  std::string symbol;
  unsigned registers = 0;
  unsigned stackBytes = 0;
  unsigned spillStoreBytes = 0;
  unsigned spillLoadBytes = 0;
  /// Static shared memory; the dynamic part is known to the launch only.
  unsigned sharedBytes = 0;
  unsigned barriers = 0;
};

struct PtxasReport {
  std::vector<KernelResources> kernels;
  /// Lines with a C75xx number: an asynchronous instruction was serialised or
  /// a directive ignored.  The kernel is right but slower than it was meant.
  std::vector<std::string> lostPerformance;
  /// All other warnings.
  std::vector<std::string> warnings;

  /// The kernel of that symbol, or null.
  const KernelResources *find(llvm::StringRef symbol) const;
};

/// Parses all that `ptxas -v` printed.
PtxasReport parsePtxasReport(llvm::StringRef text);

} // namespace tilec

#endif // TILE_COMPILER_CODEGEN_PTXASREPORT_H
