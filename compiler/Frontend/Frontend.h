//===- Frontend.h - From .tile text to the tile dialect -------------------===//
//
// The phases are: text -> tokens -> syntax tree -> checked kernels -> MLIR
// module.  Each takes a value and gives one, so that a tool may stop and print
// after any of them:
//
//   DiagnosticEngine diagnostics;
//   ast::File file = parseProgram(sources, diagnostics);
//   checked::Module kernels = checkSource(file, options, diagnostics);
//   mlir::OwningOpRef<mlir::ModuleOp> module =
//       generateModule(kernels, sources, context);
//   printDiagnostics(llvm::errs(), sources, diagnostics);
//
// A phase is not run on the result of one that reported errors.
//
//===----------------------------------------------------------------------===//
#ifndef TILEC_FRONTEND_FRONTEND_H
#define TILEC_FRONTEND_FRONTEND_H

#include "compiler/Frontend/Diagnostics/Diagnostics.h"
#include "compiler/Frontend/MLIRGen/MLIRGen.h"
#include "compiler/Frontend/Sema/Sema.h"
#include "compiler/Frontend/Syntax/ASTPrinter.h"

namespace tilec {

using FrontendOptions = SemaOptions;

/// Loads the dialects that `generateModule` uses.
void loadFrontendDialects(mlir::MLIRContext &context);

/// Lexes and parses the main buffer of `sources`.  The tree points into it.
ast::File parseSource(const llvm::SourceMgr &sources,
                      DiagnosticEngine &diagnostics);

/// The same for any buffer, by its number.
ast::File parseBuffer(const llvm::SourceMgr &sources, unsigned id,
                      DiagnosticEngine &diagnostics);

/// Parses the main buffer and the files that it imports, which are added to
/// `sources`; the tree has the functions and constants of all.
ast::File parseProgram(llvm::SourceMgr &sources, DiagnosticEngine &diagnostics);

/// Checks the kernels of a file that was parsed without errors.
checked::Module checkSource(const ast::File &file,
                            const FrontendOptions &options,
                            DiagnosticEngine &diagnostics);

/// All phases in a row.  Null after an error; the caller prints the
/// diagnostics, which may hold remarks even if there is a module.
mlir::OwningOpRef<mlir::ModuleOp> parseTileFile(llvm::SourceMgr &sources,
                                                const FrontendOptions &options,
                                                mlir::MLIRContext &context,
                                                DiagnosticEngine &diagnostics);

} // namespace tilec

#endif // TILEC_FRONTEND_FRONTEND_H
