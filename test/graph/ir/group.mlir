// RUN: tilewright-opt %s | tilewright-opt | FileCheck %s
// RUN: tilewright-opt %s --cse --remove-dead-values | FileCheck %s --check-prefix=KEPT

// The body is a world of its own: it reads its arguments alone, tensors and then
// sizes. What was chosen for the kernel stands on the op.
// CHECK-LABEL: func.func @group
// CHECK: %[[C:.*]] = arith.constant 8 : index
// CHECK: graph.group(%{{.*}}, %{{.*}} : tensor<?xf32>, tensor<?xf32>) sizes(%[[C]] : index)
// CHECK-SAME: {schedules = {cpu = {origin = "by hand", schedule = #tile.schedule<rows = 2>, tiling = #tile.schedule<tile0 = 4>}}} : tensor<?xf32> {
// CHECK-NEXT: ^bb0(%[[X:.*]]: tensor<?xf32>, %[[Y:.*]]: tensor<?xf32>, %[[N:.*]]: index):
// CHECK-NEXT: tensor.empty(%[[N]])
// CHECK-NEXT: linalg.add ins(%[[X]], %[[Y]]
// CHECK: graph.yield %{{.*}} : tensor<?xf32>

// A constant of the function stays outside, where a body cannot see it.
// KEPT-LABEL: func.func @group
// KEPT: arith.constant 8
// KEPT: graph.group
// KEPT: linalg.add
func.func @group(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c8 = arith.constant 8 : index
  %r = graph.group(%x, %y : tensor<?xf32>, tensor<?xf32>) sizes(%c8 : index)
      {schedules = {cpu = {schedule = #tile.schedule<rows = 2>,
                           tiling = #tile.schedule<tile0 = 4>, origin = "by hand"}}}
      : tensor<?xf32> {
  ^bb0(%a: tensor<?xf32>, %b: tensor<?xf32>, %n: index):
    %e = tensor.empty(%n) : tensor<?xf32>
    %c = linalg.add ins(%a, %b : tensor<?xf32>, tensor<?xf32>)
        outs(%e : tensor<?xf32>) -> tensor<?xf32>
    graph.yield %c : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// One kernel may store values of several ops.
// CHECK-LABEL: func.func @stored
// CHECK: graph.yield %{{.*}}, %{{.*}} : tensor<4xf32>, tensor<4xf32>
func.func @stored(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %r:2 = graph.group(%x : tensor<4xf32>) : tensor<4xf32>, tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %b = linalg.exp ins(%a : tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
    %c = linalg.negf ins(%b : tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
    graph.yield %c, %b : tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// A group may read nothing, and without a reader there is nothing to compute.
// CHECK-LABEL: func.func @unread
// CHECK: graph.group() : tensor<4xf32> {
// KEPT-LABEL: func.func @unread
// KEPT-NOT: graph.group
func.func @unread() {
  %r = graph.group() : tensor<4xf32> {
    %z = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<4xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    graph.yield %f : tensor<4xf32>
  }
  return
}

// The second launch writes to what the first one wrote, which it also reads: an
// order that no pass may change, and so neither is taken for the other.
// CHECK-LABEL: func.func @launch
// CHECK: %[[E:.*]] = tensor.empty()
// CHECK: %[[A:.*]] = graph.launch @half(%[[E]], %arg0, %arg1) writes [0] "Concat_1" : (tensor<8xf32>, tensor<4xf32>, index) -> tensor<8xf32>
// CHECK: %[[B:.*]] = graph.launch @half(%[[A]], %arg0, %arg1) writes [0] "Concat_1" : (tensor<8xf32>, tensor<4xf32>, index) -> tensor<8xf32>
// CHECK: graph.launch @print(%[[B]]) writes [] "Print_2" : (tensor<8xf32>) -> ()
// KEPT-LABEL: func.func @launch
// KEPT-COUNT-3: graph.launch
func.func @launch(%x: tensor<4xf32>, %n: index) {
  %e = tensor.empty() : tensor<8xf32>
  %a = graph.launch @half(%e, %x, %n) writes [0] "Concat_1"
      : (tensor<8xf32>, tensor<4xf32>, index) -> tensor<8xf32>
  %b = graph.launch @half(%a, %x, %n) writes [0] "Concat_1"
      : (tensor<8xf32>, tensor<4xf32>, index) -> tensor<8xf32>
  graph.launch @print(%b) writes [] "Print_2" : (tensor<8xf32>) -> ()
  return
}

// A check has no result, and stays.
// CHECK-LABEL: func.func @check
// CHECK-NEXT: graph.check %arg0 equals %arg1, "one batch"
// CHECK-NEXT: graph.check %arg0 at_most %arg1, "the slice lies in the tensor"
// KEPT-LABEL: func.func @check
// KEPT-COUNT-2: graph.check
func.func @check(%n: index, %m: index) {
  graph.check %n equals %m, "one batch"
  graph.check %n at_most %m, "the slice lies in the tensor"
  return
}
