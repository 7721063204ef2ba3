//===- LaneAccess.h - Single elements, an index tuple for each lane -------===//
#ifndef TILEC_INTERPRETER_LANEACCESS_H
#define TILEC_INTERPRETER_LANEACCESS_H

#include "compiler/Interpreter/TileAccess.h"

namespace tilec {

/// The index tuples of the lanes.
class LaneIndices {
public:
  LaneIndices(const BlockInterpreter &block, mlir::ValueRange indices)
      : current(indices.size()) {
    for (mlir::Value index : indices)
      elements.push_back(block.getIntegers(index));
    isUniform = llvm::all_of(
        elements, [](const Integers &index) { return index.isUniform(); });
  }

  llvm::ArrayRef<int64_t> get(int64_t lane) {
    for (auto [value, index] : llvm::zip_equal(current, elements))
      value = index[lane];
    return current;
  }

  bool isUniform;

private:
  llvm::SmallVector<Integers> elements;
  llvm::SmallVector<int64_t> current;
};

/// The number of the element of a shared tile at an index; fails outside.
llvm::FailureOr<int64_t> locateShared(BlockInterpreter &block,
                                      mlir::Operation *op,
                                      const MemoryView &memory,
                                      llvm::ArrayRef<int64_t> index);

} // namespace tilec

#endif // TILEC_INTERPRETER_LANEACCESS_H
