// A row of bytes, as f16, is added in f16 instead of f32.
// Wrong: above 2048 not every integer is an f16.
// Right: in f64; both are exact for bytes.
// relation: reassociated
// witness: x = full((4, 64), 127)

// before
func.func @main(%x: tensor<4x64xi8>) -> tensor<4xf32> {
  %c0 = arith.constant dense<0.0> : tensor<4xf32>
  %0 = arith.sitofp %x : tensor<4x64xi8> to tensor<4x64xf16>
  %1 = arith.extf %0 : tensor<4x64xf16> to tensor<4x64xf32>
  %2 = linalg.reduce { arith.addf } ins(%1 : tensor<4x64xf32>)
      outs(%c0 : tensor<4xf32>) dimensions = [1]
  return %2 : tensor<4xf32>
}

// -----

// right
func.func @main(%x: tensor<4x64xi8>) -> tensor<4xf32> {
  %c0 = arith.constant dense<0.0> : tensor<4xf64>
  %0 = arith.sitofp %x : tensor<4x64xi8> to tensor<4x64xf16>
  %1 = arith.extf %0 : tensor<4x64xf16> to tensor<4x64xf64>
  %2 = linalg.reduce { arith.addf } ins(%1 : tensor<4x64xf64>)
      outs(%c0 : tensor<4xf64>) dimensions = [1]
  %3 = arith.truncf %2 : tensor<4xf64> to tensor<4xf32>
  return %3 : tensor<4xf32>
}

// -----

// wrong
func.func @main(%x: tensor<4x64xi8>) -> tensor<4xf32> {
  %c0 = arith.constant dense<0.0> : tensor<4xf16>
  %0 = arith.sitofp %x : tensor<4x64xi8> to tensor<4x64xf16>
  %1 = linalg.reduce { arith.addf } ins(%0 : tensor<4x64xf16>)
      outs(%c0 : tensor<4xf16>) dimensions = [1]
  %2 = arith.extf %1 : tensor<4xf16> to tensor<4xf32>
  return %2 : tensor<4xf32>
}
