// A two-layer perceptron at graph level: linalg on tensors, any batch size.
// Layer 1 doubles and adds, layer 2 sums; small enough to check by hand.
func.func @main(%x: tensor<?x2xf32> {graph.name = "x", graph.dims = ["N", ""]})
    -> (tensor<?x1xf32> {graph.name = "y"}) {
  %w1 = arith.constant dense<[[2.0, 0.0, 1.0], [0.0, 2.0, -1.0]]> : tensor<2x3xf32>
  %w2 = arith.constant dense<[[1.0], [1.0], [1.0]]> : tensor<3x1xf32>
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x2xf32>
  %e1 = tensor.empty(%n) : tensor<?x3xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?x3xf32>) -> tensor<?x3xf32>
  %h = linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w1 : tensor<?x2xf32>, tensor<2x3xf32>) outs(%f1 : tensor<?x3xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x3xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%h : tensor<?x3xf32>) outs(%e1 : tensor<?x3xf32>) {
  ^bb0(%a: f32, %o: f32):
    %relu = arith.maximumf %a, %zero : f32
    linalg.yield %relu : f32
  } -> tensor<?x3xf32>
  %e2 = tensor.empty(%n) : tensor<?x1xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<?x1xf32>) -> tensor<?x1xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%r, %w2 : tensor<?x3xf32>, tensor<3x1xf32>) outs(%f2 : tensor<?x1xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x1xf32>
  return %y : tensor<?x1xf32>
}
