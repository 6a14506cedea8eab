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

// Of updates of one element the last one counts: the columns of a row have one
// owner, and each column of an index tensor its own.
// CHECK-LABEL: @last
// CHECK: graph.scatter "set" {{.*}} owners tensor<?xi32>
// CHECK: graph.scatter "set" {{.*}} owners tensor<?x64xi32>
func.func @last(%u: tensor<8x64xf32>, %x: tensor<?x64xf32>, %i: tensor<8xi64>,
                %j: tensor<8x64xi64>) -> tensor<?x64xf32> {
  %y, %o = graph.scatter "set" %u into %x at(%i : tensor<8xi64>)
      target affine_map<(d0, d1)[s0] -> (s0, d1)>
      index_maps [affine_map<(d0, d1) -> (d0)>]
      : tensor<8x64xf32>, tensor<?x64xf32> owners tensor<?xi32>
  %z, %p = graph.scatter "set" %u into %y at(%j : tensor<8x64xi64>)
      target affine_map<(d0, d1)[s0] -> (s0, d1)>
      index_maps [affine_map<(d0, d1) -> (d0, d1)>]
      : tensor<8x64xf32>, tensor<?x64xf32> owners tensor<?x64xi32>
  return %z : tensor<?x64xf32>
}

// No two updates meet.
// CHECK-LABEL: @one
// CHECK: graph.scatter "set"
// CHECK-NOT: owners
func.func @one(%u: tensor<1x64xi8>, %x: tensor<?x64xi8>, %i: tensor<1xi64>)
    -> tensor<?x64xi8> {
  %y = graph.scatter "set" %u into %x at(%i : tensor<1xi64>)
      target affine_map<(d0, d1)[s0] -> (s0, d1)>
      index_maps [affine_map<(d0, d1) -> (d0)>]
      : tensor<1x64xi8>, tensor<?x64xi8>
  return %y : tensor<?x64xi8>
}
