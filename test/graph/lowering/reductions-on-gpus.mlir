// How a GPU's program reduces: threads exchange elements as seldom as possible.
// RUN: tilewright-opt %s --form-groups --convert-graph-to-tile --split-input-file | FileCheck %s

// A long sum of columns: the loop adds up whole tiles, and one reduction of the
// last tile follows it. Sums begin with -0, which adds nothing to -0 either.
// CHECK-LABEL: tile.kernel
// CHECK: %[[NOTHING:.*]] = arith.constant dense<-0.000000e+00> : tensor<128x[[STEP:[0-9]+]]xf32>
// CHECK: %[[ALL:.*]] = scf.for {{.*}} iter_args(%[[ACC:.*]] = %[[NOTHING]]) -> (tensor<128x[[STEP]]xf32>) {
// CHECK-NOT: tile.reduce
// CHECK: arith.addf %[[ACC]], %{{.*}} : tensor<128x[[STEP]]xf32>
// CHECK: }
// CHECK: tile.reduce %[[ALL]] axis 1
#in = affine_map<(j, i) -> (i, j)>
#column = affine_map<(j, i) -> (j)>
module attributes {graph.targets = [#tile.target<"sm_90a">]} {
func.func @columns(%x: tensor<4096x1024xf32>) -> tensor<1024xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1024xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1024xf32>) -> tensor<1024xf32>
  %s = linalg.generic {indexing_maps = [#in, #column], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4096x1024xf32>) outs(%z : tensor<1024xf32>) {
  ^bb0(%p: f32, %q: f32):
    %r = arith.addf %q, %p : f32
    linalg.yield %r : f32
  } -> tensor<1024xf32>
  return %s : tensor<1024xf32>
}
}

// -----

// Rows that a warp can hold are read in one step, without a loop or a mask.
// CHECK-LABEL: tile.kernel
// CHECK-NOT: scf.for
// CHECK: tile.load %{{.*}} -> tensor<{{[0-9]+}}x1000xf32>
// CHECK-NOT: arith.select
// CHECK: tile.reduce %{{.*}} axis 1
#in = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
module attributes {graph.targets = [#tile.target<"sm_90a">]} {
func.func @rows(%x: tensor<4096x1000xf32>) -> tensor<4096xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4096xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4096xf32>) -> tensor<4096xf32>
  %s = linalg.generic {indexing_maps = [#in, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4096x1000xf32>) outs(%z : tensor<4096xf32>) {
  ^bb0(%p: f32, %q: f32):
    %r = arith.addf %q, %p : f32
    linalg.yield %r : f32
  } -> tensor<4096xf32>
  return %s : tensor<4096xf32>
}
}
