//===- Passes.td - Passes of the tile dialect -------------*- tablegen -*-===//

#ifndef TILE_PASSES
#define TILE_PASSES

include "mlir/Pass/PassBase.td"

class TilePass<string flag, string passSummary> : Pass<"tile-" # flag, "::mlir::ModuleOp"> {
  let summary = passSummary;
  let dependentDialects = ["::mlir::tile::TileDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def RefuseUnsupportedPass
    : TilePass<"refuse-unsupported", "Refuse what no pass lowers yet"> {
  let description = [{
    Gives one error for each kernel that uses an op, or takes a decision, that
    the passes after this one do not know, in the words of the source.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"sm_90a\"", "GPU named in messages">
  ];
}

def CanonicalizeKernelPass
    : TilePass<"canonicalize-kernel", "Raise element loops to whole-tile form"> {
  let description = [{
    Rewrites each `tile.parallel` whose iterations are pure and read every
    fragment at their own element into whole-tile arithmetic: `tile.element` at
    the loop's indices becomes the fragment, a `tile.load_element` along one
    index a `tile.load` of a row or column with a `tile.reindex`, a
    `tile.store_element` at all indices a `tile.store`, scalars
    `tile.broadcast`.  Loops that do not fit stay as they are; those that use an
    index as a number are among them.  Then folds constants, runs the
    canonicalization patterns of all dialects and merges common subexpressions.

    Before:
    ```mlir
    %r = tile.parallel (%i, %j) in (16, 8) init(%acc : tensor<16x8xf32>) {
      %x = tile.element %acc[%i, %j] : tensor<16x8xf32>
      %y = arith.mulf %x, %s : f32
      tile.yield %y : f32
    }
    ```
    After:
    ```mlir
    %b = tile.broadcast %s : f32 -> tensor<16x8xf32>
    %r = arith.mulf %acc, %b : tensor<16x8xf32>
    ```
  }];
}

def ExpandDequantPass
    : TilePass<"expand-dequant", "Write dequantisation as arithmetic"> {
  let description = [{
    Turns each `tile.dequant` into the conversion of the numbers, a subtraction
    and a multiplication, in the type of the result where only the product
    rounds there, else in f32.  Scales and zero-points are spread over the
    elements of their groups by `tile.reindex`.  A `tile.gemm` of numbers of at
    most 8 bits with scales or zero-points becomes one exact product for each
    group of K, which joins the accumulator times the scales.

    Before: `%w = tile.dequant %b scale %s zero %z {dim = 1 : i64, group = 32 : i64} : ... -> tensor<64x64xbf16>`
    After:
    ```mlir
    %q = tile.cast %nibbles : tensor<64x64xi4> -> tensor<64x64xbf16>
    %z = tile.reindex %zeros by affine_map<(d0, d1) -> (d0, d1 floordiv 32)> : tensor<64x2xbf16> -> tensor<64x64xbf16>
    %d = arith.subf %q, %z : tensor<64x64xbf16>
    %s = tile.reindex %scales by affine_map<(d0, d1) -> (d0, d1 floordiv 32)> : tensor<64x2xbf16> -> tensor<64x64xbf16>
    %w = arith.mulf %d, %s : tensor<64x64xbf16>
    ```
  }];
  let dependentDialects = ["::mlir::tile::TileDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect", "::mlir::math::MathDialect"];
}

def ExpandGemmScaledPass
    : TilePass<"expand-gemm-scaled", "Write block-scaled products as products"> {
  let description = [{
    Turns each `tile.gemm_scaled` into one `tile.gemm` for each group of K, which
    joins the accumulator times the scales of the group.

    Before: `%r = tile.gemm_scaled %a, %b, %acc scales %sa, %sb {granularity_k = 32 : i64, ...}`
    After, for each group:
    ```mlir
    %p = tile.gemm %a, %b, %zero {k_range = array<i64: 0, 32>}
    %x = arith.mulf %p, %scales_a
    %y = arith.mulf %x, %scales_b
    %r = arith.addf %acc, %y
    ```
  }];
  let dependentDialects = ["::mlir::tile::TileDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect", "::mlir::math::MathDialect"];
}

def RaiseElementsPass
    : TilePass<"raise-elements", "Read and write the elements of loops as tiles"> {
  let description = [{
    In a `tile.parallel` that stays a loop, an unconditional read of elements
    that make up a box of memory becomes a load of the box in front of the loop,
    from which iterations take their elements; a write of one element for each
    iteration becomes a result of the loop that is stored behind it.  Indices
    are a value that all iterations share plus one that is known for each of
    them and linear over bits, such as `j / 2`; those of writes are loop indices
    plus shared values.

    Before: `%x = tile.load_element %s[%i, %h]` in a loop, with %h = %j / 2
    After: `%t = tile.load %s` in front, `%x = tile.element %t[%i, %h]`
  }];
  let dependentDialects = ["::mlir::tile::TileDialect", "::mlir::arith::ArithDialect"];
}

def ExpandMovesPass
    : TilePass<"expand-moves", "Write moves of parts as loads and stores that have addresses"> {
  let description = [{
    Turns each `tile.copy` other than of a whole shared tile from global memory
    into a load and a store.  A load or store of a part of a shared tile becomes
    one of a `tile.slice` if the part is known to start at a multiple of 16 bytes,
    else an element loop; loads from constant places stay, as do stores to
    aligned ones.  Uses of a `tile.slice` that lacks an inner dimension, or starts
    elsewhere, become uses of the tile around it.  A store of 4-bit elements that
    may start or end inside a byte becomes a loop over bytes.

    Before: `tile.copy %s to %C[%i, %j] : ...`
    After: `%v = tile.load %s : ...`, `tile.store %v, %C[%i, %j] : ...`
  }];
}

def ExpandShapeOpsPass
    : TilePass<"expand-shape-ops", "Write shape ops and reductions as element loops"> {
  let description = [{
    Turns `tile.reduce`, `tile.scan`, `tile.iota`, `tile.part`, `tile.reshape`,
    `tile.reinterpret` and atomics of tiles into `tile.parallel` over the elements
    of their results.

    Before: `%p = tile.part %x [0, 32] : tensor<64x64xf32> -> tensor<64x32xf32>`
    After:
    ```mlir
    %p = tile.parallel (%i, %j) in (64, 32) init(%zero : tensor<64x32xf32>) {
      %k = arith.addi %j, %c32 : i64
      %e = tile.element %x[%i, %k] : tensor<64x64xf32>
      tile.yield %e : f32
    }
    ```
  }];
  let dependentDialects = ["::mlir::tile::TileDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect", "::mlir::math::MathDialect"];
}

def ExpandGemmPass
    : TilePass<"expand-gemm", "Write products without a matrix instruction as multiply-adds"> {
  let description = [{
    Turns a `tile.gemm` whose types have no matrix instruction (f32, f64), or
    whose tile none fits, into a loop over K that adds outer products in the type
    of the accumulator.  Where an instruction would have been faster, a remark
    says what is in the way.

    Before: `%r = tile.gemm %as, %bs, %acc : ... tensor<64x64xf32>`
    After:
    ```mlir
    %r = scf.for %k = ... iter_args(%sum = %acc) {
      %a = tile.load %part[%zero, %zero] : ... -> tensor<64x1xf32>
      %column = tile.reindex %a by affine_map<(d0, d1) -> (d0, 0)> : ...
      %sum1 = math.fma %column, %row, %sum : tensor<64x64xf32>
      ...
    }
    ```
  }];
  let options = [
    Option<"target", "target", "std::string", "\"sm_90a\"", "GPU, such as sm_80">
  ];
  let dependentDialects = ["::mlir::tile::TileDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect", "::mlir::math::MathDialect"];
}

def SeparateNibblesPass
    : TilePass<"separate-nibbles", "Give each byte one writer where iterations write 4-bit elements"> {
  let description = [{
    A `tile.parallel` that writes 4-bit elements at any place, so that threads
    may write both elements of a byte, collects them instead: for each write
    its value, indices and condition become results.  Two loops behind it write
    the elements in the low and in the high halves of bytes.  A write in a loop
    of the body, or one that the iteration reads afterwards, is an error.

    Before: `tile.store_element %x, %s[%i, %k]` in a loop over %i and %j
    After:
    ```mlir
    %v, %r, %c, %p = tile.parallel (%i, %j) in (16, 8) init(...) { ... }
    tile.parallel (%i, %j) in (16, 8) {
      ...
      scf.if %low_and_written { tile.store_element %x, %s[%a, %b] {tile.owns_byte} }
    }
    ```
  }];
  let dependentDialects = ["::mlir::tile::TileDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def StageElementsPass
    : TilePass<"stage-elements", "Move elements between threads through shared memory"> {
  let description = [{
    Where a `tile.parallel` reads a fragment at indices that no layout can
    follow, puts the fragment in a shared tile in front of the loop and reads
    that; where it writes such elements of a fragment, writes a shared tile that
    is loaded behind.  Indices that are linear over bits, such as `j / 2` or
    `2 * j + 1`, stay: `infer-layouts` gives each thread what it needs.

    Before: `%e = tile.element %x[%i, %k]` in a loop over %i and %j
    After: `tile.store %x, %s` in front, `%e = tile.load_element %s[%i, %k]`
  }];
}

def SelectMmaPass : TilePass<"select-mma", "Choose the instruction of each matrix product"> {
  let description = [{
    Sets `mma` on each `tile.gemm`: the instruction, the types that the operands
    have when they enter it, and how the block's warps share the tile.  An
    operand that is an elementwise expression over shared tiles becomes a
    `tile.operand`; other fragments are put in shared memory first.  A pair of
    types or a tile that no instruction takes is an error: `expand-gemm` leaves
    none.

    On sm_90a warpgroups multiply where they can: both operands from shared
    memory, or a converted left one from registers.  A converted right operand
    changes places with the left one (`swap` in `mma`): C^T = B^T * A^T, of
    which only the layouts show.  If both are converted, threads write one anew
    in front of the product, into a tile of the instruction's type.  `schedule` of
    the kernel says how warpgroups share tiles; with `pingpong` each has its own,
    and `threads` become those of one.

    Before: `tile.gemm %as, %bs, %acc : ...`
    After: `tile.gemm %as, %bs, %acc {mma = #tile.mma<m16n8k16, type = bf16, warps = [2, 4]>} : ...`
  }];
  let options = [
    Option<"target", "target", "std::string", "\"sm_90a\"", "GPU, such as sm_80">
  ];
}

def ApplyPrepackPass : TilePass<"apply-prepack", "Store prepacked tensors in the order of their reads"> {
  let description = [{
    Requires `select-mma`.  A tensor argument with `tile.prepack` becomes its
    tiles, each in the order in which the products that it feeds read it: its type
    and `tile.dims` are those of that memory, in which tiles along K are
    neighbours; `tile.packing` keeps the order and what the source says.  Copies of tiles become copies of rows of memory, which
    products read through `tile.unpacked`.  A use that is no tile of a product,
    tiles that do not start at multiples of their extents, and products that need
    two orders are errors.

    Before: `tile.copy %B[%n, %k] to %bs : !tile.global<?x?xi4, pack = 1>, !tile.shared<128x64xi4, pack = 1>`
    After: `tile.copy %B[%bx, %row, %c0] to %rows : !tile.global<?x?x256xi4, pack = 2>, !tile.shared<32x256xi4, pack = 1>`,
           `%bs = tile.unpacked %rows by #tile.packed_order<...>` in front of the product.
  }];
}

def InferLayoutsPass : TilePass<"infer-layouts", "Give every fragment and shared tile a layout"> {
  let description = [{
    Requires `select-mma`.  Accumulators get the layout of their instruction;
    layouts spread from there through elementwise ops, loops and index maps;
    what is left gets a coalesced layout.  Where two needs differ a
    `tile.convert_layout` is inserted.  Shared tiles get the address swizzle
    with the fewest bank conflicts over all their accesses.

    Before: `%acc : tensor<128x128xf32>`, `%as : !tile.shared<128x64xbf16>`
    After: `%acc : tensor<128x128xf32, #tile.layout<...>>`,
           `%as : !tile.shared<128x64xbf16, #tile.shared_layout<swizzle = [3, 4, 3]>>`
  }];
}

def AlignAsyncCopiesPass
    : TilePass<"align-async-copies", "Prove or check the alignment of async copies"> {
  let description = [{
    Requires `infer-layouts`.  What `tile.tma_copy` touches starts at multiples of
    16 bytes, as do its rows, and has fewer than 2^31 elements along a dimension.
    An asynchronous copy that the program wrote moves
    4, 8 or 16 bytes between multiples of as much.  For `tile.async_copy_elements`
    the indices must prove it; bases and pitches of tensors that are known at
    launch only become `checks` of the kernel.  Tensors of a `tile.async_copy` of
    a tile are checked for the 4 bytes that it needs at least.

    Before: `tile.kernel @k(%A ...) attributes {checks = [] ...}`
    After: the same with `["==", ["%", ["address", "A"], 16], 0]` and the like in `checks`.
  }];
}

def AssignTensorMapsPass
    : TilePass<"assign-tensor-maps", "Describe tensors to the copies by TMA"> {
  let description = [{
    Requires `infer-layouts`.  Gives each `tile.tma_copy` that has none its `map`,
    an entry of `tensor_maps` of the kernel, which equal boxes of one tensor
    share.  What TMA cannot do is an error that says why: bounds of a view, gaps
    between rows, rows of no multiple of 16 bytes, more than 256 elements along a
    dimension, a place in shared memory that is not aligned.

    Before: `tile.tma_copy %A[%i, %k] to %s barrier %b : !tile.global<?x?xbf16>, !tile.shared<128x64xbf16>, !tile.barrier<1>`
    After: the same with `{map = 0 : i64}`, and `tensor_maps = [{param = 0, box = [128, 64], swizzle = 0} ]`.
  }];
}

def PlanPipelinePass
    : TilePass<"plan-pipeline", "Make guarded variants and run copies ahead of their use"> {
  let description = [{
    Splits each kernel into variants: `aligned`, `aligned16x8` and `aligned8`, which
    use cp.async and accesses of 16 and 8 bytes (in the second 8 for elements
    stored as bytes, 16 for wider ones) and are guarded by the alignment of
    addresses and pitches that they assume, and `general`, which assumes nothing.
    Variants that no launch can need are left out.  Each `tile.pipelined` becomes
    a loop over staged buffers: aligned copies run `stages - 1` iterations ahead
    by cp.async, others one iteration ahead through registers where these
    suffice.  A loop in which nothing can run ahead becomes a plain one.

    Before:
    ```mlir
    tile.pipelined %k = ... stages(3) { tile.copy ... ; tile.gemm ... }
    ```
    After:
    ```mlir
    tile.async_copy ...; tile.commit_group       // iterations 0 and 1
    scf.for %k = ... { tile.wait_group 1; tile.async_copy ... (k + 2); tile.commit_group; tile.gemm ... }
    ```
  }];
  let options = [
    Option<"target", "target", "std::string", "\"sm_90a\"", "GPU named in messages">,
    Option<"sharedLimit", "shared-limit", "int64_t", "232448",
           "Shared memory of one block in bytes">
  ];
}

def LowerPersistentPass
    : TilePass<"lower-persistent", "Share the tuples of persistent loops out among blocks"> {
  let description = [{
    Turns `tile.persistent` into a loop over the numbers of its tuples: block b
    of n takes b, b + n, b + 2 n and so on.  The indices are found from the
    number as those of a block are from its own: the first fastest, the second
    in groups, whose size is the decision `raster`, else the loop's `group`.
    A kernel whose grid is `min(sm_count, tuples)` gets `blocks` with
    `min_blocks` for each multiprocessor, if that is decided.

    Before:
    ```mlir
    tile.persistent (%x, %y) in (%columns, %rows) group(8) { ... }
    ```
    After:
    ```mlir
    %b = tile.block_number : i64
    %n = tile.block_count : i64
    scf.for %t = %b to %tuples step %n : i64 { %x = ... %t; %y = ... %t; ... }
    ```
  }];
}

def OverlapLaunchesPass
    : TilePass<"overlap-launches", "Start while the kernel before still runs"> {
  let description = [{
    Where `overlap` was decided, a kernel waits for those before it in the stream
    itself (`tile.await_launches`): at its start, if specialize-warps has found no
    better place; and lets the next one start early.  The manifest tells the
    launch (`overlaps`).

    Before:
    ```mlir
    tile.kernel @copy(%x, %y) { tile.copy ... }
    ```
    After:
    ```mlir
    tile.kernel @copy(%x, %y) { tile.allow_launches ; tile.await_launches ; tile.copy ... }
    ```
  }];
}

def SpecializeWarpsPass
    : TilePass<"specialize-warps", "Give one warpgroup the copies of the others"> {
  let description = [{
    Turns the `tma` variant of a kernel into a `tile.warpgroup` of a producer, one
    thread that copies by TMA, and of the consumers, who do everything else.
    Both walk over the tiles of the grid, one block for each multiprocessor, and
    hand buffers of a ring to each other by barriers with phases.  A tile that
    the consumers convert (`tile.converted`) gets a ring among themselves.
    Accumulators are stored by TMA where their layout allows.  Where the kernel
    may start before others end, packed weights fill the ring meanwhile.  With the
    schedule `pingpong` the consumers are two teams, which take turns: each does
    every other tile.

    Before:
    ```mlir
    tile.pipelined %k = ... stages(4) { tile.copy %A[%i, %k] to %as ; tile.gemm %as, ... }
    ```
    After:
    ```mlir
    tile.warpgroup [0] {
      scf.for tiles { scf.for %k { tile.wait %empty ; tile.expect %full ; tile.tma_copy ... } }
    }, [1, 2] {
      scf.for tiles { scf.for %k { tile.wait %full ; tile.gemm ... ; tile.arrive %empty } ... }
    }
    ```
  }];
  let options = [
    Option<"sharedLimit", "shared-limit", "int64_t", "232448",
           "Shared memory of one block in bytes">
  ];
}

def PackSubBytePass : TilePass<"pack-sub-byte", "Copy packed tiles as bytes"> {
  let description = [{
    Replaces copies of 4-bit tiles by copies of the bytes that hold them, where
    the tile starts on a whole byte and no byte holds an element to be left out.
    Other copies keep their elements and move nibble by nibble.

    Before: `tile.async_copy %B[%k, %n] to %s : !tile.global<?x?xi4, pack = 0>, !tile.shared<64x128xi4, pack = 0>`
    After: `tile.async_copy %b[%k2, %n] to %t : !tile.global<?x?xi8>, !tile.shared<32x128xi8>`
  }];
}

def LowerCopiesPass : TilePass<"lower-copies", "Choose how each copy moves its bytes"> {
  let description = [{
    Sets `plan` on each copy: the engine, and the width that alignment allows.

    Before: `tile.async_copy ...`
    After: `tile.async_copy ... {plan = #tile.copy_plan<engine = cp_async, bytes = 16>}`
  }];
}

def LowerGemmPass : TilePass<"lower-gemm", "Split matrix products into steps of K"> {
  let description = [{
    Requires layouts.  Each `tile.gemm` becomes, for each step of K, loads of
    both operand fragments, conversions to the instruction's type and a
    `tile.mma`.  A product of warpgroups becomes one `tile.wgmma` over all of K,
    or over the elements between two promotions; of an operand that comes from
    registers the load and the conversion are written out in front of it.

    Before: `%r = tile.gemm %as, %bs, %acc {mma = ...}`
    After:
    ```mlir
    %a = tile.load %as[%c0, %c0] -> tensor<128x16xbf16, #a>
    %q = tile.load %bs[%c0, %c0] -> tensor<16x128xi4, #q>
    %b = tile.cast %q -> tensor<16x128xbf16, #b>
    %r = tile.mma %a, %b, %acc using #tile.mma<...>
    ```
  }];
}

def SplitSumsPass : TilePass<"split-sums", "Take sums that join a total some columns at a time"> {
  let description = [{
    Requires `lower-gemm`.  Where the sums of a product of warpgroups begin at 0
    and its instructions have fewer columns than the sums, each part of the
    columns becomes a product of its own, and the elementwise arithmetic behind
    the sums is split with it, so that parts multiply while others are added.

    Before:
    ```mlir
    %p = tile.wgmma %as, %bs, %cst k 0 depth 128 using <m64n64k32, ...> {overwrite}
    %s = tile.mma_wait %p pending 0
    %r = arith.addf %acc, %s : tensor<128x128xf32>
    ```
    After:
    ```mlir
    %p0 = tile.wgmma %as, %bs, %cst0 k 0 depth 128 using <m64n64k32, ...> {overwrite}
    %p1 = tile.wgmma %as, %bs, %cst0 k 0 depth 128 column 64 using <m64n64k32, ...> {overwrite}
    %s0 = tile.mma_wait %p0 pending 1
    %acc0 = tile.part %acc [0, 0]
    %r0 = arith.addf %acc0, %s0 : tensor<128x64xf32>
    %s1 = tile.mma_wait %p1 pending 0
    %acc1 = tile.part %acc [0, 64]
    %r1 = arith.addf %acc1, %s1 : tensor<128x64xf32>
    %r = tile.join %r0, %r1 dim 1
    ```
  }];
}

def ScheduleMmaPass : TilePass<"schedule-mma", "Load the next step while one multiplies"> {
  let description = [{
    Within a block, moves the operand loads and conversions of step k + 1 in
    front of the `tile.mma` of step k, as far as no write to shared memory,
    barrier or wait stands between.  A loop of consuming warpgroups keeps its
    `tile.wgmma` in flight until the next iteration has started one; an operand
    that comes from registers is loaded and converted for the next iteration, or
    for the next step of K where an iteration has several, while the product of
    this one runs.  What is loaded from tensors for later iterations starts
    behind the first product.

    Before: `load 0; mma 0; load 1; mma 1; load 2; mma 2`
    After: `load 0; load 1; mma 0; load 2; mma 1; mma 2`
  }];
}

def OrderProductsPass
    : TilePass<"order-products", "Let warpgroups that share tiles multiply in turns"> {
  let description = [{
    Requires `schedule-mma`.  In a loop of several warpgroups of a team whose
    products are done before the iteration ends, since their sums join a total,
    a warpgroup starts its products once the one before has started its own, so
    that one adds while another multiplies.

    Before:
    ```mlir
    %p = tile.wgmma %as, %bs, %cst k 0 depth 128 using <...> {overwrite}
    %s = tile.mma_wait %p pending 0
    ```
    After:
    ```mlir
    tile.wait %turns[%group], %parity : !tile.barrier<2>
    %p = tile.wgmma %as, %bs, %cst k 0 depth 128 using <...> {overwrite}
    tile.arrive %turns[%next] {per_warpgroup} : !tile.barrier<2>
    %s = tile.mma_wait %p pending 0
    ```
  }];
}

def UnrollLoopsPass
    : TilePass<"unroll-loops", "Put iterations that hand registers on in a row"> {
  let description = [{
    A loop with the attribute `tile.unroll = n` becomes one with n iterations in
    a row and one for what is left over, so that values which a load started two
    iterations ahead stay in the registers that they arrive in.

    Before: `scf.for %i = %a to %b step %c ... {tile.unroll = 2}`
    After: `scf.for %i = %a to %m step %2c ...; scf.for %i = %m to %b step %c ...`
  }];
  let dependentDialects = ["arith::ArithDialect", "scf::SCFDialect"];
}

def RotatePipelinePass
    : TilePass<"rotate-pipeline", "Read ahead across the back edge of pipelined loops"> {
  let description = [{
    In a loop over staged buffers, moves the wait for a buffer and the reads of
    the first product's operands to the end of the iteration before, in front
    of its last product, and starts the iteration's copies behind its first
    product.

    Before: `for i { wait; copies; load 0; load 1; mma 0; mma 1 }`
    After:
    ```mlir
    wait; barrier; load 0
    for i { load 1; mma 0; copies; wait; barrier; load 0 of i + 1; mma 1 }
    ```
  }];
}

def AllocateSharedPass : TilePass<"allocate-shared", "Place shared tiles in memory"> {
  let description = [{
    Gives each `tile.alloc_shared` an `offset` and the kernel its `shared_bytes`.
    Tiles whose lifetimes do not overlap share memory; `insert-barriers` orders
    their uses.  A total above the target's limit is an error that lists each
    tile (an attribute `tile.stages` says that its first dimension counts
    buffers) and says what would fit.  Barriers, and tiles that TMA moves, share
    no memory, nor do tiles of teams that run at the same time; but where the
    ring that one team fills has been read for the last time, other tiles of the
    reader may lie.

    Before: `tile.alloc_shared "As" : !tile.shared<128x64xbf16>`
    After: `tile.alloc_shared "As" {offset = 0 : i64} : !tile.shared<128x64xbf16>`
  }];
  let options = [
    Option<"target", "target", "std::string", "\"sm_90a\"", "GPU named in messages">,
    Option<"sharedLimit", "shared-limit", "int64_t", "232448",
           "Shared memory of one block in bytes">
  ];
}

def InsertBarriersPass : TilePass<"insert-barriers", "Order accesses to memory"> {
  let description = [{
    Requires structured control flow and, where tiles share memory, their
    offsets.  Inserts `tile.barrier` between two accesses of different threads to
    one shared tile or tensor, one of them a write, where no barrier stands
    between them yet.  Buffers of a staged tile whose iterations differ by a
    constant are told apart, as are parts of a tensor; tensors may overlap unless
    one is `noalias`.  An asynchronous copy counts as a write where it starts
    and, for those who read, where it is waited for.

    Before:
    ```mlir
    scf.for %i = ... { tile.wait_group 1; tile.async_copy ... ; tile.commit_group; tile.load ... }
    ```
    After:
    ```mlir
    scf.for %i = ... { tile.wait_group 1; tile.barrier; tile.async_copy ... ; tile.commit_group; tile.load ... }
    ```

    In a region of `tile.warpgroup` barriers are those of the team; in front of
    the op and behind, of the block.  What is shared between teams is ordered by
    the program (`tile.arrive`, `tile.wait`).  `tile.arrive` and `tile.expect`
    get a barrier in front of them where threads of the team may still be busy
    with earlier accesses or waits, as one thread arrives for all.
  }];
}

def InsertFencesPass
    : TilePass<"insert-fences", "Show asynchronous accesses what threads wrote"> {
  let description = [{
    Requires `insert-barriers`.  TMA sees what a thread wrote to a shared tile
    or a tensor only after a `tile.fence` of that thread.  Inserts one in front of
    each barrier or arrival that follows such a write, where the tile, or a tensor
    that may overlap, is one that TMA moves somewhere in the kernel.

    Before: `tile.store %x, %s ... ; tile.barrier ; tile.tma_copy %s to %C[%i, %j] ...`
    After: `tile.store %x, %s ... ; tile.fence ; tile.barrier ; tile.tma_copy %s to %C[%i, %j] ...`
  }];
}

#endif // TILE_PASSES
