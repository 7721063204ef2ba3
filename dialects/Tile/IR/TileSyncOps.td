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
    source zeros are written.  Where `predicate` is false nothing is started;
    where `fill_predicate` is false nothing is read and zeros are written.

    Example:
    ```mlir
    tile.async_copy %A[%i, %k] to %s : !tile.global<?x?xbf16>, !tile.shared<128x64xbf16>
    ```

    Verifier:
    - `memory-c1`: a global side has one index for each dimension, a shared tile
      one for each or none.
    - `memory-c2`: the rank of the tile is at most that of the memory; beside a
      whole shared tile the shape is that of the tile.
    - `memory-c3`: both sides have the same element type.
  }];
  let arguments = (ins
    Arg<Tile_GlobalType, "where elements come from">:$source,
    Variadic<I64>:$sourceIndices,
    Arg<Tile_SharedType, "where elements go">:$destination,
    Optional<I1>:$predicate,
    Optional<I1>:$fill_predicate,
    OptionalAttr<Tile_CopyPlanAttr>:$plan
  );
  let builders = [
    OpBuilder<(ins "Value":$source, "ValueRange":$sourceIndices,
               "Value":$destination, "Value":$predicate, "CopyPlanAttr":$plan), [{
      build($_builder, $_state, source, sourceIndices, destination, predicate,
            /*fill_predicate=*/Value(), plan);
    }]>
  ];
  let assemblyFormat = [{
    $source `[` $sourceIndices `]` `to` $destination (`if` $predicate^)?
    (`pred` $fill_predicate^)? attr-dict `:` type($source) `,` type($destination)
  }];
  let hasVerifier = 1;
}

def Tile_AsyncCopyElementsOp : Tile_Op<"async_copy_elements", [
    AttrSizedOperandSegments, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Start of a copy of a few elements to a shared tile";
  let description = [{
    Inside `tile.parallel`: starts the copy of `count` consecutive elements
    along the last dimension, 32, 64 or 128 bits, at multiples of that size.
    Where `fill_predicate` is false, and beyond the source, zeros are written.

    Example: 16 bytes,
    ```mlir
    tile.async_copy_elements %A[%i, %k] to %s[%r, %c] count 8 pred %p : !tile.global<?x?xf16>, !tile.shared<128x64xf16>
    ```

    Verifier:
    - `element-c1`: there is one index for each dimension.
    - `memory-c3`: both sides have the same element type.
    - `async-copy-elements-c1`: `count` elements are 4, 8 or 16 bytes.
    - `async-copy-elements-c2`: 4-bit elements are packed along the last
      dimension.
  }];
  let arguments = (ins
    Arg<Tile_GlobalType, "where elements come from">:$source,
    Variadic<I64>:$sourceIndices,
    Arg<Tile_SharedType, "where elements go">:$destination,
    Variadic<I64>:$destinationIndices,
    Optional<I1>:$fill_predicate,
    I64Attr:$count
  );
  let assemblyFormat = [{
    $source `[` $sourceIndices `]` `to` $destination `[` $destinationIndices `]`
    `count` $count (`pred` $fill_predicate^)? attr-dict `:`
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
    unfinished.  Other threads see the data after a `tile.barrier`.  With
    `read_only` a store by TMA counts as finished once its tile has been read.

    Example: `tile.wait_group 2`

    Verifier:
    - `wait-group-c1`: `pending` is not negative.
  }];
  let arguments = (ins I64Attr:$pending, UnitAttr:$read_only);
  let assemblyFormat = "$pending attr-dict";
  let hasVerifier = 1;
}

def Tile_BarrierOp : Tile_Op<"barrier", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Barrier of the block";
  let description = [{
    Blocks until every thread of the block is here; memory accesses before it
    are seen by all threads after it.  In a region of `tile.warpgroup` both is
    said of the threads of the team.

    Example: `tile.barrier`
  }];
  let assemblyFormat = "attr-dict";
}

def Tile_BarrierAllocOp : Tile_Op<"barrier_alloc", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Barriers with phases, in shared memory";
  let description = [{
    Makes barriers in phase 0.  A phase ends when `count` arrivals and all
    expected bytes are in; the next begins at once.  With `cluster` each block of
    the cluster has its own, and each arrival counts on those of all blocks.

    Example: `%ready = tile.barrier_alloc "ready" count 1 : !tile.barrier<3>`

    Verifier:
    - `barrier-c1`: `count` is positive.
    - `barrier-c4`: `cluster` needs a kernel with a `cluster`.
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$name, I64Attr:$count,
                       OptionalAttr<I64Attr>:$offset, UnitAttr:$cluster);
  let results = (outs Tile_BarrierType:$result);
  let assemblyFormat = "($name^)? `count` $count attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tile_ArriveOp : Tile_Op<"arrive", [
    AttrSizedOperandSegments, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Arrival of a team at a barrier";
  let description = [{
    Counts one arrival, by the whole team, on barrier `index`.  What the team did
    before is seen by those whose `tile.wait` the arrival ends.  With
    `per_warpgroup` each warpgroup of the team counts one arrival of its own, by
    its first thread, and the program sees to it that the others are done.  With
    `per_warp` each warp does, once all of its threads are there.  With
    `after_copies` each thread counts one of its own, which comes once all
    asynchronous copies that the thread has started are done.
    Where `predicate` is false nothing arrives.

    Example: `tile.arrive %free[%s] : !tile.barrier<3>`

    Verifier:
    - `barrier-c2`: there is an index where there are several barriers.
    - `barrier-c3`: on barriers of a cluster warpgroups or warps arrive.
    - `barrier-c5`: an arrival after copies has no predicate.
  }];
  let arguments = (ins Tile_BarrierType:$barrier, Optional<I64>:$index,
                       Optional<I1>:$predicate, UnitAttr:$per_warpgroup,
                       UnitAttr:$per_warp, UnitAttr:$after_copies);
  let assemblyFormat = [{
    $barrier (`[` $index^ `]`)? (`if` $predicate^)? attr-dict `:` type($barrier)
  }];
  let extraClassDeclaration = [{
    /// Whether parts of the team arrive each for themselves.
    bool isByParts() {
      return getPerWarpgroup() || getPerWarp() || getAfterCopies();
    }
  }];
  let hasVerifier = 1;
}

def Tile_ExpectOp : Tile_Op<"expect", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Bytes that a phase of a barrier waits for";
  let description = [{
    Adds `bytes` to what the running phase waits for, and counts one arrival.

    Example: `tile.expect %ready[%s], %bytes : !tile.barrier<3>`

    Verifier:
    - `barrier-c2`: there is an index where there are several barriers.
  }];
  let arguments = (ins Tile_BarrierType:$barrier, Optional<I64>:$index, I64:$bytes);
  let assemblyFormat = "$barrier (`[` $index^ `]`)? `,` $bytes attr-dict `:` type($barrier)";
  let hasVerifier = 1;
}

def Tile_WaitOp : Tile_Op<"wait", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Wait for the end of a phase of a barrier";
  let description = [{
    Returns once the phase of this parity (0 for the first, alternating) has
    ended; on a fresh barrier parity 1 passes.

    Example: `tile.wait %ready[%s], %parity : !tile.barrier<3>`

    Verifier:
    - `barrier-c2`: there is an index where there are several barriers.
  }];
  let arguments = (ins Tile_BarrierType:$barrier, Optional<I64>:$index, I64:$parity);
  let assemblyFormat = "$barrier (`[` $index^ `]`)? `,` $parity attr-dict `:` type($barrier)";
  let hasVerifier = 1;
}

def Tile_FenceOp : Tile_Op<"fence", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Order between ordinary and asynchronous access to shared memory";
  let description = [{
    Accesses of each thread to shared memory before the fence are seen by
    asynchronous ones (TMA, wgmma) that start after it; with `tensors` those to
    global memory too.

    Example: `tile.fence`
  }];
  let arguments = (ins UnitAttr:$tensors);
  let assemblyFormat = "attr-dict";
}

def Tile_TmaCopyOp : Tile_Op<"tma_copy", [
    AttrSizedOperandSegments, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Move of one box between a tensor and a shared tile by TMA";
  let description = [{
    A load completes the bytes of the whole box, parts outside the tensor (which
    are 0) included, on barrier `index` of `barrier`; a store belongs to a group
    that `tile.commit_group` closes.  One thread of the team starts it.  `map`
    is the tensor map that it uses, one of the kernel's `tensor_maps`, whose box
    is the tile or, where rows of the tile are cut in panels, one panel of it
    (`assign-tensor-maps`).

    With `multicast` the blocks of the cluster do the load together: each names
    the same place of the tensor, the same tile and the same barrier, and moves
    one part of the tile, to all of them.  Each block's barrier gets the bytes of
    its whole tile.  The map's box is one such part, or a panel.

    Example:
    ```mlir
    tile.tma_copy %A[%i, %k] to %as barrier %ready[%s] : !tile.global<?x?xbf16>, !tile.shared<128x64xbf16>, !tile.barrier<3>
    ```

    Verifier:
    - `tma-copy-c1`: one side is a tensor with one index for each dimension, the
      other a whole shared tile.
    - `tma-copy-c2`: a load names a barrier, a store does not.
    - `memory-c2`: the rank of the tile is at most that of the memory; beside a
      whole shared tile the shape is that of the tile.
    - `memory-c3`: both sides have the same element type.
    - `barrier-c2`: there is an index where there are several barriers.
    - `tma-copy-c3`: `map` is one of the kernel's.
    - `tma-copy-c4`: `multicast` is for loads, in a kernel with a `cluster`.
  }];
  let arguments = (ins
    Arg<Tile_AnyMemory, "where elements come from">:$source,
    Variadic<I64>:$sourceIndices,
    Arg<Tile_AnyMemory, "where elements go">:$destination,
    Variadic<I64>:$destinationIndices,
    Optional<Tile_BarrierType>:$barrier,
    Optional<I64>:$index,
    OptionalAttr<I64Attr>:$map,
    UnitAttr:$multicast
  );
  let assemblyFormat = [{
    $source (`[` $sourceIndices^ `]`)? `to` $destination (`[` $destinationIndices^ `]`)?
    (`barrier` $barrier^ (`[` $index^ `]`)?)? attr-dict `:`
    type($source) `,` type($destination) (`,` type($barrier)^)?
  }];
  let hasVerifier = 1;
}

#endif // TILE_SYNC_OPS
