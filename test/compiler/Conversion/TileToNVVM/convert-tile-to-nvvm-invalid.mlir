// RUN: tile-opt %s --convert-tile-to-nvvm --split-input-file --verify-diagnostics

// Tests that a grid names what the kernel has.
// expected-error @below {{kernel-c9: 'Q' is no symbol or integer parameter of the kernel}}
tile.kernel @unknown_name() attributes {symbols = [], checks = [], grid = ["Q"], axes = ["x"], threads = 128 : i64, shared_bytes = 0 : i64} {
  tile.return
}

// -----

// Tests that a symbol is bound by a dimension that is it.
// expected-error @below {{kernel-c9: 'param' and 'dim' of symbol 'M' name no dimension that is 'M'}}
tile.kernel @unbound(%A: !tile.global<?xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "in", tile.dims = ["M"]}) attributes {symbols = [{name = "M", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 128 : i64, shared_bytes = 0 : i64} {
  tile.return
}

// -----

// Tests that facts of a launch stay out of extents.
// expected-error @below {{kernel-c9: 'address' is a fact of a launch, which an extent does not depend on}}
tile.kernel @fact_in_grid(%A: !tile.global<?xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "in", tile.dims = [4]}) attributes {symbols = [], checks = [], grid = [["address", "A"]], axes = ["x"], threads = 128 : i64, shared_bytes = 0 : i64} {
  tile.return
}

// -----

// Tests that facts are about tensors, and their dimensions.
// expected-error @below {{kernel-c9: 'address' takes tensor parameters, found "s"}}
tile.kernel @fact_of_scalar(%s: i32 {tile.name = "s", tile.dtype = "int32"}) attributes {symbols = [], checks = [{expr = ["address", "s"], text = "t"}], grid = [], axes = [], threads = 128 : i64, shared_bytes = 0 : i64} {
  tile.return
}

// -----

// expected-error @below {{kernel-c9: 'stride_bytes' takes a dimension of its tensor, found 1}}
tile.kernel @no_dimension(%A: !tile.global<?xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "in", tile.dims = [4]}) attributes {symbols = [], checks = [{expr = ["stride_bytes", "A", 1], text = "t"}], grid = [], axes = [], threads = 128 : i64, shared_bytes = 0 : i64} {
  tile.return
}

// -----

// Tests that a grid of the device's size, by which no block can divide, is
// refused.
// expected-error @below {{'sm_count' in 'grid' of several axes is not supported yet}}
tile.kernel @device_size() attributes {symbols = [], checks = [], grid = ["sm_count", 2], axes = ["x", "y"], threads = 128 : i64, shared_bytes = 0 : i64} {
  tile.return
}

// -----

// Tests parts of shared tiles at places of run time.
tile.kernel @runtime_part(%i: i64 {tile.name = "n", tile.dtype = "int64"}) attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64, shared_bytes = 1024 : i64} {
  %c0 = arith.constant 0 : i64
  %s = tile.alloc_shared "S" {offset = 0 : i64} : !tile.shared<256xf32>
  // expected-error @below {{a part of a shared tile at run-time indices is not supported yet}}
  %x = tile.load %s[%i] : !tile.shared<256xf32> -> tensor<128xf32, #tile.layout<"128 registers=[[1],[2]] lanes=[[4],[8],[16],[32],[64]] warps=[]">>
  tile.return
}

// -----

tile.kernel @runtime_store(%i: i64 {tile.name = "n", tile.dtype = "int64"}) attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64, shared_bytes = 1024 : i64} {
  %x = arith.constant dense<1.0> : tensor<128xf32, #tile.layout<"128 registers=[[1],[2]] lanes=[[4],[8],[16],[32],[64]] warps=[]">>
  %s = tile.alloc_shared "S" {offset = 0 : i64} : !tile.shared<256xf32>
  // expected-error @below {{a part of a shared tile at run-time indices is not supported yet}}
  tile.store %x, %s[%i] : tensor<128xf32, #tile.layout<"128 registers=[[1],[2]] lanes=[[4],[8],[16],[32],[64]] warps=[]">>, !tile.shared<256xf32>
  tile.return
}

// -----

// Tests bytes whose two elements are in different threads.
tile.kernel @split_bytes() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64, shared_bytes = 1024 : i64} {
  %x = arith.constant dense<1> : tensor<64xi4, #tile.layout<"64 registers=[[32]] lanes=[[1],[2],[4],[8],[16]] warps=[]">>
  %c0 = arith.constant 0 : i64
  %s = tile.alloc_shared "S" {offset = 0 : i64} : !tile.shared<64xi4, pack = 0>
  // expected-error @below {{internal error in convert-tile-to-nvvm: 'tile.store' splits bytes between threads; run tile-infer-layouts first}}
  tile.store %x, %s[%c0] : tensor<64xi4, #tile.layout<"64 registers=[[32]] lanes=[[1],[2],[4],[8],[16]] warps=[]">>, !tile.shared<64xi4, pack = 0>
  tile.return
}

// -----

tile.kernel @global_nibbles(%A: !tile.global<?xi4, pack = 0> {tile.name = "A", tile.dtype = "int4", tile.access = "out", tile.dims = [64]}) attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64, shared_bytes = 1024 : i64} {
  %x = arith.constant dense<1> : tensor<64xi4, #tile.layout<"64 registers=[[32]] lanes=[[1],[2],[4],[8],[16]] warps=[]">>
  %c0 = arith.constant 0 : i64
  // expected-error @below {{internal error in convert-tile-to-nvvm: 'tile.store' splits bytes between threads; run tile-infer-layouts first}}
  tile.store %x, %A[%c0] : tensor<64xi4, #tile.layout<"64 registers=[[32]] lanes=[[1],[2],[4],[8],[16]] warps=[]">>, !tile.global<?xi4, pack = 0>
  tile.return
}

// -----

// Tests 4-bit elements that iterations of different threads may write.
tile.kernel @parallel_nibbles(%A: !tile.global<?xi4, pack = 0> {tile.name = "A", tile.dtype = "int4", tile.access = "out", tile.dims = [64]}) attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64, shared_bytes = 1024 : i64} {
  %c1 = arith.constant 1 : i4
  tile.parallel (%i) in (64) {
    // expected-error @below {{writing 4-bit elements inside 'parallel' is not supported yet}}
    tile.store_element %c1, %A[%i] : i4, !tile.global<?xi4, pack = 0>
  }
  tile.return
}

// -----

// Tests copies that expand-moves would have made element loops.
tile.kernel @copy_out(%A: !tile.global<?xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "out", tile.dims = [64]}) attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64, shared_bytes = 1024 : i64} {
  %c0 = arith.constant 0 : i64
  %s = tile.alloc_shared "S" {offset = 0 : i64} : !tile.shared<64xf32>
  // expected-error @below {{'copy' from a shared tile to a tensor is not supported yet}}
  tile.copy %s to %A[%c0] : !tile.shared<64xf32>, !tile.global<?xf32>
  tile.return
}

// -----

tile.kernel @copy_shared() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64, shared_bytes = 1024 : i64} {
  %s = tile.alloc_shared "S" {offset = 0 : i64} : !tile.shared<64xf32>
  %t = tile.alloc_shared "T" {offset = 256 : i64} : !tile.shared<64xf32>
  // expected-error @below {{'copy' from a shared tile to a shared tile is not supported yet}}
  tile.copy %s to %t : !tile.shared<64xf32>, !tile.shared<64xf32>
  tile.return
}

// -----

// Tests a width that the rows of the tile do not have.
tile.kernel @torn_pieces(%B: !tile.global<?x?xf32> {tile.name = "B", tile.dtype = "f32", tile.access = "in", tile.dims = [16, 3]}) attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64, shared_bytes = 1024 : i64} {
  %c0 = arith.constant 0 : i64
  %s = tile.alloc_shared "S" {offset = 0 : i64} : !tile.shared<16x3xf32>
  // expected-error @below {{pieces of 16 bytes are not whole in the shared tile}}
  tile.async_copy %B[%c0, %c0] to %s {plan = #tile.copy_plan<engine = cp_async, bytes = 16>} : !tile.global<?x?xf32>, !tile.shared<16x3xf32>
  tile.return
}

// -----

// Tests elements of fragments at places that no layout describes.
tile.kernel @computed_index() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64, shared_bytes = 1024 : i64} {
  %x = arith.constant dense<1.0> : tensor<128xf32, #tile.layout<"128 registers=[[1],[2]] lanes=[[4],[8],[16],[32],[64]] warps=[]">>
  %c0 = arith.constant 0 : i64
  %s = tile.alloc_shared "S" {offset = 0 : i64} : !tile.shared<128xf32>
  tile.parallel (%i) in (128) {
    %j = arith.xori %i, %c0 : i64
    %k = arith.muli %j, %j : i64
    // expected-error @below {{a fragment element at computed indices is not supported yet}}
    %y = tile.element %x[%k] : tensor<128xf32, #tile.layout<"128 registers=[[1],[2]] lanes=[[4],[8],[16],[32],[64]] warps=[]">>
    tile.store_element %y, %s[%i] : f32, !tile.shared<128xf32>
  }
  tile.return
}

// -----

// Tests elements of fragments that other threads hold.
tile.kernel @other_thread() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64, shared_bytes = 1024 : i64} {
  %x = arith.constant dense<1.0> : tensor<128xf32, #tile.layout<"128 registers=[[1],[2]] lanes=[[4],[8],[16],[32],[64]] warps=[]">>
  %z = arith.constant dense<1.0> : tensor<128xf32, #tile.layout<"128 registers=[[32],[64]] lanes=[[1],[2],[4],[8],[16]] warps=[]">>
  %s = tile.alloc_shared "S" {offset = 0 : i64} : !tile.shared<128xf32>
  tile.parallel (%i) in (128) {
    %u = tile.element %x[%i] : tensor<128xf32, #tile.layout<"128 registers=[[1],[2]] lanes=[[4],[8],[16],[32],[64]] warps=[]">>
    // expected-error @below {{a fragment element that another thread holds is not supported yet}}
    %v = tile.element %z[%i] : tensor<128xf32, #tile.layout<"128 registers=[[32],[64]] lanes=[[1],[2],[4],[8],[16]] warps=[]">>
    %w = arith.addf %u, %v : f32
    tile.store_element %w, %s[%i] : f32, !tile.shared<128xf32>
  }
  tile.return
}

// -----

// Tests fragments of which a loop writes a part.
tile.kernel @written_in_part() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64, shared_bytes = 1024 : i64} {
  %x = arith.constant dense<1.0> : tensor<128xf32, #tile.layout<"128 registers=[[1],[2]] lanes=[[4],[8],[16],[32],[64]] warps=[]">>
  // expected-error @below {{a fragment written in part by 'parallel' is not supported yet}}
  %r = tile.parallel (%i) in (64) init(%x : tensor<128xf32, #tile.layout<"128 registers=[[1],[2]] lanes=[[4],[8],[16],[32],[64]] warps=[]">>) {
    %y = arith.constant 2.0 : f32
    tile.yield %y : f32
  }
  tile.return
}

// -----

// Tests products of a type that no instruction multiplies.
tile.kernel @mma() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64, shared_bytes = 1024 : i64} {
  %a = arith.constant dense<1.0> : tensor<16x8xf32, #tile.layout<"16x8 registers=[[8,0],[0,4]] lanes=[[0,1],[0,2],[1,0],[2,0],[4,0]] warps=[]">>
  %b = arith.constant dense<1.0> : tensor<8x8xf32, #tile.layout<"8x8 registers=[[4,0]] lanes=[[1,0],[2,0],[0,1],[0,2],[0,4]] warps=[]">>
  %c = arith.constant dense<1.0> : tensor<16x8xf32, #tile.layout<"16x8 registers=[[0,1],[8,0]] lanes=[[0,2],[0,4],[1,0],[2,0],[4,0]] warps=[]">>
  // expected-error @below {{mma.sync on 'f32' is not supported yet}}
  %r = tile.mma %a, %b, %c using <m16n8k8, type = f32, warps = [1, 1]> : tensor<16x8xf32, #tile.layout<"16x8 registers=[[8,0],[0,4]] lanes=[[0,1],[0,2],[1,0],[2,0],[4,0]] warps=[]">>, tensor<8x8xf32, #tile.layout<"8x8 registers=[[4,0]] lanes=[[1,0],[2,0],[0,1],[0,2],[0,4]] warps=[]">>, tensor<16x8xf32, #tile.layout<"16x8 registers=[[0,1],[8,0]] lanes=[[0,2],[0,4],[1,0],[2,0],[4,0]] warps=[]">>
  tile.return
}

// -----

// Tests atomic operations that the GPU lacks.
tile.kernel @atomic(%A: !tile.global<?xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "inout", tile.dims = [64]}) attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64, shared_bytes = 1024 : i64} {
  %c0 = arith.constant 0 : i64
  %x = arith.constant 1.0 : f32
  // expected-error @below {{'atomic_max' of 'f32' is not supported yet}}
  %old = tile.atomic_element max %x, %A[%c0] : f32, !tile.global<?xf32>
  tile.return
}

// -----

tile.kernel @atomic_order(%A: !tile.global<?xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "inout", tile.dims = [64]}) attributes {symbols = [], checks = [], grid = [], axes = [], threads = 32 : i64, shared_bytes = 1024 : i64} {
  %c0 = arith.constant 0 : i64
  %x = arith.constant 1.0 : f32
  // expected-error @below {{'acq_rel' of 'atomic_add' is not supported yet}}
  %old = tile.atomic_element add %x, %A[%c0] {acq_rel} : f32, !tile.global<?xf32>
  tile.return
}

// -----

// Tests that the number of blocks names what the launch knows.
// expected-error @below {{kernel-c9: 'tiles' is no symbol or integer parameter of the kernel}}
tile.kernel @unknown_blocks() attributes {symbols = [], checks = [], grid = [], axes = [], blocks = ["min", "tiles", "sm_count"], threads = 128 : i64, shared_bytes = 0 : i64} {
  tile.return
}
