// What a tile of 16 x 32 becomes: transposed; its rows turned round; neighbours
// exchanged; as it was; permuted as 4 x 4 x 32; the sum of each row.
func.func @main(%x: tensor<16x32xf32> {graph.name = "x"})
    -> (tensor<6x512xf32> {graph.name = "out"}) {
  %c31 = arith.constant 31 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %tall = tensor.empty() : tensor<32x16xf32>
  %wide = tensor.empty() : tensor<16x32xf32>
  %deep = tensor.empty() : tensor<4x32x4xf32>
  %t = linalg.transpose ins(%x : tensor<16x32xf32>)
      outs(%tall : tensor<32x16xf32>) permutation = [1, 0]
  %turned = linalg.generic {
      indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]}
      outs(%wide : tensor<16x32xf32>) {
  ^bb0(%old: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %from = arith.subi %c31, %j : index
    %element = tensor.extract %x[%i, %from] : tensor<16x32xf32>
    linalg.yield %element : f32
  } -> tensor<16x32xf32>
  %exchanged = linalg.generic {
      indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]}
      outs(%wide : tensor<16x32xf32>) {
  ^bb0(%old: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %from = arith.xori %j, %c1 : index
    %element = tensor.extract %x[%i, %from] : tensor<16x32xf32>
    linalg.yield %element : f32
  } -> tensor<16x32xf32>
  %blocks = tensor.expand_shape %x [[0, 1], [2]] output_shape [4, 4, 32]
      : tensor<16x32xf32> into tensor<4x4x32xf32>
  %p = linalg.transpose ins(%blocks : tensor<4x4x32xf32>)
      outs(%deep : tensor<4x32x4xf32>) permutation = [1, 2, 0]
  %row = tensor.empty() : tensor<16xf32>
  %init = linalg.fill ins(%zero : f32) outs(%row : tensor<16xf32>)
      -> tensor<16xf32>
  %sums = linalg.reduce ins(%x : tensor<16x32xf32>)
      outs(%init : tensor<16xf32>) dimensions = [1]
      (%a: f32, %b: f32) {
        %sum = arith.addf %a, %b : f32
        linalg.yield %sum : f32
      }
  %spread = linalg.broadcast ins(%sums : tensor<16xf32>)
      outs(%wide : tensor<16x32xf32>) dimensions = [1]
  %a = tensor.collapse_shape %t [[0, 1]]
      : tensor<32x16xf32> into tensor<512xf32>
  %b = tensor.collapse_shape %turned [[0, 1]]
      : tensor<16x32xf32> into tensor<512xf32>
  %c = tensor.collapse_shape %exchanged [[0, 1]]
      : tensor<16x32xf32> into tensor<512xf32>
  %d = tensor.collapse_shape %x [[0, 1]]
      : tensor<16x32xf32> into tensor<512xf32>
  %e = tensor.collapse_shape %p [[0, 1, 2]]
      : tensor<4x32x4xf32> into tensor<512xf32>
  %f = tensor.collapse_shape %spread [[0, 1]]
      : tensor<16x32xf32> into tensor<512xf32>
  %flat = tensor.concat dim(0) %a, %b, %c, %d, %e, %f
      : (tensor<512xf32>, tensor<512xf32>, tensor<512xf32>, tensor<512xf32>,
         tensor<512xf32>, tensor<512xf32>) -> tensor<3072xf32>
  %out = tensor.expand_shape %flat [[0, 1]] output_shape [6, 512]
      : tensor<3072xf32> into tensor<6x512xf32>
  return %out : tensor<6x512xf32>
}
