// RUN: tilewright-opt %s --scalars-to-tensors --split-input-file --verify-diagnostics | FileCheck %s

// Numbers are tensors without dimensions outside; index is i64.
// CHECK-LABEL: @numbers
// CHECK-SAME: (%[[A:.*]]: tensor<f32>, %[[N:.*]]: tensor<i64>) -> (tensor<i64>, tensor<f32>)
// CHECK-NEXT: %[[S:.*]] = tensor.extract %[[A]][] : tensor<f32>
// CHECK-NEXT: %[[I:.*]] = tensor.extract %[[N]][] : tensor<i64>
// CHECK-NEXT: %[[J:.*]] = arith.index_cast %[[I]] : i64 to index
// CHECK-NEXT: %[[K:.*]] = arith.index_cast %[[J]] : index to i64
// CHECK-NEXT: tensor.from_elements %[[K]] : tensor<i64>
// CHECK-NEXT: tensor.from_elements %[[S]] : tensor<f32>
func.func @numbers(%a: f32, %n: index) -> (index, f32) {
  return %n, %a : index, f32
}

// -----

// expected-error @+1 {{expected argument 0 to be a ranked tensor or a number, found 'memref<4xf32>'}}
func.func @buffer(%a: memref<4xf32>) {
  return
}
