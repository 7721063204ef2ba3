// RUN: tile-opt %s --tile-overlap-launches --split-input-file | FileCheck %s
// RUN: tile-opt %s --tile-overlap-launches --convert-tile-to-nvvm --split-input-file | FileCheck %s --check-prefix=NVVM

// Tests that a kernel lets the next one start and waits for those before, where
// that was decided.
// CHECK-LABEL: tile.kernel @waits
// CHECK-SAME: tile.overlaps
// CHECK-NEXT: tile.allow_launches
// CHECK-NEXT: tile.await_launches
// CHECK-NEXT: tile.return
// NVVM-LABEL: llvm.func @waits
// NVVM: "griddepcontrol.launch_dependents;", "~{memory}"
// NVVM-NEXT: "griddepcontrol.wait;", "~{memory}"
tile.kernel @waits() attributes {decisions = {overlap = "wait"}, symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  tile.return
}

// -----

// CHECK-LABEL: tile.kernel @follows
// CHECK-NOT: tile.overlaps
// CHECK-NOT: tile.await_launches
tile.kernel @follows() attributes {decisions = {overlap = "none"}, symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  tile.return
}

// -----

// Tests that a wait that stands elsewhere stays alone.
// CHECK-LABEL: tile.kernel @placed
// CHECK-SAME: tile.overlaps
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.await_launches
// CHECK-NEXT: tile.return
tile.kernel @placed() attributes {decisions = {overlap = "weights"}, symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
  tile.barrier
  tile.await_launches
  tile.return
}
