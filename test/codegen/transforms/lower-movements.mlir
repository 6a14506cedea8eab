// RUN: tilewright-opt %s -pass-pipeline='builtin.module(tile.kernel(assign-schedules{schedule="warps=2"},assign-layouts,lower-movements))' | FileCheck %s

// Half of the columns: registers hold the bit that chooses the half.
// CHECK-LABEL: @halves
tile.kernel @halves(%x: !tile.view<64x32xf32> {tile.align = 16 : i64}, %y: !tile.view<32x32xf32> {tile.align = 16 : i64}) {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0, %c0] : !tile.view<64x32xf32> -> tensor<64x32xf32>
  // CHECK-NOT: alloc
  // CHECK: tile.slice
  // CHECK-NOT: alloc
  %s = tile.slice %t [32, 0] : tensor<64x32xf32> -> tensor<32x32xf32>
  tile.store %s, %y[%c0, %c0] : tensor<32x32xf32>, !tile.view<32x32xf32>
}

// From an odd location on: the tile is stored whole, once, and read in part.
// Rows as long as all banks get 16 bytes more.
// CHECK-LABEL: @odd
tile.kernel @odd(%x: !tile.view<64x32xf32> {tile.align = 16 : i64}, %y: !tile.view<7x10xf32>) {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0, %c0] : !tile.view<64x32xf32> -> tensor<64x32xf32>
  // CHECK: %[[MEMORY:.*]] = tilegpu.alloc : <64x36xf32
  // CHECK-NEXT: tilegpu.store_shared %{{.*}}, %[[MEMORY]] at [0, 0]
  // CHECK-NEXT: tilegpu.load_shared %[[MEMORY]] at [3, 5] step [2, 1]
  // CHECK-NOT: tilegpu.alloc
  // CHECK-NOT: tile.slice
  // CHECK: tilegpu.load_shared %[[MEMORY]] at [4, 7] step [2, 1]
  %s = tile.slice %t [3, 5] step [2, 1] : tensor<64x32xf32> -> tensor<7x10xf32>
  %r = tile.slice %t [4, 7] step [2, 1] : tensor<64x32xf32> -> tensor<7x10xf32>
  %sum = arith.addf %s, %r : tensor<7x10xf32>
  tile.store %sum, %y[%c0, %c0] : tensor<7x10xf32>, !tile.view<7x10xf32>
}

// Parts that end where cells do are registers of the whole.
// CHECK-LABEL: @rows
tile.kernel @rows(%x: !tile.view<8x32xf32> {tile.align = 16 : i64}, %y: !tile.view<24x32xf32> {tile.align = 16 : i64}) {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0, %c0] : !tile.view<8x32xf32> -> tensor<8x32xf32>
  // CHECK-NOT: alloc
  // CHECK: tile.concat
  // CHECK-NOT: alloc
  %s = tile.concat %t, %t, %t axis 0 : tensor<8x32xf32>, tensor<8x32xf32>, tensor<8x32xf32> -> tensor<24x32xf32>
  tile.store %s, %y[%c0, %c0] : tensor<24x32xf32>, !tile.view<24x32xf32>
}

// Others are stored side by side.
// CHECK-LABEL: @unlike
tile.kernel @unlike(%x: !tile.view<8x32xf32> {tile.align = 16 : i64}, %y: !tile.view<8x5xf32>, %z: !tile.view<8x37xf32>) {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0, %c0] : !tile.view<8x32xf32> -> tensor<8x32xf32>
  %u = tile.load %y[%c0, %c0] : !tile.view<8x5xf32> -> tensor<8x5xf32>
  // CHECK: %[[MEMORY:.*]] = tilegpu.alloc : <8x37xf32
  // CHECK-NEXT: tilegpu.store_shared %{{.*}}, %[[MEMORY]] at [0, 0]
  // CHECK-NEXT: tilegpu.store_shared %{{.*}}, %[[MEMORY]] at [0, 5]
  // CHECK-NEXT: tilegpu.load_shared %[[MEMORY]] :
  %s = tile.concat %u, %t axis 1 : tensor<8x5xf32>, tensor<8x32xf32> -> tensor<8x37xf32>
  tile.store %s, %z[%c0, %c0] : tensor<8x37xf32>, !tile.view<8x37xf32>
}

// CHECK-LABEL: @gather
tile.kernel @gather(%x: !tile.view<64x8xf32> {tile.align = 16 : i64}, %i: !tile.view<16x8xi32> {tile.align = 16 : i64}, %y: !tile.view<16x8xf32> {tile.align = 16 : i64}) {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0, %c0] : !tile.view<64x8xf32> -> tensor<64x8xf32>
  %at = tile.load %i[%c0, %c0] : !tile.view<16x8xi32> -> tensor<16x8xi32>
  // CHECK: %[[MEMORY:.*]] = tilegpu.alloc : <64x8xf32
  // CHECK-NEXT: tilegpu.store_shared %{{.*}}, %[[MEMORY]]
  // CHECK-NEXT: tilegpu.gather_shared %[[MEMORY]], %{{.*}} axis 0
  %s = tile.gather %t, %at axis 0 : tensor<64x8xf32>, tensor<16x8xi32> -> tensor<16x8xf32>
  tile.store %s, %y[%c0, %c0] : tensor<16x8xf32>, !tile.view<16x8xf32>
}

// Counters start at zero, and are of 32 bits whatever is asked for.
// CHECK-LABEL: @histogram
tile.kernel @histogram(%x: !tile.view<256xi8>, %y: !tile.view<10xi64>) {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0] : !tile.view<256xi8> -> tensor<256xi8>
  // CHECK: %[[ZERO:.*]] = arith.constant dense<0> : tensor<10xi32, #{{.*}}>
  // CHECK-NEXT: %[[MEMORY:.*]] = tilegpu.alloc : <10xi32
  // CHECK-NEXT: tilegpu.store_shared %[[ZERO]], %[[MEMORY]]
  // CHECK-NEXT: tilegpu.count_shared %{{.*}}, %[[MEMORY]]
  // CHECK-NEXT: %[[COUNTS:.*]] = tilegpu.load_shared %[[MEMORY]]
  // CHECK-NEXT: arith.extui %[[COUNTS]]
  %h = tile.histogram %t : tensor<256xi8> -> tensor<10xi64>
  tile.store %h, %y[%c0] : tensor<10xi64>, !tile.view<10xi64>
}

// No layout of 3x35 follows: row-major order is that of the memory.
// CHECK-LABEL: @reshape
tile.kernel @reshape(%x: !tile.view<21x5xf32>, %y: !tile.view<3x35xf32>) {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0, %c0] : !tile.view<21x5xf32> -> tensor<21x5xf32>
  // CHECK: %[[MEMORY:.*]] = tilegpu.alloc : <21x5xf32
  // CHECK-NEXT: tilegpu.store_shared %{{.*}}, %[[MEMORY]]
  // CHECK-NEXT: tilegpu.load_shared %[[MEMORY]] : {{.*}} -> tensor<3x35xf32
  %s = tile.reshape %t : tensor<21x5xf32> -> tensor<3x35xf32>
  tile.store %s, %y[%c0, %c0] : tensor<3x35xf32>, !tile.view<3x35xf32>
}
