// RUN: tilewright-opt %s | tilewright-opt | FileCheck %s
// RUN: tilewright-opt %s --mlir-print-op-generic | tilewright-opt | FileCheck %s

// Atomic operations and fences.

// CHECK: tile.func @through_pointers(%{{[^ ]+}}: tensor<8x!tile.ptr<f32>>, %{{[^ ]+}}: tensor<8xf32>, %{{[^ ]+}}: tensor<8xi1>, %{{[^ ]+}}: !tile.ptr<i32>, %{{[^ ]+}}: i32) {
tile.func @through_pointers(%p: tensor<8x!tile.ptr<f32>>, %v: tensor<8xf32>, %m: tensor<8xi1>, %q: !tile.ptr<i32>, %i: i32) {
  // CHECK: tile.atomic_rmw add relaxed device %{{[^ ]+}}, %{{[^ ]+}} : tensor<8x!tile.ptr<f32>>
  %a = tile.atomic_rmw add relaxed device %v, %p : tensor<8x!tile.ptr<f32>>
  // CHECK: tile.atomic_rmw max acq_rel system %{{[^ ]+}}, %{{[^ ]+}} mask %{{[^ ]+}} : tensor<8x!tile.ptr<f32>>
  %b = tile.atomic_rmw max acq_rel system %v, %p mask %m : tensor<8x!tile.ptr<f32>>
  // CHECK: tile.atomic_rmw and acquire cluster %{{[^ ]+}}, %{{[^ ]+}} : !tile.ptr<i32>
  %c = tile.atomic_rmw and acquire cluster %i, %q : !tile.ptr<i32>
  // CHECK: tile.atomic_cas acquire device %{{[^ ]+}}, %{{[^ ]+}}, %{{[^ ]+}} : !tile.ptr<i32>
  %d = tile.atomic_cas acquire device %i, %i, %q : !tile.ptr<i32>
}
// CHECK: tile.kernel @of_views(%{{[^ ]+}}: !tile.view<?xf32>, %{{[^ ]+}}: index) {
tile.kernel @of_views(%x: !tile.view<?xf32>, %i: index) {
  %t = arith.constant dense<1.0> : tensor<8xf32>
  // CHECK: tile.atomic_reduce add relaxed device %{{[^ ]+}}, %{{[^ ]+}}[%{{[^ ]+}}] : tensor<8xf32>, !tile.view<?xf32>
  tile.atomic_reduce add relaxed device %t, %x[%i] : tensor<8xf32>, !tile.view<?xf32>
  // CHECK: tile.atomic_reduce min release system %{{[^ ]+}}, %{{[^ ]+}} at [%{{[^ ]+}}] step [2] : tensor<8xf32>, !tile.view<?xf32>
  tile.atomic_reduce min release system %t, %x at [%i] step [2] : tensor<8xf32>, !tile.view<?xf32>
  // CHECK: tile.fence acq_rel device
  tile.fence acq_rel device
}
