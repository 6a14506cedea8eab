// log(sum(exp(x))) without the maximum of the row.
// Wrong: exp(100) overflows; exp(-200) is 0.
// Right: the maximum is subtracted as an addition.
// seen: tenstorrent/tt-metal#52037
// relation: near=1e-3
// witness: x = full((4, 16), -200.0)

// before
func.func @main(%x: tensor<4x16xf32>) -> tensor<4xf32> {
  %c0 = arith.constant dense<0xFF800000> : tensor<4xf32>
  %c1 = arith.constant dense<0.0> : tensor<4xf32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<4x16xf32>)
      outs(%c0 : tensor<4xf32>) dimensions = [1]
  %0 = tensor.empty() : tensor<4x16xf32>
  %1 = linalg.broadcast ins(%m : tensor<4xf32>)
      outs(%0 : tensor<4x16xf32>) dimensions = [1]
  %2 = arith.subf %x, %1 : tensor<4x16xf32>
  %e = math.exp %2 : tensor<4x16xf32>
  %3 = linalg.reduce { arith.addf } ins(%e : tensor<4x16xf32>)
      outs(%c1 : tensor<4xf32>) dimensions = [1]
  %4 = math.log %3 : tensor<4xf32>
  %5 = arith.addf %m, %4 : tensor<4xf32>
  return %5 : tensor<4xf32>
}

// -----

// right
func.func @main(%x: tensor<4x16xf32>) -> tensor<4xf32> {
  %c0 = arith.constant dense<0xFF800000> : tensor<4xf32>
  %c1 = arith.constant dense<0.0> : tensor<4xf32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<4x16xf32>)
      outs(%c0 : tensor<4xf32>) dimensions = [1]
  %n = arith.negf %m : tensor<4xf32>
  %0 = tensor.empty() : tensor<4x16xf32>
  %1 = linalg.broadcast ins(%n : tensor<4xf32>)
      outs(%0 : tensor<4x16xf32>) dimensions = [1]
  %2 = arith.addf %x, %1 : tensor<4x16xf32>
  %e = math.exp %2 : tensor<4x16xf32>
  %3 = linalg.reduce { arith.addf } ins(%e : tensor<4x16xf32>)
      outs(%c1 : tensor<4xf32>) dimensions = [1]
  %4 = math.log %3 : tensor<4xf32>
  %5 = arith.addf %4, %m : tensor<4xf32>
  return %5 : tensor<4xf32>
}

// -----

// wrong
func.func @main(%x: tensor<4x16xf32>) -> tensor<4xf32> {
  %c0 = arith.constant dense<0.0> : tensor<4xf32>
  %0 = math.exp %x : tensor<4x16xf32>
  %1 = linalg.reduce { arith.addf } ins(%0 : tensor<4x16xf32>)
      outs(%c0 : tensor<4xf32>) dimensions = [1]
  %2 = math.log %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
