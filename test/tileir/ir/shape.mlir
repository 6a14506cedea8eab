// RUN: tilewright-opt %s | tilewright-opt | FileCheck %s
// RUN: tilewright-opt %s --mlir-print-op-generic | tilewright-opt | FileCheck %s

// Ops that make tiles and move their elements.

// CHECK: tile.func @make(%{{[^ ]+}}: f32) {
tile.func @make(%s: f32) {
  // CHECK: tile.iota : tensor<96xi32>
  %a = tile.iota : tensor<96xi32>
  // CHECK: tile.splat %{{[^ ]+}} : f32 -> tensor<8x4xf32>
  %b = tile.splat %s : f32 -> tensor<8x4xf32>
}
// CHECK: tile.func @move(%{{[^ ]+}}: tensor<1x4xf32>, %{{[^ ]+}}: tensor<8x4xf32>, %{{[^ ]+}}: index, %{{[^ ]+}}: tensor<2x4xi32>) {
tile.func @move(%t: tensor<1x4xf32>, %a: tensor<8x4xf32>, %i: index, %n: tensor<2x4xi32>) {
  // CHECK: tile.broadcast %{{[^ ]+}} : tensor<1x4xf32> -> tensor<8x4xf32>
  %b = tile.broadcast %t : tensor<1x4xf32> -> tensor<8x4xf32>
  // CHECK: tile.reshape %{{[^ ]+}} : tensor<8x4xf32> -> tensor<2x16xf32>
  %c = tile.reshape %b : tensor<8x4xf32> -> tensor<2x16xf32>
  // CHECK: tile.transpose %{{[^ ]+}} [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
  %d = tile.transpose %b [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
  // CHECK: tile.join %{{[^ ]+}}, %{{[^ ]+}}, %{{[^ ]+}} : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32> -> tensor<8x4x3xf32>
  %e = tile.join %a, %b, %a : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32> -> tensor<8x4x3xf32>
  // CHECK: tile.split %{{[^ ]+}} : tensor<8x4xf32> -> tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  %f:4 = tile.split %a : tensor<8x4xf32> -> tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  // CHECK: tile.concat %{{[^ ]+}}, %{{[^ ]+}} axis 0 : tensor<8x4xf32>, tensor<1x4xf32> -> tensor<9x4xf32>
  %g = tile.concat %a, %t axis 0 : tensor<8x4xf32>, tensor<1x4xf32> -> tensor<9x4xf32>
  // CHECK: tile.slice %{{[^ ]+}} [2, 0] : tensor<8x4xf32> -> tensor<3x4xf32>
  %h = tile.slice %a [2, 0] : tensor<8x4xf32> -> tensor<3x4xf32>
  // CHECK: tile.slice %{{[^ ]+}} [0, 1] step [3, 2] : tensor<8x4xf32> -> tensor<2x2xf32>
  %j = tile.slice %a [0, 1] step [3, 2] : tensor<8x4xf32> -> tensor<2x2xf32>
  // CHECK: tile.extract %{{[^ ]+}}[%{{[^ ]+}}, %{{[^ ]+}}] : tensor<8x4xf32>
  %k = tile.extract %a[%i, %i] : tensor<8x4xf32>
  // CHECK: tile.gather %{{[^ ]+}}, %{{[^ ]+}} axis 0 : tensor<8x4xf32>, tensor<2x4xi32> -> tensor<2x4xf32>
  %l = tile.gather %a, %n axis 0 : tensor<8x4xf32>, tensor<2x4xi32> -> tensor<2x4xf32>
}
