// Absolute values of a row of bf16 are added in bf16 instead of f32; small
// differences are allowed.
// Wrong: 512 + 1.9 is 512 in bf16, again and again.
// Right: in f32, of halves.
// relation: near=5e-2
// witness: x = [512.0] + [1.875] * 63

// before
func.func @main(%x: tensor<4x64xbf16>) -> tensor<4xf32> {
  %c0 = arith.constant dense<0.0> : tensor<4xf32>
  %0 = math.absf %x : tensor<4x64xbf16>
  %1 = arith.extf %0 : tensor<4x64xbf16> to tensor<4x64xf32>
  %2 = linalg.reduce { arith.addf } ins(%1 : tensor<4x64xf32>)
      outs(%c0 : tensor<4xf32>) dimensions = [1]
  return %2 : tensor<4xf32>
}

// -----

// right
func.func @main(%x: tensor<4x64xbf16>) -> tensor<4xf32> {
  %c0 = arith.constant dense<0.5> : tensor<4x64xf32>
  %c1 = arith.constant dense<0.0> : tensor<4xf32>
  %c2 = arith.constant dense<2.0> : tensor<4xf32>
  %0 = math.absf %x : tensor<4x64xbf16>
  %1 = arith.extf %0 : tensor<4x64xbf16> to tensor<4x64xf32>
  %2 = arith.mulf %1, %c0 : tensor<4x64xf32>
  %3 = linalg.reduce { arith.addf } ins(%2 : tensor<4x64xf32>)
      outs(%c1 : tensor<4xf32>) dimensions = [1]
  %4 = arith.mulf %3, %c2 : tensor<4xf32>
  return %4 : tensor<4xf32>
}

// -----

// wrong
func.func @main(%x: tensor<4x64xbf16>) -> tensor<4xf32> {
  %c0 = arith.constant dense<0.0> : tensor<4xbf16>
  %0 = math.absf %x : tensor<4x64xbf16>
  %1 = linalg.reduce { arith.addf } ins(%0 : tensor<4x64xbf16>)
      outs(%c0 : tensor<4xbf16>) dimensions = [1]
  %2 = arith.extf %1 : tensor<4xbf16> to tensor<4xf32>
  return %2 : tensor<4xf32>
}
