// RUN: tilewright-opt %s --normalize-generics --split-input-file | FileCheck %s

// A loop that the result has is parallel, one that it has not is a reduction,
// whatever was written.
// CHECK-LABEL: @kinds
// CHECK: iterator_types = ["parallel", "reduction"]
func.func @kinds(%x: tensor<4x8xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %r = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%y : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// Row 2 is written; the others keep what was there.
// CHECK-LABEL: @row
// CHECK: linalg.generic {{.*}}["parallel", "parallel"]
// CHECK: %[[C:.*]] = arith.cmpi eq
// CHECK: arith.select %[[C]]
func.func @row(%x: tensor<8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %r = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (2, i)>],
      iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%y : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
