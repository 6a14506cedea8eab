// RUN: tilewright-opt %s --flatten-control-flow --split-input-file | FileCheck %s

// A reduction is not computed for nothing: the host takes one side.
// CHECK-LABEL: @sum
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[S:.*]]: tensor<f32>, %[[T:.*]]: tensor<i1>
// CHECK: %[[C:.*]] = graph.condition %[[T]]
// CHECK: %[[R:.*]] = scf.if %[[C]] -> (tensor<f32>) {
// CHECK: linalg.reduce
// CHECK: } else {
// CHECK: scf.yield %[[S]]
// CHECK: return %[[R]]
func.func @sum(%x: tensor<4xf32>, %s: tensor<f32>, %t: tensor<i1>) -> tensor<f32> {
  %c = tensor.extract %t[] : tensor<i1>
  %r = scf.if %c -> tensor<f32> {
    %y = linalg.reduce {arith.addf} ins(%x : tensor<4xf32>) outs(%s : tensor<f32>) dimensions = [0]
    scf.yield %y : tensor<f32>
  } else {
    scf.yield %s : tensor<f32>
  }
  return %r : tensor<f32>
}

// -----

// Many elements, and what can fail, stay on their side; a number that a branch
// yields is a tensor.
// CHECK-LABEL: @many
// CHECK: %[[T:.*]] = tensor.from_elements %{{.*}} : tensor<i1>
// CHECK: %[[C:.*]] = graph.condition %[[T]]
// CHECK: %[[R:.*]]:2 = scf.if %[[C]] -> (tensor<8192xf32>, tensor<f32>) {
// CHECK: cf.assert
// CHECK: tensor.from_elements
// CHECK: } else {
// CHECK: tensor.extract %[[R]]#1[] : tensor<f32>
func.func @many(%x: tensor<8192xf32>, %a: f32, %c: i1, %d: i1) -> (tensor<8192xf32>, f32) {
  %r:2 = scf.if %c -> (tensor<8192xf32>, f32) {
    cf.assert %d, "d"
    %e = math.exp %x : tensor<8192xf32>
    scf.yield %e, %a : tensor<8192xf32>, f32
  } else {
    %n = arith.negf %a : f32
    scf.yield %x, %n : tensor<8192xf32>, f32
  }
  return %r#0, %r#1 : tensor<8192xf32>, f32
}

// -----

// A branch that is cheap is none, also where it has its final form already.
// CHECK-LABEL: @cheap
// CHECK-NOT: scf.if
// CHECK: %[[C:.*]] = tensor.extract
// CHECK: arith.select %[[C]]
func.func @cheap(%x: tensor<4xf32>, %t: tensor<i1>) -> tensor<4xf32> {
  %c = graph.condition %t : tensor<i1>
  %r = scf.if %c -> tensor<4xf32> {
    %e = math.exp %x : tensor<4xf32>
    scf.yield %e : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// A switch is a chain of branches.
// CHECK-LABEL: @switch
// CHECK: scf.if %{{.*}} -> (tensor<?xf32>) {
// CHECK: math.exp
// CHECK: } else {
// CHECK: arith.cmpi eq
// CHECK: scf.if %{{.*}} -> (tensor<?xf32>) {
// CHECK: arith.negf
// CHECK: } else {
// CHECK: scf.yield %arg0
func.func @switch(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %r = scf.index_switch %n -> tensor<?xf32>
  case 2 {
    %a = math.exp %x : tensor<?xf32>
    scf.yield %a : tensor<?xf32>
  }
  case 5 {
    %a = arith.negf %x : tensor<?xf32>
    scf.yield %a : tensor<?xf32>
  }
  default {
    scf.yield %x : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

// Canonicalization may have made a choice between sizes, or between many
// elements, of a branch: the host takes it back.
// CHECK-LABEL: @select
// CHECK: scf.if %{{.*}} -> (tensor<8192xf32>) {
// CHECK-NOT: arith.select
// CHECK: return
func.func @select(%x: tensor<8192xf32>, %y: tensor<8192xf32>, %t: tensor<i1>) -> tensor<8192xf32> {
  %c = graph.condition %t : tensor<i1>
  %r = arith.select %c, %x, %y : tensor<8192xf32>
  return %r : tensor<8192xf32>
}
