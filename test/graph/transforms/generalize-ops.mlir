// RUN: tilewright-opt %s --generalize-ops --split-input-file --verify-diagnostics | FileCheck %s

// The fill with a constant stays, one with a scalar does not.
// CHECK-LABEL: @named
// CHECK: linalg.fill ins(%cst : f32)
// CHECK-NOT: linalg.fill
// CHECK: linalg.generic {{.*}} ins(%arg0 : f32)
// CHECK: linalg.generic {{.*}}"reduction"
// CHECK: arith.mulf
func.func @named(%s: f32, %x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %g = linalg.fill ins(%s : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %m = linalg.matmul ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%f : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %g, %m : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

func.func @buffers(%x: memref<4xf32>, %y: memref<4xf32>) {
  // expected-error @+1 {{expected an op on tensors, found one on buffers}}
  linalg.copy ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
  return
}
