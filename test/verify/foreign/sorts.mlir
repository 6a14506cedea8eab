// Rows in order, in the opposite order, and their 8 greatest.
func.func @main(%x: tensor<4x128xi32> {graph.name = "x"})
    -> (tensor<4x128xi32> {graph.name = "up"},
        tensor<4x128xi32> {graph.name = "down"},
        tensor<4x8xi32> {graph.name = "most"}) {
  %up = graph.sort %x axis 1 : tensor<4x128xi32>
  %down = graph.sort %x axis 1 descending : tensor<4x128xi32>
  %most = tensor.extract_slice %down[0, 0] [4, 8] [1, 1]
      : tensor<4x128xi32> to tensor<4x8xi32>
  return %up, %down, %most
      : tensor<4x128xi32>, tensor<4x128xi32>, tensor<4x8xi32>
}
