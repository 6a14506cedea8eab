func.func @main(%x: tensor<1008xbf16> {graph.name = "x"},
                %y: tensor<1008xbf16> {graph.name = "y"})
    -> (tensor<1008xbf16> {graph.name = "out"}) {
  %sum = arith.addf %x, %y : tensor<1008xbf16>
  return %sum : tensor<1008xbf16>
}
