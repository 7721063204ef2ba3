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
    source.  Covers added dimensions of extent 1, repetition along them, and
    transposes.  Each result of the map is a dimension of the result or the
    constant 0; no dimension occurs twice.

    Example: one value for each column,
    ```mlir
    %t = tile.reindex %b by affine_map<(d0, d1) -> (d1)> : tensor<128xf32> -> tensor<64x128xf32>
    ```
  }];
  let arguments = (ins Tile_Fragment:$source, AffineMapAttr:$map);
  let results = (outs Tile_Fragment:$result);
  let assemblyFormat = "$source `by` $map attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
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
    is not meant.

    Example: `%y = tile.cast %x : tensor<128x128xf32> -> tensor<128x128xbf16>`
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

def Tile_ConvertLayoutOp : Tile_Op<"convert_layout", [Pure]> {
  let summary = "The same fragment in other registers";
  let description = [{
    Gives the same values under another layout.

    Example: made by `infer-layouts`; see its test.
  }];
  let arguments = (ins Tile_Fragment:$source);
  let results = (outs Tile_Fragment:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // TILE_SHAPE_OPS
