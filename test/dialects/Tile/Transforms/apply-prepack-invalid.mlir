// RUN: tile-opt %s --tile-apply-prepack --split-input-file --verify-diagnostics

// Tests that elements only go to whole shared tiles.
tile.kernel @fragment(%B: !tile.global<?x?xi8> {tile.name = "B", tile.dtype = "int8", tile.access = "in", tile.dims = ["N", "K"], tile.prepack})
    attributes {symbols = [{name = "N", param = 0 : i64, dim = 0 : i64}, {name = "K", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c0 = arith.constant 0 : i64
  %as = tile.alloc_shared "As" : !tile.shared<16x32xi8>
  %zero = arith.constant dense<0> : tensor<16x8xi32>
  // expected-error @+1 {{a use of prepacked 'B' other than a copy to a whole shared tile is not supported yet}}
  %x = tile.load %B[%c0, %c0] : !tile.global<?x?xi8> -> tensor<8x32xi8>
  tile.return
}

// -----

// Tests that nobody but the reads decides on the order.
tile.kernel @annotated(%B: !tile.global<?x?xi8> {tile.name = "B", tile.dtype = "int8", tile.access = "in", tile.dims = ["N", "K"], tile.prepack})
    attributes {symbols = [{name = "N", param = 0 : i64, dim = 0 : i64}, {name = "K", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c0 = arith.constant 0 : i64
  %as = tile.alloc_shared "As" : !tile.shared<16x32xi8>
  %zero = arith.constant dense<0> : tensor<16x8xi32>
  // expected-error @+1 {{the layout of a tile of prepacked 'B' is that of the tensor, and cannot be annotated}}
  %bs = tile.alloc_shared "Bs" {annotation = #tile.shared_layout<swizzle = [1, 4, 3]>} : !tile.shared<8x32xi8>
  tile.copy %B[%c0, %c0] to %bs : !tile.global<?x?xi8>, !tile.shared<8x32xi8>
  %r = tile.gemm %as, %bs, %zero {transpose_b, mma = #tile.mma<m16n8k32, type = i8, warps = [1, 1]>} : !tile.shared<16x32xi8>, !tile.shared<8x32xi8>, tensor<16x8xi32>
  tile.return
}

// -----

// Tests that a tile does not begin inside one of memory.
tile.kernel @inside(%B: !tile.global<?x?xi8> {tile.name = "B", tile.dtype = "int8", tile.access = "in", tile.dims = ["N", "K"], tile.prepack})
    attributes {symbols = [{name = "N", param = 0 : i64, dim = 0 : i64}, {name = "K", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c0 = arith.constant 0 : i64
  %as = tile.alloc_shared "As" : !tile.shared<16x32xi8>
  %zero = arith.constant dense<0> : tensor<16x8xi32>
  %bs = tile.alloc_shared "Bs" : !tile.shared<8x32xi8>
  %k = tile.symbol "K" : i64
  // expected-error @+1 {{tiles of prepacked 'B' start at multiples of 32 along dimension 1, and the index of this copy is not known to be one}}
  tile.copy %B[%c0, %k] to %bs : !tile.global<?x?xi8>, !tile.shared<8x32xi8>
  %r = tile.gemm %as, %bs, %zero {transpose_b, mma = #tile.mma<m16n8k32, type = i8, warps = [1, 1]>} : !tile.shared<16x32xi8>, !tile.shared<8x32xi8>, tensor<16x8xi32>
  tile.return
}

// -----

// Tests that the order is known to products only.
tile.kernel @read(%B: !tile.global<?x?xi8> {tile.name = "B", tile.dtype = "int8", tile.access = "in", tile.dims = ["N", "K"], tile.prepack})
    attributes {symbols = [{name = "N", param = 0 : i64, dim = 0 : i64}, {name = "K", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c0 = arith.constant 0 : i64
  %as = tile.alloc_shared "As" : !tile.shared<16x32xi8>
  %zero = arith.constant dense<0> : tensor<16x8xi32>
  %bs = tile.alloc_shared "Bs" : !tile.shared<8x32xi8>
  tile.copy %B[%c0, %c0] to %bs : !tile.global<?x?xi8>, !tile.shared<8x32xi8>
  // expected-error @+1 {{a use of 'Bs', which holds elements of prepacked 'B', other than as an operand of 'gemm' is not supported yet}}
  %x = tile.load %bs[%c0, %c0] : !tile.shared<8x32xi8> -> tensor<8x32xi8>
  %r = tile.gemm %as, %bs, %zero {transpose_b, mma = #tile.mma<m16n8k32, type = i8, warps = [1, 1]>} : !tile.shared<16x32xi8>, !tile.shared<8x32xi8>, tensor<16x8xi32>
  tile.return
}

// -----

// Tests that a tile that no product reads has no order.
tile.kernel @unread(%B: !tile.global<?x?xi8> {tile.name = "B", tile.dtype = "int8", tile.access = "in", tile.dims = ["N", "K"], tile.prepack})
    attributes {symbols = [{name = "N", param = 0 : i64, dim = 0 : i64}, {name = "K", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c0 = arith.constant 0 : i64
  %as = tile.alloc_shared "As" : !tile.shared<16x32xi8>
  %zero = arith.constant dense<0> : tensor<16x8xi32>
  // expected-error @+1 {{'Bs' holds elements of prepacked 'B' and is no operand of a 'gemm' by matrix instructions, which is not supported yet}}
  %bs = tile.alloc_shared "Bs" : !tile.shared<8x32xi8>
  tile.copy %B[%c0, %c0] to %bs : !tile.global<?x?xi8>, !tile.shared<8x32xi8>
  tile.return
}

// -----

// Tests that all tiles have one shape.
tile.kernel @shapes(%B: !tile.global<?x?xi8> {tile.name = "B", tile.dtype = "int8", tile.access = "in", tile.dims = ["N", "K"], tile.prepack})
    attributes {symbols = [{name = "N", param = 0 : i64, dim = 0 : i64}, {name = "K", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c0 = arith.constant 0 : i64
  %as = tile.alloc_shared "As" : !tile.shared<16x32xi8>
  %zero = arith.constant dense<0> : tensor<16x8xi32>
  %bs = tile.alloc_shared "Bs" : !tile.shared<8x32xi8>
  tile.copy %B[%c0, %c0] to %bs : !tile.global<?x?xi8>, !tile.shared<8x32xi8>
  %r = tile.gemm %as, %bs, %zero {transpose_b, mma = #tile.mma<m16n8k32, type = i8, warps = [1, 1]>} : !tile.shared<16x32xi8>, !tile.shared<8x32xi8>, tensor<16x8xi32>
  // expected-error @+1 {{tiles of prepacked 'B' in two shapes are not supported yet}}
  %cs = tile.alloc_shared "Cs" : !tile.shared<16x32xi8>
  tile.copy %B[%c0, %c0] to %cs : !tile.global<?x?xi8>, !tile.shared<16x32xi8>
  tile.return
}

// -----

// Tests that all products read it alike.
tile.kernel @orders(%B: !tile.global<?x?xi8> {tile.name = "B", tile.dtype = "int8", tile.access = "in", tile.dims = ["N", "K"], tile.prepack})
    attributes {symbols = [{name = "N", param = 0 : i64, dim = 0 : i64}, {name = "K", param = 0 : i64, dim = 1 : i64}], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c0 = arith.constant 0 : i64
  %as = tile.alloc_shared "As" : !tile.shared<16x32xi8>
  %zero = arith.constant dense<0> : tensor<16x8xi32>
  %bs = tile.alloc_shared "Bs" : !tile.shared<8x32xi8>
  tile.copy %B[%c0, %c0] to %bs : !tile.global<?x?xi8>, !tile.shared<8x32xi8>
  %r = tile.gemm %as, %bs, %zero {transpose_b, mma = #tile.mma<m16n8k32, type = i8, warps = [1, 1]>} : !tile.shared<16x32xi8>, !tile.shared<8x32xi8>, tensor<16x8xi32>
  %half = arith.constant dense<0.0> : tensor<16x8xf32>
  %hs = tile.alloc_shared "Hs" : !tile.shared<16x32xf16>
  // expected-error @+1 {{prepacked 'B' in two orders is not supported yet: this 'gemm' and one before read it differently}}
  %h = tile.gemm %hs, %bs, %half {transpose_b, mma = #tile.mma<m16n8k16, type = f16, warps = [1, 1]>} : !tile.shared<16x32xf16>, !tile.shared<8x32xi8>, tensor<16x8xf32>
  tile.return
}

// -----

// Tests that memory has one dimension more than the tensor.
// expected-error @+1 {{prepacked 'B' of rank 5 is not supported yet}}
tile.kernel @rank(%B: !tile.global<?x?x?x?x?xi8> {tile.name = "B", tile.dtype = "int8", tile.access = "in", tile.dims = [2, 2, 2, "N", "K"], tile.prepack})
    attributes {symbols = [{name = "N", param = 0 : i64, dim = 3 : i64}, {name = "K", param = 0 : i64, dim = 4 : i64}], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c0 = arith.constant 0 : i64
  %as = tile.alloc_shared "As" : !tile.shared<16x32xi8>
  %zero = arith.constant dense<0> : tensor<16x8xi32>
  %bs = tile.alloc_shared "Bs" : !tile.shared<8x32xi8>
  tile.copy %B[%c0, %c0, %c0, %c0, %c0] to %bs : !tile.global<?x?x?x?x?xi8>, !tile.shared<8x32xi8>
  %r = tile.gemm %as, %bs, %zero {transpose_b, mma = #tile.mma<m16n8k32, type = i8, warps = [1, 1]>} : !tile.shared<16x32xi8>, !tile.shared<8x32xi8>, tensor<16x8xi32>
  tile.return
}

// -----

// Tests that elements share bytes within a tile.
// expected-error @+1 {{prepacked 'B' whose elements share bytes along a dimension that its tiles lack is not supported yet}}
tile.kernel @packing(%B: !tile.global<?x?x?xi4, pack = 0> {tile.name = "B", tile.dtype = "int4", tile.access = "in", tile.dims = ["E", "N", "K"], tile.prepack})
    attributes {symbols = [{name = "E", param = 0 : i64, dim = 0 : i64}, {name = "N", param = 0 : i64, dim = 1 : i64}, {name = "K", param = 0 : i64, dim = 2 : i64}], checks = [], grid = [], axes = [], threads = 32 : i64} {
  %c0 = arith.constant 0 : i64
  %as = tile.alloc_shared "As" : !tile.shared<16x32xi8>
  %zero = arith.constant dense<0> : tensor<16x8xi32>
  %bs = tile.alloc_shared "Bs" : !tile.shared<8x32xi4, pack = 1>
  tile.copy %B[%c0, %c0, %c0] to %bs : !tile.global<?x?x?xi4, pack = 0>, !tile.shared<8x32xi4, pack = 1>
  %r = tile.gemm %as, %bs, %zero {transpose_b, mma = #tile.mma<m16n8k32, type = i8, warps = [1, 1]>} : !tile.shared<16x32xi8>, !tile.shared<8x32xi4, pack = 1>, tensor<16x8xi32>
  tile.return
}
