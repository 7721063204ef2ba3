//===- TileSyncOps.td - Asynchronous copies and barriers --*- tablegen -*-===//

#ifndef TILE_SYNC_OPS
#define TILE_SYNC_OPS

include "TileTypes.td"
include "TileAttrs.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tile_AsyncCopyOp : Tile_Op<"async_copy", [
    AttrSizedOperandSegments, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Start of a copy from global memory to a shared tile";
  let description = [{
    Starts the copy of a tile; the data may be read after a `tile.wait_group`
    that covers its group, and by other threads after a barrier.  Outside the
    source zeros are written.  Where `predicate` is false nothing is started.

    Example:
    ```mlir
    tile.async_copy %A[%i, %k] to %s : !tile.global<?x?xbf16>, !tile.shared<128x64xbf16>
    ```
  }];
  let arguments = (ins
    Arg<Tile_GlobalType, "where elements come from">:$source,
    Variadic<I64>:$sourceIndices,
    Arg<Tile_SharedType, "where elements go">:$destination,
    Optional<I1>:$predicate,
    OptionalAttr<Tile_CopyPlanAttr>:$plan
  );
  let assemblyFormat = [{
    $source `[` $sourceIndices `]` `to` $destination (`if` $predicate^)? attr-dict `:`
    type($source) `,` type($destination)
  }];
  let hasVerifier = 1;
}

def Tile_CommitGroupOp : Tile_Op<"commit_group", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "End of a group of asynchronous copies";
  let description = [{
    Closes the group of the asynchronous copies started since the last commit;
    an empty group counts.

    Example: `tile.commit_group`
  }];
  let assemblyFormat = "attr-dict";
}

def Tile_WaitGroupOp : Tile_Op<"wait_group", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Wait for asynchronous copies";
  let description = [{
    Blocks each thread until at most `pending` of its latest groups are
    unfinished.  Other threads see the data after a `tile.barrier`.

    Example: `tile.wait_group 2`
  }];
  let arguments = (ins I64Attr:$pending);
  let assemblyFormat = "$pending attr-dict";
}

def Tile_BarrierOp : Tile_Op<"barrier", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Barrier of the block";
  let description = [{
    Blocks until every thread of the block is here; memory accesses before it
    are seen by all threads after it.

    Example: `tile.barrier`
  }];
  let assemblyFormat = "attr-dict";
}

#endif // TILE_SYNC_OPS
