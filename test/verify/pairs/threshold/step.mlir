// A step function is 1 from 0 on; it becomes 1 above 0.
// Wrong: at both zeros.
// Right: 0 below 0 and for NaN.
// relation: exact
// witness: x = [0.0, 1, -0.0]

// before
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<0.0> : tensor<16xf32>
  %c1 = arith.constant dense<1.0> : tensor<16xf32>
  %0 = arith.cmpf oge, %x, %c0 : tensor<16xf32>
  %1 = arith.select %0, %c1, %c0 : tensor<16xi1>, tensor<16xf32>
  return %1 : tensor<16xf32>
}

// -----

// right
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<0.0> : tensor<16xf32>
  %c1 = arith.constant dense<1.0> : tensor<16xf32>
  %0 = arith.cmpf ult, %x, %c0 : tensor<16xf32>
  %1 = arith.select %0, %c0, %c1 : tensor<16xi1>, tensor<16xf32>
  return %1 : tensor<16xf32>
}

// -----

// wrong
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<0.0> : tensor<16xf32>
  %c1 = arith.constant dense<1.0> : tensor<16xf32>
  %0 = arith.cmpf ogt, %x, %c0 : tensor<16xf32>
  %1 = arith.select %0, %c1, %c0 : tensor<16xi1>, tensor<16xf32>
  return %1 : tensor<16xf32>
}
