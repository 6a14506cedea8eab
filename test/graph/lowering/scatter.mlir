// RUN: tilewright-opt %s --form-groups --convert-graph-to-tile | FileCheck %s

// The first kernel copies the data, the second adds rows to the copy: a row
// whose index is beyond it is left out.
// CHECK: %[[Y:.*]] = graph.launch @k0
// CHECK: graph.launch @k1{{.*}}(%{{.*}}, %[[Y]]
// CHECK: tile.kernel @k0
// CHECK-NOT: atomic
// CHECK: tile.store
// CHECK: tile.kernel @k1
// CHECK: %[[INDEX:.*]] = tile.load %{{.*}}xi64
// CHECK: arith.cmpi slt
// CHECK: arith.cmpi ult
// Columns are inside.
// CHECK-NOT: arith.cmpi
// CHECK: tile.atomic_rmw add relaxed device %{{.*}}, %{{.*}} mask
// CHECK-NOT: tile.store
func.func @main(%u: tensor<8x64xf32>, %x: tensor<100x64xf32>,
                %i: tensor<8xi64>) -> tensor<100x64xf32> {
  %y = graph.scatter "add" %u into %x at(%i : tensor<8xi64>)
      target affine_map<(d0, d1)[s0] -> (s0, d1)>
      index_maps [affine_map<(d0, d1) -> (d0)>]
      : tensor<8x64xf32>, tensor<100x64xf32>
  return %y : tensor<100x64xf32>
}
