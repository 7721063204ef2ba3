//===- OrderArrivals.h - Arrivals behind the reads before them ------------===//
//
// `mbarrier.arrive` tells others that a buffer may be written anew.  ptxas lets
// it pass while loads from shared memory that stand before it are under way,
// and on an H200 the two are not served in order: TMA has been seen to replace
// a row of a tile before `ldmatrix` of the buffer's last user read it (16
// tokens of bf16 x int4, 128 blocks: wrong in each of 40 launches; with the
// loads complete before the arrival, in none).
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_CODEGEN_ORDERARRIVALS_H
#define TILE_COMPILER_CODEGEN_ORDERARRIVALS_H

#include "llvm/IR/PassManager.h"

namespace tilec {

/// Makes the address of each arrival on an mbarrier depend on what the loads
/// from shared memory that may be under way have brought, without changing it.
/// A warp issues in order: behind the arrival stands no load that it waits for.
/// Where the arrival has a predicate, that depends on them in place of the
/// address.
/// Sums of mma.sync stand for what they were made of, which would take
/// registers until then. Where a value cannot be had at the arrival, a fence
/// waits for it.
///
/// Runs behind the optimisation, which would see that the address stays.
struct OrderArrivals : llvm::PassInfoMixin<OrderArrivals> {
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace tilec

#endif // TILE_COMPILER_CODEGEN_ORDERARRIVALS_H
