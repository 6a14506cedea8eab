// RUN: tilewright-opt %s --lower-reshapes --split-input-file | FileCheck %s

// CHECK-LABEL: @dynamic
// CHECK: %[[S:.*]] = tensor.from_elements %{{.*}}, %{{.*}} : tensor<2xindex>
// CHECK: tensor.reshape %{{.*}}(%[[S]]) : (tensor<?xf32>, tensor<2xindex>) -> tensor<?x4xf32>
// CHECK: %[[N:.*]] = arith.muli
// CHECK: %[[T:.*]] = tensor.from_elements %[[N]] : tensor<1xindex>
// CHECK: tensor.reshape %{{.*}}(%[[T]])
func.func @dynamic(%x: tensor<?xf32>, %n: index, %y: tensor<?x?xf32>) -> (tensor<?x4xf32>, tensor<?xf32>) {
  %a = tensor.expand_shape %x [[0, 1]] output_shape [%n, 4] : tensor<?xf32> into tensor<?x4xf32>
  %b = tensor.collapse_shape %y [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
  return %a, %b : tensor<?x4xf32>, tensor<?xf32>
}

// -----

// A constant is another constant.
// CHECK-LABEL: @constant
// CHECK-NEXT: arith.constant dense<{{\[\[}}1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00]]> : tensor<2x2xf32>
// CHECK-NOT: tensor.reshape
func.func @constant() -> tensor<2x2xf32> {
  %c = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %r = tensor.expand_shape %c [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
  return %r : tensor<2x2xf32>
}
