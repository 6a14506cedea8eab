func.func @main(%x: tensor<6x240xf16> {graph.name = "x"})
    -> (tensor<6x240xf16> {graph.name = "y"}) {
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %row = tensor.empty() : tensor<6xf32>
  %rows = tensor.empty() : tensor<6x240xf32>
  %no_most = linalg.fill ins(%least : f32) outs(%row : tensor<6xf32>)
      -> tensor<6xf32>
  %no_sum = linalg.fill ins(%zero : f32) outs(%row : tensor<6xf32>)
      -> tensor<6xf32>
  %wide = arith.extf %x : tensor<6x240xf16> to tensor<6x240xf32>
  %most = linalg.reduce ins(%wide : tensor<6x240xf32>)
      outs(%no_most : tensor<6xf32>) dimensions = [1]
      (%a: f32, %b: f32) {
        %max = arith.maximumf %a, %b : f32
        linalg.yield %max : f32
      }
  %m = linalg.broadcast ins(%most : tensor<6xf32>)
      outs(%rows : tensor<6x240xf32>) dimensions = [1]
  %off = arith.subf %wide, %m : tensor<6x240xf32>
  %e = math.exp %off : tensor<6x240xf32>
  %sum = linalg.reduce ins(%e : tensor<6x240xf32>)
      outs(%no_sum : tensor<6xf32>) dimensions = [1]
      (%a: f32, %b: f32) {
        %add = arith.addf %a, %b : f32
        linalg.yield %add : f32
      }
  %s = linalg.broadcast ins(%sum : tensor<6xf32>)
      outs(%rows : tensor<6x240xf32>) dimensions = [1]
  %p = arith.divf %e, %s : tensor<6x240xf32>
  %y = arith.truncf %p : tensor<6x240xf32> to tensor<6x240xf16>
  return %y : tensor<6x240xf16>
}
