// RUN: tilewright-opt %s -set-dot-precision=precision=tf32x3 | FileCheck %s
// RUN: tilewright-opt %s -set-dot-precision | FileCheck %s --check-prefix=IEEE
// RUN: not tilewright-opt %s -set-dot-precision=precision=fast 2>&1 | FileCheck %s --check-prefix=WRONG

// WRONG: error: precision: expected ieee, tf32, tf32x3, bf16x3 or bf16x6, found 'fast'

// By default nothing changes.
// IEEE-NOT: tf32x3

// CHECK-LABEL: tile.func @of_f32
tile.func @of_f32(%a: tensor<8x4xf32>, %b: tensor<4x6xf32>, %c: tensor<8x6xf32>, %h: tensor<8x4xf16>) {
  // A product that leaves its precision open gets it, in device functions too.
  // CHECK: tile.dot {{.*}} precision tf32x3 : tensor<8x4xf32>
  %0 = tile.dot %a, %b, %c : tensor<8x4xf32>, tensor<4x6xf32> -> tensor<8x6xf32>
  // One that names another keeps it.
  // CHECK: tile.dot {{.*}} precision bf16x6 : tensor<8x4xf32>
  %1 = tile.dot %a, %b, %c precision bf16x6 : tensor<8x4xf32>, tensor<4x6xf32> -> tensor<8x6xf32>
  // One operand that was extended leaves the other to be rounded.
  // CHECK: tile.dot {{.*}} precision tf32x3 : tensor<8x4xf32>
  %d = arith.extf %h : tensor<8x4xf16> to tensor<8x4xf32>
  %2 = tile.dot %d, %b, %c : tensor<8x4xf32>, tensor<4x6xf32> -> tensor<8x6xf32>
}

// Products of other types, also extended ones, and sums of f64 stay as they are.
// CHECK-LABEL: tile.func @of_others
// CHECK-NOT: precision
// CHECK-LABEL: tile.kernel
tile.func @of_others(%a: tensor<8x4xf16>, %b: tensor<4x6xf16>, %c: tensor<8x6xf32>, %d: tensor<8x4xf32>,
                     %e: tensor<4x6xf32>, %f: tensor<8x6xf64>, %g: tensor<8x4xi8>, %h: tensor<4x6xi8>,
                     %i: tensor<8x6xi32>, %mask: tensor<8x4xi1>) {
  %0 = tile.dot %a, %b, %c : tensor<8x4xf16>, tensor<4x6xf16> -> tensor<8x6xf32>
  %1 = tile.dot %d, %e, %f : tensor<8x4xf32>, tensor<4x6xf32> -> tensor<8x6xf64>
  %2 = tile.dot %g, %h, %i : tensor<8x4xi8>, tensor<4x6xi8> -> tensor<8x6xi32>
  %j = arith.extf %a : tensor<8x4xf16> to tensor<8x4xf32>
  %k = tile.convert %b : tensor<4x6xf16> -> tensor<4x6xf32>
  %l = tile.transpose %j [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
  %m = tile.transpose %l [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %3 = tile.dot %m, %k, %c : tensor<8x4xf32>, tensor<4x6xf32> -> tensor<8x6xf32>
  %zero = arith.constant dense<0.0> : tensor<8x4xf32>
  %n = arith.select %mask, %j, %zero : tensor<8x4xi1>, tensor<8x4xf32>
  %4 = tile.dot %n, %k, %c : tensor<8x4xf32>, tensor<4x6xf32> -> tensor<8x6xf32>
}

// In regions as well.
tile.kernel @loop(%v: !tile.view<8x8xf32>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %x = tile.load %v[%zero, %zero] : !tile.view<8x8xf32> -> tensor<8x8xf32>
  // CHECK: scf.for
  // CHECK: tile.dot {{.*}} precision tf32x3 : tensor<8x8xf32>
  %r = scf.for %i = %zero to %n step %one iter_args(%a = %x) -> (tensor<8x8xf32>) {
    %b = tile.dot %x, %x, %a : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
    scf.yield %b : tensor<8x8xf32>
  }
  tile.store %r, %v[%zero, %zero] : tensor<8x8xf32>, !tile.view<8x8xf32>
}
