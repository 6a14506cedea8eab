// RUN: tilewright-opt %s -pass-pipeline='builtin.module(tile.kernel(assign-schedules{schedule="warps=4"},assign-layouts{explain=true}))' | FileCheck %s

// The kernel's attribute says for each class its layout, its price and what the
// best other candidate would add, and then what the layouts are.
// CHECK-LABEL: @sums
// CHECK-SAME: tilegpu.layouts = "price {{[0-9]+}} a block, the least with these candidates
// CHECK-SAME: tile.load{{ +}}4x512 f32{{ +}}L0 {{[0-9]+}} ({{[0-9]+}} issue slots, 256 sectors, 16 requests); L1 would add {{[0-9]+}}
// CHECK-SAME: tile.reduce{{ +}}4 f32{{ +}}L2 {{[0-9]+}}; L3 would add {{[0-9]+}}
// CHECK-SAME: L0 = registers cell=4x512 {{.*}} warp=(1,0),(2,0)
// CHECK-SAME: L1 = registers cell=4x512 {{.*}} warp=(0,128),(0,256)
tile.kernel @sums(%x: !tile.view<4x512xf32> {tile.align = 16 : i64}, %y: !tile.view<4xf32>) {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0, %c0] : !tile.view<4x512xf32> -> tensor<4x512xf32>
  %s = tile.reduce %t axis 1 {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    tile.yield %r : f32
  } : tensor<4x512xf32> -> tensor<4xf32>
  tile.store %s, %y[%c0] : tensor<4xf32>, !tile.view<4xf32>
}
