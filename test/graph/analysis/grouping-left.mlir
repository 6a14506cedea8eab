// Why an op is left to a kernel of its own: each reason that Grouping.cpp gives.
// The decision stands on the group that did not take the op, or on the op's own
// one where several groups or none read it.
// RUN: tilewright-opt %s --generalize-ops --form-groups=explain=true --split-input-file | FileCheck %s

// A result of the model is in memory, whoever reads it beside.
// CHECK-LABEL: @result
// CHECK: {op = "exp", reason = "it is a result of the model"}
// CHECK: graph.group
func.func @result(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32> loc("exp")
  %b = linalg.negf ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32> loc("neg")
  return %a, %b : tensor<8xf32>, tensor<8xf32>
}

// -----

// CHECK-LABEL: @reshape
// CHECK: {op = "exp", reason = "a reshape needs it in memory"}
// CHECK: graph.group
func.func @reshape(%x: tensor<8xf32>) -> tensor<2x4xf32> {
  %l = arith.constant dense<[2, 4]> : tensor<2xindex>
  %e = tensor.empty() : tensor<8xf32>
  %f = tensor.empty() : tensor<2x4xf32>
  %a = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32> loc("exp")
  %b = tensor.reshape %a(%l) : (tensor<8xf32>, tensor<2xindex>) -> tensor<2x4xf32>
  %c = linalg.negf ins(%b : tensor<2x4xf32>) outs(%f : tensor<2x4xf32>) -> tensor<2x4xf32> loc("neg")
  return %c : tensor<2x4xf32>
}

// -----

// An element at a computed index may be any program's.
// CHECK-LABEL: @gathered
// CHECK: {op = "exp", reason = "it is gathered from"}
// CHECK: graph.group
func.func @gathered(%x: tensor<8xf32>, %i: tensor<4xindex>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %f = tensor.empty() : tensor<4xf32>
  %a = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32> loc("exp")
  %b = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%i : tensor<4xindex>) outs(%f : tensor<4xf32>) {
  ^bb0(%p: index, %q: f32):
    %s = tensor.extract %a[%p] : tensor<8xf32>
    linalg.yield %s : f32
  } -> tensor<4xf32> loc("gather")
  return %b : tensor<4xf32>
}

// -----

// Two kernels would compute it twice.
// CHECK-LABEL: @shared
// CHECK: {op = "exp", reason = "other kernels read it too"}
// CHECK: graph.group
// CHECK: graph.group
func.func @shared(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32> loc("exp")
  %b = linalg.negf ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32> loc("neg")
  %c = linalg.abs ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32> loc("abs")
  return %b, %c : tensor<8xf32>, tensor<8xf32>
}

// -----

// CHECK-LABEL: @given
// CHECK: graph.group
// CHECK-SAME: {op = "exp", reason = "the user's kernel reads it from memory"}
// CHECK: graph.composite
func.func @given(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %a = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32> loc("exp")
  %r = graph.composite @k(%a : tensor<4xf32>) : tensor<4xf32> {
  ^bb0(%b: tensor<4xf32>):
    %c = linalg.negf ins(%b : tensor<4xf32>) outs(%b : tensor<4xf32>) -> tensor<4xf32> loc("neg")
    graph.yield %c : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// Nothing is computed in the user's kernel but what it was given for.
// CHECK-LABEL: @replaced
// CHECK: graph.composite
// CHECK: graph.group
// CHECK-SAME: {op = "fused", reason = "its kernel was given by the user"}
func.func @replaced(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %r = graph.composite @k(%x : tensor<4xf32>) : tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %b = linalg.exp ins(%a : tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32> loc("exp")
    graph.yield %b : tensor<4xf32>
  } loc("fused")
  %c = linalg.negf ins(%r : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32> loc("neg")
  return %c : tensor<4xf32>
}

// -----

// A concatenation is copies of what lies in memory, each a kernel of its own.
// CHECK-LABEL: @concat
// CHECK: graph.group
// CHECK-SAME: {op = "exp", reason = "a concatenation copies it"}
// CHECK: graph.group
// CHECK: graph.group
// CHECK-SAME: {op = "concat", reason = "its inputs are copied by kernels of their own"}
func.func @concat(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<2xf32>
  %f = tensor.empty() : tensor<4xf32>
  %a = linalg.exp ins(%x : tensor<2xf32>) outs(%e : tensor<2xf32>) -> tensor<2xf32> loc("exp")
  %b = tensor.concat dim(0) %a, %y : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32> loc("concat")
  %c = linalg.negf ins(%b : tensor<4xf32>) outs(%f : tensor<4xf32>) -> tensor<4xf32> loc("neg")
  return %c : tensor<4xf32>
}

// -----

// The diagonal: one loop stands in two subscripts.
// CHECK-LABEL: @diagonal
// CHECK: graph.group
// CHECK: graph.group
// CHECK-SAME: {op = "exp", reason = "it is read through subscripts that no tile load has"}
func.func @diagonal(%x: tensor<8x8xf32>) -> tensor<8xf32> {
  %d = tensor.empty() : tensor<8x8xf32>
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.exp ins(%x : tensor<8x8xf32>) outs(%d : tensor<8x8xf32>) -> tensor<8x8xf32> loc("exp")
  %b = linalg.generic {indexing_maps = [affine_map<(i) -> (i, i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%a : tensor<8x8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%p: f32, %q: f32):
    %s = arith.negf %p : f32
    linalg.yield %s : f32
  } -> tensor<8xf32> loc("neg")
  return %b : tensor<8xf32>
}
