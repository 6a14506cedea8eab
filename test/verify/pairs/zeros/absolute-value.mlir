// x < 0 ? -x : x becomes |x|.
// Wrong: -0 is not less than 0, so it stays -0.
// Right: the select keeps zeros.
// relation: exact
// witness: x = [-0.0, -1]

// before
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<0.0> : tensor<16xf32>
  %negative = arith.cmpf olt, %x, %c0 : tensor<16xf32>
  %0 = arith.negf %x : tensor<16xf32>
  %1 = arith.select %negative, %0, %x : tensor<16xi1>, tensor<16xf32>
  return %1 : tensor<16xf32>
}

// -----

// right
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<0.0> : tensor<16xf32>
  %zero = arith.cmpf oeq, %x, %c0 : tensor<16xf32>
  %0 = math.absf %x : tensor<16xf32>
  %1 = arith.select %zero, %x, %0 : tensor<16xi1>, tensor<16xf32>
  return %1 : tensor<16xf32>
}

// -----

// wrong
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %0 = math.absf %x : tensor<16xf32>
  return %0 : tensor<16xf32>
}
