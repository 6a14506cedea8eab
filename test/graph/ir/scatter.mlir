// RUN: tilewright-opt %s | tilewright-opt | FileCheck %s

// Rows are added to rows.
// CHECK-LABEL: @rows
// CHECK: graph.scatter "add" %{{.*}} into %{{.*}} at(%{{.*}} : tensor<8xi64>)
func.func @rows(%u: tensor<8x64xf32>, %x: tensor<?x64xf32>, %i: tensor<8xi64>)
    -> tensor<?x64xf32> {
  %y = graph.scatter "add" %u into %x at(%i : tensor<8xi64>)
      target affine_map<(d0, d1)[s0] -> (s0, d1)>
      index_maps [affine_map<(d0, d1) -> (d0)>]
      : tensor<8x64xf32>, tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}
