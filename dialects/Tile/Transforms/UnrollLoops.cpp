//===- UnrollLoops.cpp - Several iterations in one ------------------------===//
//
// A value that a load started may not be moved to another register before it
// has arrived.  Where iterations hand such values on, several of them in a row
// give each its own registers.
//
//===----------------------------------------------------------------------===//

#include "dialects/Tile/Transforms/LoopUnrolling.h"
#include "dialects/Tile/Transforms/Passes.h"
#include "dialects/Tile/Transforms/TmaVariant.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace mlir::tile {
#define GEN_PASS_DEF_UNROLLLOOPSPASS
#include "dialects/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

namespace {
struct UnrollLoops : tile::impl::UnrollLoopsPassBase<UnrollLoops> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      if (loop->hasAttr(unrollAttrName))
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops) {
      auto factor = loop->getAttrOfType<IntegerAttr>(unrollAttrName);
      loop->removeAttr(unrollAttrName);
      if (factor && failed(loops::unroll(loop, factor.getInt())))
        return signalPassFailure();
    }
  }
};
} // namespace
