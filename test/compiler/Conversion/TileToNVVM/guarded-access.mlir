// RUN: tile-opt %s --tile-plan-pipeline --convert-tile-to-nvvm --canonicalize --split-input-file | FileCheck %s

// Tests that each of many accesses under a condition is one predicated
// instruction: no branch, the pad value where nothing is read, a byte in a
// whole register.
// CHECK-LABEL: llvm.func @bytes__general
// CHECK-SAME: %[[PAD:[a-z0-9]+]]: i8)
// CHECK-NOT: scf.if
// CHECK: %[[WIDE:.+]] = arith.extui %[[PAD]] : i8 to i32
// CHECK: %[[BYTE:.+]] = llvm.inline_asm has_side_effects {{.*}}"@$1 ld.global.b8 $0, [$2];", "=r,b,l,0,~{memory}" %{{.+}}, %{{.+}}, %[[WIDE]] : (i1, !llvm.ptr<1>, i32) -> i32
// CHECK: arith.trunci %[[BYTE]] : i32 to i8
// CHECK-COUNT-15: ld.global.b8
// CHECK-NOT: scf.if
// CHECK-COUNT-16: "@$0 st.global.b8 [$1], $2;", "b,l,r,~{memory}"
// CHECK-NOT: scf.if
// CHECK: llvm.return
#line = #tile.layout<"512 registers=[[1],[2],[4],[8]] lanes=[[16],[32],[64],[128],[256]] warps=[]">
tile.kernel @bytes(%A: !tile.global<?xi8> {tile.name = "A", tile.dtype = "int8", tile.access = "in", tile.dims = ["M"]},
                   %C: !tile.global<?xi8> {tile.name = "C", tile.dtype = "int8", tile.access = "out", tile.dims = ["M"]},
                   %pad: i8 {tile.name = "pad", tile.dtype = "int8"})
    attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c0 = arith.constant 0 : i64
  %x = tile.load %A[%c0] pad %pad : i8 : !tile.global<?xi8> -> tensor<512xi8, #line>
  tile.store %x, %C[%c0] : tensor<512xi8, #line>, !tile.global<?xi8>
  tile.return
}

// -----

// Tests 16 bytes: four registers that keep zero where nothing is read.
// CHECK-LABEL: llvm.func @vectors__aligned
// CHECK-NOT: scf.if
// CHECK: "@$4 ld.global.v4.b32 {$0, $1, $2, $3}, [$5];", "=r,=r,=r,=r,b,l,0,1,2,3,~{memory}"
// CHECK-NOT: scf.if
// CHECK: "@$0 st.global.v4.b32 [$1], {$2, $3, $4, $5};", "b,l,r,r,r,r,~{memory}"
// CHECK-NOT: scf.if
// CHECK: llvm.return
#rows = #tile.layout<"64x32 registers=[[0,1],[0,2],[4,0],[8,0],[16,0],[32,0]] lanes=[[0,4],[0,8],[0,16],[1,0],[2,0]] warps=[]">
tile.kernel @vectors(%A: !tile.global<?x32xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "in", tile.dims = ["M", 32]},
                     %C: !tile.global<?x32xf32> {tile.name = "C", tile.dtype = "f32", tile.access = "out", tile.dims = ["M", 32]})
    attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c0 = arith.constant 0 : i64
  %x = tile.load %A[%c0, %c0] : !tile.global<?x32xf32> -> tensor<64x32xf32, #rows>
  tile.store %x, %C[%c0, %c0] : tensor<64x32xf32, #rows>, !tile.global<?x32xf32>
  tile.return
}

// -----

// Tests that few accesses are left to LLVM, which finds addresses that they
// share with others.
// CHECK-LABEL: llvm.func @few__aligned
// CHECK: scf.if
// CHECK: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
// CHECK: scf.if
// CHECK: llvm.store {{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<1>
#few = #tile.layout<"4x32 registers=[[0,1],[0,2]] lanes=[[0,4],[0,8],[0,16],[1,0],[2,0]] warps=[]">
tile.kernel @few(%A: !tile.global<?x32xf32> {tile.name = "A", tile.dtype = "f32", tile.access = "in", tile.dims = ["M", 32]},
                 %C: !tile.global<?x32xf32> {tile.name = "C", tile.dtype = "f32", tile.access = "out", tile.dims = ["M", 32]})
    attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c0 = arith.constant 0 : i64
  %x = tile.load %A[%c0, %c0] : !tile.global<?x32xf32> -> tensor<4x32xf32, #few>
  tile.store %x, %C[%c0, %c0] : tensor<4x32xf32, #few>, !tile.global<?x32xf32>
  tile.return
}
