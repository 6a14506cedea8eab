// RUN: tilewright-opt %s -pass-pipeline='builtin.module(form-groups,convert-graph-to-tile)' | FileCheck %s

// Pixels of several rows are the columns of a tile, and one loop goes over all
// points of the window and blocks of channels: 3 x 3 x 2.
// CHECK-LABEL: module @sm_80
// CHECK: tile.kernel @k0_
// CHECK: scf.for {{.*}} = %c0 to %c18 step %c1
// CHECK: tile.load {{.*}} : !tile.view<64x128x3x3xf16> -> tensor<64x64x1x1xf16>
// CHECK: tile.load {{.*}} pad 0.0 : !tile.view<1x128x14x14xf16> -> tensor<1x64x2x16xf16>
// CHECK: tile.dot {{.*}} : tensor<64x64xf32>, tensor<64x32xf32> -> tensor<64x32xf32>
// CHECK-NOT: scf.for
// CHECK: tile.store {{.*}} : tensor<1x64x2x16xf32>

// Three channels are too few.
// CHECK: tile.kernel @k1_
// CHECK: tile.load {{.*}} : !tile.view<64x3x3x3xf16>
#gpu = #tile.target<"sm_80", {multiprocessors = 108 : i64, matrix_products = 1024 : i64}>
#image = affine_map<(n, o, h, w, c, y, x) -> (n, c, h + y, w + x)>
#weights = affine_map<(n, o, h, w, c, y, x) -> (o, c, y, x)>
#result = affine_map<(n, o, h, w, c, y, x) -> (n, o, h, w)>
module attributes {graph.targets = [#gpu]} {
func.func @main(%x: tensor<1x128x14x14xf16>, %y: tensor<1x3x16x16xf16>, %w: tensor<64x128x3x3xf16>, %v: tensor<64x3x3x3xf16>) -> (tensor<1x64x14x14xf32>, tensor<1x64x14x14xf32>) attributes {graph.symbols = []} {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0.0 : f16
  %padded = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %none : f16
  } : tensor<1x128x14x14xf16> to tensor<1x128x16x16xf16>
  %empty = tensor.empty() : tensor<1x64x14x14xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x64x14x14xf32>) -> tensor<1x64x14x14xf32>
  %many = linalg.generic {indexing_maps = [#image, #weights, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%padded, %w : tensor<1x128x16x16xf16>, tensor<64x128x3x3xf16>) outs(%start : tensor<1x64x14x14xf32>) {
  ^bb0(%p: f16, %q: f16, %s: f32):
    %pw = arith.extf %p : f16 to f32
    %qw = arith.extf %q : f16 to f32
    %m = arith.mulf %pw, %qw : f32
    %r = arith.addf %s, %m : f32
    linalg.yield %r : f32
  } -> tensor<1x64x14x14xf32>
  %few = linalg.generic {indexing_maps = [#image, #weights, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%y, %v : tensor<1x3x16x16xf16>, tensor<64x3x3x3xf16>) outs(%start : tensor<1x64x14x14xf32>) {
  ^bb0(%p: f16, %q: f16, %s: f32):
    %pw = arith.extf %p : f16 to f32
    %qw = arith.extf %q : f16 to f32
    %m = arith.mulf %pw, %qw : f32
    %r = arith.addf %s, %m : f32
    linalg.yield %r : f32
  } -> tensor<1x64x14x14xf32>
  return %many, %few : tensor<1x64x14x14xf32>, tensor<1x64x14x14xf32>
}
}
