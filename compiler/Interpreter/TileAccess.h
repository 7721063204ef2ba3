//===- TileAccess.h - Reads and writes of whole tiles ---------------------===//
#ifndef TILEC_INTERPRETER_TILEACCESS_H
#define TILEC_INTERPRETER_TILEACCESS_H

#include "compiler/Interpreter/BlockInterpreter.h"

namespace tilec {

/// A box of a memory: its first element and its extents, which apply to the
/// last dimensions.
struct TileBox {
  std::vector<int64_t> anchor;
  std::vector<int64_t> shape;
};

/// The box of `shape` at these indices; no indices name the start of the
/// memory.
llvm::FailureOr<TileBox> makeBox(BlockInterpreter &block, mlir::Operation *op,
                                 const MemoryView &memory,
                                 mlir::ValueRange indices,
                                 llvm::ArrayRef<int64_t> shape);

/// Reads the elements of a box, row-major.  Outside a global tensor they are
/// `pad`.  Elements of a shared tile must lie inside and have been written.
llvm::FailureOr<RuntimeValue>
readTile(BlockInterpreter &block, mlir::Operation *op, const MemoryView &memory,
         const TileBox &box, const RuntimeValue &pad);

/// Writes the elements of a box; nothing outside a global tensor.
llvm::LogicalResult writeTile(BlockInterpreter &block, mlir::Operation *op,
                              const MemoryView &memory, const TileBox &box,
                              const RuntimeValue &elements);

/// Marks all elements of a shared tile.
void markElements(const MemoryView &shared, ElementState state);

/// What a read outside a tensor gives: the value of the operand `pad`, or if
/// there is none 0, and 1.0 for e8m0.
RuntimeValue getPad(const BlockInterpreter &block, mlir::Value pad,
                    const MemoryView &memory);

/// Fails if the parameter may not be read, or written.
llvm::LogicalResult requireReadable(BlockInterpreter &block,
                                    mlir::Operation *op,
                                    const MemoryView &memory);
llvm::LogicalResult requireWritable(BlockInterpreter &block,
                                    mlir::Operation *op,
                                    const MemoryView &memory);

/// Fails because a shared element is read in a state that gives it no value.
llvm::LogicalResult failUndefined(BlockInterpreter &block, mlir::Operation *op,
                                  const SharedTile &tile, ElementState state,
                                  llvm::ArrayRef<int64_t> index);

/// Fails because an index lies outside a shared tile.
llvm::LogicalResult failOutside(BlockInterpreter &block, mlir::Operation *op,
                                const MemoryView &memory, size_t dim,
                                int64_t index);

} // namespace tilec

#endif // TILEC_INTERPRETER_TILEACCESS_H
