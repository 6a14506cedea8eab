// RUN: tilewright-opt %s -pass-pipeline='builtin.module(tile.kernel(assign-schedules{schedule="warps=4"},assign-layouts,lower-dots))' | FileCheck %s

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

// A matrix instruction whose fragments the sums are. Memory has the operand's
// contiguous dimension in swizzled rows.
// CHECK-LABEL: @matrices
tile.kernel @matrices(%a: !tile.view<64x32xf16> {tile.align = 16 : i64}, %b: !tile.view<64x32xf16> {tile.align = 16 : i64}, %c: !tile.view<64x64xf32> {tile.align = 16 : i64}) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %x = tile.load %a[%c0, %c0] : !tile.view<64x32xf16> -> tensor<64x32xf16>
  %y = tile.load %b[%c0, %c0] : !tile.view<64x32xf16> -> tensor<64x32xf16>
  %t = tile.transpose %y [1, 0] : tensor<64x32xf16> -> tensor<32x64xf16>
  // CHECK: %[[A:.*]] = tilegpu.alloc : <64x32xf16, #[[ROWS:.*]]>
  // CHECK-NEXT: tilegpu.store_shared %{{.*}}, %[[A]]
  // CHECK-NEXT: %[[B:.*]] = tilegpu.alloc : <32x64xf16, #[[COLUMNS:.*]]>
  // CHECK-NEXT: tilegpu.store_shared %{{.*}}, %[[B]]
  // CHECK-NEXT: tilegpu.mma "mma.m16n8k16.f16" %[[A]], %[[B]]
  %r = tile.dot %x, %t, %zero {tilegpu.instruction = "mma.m16n8k16.f16"} : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
  tile.store %r, %c[%c0, %c0] : tensor<64x64xf32>, !tile.view<64x64xf32>
}

// What a loop only reorders is read to the registers before it; a product that
// another one multiplies stays there.
// CHECK-LABEL: @fragments
tile.kernel @fragments(%a: !tile.view<1x64x32xf16> {tile.align = 16 : i64}, %b: !tile.view<?x32xf16> {tile.align = 16 : i64}, %c: !tile.view<64x32xf32> {tile.align = 16 : i64}, %n: index)
    attributes {tile.schedule = #tile.schedule<warps = 4>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant dense<0.0> : tensor<64x64xf32>
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  %w = tile.load %a[%c0, %c0, %c0] : !tile.view<1x64x32xf16> -> tensor<1x64x32xf16>
  // CHECK: tile.reshape
  // CHECK: tilegpu.store_shared %{{.*}}, %[[A:.*]] :
  // CHECK-NEXT: %[[X:.*]] = tilegpu.load_shared %[[A]]
  // CHECK-NEXT: scf.for
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> tensor<64x32xf32> {
    %x = tile.reshape %w : tensor<1x64x32xf16> -> tensor<64x32xf16>
    %y = tile.load %b[%i, %c0] : !tile.view<?x32xf16> -> tensor<64x32xf16>
    %t = tile.transpose %y [1, 0] : tensor<64x32xf16> -> tensor<32x64xf16>
    // CHECK: %[[S:.*]] = tilegpu.mma "mma.m16n8k16.f16" %[[X]], %
    %s = tile.dot %x, %t, %none {tilegpu.instruction = "mma.m16n8k16.f16"} : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
    // CHECK: %[[H:.*]] = arith.truncf %[[S]]
    %h = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xf16>
    // Each row is in a warp.
    %m = tile.reduce %s axis 1 {
    ^bb0(%p: f32, %q: f32):
      %o = arith.maximumf %p, %q : f32
      tile.yield %o : f32
    } : tensor<64x64xf32> -> tensor<64xf32>
    %k = tile.reshape %m : tensor<64xf32> -> tensor<64x1xf32>
    %f = tile.broadcast %k : tensor<64x1xf32> -> tensor<64x32xf32>
    %g = arith.mulf %acc, %f : tensor<64x32xf32>
    // CHECK: %[[L:.*]] = tilegpu.convert_layout %[[H]]
    // CHECK: tilegpu.mma "mma.m16n8k16.f16" %[[L]], %
    %d = tile.dot %h, %y, %g {tilegpu.instruction = "mma.m16n8k16.f16"} : tensor<64x64xf16>, tensor<64x32xf16> -> tensor<64x32xf32>
    scf.yield %d : tensor<64x32xf32>
  }
  tile.store %r, %c[%c0, %c0] : tensor<64x32xf32>, !tile.view<64x32xf32>
}

// In a branch of the loop lhs stays beside its product.
// CHECK-LABEL: @branch
tile.kernel @branch(%a: !tile.view<64x32xf16> {tile.align = 16 : i64}, %c: !tile.view<64x64xf32> {tile.align = 16 : i64}, %n: index, %p: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %x = tile.load %a[%c0, %c0] : !tile.view<64x32xf16> -> tensor<64x32xf16>
  %t = tile.transpose %x [1, 0] : tensor<64x32xf16> -> tensor<32x64xf16>
  // CHECK: scf.for
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> tensor<64x64xf32> {
    // CHECK: scf.if
    %s = scf.if %p -> tensor<64x64xf32> {
      // CHECK: tilegpu.store_shared %{{.*}}, %[[A:.*]] :
      // CHECK: tilegpu.mma "mma.m16n8k16.f16" %[[A]], %
      %d = tile.dot %x, %t, %acc {tilegpu.instruction = "mma.m16n8k16.f16"} : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    } else {
      scf.yield %acc : tensor<64x64xf32>
    }
    scf.yield %s : tensor<64x64xf32>
  }
  tile.store %r, %c[%c0, %c0] : tensor<64x64xf32>, !tile.view<64x64xf32>
}

// Why a dot has no matrix instruction goes along with it.
// CHECK-LABEL: @reason
tile.kernel @reason(%a: !tile.view<64x64xf32> {tile.align = 16 : i64}) {
  %c0 = arith.constant 0 : index
  %x = tile.load %a[%c0, %c0] : !tile.view<64x64xf32> -> tensor<64x64xf32>
  // CHECK: tilegpu.dot {{.*}} {tilegpu.reason = "why"}
  %r = tile.dot %x, %x, %x {tilegpu.instruction = "fma", tilegpu.reason = "why"} : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  tile.store %r, %a[%c0, %c0] : tensor<64x64xf32>, !tile.view<64x64xf32>
}
