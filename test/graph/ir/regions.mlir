// RUN: tilewright-opt %s | tilewright-opt | FileCheck %s
// RUN: tilewright-opt %s --canonicalize | FileCheck %s --check-prefix=CANON

// What the host reads from memory while the program runs: which side of a branch
// to take, and how many elements there are.
// CHECK-LABEL: func.func @reads
// CHECK: graph.condition %{{.*}} : tensor<i1>
// CHECK: graph.size %{{.*}} : tensor<i64>
// CHECK: graph.size %{{.*}} at_least 1 at_most %{{.*}} : tensor<i32>
func.func @reads(%c: tensor<i1>, %n: tensor<i64>, %m: tensor<i32>) -> (i1, index, index) {
  %0 = graph.condition %c : tensor<i1>
  %1 = graph.size %n : tensor<i64>
  %2 = graph.size %m at_least 1 at_most %1 : tensor<i32>
  return %0, %1, %2 : i1, index, index
}

// CHECK-LABEL: func.func @rows
// CHECK: graph.resize_rows %{{.*}} to %{{.*}} : tensor<9x4xf32> -> tensor<?x4xf32>
func.func @rows(%x: tensor<9x4xf32>, %n: index) -> tensor<?x4xf32> {
  %0 = graph.resize_rows %x to %n : tensor<9x4xf32> -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// A number that was read from a tensor is in memory already. A constant condition
// is not folded.
// CANON-LABEL: func.func @memory
// CANON-SAME: %[[C:.*]]: tensor<i1>
// CANON-DAG: graph.condition %[[C]]
// CANON-DAG: graph.condition %{{.*}}
func.func @memory(%c: tensor<i1>) -> (i1, i1) {
  %e = tensor.extract %c[] : tensor<i1>
  %t = tensor.from_elements %e : tensor<i1>
  %0 = graph.condition %t : tensor<i1>
  %true = arith.constant dense<true> : tensor<i1>
  %1 = graph.condition %true : tensor<i1>
  return %0, %1 : i1, i1
}
