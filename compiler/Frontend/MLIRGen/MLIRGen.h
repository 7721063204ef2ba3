//===- MLIRGen.h - Checked kernels to the tile dialect --------------------===//
#ifndef TILEC_FRONTEND_MLIRGEN_MLIRGEN_H
#define TILEC_FRONTEND_MLIRGEN_MLIRGEN_H

#include "compiler/Frontend/Sema/CheckedModule.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace tilec {

/// Generates a `tile.kernel` for each kernel of a module without errors.  Every
/// operation has its place in the source as its location.  The context has the
/// dialects loaded (`loadFrontendDialects`).
mlir::OwningOpRef<mlir::ModuleOp> generateModule(const checked::Module &module,
                                                 const llvm::SourceMgr &sources,
                                                 mlir::MLIRContext &context);

} // namespace tilec

#endif // TILEC_FRONTEND_MLIRGEN_MLIRGEN_H
