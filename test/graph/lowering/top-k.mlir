// RUN: tilewright-opt %s --form-groups --convert-graph-to-tile | FileCheck %s

// Two of 200 elements: each point of two tiles of 128 (of 64 lanes' worth the
// end) has a sorted pair, and pairs are merged. A position is below a key of 32
// bits; the values are read again where they are.
// CHECK: tile.kernel @k0
// CHECK: tile.load
// CHECK: arith.shli %{{.*}} : tensor<{{.*}}xi64>
// CHECK: arith.ori
// CHECK: tile.load
// CHECK: arith.cmpi slt
// CHECK: tile.reduce %{{.*}}, %{{.*}} axis 1
// CHECK: arith.minsi %{{.*}}, %{{.*}} : i64
// CHECK: tile.yield
// CHECK: tile.join
// CHECK: tile.store {{.*}}xi64>
// CHECK: tile.load_ptr
// CHECK: tile.store {{.*}}xf32>
func.func @main(%x: tensor<64x200xf32>)
    -> (tensor<64x2xf32>, tensor<64x2xi64>) {
  %v, %i = graph.top_k %x axis 1
      : tensor<64x200xf32> -> tensor<64x2xf32>, tensor<64x2xi64>
  return %v, %i : tensor<64x2xf32>, tensor<64x2xi64>
}
