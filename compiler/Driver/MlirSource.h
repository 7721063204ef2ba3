//===- MlirSource.h - Reads a .mlir file ----------------------------------===//
#ifndef TILE_COMPILER_DRIVER_MLIRSOURCE_H
#define TILE_COMPILER_DRIVER_MLIRSOURCE_H

#include "compiler/Frontend/Diagnostics/Diagnostics.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/SourceMgr.h"

namespace tilec {

/// Parses the main file of `sources`.  Null if it is wrong; what MLIR reports
/// goes where the context's handler sends it.
mlir::OwningOpRef<mlir::ModuleOp> parseMlirFile(llvm::SourceMgr &sources,
                                                mlir::MLIRContext &context,
                                                DiagnosticEngine &diagnostics);

} // namespace tilec

#endif // TILE_COMPILER_DRIVER_MLIRSOURCE_H
