// The variance as the mean of squares minus the square of the mean.
// Wrong: with a mean of 4096 the difference has no correct bits left.
// Right: two passes, with products instead of quotients.
// seen: tenstorrent/tt-metal#45968, microsoft/onnxruntime#28463
// relation: near=1e-2
// witness: x = tile([4097.0, 4095.0], 128)

// before
func.func @main(%x: tensor<4x64xf32>) -> tensor<4xf32> {
  %c0 = arith.constant dense<0.0> : tensor<4xf32>
  %c1 = arith.constant dense<64.0> : tensor<4xf32>
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
  %5 = arith.divf %4, %c1 : tensor<4xf32>
  return %5 : tensor<4xf32>
}

// -----

// right
func.func @main(%x: tensor<4x64xf32>) -> tensor<4xf32> {
  %c0 = arith.constant dense<0.0> : tensor<4xf32>
  %c1 = arith.constant dense<0.015625> : tensor<4xf32>
  %0 = linalg.reduce { arith.addf } ins(%x : tensor<4x64xf32>)
      outs(%c0 : tensor<4xf32>) dimensions = [1]
  %m = arith.mulf %0, %c1 : tensor<4xf32>
  %1 = tensor.empty() : tensor<4x64xf32>
  %2 = linalg.broadcast ins(%m : tensor<4xf32>)
      outs(%1 : tensor<4x64xf32>) dimensions = [1]
  %c = arith.subf %x, %2 : tensor<4x64xf32>
  %3 = arith.mulf %c, %c : tensor<4x64xf32>
  %4 = linalg.reduce { arith.addf } ins(%3 : tensor<4x64xf32>)
      outs(%c0 : tensor<4xf32>) dimensions = [1]
  %5 = arith.mulf %4, %c1 : tensor<4xf32>
  return %5 : tensor<4xf32>
}

// -----

// wrong
func.func @main(%x: tensor<4x64xf32>) -> tensor<4xf32> {
  %c0 = arith.constant dense<0.0> : tensor<4xf32>
  %c1 = arith.constant dense<64.0> : tensor<4xf32>
  %0 = linalg.reduce { arith.addf } ins(%x : tensor<4x64xf32>)
      outs(%c0 : tensor<4xf32>) dimensions = [1]
  %m = arith.divf %0, %c1 : tensor<4xf32>
  %1 = arith.mulf %x, %x : tensor<4x64xf32>
  %2 = linalg.reduce { arith.addf } ins(%1 : tensor<4x64xf32>)
      outs(%c0 : tensor<4xf32>) dimensions = [1]
  %q = arith.divf %2, %c1 : tensor<4xf32>
  %3 = arith.mulf %m, %m : tensor<4xf32>
  %4 = arith.subf %q, %3 : tensor<4xf32>
  return %4 : tensor<4xf32>
}
