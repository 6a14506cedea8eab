func.func @main(%x: tensor<16x32xf16> {graph.name = "x"})
    -> (tensor<8x16xf16> {graph.name = "out"}) {
  %none = arith.constant 0x7E00 : f16
  %empty = tensor.empty() : tensor<8x16xf16>
  %init = linalg.fill ins(%none : f16) outs(%empty : tensor<8x16xf16>)
      -> tensor<8x16xf16>
  %windows = tensor.expand_shape %x [[0, 1], [2, 3]]
      output_shape [8, 2, 16, 2] : tensor<16x32xf16> into tensor<8x2x16x2xf16>
  %out = linalg.reduce ins(%windows : tensor<8x2x16x2xf16>)
      outs(%init : tensor<8x16xf16>) dimensions = [1, 3]
      (%a: f16, %b: f16) {
        %most = arith.maxnumf %a, %b : f16
        linalg.yield %most : f16
      }
  return %out : tensor<8x16xf16>
}
