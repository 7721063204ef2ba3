//===- TileAccess.h - Reads and writes of whole tiles ---------------------===//
#ifndef TILEC_INTERPRETER_TILEACCESS_H
#define TILEC_INTERPRETER_TILEACCESS_H

#include "compiler/Interpreter/BlockInterpreter.h"

namespace tilec {

/// The box of `shape`, which applies to the last dimensions of the memory, at
/// these indices; no indices name the start of the memory.  Fails where it
/// sticks out of a shared tile.
llvm::FailureOr<TileBox> makeBox(BlockInterpreter &block, mlir::Operation *op,
                                 const MemoryView &memory,
                                 mlir::ValueRange indices,
                                 llvm::ArrayRef<int64_t> shape);

/// Reads the elements of a box, row-major.  Outside a global tensor they are
/// `pad`.  Elements of a shared tile must have been written.
llvm::FailureOr<RuntimeValue>
readTile(BlockInterpreter &block, mlir::Operation *op, const MemoryView &memory,
         const TileBox &box, const RuntimeValue &pad);

/// Writes the elements of a box; nothing outside a global tensor.
llvm::LogicalResult writeTile(BlockInterpreter &block, mlir::Operation *op,
                              const MemoryView &memory, const TileBox &box,
                              const RuntimeValue &elements);

/// Marks all elements of a box of a shared tile.
void markElements(const MemoryView &shared, const TileBox &box,
                  ElementState state);
/// Whether an element of the box is in this state.
bool hasElements(const MemoryView &shared, const TileBox &box,
                 ElementState state);
/// Number of the element at a place of a shared tile.
int64_t locateElement(const SharedTile &tile,
                      llvm::ArrayRef<int64_t> rootIndex);

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
