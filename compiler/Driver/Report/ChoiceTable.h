//===- ChoiceTable.h - Decisions by name ------------------------*- C++ -*-===//
//
// The choices that passes noted (dialects/Tile/Transforms/Decisions.h), under
// the names that --set and `annotate` take.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_DRIVER_REPORT_CHOICETABLE_H
#define TILE_COMPILER_DRIVER_REPORT_CHOICETABLE_H

#include "compiler/Driver/CommandLine.h"
#include "compiler/Driver/Report/TextTable.h"
#include "dialects/Tile/IR/TileOps.h"

namespace tilec {

/// The choices of all variants of a kernel, each once.  `tuned` are those that
/// were made elsewhere, and `tunedBy` tells where.
TextTable makeChoiceTable(llvm::ArrayRef<mlir::tile::KernelOp> variants,
                          llvm::ArrayRef<NamedText> tuned,
                          llvm::StringRef tunedBy);

} // namespace tilec

#endif // TILE_COMPILER_DRIVER_REPORT_CHOICETABLE_H
