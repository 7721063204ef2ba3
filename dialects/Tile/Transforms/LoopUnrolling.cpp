//===- LoopUnrolling.cpp - Unrolling of loops of the scf dialect ----------===//

#include "dialects/Tile/Transforms/LoopUnrolling.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"

using namespace mlir;

LogicalResult loops::unroll(scf::ForOp loop, uint64_t factor) {
  return loopUnrollByFactor(loop, factor);
}
