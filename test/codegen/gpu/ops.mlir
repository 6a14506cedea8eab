// The ops of the scheduled level and back.
// RUN: tilewright-opt %s | tilewright-opt | FileCheck %s

#rows = #tilegpu.layout<"registers cell=8x32 register=(0,1),(0,2) lane=(0,4),(0,8),(0,16),(1,0),(2,0) warp=(4,0)">
#columns = #tilegpu.layout<"registers cell=8x32 register=(1,0),(2,0) lane=(4,0),(0,1),(0,2),(0,4),(0,8) warp=(0,16)">
#parts = #tilegpu.layout<"registers cell=8x1 lane=(0,0),(0,0),(0,0),(1,0),(2,0) warp=(4,0)">
#halves = #tilegpu.layout<"registers cell=8x2 register=(1,0),(2,0) lane=(4,0),(0,0),(0,0),(0,0),(0,0) warp=(0,1)">
#slot = #tilegpu.layout<"memory cell=1">
#whole = #tilegpu.layout<"registers cell=8x2 register=(0,1),(1,0),(2,0) lane=(4,0),(0,0),(0,0),(0,0),(0,0) warp=(0,0)">
#flat = #tilegpu.layout<"registers cell=256 register=(1),(2) lane=(4),(8),(16),(32),(64) warp=(128)">
#bins = #tilegpu.layout<"memory cell=8 offset=(1),(2),(4)">
#memory = #tilegpu.layout<"memory cell=8x32 offset=(0,1),(0,2),(0,4),(0,8),(0,16),(1,0),(2,0),(4,0)">
#turned = #tilegpu.layout<"registers cell=32x8 register=(1,0),(2,0) lane=(4,0),(8,0),(16,0),(0,1),(0,2) warp=(0,4)">
#square = #tilegpu.layout<"memory cell=32x32 offset=(0,1),(0,2),(0,4),(0,8),(0,16),(1,0),(2,0),(4,0),(8,0),(16,0)">

// CHECK-LABEL: @ops
tile.func @ops(%x: tensor<8x32xf32, #rows>, %i: index) {
  // CHECK: tilegpu.convert_layout %{{.*}} : tensor<8x32xf32, #{{.*}}> -> tensor<8x32xf32, #{{.*}}>
  %y = tilegpu.convert_layout %x : tensor<8x32xf32, #rows> -> tensor<8x32xf32, #columns>
  // CHECK: tilegpu.alloc offset 1024 : <8x32xf32, #{{.*}}>
  %m = tilegpu.alloc offset 1024 : <8x32xf32, #memory>
  // CHECK: tilegpu.store_shared
  tilegpu.store_shared %x, %m : tensor<8x32xf32, #rows>, !tilegpu.shared<8x32xf32, #memory>
  // CHECK: tilegpu.barrier
  tilegpu.barrier
  // CHECK: tilegpu.load_shared
  %z = tilegpu.load_shared %m : !tilegpu.shared<8x32xf32, #memory> -> tensor<8x32xf32, #columns>
  %slot = tilegpu.alloc : <1xf32, #slot>
  // CHECK: tilegpu.store_element %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}} : tensor<8x32xf32, #{{.*}}>, !tilegpu.shared<1xf32, #{{.*}}>
  tilegpu.store_element %x[%i, %i], %slot : tensor<8x32xf32, #rows>, !tilegpu.shared<1xf32, #slot>
  // CHECK: tilegpu.reduce %{{.*}} axis 1
  %r = tilegpu.reduce %x axis 1 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    // CHECK: tilegpu.yield
    tilegpu.yield %s : f32
  } : tensor<8x32xf32, #rows> -> tensor<8x1xf32, #parts>
  // Two warps hold parts of each row.
  %h = tilegpu.reduce %y axis 1 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tilegpu.yield %s : f32
  } : tensor<8x32xf32, #columns> -> tensor<8x2xf32, #halves>
  %right = tilegpu.alloc : <32x32xf32, #square>
  // CHECK: tilegpu.dot %{{.*}}, %{{.*}}, %{{.*}} precision tf32 : !tilegpu.shared<8x32xf32, #{{.*}}>, !tilegpu.shared<32x32xf32, #{{.*}}> -> tensor<8x32xf32, #{{.*}}>
  %d = tilegpu.dot %m, %right, %x precision tf32 : !tilegpu.shared<8x32xf32, #memory>, !tilegpu.shared<32x32xf32, #square> -> tensor<8x32xf32, #rows>
  // CHECK: tilegpu.scan %{{.*}} totals %{{.*}} axis 1 reverse
  %w = tilegpu.convert_layout %h : tensor<8x2xf32, #halves> -> tensor<8x2xf32, #whole>
  %p = tilegpu.scan %y totals %w axis 1 reverse {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tilegpu.yield %s : f32
  } : tensor<8x32xf32, #columns> totals tensor<8x2xf32, #whole> -> tensor<8x32xf32, #columns>
  // CHECK: tilegpu.coordinate axis 0 : tensor<8x32xi32, #{{.*}}>
  %c = tilegpu.coordinate axis 0 : tensor<8x32xi32, #rows>
  // CHECK: tilegpu.exchange %{{.*}} axis 1 mask 7
  %e = tilegpu.exchange %x axis 1 mask 7 : tensor<8x32xf32, #rows>
  // CHECK: tilegpu.store_shared %{{.*}}, %{{.*}} at [0, 1] step [1, 30]
  tilegpu.store_shared %h, %m at [0, 1] step [1, 30] : tensor<8x2xf32, #halves>, !tilegpu.shared<8x32xf32, #memory>
  // CHECK: tilegpu.load_shared %{{.*}} at [0, 3]
  %q = tilegpu.load_shared %m at [0, 3] : !tilegpu.shared<8x32xf32, #memory> -> tensor<8x2xf32, #halves>
  // CHECK: tilegpu.gather_shared %{{.*}}, %{{.*}} axis 1
  %g = tilegpu.gather_shared %m, %c axis 1 : !tilegpu.shared<8x32xf32, #memory>, tensor<8x32xi32, #rows> -> tensor<8x32xf32, #rows>
  // Other shapes, row-major.
  // CHECK: tilegpu.load_shared %{{.*}} : !tilegpu.shared<8x32xf32, #{{.*}}> -> tensor<256xf32, #{{.*}}>
  %u = tilegpu.load_shared %m : !tilegpu.shared<8x32xf32, #memory> -> tensor<256xf32, #flat>
  %n = tilegpu.alloc : <8xi32, #bins>
  %k = arith.cmpi eq, %c, %c : tensor<8x32xi32, #rows>
  // CHECK: tilegpu.count_shared %{{.*}}, %{{.*}} : tensor
  tilegpu.count_shared %c, %n : tensor<8x32xi32, #rows>, !tilegpu.shared<8xi32, #bins>
  // CHECK: tilegpu.count_shared %{{.*}}, %{{.*}} mask %{{.*}}
  tilegpu.count_shared %c, %n mask %k : tensor<8x32xi32, #rows>, !tilegpu.shared<8xi32, #bins> mask tensor<8x32xi1, #rows>
  tile.return
}

#sums = #tilegpu.layout<"mma.m16n8k16.c f16 shape=32x16 warps=2x1">
#lhs = #tilegpu.layout<"swizzle 32B 32x16 f16">
#rhs = #tilegpu.layout<"swizzle 32B 16x16 f16">
// CHECK-LABEL: @matrices
tile.func @matrices(%acc: tensor<32x16xf32, #sums>) {
  %a = tilegpu.alloc : <32x16xf16, #lhs>
  %b = tilegpu.alloc : <16x16xf16, #rhs>
  // CHECK: tilegpu.mma "mma.m16n8k16.f16" %{{.*}}, %{{.*}}, %{{.*}} : !tilegpu.shared<32x16xf16, #{{.*}}>, !tilegpu.shared<16x16xf16, #{{.*}}> -> tensor<32x16xf32, #{{.*}}>
  %r = tilegpu.mma "mma.m16n8k16.f16" %a, %b, %acc : !tilegpu.shared<32x16xf16, #lhs>, !tilegpu.shared<16x16xf16, #rhs> -> tensor<32x16xf32, #sums>
  tile.return
}

#fragments = #tilegpu.layout<"mma.m16n8k16.a f16 shape=32x16 warps=2x1">
// CHECK-LABEL: @fragments
tile.func @fragments(%x: tensor<32x16xf16, #fragments>, %acc: tensor<32x16xf32, #sums>) {
  %b = tilegpu.alloc : <16x16xf16, #rhs>
  // CHECK: tilegpu.mma "mma.m16n8k16.f16" %{{.*}}, %{{.*}}, %{{.*}} : tensor<32x16xf16, #{{.*}}>, !tilegpu.shared<16x16xf16, #{{.*}}> -> tensor<32x16xf32, #{{.*}}>
  %r = tilegpu.mma "mma.m16n8k16.f16" %x, %b, %acc : tensor<32x16xf16, #fragments>, !tilegpu.shared<16x16xf16, #rhs> -> tensor<32x16xf32, #sums>
  tile.return
}

#ring = #tilegpu.layout<"memory cell=8x32 offset=(0,1),(0,2),(0,4),(0,8),(0,16),(1,0),(2,0),(4,0)">
// CHECK-LABEL: @copies
tile.kernel @copies(%v: !tile.view<32x8xf32>, %n: i32, %live: i1) {
  %c0 = arith.constant 0 : index
  // CHECK: tilegpu.alloc : <8x32xf32, #{{.*}}, slots = 3>
  %r = tilegpu.alloc : <8x32xf32, #ring, slots = 3>
  // CHECK: tilegpu.advance %{{.*}} by 2 of 3
  %m = tilegpu.advance %n by 2 of 3
  // CHECK: tilegpu.slot %{{.*}}[%{{.*}}] : !tilegpu.shared<8x32xf32, #{{.*}}, slots = 3>
  %s = tilegpu.slot %r[%m] : !tilegpu.shared<8x32xf32, #ring, slots = 3>
  // CHECK: tilegpu.acquire %{{.*}} : !tilegpu.shared<8x32xf32, #{{.*}}>
  tilegpu.acquire %s : !tilegpu.shared<8x32xf32, #ring>
  // CHECK: tilegpu.copy to %{{.*}} if %{{.*}} {
  // CHECK-NEXT: tile.load
  // CHECK-NEXT: tile.transpose
  // CHECK-NEXT: tilegpu.yield
  // CHECK-NEXT: } : !tilegpu.shared<8x32xf32, #{{.*}}>
  %t = tilegpu.copy to %s if %live {
    %x = tile.load %v[%c0, %c0] : !tile.view<32x8xf32> -> tensor<32x8xf32, #turned>
    %y = tile.transpose %x [1, 0] : tensor<32x8xf32, #turned> -> tensor<8x32xf32, #rows>
    tilegpu.yield %y : tensor<8x32xf32, #rows>
  } : !tilegpu.shared<8x32xf32, #ring>
  // CHECK: tilegpu.commit(%{{.*}})
  %g = tilegpu.commit (%t)
  // CHECK: tilegpu.commit()
  %e = tilegpu.commit ()
  // CHECK: tilegpu.wait %{{.*}} for %{{.*}} : !tilegpu.shared<8x32xf32, #{{.*}}>
  tilegpu.wait %g for %s : !tilegpu.shared<8x32xf32, #ring>
  // CHECK: tilegpu.release %{{.*}} : !tilegpu.shared<8x32xf32, #{{.*}}>
  tilegpu.release %s : !tilegpu.shared<8x32xf32, #ring>
}
