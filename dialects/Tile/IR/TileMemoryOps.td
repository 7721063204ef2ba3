//===- TileMemoryOps.td - Memory and moves ----------------*- tablegen -*-===//

#ifndef TILE_MEMORY_OPS
#define TILE_MEMORY_OPS

include "TileTypes.td"
include "TileAttrs.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tile_AllocSharedOp : Tile_Op<"alloc_shared", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Tile in shared memory";
  let description = [{
    Allocates a tile of shared memory with undefined contents.  `name` is the
    variable's name, for reports.  `annotation` is the layout that the program
    asked for; it binds `infer-layouts`.  `offset`, set by `allocate-shared`, is
    its place in the block's shared memory in bytes.

    Example: `%as = tile.alloc_shared "As" : !tile.shared<128x64xbf16>`
  }];
  let arguments = (ins
    OptionalAttr<StrAttr>:$name, OptionalAttr<I64Attr>:$offset,
    OptionalAttr<Tile_SharedLayoutAttr>:$annotation
  );
  let results = (outs Tile_SharedType:$result);
  let builders = [
    OpBuilder<(ins "SharedType":$type, "StringAttr":$name, "IntegerAttr":$offset), [{
      build($_builder, $_state, type, name, offset, SharedLayoutAttr());
    }]>
  ];
  let assemblyFormat = "($name^)? attr-dict `:` type($result)";
}

def Tile_StageOp : Tile_Op<"stage", [Pure]> {
  let summary = "One buffer of a staged tile";
  let description = [{
    Names the buffer `(iteration + offset) mod stages` of a tile whose first
    dimension is the stage.  Two views of a tile with the same `iteration` are
    disjoint if their offsets differ modulo the number of stages; barrier
    insertion relies on this.  With `in_range` their sum is a stage already.

    Example:
    ```mlir
    %s = tile.stage %as[%i] offset 2 : !tile.shared<3x128x64xbf16> -> !tile.shared<128x64xbf16>
    ```

    Verifier:
    - `stage-c1`: the result is the source without its first dimension.
    - `stage-c2`: `offset` is not negative.
  }];
  let arguments = (ins Tile_SharedType:$source, I64:$iteration, I64Attr:$offset,
                       UnitAttr:$in_range);
  let results = (outs Tile_SharedType:$result);
  let assemblyFormat = [{
    $source `[` $iteration `]` `offset` $offset attr-dict `:`
    type($source) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_BytesOp : Tile_Op<"bytes", [Pure]> {
  let summary = "Bytes of a packed tensor or tile";
  let description = [{
    Names the storage of a 4-bit tensor or tile: elements of i8, the packed
    dimension halved, rounded up.

    Example:
    ```mlir
    %b = tile.bytes %B : !tile.global<?x?xi4, pack = 0> -> !tile.global<?x?xi8>
    ```

    Verifier:
    - `bytes-c1`: the result is the storage of a 4-bit tensor or tile.
  }];
  let arguments = (ins Tile_AnyMemory:$source);
  let results = (outs Tile_AnyMemory:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let builders = [OpBuilder<(ins "Value":$source)>];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The type of the bytes of a packed type.
    static Type getBytesType(Type packed);
  }];
}

def Tile_UnpackedOp : Tile_Op<"unpacked", [Pure]> {
  let summary = "Tile that is stored in the order of its readers";
  let description = [{
    Names the tile whose elements `source`, rows of memory without gaps, holds in
    the order `order`.  Only products and their operands take it: they read it as
    it was packed for them.

    Example:
    ```mlir
    %b = tile.unpacked %p by <"4x8 bits=8 order=[[0,1,2],[1,1,8],[0,2,2]]">
        : <2x16xi8> -> <4x8xi8>
    ```

    Verifier:
    - `unpacked-c1`: the source has rank 2 and no layout of its own; the result
      has the shape of the order, and both have its elements.
    - `unpacked-c2`: products and `tile.operand` are the only users.
  }];
  let arguments = (ins Tile_SharedType:$source, Tile_PackedOrderAttr:$order);
  let results = (outs Tile_SharedType:$result);
  let assemblyFormat =
      "$source `by` $order attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_SliceOp : Tile_Op<"slice", [Pure]> {
  let summary = "Part of a shared tile";
  let description = [{
    Names the part of a shared tile that starts at `offsets`, one for each
    dimension.  `kept` lists the dimensions of the source that the result has,
    in order; the last ones if absent.  The extents are those of the result; a
    dimension that is not kept has extent 1.  A part that sticks out of the
    source is undefined.

    Example: one stage of a ring that the program wrote by hand,
    ```mlir
    %a = tile.slice %ring[%s, %zero, %zero] : !tile.shared<3x128x32xf16> -> !tile.shared<128x32xf16>
    ```

    Verifier:
    - `memory-c1`: a global side has one index for each dimension, a shared tile
      one for each or none.
    - `part-c1`: `kept` lists, in order, one dimension of the source for each of
      the result.
    - `part-c2`: element type and packed dimension stay.
    - `slice-c1`: no extent is above that of its dimension of the source.
  }];
  let arguments = (ins
    Tile_SharedType:$source,
    Variadic<I64>:$offsets,
    OptionalAttr<DenseI64ArrayAttr>:$kept
  );
  let results = (outs Tile_SharedType:$result);
  let assemblyFormat = [{
    $source `[` $offsets `]` attr-dict `:` type($source) `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The dimensions of the source that the result has.
    SmallVector<int64_t> getKeptDims();
  }];
}

def Tile_ViewOp : Tile_Op<"view", [Pure, AttrSizedOperandSegments]> {
  let summary = "Tensor narrowed to a part of itself";
  let description = [{
    Names the part of a global tensor that starts at `offsets`, one for each
    dimension.  `kept` lists the dimensions of the source that the result has,
    in order (the last ones if absent), `sizes` their extents; a size below 0
    counts as 0.  The bounds of the result are its own extents: what lies
    outside them reads as padding even where the source has elements, and what
    lies outside the source does so too.

    Example: the end of a row,
    ```mlir
    %row = tile.view %X[%i, %lo] sizes [%n] : !tile.global<?x?xf32> -> !tile.global<?xf32>
    ```

    Verifier:
    - `memory-c1`: a global side has one index for each dimension, a shared tile
      one for each or none.
    - `part-c1`: `kept` lists, in order, one dimension of the source for each of
      the result.
    - `part-c2`: element type and packed dimension stay.
    - `view-c1`: there is one size for each dimension of the result.
  }];
  let arguments = (ins
    Tile_GlobalType:$source,
    Variadic<I64>:$offsets,
    Variadic<I64>:$sizes,
    OptionalAttr<DenseI64ArrayAttr>:$kept
  );
  let results = (outs Tile_GlobalType:$result);
  let assemblyFormat = [{
    $source `[` $offsets `]` `sizes` `[` $sizes `]` attr-dict `:`
    type($source) `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The dimensions of the source that the result has.
    SmallVector<int64_t> getKeptDims();
  }];
}

def Tile_CopyOp : Tile_Op<"copy", [
    AttrSizedOperandSegments, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Copy of a tile between memories";
  let description = [{
    Sets `destination` to `source`, element by element.  One side at least is a
    shared tile, which gives the shape; a global side is an anchor: its indices,
    one for each dimension, name the first element, and the shape applies to its
    last dimensions.  What lies outside a global source reads `pad` (zero if
    absent); what lies outside a global destination is not written.

    Example:
    ```mlir
    tile.copy %A[%i, %k] to %as : !tile.global<?x?xbf16>, !tile.shared<128x64xbf16>
    ```

    Verifier:
    - `copy-c1`: one side is a shared tile.
    - `copy-c2`: a shared destination is written whole: it has no indices.
    - `memory-c1`: a global side has one index for each dimension, a shared tile
      one for each or none.
    - `memory-c2`: the rank of the tile is at most that of the memory; beside a
      whole shared tile the shape is that of the tile.
    - `memory-c3`: both sides have the same element type.
  }];
  let arguments = (ins
    Arg<Tile_AnyMemory, "where elements come from">:$source,
    Variadic<I64>:$sourceIndices,
    Arg<Tile_AnyMemory, "where elements go">:$destination,
    Variadic<I64>:$destinationIndices,
    Optional<Tile_Scalar>:$pad,
    OptionalAttr<Tile_CopyPlanAttr>:$plan
  );
  let assemblyFormat = [{
    $source (`[` $sourceIndices^ `]`)? `to` $destination (`[` $destinationIndices^ `]`)?
    (`pad` $pad^ `:` type($pad))? attr-dict `:` type($source) `,` type($destination)
  }];
  let hasVerifier = 1;
}

def Tile_LoadOp : Tile_Op<"load", [
    AttrSizedOperandSegments, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Read of a tile into registers";
  let description = [{
    Reads a fragment from memory, the first element at `indices` (none for a
    whole shared tile).  The fragment's shape applies to the last dimensions.
    What lies outside a global tensor is `pad` (zero if absent); a read outside
    a shared tile is undefined.

    Example:
    ```mlir
    %b = tile.load %bias[%j] : !tile.global<?xf32> -> tensor<128xf32>
    ```

    Verifier:
    - `memory-c1`: a global side has one index for each dimension, a shared tile
      one for each or none.
    - `memory-c2`: the rank of the tile is at most that of the memory; beside a
      whole shared tile the shape is that of the tile.
    - `memory-c3`: both sides have the same element type.
  }];
  let arguments = (ins
    Arg<Tile_AnyMemory, "where elements come from">:$memory,
    Variadic<I64>:$indices,
    Optional<Tile_Scalar>:$pad
  );
  let results = (outs Tile_Fragment:$result);
  let assemblyFormat = [{
    $memory (`[` $indices^ `]`)? (`pad` $pad^ `:` type($pad))? attr-dict `:`
    type($memory) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_StoreOp : Tile_Op<"store", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Write of a fragment to memory";
  let description = [{
    Writes a fragment to memory, the first element at `indices`.  What lies
    outside a global tensor is not written.

    Example:
    ```mlir
    tile.store %c, %C[%i, %j] : tensor<128x128xbf16>, !tile.global<?x?xbf16>
    ```

    Verifier:
    - `memory-c1`: a global side has one index for each dimension, a shared tile
      one for each or none.
    - `memory-c2`: the rank of the tile is at most that of the memory; beside a
      whole shared tile the shape is that of the tile.
    - `memory-c3`: both sides have the same element type.
  }];
  let arguments = (ins
    Tile_Fragment:$value,
    Arg<Tile_AnyMemory, "where elements go">:$memory,
    Variadic<I64>:$indices
  );
  let assemblyFormat = [{
    $value `,` $memory (`[` $indices^ `]`)? attr-dict `:` type($value) `,` type($memory)
  }];
  let hasVerifier = 1;
}

def Tile_StoreThroughOp : Tile_Op<"store_through", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Store of a fragment by TMA";
  let description = [{
    Writes a fragment, in a layout of warpgroups, to a tensor as `tile.store`
    does: each warpgroup puts parts, as large as a buffer, in turn in its two
    buffers of `staging`, from where TMA takes them by tensor map `map`, a panel
    of columns at a time, in groups of their own.  The last ones may still be on their way
    afterwards; whoever touches `staging` next, or ends the block, waits.

    Example:
    ```mlir
    tile.store_through %v, %C[%i, %j] by %staging {map = 0 : i64} : tensor<64x64xbf16>, !tile.global<?x?xbf16>, !tile.shared<2x64x64xbf16>
    ```

    Verifier:
    - `store-through-c1`: the fragment is a matrix of the tensor's elements, and
      there is one index for each dimension.
    - `store-through-c2`: `staging` has two buffers for each warpgroup, of 8 to
      64 rows, whose extents divide those of the fragment.
  }];
  let arguments = (ins
    Tile_Fragment:$value,
    Arg<Tile_GlobalType, "where elements go">:$memory,
    Variadic<I64>:$indices,
    Arg<Tile_SharedType, "what they go through">:$staging,
    I64Attr:$map
  );
  let assemblyFormat = [{
    $value `,` $memory `[` $indices `]` `by` $staging attr-dict `:`
    type($value) `,` type($memory) `,` type($staging)
  }];
  let hasVerifier = 1;
}

def Tile_ElementOp : Tile_Op<"element", [Pure,
    TypesMatchWith<"the result is an element of the fragment", "fragment", "result",
                   "::llvm::cast<::mlir::RankedTensorType>($_self).getElementType()">]> {
  let summary = "One element of a fragment";
  let description = [{
    Reads an element of a fragment inside `tile.parallel`.

    Example: `%x = tile.element %acc[%i, %j] : tensor<128x128xf32>`

    Verifier:
    - `element-c1`: there is one index for each dimension.
  }];
  let arguments = (ins Tile_Fragment:$fragment, Variadic<I64>:$indices);
  let results = (outs Tile_Scalar:$result);
  let assemblyFormat = "$fragment `[` $indices `]` attr-dict `:` type($fragment)";
  let hasVerifier = 1;
}

def Tile_LoadElementOp : Tile_Op<"load_element", [
    AttrSizedOperandSegments, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Read of one element";
  let description = [{
    Reads one element of a global tensor or shared tile.  Outside a global
    tensor it gives `pad` (zero if absent).

    Example: `%x = tile.load_element %Sa[%i] : !tile.global<?xf32> -> f32`

    Verifier:
    - `element-c1`: there is one index for each dimension.
    - `memory-c3`: both sides have the same element type.
  }];
  let arguments = (ins
    Arg<Tile_AnyMemory, "where the element comes from">:$memory,
    Variadic<I64>:$indices,
    Optional<Tile_Scalar>:$pad
  );
  let results = (outs Tile_Scalar:$result);
  let assemblyFormat = [{
    $memory `[` $indices `]` (`pad` $pad^ `:` type($pad))? attr-dict `:`
    type($memory) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_StoreElementOp : Tile_Op<"store_element", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Write of one element";
  let description = [{
    Writes one element of a global tensor or shared tile; nothing is written
    outside a global tensor.

    Example: `tile.store_element %x, %C[%i, %j] : f32, !tile.global<?x?xf32>`

    Verifier:
    - `element-c1`: there is one index for each dimension.
    - `memory-c3`: both sides have the same element type.
  }];
  let arguments = (ins
    Tile_Scalar:$value,
    Arg<Tile_AnyMemory, "where the element goes">:$memory,
    Variadic<I64>:$indices
  );
  let assemblyFormat = [{
    $value `,` $memory `[` $indices `]` attr-dict `:` type($value) `,` type($memory)
  }];
  let hasVerifier = 1;
}

def Tile_StorePairOp : Tile_Op<"store_pair", [
    AllTypesMatch<["low", "high"]>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Write of the two elements of a byte";
  let description = [{
    Writes the 4-bit elements that share a byte: `low` at `indices`, whose index
    along the packed dimension is even, and `high` behind it, each where its
    predicate holds and the memory has such an element.  An element that is not
    written stays as it was.  No other thread writes the byte at the same time.

    Example:
    ```mlir
    tile.store_pair %x if %p, %y if %q, %C[%i, %j] : i4, !tile.global<?x?xi4, pack = 1>
    ```

    Verifier:
    - `element-c1`: there is one index for each dimension.
    - `memory-c3`: both sides have the same element type.
    - `store-pair-c1`: elements of the memory share bytes.
  }];
  let arguments = (ins
    Tile_Scalar:$low, I1:$write_low, Tile_Scalar:$high, I1:$write_high,
    Arg<Tile_AnyMemory, "where the elements go">:$memory,
    Variadic<I64>:$indices
  );
  let assemblyFormat = [{
    $low `if` $write_low `,` $high `if` $write_high `,` $memory `[` $indices `]`
    attr-dict `:` type($low) `,` type($memory)
  }];
  let hasVerifier = 1;
}

def Tile_AtomicOp : Tile_Op<"atomic", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Atomic change of every element of a tile";
  let description = [{
    Combines each element of `value` with the element of memory at its place,
    the first one at `indices`, atomically for the whole device.  Nothing
    happens outside a global tensor.  `unsigned_value` gives the signedness of
    integers; `acq_rel` also orders the block's other accesses.

    Example:
    ```mlir
    tile.atomic add %acc, %C[%i, %j] : tensor<64x128xf32>, !tile.global<?x?xf32>
    ```

    Verifier:
    - `memory-c1`: a global side has one index for each dimension, a shared tile
      one for each or none.
    - `memory-c2`: the rank of the tile is at most that of the memory; beside a
      whole shared tile the shape is that of the tile.
    - `memory-c3`: both sides have the same element type.
    - `atomic-c1`: integers of 32 and 64 bits change atomically, f32 too, and
      f16, bf16 and f64 under `add`.
  }];
  let arguments = (ins
    Tile_AtomicKind:$kind,
    Tile_Fragment:$value,
    Arg<Tile_AnyMemory, "what is changed">:$memory,
    Variadic<I64>:$indices,
    UnitAttr:$unsigned_value, UnitAttr:$acq_rel
  );
  let assemblyFormat = [{
    $kind $value `,` $memory (`[` $indices^ `]`)? attr-dict `:`
    type($value) `,` type($memory)
  }];
  let hasVerifier = 1;
}

def Tile_AtomicElementOp : Tile_Op<"atomic_element", [
    TypesMatchWith<"the result has the type of the value", "value", "result", "$_self">,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Atomic change of one element";
  let description = [{
    Combines `value` with one element of memory, atomically for the whole
    device, and gives what the element was before.  Outside a global tensor
    nothing happens and the result is 0.  Outside `tile.parallel` it happens
    once for the block.

    Example: the next free slot,
    ```mlir
    %slot = tile.atomic_element add %one, %counters[%i] : i32, !tile.global<?xi32>
    ```

    Verifier:
    - `element-c1`: there is one index for each dimension.
    - `memory-c3`: both sides have the same element type.
    - `atomic-c1`: integers of 32 and 64 bits change atomically, f32 too, and
      f16, bf16 and f64 under `add`.
  }];
  let arguments = (ins
    Tile_AtomicKind:$kind,
    Tile_Scalar:$value,
    Arg<Tile_AnyMemory, "what is changed">:$memory,
    Variadic<I64>:$indices,
    UnitAttr:$unsigned_value, UnitAttr:$acq_rel
  );
  let results = (outs Tile_Scalar:$result);
  let assemblyFormat = [{
    $kind $value `,` $memory `[` $indices `]` attr-dict `:`
    type($value) `,` type($memory)
  }];
  let hasVerifier = 1;
}

#endif // TILE_MEMORY_OPS
