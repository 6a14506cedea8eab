// y = relu(x W), for docs/spatial.md: mapped on toy4 it takes 22 cycles.
#rows = affine_map<(d0, d1, d2) -> (d0, d2)>
#columns = affine_map<(d0, d1, d2) -> (d2, d1)>
#result = affine_map<(d0, d1, d2) -> (d0, d1)>
#same = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x: tensor<1x4xf32> {graph.name = "x"})
    -> (tensor<1x4xf32> {graph.name = "y"}) {
  %w = arith.constant dense<[[1.0, -1.0, 0.5, -2.0], [2.0, 0.0, 0.5, 1.0],
                             [3.0, 2.0, 0.5, -1.0], [4.0, -3.0, 0.5, 0.0]]> : tensor<4x4xf32>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x4xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x4xf32>) -> tensor<1x4xf32>
  %p = linalg.generic {indexing_maps = [#rows, #columns, #result],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<1x4xf32>, tensor<4x4xf32>) outs(%fill : tensor<1x4xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %ab = arith.mulf %a, %b : f32
    %sum = arith.addf %acc, %ab : f32
    linalg.yield %sum : f32
  } -> tensor<1x4xf32>
  %y = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<1x4xf32>) outs(%empty : tensor<1x4xf32>) {
  ^bb0(%a: f32, %out: f32):
    %r = arith.maximumf %a, %zero : f32
    linalg.yield %r : f32
  } -> tensor<1x4xf32>
  return %y : tensor<1x4xf32>
}
