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
    `mma`, set by `select-mma`, is the instruction.

    Example:
    ```mlir
    %r = tile.gemm %as, %bs, %acc : !tile.shared<128x64xbf16>, !tile.shared<64x128xi4, pack = 0>, tensor<128x128xf32>
    ```
  }];
  let arguments = (ins
    Arg<Tile_Operand, "left operand">:$a,
    Arg<Tile_Operand, "right operand">:$b,
    Tile_Fragment:$accumulator,
    UnitAttr:$transpose_a, UnitAttr:$transpose_b,
    UnitAttr:$unsigned_a, UnitAttr:$unsigned_b,
    UnitAttr:$fast_accum, UnitAttr:$tf32,
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
    int64_t getTileK();
    Type getElementTypeA();
    Type getElementTypeB();
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

#endif // TILE_MATMUL_OPS
