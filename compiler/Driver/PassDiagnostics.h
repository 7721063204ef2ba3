//===- PassDiagnostics.h - MLIR's diagnostics in the language's form ------===//
//
// While one of these lives, what MLIR parsers, verifiers and passes report goes
// to the DiagnosticEngine, placed in the source by the operation's location, so
// that it reads like the frontend's own diagnostics.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_DRIVER_PASSDIAGNOSTICS_H
#define TILE_COMPILER_DRIVER_PASSDIAGNOSTICS_H

#include "compiler/Frontend/Diagnostics/Diagnostics.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"

namespace tilec {

class PassDiagnostics {
public:
  /// A note whose text begins with "help: " becomes the help line; one at the
  /// place of its diagnostic is shown without the place.
  PassDiagnostics(mlir::MLIRContext &context, llvm::SourceMgr &sources,
                  DiagnosticEngine &diagnostics);

private:
  void report(mlir::Diagnostic &diagnostic);

  llvm::SourceMgr &sources;
  DiagnosticEngine &diagnostics;
  mlir::ScopedDiagnosticHandler handler;
};

/// The place that a location stands for: the innermost one of inlined code, the
/// first one of a fused location; null if there is none.
mlir::FileLineColLoc findPlace(mlir::Location location);

/// The text at a place of a source file, up to the end of the word there. Reads
/// the file if it is not among the sources yet (a .mlir file may name the .tile
/// file it was made from); an invalid range if that does not work.
SourceRange findRange(llvm::SourceMgr &sources, llvm::StringRef file,
                      unsigned line, unsigned column);

/// The same for an operation's location.
SourceRange findRange(llvm::SourceMgr &sources, mlir::Location location);

} // namespace tilec

#endif // TILE_COMPILER_DRIVER_PASSDIAGNOSTICS_H
