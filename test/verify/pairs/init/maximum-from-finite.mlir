// The maximum of each row begins at the lowest finite number.
// Wrong: of a row of -inf, as a fully masked one, it is that number.
// Right: as the negated minimum.
// relation: exact
// witness: x = full((4, 64), -inf)

// before
func.func @main(%x: tensor<4x64xf32>) -> tensor<4xf32> {
  %c0 = arith.constant dense<0xFF800000> : tensor<4xf32>
  %0 = linalg.reduce { arith.maximumf } ins(%x : tensor<4x64xf32>)
      outs(%c0 : tensor<4xf32>) dimensions = [1]
  return %0 : tensor<4xf32>
}

// -----

// right
func.func @main(%x: tensor<4x64xf32>) -> tensor<4xf32> {
  %c0 = arith.constant dense<0x7F800000> : tensor<4xf32>
  %0 = arith.negf %x : tensor<4x64xf32>
  %1 = linalg.reduce { arith.minimumf } ins(%0 : tensor<4x64xf32>)
      outs(%c0 : tensor<4xf32>) dimensions = [1]
  %2 = arith.negf %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// wrong
func.func @main(%x: tensor<4x64xf32>) -> tensor<4xf32> {
  %c0 = arith.constant dense<-3.4028234663852886e+38> : tensor<4xf32>
  %0 = linalg.reduce { arith.maximumf } ins(%x : tensor<4x64xf32>)
      outs(%c0 : tensor<4xf32>) dimensions = [1]
  return %0 : tensor<4xf32>
}
