// 1 / sqrt(v + eps) becomes 1 / (sqrt(v) + eps).
// Wrong: of a constant row it is 1e5, not 316.
// Right: rsqrt.
// seen: microsoft/CNTK#3816
// relation: near=1e-2
// witness: x = full((4, 64), 3.0)

// before
func.func @main(%x: tensor<4x64xf32>) -> tensor<4xf32> {
  %c0 = arith.constant dense<0.0> : tensor<4xf32>
  %c1 = arith.constant dense<64.0> : tensor<4xf32>
  %c2 = arith.constant dense<1.0e-05> : tensor<4xf32>
  %c3 = arith.constant dense<1.0> : tensor<4xf32>
  %0 = linalg.reduce { arith.addf } ins(%x : tensor<4x64xf32>)
      outs(%c0 : tensor<4xf32>) dimensions = [1]
  %m = arith.divf %0, %c1 : tensor<4xf32>
  %1 = tensor.empty() : tensor<4x64xf32>
  %2 = linalg.broadcast ins(%m : tensor<4xf32>)
      outs(%1 : tensor<4x64xf32>) dimensions = [1]
  %c = arith.subf %x, %2 : tensor<4x64xf32>
  %3 = arith.mulf %c, %c : tensor<4x64xf32>
  %4 = linalg.reduce { arith.addf } ins(%3 : tensor<4x64xf32>)
      outs(%c0 : tensor<4xf32>) dimensions = [1]
  %v = arith.divf %4, %c1 : tensor<4xf32>
  %5 = arith.addf %v, %c2 : tensor<4xf32>
  %6 = math.sqrt %5 : tensor<4xf32>
  %7 = arith.divf %c3, %6 : tensor<4xf32>
  return %7 : tensor<4xf32>
}

// -----

// right
func.func @main(%x: tensor<4x64xf32>) -> tensor<4xf32> {
  %c0 = arith.constant dense<0.0> : tensor<4xf32>
  %c1 = arith.constant dense<64.0> : tensor<4xf32>
  %c2 = arith.constant dense<1.0e-05> : tensor<4xf32>
  %0 = linalg.reduce { arith.addf } ins(%x : tensor<4x64xf32>)
      outs(%c0 : tensor<4xf32>) dimensions = [1]
  %m = arith.divf %0, %c1 : tensor<4xf32>
  %1 = tensor.empty() : tensor<4x64xf32>
  %2 = linalg.broadcast ins(%m : tensor<4xf32>)
      outs(%1 : tensor<4x64xf32>) dimensions = [1]
  %c = arith.subf %x, %2 : tensor<4x64xf32>
  %3 = arith.mulf %c, %c : tensor<4x64xf32>
  %4 = linalg.reduce { arith.addf } ins(%3 : tensor<4x64xf32>)
      outs(%c0 : tensor<4xf32>) dimensions = [1]
  %v = arith.divf %4, %c1 : tensor<4xf32>
  %5 = arith.addf %v, %c2 : tensor<4xf32>
  %6 = math.rsqrt %5 : tensor<4xf32>
  return %6 : tensor<4xf32>
}

// -----

// wrong
func.func @main(%x: tensor<4x64xf32>) -> tensor<4xf32> {
  %c0 = arith.constant dense<0.0> : tensor<4xf32>
  %c1 = arith.constant dense<64.0> : tensor<4xf32>
  %c2 = arith.constant dense<1.0e-05> : tensor<4xf32>
  %c3 = arith.constant dense<1.0> : tensor<4xf32>
  %0 = linalg.reduce { arith.addf } ins(%x : tensor<4x64xf32>)
      outs(%c0 : tensor<4xf32>) dimensions = [1]
  %m = arith.divf %0, %c1 : tensor<4xf32>
  %1 = tensor.empty() : tensor<4x64xf32>
  %2 = linalg.broadcast ins(%m : tensor<4xf32>)
      outs(%1 : tensor<4x64xf32>) dimensions = [1]
  %c = arith.subf %x, %2 : tensor<4x64xf32>
  %3 = arith.mulf %c, %c : tensor<4x64xf32>
  %4 = linalg.reduce { arith.addf } ins(%3 : tensor<4x64xf32>)
      outs(%c0 : tensor<4xf32>) dimensions = [1]
  %v = arith.divf %4, %c1 : tensor<4xf32>
  %5 = math.sqrt %v : tensor<4xf32>
  %6 = arith.addf %5, %c2 : tensor<4xf32>
  %7 = arith.divf %c3, %6 : tensor<4xf32>
  return %7 : tensor<4xf32>
}
