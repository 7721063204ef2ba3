//===- Traffic.h - Bytes that a kernel moves --------------------*- C++ -*-===//
//
// Predicted from the source alone: what a block reads and writes of tensors,
// and the time below which no kernel with these arguments can be.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_DRIVER_REPORT_TRAFFIC_H
#define TILE_COMPILER_DRIVER_REPORT_TRAFFIC_H

#include "compiler/Driver/Report/TextTable.h"
#include "dialects/Tile/IR/TileOps.h"

namespace tilec {

/// After `infer-layouts`: bytes of each copy between a tensor and the block,
/// and how often it happens: a number, or the loops whose extent is not known.
TextTable makeTrafficTable(mlir::tile::KernelOp kernel);

/// Their sum over a block; loops whose extent is not known count once.
double countBlockTraffic(mlir::tile::KernelOp kernel);
/// How often an operation runs in a block, counted the same way.
double countTimes(mlir::Operation *op);
/// The same of the body of a loop, for each time that the loop runs.
double countIterationsOf(mlir::tile::PipelinedOp loop);
/// Bytes that an iteration reads of tensors.
double countLoopTraffic(mlir::tile::PipelinedOp loop);

/// Bytes of all tensors, those that are read and written twice; none if an
/// extent is not known.
std::optional<int64_t> countTensorBytes(mlir::tile::KernelOp kernel);

/// "the tensors hold 1,024 bytes: no launch takes less than 0.2 us at 4.8 TB/s
/// (H200)"; empty if an extent is not known.
std::string describeBandwidthFloor(mlir::tile::KernelOp kernel,
                                   llvm::StringRef target);

} // namespace tilec

#endif // TILE_COMPILER_DRIVER_REPORT_TRAFFIC_H
