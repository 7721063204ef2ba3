//===- TileShapeOps.td - Shapes, element types and layouts -*- tablegen -*-===//

#ifndef TILE_SHAPE_OPS
#define TILE_SHAPE_OPS

include "TileTypes.td"
include "TileAttrs.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tile_BroadcastOp : Tile_Op<"broadcast", [Pure]> {
  let summary = "Fragment filled with a scalar";
  let description = [{
    Gives a fragment whose elements all equal `value`.

    Example: `%t = tile.broadcast %x : f32 -> tensor<128x64xf32>`

    Verifier:
    - `broadcast-c1`: the element type is that of the scalar.
  }];
  let arguments = (ins Tile_Scalar:$value);
  let results = (outs Tile_Fragment:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_ReindexOp : Tile_Op<"reindex", [Pure]> {
  let summary = "Fragment read through an index map";
  let description = [{
    Element (d0, d1, ...) of the result is the element `map(d0, d1, ...)` of the
    source.  Covers added dimensions of extent 1, repetition along them or within
    groups of elements, and transposes.  Each result of the map is a dimension of
    the result, one over the size of its groups, or the constant 0; no dimension
    occurs twice.

    Example: one value for each column,
    ```mlir
    %t = tile.reindex %b by affine_map<(d0, d1) -> (d1)> : tensor<128xf32> -> tensor<64x128xf32>
    ```
    one for each 32 elements of a row,
    ```mlir
    %s = tile.reindex %g by affine_map<(d0, d1) -> (d0, d1 floordiv 32)> : tensor<128x2xf32> -> tensor<128x64xf32>
    ```

    Verifier:
    - `reindex-c1`: the map goes from the dimensions of the result to those of
      the source.
    - `reindex-c2`: each index is a dimension, one over a power of two, or 0.
    - `reindex-c3`: a dimension is used once, and the extents agree: that of the
      source is the quotient, rounded up.
  }];
  let arguments = (ins Tile_Fragment:$source, AffineMapAttr:$map);
  let results = (outs Tile_Fragment:$result);
  let assemblyFormat = "$source `by` $map attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let extraClassDeclaration = [{
    /// For each dimension of the source that of the result which names its
    /// elements, or -1 where the index is 0.
    SmallVector<int, 4> getDimMap();
    /// For each dimension of the source how many successive elements of the
    /// result read one of it.
    SmallVector<int32_t, 4> getDivisors();
  }];
}

def Tile_RelabelOp : Tile_Op<"relabel", [Pure]> {
  let summary = "The same registers as another fragment";
  let description = [{
    Register i of each thread is register i of the result: what was read in the
    order of memory gets the coordinates that its elements have in the tile.

    Example: 64 elements in rows of 32 are 32 rows of two,
    ```mlir
    %b = tile.relabel %p
        : tensor<2x32xi8, #tile.layout<"2x32 registers=[[1,0]] lanes=[[0,1],[0,2],[0,4],[0,8],[0,16]] warps=[]">>
       -> tensor<32x2xi8, #tile.layout<"32x2 registers=[[0,1]] lanes=[[1,0],[2,0],[4,0],[8,0],[16,0]] warps=[]">>
    ```

    Verifier:
    - `relabel-c1`: both fragments have a layout, of as many registers and warps,
      and elements of one type.
  }];
  let arguments = (ins Tile_Fragment:$source);
  let results = (outs Tile_Fragment:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_CastOp : Tile_Op<"cast", [Pure]> {
  let summary = "Conversion of a number to another type, by value";
  let description = [{
    Converts a scalar or, element by element, a fragment by the rules of the
    language (docs/language.md section 10): floats round to nearest even; float
    to 8- and 4-bit float saturates, or overflows under `nosat`; float to
    integer truncates and saturates, NaN to 0; integer to integer keeps low bits,
    or clamps under `sat`.  `source_unsigned` and `result_unsigned` give the
    signedness of integers.  `mode` is `sat`, `nosat` or `up` where the default
    is not meant.  A cast to the same type changes nothing, inf and NaN included.

    Example: `%y = tile.cast %x : tensor<128x128xf32> -> tensor<128x128xbf16>`

    Verifier:
    - `cast-c1`: the shape stays.
    - `cast-c2`: `mode` is `sat`, `nosat` or `up`.
  }];
  let arguments = (ins
    Tile_ScalarOrFragment:$source,
    OptionalAttr<StrAttr>:$mode,
    UnitAttr:$source_unsigned, UnitAttr:$result_unsigned
  );
  let results = (outs Tile_ScalarOrFragment:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_ReduceOp : Tile_Op<"reduce", [Pure]> {
  let summary = "Elements of a fragment combined along a dimension";
  let description = [{
    Combines the elements along dimension `dim`, which the result does not have,
    or all of them to a scalar where `dim` is absent.  `sum` gives i32 or f32 for
    types below 32 bits, `absmax` of integers i32 or wider; `max` and `min` keep
    the type, take the operand that is not NaN, and -0 < +0.  The order of a sum
    is unspecified but fixed.  `unsigned_source` gives the signedness.

    Example: the maximum of each row,
    ```mlir
    %m = tile.reduce max %s dim 1 : tensor<128x64xf32> -> tensor<128xf32>
    ```

    Verifier:
    - `reduce-c1`: the result lacks dimension `dim`, and is a scalar where none
      is left.
    - `reduce-c2`: the element type of the result is that which `kind` gives for
      the source's.
  }];
  let arguments = (ins
    Tile_ReductionKind:$kind,
    Tile_Fragment:$source,
    OptionalAttr<I64Attr>:$dim,
    UnitAttr:$unsigned_source
  );
  let results = (outs Tile_ScalarOrFragment:$result);
  let assemblyFormat = [{
    $kind $source (`dim` $dim^)? attr-dict `:` type($source) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_ScanOp : Tile_Op<"scan", [Pure]> {
  let summary = "Running sums along a dimension";
  let description = [{
    Element i along dimension `dim` of the result combines the elements 0 to i of
    the source, or i to the last under `reverse`.  Only `sum` is known.  Types
    are as for `tile.reduce`.

    Example:
    ```mlir
    %c = tile.scan sum %x dim 0 : tensor<128xi32> -> tensor<128xi32>
    ```

    Verifier:
    - `scan-c1`: `kind` is `sum`, `dim` a dimension, and the shape stays.
    - `reduce-c2`: the element type of the result is that which `kind` gives for
      the source's.
  }];
  let arguments = (ins
    Tile_ReductionKind:$kind,
    Tile_Fragment:$source,
    I64Attr:$dim,
    UnitAttr:$reverse, UnitAttr:$unsigned_source
  );
  let results = (outs Tile_Fragment:$result);
  let assemblyFormat = [{
    $kind $source `dim` $dim attr-dict `:` type($source) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_ReshapeOp : Tile_Op<"reshape", [Pure]> {
  let summary = "The same elements, in row-major order, in another shape";
  let description = [{
    Keeps the elements and their row-major order; the count stays.

    Example: `%y = tile.reshape %x : tensor<8x16xf32> -> tensor<128xf32>`

    Verifier:
    - `reshape-c1`: element type and number of elements stay.
  }];
  let arguments = (ins Tile_Fragment:$source);
  let results = (outs Tile_Fragment:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_ReinterpretOp : Tile_Op<"reinterpret", [Pure]> {
  let summary = "The same bits as elements of another width";
  let description = [{
    Reads the bits of each row as elements of another type; the last extent
    scales so that the bits agree, low bits first.  Elements of equal width are
    what `arith.bitcast` is for.

    Example: `%q = tile.reinterpret %b : tensor<8x32xi8> -> tensor<8x64xi4>`

    Verifier:
    - `reinterpret-c1`: each row keeps its bits.
  }];
  let arguments = (ins Tile_Fragment:$source);
  let results = (outs Tile_Fragment:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_IotaOp : Tile_Op<"iota", [Pure]> {
  let summary = "The numbers 0, 1, 2, ...";
  let description = [{
    Gives a fragment of rank 1 whose element i is i.

    Example: `%i = tile.iota : tensor<128xi32>`

    Verifier:
    - `iota-c1`: the result is i32 of rank 1.
  }];
  let results = (outs Tile_Fragment:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tile_PartOp : Tile_Op<"part", [Pure]> {
  let summary = "Part of a fragment";
  let description = [{
    Gives the elements from `offsets` on, as many in each dimension as the
    result has.

    Example: columns 32 to 63,
    ```mlir
    %p = tile.part %x [0, 32] : tensor<128x64xf32> -> tensor<128x32xf32>
    ```

    Verifier:
    - `part-c3`: rank and element type stay, and the part lies inside the
      source.
  }];
  let arguments = (ins Tile_Fragment:$source, DenseI64ArrayAttr:$offsets);
  let results = (outs Tile_Fragment:$result);
  let assemblyFormat = "$source $offsets attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_JoinOp : Tile_Op<"join", [Pure]> {
  let summary = "Fragments side by side";
  let description = [{
    Gives the parts one behind the other along `dim`; their other extents are
    those of the result.

    Example: 64 columns from 32 and 32,
    ```mlir
    %x = tile.join %p, %q dim 1 : tensor<128x32xf32>, tensor<128x32xf32> -> tensor<128x64xf32>
    ```

    Verifier:
    - `join-c1`: the parts have the result's element type and, together, its
      shape.
  }];
  let arguments = (ins Variadic<Tile_Fragment>:$parts, I64Attr:$dim);
  let results = (outs Tile_Fragment:$result);
  let assemblyFormat = "$parts `dim` $dim attr-dict `:` type($parts) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_AnnotateLayoutOp : Tile_Op<"annotate_layout", [Pure,
    TypesMatchWith<"the result has the type of the source", "source", "result", "$_self">]> {
  let summary = "Layout that the program asked for";
  let description = [{
    Gives the source unchanged; `layout` is the layout its fragment must have.

    Example:
    ```mlir
    %y = tile.annotate_layout %x, <"16x8 registers=[[0,1],[8,0]] lanes=[[0,2],[0,4],[1,0],[2,0],[4,0]] warps=[]"> : tensor<16x8xf32>
    ```

    Verifier:
    - `annotate-layout-c1`: the layout has the shape of the source.
  }];
  let arguments = (ins Tile_Fragment:$source, Tile_LayoutAttr:$layout);
  let results = (outs Tile_Fragment:$result);
  let assemblyFormat = "$source `,` $layout attr-dict `:` type($source)";
  let hasVerifier = 1;
}

def Tile_ConvertLayoutOp : Tile_Op<"convert_layout", [Pure]> {
  let summary = "The same fragment in other registers";
  let description = [{
    Gives the same values under another layout.

    Example: made by `infer-layouts`; see its test.

    Verifier:
    - `convert-layout-c1`: shape and element type stay.
  }];
  let arguments = (ins Tile_Fragment:$source);
  let results = (outs Tile_Fragment:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // TILE_SHAPE_OPS
