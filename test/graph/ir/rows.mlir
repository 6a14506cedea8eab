// Ops along rows, and what elements must be.
// RUN: tilewright-opt %s | tilewright-opt | FileCheck %s

// Keys and what belongs to them.
// CHECK-LABEL: @sort
// CHECK: graph.sort %{{.*}}, %{{.*}} axis 1 descending : tensor<?x64xf32>, tensor<?x64xi64>
// CHECK: graph.sort %{{.*}} axis 0 unsigned : tensor<?x64xi64>
func.func @sort(%x: tensor<?x64xf32>, %p: tensor<?x64xi64>) -> tensor<?x64xi64> {
  %k, %v = graph.sort %x, %p axis 1 descending
      : tensor<?x64xf32>, tensor<?x64xi64>
  %s = graph.sort %v axis 0 unsigned : tensor<?x64xi64>
  return %s : tensor<?x64xi64>
}

// The greatest so far and its last index.
// CHECK-LABEL: @scan
// CHECK: graph.scan %{{.*}}, %{{.*}} axis 0 reverse {
// CHECK: graph.yield %{{.*}}, %{{.*}} : f32, i64
// CHECK: } : tensor<?xf32>, tensor<?xi64>
func.func @scan(%x: tensor<?xf32>, %p: tensor<?xi64>) -> tensor<?xi64> {
  %v, %i = graph.scan %x, %p axis 0 reverse {
  ^bb0(%a: f32, %ai: i64, %b: f32, %bi: i64):
    %takes = arith.cmpf oge, %b, %a : f32
    %max = arith.select %takes, %b, %a : f32
    %at = arith.select %takes, %bi, %ai : i64
    graph.yield %max, %at : f32, i64
  } : tensor<?xf32>, tensor<?xi64>
  return %i : tensor<?xi64>
}

// One pass of a sort by digits.
// CHECK-LABEL: @digits
// CHECK: graph.digit_counts %{{.*}} digit 1 block 512 : tensor<4x1000xi16> -> tensor<4x256x2xi64>
// CHECK: graph.digit_scatter %{{.*}}, %{{.*}} to %{{.*}} digit 1 block 512 : tensor<4x1000xi16>, tensor<4x1000xi32>, tensor<4x256x2xi64> -> tensor<4x2x256xi64>
func.func @digits(%k: tensor<4x1000xi16>, %v: tensor<4x1000xi32>)
    -> tensor<4x1000xi32> {
  %c = graph.digit_counts %k digit 1 block 512
      : tensor<4x1000xi16> -> tensor<4x256x2xi64>
  %sk, %sv, %e = graph.digit_scatter %k, %v to %c digit 1 block 512
      : tensor<4x1000xi16>, tensor<4x1000xi32>, tensor<4x256x2xi64>
      -> tensor<4x2x256xi64>
  return %sv : tensor<4x1000xi32>
}

// CHECK-LABEL: @require
// CHECK: graph.require %{{.*}} in(%{{.*}}, %{{.*}}), "an index" : tensor<?xi64>
// CHECK: graph.require %{{.*}}, "a divisor is zero" : tensor<?xi64>
func.func @require(%x: tensor<?xi64>, %low: index, %high: index) {
  graph.require %x in(%low, %high), "an index" : tensor<?xi64>
  graph.require %x, "a divisor is zero" : tensor<?xi64>
  return
}
