// A softmax does not subtract the maximum of the row.
// Wrong: exp(100) overflows, and inf / inf is NaN.
// Right: powers of two of the scaled differences.
// relation: near=1e-3
// witness: x = linspace(0, 100, 64)

// before
func.func @main(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %c0 = arith.constant dense<0xFF800000> : tensor<4xf32>
  %c1 = arith.constant dense<0.0> : tensor<4xf32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<4x16xf32>)
      outs(%c0 : tensor<4xf32>) dimensions = [1]
  %0 = tensor.empty() : tensor<4x16xf32>
  %1 = linalg.broadcast ins(%m : tensor<4xf32>)
      outs(%0 : tensor<4x16xf32>) dimensions = [1]
  %2 = arith.subf %x, %1 : tensor<4x16xf32>
  %e = math.exp %2 : tensor<4x16xf32>
  %d = linalg.reduce { arith.addf } ins(%e : tensor<4x16xf32>)
      outs(%c1 : tensor<4xf32>) dimensions = [1]
  %3 = tensor.empty() : tensor<4x16xf32>
  %4 = linalg.broadcast ins(%d : tensor<4xf32>)
      outs(%3 : tensor<4x16xf32>) dimensions = [1]
  %5 = arith.divf %e, %4 : tensor<4x16xf32>
  return %5 : tensor<4x16xf32>
}

// -----

// right
func.func @main(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %c0 = arith.constant dense<0xFF800000> : tensor<4xf32>
  %c1 = arith.constant dense<1.4426950408889634> : tensor<4x16xf32>
  %c2 = arith.constant dense<0.0> : tensor<4xf32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<4x16xf32>)
      outs(%c0 : tensor<4xf32>) dimensions = [1]
  %0 = tensor.empty() : tensor<4x16xf32>
  %1 = linalg.broadcast ins(%m : tensor<4xf32>)
      outs(%0 : tensor<4x16xf32>) dimensions = [1]
  %2 = arith.subf %x, %1 : tensor<4x16xf32>
  %3 = arith.mulf %2, %c1 : tensor<4x16xf32>
  %e = math.exp2 %3 : tensor<4x16xf32>
  %d = linalg.reduce { arith.addf } ins(%e : tensor<4x16xf32>)
      outs(%c2 : tensor<4xf32>) dimensions = [1]
  %4 = tensor.empty() : tensor<4x16xf32>
  %5 = linalg.broadcast ins(%d : tensor<4xf32>)
      outs(%4 : tensor<4x16xf32>) dimensions = [1]
  %6 = arith.divf %e, %5 : tensor<4x16xf32>
  return %6 : tensor<4x16xf32>
}

// -----

// wrong
func.func @main(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %c0 = arith.constant dense<0.0> : tensor<4xf32>
  %e = math.exp %x : tensor<4x16xf32>
  %d = linalg.reduce { arith.addf } ins(%e : tensor<4x16xf32>)
      outs(%c0 : tensor<4xf32>) dimensions = [1]
  %0 = tensor.empty() : tensor<4x16xf32>
  %1 = linalg.broadcast ins(%d : tensor<4xf32>)
      outs(%0 : tensor<4x16xf32>) dimensions = [1]
  %2 = arith.divf %e, %1 : tensor<4x16xf32>
  return %2 : tensor<4x16xf32>
}
