// A sum that begins at -0 begins at +0.
// Wrong: a sum of nothing but -0 becomes +0.
// Right: -0 is added to each element, which changes none.
// relation: exact
// witness: x = full((4, 16), -0.0)

// before
func.func @main(%x: tensor<4x16xf32>) -> tensor<4xf32> {
  %c0 = arith.constant dense<-0.0> : tensor<4xf32>
  %0 = linalg.reduce { arith.addf } ins(%x : tensor<4x16xf32>)
      outs(%c0 : tensor<4xf32>) dimensions = [1]
  return %0 : tensor<4xf32>
}

// -----

// right
func.func @main(%x: tensor<4x16xf32>) -> tensor<4xf32> {
  %c0 = arith.constant dense<-0.0> : tensor<4x16xf32>
  %c1 = arith.constant dense<-0.0> : tensor<4xf32>
  %0 = arith.addf %x, %c0 : tensor<4x16xf32>
  %1 = linalg.reduce { arith.addf } ins(%0 : tensor<4x16xf32>)
      outs(%c1 : tensor<4xf32>) dimensions = [1]
  return %1 : tensor<4xf32>
}

// -----

// wrong
func.func @main(%x: tensor<4x16xf32>) -> tensor<4xf32> {
  %c0 = arith.constant dense<0.0> : tensor<4xf32>
  %0 = linalg.reduce { arith.addf } ins(%x : tensor<4x16xf32>)
      outs(%c0 : tensor<4xf32>) dimensions = [1]
  return %0 : tensor<4xf32>
}
