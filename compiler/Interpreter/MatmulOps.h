//===- MatmulOps.h - Matrices that products are made of -------------------===//
#ifndef TILEC_INTERPRETER_MATMULOPS_H
#define TILEC_INTERPRETER_MATMULOPS_H

#include "compiler/Interpreter/TileAccess.h"

namespace tilec {

/// An operand as the product wants it: row-major [M, K] or [K, N].
struct Matrix {
  int64_t rows, columns;
  std::vector<double> elements;
};

/// How an operand is stored and read.
struct OperandRole {
  bool isTransposed;
  bool isUnsigned;
  bool roundToTF32;
};

/// The elements of an operand, a fragment or a shared tile.
llvm::FailureOr<RuntimeValue>
readOperand(BlockInterpreter &block, mlir::Operation *op, mlir::Value operand);

/// The same as numbers, row-major.
llvm::FailureOr<std::vector<double>> readNumbers(BlockInterpreter &block,
                                                 mlir::Operation *op,
                                                 mlir::Value operand,
                                                 bool isUnsigned);

llvm::FailureOr<Matrix> makeMatrix(BlockInterpreter &block, mlir::Operation *op,
                                   mlir::Value operand, OperandRole role);

/// Sets the result of `op` to the accumulator plus a * b.
llvm::LogicalResult multiply(BlockInterpreter &block, mlir::Operation *op,
                             const Matrix &a, const Matrix &b,
                             mlir::Value accumulator);

} // namespace tilec

#endif // TILEC_INTERPRETER_MATMULOPS_H
