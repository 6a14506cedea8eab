// RUN: tilewright-opt %s | tilewright-opt | FileCheck %s
// RUN: tilewright-opt %s --mlir-print-op-generic | tilewright-opt | FileCheck %s

// Pointers and the accesses through them.

// CHECK: tile.kernel @pointers(%{{[^ ]+}}: !tile.view<?xf32>, %{{[^ ]+}}: !tile.ptr<f32>, %{{[^ ]+}}: i1) {
tile.kernel @pointers(%x: !tile.view<?xf32>, %p: !tile.ptr<f32>, %m: i1) {
}

// CHECK: tile.func @tiles(%{{[^ ]+}}: !tile.ptr<f32>, %{{[^ ]+}}: tensor<8xi32>, %{{[^ ]+}}: tensor<8xi1>, %{{[^ ]+}}: tensor<8xf32>) {
tile.func @tiles(%p: !tile.ptr<f32>, %i: tensor<8xi32>, %m: tensor<8xi1>, %o: tensor<8xf32>) {
  // CHECK: tile.offset %{{[^ ]+}}, %{{[^ ]+}} : !tile.ptr<f32>, tensor<8xi32>
  %q = tile.offset %p, %i : !tile.ptr<f32>, tensor<8xi32>
  // CHECK: tile.offset %{{[^ ]+}}, %{{[^ ]+}} : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  %r = tile.offset %q, %i : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  // CHECK: tile.load_ptr %{{[^ ]+}} : tensor<8x!tile.ptr<f32>>
  %a = tile.load_ptr %r : tensor<8x!tile.ptr<f32>>
  // CHECK: tile.load_ptr %{{[^ ]+}} mask %{{[^ ]+}} : tensor<8x!tile.ptr<f32>>
  %b = tile.load_ptr %r mask %m : tensor<8x!tile.ptr<f32>>
  // CHECK: tile.load_ptr %{{[^ ]+}} mask %{{[^ ]+}} other %{{[^ ]+}} : tensor<8x!tile.ptr<f32>>
  %c = tile.load_ptr %r mask %m other %o : tensor<8x!tile.ptr<f32>>
  // CHECK: tile.store_ptr %{{[^ ]+}}, %{{[^ ]+}} : tensor<8x!tile.ptr<f32>>
  tile.store_ptr %c, %r : tensor<8x!tile.ptr<f32>>
  // CHECK: tile.store_ptr %{{[^ ]+}}, %{{[^ ]+}} mask %{{[^ ]+}} : tensor<8x!tile.ptr<f32>>
  tile.store_ptr %c, %r mask %m : tensor<8x!tile.ptr<f32>>
  // CHECK: tile.ptr_cast %{{[^ ]+}} : tensor<8x!tile.ptr<f32>> -> tensor<8x!tile.ptr<i32>>
  %d = tile.ptr_cast %r : tensor<8x!tile.ptr<f32>> -> tensor<8x!tile.ptr<i32>>
  // CHECK: tile.ptr_to_int %{{[^ ]+}} : tensor<8x!tile.ptr<i32>> -> tensor<8xi64>
  %e = tile.ptr_to_int %d : tensor<8x!tile.ptr<i32>> -> tensor<8xi64>
  // CHECK: tile.int_to_ptr %{{[^ ]+}} : tensor<8xi64> -> tensor<8x!tile.ptr<f16>>
  %f = tile.int_to_ptr %e : tensor<8xi64> -> tensor<8x!tile.ptr<f16>>
}
// CHECK: tile.kernel @scalars(%{{[^ ]+}}: !tile.view<?xi32>, %{{[^ ]+}}: i1, %{{[^ ]+}}: i32) {
tile.kernel @scalars(%x: !tile.view<?xi32>, %m: i1, %v: i32) {
  // CHECK: tile.base %{{[^ ]+}} : !tile.view<?xi32> -> !tile.ptr<i32>
  %p = tile.base %x : !tile.view<?xi32> -> !tile.ptr<i32>
  // CHECK: tile.load_ptr %{{[^ ]+}} acquire device : !tile.ptr<i32>
  %a = tile.load_ptr %p acquire device : !tile.ptr<i32>
  // CHECK: tile.load_ptr %{{[^ ]+}} mask %{{[^ ]+}} relaxed system : !tile.ptr<i32>
  %b = tile.load_ptr %p mask %m relaxed system : !tile.ptr<i32>
  // CHECK: tile.store_ptr %{{[^ ]+}}, %{{[^ ]+}} release cluster : !tile.ptr<i32>
  tile.store_ptr %v, %p release cluster : !tile.ptr<i32>
  // CHECK: tile.store_ptr %{{[^ ]+}}, %{{[^ ]+}} mask %{{[^ ]+}} relaxed program : !tile.ptr<i32>
  tile.store_ptr %v, %p mask %m relaxed program : !tile.ptr<i32>
}
