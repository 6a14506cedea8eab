// (x + y) - x becomes y.
// Wrong: with x = 1e8 the sum has lost y.
// Right: x is subtracted in the other direction.
// relation: near=1e-2
// witness: x = [1e8, 1]
// witness: y = [0.25, 1]

// before
func.func @main(%x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
  %0 = arith.addf %x, %y : tensor<16xf32>
  %1 = arith.subf %0, %x : tensor<16xf32>
  return %1 : tensor<16xf32>
}

// -----

// right
func.func @main(%x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
  %0 = arith.addf %x, %y : tensor<16xf32>
  %1 = arith.subf %x, %0 : tensor<16xf32>
  %2 = arith.negf %1 : tensor<16xf32>
  return %2 : tensor<16xf32>
}

// -----

// wrong
func.func @main(%x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
  return %y : tensor<16xf32>
}
