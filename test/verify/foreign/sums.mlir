// Running sums down the columns, along the rows, and along them from the end.
func.func @main(%x: tensor<32x64xi32> {graph.name = "x"})
    -> (tensor<32x64xi32> {graph.name = "down"},
        tensor<32x64xi32> {graph.name = "across"},
        tensor<32x64xi32> {graph.name = "back"}) {
  %down = graph.scan %x axis 0 {
  ^bb0(%a: i32, %b: i32):
    %sum = arith.addi %a, %b : i32
    graph.yield %sum : i32
  } : tensor<32x64xi32>
  %across = graph.scan %x axis 1 {
  ^bb0(%a: i32, %b: i32):
    %sum = arith.addi %a, %b : i32
    graph.yield %sum : i32
  } : tensor<32x64xi32>
  %back = graph.scan %x axis 1 reverse {
  ^bb0(%a: i32, %b: i32):
    %sum = arith.addi %a, %b : i32
    graph.yield %sum : i32
  } : tensor<32x64xi32>
  return %down, %across, %back
      : tensor<32x64xi32>, tensor<32x64xi32>, tensor<32x64xi32>
}
