//===- TileMatmulOps.td - Matrix products -----------------*- tablegen -*-===//

#ifndef TILE_MATMUL_OPS
#define TILE_MATMUL_OPS

include "TileTypes.td"
include "TileAttrs.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tile_GemmOp : Tile_Op<"gemm", [
    TypesMatchWith<"the result has the type of the accumulator", "accumulator", "result", "$_self">,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Matrix product added to an accumulator";
  let description = [{
    Adds op(`a`) * op(`b`) to `accumulator`, where op(a) is [M, K] (stored [K, M]
    under `transpose_a`) and op(b) is [K, N] (stored [N, K] under `transpose_b`).
    The operands may have different element types; each is converted exactly.
    `unsigned_a` and `unsigned_b` give the signedness of integer operands.
    `k_range` gives the elements of K to multiply, from its first number to
    below its second; all if absent.  `mma`, set by `select-mma`, is the
    instruction.

    Example:
    ```mlir
    %r = tile.gemm %as, %bs, %acc : !tile.shared<128x64xbf16>, !tile.shared<64x128xi4, pack = 0>, tensor<128x128xf32>
    ```

    Verifier:
    - `gemm-c1`: operands and accumulator have rank 2.
    - `gemm-c2`: the inner extents of the operands agree.
    - `gemm-c3`: the accumulator is [M, N].
    - `gemm-c4`: the operands have a product, and the accumulator's type can
      hold it.
    - `gemm-c5`: `mma` covers the tile, with warps that the kernel has.
    - `gemm-c6`: `k_range` lies within K and is not empty.
  }];
  let arguments = (ins
    Arg<Tile_Operand, "left operand">:$a,
    Arg<Tile_Operand, "right operand">:$b,
    Tile_Fragment:$accumulator,
    UnitAttr:$transpose_a, UnitAttr:$transpose_b,
    UnitAttr:$unsigned_a, UnitAttr:$unsigned_b,
    UnitAttr:$fast_accum, UnitAttr:$tf32,
    OptionalAttr<DenseI64ArrayAttr>:$k_range,
    OptionalAttr<Tile_MmaAttr>:$mma
  );
  let results = (outs Tile_Fragment:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $accumulator attr-dict `:` type($a) `,` type($b) `,` type($accumulator)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    int64_t getTileM();
    int64_t getTileN();
    /// Elements of K that are multiplied, and the first of them.
    int64_t getTileK();
    int64_t getBeginK();
    Type getElementTypeA();
    Type getElementTypeB();
  }];
}

def Tile_DequantOp : Tile_Op<"dequant", [
    AttrSizedOperandSegments, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Numbers of a quantised tile";
  let description = [{
    Gives (`source` - `zero`) * `scale`, element by element.  Along dimension
    `dim`, element i uses entry i / `group` of scale and zero, whose extent there
    is that of the source over `group`, rounded up; along the other dimensions
    their extent is that of the source or 1.  A scale or zero of rank 1 beside a
    source of rank 2 goes along the other dimension; a scalar goes with every
    element.  The subtraction is exact.

    The result's element type says how the value is meant: a 16-bit float is the
    value rounded to it; f32 beside an 8-bit operand of `tile.gemm` means that
    sums over a group are exact and scaled afterwards; i32 is `source` - `zero`.

    Example:
    ```mlir
    %w = tile.dequant %bs scale %ss {dim = 1 : i64, group = 32 : i64} : !tile.shared<128x64xi4, pack = 1>, !tile.shared<128x2xbf16> -> tensor<128x64xbf16>
    ```

    Verifier:
    - `dequant-c1`: the shape stays.
    - `dequant-c2`: `dim` is a dimension, and `group` divides its extent or is a
      multiple of it.
    - `dequant-c3`: scale and zero fit the source.
    - `dequant-c4`: scales are floats; the result is a float, or i32 without a
      scale.
  }];
  let arguments = (ins
    Arg<Tile_Operand, "quantised numbers">:$source,
    Arg<Optional<Tile_ScaleOperand>, "float factors">:$scale,
    Arg<Optional<Tile_ScaleOperand>, "zero-points">:$zero,
    I64Attr:$dim, OptionalAttr<I64Attr>:$group,
    UnitAttr:$unsigned_source, UnitAttr:$unsigned_zero
  );
  let results = (outs Tile_Fragment:$result);
  let assemblyFormat = [{
    $source (`scale` $scale^)? (`zero` $zero^)? attr-dict `:` type($source)
    (`,` type($scale)^)? (`zero` type($zero)^)? `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_GemmScaledOp : Tile_Op<"gemm_scaled", [
    TypesMatchWith<"the result has the type of the accumulator", "accumulator", "result", "$_self">,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Block-scaled matrix product added to an accumulator";
  let description = [{
    Adds, for each group j of `granularity_k` elements of K, the product of
    op(`a`) and op(`b`) over the group times `scale_a`[m / granularity_m, j] *
    `scale_b`[n / granularity_n, j].  Scales are f32 or e8m0, of rank 1 where the
    tile has one group.  Partial sums join the accumulator in f32 at each group.

    Example:
    ```mlir
    %r = tile.gemm_scaled %as, %bs, %acc scales %sa, %sb {granularity_k = 128 : i64, granularity_m = 1 : i64, granularity_n = 128 : i64, transpose_b} : !tile.shared<64x128xf8E4M3FN>, !tile.shared<128x128xf8E4M3FN>, tensor<64x128xf32>, !tile.shared<64x1xf32>, !tile.shared<1x1xf32>
    ```

    Verifier:
    - `gemm-c1`: operands and accumulator have rank 2.
    - `gemm-c2`: the inner extents of the operands agree.
    - `gemm-c3`: the accumulator is [M, N].
    - `gemm-scaled-c1`: granularities are positive, and that of K divides the
      tile's K or is a multiple of it.
    - `scale-c1`: scales are [ceildiv(rows, granularity), groups].
    - `scale-c2`: scales are f32 or f8E8M0FNU.
  }];
  let arguments = (ins
    Arg<Tile_Operand, "left operand">:$a,
    Arg<Tile_Operand, "right operand">:$b,
    Tile_Fragment:$accumulator,
    Arg<Tile_Operand, "scales of the left operand">:$scale_a,
    Arg<Tile_Operand, "scales of the right operand">:$scale_b,
    I64Attr:$granularity_k, I64Attr:$granularity_m, I64Attr:$granularity_n,
    UnitAttr:$transpose_a, UnitAttr:$transpose_b, UnitAttr:$fast_accum
  );
  let results = (outs Tile_Fragment:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $accumulator `scales` $scale_a `,` $scale_b attr-dict `:`
    type($a) `,` type($b) `,` type($accumulator) `,` type($scale_a) `,` type($scale_b)
  }];
  let hasVerifier = 1;
}

def Tile_OperandOp : Tile_Op<"operand", [
    SingleBlock, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Operand of a product that is computed as it is read";
  let description = [{
    Element (d0, d1) of the result is what `body` makes of one element of each
    input: of input i the one at `maps[i]`(d0, d1), whose indices are as in
    `tile.reindex`.  The first input is the stored operand itself, read at
    (d0, d1); others may be in registers already.  Made by `select-mma` for a `tile.gemm`, whose threads then compute
    the numbers in the registers from which they are multiplied.

    Example: weights times a scale for each 32 of them along a row,
    ```mlir
    %w = tile.operand %bs, %ss maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1 floordiv 32)>] : !tile.shared<128x64xi4, pack = 1>, !tile.shared<128x2xbf16> -> tensor<128x64xbf16> {
    ^bb0(%q: i4, %s: bf16):
      %x = tile.cast %q : i4 -> bf16
      %y = arith.mulf %x, %s : bf16
      tile.yield %y : bf16
    }
    ```

    Verifier:
    - `operand-c1`: there is one map for each input, from the dimensions of the
      result to those of the input, of indices within it.
    - `operand-c2`: the first input is a shared tile of the shape of the result,
      of rank 2, and its map is the identity.
    - `operand-c3`: the body takes one element of each input and yields one of
      the result.
    - `operand-c4`: only `tile.gemm` takes the result, as an operand.
    - `operand-c5`: the body has pure ops of one scalar result and no regions.
  }];
  let arguments = (ins
    Arg<Variadic<Tile_Operand>, "tiles that are read">:$inputs,
    AffineMapArrayAttr:$maps
  );
  let results = (outs Tile_Fragment:$result);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $inputs `maps` $maps `:` type($inputs) `->` type($result) $body attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    AffineMap getMap(unsigned input) {
      return ::llvm::cast<AffineMapAttr>(getMaps()[input]).getValue();
    }
    Block *getBodyBlock() { return &getBody().front(); }
  }];
}

def Tile_MmaOp : Tile_Op<"mma", [Pure,
    TypesMatchWith<"the result has the type of the accumulator", "accumulator", "result", "$_self">]> {
  let summary = "Matrix product of operand fragments";
  let description = [{
    Adds `a` [M, K] * `b` [K, N] to `accumulator` [M, N] by the instruction
    `mma`.  All three carry layouts that agree with the instruction's fragments
    (see `layout::mma*`); K is a multiple of the instruction's.
    `unsigned_a`, `unsigned_b`: signedness of integer operands.

    Example: made by `lower-gemm`; see its test.

    Verifier:
    - `mma-c1`: shapes are [M, K], [K, N] and [M, N].
    - `mma-c2`: K is a multiple of the instruction's.
    - `mma-c3`: every fragment carries a layout.
  }];
  let arguments = (ins
    Tile_Fragment:$a, Tile_Fragment:$b, Tile_Fragment:$accumulator,
    Tile_MmaAttr:$mma, UnitAttr:$unsigned_a, UnitAttr:$unsigned_b
  );
  let results = (outs Tile_Fragment:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $accumulator `using` $mma attr-dict `:`
    type($a) `,` type($b) `,` type($accumulator)
  }];
  let hasVerifier = 1;
}

def Tile_WgmmaOp : Tile_Op<"wgmma", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Start of a matrix product by warpgroups";
  let description = [{
    Starts to add the product of two shared tiles, from element `k` of K on,
    `depth` of them, to `accumulator`, by instructions that form one group.  The
    left operand of the instruction, `a`, or `b` where its operands are swapped,
    may be a fragment in its layout, of just those elements of K.
    With `column` the sums are those of columns from there on, as many as the
    accumulator has; else of all columns.
    Until a `tile.mma_wait` retires the group, the tiles must stay as they are
    and nothing may use the result but another product.  With `overwrite`, or
    where `accumulates` is false, the sums begin at 0 and the accumulator is only
    where they are put.
    `transpose_a`, `transpose_b` and the signedness are those of `tile.gemm`.

    Example: made by `lower-gemm`; see its test.

    Verifier:
    - `wgmma-c1`: the instruction is one of warpgroups.
    - `wgmma-c2`: the range is made of steps of the instruction and lies in K.
    - `wgmma-c3`: result and accumulator hold the same fragment, which carries a
      layout.
    - `wgmma-c4`: columns begin with an instruction's and lie in N.
    - `wgmma-c5`: the right operand of the instruction is in shared memory; a
      fragment carries a layout and holds `depth` elements of K.
    - `in-flight-c1`: only products, `tile.mma_wait` and loops take sums in
      flight.
  }];
  let arguments = (ins
    Arg<Tile_Operand, "left operand">:$a,
    Arg<Tile_Operand, "right operand">:$b,
    Tile_Sums:$accumulator,
    Optional<I1>:$accumulates,
    I64Attr:$k, I64Attr:$depth,
    Tile_MmaAttr:$mma,
    UnitAttr:$transpose_a, UnitAttr:$transpose_b,
    UnitAttr:$unsigned_a, UnitAttr:$unsigned_b, UnitAttr:$overwrite,
    DefaultValuedAttr<I64Attr, "0">:$column
  );
  let results = (outs Tile_InFlightType:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $accumulator (`if` $accumulates^)? `k` $k `depth` $depth
    (`column` $column^)? `using` $mma attr-dict `:`
    type($a) `,` type($b) `,` type($accumulator) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_MmaCarryOp : Tile_Op<"mma_carry", [Pure]> {
  let summary = "Sums to which products may be added";
  let description = [{
    Takes a fragment as sums in flight, so that a loop can carry them; without a
    fragment they are undefined, for a product that overwrites them.

    Example: `%s = tile.mma_carry %acc : tensor<64x64xf32> -> !tile.in_flight<tensor<64x64xf32>>`
  }];
  let arguments = (ins Optional<Tile_Fragment>:$fragment);
  let results = (outs Tile_InFlightType:$result);
  let assemblyFormat = "($fragment^ `:` type($fragment))? attr-dict `->` type($result)";
}

def Tile_MmaWaitOp : Tile_Op<"mma_wait", [Pure]> {
  let summary = "Wait for matrix products of warpgroups";
  let description = [{
    Blocks until at most `pending` of the latest groups of products are
    unfinished: the tiles that the others read are free.  With 0 pending the
    sums are a fragment; otherwise they stay in flight, unless their group is
    older than those that may be pending.

    Example: `%r = tile.mma_wait %sums pending 0 : !tile.in_flight<tensor<64x64xf32>> -> tensor<64x64xf32>`

    Verifier:
    - `mma-wait-c1`: the result is the fragment if nothing is pending, else that
      or the sums in flight.
    - `mma-wait-c2`: for a fragment, at least `pending` products begin in this
      block behind the one waited for.
    - `in-flight-c1`: only products, `tile.mma_wait` and loops take sums in
      flight.
  }];
  let arguments = (ins Tile_InFlightType:$sums, I64Attr:$pending);
  let results = (outs Tile_Sums:$result);
  let assemblyFormat = "$sums `pending` $pending attr-dict `:` type($sums) `->` type($result)";
  let hasVerifier = 1;
}

#endif // TILE_MATMUL_OPS
