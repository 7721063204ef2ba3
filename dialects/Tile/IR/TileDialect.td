//===- TileDialect.td - The tile dialect ------------------*- tablegen -*-===//

#ifndef TILE_DIALECT
#define TILE_DIALECT

include "mlir/IR/OpBase.td"

def TileDialect : Dialect {
  let name = "tile";
  let cppNamespace = "::mlir::tile";
  let summary = "Kernels over tiles of low-precision tensors";
  let description = [{
    A kernel says what one block computes, tile by tile, as if the block were
    one thread.  Fragments (values spread over the registers of the block) are
    builtin `tensor` values, so that `arith` and `math` apply to them with their
    folders; their encoding, once inferred, says which thread holds which
    element.  Shared tiles and global tensors are memory, with types of their
    own, indexed by logical element: how sub-byte elements are packed into bytes
    is part of the type and never of the index.

    Two levels live here.  The frontend makes the first (what the interpreter
    executes): `tile.copy`, `tile.gemm`, `tile.pipelined` and whole-tile
    arithmetic, without layouts.  The passes turn it into the second: staged
    buffers, `tile.async_copy` with its groups, `tile.load` of operand
    fragments, `tile.mma`, `tile.barrier`, every fragment with a layout.
  }];
  let dependentDialects = [
    "arith::ArithDialect", "math::MathDialect", "scf::SCFDialect"
  ];
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerTypes();
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasConstantMaterializer = 1;
}

class Tile_Op<string mnemonic, list<Trait> traits = []>
    : Op<TileDialect, mnemonic, traits>;

#endif // TILE_DIALECT
