// RUN: tilewright-opt %s --decompose-linalg --split-input-file | FileCheck %s

// CHECK-LABEL: @softmax
// CHECK-NOT: linalg.softmax
// CHECK: arith.maxnumf
// CHECK: math.exp
// CHECK: arith.divf
func.func @softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %r = linalg.softmax dimension(1) ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// -----

// Static: a padding, a reshape and a transpose.
// CHECK-LABEL: @pack
// CHECK: tensor.pad
// CHECK: tensor.expand_shape
// CHECK: linalg.transpose
func.func @pack(%x: tensor<7x8xf32>) -> tensor<2x2x4x4xf32> {
  %v = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x2x4x4xf32>
  %r = linalg.pack %x padding_value(%v : f32) inner_dims_pos = [0, 1] inner_tiles = [4, 4] into %e : tensor<7x8xf32> -> tensor<2x2x4x4xf32>
  return %r : tensor<2x2x4x4xf32>
}

// -----

// Dynamic: each element is read where it lies.
// CHECK-LABEL: @unpack
// CHECK: linalg.generic
// CHECK-DAG: arith.divui
// CHECK-DAG: arith.remui
// CHECK: tensor.extract
func.func @unpack(%x: tensor<?x4xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.unpack %x inner_dims_pos = [0] inner_tiles = [4] into %y : tensor<?x4xf32> -> tensor<?xf32>
  return %r : tensor<?xf32>
}
