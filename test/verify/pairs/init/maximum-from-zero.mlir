// The maximum of each row begins at 0.
// Wrong: of a row below zero it is 0.
// Right: in f32, which changes no maximum.
// relation: exact
// witness: x = full((4, 64), -2.0)

// before
func.func @main(%x: tensor<4x64xf16>) -> tensor<4xf16> {
  %c0 = arith.constant dense<0xFC00> : tensor<4xf16>
  %0 = linalg.reduce { arith.maximumf } ins(%x : tensor<4x64xf16>)
      outs(%c0 : tensor<4xf16>) dimensions = [1]
  return %0 : tensor<4xf16>
}

// -----

// right
func.func @main(%x: tensor<4x64xf16>) -> tensor<4xf16> {
  %c0 = arith.constant dense<0xFF800000> : tensor<4xf32>
  %0 = arith.extf %x : tensor<4x64xf16> to tensor<4x64xf32>
  %1 = linalg.reduce { arith.maximumf } ins(%0 : tensor<4x64xf32>)
      outs(%c0 : tensor<4xf32>) dimensions = [1]
  %2 = arith.truncf %1 : tensor<4xf32> to tensor<4xf16>
  return %2 : tensor<4xf16>
}

// -----

// wrong
func.func @main(%x: tensor<4x64xf16>) -> tensor<4xf16> {
  %c0 = arith.constant dense<0.0> : tensor<4xf16>
  %0 = linalg.reduce { arith.maximumf } ins(%x : tensor<4x64xf16>)
      outs(%c0 : tensor<4xf16>) dimensions = [1]
  return %0 : tensor<4xf16>
}
