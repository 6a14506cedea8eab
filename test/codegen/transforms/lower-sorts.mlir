// RUN: tilewright-opt %s -pass-pipeline='builtin.module(tile.kernel(assign-schedules{schedule="warps=2"},assign-layouts,lower-sorts,canonicalize))' | FileCheck %s

// Four keys of 16 bits, each with its location behind it: two pairs are sorted,
// then merged. Then all inputs are gathered at the locations.
// CHECK-LABEL: @four
tile.kernel @four(%x: !tile.view<64x4xi16> {tile.align = 16 : i64}, %v: !tile.view<64x4xf64> {tile.align = 16 : i64}) {
  %c0 = arith.constant 0 : index
  // CHECK-DAG: %[[SIGN:.*]] = arith.constant dense<-32768> : tensor<64x4xi16
  // CHECK-DAG: %[[KEYS:.*]] = tile.load %arg0
  // CHECK-DAG: %[[VALUES:.*]] = tile.load %arg1
  %t = tile.load %x[%c0, %c0] : !tile.view<64x4xi16> -> tensor<64x4xi16>
  %u = tile.load %v[%c0, %c0] : !tile.view<64x4xf64> -> tensor<64x4xf64>
  // CHECK: tilegpu.coordinate axis 1
  // CHECK: arith.xori %{{.*}}, %[[SIGN]]
  // CHECK: arith.extui {{.*}} to tensor<64x4xi32
  // CHECK: arith.shli
  // CHECK: arith.ori
  // CHECK: tilegpu.exchange %{{.*}} axis 1 mask 1
  // CHECK: tilegpu.exchange %{{.*}} axis 1 mask 3
  // CHECK: tilegpu.exchange %{{.*}} axis 1 mask 1
  // CHECK-NOT: tilegpu.exchange
  // CHECK: tile.gather %{{.*}}, %[[LOCATIONS:.*]] axis 1
  // CHECK: tile.gather %{{.*}}, %[[LOCATIONS]] axis 1
  %k, %w = tile.sort %t, %u axis 1 : tensor<64x4xi16>, tensor<64x4xf64>
  tile.store %k, %x[%c0, %c0] : tensor<64x4xi16>, !tile.view<64x4xi16>
  tile.store %w, %v[%c0, %c0] : tensor<64x4xf64>, !tile.view<64x4xf64>
}

// Two warps share the line: the step that brings them together goes through
// shared memory. Keys of 64 bits have their locations beside them.
// CHECK-LABEL: @line
tile.kernel @line(%x: !tile.view<128xi64> {tile.align = 16 : i64}) {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0] : !tile.view<128xi64> -> tensor<128xi64>
  // CHECK-COUNT-42: tilegpu.exchange
  // CHECK: tilegpu.gather_shared {{.*}} -> tensor<128xi64
  // CHECK: tilegpu.gather_shared {{.*}} -> tensor<128xi32
  // CHECK-COUNT-12: tilegpu.exchange
  // CHECK-NOT: tilegpu.exchange
  %k = tile.sort %t axis 0 : tensor<128xi64>
  tile.store %k, %x[%c0] : tensor<128xi64>, !tile.view<128xi64>
}

// The locations of the five largest: a part of all.
// CHECK-LABEL: @largest
tile.kernel @largest(%x: !tile.view<16x64xf32> {tile.align = 16 : i64}, %y: !tile.view<16x5xf32>, %z: !tile.view<16x5xi16>) {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0, %c0] : !tile.view<16x64xf32> -> tensor<16x64xf32>
  // CHECK: %[[LOCATIONS:.*]] = tile.slice %{{.*}} [0, 0] : tensor<16x64xi32, #{{.*}}> -> tensor<16x5xi32, #{{.*}}>
  // CHECK-DAG: tile.gather %{{.*}}, %[[LOCATIONS]] axis 1
  // CHECK-DAG: arith.trunci %[[LOCATIONS]]
  %k, %i = tile.top_k %t axis 1 : tensor<16x64xf32> -> tensor<16x5xf32>, tensor<16x5xi16>
  tile.store %k, %y[%c0, %c0] : tensor<16x5xf32>, !tile.view<16x5xf32>
  tile.store %i, %z[%c0, %c0] : tensor<16x5xi16>, !tile.view<16x5xi16>
}

// 45 steps of 4 registers and more: two loops.
// CHECK-LABEL: @long
tile.kernel @long(%x: !tile.view<4096xf32> {tile.align = 16 : i64}) {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0] : !tile.view<4096xf32> -> tensor<4096xf32>
  // CHECK: scf.for
  // CHECK: scf.for
  // CHECK: tilegpu.store_shared
  // CHECK: tilegpu.gather_shared
  // CHECK-NOT: tilegpu.exchange
  %k = tile.sort %t axis 0 : tensor<4096xf32>
  tile.store %k, %x[%c0] : tensor<4096xf32>, !tile.view<4096xf32>
}
