// RUN: tilewright-opt %s --indices-to-integers | FileCheck %s

// CHECK-LABEL: @indices
// CHECK-SAME: (%{{.*}}: tensor<4xi64>) -> tensor<4xi64>
// CHECK: arith.constant dense<[0, 1, 2, 3]> : tensor<4xi64>
// CHECK: ^bb0(%[[A:.*]]: i64, %[[B:.*]]: i64, %{{.*}}: i64)
// CHECK-DAG: %[[AI:.*]] = arith.index_cast %[[A]] : i64 to index
// CHECK-DAG: %[[BI:.*]] = arith.index_cast %[[B]] : i64 to index
// CHECK: %[[S:.*]] = arith.addi %[[AI]], %[[BI]] : index
// CHECK: %[[R:.*]] = arith.index_cast %[[S]] : index to i64
// CHECK: linalg.yield %[[R]] : i64
func.func @indices(%x: tensor<4xindex>) -> tensor<4xindex> {
  %c = arith.constant dense<[0, 1, 2, 3]> : tensor<4xindex>
  %e = tensor.empty() : tensor<4xindex>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
      ins(%x, %c : tensor<4xindex>, tensor<4xindex>) outs(%e : tensor<4xindex>) {
  ^bb0(%a: index, %b: index, %o: index):
    %s = arith.addi %a, %b : index
    linalg.yield %s : index
  } -> tensor<4xindex>
  return %r : tensor<4xindex>
}

// What branches yield and loops carry.
// CHECK-LABEL: @regions
// CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}) -> (tensor<4xi64>)
// CHECK: scf.if %{{.*}} -> (tensor<4xi64>)
// CHECK: scf.yield %[[A]] : tensor<4xi64>
func.func @regions(%x: tensor<4xindex>, %y: tensor<4xindex>, %n: tensor<i64>, %t: tensor<i1>) -> tensor<4xindex> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = graph.size %n : tensor<i64>
  %c = graph.condition %t : tensor<i1>
  %r = scf.for %i = %c0 to %k step %c1 iter_args(%a = %x) -> tensor<4xindex> {
    %b = scf.if %c -> tensor<4xindex> {
      scf.yield %a : tensor<4xindex>
    } else {
      scf.yield %y : tensor<4xindex>
    }
    scf.yield %b : tensor<4xindex>
  }
  return %r : tensor<4xindex>
}
