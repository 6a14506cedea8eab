// RUN: tilewright-opt %s | tilewright-opt | FileCheck %s
// RUN: tilewright-opt %s --mlir-print-op-generic | tilewright-opt | FileCheck %s

// Kernels, device functions, program ids: text, print and generic form agree.

// CHECK: tile.kernel @no_grid(%{{[^ ]+}}: !tile.view<?xf32>) {
tile.kernel @no_grid(%x: !tile.view<?xf32>) {
  // CHECK: tile.program_id
  %i = tile.program_id
  // CHECK: tile.program_count
  %n = tile.program_count
}
// CHECK: tile.kernel @gridded(%{{[^ ]+}}: !tile.view<?x48xbf16>, %{{[^ ]+}}: index, %{{[^ ]+}}: !tile.ptr<f32>, %{{[^ ]+}}: f32) grid affine_map<()[s0, s1, s2] -> (s0 ceildiv 128, s2)> {
tile.kernel @gridded(%x: !tile.view<?x48xbf16>, %n: index, %p: !tile.ptr<f32>, %s: f32) grid affine_map<()[s0, s1, s2] -> (s0 ceildiv 128, s2)> {
  // CHECK: tile.program_id
  %i, %j = tile.program_id
  // CHECK: tile.program_count
  %m, %n2 = tile.program_count
}
// CHECK: tile.kernel private @assumptions(%{{[^ ]+}}: !tile.view<?x?xf32, strides<[?, 1]>> {tile.align = 16 : i64, tile.dim_divisible = array<i64: 1, 8>, tile.stride_divisible = array<i64: 8, 1>}, %{{[^ ]+}}: index {tile.divisible = 4 : i64}) {
tile.kernel private @assumptions(%x: !tile.view<?x?xf32, strides<[?, 1]>> {tile.align = 16 : i64, tile.dim_divisible = array<i64: 1, 8>, tile.stride_divisible = array<i64: 8, 1>}, %n: index {tile.divisible = 4 : i64}) {
}
// CHECK: tile.func @twice(%{{[^ ]+}}: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
tile.func @twice(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK: tile.return %{{[^ ]+}}, %{{[^ ]+}} : tensor<8xf32>, tensor<8xf32>
  tile.return %x, %x : tensor<8xf32>, tensor<8xf32>
}
// CHECK: tile.func @calls(%{{[^ ]+}}: tensor<8xf32>) {
tile.func @calls(%x: tensor<8xf32>) {
  // CHECK: tile.call @twice(%{{[^ ]+}}) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  %y:2 = tile.call @twice(%x) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
}
