func.func @main(%a: tensor<20x40xi8> {graph.name = "a"},
                %b: tensor<40x24xi8> {graph.name = "b"})
    -> (tensor<20x24xi32> {graph.name = "c"}) {
  %zero = arith.constant 0 : i32
  %empty = tensor.empty() : tensor<20x24xi32>
  %init = linalg.fill ins(%zero : i32) outs(%empty : tensor<20x24xi32>)
      -> tensor<20x24xi32>
  %c = linalg.matmul ins(%a, %b : tensor<20x40xi8>, tensor<40x24xi8>)
      outs(%init : tensor<20x24xi32>) -> tensor<20x24xi32>
  return %c : tensor<20x24xi32>
}
