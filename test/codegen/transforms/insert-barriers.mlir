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
  // is assumed.
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

// By element, the tiles of two turns overlap; by index they do not.
// CHECK-LABEL: @turns
tile.kernel @turns(%v: !tile.view<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = arith.constant dense<1.0> : tensor<32xf32, #x>
  // CHECK: scf.for
  // CHECK-NEXT: tilegpu.barrier
  // CHECK-NEXT: tile.store
  scf.for %i = %c0 to %c1 step %c1 {
    tile.store %x, %v at [%i] : tensor<32xf32, #x>, !tile.view<64xf32>
  }
}

// CHECK-LABEL: @tiles
tile.kernel @tiles(%v: !tile.view<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = arith.constant dense<1.0> : tensor<32xf32, #x>
  // CHECK: scf.for
  // CHECK-NEXT: tile.store
  // CHECK-NEXT: }
  scf.for %i = %c0 to %c1 step %c1 {
    tile.store %x, %v[%i] : tensor<32xf32, #x>, !tile.view<64xf32>
  }
}

// With strides of its own two elements of a view may have one address.
// CHECK-LABEL: @strides
tile.kernel @strides(%v: !tile.view<32xf32, strides<[?]>>) {
  %c0 = arith.constant 0 : index
  // CHECK: tile.load
  // CHECK-NEXT: tilegpu.barrier
  // CHECK-NEXT: tile.store
  %x = tile.load %v[%c0] : !tile.view<32xf32, strides<[?]>> -> tensor<32xf32, #x>
  tile.store %x, %v[%c0] : tensor<32xf32, #x>, !tile.view<32xf32, strides<[?]>>
}

// A view that a loop carries may be of any memory.
// CHECK-LABEL: @carried
tile.kernel @carried(%v: !tile.view<32xf32>, %w: !tile.view<32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = arith.constant dense<1.0> : tensor<32xf32, #x>
  tile.store %x, %v[%c0] : tensor<32xf32, #x>, !tile.view<32xf32>
  // CHECK: scf.for
  // CHECK-NEXT: tilegpu.barrier
  // CHECK-NEXT: tile.load
  %r:2 = scf.for %i = %c0 to %c1 step %c1 iter_args(%a = %v, %b = %w) -> (!tile.view<32xf32>, !tile.view<32xf32>) {
    %y = tile.load %a[%c0] : !tile.view<32xf32> -> tensor<32xf32, #x>
    tile.store %y, %b[%c0] : tensor<32xf32, #x>, !tile.view<32xf32>
    scf.yield %b, %a : !tile.view<32xf32>, !tile.view<32xf32>
  }
}

// All threads' accesses come before one that releases, and after one that
// acquires, whatever memory they are of.
// CHECK-LABEL: @orders
tile.kernel @orders(%v: !tile.view<32xf32>, %w: !tile.view<32xf32>, %flag: !tile.ptr<i32>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  // CHECK: tile.load
  // CHECK-NEXT: tilegpu.barrier
  // CHECK-NEXT: tile.store_ptr {{.*}} release device
  %x = tile.load %v[%c0] : !tile.view<32xf32> -> tensor<32xf32, #x>
  tile.store_ptr %one, %flag release device : !tile.ptr<i32>
  // The pointer may lead there.
  // CHECK-NEXT: tilegpu.barrier
  // CHECK-NEXT: tile.store
  // CHECK-NEXT: tilegpu.barrier
  // CHECK-NEXT: tile.atomic_reduce {{.*}} release system
  tile.store %x, %v[%c0] : tensor<32xf32, #x>, !tile.view<32xf32>
  tile.atomic_reduce add release system %x, %w[%c0] : tensor<32xf32, #x>, !tile.view<32xf32>
  // Within the program it is a plain access.
  // CHECK-NEXT: tile.load
  // CHECK-NEXT: tile.atomic_reduce {{.*}} release program
  %a = tile.load %v[%c0] : !tile.view<32xf32> -> tensor<32xf32, #x>
  tile.atomic_reduce add release program %a, %w[%c0] : tensor<32xf32, #x>, !tile.view<32xf32>
  // CHECK-NEXT: tilegpu.barrier
  // CHECK-NEXT: tile.load_ptr {{.*}} acquire device
  // CHECK-NEXT: tilegpu.barrier
  // CHECK-NEXT: tile.load
  %f = tile.load_ptr %flag acquire device : !tile.ptr<i32>
  %b = tile.load %w[%c0] : !tile.view<32xf32> -> tensor<32xf32, #x>
}

// CHECK-LABEL: @fences
tile.kernel @fences(%v: !tile.view<32xf32>, %w: !tile.view<32xf32>) {
  %c0 = arith.constant 0 : index
  // CHECK: tile.load
  // CHECK-NEXT: tilegpu.barrier
  // CHECK-NEXT: tile.fence release
  // CHECK-NEXT: tile.load
  // CHECK-NEXT: tile.fence acquire
  // CHECK-NEXT: tilegpu.barrier
  // CHECK-NEXT: tile.load
  // CHECK-NEXT: tilegpu.barrier
  // CHECK-NEXT: tile.fence seq_cst
  // CHECK-NEXT: tilegpu.barrier
  // CHECK-NEXT: tile.load
  // CHECK-NEXT: tile.fence acq_rel program
  %x = tile.load %v[%c0] : !tile.view<32xf32> -> tensor<32xf32, #x>
  tile.fence release device
  %y = tile.load %v[%c0] : !tile.view<32xf32> -> tensor<32xf32, #x>
  tile.fence acquire device
  %z = tile.load %v[%c0] : !tile.view<32xf32> -> tensor<32xf32, #x>
  tile.fence seq_cst system
  %a = tile.load %v[%c0] : !tile.view<32xf32> -> tensor<32xf32, #x>
  tile.fence acq_rel program
}

// Parts of one tile that have nothing in common need no order; the whole does.
#bins = #tilegpu.layout<"memory cell=64 offset=(1),(2),(4),(8),(16),(32)">
// CHECK-LABEL: @parts
tile.kernel @parts() {
  %x = arith.constant dense<1> : tensor<32xi32, #x>
  %a = tilegpu.alloc offset 0 : <64xi32, #bins>
  // CHECK: store_shared {{.*}} at [0]
  // CHECK-NEXT: store_shared {{.*}} at [32]
  // CHECK-NEXT: barrier
  // CHECK-NEXT: store_shared {{.*}} at [31]
  // CHECK-NEXT: barrier
  // CHECK-NEXT: count_shared
  // CHECK-NEXT: barrier
  // CHECK-NEXT: gather_shared
  tilegpu.store_shared %x, %a at [0] : tensor<32xi32, #x>, !tilegpu.shared<64xi32, #bins>
  tilegpu.store_shared %x, %a at [32] : tensor<32xi32, #x>, !tilegpu.shared<64xi32, #bins>
  tilegpu.store_shared %x, %a at [31] : tensor<32xi32, #x>, !tilegpu.shared<64xi32, #bins>
  tilegpu.count_shared %x, %a : tensor<32xi32, #x>, !tilegpu.shared<64xi32, #bins>
  %y = tilegpu.gather_shared %a, %x axis 0 : !tilegpu.shared<64xi32, #bins>, tensor<32xi32, #x> -> tensor<32xi32, #x>
}

// Neither do parts of a view that have nothing in common.
#row = #tilegpu.layout<"registers cell=1x32 lane=(0,1),(0,2),(0,4),(0,8),(0,16)">
// CHECK-LABEL: @parts_of_views
tile.kernel @parts_of_views(%v: !tile.view<?x96xf32>, %s: !tile.view<96xf32, strides<[?]>>) {
  %p = tile.program_id
  %c0 = arith.constant 0 : index
  %c31 = arith.constant 31 : index
  %c32 = arith.constant 32 : index
  %x = arith.constant dense<1.0> : tensor<32xf32, #x>
  %r = arith.constant dense<1.0> : tensor<1x32xf32, #row>
  // CHECK: tile.store {{.*}} at [%{{.*}}, %c0]
  // CHECK-NEXT: tile.store {{.*}} at [%{{.*}}, %c32]
  // CHECK-NEXT: barrier
  // CHECK-NEXT: tile.store {{.*}} at [%{{.*}}, %c31]
  tile.store %r, %v at [%p, %c0] : tensor<1x32xf32, #row>, !tile.view<?x96xf32>
  tile.store %r, %v at [%p, %c32] : tensor<1x32xf32, #row>, !tile.view<?x96xf32>
  tile.store %r, %v at [%p, %c31] : tensor<1x32xf32, #row>, !tile.view<?x96xf32>
  // With strides that are not known they may be the same memory.
  // CHECK: tile.store {{.*}} at [%c0]
  // CHECK-NEXT: barrier
  // CHECK-NEXT: tile.store {{.*}} at [%c32]
  tile.store %x, %s at [%c0] : tensor<32xf32, #x>, !tile.view<96xf32, strides<[?]>>
  tile.store %x, %s at [%c32] : tensor<32xf32, #x>, !tile.view<96xf32, strides<[?]>>
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

// A pipelined loop: the barrier between the wait and the copy orders what was
// copied with its reads, and the reads of the iteration before with the copy
// that fills the same slot. The other two slots need none.
#ring = #tilegpu.layout<"memory cell=32 offset=(1),(2),(4),(8),(16)">
// CHECK-LABEL: @pipelined
tile.kernel @pipelined(%v: !tile.view<1024xf32>, %out: !tile.view<32xf32>) {
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant dense<0.0> : tensor<32xf32, #x>
  %r = tilegpu.alloc offset 0 : <32xf32, #ring, slots = 3>
  %s0 = tilegpu.slot %r[%z] : !tilegpu.shared<32xf32, #ring, slots = 3>
  %t0 = tilegpu.copy to %s0 {
    %x = tile.load %v[%c0] : !tile.view<1024xf32> -> tensor<32xf32, #x>
    tilegpu.yield %x : tensor<32xf32, #x>
  } : !tilegpu.shared<32xf32, #ring>
  %g0 = tilegpu.commit (%t0)
  %s1 = tilegpu.slot %r[%one] : !tilegpu.shared<32xf32, #ring, slots = 3>
  %t1 = tilegpu.copy to %s1 {
    %x = tile.load %v[%c1] : !tile.view<1024xf32> -> tensor<32xf32, #x>
    tilegpu.yield %x : tensor<32xf32, #x>
  } : !tilegpu.shared<32xf32, #ring>
  %g1 = tilegpu.commit (%t1)
  // CHECK: scf.for
  %l:4 = scf.for %i = %c0 to %c32 step %c1 iter_args(%acc = %zero, %n = %z, %a = %g0, %b = %g1) -> (tensor<32xf32, #x>, i32, !tilegpu.token, !tilegpu.token) {
    %m = tilegpu.slot %r[%n] : !tilegpu.shared<32xf32, #ring, slots = 3>
    tilegpu.wait %a for %m : !tilegpu.shared<32xf32, #ring>
    // CHECK: tilegpu.wait
    // CHECK-NEXT: arith.addi
    // CHECK-NEXT: arith.cmpi
    // CHECK-NEXT: tilegpu.advance
    // CHECK-NEXT: tilegpu.slot
    // CHECK-NEXT: tilegpu.barrier
    // CHECK-NEXT: tilegpu.acquire
    // CHECK-NOT: tilegpu.barrier
    // CHECK: scf.yield
    %next = arith.addi %i, %c2 : index
    %live = arith.cmpi slt, %next, %c32 : index
    %w = tilegpu.advance %n by 2 of 3
    %f = tilegpu.slot %r[%w] : !tilegpu.shared<32xf32, #ring, slots = 3>
    tilegpu.acquire %f : !tilegpu.shared<32xf32, #ring>
    %t = tilegpu.copy to %f if %live {
      %x = tile.load %v[%next] : !tile.view<1024xf32> -> tensor<32xf32, #x>
      tilegpu.yield %x : tensor<32xf32, #x>
    } : !tilegpu.shared<32xf32, #ring>
    %g = tilegpu.commit (%t)
    %y = tilegpu.load_shared %m : !tilegpu.shared<32xf32, #ring> -> tensor<32xf32, #x>
    %sum = arith.addf %acc, %y : tensor<32xf32, #x>
    tilegpu.release %m : !tilegpu.shared<32xf32, #ring>
    %n1 = tilegpu.advance %n by 1 of 3
    scf.yield %sum, %n1, %b, %g : tensor<32xf32, #x>, i32, !tilegpu.token, !tilegpu.token
  }
  // Behind the loop nobody touches the ring, until it is written again.
  // CHECK: tilegpu.wait
  // CHECK-NEXT: tilegpu.barrier
  // CHECK-NEXT: tilegpu.store_shared
  tilegpu.wait %l#3 for %r : !tilegpu.shared<32xf32, #ring, slots = 3>
  tilegpu.store_shared %l#0, %s0 : tensor<32xf32, #x>, !tilegpu.shared<32xf32, #ring>
  tile.store %l#0, %out[%c0] : tensor<32xf32, #x>, !tile.view<32xf32>
}

// What a copy reads was written by other threads: the barrier is before the
// copy, whose region has nothing but the read.
// CHECK-LABEL: @copied
tile.kernel @copied(%v: !tile.view<32xf32>) {
  %z = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %r = tilegpu.alloc offset 0 : <32xf32, #ring, slots = 2>
  %s = tilegpu.slot %r[%z] : !tilegpu.shared<32xf32, #ring, slots = 2>
  %y = arith.constant dense<1.0> : tensor<32xf32, #y>
  tile.store %y, %v[%c0] : tensor<32xf32, #y>, !tile.view<32xf32>
  // CHECK: tile.store
  // CHECK-NEXT: tilegpu.barrier
  // CHECK-NEXT: tilegpu.copy
  // CHECK-NEXT: tile.load
  // CHECK-NEXT: tilegpu.yield
  %t = tilegpu.copy to %s {
    %read = tile.load %v[%c0] : !tile.view<32xf32> -> tensor<32xf32, #x>
    tilegpu.yield %read : tensor<32xf32, #x>
  } : !tilegpu.shared<32xf32, #ring>
  %g = tilegpu.commit (%t)
  // The write behind it waits for the read.
  // CHECK: tilegpu.wait
  // CHECK-NEXT: tilegpu.barrier
  // CHECK-NEXT: tile.store
  tilegpu.wait %g for %s : !tilegpu.shared<32xf32, #ring>
  tile.store %y, %v[%c0] : tensor<32xf32, #y>, !tile.view<32xf32>
}
