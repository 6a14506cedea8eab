// RUN: tilewright-opt %s | tilewright-opt | FileCheck %s

// The greatest along a dimension, and where they are.
// CHECK-LABEL: @rows
// CHECK: graph.top_k %{{.*}} axis 1 : tensor<?x64xf32> -> tensor<?x4xf32>, tensor<?x4xi64>
func.func @rows(%x: tensor<?x64xf32>) -> (tensor<?x4xf32>, tensor<?x4xi64>) {
  %v, %i = graph.top_k %x axis 1
      : tensor<?x64xf32> -> tensor<?x4xf32>, tensor<?x4xi64>
  return %v, %i : tensor<?x4xf32>, tensor<?x4xi64>
}

// The least along the first.
// CHECK-LABEL: @columns
// CHECK: graph.top_k %{{.*}} axis 0 smallest
func.func @columns(%x: tensor<?x8xi32>) -> tensor<2x8xi32> {
  %v, %i = graph.top_k %x axis 0 smallest
      : tensor<?x8xi32> -> tensor<2x8xi32>, tensor<2x8xi64>
  return %v : tensor<2x8xi32>
}

// Any number of unsigned integers.
// CHECK-LABEL: @many
// CHECK: graph.top_k %{{.*}} axis 0 unsigned
func.func @many(%x: tensor<?xi64>) -> tensor<1000xi64> {
  %v, %i = graph.top_k %x axis 0 unsigned
      : tensor<?xi64> -> tensor<1000xi64>, tensor<1000xi64>
  return %v : tensor<1000xi64>
}
