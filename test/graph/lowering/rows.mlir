// Kernels of ops along rows.
// RUN: tilewright-opt %s --form-groups --convert-graph-to-tile --split-input-file | FileCheck %s

// Whole rows of a tile.
// CHECK-LABEL: tile.kernel
// CHECK: tile.sort %{{.*}}, %{{.*}} axis 1 descending : tensor<[[ROWS:[0-9]+]]x100xf32>, tensor<[[ROWS]]x100xi64>
// CHECK-COUNT-2: tile.store
func.func @sort(%x: tensor<64x100xf32>, %p: tensor<64x100xi64>)
    -> (tensor<64x100xf32>, tensor<64x100xi64>) {
  %k, %v = graph.sort %x, %p axis 1 descending
      : tensor<64x100xf32>, tensor<64x100xi64>
  return %k, %v : tensor<64x100xf32>, tensor<64x100xi64>
}

// -----

// On a GPU a program scans pieces of a row. The first one has none before it,
// the next ones continue with the last prefix.
// CHECK-LABEL: tile.kernel
// CHECK: %[[FIRST:.*]] = tile.scan
// CHECK: arith.muli
// CHECK: tile.store %[[FIRST]]
// CHECK: %[[LAST:.*]] = tile.slice %[[FIRST]]
// CHECK: scf.for {{.*}} iter_args(%[[BEFORE:.*]] = %[[LAST]])
// CHECK: %[[NEXT:.*]] = tile.scan
// CHECK: %[[SPREAD:.*]] = tile.broadcast %[[BEFORE]]
// CHECK: arith.muli %[[SPREAD]], %[[NEXT]]
module attributes {graph.targets = [#tile.target<"sm_80">]} {
func.func @scan(%x: tensor<100000xi32>) -> tensor<100000xi32> {
  %y = graph.scan %x axis 0 {
  ^bb0(%a: i32, %b: i32):
    %p = arith.muli %a, %b : i32
    graph.yield %p : i32
  } : tensor<100000xi32>
  return %y : tensor<100000xi32>
}
}

// -----

// A step sorts keys by digit and position, and moves those of a digit to its
// next place.
// CHECK-LABEL: tile.kernel
// CHECK: scf.for
// CHECK: tile.sort %{{.*}} axis 0 : tensor<1024xi32>
// CHECK: tile.histogram
// CHECK: tile.scan
// CHECK-COUNT-2: tile.store_ptr
// CHECK: scf.yield
// CHECK: tile.store {{.*}} !tile.view<3x256xi64>
module attributes {graph.targets = [#tile.target<"sm_80">]} {
func.func @move(%k: tensor<20000xi32>, %v: tensor<20000xi32>,
                %o: tensor<256x3xi64>) -> tensor<20000xi32> {
  %sk, %sv, %e = graph.digit_scatter %k, %v to %o digit 0 block 8192
      : tensor<20000xi32>, tensor<20000xi32>, tensor<256x3xi64>
      -> tensor<3x256xi64>
  return %sv : tensor<20000xi32>
}
}

// -----

// On a CPU keys move one by one.
// CHECK-LABEL: tile.kernel
// CHECK-NOT: tile.sort
// CHECK: tile.store %{{.*}} !tile.view<3x256xi64>
// CHECK: scf.for
// CHECK: tile.load_ptr {{.*}} : !tile.ptr<i32>
// CHECK-COUNT-3: tile.store_ptr
module attributes {graph.targets = [#tile.target<"cpu">]} {
func.func @move(%k: tensor<20000xi32>, %v: tensor<20000xi32>,
                %o: tensor<256x3xi64>) -> tensor<20000xi32> {
  %sk, %sv, %e = graph.digit_scatter %k, %v to %o digit 0 block 8192
      : tensor<20000xi32>, tensor<20000xi32>, tensor<256x3xi64>
      -> tensor<3x256xi64>
  return %sv : tensor<20000xi32>
}
}

// -----

// A launch without results; nothing is required of what is beyond the tensor.
// CHECK: graph.launch @k0{{.*}}(%{{.*}}) writes []
// CHECK: tile.kernel @k0
// CHECK: %[[IN:.*]] = arith.andi
// CHECK: %[[OK:.*]] = arith.ori %[[IN]]
// CHECK: tile.assert %[[OK]], "an index is outside"
func.func @require(%x: tensor<3000xi64>) {
  %low = arith.constant -4 : index
  %high = arith.constant 4 : index
  graph.require %x in(%low, %high), "an index is outside" : tensor<3000xi64>
  return
}

// -----

// Nothing is required of no elements.
// CHECK-LABEL: func.func @nothing
// CHECK-NOT: graph.launch
// CHECK-NOT: tile.kernel
// CHECK: return
func.func @nothing(%x: tensor<0x3xi64>) {
  graph.require %x, "a divisor is zero" : tensor<0x3xi64>
  return
}
