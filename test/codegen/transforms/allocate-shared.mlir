// RUN: tilewright-opt %s -pass-pipeline='builtin.module(tile.kernel(allocate-shared))' | FileCheck %s

#x = #tilegpu.layout<"registers cell=32 lane=(1),(2),(4),(8),(16)">
#memory = #tilegpu.layout<"memory cell=32 offset=(1),(2),(4),(8),(16)">

// The first two are alive together, the third takes the place of the first.
// CHECK-LABEL: @reuse
// CHECK-SAME: tilegpu.shared = 256
tile.kernel @reuse() {
  %x = arith.constant dense<1.0> : tensor<32xf32, #x>
  // CHECK: tilegpu.alloc offset 0
  %a = tilegpu.alloc : <32xf32, #memory>
  // CHECK: tilegpu.alloc offset 128
  %b = tilegpu.alloc : <32xf32, #memory>
  tilegpu.store_shared %x, %a : tensor<32xf32, #x>, !tilegpu.shared<32xf32, #memory>
  tilegpu.store_shared %x, %b : tensor<32xf32, #x>, !tilegpu.shared<32xf32, #memory>
  // CHECK: tilegpu.alloc offset 0
  %c = tilegpu.alloc : <32xf32, #memory>
  tilegpu.store_shared %x, %c : tensor<32xf32, #x>, !tilegpu.shared<32xf32, #memory>
}

// One warp has a KiB for nothing: no memory is used again, so that no barrier is
// needed between.
// CHECK-LABEL: @apart
// CHECK-SAME: tilegpu.shared = 384
tile.kernel @apart() attributes {tilegpu.warps = 1 : i64} {
  %x = arith.constant dense<1.0> : tensor<32xf32, #x>
  // CHECK: tilegpu.alloc offset 0
  %a = tilegpu.alloc : <32xf32, #memory>
  tilegpu.store_shared %x, %a : tensor<32xf32, #x>, !tilegpu.shared<32xf32, #memory>
  // CHECK: tilegpu.alloc offset 128
  %b = tilegpu.alloc : <32xf32, #memory>
  tilegpu.store_shared %x, %b : tensor<32xf32, #x>, !tilegpu.shared<32xf32, #memory>
  // CHECK: tilegpu.alloc offset 256
  %c = tilegpu.alloc : <32xf32, #memory>
  tilegpu.store_shared %x, %c : tensor<32xf32, #x>, !tilegpu.shared<32xf32, #memory>
}

// What is accessed in a loop is alive in all of it.
// CHECK-LABEL: @loop
// CHECK-SAME: tilegpu.shared = 256
tile.kernel @loop(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = arith.constant dense<1.0> : tensor<32xf32, #x>
  %a = tilegpu.alloc : <32xf32, #memory>
  tilegpu.store_shared %x, %a : tensor<32xf32, #x>, !tilegpu.shared<32xf32, #memory>
  scf.for %i = %c0 to %n step %c1 {
    %y = tilegpu.load_shared %a : !tilegpu.shared<32xf32, #memory> -> tensor<32xf32, #x>
    %b = tilegpu.alloc : <32xf32, #memory>
    tilegpu.store_shared %x, %b : tensor<32xf32, #x>, !tilegpu.shared<32xf32, #memory>
  }
}

// A ring is alive as long as one of its slots. Slots begin at multiples of 128.
#one = #tilegpu.layout<"memory cell=8 offset=(1),(2),(4)">
#few = #tilegpu.layout<"registers cell=8 lane=(1),(2),(4),(0),(0)">
// CHECK-LABEL: @ring
// CHECK-SAME: tilegpu.shared = 416
tile.kernel @ring(%n: i32) {
  %x = arith.constant dense<1.0> : tensor<8xf32, #few>
  // CHECK: tilegpu.alloc offset 0 : <8xf32, {{.*}}, slots = 3>
  %a = tilegpu.alloc : <8xf32, #one, slots = 3>
  %s = tilegpu.slot %a[%n] : !tilegpu.shared<8xf32, #one, slots = 3>
  // CHECK: tilegpu.alloc offset 288
  %b = tilegpu.alloc : <32xf32, #memory>
  tilegpu.store_shared %x, %s : tensor<8xf32, #few>, !tilegpu.shared<8xf32, #one>
}
