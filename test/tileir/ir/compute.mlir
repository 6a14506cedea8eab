// RUN: tilewright-opt %s | tilewright-opt | FileCheck %s
// RUN: tilewright-opt %s --mlir-print-op-generic | tilewright-opt | FileCheck %s

// Contractions, reductions, order, conversion, random numbers.

// CHECK: tile.func @dots(%{{[^ ]+}}: tensor<8x4xf32>, %{{[^ ]+}}: tensor<4x6xf32>, %{{[^ ]+}}: tensor<8x6xf32>, %{{[^ ]+}}: tensor<2x8x4xi8>, %{{[^ ]+}}: tensor<2x4x6xi8>, %{{[^ ]+}}: tensor<2x8x6xi32>) {
tile.func @dots(%a: tensor<8x4xf32>, %b: tensor<4x6xf32>, %c: tensor<8x6xf32>, %d: tensor<2x8x4xi8>, %e: tensor<2x4x6xi8>, %f: tensor<2x8x6xi32>) {
  // CHECK: tile.dot %{{[^ ]+}}, %{{[^ ]+}}, %{{[^ ]+}} : tensor<8x4xf32>, tensor<4x6xf32> -> tensor<8x6xf32>
  %0 = tile.dot %a, %b, %c : tensor<8x4xf32>, tensor<4x6xf32> -> tensor<8x6xf32>
  // CHECK: tile.dot %{{[^ ]+}}, %{{[^ ]+}}, %{{[^ ]+}} precision tf32x3 : tensor<8x4xf32>, tensor<4x6xf32> -> tensor<8x6xf32>
  %1 = tile.dot %a, %b, %c precision tf32x3 : tensor<8x4xf32>, tensor<4x6xf32> -> tensor<8x6xf32>
  // CHECK: tile.dot %{{[^ ]+}}, %{{[^ ]+}}, %{{[^ ]+}} lhs_unsigned rhs_unsigned : tensor<2x8x4xi8>, tensor<2x4x6xi8> -> tensor<2x8x6xi32>
  %2 = tile.dot %d, %e, %f lhs_unsigned rhs_unsigned : tensor<2x8x4xi8>, tensor<2x4x6xi8> -> tensor<2x8x6xi32>
}
// CHECK: tile.func @scaled(%{{[^ ]+}}: tensor<8x64xf8E4M3FN>, %{{[^ ]+}}: tensor<8x2xf8E8M0FNU>, %{{[^ ]+}}: tensor<64x8xf4E2M1FN>, %{{[^ ]+}}: tensor<2x8xf8E8M0FNU>, %{{[^ ]+}}: tensor<8x8xf32>) {
tile.func @scaled(%a: tensor<8x64xf8E4M3FN>, %as: tensor<8x2xf8E8M0FNU>, %b: tensor<64x8xf4E2M1FN>, %bs: tensor<2x8xf8E8M0FNU>, %c: tensor<8x8xf32>) {
  // CHECK: tile.scaled_dot %{{[^ ]+}} scale %{{[^ ]+}}, %{{[^ ]+}} scale %{{[^ ]+}}, %{{[^ ]+}} : tensor<8x64xf8E4M3FN> scale tensor<8x2xf8E8M0FNU>, tensor<64x8xf4E2M1FN> scale tensor<2x8xf8E8M0FNU> -> tensor<8x8xf32>
  %0 = tile.scaled_dot %a scale %as, %b scale %bs, %c : tensor<8x64xf8E4M3FN> scale tensor<8x2xf8E8M0FNU>, tensor<64x8xf4E2M1FN> scale tensor<2x8xf8E8M0FNU> -> tensor<8x8xf32>
}
// CHECK: tile.func @combine(%{{[^ ]+}}: tensor<8x64xf32>, %{{[^ ]+}}: tensor<8x64xi32>) {
tile.func @combine(%x: tensor<8x64xf32>, %i: tensor<8x64xi32>) {
  // CHECK: tile.reduce %{{[^ ]+}}, %{{[^ ]+}} axis 1 {
  %a, %b = tile.reduce %x, %i axis 1 {
  ^bb0(%l: f32, %li: i32, %r: f32, %ri: i32):
    %c = arith.cmpf oge, %l, %r : f32
    %v = arith.select %c, %l, %r : f32
    %w = arith.select %c, %li, %ri : i32
    // CHECK: tile.yield %{{[^ ]+}}, %{{[^ ]+}} : f32, i32
    tile.yield %v, %w : f32, i32
  // CHECK-NEXT: } : tensor<8x64xf32>, tensor<8x64xi32> -> tensor<8xf32>, tensor<8xi32>
  } : tensor<8x64xf32>, tensor<8x64xi32> -> tensor<8xf32>, tensor<8xi32>
  // CHECK: tile.scan %{{[^ ]+}} axis 0 reverse {
  %s = tile.scan %i axis 0 reverse {
  ^bb0(%l: i32, %r: i32):
    %v = arith.addi %l, %r : i32
    tile.yield %v : i32
  } : tensor<8x64xi32> -> tensor<8x64xi32>
}
// CHECK: tile.func @order(%{{[^ ]+}}: tensor<8x64xf32>, %{{[^ ]+}}: tensor<8x64xi32>, %{{[^ ]+}}: tensor<8x64xi1>) {
tile.func @order(%x: tensor<8x64xf32>, %i: tensor<8x64xi32>, %m: tensor<8x64xi1>) {
  // CHECK: tile.sort %{{[^ ]+}}, %{{[^ ]+}} axis 1 descending : tensor<8x64xf32>, tensor<8x64xi32>
  %a, %b = tile.sort %x, %i axis 1 descending : tensor<8x64xf32>, tensor<8x64xi32>
  // CHECK: tile.sort %{{[^ ]+}} axis 0 unsigned : tensor<8x64xi32>
  %c = tile.sort %i axis 0 unsigned : tensor<8x64xi32>
  // CHECK: tile.top_k %{{[^ ]+}} axis 1 smallest : tensor<8x64xf32> -> tensor<8x4xf32>, tensor<8x4xi32>
  %d, %e = tile.top_k %x axis 1 smallest : tensor<8x64xf32> -> tensor<8x4xf32>, tensor<8x4xi32>
  // CHECK: tile.histogram %{{[^ ]+}} : tensor<8x64xi32> -> tensor<16xi32>
  %f = tile.histogram %i : tensor<8x64xi32> -> tensor<16xi32>
  // CHECK: tile.histogram %{{[^ ]+}} mask %{{[^ ]+}} : tensor<8x64xi32> -> tensor<16xi64>
  %g = tile.histogram %i mask %m : tensor<8x64xi32> -> tensor<16xi64>
}
// CHECK: tile.func @numbers(%{{[^ ]+}}: tensor<8xf32>, %{{[^ ]+}}: tensor<8xi32>, %{{[^ ]+}}: f64) {
tile.func @numbers(%x: tensor<8xf32>, %y: tensor<8xi32>, %s: f64) {
  // CHECK: tile.convert %{{[^ ]+}} saturate : tensor<8xf32> -> tensor<8xf8E4M3FN>
  %a = tile.convert %x saturate : tensor<8xf32> -> tensor<8xf8E4M3FN>
  // CHECK: tile.convert %{{[^ ]+}} rounding stochastic random %{{[^ ]+}} : tensor<8xf32> -> tensor<8xbf16>
  %b = tile.convert %x rounding stochastic random %y : tensor<8xf32> -> tensor<8xbf16>
  // CHECK: tile.convert %{{[^ ]+}} rounding toward_zero saturate to_unsigned : tensor<8xf32> -> tensor<8xi8>
  %c = tile.convert %x rounding toward_zero saturate to_unsigned : tensor<8xf32> -> tensor<8xi8>
  // CHECK: tile.convert %{{[^ ]+}} approx from_unsigned : tensor<8xi32> -> tensor<8xf16>
  %d = tile.convert %y approx from_unsigned : tensor<8xi32> -> tensor<8xf16>
  // CHECK: tile.convert %{{[^ ]+}} rounding up : f64 -> f32
  %e = tile.convert %s rounding up : f64 -> f32
  // CHECK: tile.philox %{{[^ ]+}}, %{{[^ ]+}}, %{{[^ ]+}}, %{{[^ ]+}} key %{{[^ ]+}}, %{{[^ ]+}} : tensor<8xi32>
  %r0, %r1, %r2, %r3 = tile.philox %y, %y, %y, %y key %y, %y : tensor<8xi32>
}
