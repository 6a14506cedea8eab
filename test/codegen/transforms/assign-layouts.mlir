// RUN: tilewright-opt %s -pass-pipeline='builtin.module(tile.kernel(assign-schedules{schedule="warps=2"},assign-layouts))' | FileCheck %s

// A row of 64 floats by 16 lanes with 4 each; two rows a warp.
// CHECK-DAG: #[[ROWS:.*]] = #tilegpu.layout<"registers cell=4x64 register=(0,1),(0,2) lane=(0,4),(0,8),(0,16),(0,32),(1,0) warp=(2,0)">
// What has no place in memory follows: the column that a row is divided by.
// CHECK-DAG: #[[COLUMN:.*]] = #tilegpu.layout<"registers cell=4x1 lane=(0,0),(0,0),(0,0),(0,0),(1,0) warp=(2,0)">

// Rows that stay within a warp.
// CHECK-DAG: #[[INWARP:.*]] = #tilegpu.layout<"registers cell=2x512 register=(0,1),(0,2),(0,128),(0,256) lane=(0,4),(0,8),(0,16),(0,32),(0,64) warp=(1,0)">

// CHECK-LABEL: @follow
// CHECK-SAME: tilegpu.warps = 2
tile.kernel @follow(%x: !tile.view<4x64xf32> {tile.align = 16 : i64}, %c: f32) {
  %c0 = arith.constant 0 : index
  // CHECK: tile.splat %{{.*}} : f32 -> tensor<4x1xf32, #[[COLUMN]]>
  %column = tile.splat %c : f32 -> tensor<4x1xf32>
  // CHECK: tile.broadcast %{{.*}} : tensor<4x1xf32, #[[COLUMN]]> -> tensor<4x64xf32, #[[ROWS]]>
  %b = tile.broadcast %column : tensor<4x1xf32> -> tensor<4x64xf32>
  // CHECK: tile.load {{.*}} -> tensor<4x64xf32, #[[ROWS]]>
  %t = tile.load %x[%c0, %c0] : !tile.view<4x64xf32> -> tensor<4x64xf32>
  %q = arith.divf %t, %b : tensor<4x64xf32>
  // CHECK-NOT: convert_layout
  tile.store %q, %x[%c0, %c0] : tensor<4x64xf32>, !tile.view<4x64xf32>
}

// A transpose: both sides are coalesced, with one conversion between them.
// CHECK-LABEL: @meet
tile.kernel @meet(%x: !tile.view<32x64xf32> {tile.align = 4 : i64}, %y: !tile.view<64x32xf32> {tile.align = 4 : i64}) {
  %c0 = arith.constant 0 : index
  // CHECK: tile.load
  // CHECK-COUNT-1: tilegpu.convert_layout
  // CHECK-NOT: tilegpu.convert_layout
  // CHECK: tile.store
  %t = tile.load %x[%c0, %c0] : !tile.view<32x64xf32> -> tensor<32x64xf32>
  %u = tile.transpose %t [1, 0] : tensor<32x64xf32> -> tensor<64x32xf32>
  tile.store %u, %y[%c0, %c0] : tensor<64x32xf32>, !tile.view<64x32xf32>
}

// A thread holds 4x4 neighbours, and so has vectors along both dimensions: no
// value moves.
// CHECK-LABEL: @blocks
tile.kernel @blocks(%x: !tile.view<32x64xf32> {tile.align = 16 : i64}, %y: !tile.view<64x32xf32> {tile.align = 16 : i64}) {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0, %c0] : !tile.view<32x64xf32> -> tensor<32x64xf32>
  // CHECK-NOT: tilegpu.convert_layout
  %u = tile.transpose %t [1, 0] : tensor<32x64xf32> -> tensor<64x32xf32>
  // CHECK: tile.store
  tile.store %u, %y[%c0, %c0] : tensor<64x32xf32>, !tile.view<64x32xf32>
}

// Pairs side by side in registers: no value moves to be taken apart and put
// together again.
// CHECK-LABEL: @pairs
tile.kernel @pairs(%y: !tile.view<32x16x2xf32> {tile.align = 16 : i64}) {
  %c0 = arith.constant 0 : index
  %t = tile.load %y[%c0, %c0, %c0] : !tile.view<32x16x2xf32> -> tensor<32x16x2xf32>
  // CHECK-NOT: convert_layout
  // CHECK: tile.split
  // CHECK-NEXT: tile.join
  // CHECK-NEXT: tile.store
  %a, %b = tile.split %t : tensor<32x16x2xf32> -> tensor<32x16xf32>, tensor<32x16xf32>
  %u = tile.join %b, %a : tensor<32x16xf32>, tensor<32x16xf32> -> tensor<32x16x2xf32>
  tile.store %u, %y[%c0, %c0, %c0] : tensor<32x16x2xf32>, !tile.view<32x16x2xf32>
}

// Rows that a warp can hold are not shared by warps: the sums need no shared
// memory. Without a reduction both warps would share each row.
// CHECK-LABEL: @rows
tile.kernel @rows(%x: !tile.view<2x512xf32> {tile.align = 16 : i64}, %y: !tile.view<2xf32>) {
  %c0 = arith.constant 0 : index
  // CHECK: tile.load {{.*}} -> tensor<2x512xf32, #[[INWARP:.*]]>
  %t = tile.load %x[%c0, %c0] : !tile.view<2x512xf32> -> tensor<2x512xf32>
  %s = tile.reduce %t axis 1 {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    tile.yield %r : f32
  } : tensor<2x512xf32> -> tensor<2xf32>
  tile.store %s, %y[%c0] : tensor<2xf32>, !tile.view<2xf32>
}

// What a loop does not change is converted before it, and in f16: extended, it
// has twice the bits.
// CHECK-LABEL: @hoisted
tile.kernel @hoisted(%x: !tile.view<64x64xf16> {tile.align = 2 : i64}, %y: !tile.view<512x64xf32> {tile.align = 4 : i64}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %t = tile.load %x[%c0, %c0] : !tile.view<64x64xf16> -> tensor<64x64xf16>
  // CHECK: tilegpu.convert_layout {{.*}} : tensor<64x64xf16
  // CHECK: scf.for
  // CHECK-NOT: convert_layout
  scf.for %i = %c0 to %c8 step %c1 {
    %w = arith.extf %t : tensor<64x64xf16> to tensor<64x64xf32>
    %u = tile.transpose %w [1, 0] : tensor<64x64xf32> -> tensor<64x64xf32>
    tile.store %u, %y[%i, %c0] : tensor<64x64xf32>, !tile.view<512x64xf32>
  }
}

// A vector for each of two layouts is loaded twice: the second load costs less
// than shared memory.
// CHECK-LABEL: @again
tile.kernel @again(%x: !tile.view<64x64xf32> {tile.align = 16 : i64}, %w: !tile.view<64xf32> {tile.align = 16 : i64}, %y: !tile.view<64x64xf32> {tile.align = 16 : i64}) {
  %c0 = arith.constant 0 : index
  // CHECK-COUNT-2: tile.load {{.*}} : !tile.view<64xf32>
  // CHECK-NOT: convert_layout
  %v = tile.load %w[%c0] : !tile.view<64xf32> -> tensor<64xf32>
  %r = tile.reshape %v : tensor<64xf32> -> tensor<1x64xf32>
  %c = tile.reshape %v : tensor<64xf32> -> tensor<64x1xf32>
  %rows = tile.broadcast %r : tensor<1x64xf32> -> tensor<64x64xf32>
  %columns = tile.broadcast %c : tensor<64x1xf32> -> tensor<64x64xf32>
  %t = tile.load %x[%c0, %c0] : !tile.view<64x64xf32> -> tensor<64x64xf32>
  %a = arith.mulf %t, %rows : tensor<64x64xf32>
  %b = arith.addf %a, %columns : tensor<64x64xf32>
  tile.store %b, %y[%c0, %c0] : tensor<64x64xf32>, !tile.view<64x64xf32>
}

// A scan that no access has proposed a layout for has its own fibers.
// CHECK-LABEL: @fibers
tile.kernel @fibers(%y: !tile.view<10xi64> {tile.align = 8 : i64}) {
  %c0 = arith.constant 0 : index
  %one = arith.constant dense<1> : tensor<10x5xi64>
  // CHECK: tile.scan
  %s = tile.scan %one axis 0 {
  ^bb0(%p: i64, %q: i64):
    %t = arith.addi %p, %q : i64
    tile.yield %t : i64
  } : tensor<10x5xi64> -> tensor<10x5xi64>
  %r = tile.reduce %s axis 1 {
  ^bb0(%p: i64, %q: i64):
    %t = arith.addi %p, %q : i64
    tile.yield %t : i64
  } : tensor<10x5xi64> -> tensor<10xi64>
  tile.store %r, %y[%c0] : tensor<10xi64>, !tile.view<10xi64>
}
