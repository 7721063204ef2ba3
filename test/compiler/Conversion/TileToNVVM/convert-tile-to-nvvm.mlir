// RUN: tile-opt %s --tile-pipeline=target=sm_80 --convert-tile-to-nvvm --canonicalize --cse --split-input-file | FileCheck %s

// Tests the whole lowering of a gemm with packed int4: cp.async of 16 bytes,
// ldmatrix, nibbles to bf16 by one lop3 a pair, mma.sync, stores of 8 bytes.
// CHECK: llvm.mlir.global external @tile_shared() {addr_space = 3 : i32, alignment = 1024 : i64
// CHECK-LABEL: llvm.func @gemm__aligned
// CHECK-SAME: (%{{.+}}: !llvm.ptr<1> {llvm.align = 16 : i64}, %{{.+}}: !llvm.ptr<1> {llvm.align = 16 : i64}, %{{.+}}: !llvm.ptr<1> {llvm.align = 16 : i64}, %{{.+}}: i64, %{{.+}}: i64, %{{.+}}: i64)
// CHECK-SAME: nvvm.kernel
// CHECK-SAME: nvvm.reqntid = array<i32: 128, 1, 1>
// CHECK: llvm.nvvm.cp.async.cg.shared.global.16.s
// CHECK: llvm.nvvm.cp.async.commit.group
// CHECK: scf.for
// CHECK: llvm.nvvm.cp.async.wait.group
// CHECK: llvm.nvvm.barrier.cta.sync.aligned.all
// CHECK: llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3
// CHECK: llvm.nvvm.prmt
// CHECK: lop3.b32 $0, $1, $2, $3, 0x6a;
// CHECK: llvm.nvvm.mma.m16n8k16.row.col.bf16
// CHECK: llvm.store %{{.+}}, %{{.+}} {alignment = 8 : i64} : vector<2xi32>, !llvm.ptr<1>
// CHECK-LABEL: llvm.func @gemm__general
// CHECK-NOT: llvm.nvvm.cp.async
// CHECK: "@$1 ld.global.b16 $0, [$2];"
// CHECK: llvm.load %{{.+}} : !llvm.ptr<1> -> i8
// CHECK: "@$0 st.global.b16 [$1], $2;"
tile.kernel @gemm(%A: !tile.global<?x?xbf16> {tile.name = "A", tile.dtype = "bf16", tile.access = "in", tile.dims = ["M", "K"]},
   %B: !tile.global<?x?xi4, pack = 0> {tile.name = "B", tile.dtype = "int4", tile.access = "in", tile.dims = ["K", "N"]},
   %C: !tile.global<?x?xbf16> {tile.name = "C", tile.dtype = "bf16", tile.access = "out", tile.dims = ["M", "N"]})
   attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "K", param = 0 : i64, dim = 1 : i64}, {name = "N", param = 1 : i64, dim = 1 : i64}], checks = [], grid = [["ceildiv", "N", 64 : i64], ["ceildiv", "M", 64 : i64]], axes = ["bx", "by"], threads = 128 : i64} {
  %bx = tile.block_id 0 : i64
  %by = tile.block_id 1 : i64
  %c0 = arith.constant 0 : i64
  %c32 = arith.constant 32 : i64
  %c64 = arith.constant 64 : i64
  %K = tile.symbol "K" : i64
  %As = tile.alloc_shared "As" : !tile.shared<64x32xbf16>
  %Bs = tile.alloc_shared "Bs" : !tile.shared<32x64xi4, pack = 1>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %n = arith.ceildivsi %K, %c32 : i64
  %m0 = arith.muli %by, %c64 : i64
  %n0 = arith.muli %bx, %c64 : i64
  %acc = tile.pipelined %k = %c0 to %n step 1 iter_args(%x = %zero) -> (tensor<64x64xf32>) stages(2) {
    %k0 = arith.muli %k, %c32 : i64
    tile.copy %A[%m0, %k0] to %As : !tile.global<?x?xbf16>, !tile.shared<64x32xbf16>
    tile.copy %B[%k0, %n0] to %Bs : !tile.global<?x?xi4, pack = 0>, !tile.shared<32x64xi4, pack = 1>
    %y = tile.gemm %As, %Bs, %x : !tile.shared<64x32xbf16>, !tile.shared<32x64xi4, pack = 1>, tensor<64x64xf32>
    tile.yield %y : tensor<64x64xf32>
  }
  %c = tile.cast %acc : tensor<64x64xf32> -> tensor<64x64xbf16>
  tile.store %c, %C[%m0, %n0] : tensor<64x64xbf16>, !tile.global<?x?xbf16>
  tile.return
}

// -----

// Tests that an element loop runs in the threads that hold the elements, and
// reads beside them.
// CHECK-LABEL: llvm.func @scale__general
// CHECK: llvm.load %{{.+}} {alignment = 4 : i64} : !llvm.ptr<1> -> f32
// CHECK: arith.mulf
tile.kernel @scale(%S: !tile.global<?xf32> {tile.name = "S", tile.dtype = "f32", tile.access = "in", tile.dims = ["M"]},
                   %C: !tile.global<?xf32> {tile.name = "C", tile.dtype = "f32", tile.access = "inout", tile.dims = ["M"]})
   attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}], checks = [], grid = [["ceildiv", "M", 32 : i64]], axes = ["bx"], threads = 32 : i64} {
  %bx = tile.block_id 0 : i64
  %c32 = arith.constant 32 : i64
  %m0 = arith.muli %bx, %c32 : i64
  %x = tile.load %C[%m0] : !tile.global<?xf32> -> tensor<32xf32>
  %r = tile.parallel (%i) in (32) init(%x : tensor<32xf32>) {
    %v = tile.element %x[%i] : tensor<32xf32>
    %at = arith.addi %m0, %i : i64
    %s = tile.load_element %S[%at] : !tile.global<?xf32> -> f32
    %w = arith.mulf %v, %s : f32
    tile.yield %w : f32
  }
  tile.store %r, %C[%m0] : tensor<32xf32>, !tile.global<?xf32>
  tile.return
}

// -----

// Tests copies of runs of elements: as many bytes as lie in the tensor, none
// where the predicate is false; and a stage of a ring as a tile of its own.
// CHECK-LABEL: llvm.func @runs__general
// CHECK: %[[LEFT:.+]] = arith.minui
// CHECK: %[[BYTES:.+]] = arith.muli
// CHECK: llvm.nvvm.cp.async.cg.shared.global.16.s
// CHECK: llvm.nvvm.cp.async.commit.group
// CHECK: llvm.nvvm.cp.async.wait.group
// CHECK: llvm.nvvm.barrier.cta.sync.aligned.all
// CHECK: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
tile.kernel @runs(%A: !tile.global<?x?xf16> {tile.name = "A", tile.dtype = "f16", tile.access = "in", tile.dims = ["M", "K"]}, %C: !tile.global<?x?xf16> {tile.name = "C", tile.dtype = "f16", tile.access = "out", tile.dims = ["M", "K"]}, %n: i64 {tile.name = "n", tile.dtype = "int64"}) attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}, {name = "K", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c0 = arith.constant 0 : i64
  %c8 = arith.constant 8 : i64
  %s = tile.alloc_shared "S" : !tile.shared<2x32x16xf16>
  tile.parallel (%r, %c) in (32, 2) {
    %k = arith.muli %c, %c8 : i64
    %p = arith.cmpi slt, %r, %n : i64
    tile.async_copy_elements %A[%r, %k] to %s[%n, %r, %k] count 8 pred %p : !tile.global<?x?xf16>, !tile.shared<2x32x16xf16>
  }
  tile.commit_group
  tile.wait_group 0
  %t = tile.slice %s[%n, %c0, %c0] : !tile.shared<2x32x16xf16> -> !tile.shared<32x16xf16>
  %v = tile.load %t : !tile.shared<32x16xf16> -> tensor<32x16xf16>
  tile.store %v, %C[%c0, %c0] : tensor<32x16xf16>, !tile.global<?x?xf16>
  tile.return
}

// -----

// Tests that tensor maps are the last parameters, in memory that TMA can read.
// CHECK-LABEL: llvm.func @mapped__general
// CHECK-SAME: (%{{[^ ]+}}: !llvm.ptr<1>, %{{[^ ]+}}: i64, %{{[^ ]+}}: f32, %{{[^ ]+}}: i64,
// CHECK-SAME: %{{[^ ]+}}: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}
// CHECK-SAME: %{{[^ ]+}}: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant})
tile.kernel @mapped(%A: !tile.global<?x?xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "in", tile.dims = ["M", 64], tile.strided},
   %s: f32 {tile.name = "s", tile.dtype = "f32"})
   attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}], checks = [], grid = ["M"], axes = ["bx"], threads = 128 : i64,
     blocks = ["min", "M", "sm_count"],
     tensor_maps = [{param = 0 : i64, box = [64, 32], swizzle = 128 : i64}, {param = 0 : i64, box = [8, 64], swizzle = 0 : i64}]} {
  tile.return
}

// -----

// Tests that a persistent loop steps by the blocks of the launch, of which one
// of a grid of the device's size needs to know no more.
// CHECK-LABEL: llvm.func @persistent__general
// CHECK-DAG: %[[N:.+]] = nvvm.read.ptx.sreg.nctaid.x : i32
// CHECK-DAG: %[[B:.+]] = nvvm.read.ptx.sreg.ctaid.x : i32
// CHECK-DAG: %[[STEP:.+]] = arith.extui %[[N]] : i32 to i64
// CHECK-DAG: %[[FIRST:.+]] = arith.extui %[[B]] : i32 to i64
// CHECK: scf.for %{{.+}} = %[[FIRST]] to %{{.+}} step %[[STEP]] : i64
tile.kernel @persistent(%C: !tile.global<?xf32> {tile.name = "C", tile.dtype = "f32", tile.access = "out", tile.dims = ["M"]})
    attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}], checks = [], grid = [["min", "sm_count", "M"]], axes = ["block"], threads = 32 : i64} {
  %one = arith.constant 1.0 : f32
  %m = tile.symbol "M" : i64
  tile.persistent (%i) in (%m) {
    tile.store_element %one, %C[%i] : f32, !tile.global<?xf32>
  }
  tile.return
}
