// RUN: tilewright-opt %s --elementwise-to-generic | FileCheck %s

// CHECK-LABEL: @ops
// CHECK: linalg.generic
// CHECK: math.fma %{{.*}}, %{{.*}}, %{{.*}} : f32
// CHECK: linalg.generic
// CHECK: arith.select %arg2, %{{.*}}, %{{.*}} : f32
func.func @ops(%x: tensor<4xf32>, %y: tensor<4xf32>, %c: i1) -> tensor<4xf32> {
  %a = math.fma %x, %y, %x : tensor<4xf32>
  %b = arith.select %c, %a, %y : tensor<4xf32>
  return %b : tensor<4xf32>
}

// Ops on scalars stay.
// CHECK-LABEL: @scalars
// CHECK-NEXT: arith.addf %{{.*}}, %{{.*}} : f32
func.func @scalars(%a: f32) -> f32 {
  %b = arith.addf %a, %a : f32
  return %b : f32
}

// A kernel that the user gave is no part of the graph.
// CHECK-LABEL: module @user_kernels
// CHECK: arith.addf %{{.*}}, %{{.*}} : tensor<4xf32>
module @user_kernels attributes {graph.user_kernels} {
  tile.func @double(%x: tensor<4xf32>) -> tensor<4xf32> {
    %y = arith.addf %x, %x : tensor<4xf32>
    tile.return %y : tensor<4xf32>
  }
}
