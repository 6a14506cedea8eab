// RUN: tilewright-opt %s -pass-pipeline='builtin.module(tile.kernel(assign-schedules{schedule="warps=2"},assign-layouts,lower-scans))' | FileCheck %s

// CHECK: #[[ROUNDS:.*]] = #tilegpu.layout<"registers cell=2x512 register=(0,1),(0,2),(0,128),(0,256) lane=(0,4),(0,8),(0,16),(0,32),(0,64) warp=(1,0)">

// Lines in order as they are loaded, one warp each: nothing moves.
// CHECK-LABEL: @rows
tile.kernel @rows(%x: !tile.view<8x64xf32> {tile.align = 16 : i64}) {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0, %c0] : !tile.view<8x64xf32> -> tensor<8x64xf32>
  // CHECK-NOT: convert_layout
  // CHECK: tilegpu.scan %{{.*}} axis 1 {
  // CHECK-NOT: convert_layout
  %s = tile.scan %t axis 1 {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    tile.yield %r : f32
  } : tensor<8x64xf32> -> tensor<8x64xf32>
  tile.store %s, %x[%c0, %c0] : tensor<8x64xf32>, !tile.view<8x64xf32>
}

// A long line is scanned as it is loaded, in four rounds of 128 elements.
// CHECK-LABEL: @rounds
tile.kernel @rounds(%x: !tile.view<2x512xf32> {tile.align = 16 : i64}) {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0, %c0] : !tile.view<2x512xf32> -> tensor<2x512xf32>
  // CHECK-NOT: convert_layout
  // CHECK: tilegpu.scan %{{.*}} axis 1 {
  // CHECK: -> tensor<2x512xf32, #[[ROUNDS]]>
  // CHECK-NOT: convert_layout
  %s = tile.scan %t axis 1 {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    tile.yield %r : f32
  } : tensor<2x512xf32> -> tensor<2x512xf32>
  tile.store %s, %x[%c0, %c0] : tensor<2x512xf32>, !tile.view<2x512xf32>
}

// Two warps share the line: each gets both totals. From the end, an element
// comes before those to its left: in the totals, left and right are exchanged.
// CHECK-LABEL: @shared
tile.kernel @shared(%x: !tile.view<256xf32> {tile.align = 16 : i64}) {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0] : !tile.view<256xf32> -> tensor<256xf32>
  // CHECK: %[[PARTS:.*]] = tilegpu.reduce %{{.*}} axis 0 {
  // CHECK-NEXT: ^bb0(%[[LEFT:.*]]: f32, %[[RIGHT:.*]]: f32):
  // CHECK-NEXT: arith.subf %[[RIGHT]], %[[LEFT]]
  // CHECK: -> tensor<2xf32, #{{.*}}>
  // CHECK-NEXT: %[[TOTALS:.*]] = tilegpu.convert_layout %[[PARTS]]
  // CHECK-NEXT: tilegpu.scan %{{.*}} totals %[[TOTALS]] axis 0 reverse {
  // CHECK-NEXT: ^bb0(%[[LEFT:.*]]: f32, %[[RIGHT:.*]]: f32):
  // CHECK-NEXT: arith.subf %[[LEFT]], %[[RIGHT]]
  %s = tile.scan %t axis 0 reverse {
  ^bb0(%a: f32, %b: f32):
    %r = arith.subf %a, %b : f32
    tile.yield %r : f32
  } : tensor<256xf32> -> tensor<256xf32>
  tile.store %s, %x[%c0] : tensor<256xf32>, !tile.view<256xf32>
}
