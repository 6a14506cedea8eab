// x / max(|x|, eps) becomes x / (|x| + eps).
// Wrong: a row of tiny numbers is divided by twice its length.
// Right: a comparison that keeps NaN.
// relation: near=1e-3
// witness: x = full((4, 16), 2.5e-13)

// before
func.func @main(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %c0 = arith.constant dense<0.0> : tensor<4xf32>
  %c1 = arith.constant dense<1.0e-12> : tensor<4xf32>
  %0 = arith.mulf %x, %x : tensor<4x16xf32>
  %1 = linalg.reduce { arith.addf } ins(%0 : tensor<4x16xf32>)
      outs(%c0 : tensor<4xf32>) dimensions = [1]
  %n = math.sqrt %1 : tensor<4xf32>
  %2 = arith.maximumf %n, %c1 : tensor<4xf32>
  %3 = tensor.empty() : tensor<4x16xf32>
  %4 = linalg.broadcast ins(%2 : tensor<4xf32>)
      outs(%3 : tensor<4x16xf32>) dimensions = [1]
  %5 = arith.divf %x, %4 : tensor<4x16xf32>
  return %5 : tensor<4x16xf32>
}

// -----

// right
func.func @main(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %c0 = arith.constant dense<0.0> : tensor<4xf32>
  %c1 = arith.constant dense<1.0e-12> : tensor<4xf32>
  %0 = arith.mulf %x, %x : tensor<4x16xf32>
  %1 = linalg.reduce { arith.addf } ins(%0 : tensor<4x16xf32>)
      outs(%c0 : tensor<4xf32>) dimensions = [1]
  %n = math.sqrt %1 : tensor<4xf32>
  %longer = arith.cmpf ugt, %n, %c1 : tensor<4xf32>
  %2 = arith.select %longer, %n, %c1 : tensor<4xi1>, tensor<4xf32>
  %3 = tensor.empty() : tensor<4x16xf32>
  %4 = linalg.broadcast ins(%2 : tensor<4xf32>)
      outs(%3 : tensor<4x16xf32>) dimensions = [1]
  %5 = arith.divf %x, %4 : tensor<4x16xf32>
  return %5 : tensor<4x16xf32>
}

// -----

// wrong
func.func @main(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %c0 = arith.constant dense<0.0> : tensor<4xf32>
  %c1 = arith.constant dense<1.0e-12> : tensor<4xf32>
  %0 = arith.mulf %x, %x : tensor<4x16xf32>
  %1 = linalg.reduce { arith.addf } ins(%0 : tensor<4x16xf32>)
      outs(%c0 : tensor<4xf32>) dimensions = [1]
  %n = math.sqrt %1 : tensor<4xf32>
  %2 = arith.addf %n, %c1 : tensor<4xf32>
  %3 = tensor.empty() : tensor<4x16xf32>
  %4 = linalg.broadcast ins(%2 : tensor<4xf32>)
      outs(%3 : tensor<4x16xf32>) dimensions = [1]
  %5 = arith.divf %x, %4 : tensor<4x16xf32>
  return %5 : tensor<4x16xf32>
}
