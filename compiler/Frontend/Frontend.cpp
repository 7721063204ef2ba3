//===- Frontend.cpp - The phases in order ---------------------------------===//
#include "compiler/Frontend/Frontend.h"

#include "compiler/Frontend/Sema/Dataflow.h"
#include "compiler/Frontend/Syntax/Lexer.h"
#include "compiler/Frontend/Syntax/Parser.h"
#include "dialects/Tile/IR/TileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"

using namespace tilec;

void tilec::loadFrontendDialects(mlir::MLIRContext &context) {
  context.loadDialect<mlir::arith::ArithDialect, mlir::math::MathDialect,
                      mlir::scf::SCFDialect, mlir::tile::TileDialect>();
}

ast::File tilec::parseSource(const llvm::SourceMgr &sources,
                             DiagnosticEngine &diagnostics) {
  return parseBuffer(sources, sources.getMainFileID(), diagnostics);
}

ast::File tilec::parseBuffer(const llvm::SourceMgr &sources, unsigned id,
                             DiagnosticEngine &diagnostics) {
  const llvm::MemoryBuffer *buffer = sources.getMemoryBuffer(id);
  // Lines, columns and parser positions are 32-bit numbers downstream.
  constexpr size_t largestSource = size_t(1) << 28;
  if (buffer->getBufferSize() > largestSource) {
    diagnostics.error(SourceRange(), buffer->getBufferIdentifier() +
                                         " is larger than 256 MiB");
    return {};
  }
  return parseFile(lex(buffer->getBuffer(), diagnostics), diagnostics);
}

checked::Module tilec::checkSource(const ast::File &file,
                                   const FrontendOptions &options,
                                   DiagnosticEngine &diagnostics) {
  checked::Module module = checkFile(file, options, diagnostics);
  if (diagnostics.hasErrors())
    return module;
  for (checked::Kernel &kernel : module.kernels) {
    checked::inferPackedDimensions(kernel);
    checked::checkPackedParts(kernel, diagnostics);
    checked::findCarried(kernel);
    checked::checkSplits(kernel, diagnostics);
  }
  return module;
}

mlir::OwningOpRef<mlir::ModuleOp>
tilec::parseTileFile(llvm::SourceMgr &sources, const FrontendOptions &options,
                     mlir::MLIRContext &context,
                     DiagnosticEngine &diagnostics) {
  ast::File file = parseProgram(sources, diagnostics);
  if (diagnostics.hasErrors())
    return nullptr;
  checked::Module kernels = checkSource(file, options, diagnostics);
  if (diagnostics.hasErrors())
    return nullptr;
  loadFrontendDialects(context);
  mlir::OwningOpRef<mlir::ModuleOp> module =
      generateModule(kernels, sources, context);
  if (mlir::failed(mlir::verify(*module))) {
    diagnostics.error(SourceRange(),
                      "internal error: the frontend made a module that does "
                      "not verify; please report the source");
    return nullptr;
  }
  return module;
}
