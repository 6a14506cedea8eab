// RUN: tilewright-opt %s --form-groups --convert-graph-to-tile --split-input-file | FileCheck %s

// The only kernel writes the row in the memory of the state.
// CHECK-LABEL: @row
// CHECK-NOT: tensor.empty
// CHECK: %[[Y:.*]] = graph.launch @k0{{[^(]*}}({{.*}}%arg2{{.*}}) writes
// CHECK: return %[[Y]]
// CHECK: tile.kernel @k0
// CHECK: tile.store_ptr %{{.*}} mask
// CHECK-NOT: tile.kernel
func.func @row(%u: tensor<1x64xf32>, %i: tensor<i64>,
               %s: tensor<100x64xf32> {graph.state = "s"})
    -> (tensor<100x64xf32> {graph.updates = "s"}) {
  %y = graph.scatter "set" %u into %s at(%i : tensor<i64>)
      target affine_map<(d0, d1)[s0] -> (s0, d1)>
      index_maps [affine_map<(d0, d1) -> ()>]
      : tensor<1x64xf32>, tensor<100x64xf32>
  return %y : tensor<100x64xf32>
}

// -----

// Sums are in place too, one after the other.
// CHECK-LABEL: @sums
// CHECK: %[[A:.*]] = graph.launch @k0{{[^(]*}}({{.*}}%arg2{{.*}}) writes
// CHECK: %[[B:.*]] = graph.launch @k1{{[^(]*}}({{.*}}%[[A]]{{.*}}) writes
// CHECK-NOT: graph.launch
// CHECK: return %[[B]]
func.func @sums(%u: tensor<8xf32>, %i: tensor<8xi64>,
                %s: tensor<100xf32> {graph.state = "s"})
    -> (tensor<100xf32> {graph.updates = "s"}) {
  %a = graph.scatter "add" %u into %s at(%i : tensor<8xi64>)
      target affine_map<(d0)[s0] -> (s0)>
      index_maps [affine_map<(d0) -> (d0)>] : tensor<8xf32>, tensor<100xf32>
  %b = graph.scatter "max" %u into %a at(%i : tensor<8xi64>)
      target affine_map<(d0)[s0] -> (s0)>
      index_maps [affine_map<(d0) -> (d0)>] : tensor<8xf32>, tensor<100xf32>
  return %b : tensor<100xf32>
}

// -----

// The caller wants the old value too: the data are copied first.
// CHECK-LABEL: @old
// CHECK: %[[E:.*]] = tensor.empty
// CHECK: %[[C:.*]] = graph.launch @k0{{[^(]*}}({{.*}}%[[E]]
// CHECK: graph.launch @k1{{[^(]*}}({{.*}}%[[C]]
func.func @old(%u: tensor<8xf32>, %i: tensor<8xi64>,
               %s: tensor<100xf32> {graph.state = "s"})
    -> (tensor<100xf32> {graph.updates = "s"}, tensor<100xf32>) {
  %a = graph.scatter "add" %u into %s at(%i : tensor<8xi64>)
      target affine_map<(d0)[s0] -> (s0)>
      index_maps [affine_map<(d0) -> (d0)>] : tensor<8xf32>, tensor<100xf32>
  return %a, %s : tensor<100xf32>, tensor<100xf32>
}

// -----

// So are they where the updates are of the state itself.
// CHECK-LABEL: @itself
// CHECK: graph.launch @k0
// CHECK: graph.launch @k1
func.func @itself(%i: tensor<100xi64>, %s: tensor<100xf32> {graph.state = "s"})
    -> (tensor<100xf32> {graph.updates = "s"}) {
  %a = graph.scatter "add" %s into %s at(%i : tensor<100xi64>)
      target affine_map<(d0)[s0] -> (s0)>
      index_maps [affine_map<(d0) -> (d0)>] : tensor<100xf32>, tensor<100xf32>
  return %a : tensor<100xf32>
}
