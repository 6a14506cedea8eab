func.func @main(%x: tensor<2x200xf32> {graph.name = "x"},
                %scale: tensor<200xf32> {graph.name = "scale"},
                %shift: tensor<200xf32> {graph.name = "shift"})
    -> (tensor<2x200xf32> {graph.name = "y"},
        tensor<2x2xf32> {graph.name = "statistics"}) {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant dense<200.0> : tensor<2xf32>
  %epsilon = arith.constant dense<1.0e-5> : tensor<2xf32>
  %row = tensor.empty() : tensor<2xf32>
  %rows = tensor.empty() : tensor<2x200xf32>
  %init = linalg.fill ins(%zero : f32) outs(%row : tensor<2xf32>)
      -> tensor<2xf32>
  %sum = linalg.reduce ins(%x : tensor<2x200xf32>)
      outs(%init : tensor<2xf32>) dimensions = [1]
      (%a: f32, %b: f32) {
        %add = arith.addf %a, %b : f32
        linalg.yield %add : f32
      }
  %mean = arith.divf %sum, %count : tensor<2xf32>
  %means = linalg.broadcast ins(%mean : tensor<2xf32>)
      outs(%rows : tensor<2x200xf32>) dimensions = [1]
  %off = arith.subf %x, %means : tensor<2x200xf32>
  %square = arith.mulf %off, %off : tensor<2x200xf32>
  %squares = linalg.reduce ins(%square : tensor<2x200xf32>)
      outs(%init : tensor<2xf32>) dimensions = [1]
      (%a: f32, %b: f32) {
        %add = arith.addf %a, %b : f32
        linalg.yield %add : f32
      }
  %variance = arith.divf %squares, %count : tensor<2xf32>
  %above = arith.addf %variance, %epsilon : tensor<2xf32>
  %inverse = math.rsqrt %above : tensor<2xf32>
  %inverses = linalg.broadcast ins(%inverse : tensor<2xf32>)
      outs(%rows : tensor<2x200xf32>) dimensions = [1]
  %scales = linalg.broadcast ins(%scale : tensor<200xf32>)
      outs(%rows : tensor<2x200xf32>) dimensions = [0]
  %shifts = linalg.broadcast ins(%shift : tensor<200xf32>)
      outs(%rows : tensor<2x200xf32>) dimensions = [0]
  %norm = arith.mulf %off, %inverses : tensor<2x200xf32>
  %scaled = arith.mulf %norm, %scales : tensor<2x200xf32>
  %y = arith.addf %scaled, %shifts : tensor<2x200xf32>
  %mean1 = tensor.expand_shape %mean [[0, 1]] output_shape [2, 1]
      : tensor<2xf32> into tensor<2x1xf32>
  %inverse1 = tensor.expand_shape %inverse [[0, 1]] output_shape [2, 1]
      : tensor<2xf32> into tensor<2x1xf32>
  %statistics = tensor.concat dim(1) %mean1, %inverse1
      : (tensor<2x1xf32>, tensor<2x1xf32>) -> tensor<2x2xf32>
  return %y, %statistics : tensor<2x200xf32>, tensor<2x2xf32>
}
