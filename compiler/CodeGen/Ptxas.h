//===- Ptxas.h - The assembler of the CUDA toolkit ------------------------===//
//
// Finds ptxas, the only outside program that tilec runs, and asks for its
// version.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_CODEGEN_PTXAS_H
#define TILE_COMPILER_CODEGEN_PTXAS_H

#include "compiler/CodeGen/PtxVersion.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace tilec {

/// A ptxas that answered when asked for its version.
struct Ptxas {
  std::string path;
  /// Of the CUDA toolkit that it comes from: 13, 0, 88.
  unsigned major = 0;
  unsigned minor = 0;
  unsigned patch = 0;
  /// The newest PTX that it takes.
  PtxVersion ptx;
  /// A child that runs longer is killed.  From TILE_PTXAS_TIMEOUT.
  unsigned secondsToWait = 120;

  /// "13.0.88"
  std::string getVersionText() const;
  /// How a user gets a (newer) ptxas, as the end of a message.
  static llvm::StringRef howToGet();
};

/// Finds ptxas: `explicitPath` if not empty, else the environment variable
/// TILE_PTXAS; without either the first of $CUDA_HOME/bin, the PATH,
/// /usr/local/cuda/bin and ../ptxas/bin beside the running program's folder,
/// where tools/quickstart puts it.  A path that was named is taken or refused,
/// never replaced by another.
llvm::Expected<Ptxas> findPtxas(llvm::StringRef explicitPath = "");

/// The newest PTX version of a CUDA toolkit, 0.0 for one before 11.0.
PtxVersion getPtxOfToolkit(unsigned major, unsigned minor);

} // namespace tilec

#endif // TILE_COMPILER_CODEGEN_PTXAS_H
