// B is held as pairs of integers of 4 bits along k, the first one below.
func.func @main(%a: tensor<32x64xf16> {graph.name = "a"},
                %pairs: tensor<32x32xi8> {graph.name = "b"},
                %scales: tensor<32xf32> {graph.name = "scales"})
    -> (tensor<32x32xf32> {graph.name = "c"}) {
  %zero = arith.constant 0.0 : f32
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : i8
  %is_first = arith.constant 0 : index
  %empty_b = tensor.empty() : tensor<64x32xf16>
  %b = linalg.generic {
      indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]}
      outs(%empty_b : tensor<64x32xf16>) {
  ^bb0(%old: f16):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %pair = arith.divui %i, %c2 : index
    %rest = arith.remui %i, %c2 : index
    %byte = tensor.extract %pairs[%pair, %j] : tensor<32x32xi8>
    %up = arith.shli %byte, %c4 : i8
    %low = arith.shrsi %up, %c4 : i8
    %high = arith.shrsi %byte, %c4 : i8
    %first = arith.cmpi eq, %rest, %is_first : index
    %code = arith.select %first, %low, %high : i8
    %value = arith.sitofp %code : i8 to f16
    linalg.yield %value : f16
  } -> tensor<64x32xf16>
  %empty = tensor.empty() : tensor<32x32xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<32x32xf32>)
      -> tensor<32x32xf32>
  %product = linalg.matmul ins(%a, %b : tensor<32x64xf16>, tensor<64x32xf16>)
      outs(%init : tensor<32x32xf32>) -> tensor<32x32xf32>
  %spread = linalg.broadcast ins(%scales : tensor<32xf32>)
      outs(%empty : tensor<32x32xf32>) dimensions = [0]
  %c = arith.mulf %product, %spread : tensor<32x32xf32>
  return %c : tensor<32x32xf32>
}
