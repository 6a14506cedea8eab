// RUN: tilewright-opt %s --resolve-sizes --split-input-file --verify-diagnostics | FileCheck %s

// The length of what is put together is known from the arguments alone: no size
// reads the concatenation any more.
// CHECK: #[[SUM:.*]] = affine_map<()[s0, s1] -> (s0 + s1)>
// CHECK-LABEL: @computed
// CHECK-DAG: %[[N:.*]] = tensor.dim %arg0, %c0
// CHECK-DAG: %[[M:.*]] = tensor.dim %arg1, %c0
// CHECK: %[[L:.*]] = affine.apply #[[SUM]]()[%[[N]], %[[M]]]
// CHECK: tensor.concat
// CHECK-NOT: tensor.dim
// CHECK: tensor.empty(%[[L]])
func.func @computed(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c = tensor.concat dim(0) %x, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %d = tensor.dim %c, %c0 : tensor<?xf32>
  %e = tensor.empty(%d) : tensor<?xf32>
  return %c, %e : tensor<?xf32>, tensor<?xf32>
}

// -----

// The smaller of two sizes is one too: m - max(m - n, 0).
// CHECK-LABEL: @extreme
// CHECK: arith.maxsi
// CHECK: %[[M:.*]] = affine.apply
// CHECK: arith.minsi
// CHECK: tensor.extract_slice
// CHECK: tensor.empty(%[[M]])
func.func @extreme(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = tensor.dim %y, %c0 : tensor<?xf32>
  %l = arith.minsi %n, %m : index
  %s = tensor.extract_slice %x[0] [%l] [1] : tensor<?xf32> to tensor<?xf32>
  %d = tensor.dim %s, %c0 : tensor<?xf32>
  %e = tensor.empty(%d) : tensor<?xf32>
  return %s, %e : tensor<?xf32>, tensor<?xf32>
}

// -----

// Dimensions of arguments are left, and those that the body of a composite
// reads: they say what its sizes are.
// CHECK-LABEL: @left
// CHECK-NEXT: %[[C:.*]] = arith.constant
// CHECK-NEXT: %[[N:.*]] = tensor.dim %arg0, %[[C]]
// CHECK-NEXT: graph.composite @k(%arg0 : tensor<?xf32>) sizes(%[[N]])
// CHECK: tensor.dim
func.func @left(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %y = graph.composite @k(%x : tensor<?xf32>) sizes(%n) : tensor<?xf32> {
  ^bb0(%a: tensor<?xf32>, %size: index):
    %zero = arith.constant 0 : index
    %b = linalg.exp ins(%a : tensor<?xf32>) outs(%a : tensor<?xf32>) -> tensor<?xf32>
    %d = tensor.dim %b, %zero : tensor<?xf32>
    %e = tensor.empty(%d) : tensor<?xf32>
    %c = linalg.exp ins(%b : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    graph.yield %c : tensor<?xf32>
  }
  return %y : tensor<?xf32>
}

// -----

// A size that nobody reads need not be known.
// CHECK-LABEL: @unread
// CHECK: tensor.collapse_shape
// CHECK-NOT: tensor.dim
func.func @unread(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %y = tensor.collapse_shape %x [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
  %d = tensor.dim %y, %c0 : tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func @unknown(%x: tensor<?x?xf32>) -> index {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{the sizes of this op's result are not known to the graph level}}
  %y = tensor.collapse_shape %x [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
  // expected-error @+1 {{expected a constant dimension in range}}
  %d = tensor.dim %y, %c0 : tensor<?xf32>
  return %d : index
}

// -----

// expected-error @+1 {{expected one function with one block}}
module {
  func.func @a() {
    return
  }
  func.func @b() {
    return
  }
}
