func.func @main(%x: tensor<2x300xf32> {graph.name = "x"})
    -> (tensor<2x300xf32> {graph.name = "y"}) {
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %row = tensor.empty() : tensor<2xf32>
  %rows = tensor.empty() : tensor<2x300xf32>
  %no_most = linalg.fill ins(%least : f32) outs(%row : tensor<2xf32>)
      -> tensor<2xf32>
  %no_sum = linalg.fill ins(%zero : f32) outs(%row : tensor<2xf32>)
      -> tensor<2xf32>
  %most = linalg.reduce ins(%x : tensor<2x300xf32>)
      outs(%no_most : tensor<2xf32>) dimensions = [1]
      (%a: f32, %b: f32) {
        %max = arith.maximumf %a, %b : f32
        linalg.yield %max : f32
      }
  %m = linalg.broadcast ins(%most : tensor<2xf32>)
      outs(%rows : tensor<2x300xf32>) dimensions = [1]
  %off = arith.subf %x, %m : tensor<2x300xf32>
  %e = math.exp %off : tensor<2x300xf32>
  %sum = linalg.reduce ins(%e : tensor<2x300xf32>)
      outs(%no_sum : tensor<2xf32>) dimensions = [1]
      (%a: f32, %b: f32) {
        %add = arith.addf %a, %b : f32
        linalg.yield %add : f32
      }
  %s = linalg.broadcast ins(%sum : tensor<2xf32>)
      outs(%rows : tensor<2x300xf32>) dimensions = [1]
  %p = arith.divf %e, %s : tensor<2x300xf32>
  return %p : tensor<2x300xf32>
}
