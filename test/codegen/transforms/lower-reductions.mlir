// RUN: tilewright-opt %s -pass-pipeline='builtin.module(tile.kernel(assign-schedules{schedule="warps=2"},assign-layouts,lower-reductions,canonicalize,lower-conversions))' | FileCheck %s

// Two warps hold halves of the row: each reduces its own, and the two results
// meet in shared memory.
// CHECK-LABEL: @row
tile.kernel @row(%x: !tile.view<1x256xf32> {tile.align = 16 : i64}, %y: !tile.view<1xf32>) {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0, %c0] : !tile.view<1x256xf32> -> tensor<1x256xf32>
  // CHECK: tilegpu.reduce %{{.*}} axis 1
  // CHECK: tensor<1x256xf32, #{{.*}}> -> tensor<1x2xf32, #{{.*}}>
  // CHECK-NEXT: tilegpu.alloc
  // CHECK-NEXT: tilegpu.store_shared
  // CHECK-NEXT: tilegpu.load_shared
  // CHECK-NEXT: tilegpu.reduce %{{.*}} axis 1
  // CHECK: tensor<1x2xf32, #{{.*}}> -> tensor<1x1xf32, #{{.*}}>
  // CHECK-NEXT: tile.reshape
  // CHECK-NOT: tile.reduce
  %s = tile.reduce %t axis 1 {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    tile.yield %r : f32
  } : tensor<1x256xf32> -> tensor<1xf32>
  tile.store %s, %y[%c0] : tensor<1xf32>, !tile.view<1xf32>
}

// Each warp has rows of its own: nothing leaves a warp.
// CHECK-LABEL: @rows
tile.kernel @rows(%x: !tile.view<64x32xf32> {tile.align = 16 : i64}, %y: !tile.view<64xf32>) {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0, %c0] : !tile.view<64x32xf32> -> tensor<64x32xf32>
  // CHECK: tilegpu.reduce %{{.*}} axis 1
  // CHECK: -> tensor<64x1xf32, #{{.*}}>
  // CHECK-NEXT: tile.reshape
  // CHECK-NOT: tilegpu.reduce
  %s = tile.reduce %t axis 1 {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    tile.yield %r : f32
  } : tensor<64x32xf32> -> tensor<64xf32>
  tile.store %s, %y[%c0] : tensor<64xf32>, !tile.view<64xf32>
}
