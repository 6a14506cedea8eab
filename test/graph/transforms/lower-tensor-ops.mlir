// RUN: tilewright-opt %s --lower-tensor-ops --split-input-file | FileCheck %s

// CHECK-LABEL: @splat
// CHECK: linalg.fill ins(%{{.*}} : f32)
func.func @splat(%s: f32) -> tensor<4xf32> {
  %r = tensor.splat %s : tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// The indices of the body are those of the loops.
// CHECK-LABEL: @generate
// CHECK: linalg.generic
// CHECK: %[[I:.*]] = linalg.index 0 : index
// CHECK: arith.index_cast %[[I]] : index to i32
func.func @generate(%n: index) -> tensor<?xi32> {
  %r = tensor.generate %n {
  ^bb0(%i: index):
    %v = arith.index_cast %i : index to i32
    tensor.yield %v : i32
  } : tensor<?xi32>
  return %r : tensor<?xi32>
}

// -----

// Constants are a constant; others are chosen by index; the sizes of a reshape
// stay.
// CHECK-LABEL: @elements
// CHECK: %[[S:.*]] = tensor.from_elements %{{.*}} : tensor<1xindex>
// CHECK: tensor.reshape %{{.*}}(%[[S]])
// CHECK: arith.constant dense<[1, 2]> : tensor<2xi32>
// CHECK: linalg.generic
// CHECK: arith.select
// CHECK-NOT: tensor.from_elements
func.func @elements(%a: f32, %b: f32, %x: tensor<2x2xf32>, %n: index) -> (tensor<?xf32>, tensor<2xi32>, tensor<2xf32>) {
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %s = tensor.from_elements %n : tensor<1xindex>
  %y = tensor.reshape %x(%s) : (tensor<2x2xf32>, tensor<1xindex>) -> tensor<?xf32>
  %c = tensor.from_elements %c1, %c2 : tensor<2xi32>
  %e = tensor.from_elements %a, %b : tensor<2xf32>
  return %y, %c, %e : tensor<?xf32>, tensor<2xi32>, tensor<2xf32>
}

// -----

// One element is another.
// CHECK-LABEL: @insert
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<4xf32>)
// CHECK: arith.cmpi eq
// CHECK: arith.select
func.func @insert(%s: f32, %x: tensor<4xf32>, %i: index) -> tensor<4xf32> {
  %r = tensor.insert %s into %x[%i] : tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// Each element looks for the update that writes it.
// CHECK-LABEL: @scatter
// CHECK: linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "parallel", "reduction"]
func.func @scatter(%x: tensor<2x5xf32>, %y: tensor<7x5xf32>, %n: tensor<2x1xi64>) -> tensor<7x5xf32> {
  %r = tensor.scatter %x into %y[%n] scatter_dims([0]) unique : (tensor<2x5xf32>, tensor<7x5xf32>, tensor<2x1xi64>) -> tensor<7x5xf32>
  return %r : tensor<7x5xf32>
}
