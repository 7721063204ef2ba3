//===- Words.h - Types and values in the language's words -------*- C++ -*-===//
#ifndef TILE_COMPILER_DRIVER_REPORT_WORDS_H
#define TILE_COMPILER_DRIVER_REPORT_WORDS_H

#include "mlir/IR/Operation.h"

namespace tilec {

/// "bf16[128, 64]"
std::string spellTile(mlir::Type element, llvm::ArrayRef<int64_t> shape,
                      bool isUnsigned = false);
/// The same of a shared tile or a fragment.
std::string spellTile(mlir::Type type, bool isUnsigned = false);

/// The source's name of a tensor or shared tile, seen through views of it.
std::string nameMemory(mlir::Value value);

/// The line of the source that an operation comes from, or "-".
std::string nameLine(mlir::Operation *op);

} // namespace tilec

#endif // TILE_COMPILER_DRIVER_REPORT_WORDS_H
