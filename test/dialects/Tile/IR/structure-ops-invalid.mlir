// RUN: tile-opt %s --allow-unregistered-dialect --split-input-file --verify-diagnostics

// kernel-c1: an expression is an integer, a string or an operation.
// expected-error @below {{kernel-c1: an expression is an integer, a string or [operator, operand...], found 1.500000e+00}}
tile.kernel @k() attributes {symbols = [], checks = [], grid = [["+", 1, 1.5 : f64]], axes = ["bx"], threads = 128 : i64} {
  tile.return
}

// -----

// kernel-c1: the operator comes first.
// expected-error @below {{kernel-c1: an expression is}}
tile.kernel @k(%A: !tile.global<?xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "in", tile.dims = [[1, "+", 2]]}) attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  tile.return
}

// -----

// kernel-c2: a fact says what it is in words.
// expected-error @below {{kernel-c2: a fact is {expr, text}, found {expr = ["==", "M", 1]}}}
tile.kernel @k() attributes {symbols = [], checks = [{expr = ["==", "M", 1]}], grid = [], axes = [], threads = 128 : i64} {
  tile.return
}

// -----

// kernel-c2: so do the guards of a variant.
// expected-error @below {{kernel-c2: a fact is {expr, text}, found "M == 1"}}
tile.kernel @k() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64, guards = ["M == 1"]} {
  tile.return
}

// -----

// kernel-c3: arguments have a name and a type of the language.
// expected-error @below {{kernel-c3: argument 1 needs 'tile.name' and 'tile.dtype'}}
tile.kernel @k(%A: !tile.global<?xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "in", tile.dims = ["M"]}, %s: f32 {tile.name = "s"}) attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  tile.return
}

// -----

// kernel-c3: tensors are read, written or both.
// expected-error @below {{kernel-c3: 'tile.access' of argument 0 is 'in', 'out' or 'inout'}}
tile.kernel @k(%A: !tile.global<?xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "write", tile.dims = ["M"]}) attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  tile.return
}

// -----

// kernel-c3: tensors have an expression for each extent.
// expected-error @below {{kernel-c3: 'tile.dims' of argument 0 has one expression for each dimension}}
tile.kernel @k(%A: !tile.global<?x?xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "in", tile.dims = ["M"]}) attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  tile.return
}

// -----

// kernel-c4: a kernel has a body.
// expected-error @below {{kernel-c4: has a body}}
"tile.kernel"() <{sym_name = "k", function_type = () -> (), symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64}> ({}) : () -> ()

// -----

// kernel-c4: a body ends with tile.return.
// expected-error @below {{kernel-c4: ends with tile.return}}
tile.kernel @k() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  cf.br ^bb1
^bb1:
  cf.br ^bb1
}

// -----

// kernel-c5: a size has a name.
// expected-error @below {{kernel-c5: a symbol is {name, param, dim}, found {dim = 0 : i64, param = 0 : i64}}}
tile.kernel @k() attributes {symbols = [{param = 0 : i64, dim = 0 : i64}], checks = [], grid = [], axes = [], threads = 128 : i64} {
  tile.return
}

// -----

// kernel-c6: each axis of the grid has a name.
// expected-error @below {{kernel-c6: 'grid' and 'axes' have the same length}}
tile.kernel @k() attributes {symbols = [], checks = [], grid = [1, 2], axes = ["bx"], threads = 128 : i64} {
  tile.return
}

// -----

// kernel-c13: clusters are those that every GPU can run.
// expected-error @below {{kernel-c13: 'cluster' is from 1 to 8, found 16}}
tile.kernel @large_cluster() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64, cluster = 16 : i64} {
  tile.return
}

// -----

// kernel-c7: threads come in warps.
// expected-error @below {{kernel-c7: 'threads' is a multiple of 32 up to 1024, found 100}}
tile.kernel @k() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 100 : i64} {
  tile.return
}

// -----

// kernel-c7: a block has at most 1024 threads.
// expected-error @below {{kernel-c7: 'threads' is a multiple of 32 up to 1024, found 2048}}
tile.kernel @k() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 2048 : i64} {
  tile.return
}

// -----

// symbol-c1: a size belongs to a kernel.
// expected-error @below {{symbol-c1: stands in a tile.kernel}}
%m = tile.symbol "M" : i64

// -----

// symbol-c1: the kernel has the size.
tile.kernel @k() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  // expected-error @below {{symbol-c1: the kernel has no symbol 'M'}}
  %m = tile.symbol "M" : i64
  tile.return
}

// -----

// block-id-c1: the axis is one of the grid.
tile.kernel @k() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  // expected-error @below {{block-id-c1: names an axis of the kernel's grid}}
  %b = tile.block_id 0 : i64
  tile.return
}

// -----

// pipelined-c1: the body takes what is carried.
%i, %x = "test.values"() : () -> (i64, f32)
// expected-error @below {{pipelined-c1: body takes the i64 index and the carried values}}
%r = "tile.pipelined"(%i, %i, %x) <{step = 1 : i64}> ({
^bb0(%k: i64):
  tile.yield %x : f32
}) : (i64, i64, f32) -> f32

// -----

// pipelined-c2: the body yields what is carried.
%i, %x = "test.values"() : () -> (i64, f32)
// expected-error @below {{pipelined-c2: yields and results have the types of the inits}}
%r = tile.pipelined %k = %i to %i step 1 iter_args(%y = %x) -> (f32) {
  tile.yield %k : i64
}

// -----

// pipelined-c4: no loop has that many buffers.
%i = arith.constant 0 : i64
// expected-error @below {{pipelined-c4: stages is 0 to 32, found 2147483648}}
tile.pipelined %k = %i to %i step 1 stages(2147483648) {
  tile.yield
}

// -----

// pipelined-c3: the loop goes upwards.
%i = "test.value"() : () -> i64
// expected-error @below {{pipelined-c3: step is positive, found 0}}
tile.pipelined %k = %i to %i step 0 {
}

// -----

// The type of each carried value is given.
%i, %x = "test.values"() : () -> (i64, f32)
// expected-error @below {{needs a type for each carried value}}
%r = tile.pipelined %k = %i to %i step 1 iter_args(%y = %x) -> (f32, f32) {
  tile.yield %y : f32
}

// -----

// parallel-c1: there is an index for each extent.
// expected-error @below {{parallel-c1: has one index for each extent}}
tile.parallel (%i, %j) in (16) {
}

// -----

// parallel-c1: no extent is empty.
// expected-error @below {{parallel-c1: extents are positive, found 0}}
tile.parallel (%i) in (0) {
}

// -----

// parallel-c1: indices are 64-bit numbers.
// expected-error @below {{parallel-c1: indices are i64}}
"tile.parallel"() <{extents = array<i64: 16>}> ({
^bb0(%i: i32):
  tile.yield
}) : () -> ()

// -----

// parallel-c2: an element is yielded for each result.
%f, %x = "test.values"() : () -> (tensor<16xf32>, f32)
// expected-error @below {{parallel-c2: yields one element for each init}}
%r = tile.parallel (%i) in (16) init(%f : tensor<16xf32>) {
  tile.yield %x, %x : f32, f32
}

// -----

// parallel-c2: the element is one of the fragment.
%f = "test.value"() : () -> tensor<16xf32>
// expected-error @below {{parallel-c2: yields one element for each init}}
%r = tile.parallel (%i) in (16) init(%f : tensor<16xf32>) {
  tile.yield %i : i64
}

// -----

// parallel-c3: there is a map for each result.
%f, %x = "test.values"() : () -> (tensor<16xf32>, f32)
// expected-error @below {{parallel-c3: has one map for each init}}
%r = tile.parallel (%i) in (16) init(%f : tensor<16xf32>) maps [] {
  tile.yield %x : f32
}

// -----

// parallel-c3: a map names an element of the fragment.
%f, %x = "test.values"() : () -> (tensor<16x8xf32>, f32)
// expected-error @below {{parallel-c3: map 0 goes from the indices to the dimensions of its fragment}}
%r = tile.parallel (%i) in (16) init(%f : tensor<16x8xf32>) maps [affine_map<(d0) -> (d0)>] {
  tile.yield %x : f32
}

// -----

// The end of a kernel stands in a kernel.
"test.region"() ({
  // expected-error @below {{expects parent op 'tile.kernel'}}
  tile.return
}) : () -> ()

// -----

// persistent-c1: there is an index for each extent.
tile.kernel @k() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 256 : i64} {
  %n = "test.values"() : () -> (i64)
  // expected-error @below {{persistent-c1: has one i64 index for each extent}}
  tile.persistent (%i, %j) in (%n) {
  }
  tile.return
}

// -----

// persistent-c3: a group is a count.
tile.kernel @k() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 256 : i64} {
  %n = "test.values"() : () -> (i64)
  // expected-error @below {{persistent-c3: group is positive, found 0}}
  tile.persistent (%i) in (%n) group(0) {
  }
  tile.return
}

// -----

// warpgroup-c2: no group is left out.
tile.kernel @k() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 256 : i64} {
  // expected-error @below {{warpgroup-c2: each group is in exactly one team}}
  tile.warpgroup [0] {
  }, [2] {
  }
  tile.return
}

// -----

// warpgroup-c3: groups are the block.
tile.kernel @k() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 256 : i64} {
  // expected-error @below {{warpgroup-c3: 3 groups are 384 threads, the kernel has 256}}
  tile.warpgroup [0] {
  }, [1, 2] {
  }
  tile.return
}

// -----

// set-max-registers-c1: the count is one the hardware takes.
tile.kernel @k() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 256 : i64} {
  tile.warpgroup [0, 1] {
    // expected-error @below {{set-max-registers-c1: a multiple of 8 from 24 to 256, found 20}}
    tile.set_max_registers 20
  }
  tile.return
}

// -----

// set-max-registers-c2: it comes first.
tile.kernel @k() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 256 : i64} {
  // expected-error @below {{set-max-registers-c2: is the first op of a region of tile.warpgroup}}
  tile.set_max_registers 40
  tile.return
}

// -----

// print-c1: every value has its signedness.
tile.kernel @k() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 256 : i64} {
  %n = "test.values"() : () -> (i64)
  // expected-error @below {{print-c1: has one signedness for each value}}
  tile.print "n" %n : i64 {unsigned_values = array<i1>}
  tile.return
}

// -----

// kernel-c1: expressions use the operators of the manifest.
// expected-error @below {{kernel-c1: 'pow' is no operator of expressions}}
tile.kernel @k() attributes {symbols = [], checks = [], grid = [["pow", 2, 3]], axes = ["x"], threads = 128 : i64} {
  tile.return
}

// -----

// kernel-c1: each operator has its operands.
// expected-error @below {{kernel-c1: 'ceildiv' takes 2 operands, found 1}}
tile.kernel @k() attributes {symbols = [], checks = [], grid = [["ceildiv", 2]], axes = ["x"], threads = 128 : i64} {
  tile.return
}

// -----

// kernel-c3: the language's type is that of the argument.
// expected-error @below {{kernel-c3: argument 0 is of 'f32', which 'tile.dtype' = 'bf16' does not spell}}
tile.kernel @k(%s: f32 {tile.name = "s", tile.dtype = "bf16"}) attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  tile.return
}

// -----

// kernel-c3: names of arguments differ.
// expected-error @below {{kernel-c3: two arguments are called 's'}}
tile.kernel @k(%s: f32 {tile.name = "s", tile.dtype = "f32"}, %t: f32 {tile.name = "s", tile.dtype = "f32"}) attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  tile.return
}

// -----

// kernel-c4: a kernel gives nothing back.
// expected-error @below {{kernel-c4: has no results}}
tile.kernel @k() -> i64 attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  tile.return
}

// -----

// kernel-c5: names of symbols differ.
// expected-error @below {{kernel-c5: two symbols are called 'M'}}
tile.kernel @k() attributes {symbols = [{name = "M"}, {name = "M"}], checks = [], grid = [], axes = [], threads = 128 : i64} {
  tile.return
}

// -----

// kernel-c6: the manifest has five axes.
// expected-error @below {{kernel-c6: a grid has at most 5 axes, found 6}}
tile.kernel @k() attributes {symbols = [], checks = [], grid = [1, 1, 1, 1, 1, 1], axes = ["a", "b", "c", "d", "e", "f"], threads = 128 : i64} {
  tile.return
}

// -----

// kernel-c8: bytes are counted from 0.
// expected-error @below {{kernel-c8: 'shared_bytes' is at least 0, found -1}}
tile.kernel @k() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64, shared_bytes = -1 : i64} {
  tile.return
}

// -----

// kernel-c10: an input is not stored to.
tile.kernel @k(%X: !tile.global<?xf32> {tile.name = "X", tile.dtype = "f32", tile.access = "in", tile.dims = ["N"]}) attributes {symbols = [{name = "N", param = 0 : i64, dim = 0 : i64}], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %i, %x = "test.values"() : () -> (i64, f32)
  // expected-error @below {{kernel-c10: writes to 'X', whose access is 'in'}}
  tile.store_element %x, %X[%i] : f32, !tile.global<?xf32>
  tile.return
}

// -----

// kernel-c10: nor through a view, in a loop.
tile.kernel @k(%X: !tile.global<?xf32> {tile.name = "X", tile.dtype = "f32", tile.access = "in", tile.dims = ["N"]}) attributes {symbols = [{name = "N", param = 0 : i64, dim = 0 : i64}], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %i, %x = "test.values"() : () -> (i64, tensor<8xf32>)
  %v = tile.view %X[%i] sizes [%i] : !tile.global<?xf32> -> !tile.global<?xf32>
  tile.pipelined %k = %i to %i step 1 {
    // expected-error @below {{kernel-c10: writes to 'X', whose access is 'in'}}
    tile.atomic add %x, %v[%k] : tensor<8xf32>, !tile.global<?xf32>
  }
  tile.return
}

// -----

// persistent-c2: nothing is carried.
tile.kernel @k() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %n = "test.values"() : () -> (i64)
  // expected-error @below {{persistent-c2: carries nothing}}
  tile.persistent (%i) in (%n) {
    tile.yield %i : i64
  }
  tile.return
}

// -----

// warpgroup-c1: a region is run by a list of groups.
tile.kernel @k() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 256 : i64} {
  // expected-error @below {{warpgroup-c1: has one list of groups for each region}}
  "tile.warpgroup"() <{teams = [array<i64: 0, 1>, array<i64: 2>]}> ({
    tile.yield
  }) : () -> ()
  tile.return
}

// -----

// warpgroup-c4: a region gives nothing.
tile.kernel @k() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 256 : i64} {
  %n = "test.values"() : () -> (i64)
  // expected-error @below {{warpgroup-c4: regions take and give nothing}}
  tile.warpgroup [0, 1] {
    tile.yield %n : i64
  }
  tile.return
}

// -----

// warpgroup-c4: nor does it take anything.
tile.kernel @k() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 256 : i64} {
  // expected-error @below {{warpgroup-c4: regions take and give nothing}}
  "tile.warpgroup"() <{teams = [array<i64: 0, 1>]}> ({
  ^bb0(%n: i64):
    tile.yield
  }) : () -> ()
  tile.return
}

// -----

// kernel-c1: the number of blocks is an expression.
// expected-error @below {{kernel-c1: 'most' is no operator of expressions}}
tile.kernel @k() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64, blocks = ["most", 1, 2]} {
  tile.return
}

// -----

// kernel-c14: the threads are those of a team, or of all.
// expected-error @below {{kernel-c14: with #tile.schedule<pingpong, teams = 2, groups = 1> 'threads' is 128, or 384 once the teams are made, found 256}}
tile.kernel @k() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 256 : i64, schedule = #tile.schedule<pingpong, teams = 2, groups = 1>} {
  tile.return
}

// -----

// kernel-c15: the bound is one of a symbol.
// expected-error @below {{kernel-c15: 'size_class' is {symbol, most}, with a symbol of the kernel and a bound that is not negative, found {most = 16 : i64, symbol = "M"}}}
tile.kernel @k() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64, size_class = {symbol = "M", most = 16 : i64}} {
  tile.return
}

// -----

// kernel-c15: there is a bound.
// expected-error @below {{kernel-c15: 'size_class' is {symbol, most}}}
tile.kernel @k(%A: !tile.global<?xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "in", tile.dims = ["M"]})
    attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}], checks = [], grid = [], axes = [], threads = 128 : i64, size_class = {symbol = "M"}} {
  tile.return
}

// -----

// schedule-c1: somebody multiplies.
// expected-error @below {{schedule-c1: 'teams' and 'groups' are positive, and 'cooperative' has one team}}
tile.kernel @k() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64, schedule = #tile.schedule<cooperative, teams = 2, groups = 1>} {
  tile.return
}

// -----

// schedule-c2: turns are taken by warpgroups.
// expected-error @below {{schedule-c2: 'pingpong' has two teams or more, of one warpgroup each}}
tile.kernel @k() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 256 : i64, schedule = #tile.schedule<pingpong, teams = 2, groups = 2>} {
  tile.return
}
