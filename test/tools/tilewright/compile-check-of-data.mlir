// RUN: not tilewright compile %s --no-cache -o %t.twp 2>&1 | FileCheck %s

// CHECK: compile-check-of-data.mlir:[[# @LINE + 3]]:3: error: a size that is checked is computed from data, expected a size that follows from dimensions of inputs
// CHECK-NOT: error
func.func @main(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  graph.check %n equals %n, "itself"
  %y = linalg.add ins(%x, %x : tensor<4xf32>, tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
