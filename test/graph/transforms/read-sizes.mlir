// RUN: tilewright-opt %s --split-input-file --read-sizes | FileCheck %s

// The size of a slice is read, within the bounds of what is sliced. What is
// computed from it is an expression, and its other uses are the same number.
// CHECK-LABEL: @sizes
// CHECK: %[[E:.*]] = tensor.extract %[[N:.*]][] : tensor<i64>
// CHECK: %[[MOST:.*]] = tensor.dim %[[X:.*]], %{{.*}} : tensor<?x4xf32>
// CHECK: %[[SIZE:.*]] = graph.size %[[N]] at_most %[[MOST]] : tensor<i64>
// CHECK: tensor.extract_slice %[[X]][0, 0] [%[[SIZE]], 4] [1, 1]
// CHECK: %[[MORE:.*]] = arith.addi %[[SIZE]], %c1
// CHECK: tensor.empty(%[[MORE]])
// CHECK-NOT: graph.size
func.func @sizes(%x: tensor<?x4xf32>, %n: tensor<i64>) -> (tensor<?x4xf32>, tensor<?xf32>) {
  %c1 = arith.constant 1 : index
  %e = tensor.extract %n[] : tensor<i64>
  %i = arith.index_cast %e : i64 to index
  %a = tensor.extract_slice %x[0, 0] [%i, 4] [1, 1] : tensor<?x4xf32> to tensor<?x4xf32>
  %m = arith.addi %i, %c1 : index
  %b = tensor.empty(%m) : tensor<?xf32>
  return %a, %b : tensor<?x4xf32>, tensor<?xf32>
}

// -----

// A number that is only part of a size may be negative. Offsets alone are not
// read, nor sizes that shapes tell.
// CHECK-LABEL: @parts
// CHECK: %[[READ:.*]] = graph.size %{{.*}} at_least -9223372036854775808 : tensor<i32>
// CHECK: arith.subi %{{.*}}, %[[READ]]
// CHECK-NOT: graph.size
func.func @parts(%x: tensor<?xf32>, %n: tensor<2xi32>) -> (tensor<?xf32>, tensor<3xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.extract %n[%c0] : tensor<2xi32>
  %i = arith.index_cast %e : i32 to index
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  %m = arith.subi %d, %i : index
  %a = tensor.empty(%m) : tensor<?xf32>
  %f = tensor.extract %n[%c1] : tensor<2xi32>
  %at = arith.index_cast %f : i32 to index
  %b = tensor.extract_slice %x[%at] [3] [1] : tensor<?xf32> to tensor<3xf32>
  %h = arith.floordivsi %d, %c1 : index
  %c = tensor.extract_slice %x[0] [%h] [1] : tensor<?xf32> to tensor<?xf32>
  return %a, %b, %c : tensor<?xf32>, tensor<3xf32>, tensor<?xf32>
}
