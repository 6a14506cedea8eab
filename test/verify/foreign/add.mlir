func.func @main(%x: tensor<300xf32> {graph.name = "x"},
                %y: tensor<300xf32> {graph.name = "y"})
    -> (tensor<300xf32> {graph.name = "out"}) {
  %sum = arith.addf %x, %y : tensor<300xf32>
  return %sum : tensor<300xf32>
}
