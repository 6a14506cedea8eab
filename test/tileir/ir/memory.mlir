// RUN: tilewright-opt %s | tilewright-opt | FileCheck %s
// RUN: tilewright-opt %s --mlir-print-op-generic | tilewright-opt | FileCheck %s

// Views and the accesses to their tiles.

// CHECK: tile.kernel @views(%{{[^ ]+}}: !tile.ptr<f32>, %{{[^ ]+}}: index, %{{[^ ]+}}: index) {
tile.kernel @views(%p: !tile.ptr<f32>, %m: index, %n: index) {
  // CHECK: tile.make_view %{{[^ ]+}} sizes[%{{[^ ]+}}, %{{[^ ]+}}] strides[%{{[^ ]+}}] : !tile.ptr<f32> -> !tile.view<?x?xf32, strides<[?, 1]>>
  %a = tile.make_view %p sizes[%m, %n] strides[%n] : !tile.ptr<f32> -> !tile.view<?x?xf32, strides<[?, 1]>>
  // CHECK: tile.make_view %{{[^ ]+}} : !tile.ptr<f32> -> !tile.view<4x4xf32>
  %b = tile.make_view %p : !tile.ptr<f32> -> !tile.view<4x4xf32>
  // CHECK: tile.dim %{{[^ ]+}}, 1 : !tile.view<?x?xf32, strides<[?, 1]>>
  %d = tile.dim %a, 1 : !tile.view<?x?xf32, strides<[?, 1]>>
  // CHECK: tile.stride %{{[^ ]+}}, 0 : !tile.view<?x?xf32, strides<[?, 1]>>
  %s = tile.stride %a, 0 : !tile.view<?x?xf32, strides<[?, 1]>>
  // CHECK: tile.count %{{[^ ]+}}, 0 by 64 : !tile.view<?x?xf32, strides<[?, 1]>>
  %c = tile.count %a, 0 by 64 : !tile.view<?x?xf32, strides<[?, 1]>>
}
// CHECK: tile.kernel @accesses(%{{[^ ]+}}: !tile.view<?x?xbf16>, %{{[^ ]+}}: !tile.view<f32>, %{{[^ ]+}}: !tile.view<?xi8>, %{{[^ ]+}}: index, %{{[^ ]+}}: index) {
tile.kernel @accesses(%x: !tile.view<?x?xbf16>, %y: !tile.view<f32>, %z: !tile.view<?xi8>, %i: index, %j: index) {
  // CHECK: tile.load %{{[^ ]+}}[%{{[^ ]+}}, %{{[^ ]+}}] : !tile.view<?x?xbf16> -> tensor<96x80xbf16>
  %a = tile.load %x[%i, %j] : !tile.view<?x?xbf16> -> tensor<96x80xbf16>
  // CHECK: tile.load %{{[^ ]+}}[%{{[^ ]+}}, %{{[^ ]+}}] pad 0.0 : !tile.view<?x?xbf16> -> tensor<96x80xbf16>
  %b = tile.load %x[%i, %j] pad 0.0 : !tile.view<?x?xbf16> -> tensor<96x80xbf16>
  // CHECK: tile.load %{{[^ ]+}} at [%{{[^ ]+}}, %{{[^ ]+}}] step [2, 1] pad -inf : !tile.view<?x?xbf16> -> tensor<3x5xbf16>
  %c = tile.load %x at [%i, %j] step [2, 1] pad -inf : !tile.view<?x?xbf16> -> tensor<3x5xbf16>
  // CHECK: tile.load %{{[^ ]+}} at [%{{[^ ]+}}, %{{[^ ]+}}] pad nan : !tile.view<?x?xbf16> -> tensor<3x5xbf16>
  %d = tile.load %x at [%i, %j] pad nan : !tile.view<?x?xbf16> -> tensor<3x5xbf16>
  // CHECK: tile.load %{{[^ ]+}} at [%{{[^ ]+}}, %{{[^ ]+}}] pad 1.5 : !tile.view<?x?xbf16> -> tensor<3x5xbf16>
  %e = tile.load %x at [%i, %j] pad 1.5 : !tile.view<?x?xbf16> -> tensor<3x5xbf16>
  // CHECK: tile.load %{{[^ ]+}}[%{{[^ ]+}}] pad -128 : !tile.view<?xi8> -> tensor<16xi8>
  %f = tile.load %z[%i] pad -128 : !tile.view<?xi8> -> tensor<16xi8>
  // CHECK: tile.load %{{[^ ]+}}[] : !tile.view<f32> -> tensor<f32>
  %g = tile.load %y[] : !tile.view<f32> -> tensor<f32>
  // CHECK: tile.store %{{[^ ]+}}, %{{[^ ]+}}[%{{[^ ]+}}, %{{[^ ]+}}] : tensor<96x80xbf16>, !tile.view<?x?xbf16>
  tile.store %a, %x[%i, %j] : tensor<96x80xbf16>, !tile.view<?x?xbf16>
  // CHECK: tile.store %{{[^ ]+}}, %{{[^ ]+}} at [%{{[^ ]+}}, %{{[^ ]+}}] step [2, 1] : tensor<3x5xbf16>, !tile.view<?x?xbf16>
  tile.store %c, %x at [%i, %j] step [2, 1] : tensor<3x5xbf16>, !tile.view<?x?xbf16>
  // CHECK: tile.store %{{[^ ]+}}, %{{[^ ]+}}[] : tensor<f32>, !tile.view<f32>
  tile.store %g, %y[] : tensor<f32>, !tile.view<f32>
}
