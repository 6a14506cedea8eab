// 0 - x becomes -x.
// Wrong: 0 - 0 is +0, and the negation of +0 is -0.
// Right: zeros stay +0.
// relation: exact
// witness: x = [0.0, 1, -0.0]

// before
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<0.0> : tensor<16xf32>
  %0 = arith.subf %c0, %x : tensor<16xf32>
  return %0 : tensor<16xf32>
}

// -----

// right
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<0.0> : tensor<16xf32>
  %zero = arith.cmpf oeq, %x, %c0 : tensor<16xf32>
  %0 = arith.negf %x : tensor<16xf32>
  %1 = arith.select %zero, %c0, %0 : tensor<16xi1>, tensor<16xf32>
  return %1 : tensor<16xf32>
}

// -----

// wrong
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %0 = arith.negf %x : tensor<16xf32>
  return %0 : tensor<16xf32>
}
