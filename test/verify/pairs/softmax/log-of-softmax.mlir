// A log-softmax becomes the logarithm of the softmax.
// Wrong: a probability below 1e-45 is 0, and its logarithm -inf.
// Right: the same terms with the sign exchanged.
// relation: near=1e-3
// witness: x = tile([0.0, 200.0], 32)

// before
func.func @main(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %c0 = arith.constant dense<0xFF800000> : tensor<4xf32>
  %c1 = arith.constant dense<0.0> : tensor<4xf32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<4x16xf32>)
      outs(%c0 : tensor<4xf32>) dimensions = [1]
  %0 = tensor.empty() : tensor<4x16xf32>
  %1 = linalg.broadcast ins(%m : tensor<4xf32>)
      outs(%0 : tensor<4x16xf32>) dimensions = [1]
  %c = arith.subf %x, %1 : tensor<4x16xf32>
  %2 = math.exp %c : tensor<4x16xf32>
  %3 = linalg.reduce { arith.addf } ins(%2 : tensor<4x16xf32>)
      outs(%c1 : tensor<4xf32>) dimensions = [1]
  %d = math.log %3 : tensor<4xf32>
  %4 = tensor.empty() : tensor<4x16xf32>
  %5 = linalg.broadcast ins(%d : tensor<4xf32>)
      outs(%4 : tensor<4x16xf32>) dimensions = [1]
  %6 = arith.subf %c, %5 : tensor<4x16xf32>
  return %6 : tensor<4x16xf32>
}

// -----

// right
func.func @main(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %c0 = arith.constant dense<0xFF800000> : tensor<4xf32>
  %c1 = arith.constant dense<0.0> : tensor<4xf32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<4x16xf32>)
      outs(%c0 : tensor<4xf32>) dimensions = [1]
  %0 = tensor.empty() : tensor<4x16xf32>
  %1 = linalg.broadcast ins(%m : tensor<4xf32>)
      outs(%0 : tensor<4x16xf32>) dimensions = [1]
  %c = arith.subf %x, %1 : tensor<4x16xf32>
  %2 = math.exp %c : tensor<4x16xf32>
  %3 = linalg.reduce { arith.addf } ins(%2 : tensor<4x16xf32>)
      outs(%c1 : tensor<4xf32>) dimensions = [1]
  %d = math.log %3 : tensor<4xf32>
  %4 = tensor.empty() : tensor<4x16xf32>
  %5 = linalg.broadcast ins(%d : tensor<4xf32>)
      outs(%4 : tensor<4x16xf32>) dimensions = [1]
  %6 = arith.subf %5, %c : tensor<4x16xf32>
  %7 = arith.negf %6 : tensor<4x16xf32>
  return %7 : tensor<4x16xf32>
}

// -----

// wrong
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
  %6 = math.log %5 : tensor<4x16xf32>
  return %6 : tensor<4x16xf32>
}
