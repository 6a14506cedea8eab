// RUN: tilewright-opt %s --split-input-file --specialize-shapes | FileCheck %s
// RUN: tilewright-opt %s --split-input-file --specialize-shapes --canonicalize | FileCheck %s --check-prefix=FOLDED

// The input has its shape, -1 leaves a size. A size that has a name is fixed
// wherever the name is; the body sees the types that it was written with.
// CHECK-NOT: graph.shapes
// CHECK: func.func @main(%[[X:.*]]: tensor<8x?xf32> {graph.dims = ["", "M"], graph.name = "x"}, %[[Y:.*]]: tensor<8xf32> {graph.dims = [""]}) -> tensor<?xf32>
// CHECK-DAG: tensor.cast %[[X]] : tensor<8x?xf32> to tensor<?x?xf32>
// CHECK-DAG: tensor.cast %[[Y]] : tensor<8xf32> to tensor<?xf32>
// FOLDED: %[[N:.*]] = arith.constant 8 : index
// FOLDED: tensor.splat %{{.*}}[%[[N]]] : tensor<?xf32>
module attributes {graph.shapes = {x = array<i64: 8, -1>}} {
  func.func @main(%x: tensor<?x?xf32> {graph.name = "x", graph.dims = ["N", "M"]}, %y: tensor<?xf32> {graph.dims = ["N"]}) -> tensor<?xf32> {
    %c0 = arith.constant 0 : index
    %n = tensor.dim %x, %c0 : tensor<?x?xf32>
    %two = arith.constant 2.0 : f32
    %twos = tensor.splat %two[%n] : tensor<?xf32>
    return %twos : tensor<?xf32>
  }
}

// -----

// Nothing is asked for.
// CHECK: func.func @main(%{{.*}}: tensor<?xf32>) -> tensor<?xf32>
// CHECK-NOT: tensor.cast
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}
