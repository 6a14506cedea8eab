// RUN: tilewright-opt %s --split-input-file --pass-pipeline="builtin.module(tile.kernel(choose-buffers))" | FileCheck %s

// Costly elements that two ask for are kept, cheap ones are computed again.
// CHECK-LABEL: tile.kernel @costly
// CHECK-SAME: tile.buffers = 1 : i64
// CHECK-NOT: tile.buffered
// CHECK: math.exp {{.*}} {tile.buffered = array<i64: 0>}
// CHECK-NOT: tile.buffered
tile.kernel @costly(%x: !tile.view<64xf32>, %y: !tile.view<64xf32>, %z: !tile.view<64xf32>) {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0] : !tile.view<64xf32> -> tensor<64xf32>
  %e = math.exp %a : tensor<64xf32>
  %n = arith.negf %e : tensor<64xf32>
  tile.store %n, %y[%c0] : tensor<64xf32>, !tile.view<64xf32>
  %s = arith.mulf %e, %e : tensor<64xf32>
  tile.store %s, %z[%c0] : tensor<64xf32>, !tile.view<64xf32>
}

// -----

// What is loaded before a store that may change it, and read after it.
// CHECK-LABEL: tile.kernel @changed
// CHECK-SAME: tile.buffers = 1 : i64
// CHECK: tile.load {{.*}} {tile.buffered = array<i64: 0>}
// CHECK: tile.store
// CHECK-NOT: tile.buffered
tile.kernel @changed(%x: !tile.view<64xf32>, %y: !tile.view<64xf32>, %z: !tile.view<64xf32>) {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0] : !tile.view<64xf32> -> tensor<64xf32>
  %b = tile.load %y[%c0] : !tile.view<64xf32> -> tensor<64xf32>
  tile.store %b, %y[%c0] : tensor<64xf32>, !tile.view<64xf32>
  tile.store %a, %z[%c0] : tensor<64xf32>, !tile.view<64xf32>
}

// -----

// A loop within asks for the elements in each of its iterations. What it carries
// lies in memory anyway, as the sum that it makes.
// CHECK-LABEL: tile.kernel @inside
// CHECK-SAME: tile.buffers = 1 : i64
// CHECK: arith.negf {{.*}} {tile.buffered = array<i64: 0>}
// CHECK: scf.for
// CHECK-NOT: tile.buffered
tile.kernel @inside(%x: !tile.view<64xf32>, %y: !tile.view<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %a = tile.load %x[%c0] : !tile.view<64xf32> -> tensor<64xf32>
  %n = arith.negf %a : tensor<64xf32>
  %r = scf.for %i = %c0 to %c9 step %c1 iter_args(%t = %zero) -> tensor<64xf32> {
    %s = arith.addf %t, %n : tensor<64xf32>
    scf.yield %s : tensor<64xf32>
  }
  tile.store %r, %y[%c0] : tensor<64xf32>, !tile.view<64xf32>
}

// -----

// Two ask for elements that cost one instruction, and no memory changes: they
// are computed twice.
// CHECK-LABEL: tile.kernel @cheap
// CHECK-SAME: tile.buffers = 0 : i64
// CHECK-NOT: tile.buffered
tile.kernel @cheap(%y: !tile.view<64xi32>, %z: !tile.view<64xi32>) {
  %c0 = arith.constant 0 : index
  %a = tile.iota : tensor<64xi32>
  %n = arith.addi %a, %a : tensor<64xi32>
  tile.store %n, %y[%c0] : tensor<64xi32>, !tile.view<64xi32>
  %s = arith.muli %n, %n : tensor<64xi32>
  tile.store %s, %z[%c0] : tensor<64xi32>, !tile.view<64xi32>
}

// -----

// What one op reads is computed there, whatever it costs: a store, a reduction,
// a dot.
// CHECK-LABEL: tile.kernel @once
// CHECK-SAME: tile.buffers = 0 : i64
// CHECK-NOT: tile.buffered
tile.kernel @once(%x: !tile.view<4x64xf32>, %w: !tile.view<64x8xf32>, %y: !tile.view<4xf32>, %z: !tile.view<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<4x8xf32>
  %a = tile.load %x[%c0, %c0] : !tile.view<4x64xf32> -> tensor<4x64xf32>
  %e = math.exp %a : tensor<4x64xf32>
  %r = tile.reduce %e axis 1 {
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %p, %q : f32
    tile.yield %s : f32
  } : tensor<4x64xf32> -> tensor<4xf32>
  %b = tile.load %w[%c0, %c0] : !tile.view<64x8xf32> -> tensor<64x8xf32>
  %f = math.sin %b : tensor<64x8xf32>
  %d = tile.dot %a, %f, %zero : tensor<4x64xf32>, tensor<64x8xf32> -> tensor<4x8xf32>
  %g = math.tanh %d : tensor<4x8xf32>
  tile.store %r, %y[%c0] : tensor<4xf32>, !tile.view<4xf32>
  tile.store %g, %z[%c0, %c0] : tensor<4x8xf32>, !tile.view<4x8xf32>
}

// -----

// A dot and a reduction keep what they make, so that two may read it.
// CHECK-LABEL: tile.kernel @held
// CHECK-SAME: tile.buffers = 0 : i64
// CHECK-NOT: tile.buffered
tile.kernel @held(%x: !tile.view<4x64xf32>, %y: !tile.view<4xf32>, %z: !tile.view<4xf32>) {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0, %c0] : !tile.view<4x64xf32> -> tensor<4x64xf32>
  %r = tile.reduce %a axis 1 {
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %p, %q : f32
    tile.yield %s : f32
  } : tensor<4x64xf32> -> tensor<4xf32>
  tile.store %r, %y[%c0] : tensor<4xf32>, !tile.view<4xf32>
  %n = arith.negf %r : tensor<4xf32>
  tile.store %n, %z[%c0] : tensor<4xf32>, !tile.view<4xf32>
}

// -----

// Halves that are added to each other, again and again: an element of the result
// would compute each element before it where it is wanted. From four on they are
// computed by a loop, into memory.
// CHECK-LABEL: tile.kernel @halves
// CHECK-SAME: tile.buffers = 1 : i64
// CHECK: %[[S:.*]] = arith.addf {{.*}} {tile.buffered = array<i64: 0>} : tensor<16xf32>
// CHECK-NOT: tile.buffered
tile.kernel @halves(%x: !tile.view<32xf32>, %y: !tile.view<4xf32>) {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0] : !tile.view<32xf32> -> tensor<32xf32>
  %a0 = tile.slice %a [0] : tensor<32xf32> -> tensor<16xf32>
  %a1 = tile.slice %a [16] : tensor<32xf32> -> tensor<16xf32>
  %b = arith.addf %a0, %a1 : tensor<16xf32>
  %b0 = tile.slice %b [0] : tensor<16xf32> -> tensor<8xf32>
  %b1 = tile.slice %b [8] : tensor<16xf32> -> tensor<8xf32>
  %c = arith.addf %b0, %b1 : tensor<8xf32>
  %d0 = tile.slice %c [0] : tensor<8xf32> -> tensor<4xf32>
  %d1 = tile.slice %c [4] : tensor<8xf32> -> tensor<4xf32>
  %d = arith.addf %d0, %d1 : tensor<4xf32>
  tile.store %d, %y[%c0] : tensor<4xf32>, !tile.view<4xf32>
}
