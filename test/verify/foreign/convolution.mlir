// 3 x 3 windows with zeros around, channels last.
func.func @main(%x: tensor<3x5x16xf16> {graph.name = "x"},
                %w: tensor<3x3x16x32xf16> {graph.name = "w"})
    -> (tensor<3x5x32xf32> {graph.name = "y"}) {
  %none = arith.constant 0.0 : f16
  %zero = arith.constant 0.0 : f32
  %padded = tensor.pad %x low[1, 1, 0] high[1, 1, 0] {
  ^bb0(%i: index, %j: index, %c: index):
    tensor.yield %none : f16
  } : tensor<3x5x16xf16> to tensor<5x7x16xf16>
  %empty = tensor.empty() : tensor<3x5x32xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<3x5x32xf32>)
      -> tensor<3x5x32xf32>
  %y = linalg.generic {
      indexing_maps = [
        affine_map<(i, j, f, r, s, c) -> (i + r, j + s, c)>,
        affine_map<(i, j, f, r, s, c) -> (r, s, c, f)>,
        affine_map<(i, j, f, r, s, c) -> (i, j, f)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction",
                        "reduction", "reduction"]}
      ins(%padded, %w : tensor<5x7x16xf16>, tensor<3x3x16x32xf16>)
      outs(%init : tensor<3x5x32xf32>) {
  ^bb0(%a: f16, %b: f16, %sum: f32):
    %a32 = arith.extf %a : f16 to f32
    %b32 = arith.extf %b : f16 to f32
    %product = arith.mulf %a32, %b32 : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<3x5x32xf32>
  return %y : tensor<3x5x32xf32>
}
