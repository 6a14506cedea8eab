// Along rows by indices, and down columns by what is computed.
func.func @main(%x: tensor<16x64xf16> {graph.name = "x"},
                %places: tensor<16x32xi32> {graph.name = "places"})
    -> (tensor<1536xf16> {graph.name = "out"}) {
  %c3 = arith.constant 3 : index
  %c16 = arith.constant 16 : index
  %empty = tensor.empty() : tensor<16x32xf16>
  %across = linalg.generic {
      indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>,
                       affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%places : tensor<16x32xi32>) outs(%empty : tensor<16x32xf16>) {
  ^bb0(%place: i32, %old: f16):
    %row = linalg.index 0 : index
    %column = arith.index_cast %place : i32 to index
    %element = tensor.extract %x[%row, %column] : tensor<16x64xf16>
    linalg.yield %element : f16
  } -> tensor<16x32xf16>
  %wide = tensor.empty() : tensor<16x64xf16>
  %down = linalg.generic {
      indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]}
      outs(%wide : tensor<16x64xf16>) {
  ^bb0(%old: f16):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %i3 = arith.muli %i, %c3 : index
    %sum = arith.addi %i3, %j : index
    %row = arith.remui %sum, %c16 : index
    %element = tensor.extract %x[%row, %j] : tensor<16x64xf16>
    linalg.yield %element : f16
  } -> tensor<16x64xf16>
  %first = tensor.collapse_shape %across [[0, 1]]
      : tensor<16x32xf16> into tensor<512xf16>
  %second = tensor.collapse_shape %down [[0, 1]]
      : tensor<16x64xf16> into tensor<1024xf16>
  %out = tensor.concat dim(0) %first, %second
      : (tensor<512xf16>, tensor<1024xf16>) -> tensor<1536xf16>
  return %out : tensor<1536xf16>
}
