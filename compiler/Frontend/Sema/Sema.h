//===- Sema.h - Semantic analysis -----------------------------------------===//
#ifndef TILEC_FRONTEND_SEMA_SEMA_H
#define TILEC_FRONTEND_SEMA_SEMA_H

#include "compiler/Frontend/Sema/CheckedModule.h"

namespace tilec {

/// `-D NAME=VALUE`.
struct Define {
  std::string name;
  std::string value;
};

/// Values of config constants of one kernel, from a tune file.
struct KernelDefines {
  std::string kernel;
  std::vector<Define> defines;
};

struct SemaOptions {
  /// They reach every kernel of the file that has the name.
  std::vector<Define> defines;
  /// Those of single kernels, under the ones above.
  std::vector<KernelDefines> tuned;
  /// The one kernel to check; all if empty.
  std::string kernel;
};

/// Checks the kernels of a file for the compile-time constants that the file
/// and the options give.  After an error the result is incomplete.
checked::Module checkFile(const ast::File &file, const SemaOptions &options,
                          DiagnosticEngine &diagnostics);

} // namespace tilec

#endif // TILEC_FRONTEND_SEMA_SEMA_H
