// RUN: tilewright-opt %s --split-results --split-input-file | FileCheck %s

// The maximum and its index are accumulated together: the index needs the
// maximum. The sum is computed apart.
// CHECK-LABEL: @together
// CHECK: linalg.generic {{.*}} outs(%{{.*}}, %{{.*}} : tensor<4xf32>, tensor<4xi64>)
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<4xf32>)
// CHECK: arith.addf
// CHECK-NOT: linalg.generic
func.func @together(%x: tensor<4x8xf32>, %m: tensor<4xf32>, %n: tensor<4xi64>, %s: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi64>, tensor<4xf32>) {
  %r:3 = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf32>) outs(%m, %n, %s : tensor<4xf32>, tensor<4xi64>, tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: i64, %d: f32):
    %i = linalg.index 1 : index
    %k = arith.index_cast %i : index to i64
    %g = arith.cmpf ogt, %a, %b : f32
    %v = arith.select %g, %a, %b : f32
    %w = arith.select %g, %k, %c : i64
    %t = arith.addf %a, %d : f32
    linalg.yield %v, %w, %t : f32, i64, f32
  } -> (tensor<4xf32>, tensor<4xi64>, tensor<4xf32>)
  return %r#0, %r#1, %r#2 : tensor<4xf32>, tensor<4xi64>, tensor<4xf32>
}

// -----

// Parallel results are computed apart; what one reads of the other's `outs` is
// an input.
// CHECK-LABEL: @apart
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32>, %[[Z:.*]]: tensor<4xf32>
// CHECK-DAG: linalg.generic {{.*}} ins(%[[X]], %[[Z]] : {{.*}}) outs(%[[Y]] :
// CHECK-DAG: linalg.generic {{.*}} ins(%[[X]] : {{.*}}) outs(%[[Z]] :
func.func @apart(%x: tensor<4xf32>, %y: tensor<4xf32>, %z: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %r:2 = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%y, %z : tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %v = arith.addf %a, %c : f32
    %w = arith.mulf %a, %a : f32
    linalg.yield %v, %w : f32, f32
  } -> (tensor<4xf32>, tensor<4xf32>)
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}
