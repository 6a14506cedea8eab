// RUN: tilewright-opt %s | tilewright-opt | FileCheck %s
// RUN: tilewright-opt %s --cse --remove-dead-values | FileCheck %s --check-prefix=KEPT

// The body is a world of its own: it reads its arguments alone.
// CHECK-LABEL: func.func @doubled
// CHECK: graph.composite @twice(%{{.*}} : tensor<?xf32>) sizes(%{{.*}}) : tensor<?xf32>
// CHECK: ^bb0(%[[X:.*]]: tensor<?xf32>, %{{.*}}: index):
// CHECK: linalg.add ins(%[[X]], %[[X]]
// CHECK: graph.yield %{{.*}} : tensor<?xf32>

// What it means survives the passes that prepare a graph, and an equal op
// outside is not taken for one inside.
// KEPT-LABEL: func.func @doubled
// KEPT: linalg.add
// KEPT: graph.composite @twice
// KEPT: linalg.add
// KEPT: graph.yield
func.func @doubled(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %plain = linalg.add ins(%x, %x : tensor<?xf32>, tensor<?xf32>)
      outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %y = graph.composite @twice(%x : tensor<?xf32>) sizes(%n) : tensor<?xf32> {
  ^bb0(%a: tensor<?xf32>, %size: index):
    %empty = tensor.empty(%size) : tensor<?xf32>
    %b = linalg.add ins(%a, %a : tensor<?xf32>, tensor<?xf32>)
        outs(%empty : tensor<?xf32>) -> tensor<?xf32>
    graph.yield %b : tensor<?xf32>
  }
  return %plain, %y : tensor<?xf32>, tensor<?xf32>
}

// Without a reader there is nothing to compute.
// KEPT-LABEL: func.func @unread
// KEPT-NOT: graph.composite
func.func @unread(%x: tensor<4xf32>) {
  %y = graph.composite @same(%x : tensor<4xf32>) : tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    graph.yield %a : tensor<4xf32>
  }
  return
}
