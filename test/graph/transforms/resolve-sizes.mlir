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

// -----

// Both sides of a branch have one size: it is known without the branch. What
// only one side has is a size of its own behind it.
// CHECK-LABEL: @branch
// CHECK-SAME: %[[X:.*]]: tensor<?x4xf32>, %[[Y:.*]]: tensor<?x4xf32>
// CHECK-DAG: %[[N:.*]] = tensor.dim %[[X]]
// CHECK: %[[R:.*]]:2 = scf.if
// CHECK: } else {
// CHECK: }
// CHECK-NEXT: %[[D:.*]] = tensor.dim %[[R]]#1
// CHECK: tensor.empty(%[[N]])
// CHECK: tensor.empty(%[[D]])
func.func @branch(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %t: tensor<i1>)
    -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) {
  %c0 = arith.constant 0 : index
  %c = graph.condition %t : tensor<i1>
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %r:2 = scf.if %c -> (tensor<?x4xf32>, tensor<?x4xf32>) {
    %e = tensor.empty(%n) : tensor<?x4xf32>
    scf.yield %e, %y : tensor<?x4xf32>, tensor<?x4xf32>
  } else {
    scf.yield %x, %x : tensor<?x4xf32>, tensor<?x4xf32>
  }
  %d0 = tensor.dim %r#0, %c0 : tensor<?x4xf32>
  %d1 = tensor.dim %r#1, %c0 : tensor<?x4xf32>
  %e0 = tensor.empty(%d0) : tensor<?x4xf32>
  %e1 = tensor.empty(%d1) : tensor<?x4xf32>
  return %r#0, %r#1, %e0, %e1 : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>
}

// -----

// A loop leaves one tensor as long as it was, also where it exchanges two of one
// length. The other one grows: it is as long as it is in each iteration.
// CHECK: #[[NEXT:.*]] = affine_map<()[s0] -> (s0 + 1)>
// CHECK-LABEL: @loop
// CHECK-SAME: %[[X:.*]]: tensor<?xf32>
// CHECK-DAG: %[[N:.*]] = tensor.dim %[[X]]
// CHECK: %[[R:.*]]:3 = scf.for {{.*}} iter_args(%{{.*}} = %[[X]], %{{.*}} = %{{.*}}, %[[G:.*]] = %[[X]])
// CHECK-NEXT: %[[D:.*]] = tensor.dim %[[G]]
// CHECK-NEXT: %[[M:.*]] = affine.apply #[[NEXT]]()[%[[D]]]
// CHECK: tensor.empty(%[[M]])
// CHECK: tensor.empty(%[[N]])
func.func @loop(%x: tensor<?xf32>, %one: tensor<1xf32>, %t: tensor<i64>) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = graph.size %t : tensor<i64>
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %r:3 = scf.for %i = %c0 to %k step %c1 iter_args(%a = %x, %b = %e, %g = %x) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
    %l = tensor.concat dim(0) %g, %one : (tensor<?xf32>, tensor<1xf32>) -> tensor<?xf32>
    %d = tensor.dim %l, %c0 : tensor<?xf32>
    %f = tensor.empty(%d) : tensor<?xf32>
    scf.yield %b, %a, %f : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
  }
  %d = tensor.dim %r#1, %c0 : tensor<?xf32>
  %o = tensor.empty(%d) : tensor<?xf32>
  return %o, %r#2 : tensor<?xf32>, tensor<?xf32>
}
