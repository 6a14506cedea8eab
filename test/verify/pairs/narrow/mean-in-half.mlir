// The mean of absolute values is accumulated in f16.
// Wrong: 64 times 2000 overflows.
// Right: in f32, with the elements divided first.
// relation: near=5e-2
// witness: x = full((4, 64), 2000.0)

// before
func.func @main(%x: tensor<4x64xf16>) -> tensor<4xf16> {
  %c0 = arith.constant dense<0.0> : tensor<4xf32>
  %c1 = arith.constant dense<64.0> : tensor<4xf32>
  %0 = math.absf %x : tensor<4x64xf16>
  %w = arith.extf %0 : tensor<4x64xf16> to tensor<4x64xf32>
  %1 = linalg.reduce { arith.addf } ins(%w : tensor<4x64xf32>)
      outs(%c0 : tensor<4xf32>) dimensions = [1]
  %2 = arith.divf %1, %c1 : tensor<4xf32>
  %3 = arith.truncf %2 : tensor<4xf32> to tensor<4xf16>
  return %3 : tensor<4xf16>
}

// -----

// right
func.func @main(%x: tensor<4x64xf16>) -> tensor<4xf16> {
  %c0 = arith.constant dense<0.015625> : tensor<4x64xf32>
  %c1 = arith.constant dense<0.0> : tensor<4xf32>
  %0 = math.absf %x : tensor<4x64xf16>
  %1 = arith.extf %0 : tensor<4x64xf16> to tensor<4x64xf32>
  %w = arith.mulf %1, %c0 : tensor<4x64xf32>
  %2 = linalg.reduce { arith.addf } ins(%w : tensor<4x64xf32>)
      outs(%c1 : tensor<4xf32>) dimensions = [1]
  %3 = arith.truncf %2 : tensor<4xf32> to tensor<4xf16>
  return %3 : tensor<4xf16>
}

// -----

// wrong
func.func @main(%x: tensor<4x64xf16>) -> tensor<4xf16> {
  %c0 = arith.constant dense<0.0> : tensor<4xf16>
  %c1 = arith.constant dense<64.0> : tensor<4xf16>
  %0 = math.absf %x : tensor<4x64xf16>
  %1 = linalg.reduce { arith.addf } ins(%0 : tensor<4x64xf16>)
      outs(%c0 : tensor<4xf16>) dimensions = [1]
  %2 = arith.divf %1, %c1 : tensor<4xf16>
  return %2 : tensor<4xf16>
}
