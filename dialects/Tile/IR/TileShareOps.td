//===- TileShareOps.td - Blocks that share a place --------*- tablegen -*-===//
//
// The ops of kernels whose neighbouring blocks work together.  A kernel has
// `tile.shares` if that many blocks work at each place of the grid, and
// `cluster` if that many run together and see each other's shared memory.  Those
// of a place that are no cluster meet in global memory that the launch lends:
// `tile.workspace` is an expression for its bytes, the first of which are 16384
// counters of 32 bits, one for each place, 0 before the launch and after it.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_SHARE_OPS
#define TILE_SHARE_OPS

include "TileTypes.td"
include "TileAttrs.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tile_BlockRankOp : Tile_Op<"block_rank", [Pure]> {
  let summary = "Number of the block among its neighbours";
  let description = [{
    Gives the number of the running block, from 0, among the blocks of its
    cluster.  Without clusters: among those that work at its place of the grid.

    Example: `%r = tile.block_rank : i64`
  }];
  let results = (outs I64:$result);
  let assemblyFormat = "`:` type($result) attr-dict";
}

def Tile_PeerOp : Tile_Op<"peer", [Pure, AllTypesMatch<["source", "result"]>]> {
  let summary = "The tile of another block of the cluster";
  let description = [{
    Names the place that a shared tile has in block `rank` of the cluster, for
    reading.  What is there is seen after both blocks have been at a barrier of
    the cluster, and is there until the next one.

    Example: `%p = tile.peer %s {rank = 1 : i64} : !tile.shared<16x128xf32>`

    Verifier:
    - `peer-c1`: `rank` is not negative.
  }];
  let arguments = (ins Tile_SharedType:$source, I64Attr:$rank);
  let results = (outs Tile_SharedType:$result);
  let assemblyFormat = "$source attr-dict `:` type($source)";
  let hasVerifier = 1;
}

def Tile_ClusterArriveOp : Tile_Op<"cluster_arrive", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Arrival at the barrier of the cluster";
  let description = [{
    Says that the thread has come to the barrier of the cluster, without waiting.
    What it did to memory before is seen by all threads that have waited.  Each
    arrival is followed by a `tile.cluster_wait`.  With `after_reads` only its
    reads are done by then: it tells the others that they may end, or write.

    Example: `tile.cluster_arrive {after_reads}`
  }];
  let arguments = (ins UnitAttr:$after_reads);
  let assemblyFormat = "attr-dict";
}

def Tile_ClusterWaitOp : Tile_Op<"cluster_wait", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Wait for all threads of the cluster";
  let description = [{
    Blocks until every thread of the cluster has arrived or ended.  `tiles` are
    those that other blocks read up to here.

    Example: `tile.cluster_wait for %sums : !tile.shared<16x128xf32>`
  }];
  let arguments = (ins Variadic<Tile_SharedType>:$tiles);
  let assemblyFormat = "(`for` $tiles^ `:` type($tiles))? attr-dict";
}

def Tile_SendOp : Tile_Op<"send", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Rows for each block of the cluster";
  let description = [{
    Cuts a fragment into as many parts as the cluster has blocks, one behind the
    other along its rows.  Part r goes to the inbox of block r, behind those of
    the blocks before the sending one, and its bytes count for the running phase
    of the barrier of that block; a block's own part stays.  Nothing else may use
    an inbox before a `tile.wait` for that phase, and nothing else is stored to
    it.

    Example:
    ```mlir
    tile.send %sums to %inbox, %there : tensor<16x128xf32>, !tile.shared<1x8x128xf32>, !tile.barrier<1>
    ```

    Verifier:
    - `send-c1`: the inbox has the parts of all other blocks, of elements of 32
      bits.
  }];
  let arguments = (ins AnyRankedTensor:$value, Tile_SharedType:$inbox,
                       Tile_BarrierType:$barrier);
  let assemblyFormat = [{
    $value `to` $inbox `,` $barrier attr-dict `:` type($value) `,` type($inbox)
    `,` type($barrier)
  }];
  let hasVerifier = 1;
}

def Tile_WorkspaceOp : Tile_Op<"workspace", [Pure]> {
  let summary = "Memory that the launch lends the kernel";
  let description = [{
    Names an array in the kernel's workspace: `offset` bytes from its start, and
    `place_bytes` further for each place of the grid before that of the block, so
    that the blocks of one place have it in common.

    Example:
    ```mlir
    %w = tile.workspace {offset = 65536 : i64, place_bytes = 32768 : i64} : !tile.global<4x16x128xf32>
    ```

    Verifier:
    - `workspace-c1`: extents are known, and offsets are multiples of 16 that are
      not negative.
  }];
  let arguments = (ins I64Attr:$offset, I64Attr:$place_bytes);
  let results = (outs Tile_GlobalType:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tile_LastShareOp : Tile_Op<"last_share", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Whether the block is the last of its place";
  let description = [{
    Counts the block among those at its place of the grid, by the counter of the
    place in the workspace, and tells whether all others were here before; the
    last one sets the counter back to 0.  What they wrote before is seen by all
    threads of the last one.  It is a barrier of the threads behind itself, and
    needs one in front of itself for what they wrote.

    Example: `%is = tile.last_share : i1`
  }];
  let results = (outs I1:$result);
  let assemblyFormat = "`:` type($result) attr-dict";
}

#endif // TILE_SHARE_OPS
