// RUN: tilewright-opt %s -pass-pipeline='builtin.module(tile.kernel(insert-barriers))' | FileCheck %s

#x = #tilegpu.layout<"registers cell=32 lane=(1),(2),(4),(8),(16)">
#memory = #tilegpu.layout<"memory cell=32 offset=(1),(2),(4),(8),(16)">

// A read after a write, and a write after that read; not between tiles that
// share no byte.
// CHECK-LABEL: @straight
tile.kernel @straight() {
  %x = arith.constant dense<1.0> : tensor<32xf32, #x>
  %a = tilegpu.alloc offset 0 : <32xf32, #memory>
  %b = tilegpu.alloc offset 128 : <32xf32, #memory>
  // CHECK: store_shared
  // CHECK-NEXT: store_shared
  // CHECK-NEXT: barrier
  // CHECK-NEXT: load_shared
  // CHECK-NEXT: load_shared
  // CHECK-NEXT: barrier
  // CHECK-NEXT: store_shared
  tilegpu.store_shared %x, %a : tensor<32xf32, #x>, !tilegpu.shared<32xf32, #memory>
  tilegpu.store_shared %x, %b : tensor<32xf32, #x>, !tilegpu.shared<32xf32, #memory>
  %y = tilegpu.load_shared %a : !tilegpu.shared<32xf32, #memory> -> tensor<32xf32, #x>
  %z = tilegpu.load_shared %b : !tilegpu.shared<32xf32, #memory> -> tensor<32xf32, #x>
  tilegpu.store_shared %x, %a : tensor<32xf32, #x>, !tilegpu.shared<32xf32, #memory>
}

// The read of one turn and the write of the next.
// CHECK-LABEL: @loop
tile.kernel @loop(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = arith.constant dense<1.0> : tensor<32xf32, #x>
  // CHECK: scf.for
  scf.for %i = %c0 to %n step %c1 {
    // CHECK-NEXT: alloc
    // CHECK-NEXT: barrier
    // CHECK-NEXT: store_shared
    // CHECK-NEXT: barrier
    // CHECK-NEXT: load_shared
    %a = tilegpu.alloc offset 0 : <32xf32, #memory>
    tilegpu.store_shared %x, %a : tensor<32xf32, #x>, !tilegpu.shared<32xf32, #memory>
    %y = tilegpu.load_shared %a : !tilegpu.shared<32xf32, #memory> -> tensor<32xf32, #x>
  }
}

// A write in one branch is seen after both.
// CHECK-LABEL: @branch
tile.kernel @branch(%c: i1) {
  %x = arith.constant dense<1.0> : tensor<32xf32, #x>
  %a = tilegpu.alloc offset 0 : <32xf32, #memory>
  scf.if %c {
    tilegpu.store_shared %x, %a : tensor<32xf32, #x>, !tilegpu.shared<32xf32, #memory>
  }
  // CHECK: }
  // CHECK-NEXT: barrier
  // CHECK-NEXT: load_shared
  %y = tilegpu.load_shared %a : !tilegpu.shared<32xf32, #memory> -> tensor<32xf32, #x>
}

// Global memory keeps program order: what one thread wrote, another reads.
#y = #tilegpu.layout<"registers cell=32 lane=(16),(8),(4),(2),(1)">
// CHECK-LABEL: @global
tile.kernel @global(%v: !tile.view<32xf32>, %w: !tile.view<32xf32>) {
  %c0 = arith.constant 0 : index
  // In one layout each thread meets its own; through another argument no order
  // is promised.
  // CHECK: tile.load
  // CHECK-NEXT: tile.store
  // CHECK-NEXT: tile.load
  // CHECK-NEXT: tile.load
  %x = tile.load %v[%c0] : !tile.view<32xf32> -> tensor<32xf32, #x>
  tile.store %x, %v[%c0] : tensor<32xf32, #x>, !tile.view<32xf32>
  %a = tile.load %v[%c0] : !tile.view<32xf32> -> tensor<32xf32, #x>
  %b = tile.load %w[%c0] : !tile.view<32xf32> -> tensor<32xf32, #y>
  // CHECK-NEXT: barrier
  // CHECK-NEXT: tile.load
  %c = tile.load %v[%c0] : !tile.view<32xf32> -> tensor<32xf32, #y>
}

// PTX may write any memory, unless it is pure.
// CHECK-LABEL: @inline_ptx
tile.kernel @inline_ptx(%v: !tile.view<32xf32>) {
  %c0 = arith.constant 0 : index
  // CHECK: tile.load
  // CHECK-NEXT: tile.inline_ptx
  // CHECK-NEXT: barrier
  // CHECK-NEXT: tile.inline_ptx
  // CHECK-NEXT: barrier
  // CHECK-NEXT: tile.load
  %x = tile.load %v[%c0] : !tile.view<32xf32> -> tensor<32xf32, #x>
  %y = tile.inline_ptx "neg.f32 $0, $1;" constraints "=f,f" pure (%x) : (tensor<32xf32, #x>) -> tensor<32xf32, #x>
  tile.inline_ptx "st.global.f32 [buffer], $0;" constraints "f" (%y) : (tensor<32xf32, #x>) -> ()
  %z = tile.load %v[%c0] : !tile.view<32xf32> -> tensor<32xf32, #x>
}
