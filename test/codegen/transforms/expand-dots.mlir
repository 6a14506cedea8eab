// RUN: tilewright-opt %s -pass-pipeline='builtin.module(tile.kernel(widen-dots,assign-layouts{warps=4},expand-dots))' | FileCheck %s

// Sums get blocks of rows and columns; operands go to shared memory in the
// layouts that loads like.
// CHECK-LABEL: @product
tile.kernel @product(%a: !tile.view<64x32xf32> {tile.align = 16 : i64}, %b: !tile.view<32x64xf32> {tile.align = 16 : i64}, %c: !tile.view<64x64xf32> {tile.align = 16 : i64}) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %x = tile.load %a[%c0, %c0] : !tile.view<64x32xf32> -> tensor<64x32xf32>
  %y = tile.load %b[%c0, %c0] : !tile.view<32x64xf32> -> tensor<32x64xf32>
  // CHECK: %[[A:.*]] = tilegpu.alloc : <64x32xf32, #{{.*}}>
  // CHECK-NEXT: tilegpu.store_shared %{{.*}}, %[[A]]
  // CHECK-NEXT: %[[B:.*]] = tilegpu.alloc : <32x64xf32, #{{.*}}>
  // CHECK-NEXT: tilegpu.store_shared %{{.*}}, %[[B]]
  // CHECK-NEXT: %[[R:.*]] = tilegpu.dot %[[A]], %[[B]], %{{.*}} -> tensor<64x64xf32, #[[SUMS:.*]]>
  // CHECK-NOT: tile.dot
  // CHECK: tile.store %[[R]], {{.*}} : tensor<64x64xf32, #[[SUMS]]>
  %r = tile.dot %x, %y, %zero : tensor<64x32xf32>, tensor<32x64xf32> -> tensor<64x64xf32>
  tile.store %r, %c[%c0, %c0] : tensor<64x64xf32>, !tile.view<64x64xf32>
}

// Small elements are widened before, exactly; scales are multiplied in.
// CHECK-LABEL: @small
tile.kernel @small(%a: !tile.view<16x32xf8E4M3FN>, %s: !tile.view<16x1xf8E8M0FNU>, %i: !tile.view<16x16xi4>, %c: !tile.view<16x16xf32>, %d: !tile.view<16x16xi32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %none = arith.constant dense<0> : tensor<16x16xi32>
  %x = tile.load %a[%c0, %c0] : !tile.view<16x32xf8E4M3FN> -> tensor<16x32xf8E4M3FN>
  %scale = tile.load %s[%c0, %c0] : !tile.view<16x1xf8E8M0FNU> -> tensor<16x1xf8E8M0FNU>
  %y = tile.transpose %x [1, 0] : tensor<16x32xf8E4M3FN> -> tensor<32x16xf8E4M3FN>
  %t = tile.transpose %scale [1, 0] : tensor<16x1xf8E8M0FNU> -> tensor<1x16xf8E8M0FNU>
  // CHECK: tile.convert %{{.*}} : tensor<16x32xf8E4M3FN, #{{.*}}> -> tensor<16x32xf16, #{{.*}}>
  // CHECK: tilegpu.dot {{.*}} !tilegpu.shared<16x32xf16, #{{.*}}>, !tilegpu.shared<32x16xf16, #{{.*}}> -> tensor<16x16xf32
  %r = tile.dot %x, %y, %zero precision fast : tensor<16x32xf8E4M3FN>, tensor<32x16xf8E4M3FN> -> tensor<16x16xf32>
  // CHECK: arith.mulf %{{.*}} : tensor<16x32xf32, #{{.*}}>
  // CHECK: arith.mulf %{{.*}} : tensor<32x16xf32, #{{.*}}>
  // CHECK: tilegpu.dot {{.*}} !tilegpu.shared<16x32xf32, #{{.*}}>, !tilegpu.shared<32x16xf32, #{{.*}}> -> tensor<16x16xf32
  %q = tile.scaled_dot %x scale %scale, %y scale %t, %r : tensor<16x32xf8E4M3FN> scale tensor<16x1xf8E8M0FNU>, tensor<32x16xf8E4M3FN> scale tensor<1x16xf8E8M0FNU> -> tensor<16x16xf32>
  %n = tile.load %i[%c0, %c0] : !tile.view<16x16xi4> -> tensor<16x16xi4>
  // CHECK: arith.extsi %{{.*}} : tensor<16x16xi4, #{{.*}}> to tensor<16x16xi8, #{{.*}}>
  // CHECK: arith.extui %{{.*}} : tensor<16x16xi4, #{{.*}}> to tensor<16x16xi8, #{{.*}}>
  // CHECK: tilegpu.dot {{.*}} rhs_unsigned {{.*}} -> tensor<16x16xi32
  %p = tile.dot %n, %n, %none rhs_unsigned : tensor<16x16xi4>, tensor<16x16xi4> -> tensor<16x16xi32>
  tile.store %q, %c[%c0, %c0] : tensor<16x16xf32>, !tile.view<16x16xf32>
  tile.store %p, %d[%c0, %c0] : tensor<16x16xi32>, !tile.view<16x16xi32>
}

// What a loop does not change is stored once, before it.
// CHECK-LABEL: @invariant
tile.kernel @invariant(%a: !tile.view<64x64xf32> {tile.align = 16 : i64}, %b: !tile.view<?x64xf32> {tile.align = 16 : i64}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  // CHECK: %[[X:.*]] = tile.load %arg0
  %x = tile.load %a[%c0, %c0] : !tile.view<64x64xf32> -> tensor<64x64xf32>
  // CHECK: %[[A:.*]] = tilegpu.alloc
  // CHECK-NEXT: tilegpu.store_shared %[[X]], %[[A]]
  // CHECK-NEXT: scf.for
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> tensor<64x64xf32> {
    // CHECK: %[[Y:.*]] = tile.load %arg1
    // CHECK-NOT: tilegpu.store_shared %[[X]]
    // CHECK: %[[B:.*]] = tilegpu.alloc
    // CHECK-NEXT: tilegpu.store_shared %[[Y]], %[[B]]
    // CHECK-NEXT: tilegpu.dot %[[A]], %[[B]]
    %y = tile.load %b[%i, %c0] : !tile.view<?x64xf32> -> tensor<64x64xf32>
    %s = tile.dot %x, %y, %acc : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
    scf.yield %s : tensor<64x64xf32>
  }
  tile.store %r, %a[%c0, %c0] : tensor<64x64xf32>, !tile.view<64x64xf32>
}
