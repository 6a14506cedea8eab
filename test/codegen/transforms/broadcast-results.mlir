// RUN: tilewright-opt %s -pass-pipeline='builtin.module(tile.kernel(broadcast-results))' | FileCheck %s

#x = #tilegpu.layout<"registers cell=32x2 register=(0,1) lane=(1,0),(2,0),(4,0),(8,0),(16,0) warp=(0,0)">
#own = #tilegpu.layout<"registers cell=64 lane=(1),(2),(4),(8),(16) warp=(32)">
#half = #tilegpu.layout<"registers cell=32 lane=(1),(2),(4),(8),(16) warp=(0)">
#some = #tilegpu.layout<"registers cell=2x8 repeats=5x1 lane=(0,1),(0,2),(0,4),(0,0),(0,0) warp=(1,0)">
#all = #tilegpu.layout<"registers cell=1 lane=(0),(0),(0),(0),(0) warp=(0)">

// The thread that has the element writes it, all read it.
// CHECK-LABEL: @extract
tile.kernel @extract(%v: !tile.view<64xi32>, %i: index, %j: index) attributes {tilegpu.warps = 2 : i64} {
  %x = arith.constant dense<1> : tensor<32x2xi32, #x>
  // CHECK: %[[M:.*]] = tilegpu.alloc : <1xi32, #[[ONE:.*]]>
  // CHECK-NEXT: tilegpu.store_element %{{.*}}[%{{.*}}, %{{.*}}], %[[M]]
  // CHECK-NEXT: %[[T:.*]] = tilegpu.load_shared %[[M]]
  // CHECK: tile.extract %[[T]][%{{.*}}] : tensor<1xi32, #[[ALL:.*]]>
  %e = tile.extract %x[%i, %j] : tensor<32x2xi32, #x>
  // An element that all threads hold stays.
  %one = tile.splat %e : i32 -> tensor<1xi32, #all>
  // CHECK: tile.splat
  // CHECK-NEXT: tile.extract
  %f = tile.extract %one[%i] : tensor<1xi32, #all>
}

// A scalar is a tile of one element.
// CHECK-LABEL: @scalar
tile.kernel @scalar(%p: !tile.ptr<i32>, %v: i32, %m: i1, %out: !tile.ptr<i32>) attributes {tilegpu.warps = 2 : i64} {
  // CHECK-DAG: tile.splat %{{.*}} : i32 -> tensor<1xi32, #{{.*}}>
  // CHECK-DAG: tile.splat %{{.*}} : !tile.ptr<i32> -> tensor<1x!tile.ptr<i32>
  // CHECK-DAG: tile.splat %{{.*}} : i1 -> tensor<1xi1
  // CHECK: %[[OLD:.*]] = tile.atomic_rmw add relaxed device %{{.*}}, %{{.*}} mask %{{.*}} : tensor<1x!tile.ptr<i32>
  // CHECK: tilegpu.store_shared %[[OLD]]
  // CHECK: tilegpu.load_shared
  // CHECK: tile.extract
  %old = tile.atomic_rmw add relaxed device %v, %p mask %m : !tile.ptr<i32>
  // No one needs this result.
  // CHECK: tile.atomic_rmw max
  // CHECK-NOT: store_shared
  %unused = tile.atomic_rmw max relaxed device %old, %p : !tile.ptr<i32>
  // CHECK: tile.load_ptr %{{.*}} acquire device : tensor<1x!tile.ptr<i32>
  // CHECK: tilegpu.store_shared
  %flag = tile.load_ptr %p acquire device : !tile.ptr<i32>
  // Of a plain load each thread has its own.
  // CHECK: tile.load_ptr %{{.*}} : !tile.ptr<i32>
  %plain = tile.load_ptr %p : !tile.ptr<i32>
  // CHECK: tile.store_ptr
  %sum = arith.addi %flag, %plain : i32
  tile.store_ptr %sum, %out : !tile.ptr<i32>
}

// Where each element is in one thread, the thread keeps what it got.
// CHECK-LABEL: @tiles
tile.kernel @tiles(%p: !tile.ptr<f32>) attributes {tilegpu.warps = 2 : i64} {
  %i = tile.iota : tensor<64xi32, #own>
  %one = arith.constant dense<1.0> : tensor<64xf32, #own>
  %at = tile.offset %p, %i : !tile.ptr<f32>, tensor<64xi32, #own>
  // CHECK: tile.atomic_rmw
  // CHECK-NOT: shared
  // CHECK: tile.store_ptr
  %old = tile.atomic_rmw add relaxed device %one, %at : tensor<64x!tile.ptr<f32>, #own>
  tile.store_ptr %old, %at : tensor<64x!tile.ptr<f32>, #own>
  %j = tile.iota : tensor<32xi32, #half>
  %two = arith.constant dense<2.0> : tensor<32xf32, #half>
  %to = tile.offset %p, %j : !tile.ptr<f32>, tensor<32xi32, #half>
  // The second warp has copies.
  // CHECK: %[[HALF:.*]] = tile.atomic_rmw
  // CHECK-NEXT: tilegpu.alloc : <32xf32, #{{.*}}>
  // CHECK-NEXT: tilegpu.store_shared %[[HALF]]
  // CHECK-NEXT: %[[READ:.*]] = tilegpu.load_shared
  // CHECK-NEXT: tile.store_ptr %[[READ]]
  %was = tile.atomic_rmw add relaxed device %two, %to : tensor<32x!tile.ptr<f32>, #half>
  tile.store_ptr %was, %to : tensor<32x!tile.ptr<f32>, #half>
}

// Some dimensions have repeats: the memory has the order of the registers'.
// CHECK-LABEL: @repeats
tile.kernel @repeats(%p: !tile.ptr<i32>) attributes {tilegpu.warps = 2 : i64} {
  %i = arith.constant dense<1> : tensor<10x5xi32, #some>
  %at = tile.offset %p, %i : !tile.ptr<i32>, tensor<10x5xi32, #some>
  // CHECK: %[[OLD:.*]] = tile.atomic_rmw
  // CHECK-NEXT: %[[M:.*]] = tilegpu.alloc : <10x5xi32, #[[MEMORY:.*]]>
  // CHECK-NEXT: tilegpu.store_shared %[[OLD]], %[[M]]
  // CHECK-NEXT: tilegpu.load_shared %[[M]]
  %old = tile.atomic_rmw xor relaxed device %i, %at : tensor<10x5x!tile.ptr<i32>, #some>
  tile.store_ptr %old, %at : tensor<10x5x!tile.ptr<i32>, #some>
}
