//===- TileTypes.td - Types of the tile dialect -----------*- tablegen -*-===//

#ifndef TILE_TYPES
#define TILE_TYPES

include "TileDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"

class Tile_Type<string name, string typeMnemonic, list<Trait> traits = []>
    : TypeDef<TileDialect, name, traits> {
  let mnemonic = typeMnemonic;
}

def Tile_GlobalType : Tile_Type<"Global", "global"> {
  let summary = "Tensor in global memory";
  let description = [{
    A kernel parameter in global memory, indexed by logical element.  `pack` is
    the dimension along which two 4-bit elements share a byte (the lower index
    in the low nibble); other element types have none.  A row is padded to whole
    bytes.

    Example: `!tile.global<?x?xi4, pack = 0>`
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t">:$shape,
    "Type":$elementType,
    DefaultValuedParameter<"int64_t", "-1">:$packDim
  );
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getRank() const { return getShape().size(); }
  }];
}

def Tile_SharedType : Tile_Type<"Shared", "shared"> {
  let summary = "Tile in shared memory";
  let description = [{
    Shared memory of fixed shape, indexed by logical element.  `pack` is as in
    `!tile.global`.  The layout, once inferred, is the address swizzle and the
    padding of the row-major storage; a leading stage dimension (see
    `tile.stage`) is outermost and not swizzled.

    Example: `!tile.shared<128x64xbf16, #tile.shared_layout<swizzle = [3, 4, 3]>>`
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t">:$shape,
    "Type":$elementType,
    DefaultValuedParameter<"int64_t", "-1">:$packDim,
    OptionalParameter<"SharedLayoutAttr">:$layout
  );
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getRank() const { return getShape().size(); }
    /// The same tile with another layout.
    SharedType withLayout(SharedLayoutAttr layout) const;
    /// Storage of a tile of this type: byte offsets, swizzle, size.
    ::layout::SharedLayout getStorage() const;
  }];
}

def Tile_BarrierType : Tile_Type<"Barrier", "barrier"> {
  let summary = "Barriers in shared memory";
  let description = [{
    `count` barriers of the block (mbarrier), each with its own phase; made by
    `tile.barrier_alloc`.

    Example: `!tile.barrier<3>`
  }];
  let parameters = (ins "int64_t":$count);
  let assemblyFormat = "`<` $count `>`";
  let genVerifyDecl = 1;
}

def Tile_InFlightType : Tile_Type<"InFlight", "in_flight"> {
  let summary = "Sums that warpgroups are still adding to";
  let description = [{
    The result of an asynchronous matrix product before it was waited for: only
    further products and `tile.mma_wait` may take it, and loops may carry it.

    Example: `!tile.in_flight<tensor<64x64xf32>>`
  }];
  let parameters = (ins "RankedTensorType":$fragment);
  let assemblyFormat = "`<` $fragment `>`";
}

def Tile_AnyMemory : AnyTypeOf<[Tile_GlobalType, Tile_SharedType],
                               "global tensor or shared tile">;
def Tile_Fragment
    : Type<And<[IsRankedTensorTypePred, CPred<"::mlir::tile::isFragment($_self)">]>,
           "fragment of rank 1 to 5 with positive extents and elements of the language",
           "::mlir::RankedTensorType">;
def Tile_Operand : AnyTypeOf<[Tile_SharedType, Tile_Fragment],
                             "shared tile or fragment">;
def Tile_Sums : AnyTypeOf<[Tile_Fragment, Tile_InFlightType],
                          "fragment or sums in flight">;
def Tile_Scalar : AnyTypeOf<[AnySignlessInteger, AnyFloat], "scalar">;
def Tile_ScaleOperand : AnyTypeOf<[Tile_SharedType, Tile_Fragment, Tile_Scalar],
                                  "shared tile, fragment or scalar">;
def Tile_ScalarOrFragment : AnyTypeOf<[Tile_Scalar, Tile_Fragment],
                                      "scalar or fragment">;

#endif // TILE_TYPES
