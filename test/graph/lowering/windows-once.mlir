// RUN: tilewright-opt %s -pass-pipeline='builtin.module(form-groups,convert-graph-to-tile)' | FileCheck %s

// On GPUs, a program of a depthwise convolution loads the pixels of all points
// of the window once, from a multiple of 16 bytes on. The points are parts.
// CHECK-LABEL: module @sm_80
// CHECK: %[[LEFT:.*]] = arith.constant -8 : index
// CHECK: %[[BOX:.*]] = tile.load {{.*}}, %[[LEFT]]] pad 0.0 : !tile.view<1x4x112x112xf16> -> tensor<1x1x4x128xf16>
// CHECK: tile.slice %[[BOX]] [0, 0, 0, 7] {{.*}} : tensor<1x1x4x128xf16> -> tensor<1x1x2x112xf16>
// CHECK: tile.slice %[[BOX]] [0, 0, 0, 8]
// CHECK-NOT: tile.load {{.*}}1x4x112x112xf16
// CHECK: tile.slice %[[BOX]] [0, 0, 2, 9]
// CHECK: tile.store

// A thread of a CPU loads each point from its cache.
// CHECK-LABEL: module @cpu
// CHECK-NOT: tile.slice
#gpu = #tile.target<"sm_80", {multiprocessors = 108 : i64, matrix_products = 1024 : i64}>
#cpu = #tile.target<"cpu", {threads = 2 : i64}>
#image = affine_map<(n, c, h, w, y, x) -> (n, c, h + y, w + x)>
#weights = affine_map<(n, c, h, w, y, x) -> (c, y, x)>
#result = affine_map<(n, c, h, w, y, x) -> (n, c, h, w)>
module attributes {graph.targets = [#gpu, #cpu]} {
func.func @main(%x: tensor<1x4x112x112xf16>, %w: tensor<4x3x3xf16>) -> tensor<1x4x112x112xf32> {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0.0 : f16
  %padded = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %none : f16
  } : tensor<1x4x112x112xf16> to tensor<1x4x114x114xf16>
  %empty = tensor.empty() : tensor<1x4x112x112xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x4x112x112xf32>) -> tensor<1x4x112x112xf32>
  %sum = linalg.generic {indexing_maps = [#image, #weights, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%padded, %w : tensor<1x4x114x114xf16>, tensor<4x3x3xf16>) outs(%start : tensor<1x4x112x112xf32>) {
  ^bb0(%p: f16, %q: f16, %s: f32):
    %pw = arith.extf %p : f16 to f32
    %qw = arith.extf %q : f16 to f32
    %m = arith.mulf %pw, %qw : f32
    %r = arith.addf %s, %m : f32
    linalg.yield %r : f32
  } -> tensor<1x4x112x112xf32>
  return %sum : tensor<1x4x112x112xf32>
}
}
