// RUN: tile-opt %s --tile-pack-sub-byte --split-input-file --mlir-print-local-scope | FileCheck %s

// Tests that a copy that starts on a whole byte moves bytes, its index along
// the packed dimension halved.
// CHECK-LABEL: @whole_bytes
// CHECK: %[[K2:.+]] = arith.shrsi %[[K:.+]], %{{.+}} : i64
// CHECK: %[[FROM:.+]] = tile.bytes %arg0
// CHECK: %[[TO:.+]] = tile.bytes %{{.+}} : !tile.shared<64x128xi4, pack = 0> -> !tile.shared<32x128xi8>
// CHECK: tile.async_copy %[[FROM]][%[[K2]], %{{.+}}] to %[[TO]]
tile.kernel @whole_bytes(%B: !tile.global<?x?xi4, pack = 0> {tile.name = "B", tile.dtype = "int4", tile.access = "in", tile.dims = ["K", "N"], tile.aligned = 16 : i64})
    attributes {symbols = [{name = "K", param = 0 : i64, dim = 0 : i64}, {name = "N", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [["ceildiv", "K", 64 : i64]], axes = ["bx"], threads = 32 : i64} {
  %c0 = arith.constant 0 : i64
  %c64 = arith.constant 64 : i64
  %b = tile.block_id 0 : i64
  %k = arith.muli %b, %c64 : i64
  %bs = tile.alloc_shared "Bs" : !tile.shared<64x128xi4, pack = 0>
  tile.async_copy %B[%k, %c0] to %bs : !tile.global<?x?xi4, pack = 0>, !tile.shared<64x128xi4, pack = 0>
  tile.return
}

// -----

// Tests that a tensor whose last byte may be half used is copied by element, and
// so is a tile that may start on a high nibble.
// CHECK-LABEL: @spare_nibble
// CHECK-NOT: tile.bytes
// CHECK: tile.copy %arg0{{.*}} !tile.shared<64x128xi4, pack = 0>
// CHECK: tile.copy %arg1{{.*}} !tile.shared<64x128xi4, pack = 0>
tile.kernel @spare_nibble(%B: !tile.global<?x?xi4, pack = 0> {tile.name = "B", tile.dtype = "int4", tile.access = "in", tile.dims = ["K", "N"]},
                          %D: !tile.global<?x?xi4, pack = 0> {tile.name = "D", tile.dtype = "int4", tile.access = "in", tile.dims = ["K", "N"], tile.aligned = 16 : i64})
    attributes {symbols = [{name = "K", param = 0 : i64, dim = 0 : i64}, {name = "N", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [["ceildiv", "K", 64 : i64]], axes = ["bx"], threads = 32 : i64} {
  %c0 = arith.constant 0 : i64
  %b = tile.block_id 0 : i64
  %bs = tile.alloc_shared "Bs" : !tile.shared<64x128xi4, pack = 0>
  tile.copy %B[%c0, %c0] to %bs : !tile.global<?x?xi4, pack = 0>, !tile.shared<64x128xi4, pack = 0>
  tile.copy %D[%b, %c0] to %bs : !tile.global<?x?xi4, pack = 0>, !tile.shared<64x128xi4, pack = 0>
  tile.return
}

// -----

// Tests that a copy of bytes keeps the conditions of the copy.
// CHECK-LABEL: @conditions
// CHECK: tile.async_copy %{{.+}}[%{{.+}}, %{{.+}}] to %{{.+}} if %arg1 pred %arg2 : {{.*}}xi8>
tile.kernel @conditions(%B: !tile.global<?x?xi4, pack = 0> {tile.name = "B", tile.dtype = "int4", tile.access = "in", tile.dims = ["K", "N"], tile.aligned = 16 : i64},
                        %p: i1 {tile.name = "p", tile.dtype = "bool"}, %q: i1 {tile.name = "q", tile.dtype = "bool"})
    attributes {symbols = [{name = "K", param = 0 : i64, dim = 0 : i64}, {name = "N", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c0 = arith.constant 0 : i64
  %bs = tile.alloc_shared "Bs" : !tile.shared<64x128xi4, pack = 0>
  tile.async_copy %B[%c0, %c0] to %bs if %p pred %q : !tile.global<?x?xi4, pack = 0>, !tile.shared<64x128xi4, pack = 0>
  tile.return
}
