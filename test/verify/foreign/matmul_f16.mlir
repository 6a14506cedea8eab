func.func @main(%a: tensor<20x40xf16> {graph.name = "a"},
                %b: tensor<40x24xf16> {graph.name = "b"})
    -> (tensor<20x24xf32> {graph.name = "c"}) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<20x24xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<20x24xf32>)
      -> tensor<20x24xf32>
  %c = linalg.matmul ins(%a, %b : tensor<20x40xf16>, tensor<40x24xf16>)
      outs(%init : tensor<20x24xf32>) -> tensor<20x24xf32>
  return %c : tensor<20x24xf32>
}
