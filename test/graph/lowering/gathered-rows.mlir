// RUN: tilewright-opt %s --capture-scalars --form-groups --convert-graph-to-tile | FileCheck %s

// What a sum reads at computed places is read one by one: a tile of an open
// number of rows is low, because rows that do not exist cost as much as others.
// CHECK: tile.kernel {{.*}} -> (s0 ceildiv 2)>
// CHECK: arith.constant dense<0.000000e+00> : tensor<2x1xf32>
func.func @main(%at: tensor<?x300xi32>, %x: tensor<9xf32>) -> tensor<?x1xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %at, %c0 : tensor<?x300xi32>
  %e = tensor.empty(%n) : tensor<?x1xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x1xf32>) -> tensor<?x1xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%at : tensor<?x300xi32>) outs(%f : tensor<?x1xf32>) {
  ^bb0(%number: i32, %sum: f32):
    %i = arith.index_cast %number : i32 to index
    %v = tensor.extract %x[%i] : tensor<9xf32>
    %t = arith.addf %v, %sum : f32
    linalg.yield %t : f32
  } -> tensor<?x1xf32>
  return %r : tensor<?x1xf32>
}
