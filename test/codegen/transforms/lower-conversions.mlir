// RUN: tilewright-opt %s -pass-pipeline='builtin.module(tile.kernel(lower-conversions))' | FileCheck %s

#rows = #tilegpu.layout<"registers cell=8x32 register=(0,1),(0,2) lane=(0,4),(0,8),(0,16),(1,0),(2,0) warp=(4,0)">
#lanes = #tilegpu.layout<"registers cell=8x32 register=(0,1),(0,2) lane=(1,0),(2,0),(0,4),(0,8),(0,16) warp=(4,0)">
#columns = #tilegpu.layout<"registers cell=8x32 register=(1,0),(2,0) lane=(4,0),(0,1),(0,2),(0,4),(0,8) warp=(0,16)">

// CHECK-LABEL: @conversions
tile.kernel @conversions(%x: !tile.view<8x32xf32>, %y: !tile.view<8x32xf32>, %z: !tile.view<8x32xf32>) {
  %c0 = arith.constant 0 : index
  // CHECK: %[[T:.*]] = tile.load
  %t = tile.load %x[%c0, %c0] : !tile.view<8x32xf32> -> tensor<8x32xf32, #rows>
  // Values stay in their warp: shuffles do it.
  // CHECK-NEXT: %[[L:.*]] = tilegpu.convert_layout %[[T]]
  %l = tilegpu.convert_layout %t : tensor<8x32xf32, #rows> -> tensor<8x32xf32, #lanes>
  // Rows of the other warp are needed.
  // CHECK-NEXT: %[[M:.*]] = tilegpu.alloc : <8x32xf32, #{{.*}}>
  // CHECK-NEXT: tilegpu.store_shared %[[T]], %[[M]]
  // CHECK-NEXT: %[[C:.*]] = tilegpu.load_shared %[[M]]
  %c = tilegpu.convert_layout %t : tensor<8x32xf32, #rows> -> tensor<8x32xf32, #columns>
  // CHECK-NEXT: tile.store %[[L]]
  tile.store %l, %y[%c0, %c0] : tensor<8x32xf32, #lanes>, !tile.view<8x32xf32>
  // CHECK-NEXT: tile.store %[[C]]
  tile.store %c, %z[%c0, %c0] : tensor<8x32xf32, #columns>, !tile.view<8x32xf32>
}
