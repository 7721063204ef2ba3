// RUN: tile-opt %s --tile-share-iterations='target=sm_90a' --split-input-file --verify-diagnostics

tile.kernel @reads_sum(%A: !tile.global<?xi32> {tile.name = "A", tile.dtype = "int32", tile.access = "inout", tile.dims = ["M"]})
    attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %c0 = arith.constant 0 : i64
  %m = tile.symbol "M" : i64
  %zero = arith.constant dense<0> : tensor<64xi32>
  // expected-error @below {{'split' = 2 cannot be honoured: what an iteration hands to the next one is no sum}}
  %r = tile.pipelined %i = %c0 to %m step 64 iter_args(%sum = %zero) -> (tensor<64xi32>) {
    %x = tile.load %A[%i] : !tile.global<?xi32> -> tensor<64xi32>
    %s = arith.addi %sum, %x : tensor<64xi32>
    %t = arith.addi %sum, %s : tensor<64xi32>
    tile.yield %t : tensor<64xi32>
  } {tile.split = 2 : i64}
  tile.store %r, %A[%c0] : tensor<64xi32>, !tile.global<?xi32>
  tile.return
}

// -----

tile.kernel @number(%A: !tile.global<?xi32> {tile.name = "A", tile.dtype = "int32", tile.access = "inout", tile.dims = ["M"]})
    attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %c0 = arith.constant 0 : i64
  %m = tile.symbol "M" : i64
  // expected-error @below {{'split' = 2 cannot be honoured: a loop that carries a number is not supported yet}}
  %r = tile.pipelined %i = %c0 to %m step 1 iter_args(%sum = %c0) -> (i64) {
    %s = arith.addi %sum, %i : i64
    tile.yield %s : i64
  } {tile.split = 2 : i64}
  tile.return
}

// -----

tile.kernel @writes(%A: !tile.global<?xi32> {tile.name = "A", tile.dtype = "int32", tile.access = "inout", tile.dims = ["M"]})
    attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %c0 = arith.constant 0 : i64
  %m = tile.symbol "M" : i64
  %x = arith.constant dense<1> : tensor<64xi32>
  // expected-error @below {{'split' = 3 cannot be honoured: a loop that writes to a tensor is not supported yet}}
  tile.pipelined %i = %c0 to %m step 64 {
    tile.store %x, %A[%i] : tensor<64xi32>, !tile.global<?xi32>
  } {tile.split = 3 : i64}
  tile.return
}

// -----

tile.kernel @beside_write(%A: !tile.global<?xi32> {tile.name = "A", tile.dtype = "int32", tile.access = "inout", tile.dims = ["M"]})
    attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %c0 = arith.constant 0 : i64
  %m = tile.symbol "M" : i64
  %x = arith.constant dense<1> : tensor<64xi32>
  %isEmpty = arith.cmpi eq, %m, %c0 : i64
  scf.if %isEmpty {
    tile.store %x, %A[%c0] : tensor<64xi32>, !tile.global<?xi32>
  } else {
    // expected-error @below {{'split' = 2 cannot be honoured: a loop beside a branch that writes to a tensor is not supported yet}}
    tile.pipelined %i = %c0 to %m step 64 {
    } {tile.split = 2 : i64}
  }
  tile.return
}

// -----

tile.kernel @behind_write(%A: !tile.global<?xi32> {tile.name = "A", tile.dtype = "int32", tile.access = "inout", tile.dims = ["M"]})
    attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %c0 = arith.constant 0 : i64
  %m = tile.symbol "M" : i64
  %x = arith.constant dense<1> : tensor<64xi32>
  tile.store %x, %A[%c0] : tensor<64xi32>, !tile.global<?xi32>
  // expected-error @below {{'split' = 2 cannot be honoured: a loop behind a statement that writes to a tensor is not supported yet}}
  tile.pipelined %i = %c0 to %m step 64 {
  } {tile.split = 2 : i64}
  tile.return
}

// -----

tile.kernel @carried_tile(%A: !tile.global<?xi32> {tile.name = "A", tile.dtype = "int32", tile.access = "inout", tile.dims = ["M"]})
    attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %c0 = arith.constant 0 : i64
  %m = tile.symbol "M" : i64
  %zero = arith.constant dense<0> : tensor<64xi32>
  %s = tile.alloc_shared "S" : !tile.shared<64xi32>
  // expected-error @below {{'split' = 2 cannot be honoured: a loop whose shared tiles hold what other iterations, or statements outside of it, have written is not supported yet}}
  %r = tile.pipelined %i = %c0 to %m step 64 iter_args(%sum = %zero) -> (tensor<64xi32>) {
    %x = tile.load %s : !tile.shared<64xi32> -> tensor<64xi32>
    %t = arith.addi %sum, %x : tensor<64xi32>
    tile.copy %A[%i] to %s : !tile.global<?xi32>, !tile.shared<64xi32>
    tile.yield %t : tensor<64xi32>
  } {tile.split = 2 : i64}
  tile.store %r, %A[%c0] : tensor<64xi32>, !tile.global<?xi32>
  tile.return
}

// -----

tile.kernel @last_tile(%A: !tile.global<?xi32> {tile.name = "A", tile.dtype = "int32", tile.access = "inout", tile.dims = ["M"]})
    attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %c0 = arith.constant 0 : i64
  %m = tile.symbol "M" : i64
  %s = tile.alloc_shared "S" : !tile.shared<64xi32>
  // expected-error @below {{'split' = 2 cannot be honoured: a loop whose shared tiles hold what}}
  tile.pipelined %i = %c0 to %m step 64 {
    tile.copy %A[%i] to %s : !tile.global<?xi32>, !tile.shared<64xi32>
  } {tile.split = 2 : i64}
  %x = tile.load %s : !tile.shared<64xi32> -> tensor<64xi32>
  tile.store %x, %A[%c0] : tensor<64xi32>, !tile.global<?xi32>
  tile.return
}

// -----

tile.kernel @inside(%A: !tile.global<?xi32> {tile.name = "A", tile.dtype = "int32", tile.access = "inout", tile.dims = ["M"]})
    attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %m = tile.symbol "M" : i64
  scf.for %j = %c0 to %m step %c1 : i64 {
    // expected-error @below {{'split' = 2 cannot be honoured: a loop inside another one, or in a part of the block, is not supported yet}}
    tile.pipelined %i = %c0 to %m step 64 {
    } {tile.split = 2 : i64}
  }
  tile.return
}

// -----

// expected-error @below {{decision 'split' = 4 cannot be honoured: there is no pipelined loop}}
tile.kernel @nothing() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64, decisions = {split = 4 : i64}} {
  tile.return
}

// -----

tile.kernel @second(%A: !tile.global<?xi32> {tile.name = "A", tile.dtype = "int32", tile.access = "inout", tile.dims = ["M"]})
    attributes {symbols = [{name = "M", param = 0 : i64, dim = 0 : i64}], checks = [], grid = [], axes = [], threads = 128 : i64} {
  %c0 = arith.constant 0 : i64
  %m = tile.symbol "M" : i64
  tile.pipelined %i = %c0 to %m step 64 {
  } {tile.split = 2 : i64}
  // expected-remark @below {{'split' is ignored: blocks share one loop of a kernel}}
  tile.pipelined %i = %c0 to %m step 64 {
  } {tile.split = 4 : i64}
  tile.return
}
