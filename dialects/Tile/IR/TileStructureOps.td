//===- TileStructureOps.td - Kernels, loops and indices ---*- tablegen -*-===//

#ifndef TILE_STRUCTURE_OPS
#define TILE_STRUCTURE_OPS

include "TileTypes.td"
include "TileAttrs.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/LoopLikeInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/IR/RegionKindInterface.td"

def Tile_KernelOp : Tile_Op<"kernel", [
    FunctionOpInterface, IsolatedFromAbove, AffineScope, AutomaticAllocationScope]> {
  let summary = "Kernel: what one block computes";
  let description = [{
    Defines a kernel.  The body runs once for each block of the grid, with the
    block's place given by `tile.block_id`.

    Arguments are tensors (`!tile.global`) and scalars, in the order of the
    source, each with attributes: `tile.name`; `tile.dtype`, the language's
    spelling, which holds the signedness; and for tensors `tile.access` (`in`,
    `out` or `inout`), `tile.dims` (an expression for each extent), and the unit
    attributes `tile.strided`, `tile.strided_all`, `tile.noalias` and
    `tile.prepack`.  After `apply-prepack` a tensor of `tile.prepack` is its
    packed tiles one behind the other: type and `tile.dims` are those of the
    memory, and `tile.packing = {along, dims, order, pack}` holds the order of a
    tile, the dimension of it along which tiles are neighbours, and what the
    source says of the tensor.

    `symbols` lists the sizes bound at launch, in order of binding:
    `{name, param, dim}`, with `value` where the size is fixed.  `checks` lists
    facts `{expr, text}` that the launch checks and the compiler relies on.
    `grid` holds one expression an axis and `axes` their names, first fastest.
    `threads` is the number of threads of the block.  `config` records the
    compile-time constants, `decisions` what the program or the command line
    decided in place of the compiler (`{raster = 8 : i64}`).

    An *expression* is an integer (i64), a string (a symbol, a scalar parameter
    or a fact such as `"sm_count"`) or an array `[operator, operand...]`.

    After `plan-pipeline` a kernel may be one of several *variants* of the same
    source kernel: `variant` is its name, `origin` the name of the kernel, and
    `guards` the facts `{expr, text}` that it assumes.  `tensor_maps` lists what
    TMA reads and writes, each with a parameter of its own in the compiled
    function: `{param, box, swizzle}` describes the whole tensor argument `param`
    and the box of it that one copy moves, with an extent for each dimension in
    the tensor's order, counted in elements as stored (bytes for 4-bit types).
    `swizzle` is the span in bytes of the shared-memory swizzle, 0 for none, and
    `l2_promotion` (absent: 256) what L2 fetches at least.  Elements outside of
    the tensor read as 0 and are not written.  `blocks` is an expression for the
    number of blocks to launch in place of the product of the axes, for kernels
    whose blocks walk over the grid themselves.  `cluster` (absent: 1) is how many
    blocks, with neighbouring numbers, run at the same time and reach each other's
    shared memory; `blocks` is a multiple of it.  They start and end together.

    A source kernel may be there several times, compiled with other constants for
    launches of other sizes: `size_class = {symbol = "M", most = 16 : i64}` says
    for which one of them is meant, and `origin` of whom it is one.  It is right
    for all.  They stand one after the other, the one without a bound last.

    Example:
    ```mlir
    tile.kernel @fill(%C: !tile.global<?xf32> {tile.name = "C", tile.dtype = "f32",
                      tile.access = "out", tile.dims = ["N"]})
        attributes {symbols = [{name = "N", param = 0 : i64, dim = 0 : i64} ], checks = [],
                    grid = [["ceildiv", "N", 128 : i64]], axes = ["bx"], threads = 128 : i64} {
      %c128 = arith.constant 128 : i64
      %b = tile.block_id 0 : i64
      %i = arith.muli %b, %c128 : i64
      %one = arith.constant dense<1.0> : tensor<128xf32>
      tile.store %one, %C[%i] : tensor<128xf32>, !tile.global<?xf32>
      tile.return
    }
    ```

    Verifier:
    - `kernel-c1`: an expression is an integer, a string or `[operator,
      operand...]` with the operands that the operator takes, at most 64 deep.
    - `kernel-c2`: a fact is `{expr, text}`.
    - `kernel-c3`: every argument has a name of its own and a `tile.dtype` that
      spells its type; a tensor has `tile.access`, and `tile.dims` for each
      dimension.
    - `kernel-c4`: the body ends with `tile.return`, and there are no results.
    - `kernel-c5`: a symbol is `{name, param, dim}`, with a name of its own.
    - `kernel-c6`: `grid` and `axes` have the same length, at most 5; an axis
      has a name.
    - `kernel-c7`: `threads` is a multiple of 32 up to 1024.
    - `kernel-c8`: `shared_bytes` is not negative.
    - `kernel-c9`: symbols are bound by dimensions, and expressions name what
      there is (checked where a kernel is lowered).
    - `kernel-c10`: no op writes to a tensor whose access is `in`.
    - `kernel-c11`: a tensor map is `{param, box, swizzle}`, with `param` a tensor
      argument; `box` has an extent from 1 to 256 for each dimension, the last of
      them a multiple of 16 bytes and within the swizzle; `swizzle` is 0, 32, 64
      or 128 and `l2_promotion` 0, 64, 128 or 256.
    - `kernel-c12`: `tile.packing` is `{along, dims, order, pack}`: a dimension of
      the order, an expression for each dimension of the source, as many as the
      order has at least, a `#tile.packed_order`, and the dimension along which
      the source packs elements, or -1.
    - `kernel-c13`: `cluster` is from 1 to 8.
    - `kernel-c14`: `threads` are those of one team of `schedule`, or those of all
      teams and of the warpgroup that copies for them.
    - `kernel-c15`: `size_class` is `{symbol, most}`, with a symbol of the kernel
      and a bound that is not negative.
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name,
    TypeAttrOf<FunctionType>:$function_type,
    OptionalAttr<DictArrayAttr>:$arg_attrs,
    OptionalAttr<DictArrayAttr>:$res_attrs,
    ArrayAttr:$symbols,
    ArrayAttr:$checks,
    ArrayAttr:$grid,
    ArrayAttr:$axes,
    I64Attr:$threads,
    OptionalAttr<DictionaryAttr>:$config,
    OptionalAttr<DictionaryAttr>:$decisions,
    OptionalAttr<StrAttr>:$variant,
    OptionalAttr<StrAttr>:$origin,
    OptionalAttr<ArrayAttr>:$guards,
    OptionalAttr<StrAttr>:$target,
    OptionalAttr<I64Attr>:$shared_bytes,
    OptionalAttr<ArrayAttr>:$tensor_maps,
    OptionalAttr<AnyAttr>:$blocks,
    OptionalAttr<I64Attr>:$cluster,
    OptionalAttr<Tile_ScheduleAttr>:$schedule,
    OptionalAttr<DictionaryAttr>:$size_class
  );
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ArrayRef<Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ArrayRef<Type> getResultTypes() { return getFunctionType().getResults(); }
    Region *getCallableRegion() { return &getBody(); }
    /// The source name of argument `index`.
    StringRef getArgName(unsigned index);
    /// The language's spelling of the type of argument `index` ("uint4").
    StringRef getArgDtype(unsigned index);
    /// "in", "out" or "inout"; empty for a scalar.
    StringRef getArgAccess(unsigned index);
    /// One expression for each extent of tensor argument `index`.
    ArrayAttr getArgDims(unsigned index);
    /// `tile.packing` of tensor argument `index`; null if it is not packed.
    DictionaryAttr getArgPacking(unsigned index);
    /// The extents that the source gives the tensor, packed or not.
    ArrayAttr getArgSourceDims(unsigned index);
    bool isArgStrided(unsigned index);
    /// Name of the kernel in the source: `origin`, else the symbol name.
    StringRef getSourceName();
    /// Of the class of sizes that the kernel is meant for, "M16"; empty if it is
    /// for all.
    std::string getClassName();
    /// What the names of its functions begin with: "gemm", "gemm__M16".
    std::string getFunctionStem();
    /// The fixed value of a symbol, if it has one.
    std::optional<int64_t> getSymbolValue(StringRef name);
    /// Blocks of a cluster, 1 where there are none.
    int64_t getClusterSize() { return getCluster().value_or(1); }
  }];
}

def Tile_ReturnOp : Tile_Op<"return", [Pure, Terminator, HasParent<"KernelOp">]> {
  let summary = "End of a kernel";
  let description = [{
    Ends the body of a `tile.kernel`.

    Example: `tile.return`
  }];
  let assemblyFormat = "attr-dict";
}

def Tile_SymbolOp : Tile_Op<"symbol", [Pure]> {
  let summary = "Value of a size bound at launch";
  let description = [{
    Gives the value of a symbol of the enclosing kernel, such as `M`.

    Example: `%m = tile.symbol "M" : i64`

    Verifier:
    - `symbol-c1`: the enclosing kernel has the symbol.
  }];
  let arguments = (ins StrAttr:$name);
  let results = (outs I64:$result);
  let assemblyFormat = "$name `:` type($result) attr-dict";
  let hasVerifier = 1;
}

def Tile_BlockIdOp : Tile_Op<"block_id", [Pure]> {
  let summary = "Place of the block along an axis of the grid";
  let description = [{
    Gives the index of the running block along axis `axis` of the kernel's grid.

    Example: `%bx = tile.block_id 0 : i64`

    Verifier:
    - `block-id-c1`: `axis` is one of the kernel's grid.
  }];
  let arguments = (ins I64Attr:$axis);
  let results = (outs I64:$result);
  let assemblyFormat = "$axis `:` type($result) attr-dict";
  let hasVerifier = 1;
}

def Tile_BlockNumberOp : Tile_Op<"block_number", [Pure]> {
  let summary = "Number of the block in the launch";
  let description = [{
    Gives the number of the running block, from 0, below `tile.block_count`.

    Example: `%b = tile.block_number : i64`
  }];
  let results = (outs I64:$result);
  let assemblyFormat = "`:` type($result) attr-dict";
}

def Tile_BlockCountOp : Tile_Op<"block_count", [Pure]> {
  let summary = "Number of blocks in the launch";
  let description = [{
    Gives how many blocks were launched, one at least.

    Example: `%n = tile.block_count : i64`
  }];
  let results = (outs I64:$result);
  let assemblyFormat = "`:` type($result) attr-dict";
}

def Tile_AxisExtentOp : Tile_Op<"axis_extent", [Pure]> {
  let summary = "Extent of an axis of the kernel's grid";
  let description = [{
    Example: `%n = tile.axis_extent 0 : i64`

    Verifier:
    - `block-id-c1`: `axis` is one of the kernel's grid.
  }];
  let arguments = (ins I64Attr:$axis);
  let results = (outs I64:$result);
  let assemblyFormat = "$axis `:` type($result) attr-dict";
  let hasVerifier = 1;
}

def Tile_YieldOp : Tile_Op<"yield", [
    Pure, Terminator, ReturnLike,
    ParentOneOf<["PipelinedOp", "ParallelOp", "PersistentOp", "WarpgroupOp",
                 "OperandOp"]>]> {
  let summary = "Values of one iteration";
  let description = [{
    In `tile.pipelined`: the values carried to the next iteration.  In
    `tile.parallel`: the elements that this iteration writes.  In `tile.operand`:
    the element.  In `tile.persistent` and `tile.warpgroup` there are none.

    Example: `tile.yield %acc : tensor<128x128xf32>`
  }];
  let arguments = (ins Variadic<AnyType>:$operands);
  let builders = [OpBuilder<(ins), [{ /* nothing to add */ }]>];
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
}

def Tile_PipelinedOp : Tile_Op<"pipelined", [
    DeclareOpInterfaceMethods<LoopLikeOpInterface,
      ["getLoopInductionVars", "getLoopLowerBounds", "getLoopUpperBounds",
       "getLoopSteps", "getInitsMutable", "getRegionIterArgs",
       "getYieldedValuesMutable", "getLoopResults"]>,
    SingleBlockImplicitTerminator<"YieldOp">, RecursiveMemoryEffects]> {
  let summary = "Loop whose copies may run ahead";
  let description = [{
    Runs its body for `iv = lower, lower + step, ...` below `upper`, in order,
    exactly as `scf.for` does.  The compiler may start the copies of later
    iterations early, using up to `stages` buffers for each copied tile.
    `stages` absent: the compiler chooses.  `stages_fixed`: the number was given
    on purpose, so that it is not lowered to fit shared memory.

    Example:
    ```mlir
    %r = tile.pipelined %k = %lo to %hi step 1 iter_args(%x = %init) -> (tensor<16x8xf32>) stages(3) {
      tile.yield %x : tensor<16x8xf32>
    }
    ```

    Verifier:
    - `pipelined-c1`: the body takes the i64 index and the carried values.
    - `pipelined-c2`: what is yielded, and the results, have the types of the
      inits.
    - `pipelined-c3`: `step` is positive.
    - `pipelined-c4`: `stages` is 0 (as if absent) to 32.
  }];
  let arguments = (ins
    I64:$lower, I64:$upper, I64Attr:$step,
    Variadic<AnyType>:$initArgs,
    OptionalAttr<I64Attr>:$stages,
    UnitAttr:$stages_fixed
  );
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let skipDefaultBuilders = 1;
  let builders = [
    OpBuilder<(ins "Value":$lower, "Value":$upper, "int64_t":$step,
               "ValueRange":$inits, "IntegerAttr":$stages,
               CArg<"bool", "false">:$stagesFixed)>
  ];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    static constexpr int64_t mostStages = 32;

    Value getInductionVar() { return getBody().getArgument(0); }
    Block *getBodyBlock() { return &getBody().front(); }
  }];
}

def Tile_ParallelOp : Tile_Op<"parallel", [
    SingleBlockImplicitTerminator<"YieldOp">, RecursiveMemoryEffects]> {
  let summary = "Element loop over independent iterations";
  let description = [{
    Runs its body for every index tuple of `extents`, in no order.  Result r is
    `inits[r]` with the element at `maps[r]`(indices) replaced by operand r of
    the yield; without `maps` each map is the identity.  Fragments of the
    enclosing code are read by `tile.element`, memory by `tile.load_element`;
    memory is written by `tile.store_element`.

    Example:
    ```mlir
    %r = tile.parallel (%i, %j) in (16, 8) init(%acc : tensor<16x8xf32>) {
      %x = tile.element %acc[%i, %j] : tensor<16x8xf32>
      %y = arith.addf %x, %x : f32
      tile.yield %y : f32
    }
    ```

    Verifier:
    - `parallel-c1`: extents are positive, with one i64 index each.
    - `parallel-c2`: results are the inits, and one element of each is yielded.
    - `parallel-c3`: there is one map for each init, from the indices to its
      dimensions.
  }];
  let arguments = (ins
    DenseI64ArrayAttr:$extents,
    Variadic<Tile_Fragment>:$inits,
    OptionalAttr<AffineMapArrayAttr>:$maps
  );
  let results = (outs Variadic<Tile_Fragment>:$results);
  let regions = (region SizedRegion<1>:$body);
  let skipDefaultBuilders = 1;
  let builders = [
    OpBuilder<(ins "ArrayRef<int64_t>":$extents, "ValueRange":$inits,
               CArg<"ArrayAttr", "nullptr">:$maps)>
  ];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    Block *getBodyBlock() { return &getBody().front(); }
    /// The index map of result `index`; the identity if `maps` is absent.
    AffineMap getMap(unsigned index);
  }];
}

def Tile_PersistentOp : Tile_Op<"persistent", [
    SingleBlockImplicitTerminator<"YieldOp">, RecursiveMemoryEffects,
    HasParent<"KernelOp">]> {
  let summary = "Loop whose iterations are shared out among the blocks";
  let description = [{
    Runs its body for every index tuple of `extents` (run-time numbers), each in
    exactly one block, in an order that the compiler chooses.  `group` is a hint
    for that order: how many indices of the second extent lie close together.
    Stands once, at the top level of a kernel.  `lower-persistent` makes a loop
    over the numbers of the tuples of it.

    Example:
    ```mlir
    tile.persistent (%bx, %by) in (%gx, %gy) group(8) {
    }
    ```

    Verifier:
    - `persistent-c1`: there is one i64 index for each extent, and one extent at
      least.
    - `persistent-c2`: nothing is carried.
    - `persistent-c3`: `group` is positive.
  }];
  let arguments = (ins Variadic<I64>:$extents, OptionalAttr<I64Attr>:$group);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [
    OpBuilder<(ins "ValueRange":$extents, CArg<"IntegerAttr", "nullptr">:$group)>
  ];
  let extraClassDeclaration = [{
    Block *getBodyBlock() { return &getBody().front(); }
  }];
}

def Tile_WarpgroupOp : Tile_Op<"warpgroup", [RecursiveMemoryEffects]> {
  let summary = "Teams of warpgroups that run at the same time";
  let description = [{
    Runs its regions at the same time, each by a team: the groups of 128 threads
    that `teams` lists for it.  They start together after what precedes the op
    and end together.  Each group of the block is in exactly one team.  A team
    orders its own statements; between teams shared memory is ordered by
    `tile.arrive` and `tile.wait` only.

    Example: a producer and a team of two consumers,
    ```mlir
    tile.warpgroup [0] {
      tile.set_max_registers 40
    }, [1, 2] {
      tile.set_max_registers 232
    }
    ```

    Verifier:
    - `warpgroup-c1`: there is one list of groups for each region.
    - `warpgroup-c2`: each group of the block is in exactly one team.
    - `warpgroup-c3`: the threads of the kernel are those of the groups.
    - `warpgroup-c4`: regions take and give nothing.
  }];
  let arguments = (ins ArrayAttr:$teams);
  let regions = (region VariadicRegion<SizedRegion<1>>:$bodies);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "ArrayRef<SmallVector<int64_t>>":$teams)>];
  let extraClassDeclaration = [{
    static constexpr int64_t threadsPerGroup = 128;
    /// Threads of the team that runs a region.
    int64_t getTeamThreads(unsigned region);
  }];
}

def Tile_WarpgroupNumberOp : Tile_Op<"warpgroup_number", [Pure]> {
  let summary = "Number of the warpgroup in its team";
  let description = [{
    Gives the number, from 0, of the thread's group of 128 among those of its
    team.

    Example: `%g = tile.warpgroup_number : i64`
  }];
  let results = (outs I64:$result);
  let assemblyFormat = "`:` type($result) attr-dict";
}

def Tile_SetMaxRegistersOp : Tile_Op<"set_max_registers", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Registers a thread of the team may use";
  let description = [{
    First op of a region of `tile.warpgroup`: each thread of the team has `count`
    registers from here on, a multiple of 8 from 24 to 256.

    Example: `tile.set_max_registers 40`

    Verifier:
    - `set-max-registers-c1`: `count` is a multiple of 8 from 24 to 256.
    - `set-max-registers-c2`: the op is the first of a region of
      `tile.warpgroup`.
  }];
  let arguments = (ins I64Attr:$count);
  let assemblyFormat = "$count attr-dict";
  let hasVerifier = 1;
}

def Tile_AwaitLaunchesOp : Tile_Op<"await_launches", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Wait for the kernels before this one";
  let description = [{
    The thread goes on once the kernels that were launched before in the stream
    are done and what they wrote is seen, where the launch lets this kernel start
    earlier (`overlaps` of the manifest); else at once.

    Example: `tile.await_launches`
  }];
  let assemblyFormat = "attr-dict";
}

def Tile_AllowLaunchesOp : Tile_Op<"allow_launches", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Let the next kernel start";
  let description = [{
    Once a thread of every block has come here, or the block is done, blocks of
    the next kernel in the stream may start, if its launch says so; it waits for
    this one by `tile.await_launches`.

    Example: `tile.allow_launches`
  }];
  let assemblyFormat = "attr-dict";
}

def Tile_AssertOp : Tile_Op<"assert", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Condition that the program promises";
  let description = [{
    Stops the kernel with `text` where `condition` is false, under the emulator
    and in code compiled with checks; elsewhere it does nothing.

    Example: `tile.assert %ok, "row is in range"`
  }];
  let arguments = (ins I1:$condition, StrAttr:$text);
  let assemblyFormat = "$condition `,` $text attr-dict";
}

def Tile_PrintOp : Tile_Op<"print", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Values shown while the kernel runs";
  let description = [{
    Prints the index of the block, `label` and the values, tiles as nested
    lists; once for the block, or for each iteration of `tile.parallel`.
    `unsigned_values` gives the signedness of each.

    Example: `tile.print "sum" %x, %t : f32, tensor<8xf32>`

    Verifier:
    - `print-c1`: there is one signedness for each value.
  }];
  let arguments = (ins
    StrAttr:$label,
    Variadic<Tile_ScalarOrFragment>:$values,
    OptionalAttr<DenseBoolArrayAttr>:$unsigned_values
  );
  let assemblyFormat = "$label ($values^ `:` type($values))? attr-dict";
  let hasVerifier = 1;
}

#endif // TILE_STRUCTURE_OPS
