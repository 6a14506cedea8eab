// RUN: tilewright-opt %s --split-input-file --generalize-ops --split-reductions --form-groups --convert-graph-to-tile | FileCheck %s

// A reduction in parts of unknown length: parts take the rows in turn, and a
// program computes four, whose rows are side by side. It walks only the rows that
// there are of its own, none if there are few.
// CHECK-LABEL: tile.kernel @k0_parts
// CHECK-SAME: %[[ROWS:[^:]*]]: index
// CHECK: %[[PROGRAM:.*]] = tile.program_id
// CHECK: %[[PART:.*]] = arith.muli %[[PROGRAM]], %c4
// CHECK: %[[UP:.*]] = arith.addi %[[ROWS]], %{{.*}}
// CHECK: %[[LEFT:.*]] = arith.subi %[[UP]], %[[PART]]
// CHECK: %[[END:.*]] = arith.divui %[[LEFT]], %{{.*}}
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[END]] step %c1 {{.*}} -> (tensor<4x1x1xf32>)
// CHECK: tile.load {{.*}} -> tensor<4x1000xf32>
func.func @parts(%x: tensor<?x1000xf32>) -> tensor<f32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %a = linalg.reduce {arith.addf} ins(%x : tensor<?x1000xf32>) outs(%f : tensor<f32>) dimensions = [0, 1] loc("parts")
  return %a : tensor<f32>
}

// -----

// Of columns a program has more than it would have of rows that are next to each
// other: a step reads a few rows that are far apart.
// CHECK-LABEL: tile.kernel @k0_columns
// CHECK: tile.load {{.*}} -> tensor<8x512xf32>
func.func @columns(%x: tensor<?x512xf32>) -> tensor<512xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<512xf32>) -> tensor<512xf32>
  %a = linalg.reduce {arith.addf} ins(%x : tensor<?x512xf32>) outs(%f : tensor<512xf32>) dimensions = [0] loc("columns")
  return %a : tensor<512xf32>
}
