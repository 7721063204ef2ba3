//===- SharePasses.td - Passes for blocks that share a place -*- tablegen -*-===//

#ifndef TILE_SHARE_PASSES
#define TILE_SHARE_PASSES

include "mlir/Pass/PassBase.td"

def ShareIterationsPass
    : Pass<"tile-share-iterations", "::mlir::ModuleOp"> {
  let summary = "Let several blocks share a loop";
  let dependentDialects = ["::mlir::tile::TileDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
  let description = [{
    Lets `split` blocks share the iterations of a `tile.pipelined`, whose carried
    values are sums.  Each runs as many that follow each other, and adds to zeros
    but for the first, which begins with the sums of the source.  On GPUs with
    clusters the blocks of a place, up to 8, are one: each puts its sums in its
    own shared memory, if they take no more than half of it, and after a barrier of
    the cluster they are added in the order of the blocks.  If all that follows is done element by element and
    stored, each block finishes a part of the rows or columns; else the first one
    goes on alone.  Parts of few words are sent to the blocks that need them
    instead (`tile.send`), where the bytes end the phase of a barrier.  Where there are no clusters, or not so large ones, each block
    stores its sums to a workspace (`tile.workspace`), and the last one to come
    (`tile.last_share`) adds them in the order of the blocks and goes on alone.
    A loop that cannot be shared is an error if the program asks for it.

    Before: `%r = tile.pipelined %k = %lo to %hi step 1 iter_args(%x = %zero) -> (tensor<16x128xf32>) split(2) { ... }`
    After:
    ```mlir
    %r = tile.pipelined %k = %first to %end step 1 iter_args(%x = %zero) -> (tensor<16x128xf32>) { ... }
    tile.store %r, %sums : tensor<16x128xf32>, !tile.shared<16x128xf32>
    tile.cluster_arrive
    tile.cluster_wait
    %p0 = tile.peer %sums {rank = 0 : i64} : !tile.shared<16x128xf32>
    %s0 = tile.slice %p0[%row, %c0] : !tile.shared<16x128xf32> -> !tile.shared<8x128xf32>
    %x0 = tile.load %s0 : !tile.shared<8x128xf32> -> tensor<8x128xf32>
    ...
    %sum = arith.addf %x0, %x1 : tensor<8x128xf32>
    tile.cluster_arrive
    ...
    tile.cluster_wait for %sums : !tile.shared<16x128xf32>
    ```
  }];
  let options = [
    Option<"target", "target", "std::string", "\"sm_90a\"", "GPU whose means are used">,
    Option<"sharedLimit", "shared-limit", "int64_t", "232448", "bytes of shared memory per block">
  ];
}

#endif // TILE_SHARE_PASSES
