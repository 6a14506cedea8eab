// RUN: tilewright-opt %s -pass-pipeline='builtin.module(tile.kernel(legalize-dots))' | FileCheck %s

// Small elements are widened, exactly; scales are multiplied in.
// CHECK-LABEL: @small
tile.kernel @small(%a: !tile.view<16x32xf8E4M3FN>, %s: !tile.view<16x1xf8E8M0FNU>, %i: !tile.view<16x16xi4>, %c: !tile.view<16x16xf32>, %d: !tile.view<16x16xi32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %none = arith.constant dense<0> : tensor<16x16xi32>
  %x = tile.load %a[%c0, %c0] : !tile.view<16x32xf8E4M3FN> -> tensor<16x32xf8E4M3FN>
  %scale = tile.load %s[%c0, %c0] : !tile.view<16x1xf8E8M0FNU> -> tensor<16x1xf8E8M0FNU>
  %y = tile.transpose %x [1, 0] : tensor<16x32xf8E4M3FN> -> tensor<32x16xf8E4M3FN>
  %t = tile.transpose %scale [1, 0] : tensor<16x1xf8E8M0FNU> -> tensor<1x16xf8E8M0FNU>
  // CHECK: tile.convert %{{.*}} : tensor<16x32xf8E4M3FN> -> tensor<16x32xf16>
  // CHECK: tile.dot {{.*}} : tensor<16x32xf16>, tensor<32x16xf16> -> tensor<16x16xf32>
  %r = tile.dot %x, %y, %zero precision fast : tensor<16x32xf8E4M3FN>, tensor<32x16xf8E4M3FN> -> tensor<16x16xf32>
  // CHECK: arith.mulf %{{.*}} : tensor<16x32xf32>
  // CHECK: arith.mulf %{{.*}} : tensor<32x16xf32>
  // CHECK: tile.dot {{.*}} : tensor<16x32xf32>, tensor<32x16xf32> -> tensor<16x16xf32>
  %q = tile.scaled_dot %x scale %scale, %y scale %t, %r : tensor<16x32xf8E4M3FN> scale tensor<16x1xf8E8M0FNU>, tensor<32x16xf8E4M3FN> scale tensor<1x16xf8E8M0FNU> -> tensor<16x16xf32>
  %n = tile.load %i[%c0, %c0] : !tile.view<16x16xi4> -> tensor<16x16xi4>
  // CHECK: arith.extsi %{{.*}} : tensor<16x16xi4> to tensor<16x16xi8>
  // CHECK: arith.extui %{{.*}} : tensor<16x16xi4> to tensor<16x16xi8>
  // CHECK: tile.dot {{.*}} rhs_unsigned : tensor<16x16xi8>, tensor<16x16xi8> -> tensor<16x16xi32>
  %p = tile.dot %n, %n, %none rhs_unsigned : tensor<16x16xi4>, tensor<16x16xi4> -> tensor<16x16xi32>
  tile.store %q, %c[%c0, %c0] : tensor<16x16xf32>, !tile.view<16x16xf32>
  tile.store %p, %d[%c0, %c0] : tensor<16x16xi32>, !tile.view<16x16xi32>
}
