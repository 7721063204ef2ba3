//===- TileAttrs.td - Attributes of the tile dialect ------*- tablegen -*-===//

#ifndef TILE_ATTRS
#define TILE_ATTRS

include "TileDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/TensorEncoding.td"

class Tile_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<TileDialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def Tile_LayoutAttr : Tile_Attr<"Layout", "layout",
                                [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "Which thread holds which element of a fragment";
  let description = [{
    The encoding of a fragment type: a map, linear over bits, from (register,
    lane, warp) to tile coordinates, with mixed-radix repeats for extents that
    are not powers of two, and a spread over groups of warps where warps are
    not: `spread=[0,3]` has each of three groups hold another core along
    dimension 0, `spread=[3]` has all of them hold the same.  Each list holds one coordinate vector for each bit
    of the index, lowest bit first (see dialects/Layout/FragmentLayout.h).

    Example: the accumulator of one m16n8k16,
    ```
    #tile.layout<"16x8 registers=[[0,1],[8,0]] lanes=[[0,2],[0,4],[1,0],[2,0],[4,0]] warps=[]">
    ```

    Verifier:
    - `layout-c1`: the fragment has the shape of its layout.
  }];
  let parameters = (ins AttrParameter<"::layout::FragmentLayout", "the map",
                                      "const ::layout::FragmentLayout &">:$layout);
  let hasCustomAssemblyFormat = 1;
}

def Tile_SharedLayoutAttr : Tile_Attr<"SharedLayout", "shared_layout"> {
  let summary = "Address swizzle and padding of a shared tile";
  let description = [{
    `swizzle = [bits, base, shift]` flips bits of the byte offset of the
    row-major storage: `a ^= ((a >> (base + shift)) & (2^bits - 1)) << base`
    (CuTe's Swizzle; [3, 4, 3] is the 128-byte swizzle of TMA and wgmma).
    `padding` is the number of unused bytes after each row.  `panel` cuts rows:
    their first so many bytes lie together, behind them the next ones.

    Example: `#tile.shared_layout<swizzle = [3, 4, 3], panel = 128>`
  }];
  let parameters = (ins
    DefaultValuedParameter<"int64_t", "0">:$bits,
    DefaultValuedParameter<"int64_t", "4">:$base,
    DefaultValuedParameter<"int64_t", "3">:$shift,
    DefaultValuedParameter<"int64_t", "0">:$padding,
    DefaultValuedParameter<"int64_t", "0">:$panel
  );
  let hasCustomAssemblyFormat = 1;
}

def Tile_PackedOrderAttr : Tile_Attr<"PackedOrder", "packed_order"> {
  let summary = "The order in which a packed tile holds its elements";
  let description = [{
    The shape of the tile, the bits of an element, and the digits of an element's
    position in memory, lowest first: `[dim, stride, count]` for one that moves by
    `stride` elements along `dim` (see dialects/Layout/PackedOrder.h).

    Example: pairs of rows side by side,
    ```
    #tile.packed_order<"4x8 bits=8 order=[[0,1,2],[1,1,8],[0,2,2]]">
    ```
  }];
  let parameters = (ins AttrParameter<"::layout::PackedOrder", "the order",
                                      "const ::layout::PackedOrder &">:$order);
  let hasCustomAssemblyFormat = 1;
}

def Tile_MmaAttr : Tile_Attr<"Mma", "mma"> {
  let summary = "The instruction a matrix product uses and how warps share the tile";
  let description = [{
    `instruction` is the shape of the `mma.sync`, or of the `wgmma` if its M is 64;
    `warps = [m, n]` is the grid of warps over the rows and columns of the tile,
    of which one at least is a power of two;
    each four that follow each other along the rows are a warpgroup; `type` is the element type both
    operands have when they enter the instruction, and `type_b` that of the right
    one where it is another (of the same width).  `columns` and `k` permute the
    bits of the column and of K: entry i is the coordinate bit at which slot bit
    i appears (layout::MmaTiling); none is the identity.  With `swap` the
    transposes are multiplied: rows of the instruction, and warps that follow
    each other along them, are columns of the tile.

    Example: `#tile.mma<m16n8k16, type = bf16, warps = [2, 4], columns = [2, 3, 4, 0, 1]>`

    Verifier:
    - `mma-c1`: shapes are [M, K], [K, N] and [M, N].
    - `mma-c2`: K is a multiple of the instruction's.
    - `mma-c3`: every fragment carries a layout.
  }];
  let parameters = (ins
    "int64_t":$m, "int64_t":$n, "int64_t":$k,
    "Type":$typeA, "Type":$typeB,
    "int64_t":$warpsM, "int64_t":$warpsN,
    OptionalArrayRefParameter<"int64_t">:$nOrder,
    OptionalArrayRefParameter<"int64_t">:$kOrder,
    DefaultValuedParameter<"bool", "false">:$swap
  );
  let builders = [
    AttrBuilder<(ins "int64_t":$m, "int64_t":$n, "int64_t":$k,
                     "Type":$typeA, "Type":$typeB,
                     "int64_t":$warpsM, "int64_t":$warpsN,
                     "ArrayRef<int64_t>":$nOrder, "ArrayRef<int64_t>":$kOrder), [{
      return $_get($_ctxt, m, n, k, typeA, typeB, warpsM, warpsN, nOrder, kOrder,
                   /*swap=*/false);
    }]>,
    AttrBuilder<(ins "int64_t":$m, "int64_t":$n, "int64_t":$k,
                     "Type":$operandType, "int64_t":$warpsM, "int64_t":$warpsN), [{
      return $_get($_ctxt, m, n, k, operandType, operandType, warpsM, warpsN,
                   ArrayRef<int64_t>(), ArrayRef<int64_t>(), /*swap=*/false);
    }]>
  ];
  let extraClassDeclaration = [{
    /// Bits of an element of either operand.
    unsigned getOperandBits() const;
    /// Whether warpgroups multiply, from shared memory, while others go on.
    bool isWgmma() const { return getM() == 64; }
    /// Whether an operand is read from a tile as TMA writes it: all of K, in
    /// panels.
    bool takesPanels() const { return isWgmma() || getSwap(); }
  }];
  let genVerifyDecl = 1;
  let hasCustomAssemblyFormat = 1;
}

def Tile_CopyEngine : I32EnumAttr<"CopyEngine", "How a copy moves its bytes", [
    I32EnumAttrCase<"Scalar", 0, "scalar">,
    I32EnumAttrCase<"Vector", 1, "vector">,
    I32EnumAttrCase<"CpAsync", 2, "cp_async">
  ]> {
  let cppNamespace = "::mlir::tile";
}

def Tile_CopyPlanAttr : Tile_Attr<"CopyPlan", "copy_plan"> {
  let summary = "How a copy is done";
  let description = [{
    `engine` is `cp_async` (asynchronous, global to shared), `vector` (loads and
    stores of `bytes` bytes) or `scalar` (element by element, for any alignment);
    `bytes` is the width of one access.

    Example: `#tile.copy_plan<engine = cp_async, bytes = 16>`
  }];
  let parameters = (ins "CopyEngine":$engine, "int64_t":$bytes);
  let assemblyFormat = "`<` `engine` `=` $engine `,` `bytes` `=` $bytes `>`";
}

def Tile_ScheduleKind : I32EnumAttr<"ScheduleKind", "How warpgroups share the tiles of a block", [
    I32EnumAttrCase<"Cooperative", 0, "cooperative">,
    I32EnumAttrCase<"PingPong", 1, "pingpong">
  ]> {
  let cppNamespace = "::mlir::tile";
}

def Tile_ScheduleAttr : Tile_Attr<"Schedule", "schedule"> {
  let summary = "Which warpgroups of a block copy, which multiply, and when";
  let description = [{
    One warpgroup copies by TMA, the others multiply.  With `cooperative` all of
    these, `groups` of them, share each tile.  With `pingpong` they are `teams`
    of `groups` warpgroups, which have a tile of their own each and take the ring
    of buffers in turns: one multiplies while the others store their sums.

    `threads` of the kernel are those of one tile until `specialize-warps` makes
    the teams.

    Example: `#tile.schedule<pingpong, teams = 2, groups = 1>`

    Verifier:
    - `schedule-c1`: `teams` and `groups` are positive, and `cooperative` has one
      team.
    - `schedule-c2`: `pingpong` has two teams or more, of one warpgroup each.
  }];
  let parameters = (ins "ScheduleKind":$kind, "int64_t":$teams, "int64_t":$groups);
  let assemblyFormat = "`<` $kind `,` `teams` `=` $teams `,` `groups` `=` $groups `>`";
  let genVerifyDecl = 1;
}

def Tile_ReductionKind : I32EnumAttr<"ReductionKind", "How elements are combined", [
    I32EnumAttrCase<"Sum", 0, "sum">,
    I32EnumAttrCase<"Max", 1, "max">,
    I32EnumAttrCase<"Min", 2, "min">,
    I32EnumAttrCase<"AbsMax", 3, "absmax">
  ]> {
  let cppNamespace = "::mlir::tile";
}

def Tile_AtomicKind : I32EnumAttr<"AtomicKind", "How an atomic changes an element", [
    I32EnumAttrCase<"Add", 0, "add">,
    I32EnumAttrCase<"Max", 1, "max">,
    I32EnumAttrCase<"Min", 2, "min">
  ]> {
  let cppNamespace = "::mlir::tile";
}

#endif // TILE_ATTRS
